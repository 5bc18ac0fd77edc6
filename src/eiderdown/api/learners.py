"""``measure_stability``, and every search for a graph or a boundary on resampled rows.

Stability and confidence share this: :data:`LEARNERS` knows the searches by name, and each of them
is called by the verb that it belongs to, in one thread and without a word.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, TypedDict, TypeVar, Unpack

from eiderdown.api.boundary import find_boundary, find_parents_children
from eiderdown.api.network import learn_network, learn_region
from eiderdown.api.tables import about_table
from eiderdown.boundary import BOUNDARY_ALGORITHMS, PARENTS_CHILDREN_ALGORITHMS
from eiderdown.confidence import EdgeCounts, Resampled, Resampling, learn_resampled
from eiderdown.confidence.features import ModelLearner
from eiderdown.confidence.forkable import may_fork
from eiderdown.confidence.ordered_runs import Jobs
from eiderdown.confidence.resamples import Method
from eiderdown.data import Dataset
from eiderdown.data.missing import about_missing
from eiderdown.errors import OptionError, listed
from eiderdown.graphs import Skeleton
from eiderdown.graphs.named_graph import NamedGraph
from eiderdown.option_types import shown
from eiderdown.options import Option, declared, options_of
from eiderdown.progress import Cancelled, watched
from eiderdown.randomness import as_seed
from eiderdown.registry import Algorithm, Registry
from eiderdown.results import (
    EdgeStability,
    LearnedGraph,
    LocalResult,
    Run,
    issue_warnings,
    withheld_warnings,
)
from eiderdown.results.result import without_fingerprints
from eiderdown.shared_options import (
    IndependenceOptions,
    KnowledgeOptions,
    Label,
    RequiredOptions,
    RunOptions,
    ScoreOptions,
    TableOptions,
)
from eiderdown.structure import NETWORK_ALGORITHMS, REGION_ALGORITHMS

_Learned = TypeVar("_Learned")
_Digest = TypeVar("_Digest")

_VERBS: Final[Mapping[Registry[Any], Callable[..., Any]]] = {
    NETWORK_ALGORITHMS: learn_network,
    REGION_ALGORITHMS: learn_region,
    PARENTS_CHILDREN_ALGORITHMS: find_parents_children,
    BOUNDARY_ALGORITHMS: find_boundary,
}

LEARNERS: Final[Registry[Algorithm[..., Any]]] = Registry(
    (algorithm for registry in _VERBS for algorithm in registry),
    noun="search for graphs or boundaries",
)
"""Searches for networks, regions, parents and children, and Markov boundaries."""

GRAPH_LEARNERS: Final[Registry[Algorithm[..., Any]]] = Registry(
    (a for registry in _VERBS if registry is not BOUNDARY_ALGORITHMS for a in registry),
    noun="search for graphs",
)
"""Those that learn edges."""


class DepthOptions(TypedDict, total=False):
    """How far regions reach."""

    depth: Annotated[
        int | None,
        Option("how many steps a region reaches; None for 1", default=None, at_least=1),
    ]


class LearnerOptions(
    TableOptions,
    IndependenceOptions,
    ScoreOptions,
    KnowledgeOptions,
    DepthOptions,
    RequiredOptions,
    total=False,
):
    """What is passed on to a search, where its verb takes it."""


class ResamplingOptions(TypedDict, total=False):
    """How rows are drawn."""

    method: Annotated[Method, Option("draw rows with replacement, or without", default="bootstrap")]
    share: Annotated[
        float | None,
        Option(
            "how many rows to draw, as a share of those there are; None for all of them "
            "(bootstrap) or half of them (subsample)",
            default=None,
        ),
    ]


def verb_of(search: Algorithm[..., Any]) -> Callable[..., Any]:
    """Return the verb that a search of :data:`LEARNERS` belongs to; one's own, by what it finds."""
    named = [verb for registry, verb in _VERBS.items() if search.name in registry]
    alike = (
        verb
        for registry, verb in _VERBS.items()
        if any(search.returns == other.returns for other in registry)
    )
    return named[0] if named else next(alike)


