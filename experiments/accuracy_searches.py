"""The searches of ``accuracy.py``, read from the registries, so that new ones take part.

Every boundary search and every search for parents and children, with each value of ``symmetry`` and
``error_rate`` where the search, or its verb, has these options; graph learners by several scores,
whose boundaries are read from the graph; and the default of each verb, which is what it does when
no ``algorithm`` is given. A search has a tier: lower ones are run first, so that a run that is cut
short has those that matter.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Literal, TypeAlias

from accuracy_tables import Kind, Sample, sample

from eiderdown import find_all_boundaries, find_boundary, find_parents_children, learn_network
from eiderdown.boundary import BOUNDARY_ALGORITHMS, PARENTS_CHILDREN_ALGORITHMS
from eiderdown.errors import EiderdownError, OptionError
from eiderdown.graphs import PDAG
from eiderdown.options import Declared
from eiderdown.registry import Algorithm
from eiderdown.results.networks import markov_boundary
from eiderdown.scores import BDEU, SCORES
from eiderdown.structure import NETWORK_ALGORITHMS

Question: TypeAlias = Literal["boundary", "parents_children", "graph"]
Sets: TypeAlias = Mapping[str, frozenset[str]]

DEFAULT, OLD_DEFAULT = "default", "iamb"
VARIED = ("symmetry", "error_rate")
VERBS: dict[Question, Callable[..., Any]] = {
    "boundary": find_boundary,
    "parents_children": find_parents_children,
    "graph": learn_network,
}
FIRST = ("iamb", "fbed", "bamb", "pcmb", "consensus", "pcmb symmetry=or", "ges bic")
FIRST_OF_GRAPHS = ("ges_restarts bic",)
LAST = ("kiamb", "kpcmb", "koller_sahami", "inter_iamb_npc", "iamb_npc", "gs")
CONTROLLED = "iamb_fdr"
"""It controls the error rate by itself."""

LEARNERS = ("ges", "ges_restarts", "boss", "boss_restarts", "hill_climbing", "mmhc_restarts")
LEARNERS_BY_TESTS = ("pc_stable",)
SCORES_BY_NAME: dict[str, dict[Kind, Any]] = {
    # one name for what stands in for a score in tables of another kind
    "bic": {
        "discrete": "bic",
        "gaussian": "gaussian_bic",
        "mixed": "degenerate_gaussian",
        "bent": "gaussian_bic",
    },
    "bdeu": {"discrete": "bdeu", "gaussian": "bge"},
    "bdeu_1": {"discrete": BDEU(equivalent_sample_size=1)},
    "aic": {"discrete": "aic"},
    "qnml": {"discrete": "qnml"},
    "kgv": {"mixed": "kgv", "bent": "kgv"},
}
SOME_SCORES = ("bic", "bdeu")
"""By these all learners are run; by the others GES alone."""

WARM_ROWS, WARM_COLUMNS, WARM_LIMIT = 200, 8, 600.0
WARM: dict[Kind, str] = {
    "discrete": "asia",
    "gaussian": "ecoli70",
    "mixed": "mixed",
    "bent": "bent",
}


@dataclass(frozen=True)
class Answer:
    """What a search found, and in how many CPU seconds."""

    seconds: float
    complete: bool
    boundary: Sets | None = None
    parents_children: Sets | None = None
    cpdag: PDAG | None = None
    seconds_are_of_the_clock: bool = False


@dataclass(frozen=True)
class Search:
    """A search with its options; ``algorithm`` None is the default of the verb."""

    question: Question
    name: str
    tier: int
    algorithm: Any = None
    options: Mapping[str, Any] = field(default_factory=dict)
    scores: Mapping[Kind, Any] | None = None

    @property
    def key(self) -> str:
        """A name that no other search has."""
        return f"{self.question} {self.name}"

    def takes(self, one: Sample) -> bool:
        """Whether it can be run on such a table."""
        return self.scores is None or one.kind in self.scores

    def find(self, one: Sample, limit: float) -> Answer:
        """Search, in a process in which what it needs was compiled before."""
        _warm_up(self.key, one.kind)
        return self.answer(one, limit)

    def _chosen(self, one: Sample) -> Any:
        """Return what the verb about one target takes by itself, for the one about all of them.

        Left to itself the latter finds boundaries, whatever the question is here.
        """
        if default_of(self.question) != "auto" or not one.targets:
            return default_of(self.question)
        return VERBS[self.question](one.data, one.targets[0], progress=False).run.algorithm

    def answer(self, one: Sample, limit: float) -> Answer:
        """Search."""
        options = {"progress": False, "n_jobs": 1, "time_limit": limit, **self.options}
        if self.algorithm is not None:
            options["algorithm"] = self.algorithm
        if self.scores is not None:
            options["score"] = self.scores[one.kind]
        if self.question == "graph":
            return _learned(one, options)
        if self.algorithm is None:
            options["algorithm"] = self._chosen(one)
        return _around_targets(self.question, one, options)


def _learned(one: Sample, options: dict[str, Any]) -> Answer:
    """Learn a graph, and read from it what there is around each target."""
    started = time.process_time()
    found = learn_network(one.data, **options)
    seconds = time.process_time() - started
    return Answer(
        seconds,
        found.complete,
        {target: found.boundary(target) for target in one.targets},
        {target: found.graph.adjacent(target) for target in one.targets},
        found.cpdag,
    )


def _around_targets(question: Question, one: Sample, options: dict[str, Any]) -> Answer:
    """Search around all targets at once, or one by one where that cannot be."""
    started = time.process_time()
    try:
        found = find_all_boundaries(one.data, targets=one.targets, **options)
        results, complete = dict(found.results), found.complete
    except EiderdownError:
        results, complete = _one_by_one(question, one, options)
    seconds = time.process_time() - started
    members = {
        t: frozenset(results[t].members) if t in results else frozenset() for t in one.targets
    }
    if question == "parents_children":
        return Answer(seconds, complete, parents_children=members)
    near = {t: result.parents_children for t, result in results.items()}
    if not near or None in near.values():
        return Answer(seconds, complete, members)
    adjacent = {t: frozenset(near.get(t) or ()) for t in one.targets}
    return Answer(seconds, complete, members, adjacent)


def _one_by_one(
    question: Question, one: Sample, options: dict[str, Any]
) -> tuple[dict[str, Any], bool]:
    """Search around each target; where rows are too few for any answer, it is empty."""
    results, deadline = {}, time.monotonic() + options["time_limit"]
    for target in one.targets:
        left = {"time_limit": max(0.0, deadline - time.monotonic())}
        try:
            results[target] = VERBS[question](one.data, target, **(options | left))
        except OptionError:
            raise
        except EiderdownError:
            continue
        if not results[target].complete:
            return results, False
    return results, True


@cache
def _warm_up(key: str, kind: Kind) -> None:
    """Compile, or load what was compiled, before time is measured; once in a process."""
    search = searches_by_key()[key]
    try:
        search.answer(_small(kind), WARM_LIMIT)
    except OptionError:
        raise
    except EiderdownError:
        return


@cache
def _small(kind: Kind) -> Sample:
    """Return a few columns of a table of some kind."""
    whole = sample(WARM[kind], 0, WARM_ROWS)
    names = whole.targets[:WARM_COLUMNS]
    return replace(whole, data=whole.data.select(names), targets=names[:2])


@cache
def searches_by_key() -> dict[str, Search]:
    """Return all searches of the library."""
    return {search.key: search for search in _all_searches()}


def _all_searches() -> Iterator[Search]:
    for question in VERBS:
        yield Search(question, DEFAULT, 0)
    for entry in BOUNDARY_ALGORITHMS:
        yield from _variants("boundary", entry)
    for entry in PARENTS_CHILDREN_ALGORITHMS:
        yield from _variants("parents_children", entry)
    for name in (*LEARNERS, *LEARNERS_BY_TESTS):
        if name in NETWORK_ALGORITHMS:
            yield from _by_scores(name)


def _variants(question: Question, entry: Algorithm[..., Any]) -> Iterator[Search]:
    """Yield a search as it is, and with the other values of the options that are varied."""
    yield Search(question, entry.name, tier_of(entry.name), entry.name)
    for option, value in varied_values(entry.options):
        name = f"{entry.name} {option}={value}"
        yield Search(question, name, tier_of(name), entry.with_params({option: value}))
    if entry.needs == ("test",) and entry.name not in (*LAST, CONTROLLED):
        of_verb = find_all_boundaries.declared_options  # type: ignore[attr-defined]
        for option, value in varied_values(of_verb):
            name = f"{entry.name} {option}={value}"
            yield Search(question, name, tier_of(name), entry.name, {option: value})


def varied_values(known: Mapping[str, Declared]) -> Iterator[tuple[str, str]]:
    """Yield the values, other than the default, of the options that are varied."""
    for option in (known[name] for name in VARIED if name in known):
        yield from ((option.name, v) for v in option.choices if v != option.default)


def _by_scores(learner: str) -> Iterator[Search]:
    """Yield a learner by each score that there is."""
    if learner in LEARNERS_BY_TESTS:
        yield Search("graph", learner, 2, learner)
        return
    for score, by_kind in SCORES_BY_NAME.items():
        known = {kind: s for kind, s in by_kind.items() if not isinstance(s, str) or s in SCORES}
        if known and (score in SOME_SCORES or learner == "ges"):
            name = f"{learner} {score}"
            yield Search("graph", name, tier_of(name), learner, scores=known)


def default_of(question: Question) -> Any:
    """Return what a verb takes if no algorithm is given."""
    return VERBS[question].declared_options["algorithm"].default  # type: ignore[attr-defined]


def tier_of(name: str) -> int:
    """Return when a search has its turn; what the default does anyway has the last."""
    if name == default_of("boundary") and name != OLD_DEFAULT:
        return 3
    if name in FIRST or name in FIRST_OF_GRAPHS:
        return 0
    base, _, varied = name.partition(" ")
    if base in LAST or "kgv" in varied:
        return 3
    return 1 if not varied or "bic" in varied or varied == "symmetry=or" else 2


def of_graph(directed: Any, undirected: Any, one: Sample) -> Answer:
    """Read boundaries from the edges that another library found; a DAG stands for its class."""
    graph = PDAG(one.dag.nodes, directed, undirected)
    cpdag = graph if undirected else graph.to_dag().to_cpdag()
    return Answer(
        0.0,
        True,
        {target: markov_boundary(graph, target) for target in one.targets},
        {target: graph.adjacent(target) for target in one.targets},
        cpdag,
    )