def learner_of(
    algorithm: str | Algorithm[..., Any] | ModelLearner,
    registry: Registry[Any],
    *,
    target: str | None,
    options: Mapping[str, Any],
) -> ModelLearner:
    """Find a search by its name, or take a function of a table and a seed as it is.

    Of ``options`` only those that differ from their default count as given, and are passed on.
    """
    known = options_of(LearnerOptions)
    given = {name: options[name] for name in known if not known[name].is_default(options[name])}
    if not isinstance(algorithm, str | Algorithm):
        given |= {} if target is None else {"target": target}
        if given:
            raise OptionError(
                "A function of your own is told a table and a seed only; "
                f"{listed(list(given))} must go into the function."
            )
        return algorithm
    search = registry[algorithm]
    verb = verb_of(search)
    takes = options_of(verb)
    for name in given:
        if name not in takes:
            legal = [name for name in takes if name in known]
            raise OptionError(f"{search.name!r} has no option {name!r}; it has {listed(legal)}.")
    is_network = verb is learn_network
    if is_network and target is not None:
        around = [*REGION_ALGORITHMS.names, *PARENTS_CHILDREN_ALGORITHMS.names]
        raise OptionError(
            f"{search.name!r} learns the whole network; leave out target, or choose a search "
            f"for regions or for parents and children: {listed(around)}."
        )
    if not is_network and target is None:
        raise OptionError(f"{search.name!r} searches around a column; name it as target.")
    return RegisteredLearner(search, given if is_network else {"target": target, **given})


@dataclass(frozen=True, eq=False)
class RegisteredLearner:
    """A registered search with its options."""

    algorithm: Algorithm[..., Any]
    options: Mapping[str, Any]

    def __call__(self, data: Dataset, seed: int) -> LearnedGraph | LocalResult:
        """Search in one thread and without a word; what is incomplete raises ``Cancelled``."""
        with withheld_warnings(), without_fingerprints():
            result: LearnedGraph | LocalResult = verb_of(self.algorithm)(
                data,
                algorithm=self.algorithm,
                random_state=seed,
                n_jobs=1,
                progress=False,
                **self.options,
            )
        if not result.complete:
            raise Cancelled
        return result


def graph_of(learned: NamedGraph | LearnedGraph | LocalResult) -> NamedGraph:
    """Return the graph of what a search has learned: a CPDAG, or edges around a target."""
    if isinstance(learned, LocalResult):
        edges = [(learned.target, member) for member in learned.members]
        return Skeleton((learned.target, *learned.members), edges)
    if isinstance(learned, LearnedGraph):
        return learned.cpdag
    if not isinstance(learned, NamedGraph):
        raise OptionError(
            f"A function given as algorithm must return a graph, but it returned {shown(learned)}."
        )
    return learned


@dataclass(frozen=True, eq=False)
class Resamples:
    """Many resamples of one table, and the learner that learns from each.

    ``options`` are those of resampling and of every run; ``runs`` and ``warnings`` say how each
    search went that is registered.
    """

    data: Dataset
    learner: ModelLearner
    number: int
    options: Mapping[str, Any]
    runs: list[Run] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """What the learner is called."""
        if isinstance(self.learner, RegisteredLearner):
            return self.learner.algorithm.name
        return str(getattr(self.learner, "__name__", "function"))

    @property
    def resampling(self) -> Resampling:
        """How rows are drawn."""
        return Resampling(self.options["method"], self.options["share"])

    @property
    def forks(self) -> bool:
        """Whether searches may run in forked processes."""
        if not isinstance(self.learner, RegisteredLearner):
            return False
        return may_fork(self.data, {**self.options, "algorithm": self.learner.algorithm})

    def learned(
        self, digest: Callable[[Any], _Digest], gather: Callable[[_Digest], None]
    ) -> tuple[Run, tuple[str, ...], bool]:
        """Learn from each resample; return the record, the warnings, and whether all are done.

        ``gather`` gets, in turn, what ``digest`` makes of each graph or result. The process that
        has learned makes it, too, if the search is registered, and sends nothing else.
        """
        started, seed = time.perf_counter(), as_seed(self.options["random_state"])
        said = about_missing(self.data, self.options["exclude"], self.options["missing"])

        is_registered = isinstance(self.learner, RegisteredLearner)

        def learn(data: Dataset, seed: int) -> Any:
            learned: Any = self.learner(data, seed)
            if not is_registered:  # what a function returns may be refused, in its turn
                return learned
            return learned.run, learned.warnings, digest(learned)

        def keep(learned: Any) -> None:
            if not is_registered:
                gather(digest(learned))
                return
            run, said, found = learned
            self.runs.append(run)
            self.warnings.extend(said)
            gather(found)

        with watched(
            f"{self.name} on resampled rows",
            progress=self.options["progress"],
            counted="graphs",
            time_limit=self.options["time_limit"],
        ) as shown:
            resampled = learn_resampled(
                learn,
                self.data,
                gather=keep,
                n_resamples=self.number,
                resampling=self.resampling,
                seed=seed,
                jobs=Jobs(self.options["n_jobs"], forks=self.forks),
                trace=shown,
            )
            resampled.require_some()
        run = self._record(seed, time.perf_counter() - started)
        return run, (*said, *self._warnings(resampled)), resampled.complete

    def _record(self, seed: int, seconds: float) -> Run:
        """Write down how all resamples went, with their tests in sum."""
        drawn = {
            "resamples": self.number,
            "method": self.resampling.method,
            "share": self.resampling.drawn,
        }
        return Run.of(
            self.name,
            self.data,
            {**(self.runs[0].options if self.runs else {}), **drawn},
            counts=self.runs,
            seconds=seconds,
            random_state=seed,
        )

    def _warnings(self, resampled: Resampled) -> Iterator[str]:
        """Say what is true of the table, as most searches found, and what befell some of them."""
        for sentence, n_times in sorted(Counter(self.warnings).items()):
            if 2 * n_times > resampled.n_tried:
                yield sentence
        if resampled.failures:
            first = resampled.failures[min(resampled.failures)]
            yield (
                f"{len(resampled.failures)} of {resampled.n_tried} resamples gave no graph; the "
                f"first: {first}"
            )
        if not resampled.complete:
            yield f"Interrupted: {resampled.n_tried} of {self.number} resamples are done."


class StabilityOptions(LearnerOptions, ResamplingOptions, RunOptions, total=False):
    """What :func:`measure_stability` takes."""

    algorithm: Annotated[
        str | Algorithm[..., Any] | Callable[[Dataset, int], Any],
        Option(
            "search for networks, regions or parents and children: a name or a configured one; or "
            "a function of your own of a Dataset and a seed that returns a graph",
            default="mmhc_restarts",
            command_help="search; 'eiderdown algorithms stability' lists them",
        ),
    ]
    resamples: Annotated[int, Option("how often", default=100, at_least=1, metavar="N")]


@about_table
@declared
def measure_stability(
    data: Any, target: Label | None = None, **options: Unpack[StabilityOptions]
) -> EdgeStability:
    """Measure how often each edge comes back when the graph is learned from resampled rows.

    Parameters
    ----------
    data : any table
        See :meth:`eiderdown.Dataset.of`.
    target : label or None
        The column around which a region, or parents and children, are searched.
    **options

    Returns
    -------
    EdgeStability
        The frequencies of edges and directions. Interrupted with Ctrl-C, of the resamples so far.

    Notes
    -----
    A search for a directed graph says more than the data can: only directions that all equivalent
    graphs share are counted as directions. Those of a function of your own are counted as they are.

    Examples
    --------
    >>> from eiderdown import measure_stability, networks
    >>> data = networks.load("asia").sample(2_000, random_state=0)
    >>> found = measure_stability(data, algorithm="pc_confirmed", resamples=20, random_state=0)
    >>> found.edge("smoke", "bronc").adjacent
    1.0
    >>> ("bronc", "smoke") in found.consensus().undirected
    True
    """
    learner = learner_of(options["algorithm"], GRAPH_LEARNERS, target=target, options={**options})
    resamples = Resamples(Dataset.of(data), learner, options["resamples"], {**options})
    counts = EdgeCounts()
    run, warnings, complete = resamples.learned(graph_of, counts.add)
    result = EdgeStability(
        edges=counts.edge_frequencies(),
        nodes=counts.node_shares(),
        n_resamples=counts.n_graphs,
        resampled_by=resamples.resampling.described,
        run=run,
        warnings=warnings,
        complete=complete,
    )
    issue_warnings(result)
    return result
