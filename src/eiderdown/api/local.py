"""What all searches around a variable share: from a prepared problem to a named result."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, Literal, TypeVar

import numpy as np

from eiderdown.api.choice import nearer_from_few_rows
from eiderdown.api.near_copies import near_copy_warnings
from eiderdown.api.screening import screened
from eiderdown.api.voting_graphs import graphs_among
from eiderdown.arrays import IntArray
from eiderdown.boundary import Found, Search, TestProblem
from eiderdown.boundary.ahead import SearchAhead
from eiderdown.boundary.apart import SearchesApart
from eiderdown.boundary.false_discoveries import (
    Dependence,
    ErrorRate,
    refuse_false_discovery_rate,
    search_at_rate,
)
from eiderdown.boundary.known_sets import BYTES_PER_RESULT, KnownSets
from eiderdown.boundary.known_steps import KnownSteps
from eiderdown.boundary.problem import random_ties
from eiderdown.data import Dataset
from eiderdown.data.prepare import Prepared, prepare_target
from eiderdown.errors import TooFewRowsError
from eiderdown.independence import (
    Allows,
    CachedTest,
    IndependenceBatch,
    IndependenceResult,
    TestCounts,
)
from eiderdown.independence.batch import ALLOWS, LOG_P, STATISTIC
from eiderdown.independence.registry import columns_named_by, kinds_taken, make_test
from eiderdown.progress import Trace
from eiderdown.randomness import as_generator, as_seed
from eiderdown.results import Allowed, Decision, Evidence, LocalResult, Run

KNOWN_SHARE = 1 / 8
"""Share of the memory for tests that keeps what was found around columns for the sake of others."""

N_NEAR_MISSES = 20
"""How many of the variables that stayed outside are reported with their evidence."""

_IN_WORDS: Mapping[Allows, Allowed] = {
    Allows.BOTH: "both",
    Allows.DEPENDENCE: "dependence",
    Allows.NOTHING: "nothing",
    Allows.FUNCTION: "function",
}

Result = TypeVar("Result", bound=LocalResult)


@dataclass(frozen=True)
class ConfiguredSearch:
    """A search with the options by which it runs; those of its own stand in ``params``.

    ``why`` says why it was chosen, if nobody named it; ``explain_all`` whether the result is to
    have the tests of every column outside; ``graphs`` remembers what was learned for searches with
    other options; ``ahead`` searches around other targets in threads, compiled, and ``apart`` does
    so with searches that share nothing. A search that is made repeatedly knows ``steps``, and
    ``earlier`` results by the numbers of their members, which stand for later ones.
    """

    algorithm: Search
    params: Mapping[str, Any]
    alpha: float
    max_given: int | None
    random_state: int | None = None
    error_rate: ErrorRate = "test"
    why: str = ""
    explain_all: bool = False
    graphs: dict[Any, Any] | None = None
    ties: Literal["name", "random"] = "name"
    n_jobs: int | None = None
    ahead: SearchAhead | None = None
    apart: SearchesApart | None = None
    steps: KnownSteps | None = None
    earlier: dict[frozenset[int], Any] | None = None

    @classmethod
    def of(
        cls, algorithm: Search, options: Mapping[str, Any], *, seeded: bool = False, why: str = ""
    ) -> ConfiguredSearch:
        """Read the options of a verb; those given to the algorithm itself come first.

        The seed is kept where random choices are made: by the search, or if ``seeded``; that of
        random ties is drawn here if there is none, so that it can be written down.
        """
        given = {**options, **algorithm.params}
        random_state = options["random_state"] if algorithm.random or seeded else None
        ties = options.get("ties", "name")
        if ties == "random":
            random_state = as_seed(options["random_state"])
        error_rate = options.get("error_rate", "test")
        refuse_false_discovery_rate(algorithm, error_rate)
        return cls(
            algorithm,
            algorithm.all_params,
            given["alpha"],
            given["max_given"],
            random_state,
            error_rate,
            why,
            ties=ties,
            n_jobs=options.get("n_jobs"),
        )

    def asked(
        self,
        problem: Prepared,
        test: CachedTest,
        listener: Trace,
        known: KnownSets,
        required: Collection[str] = (),
    ) -> TestProblem:
        """Return the question about the target of a prepared table."""
        assert problem.target is not None
        return TestProblem(
            test,
            problem.target,
            problem.candidates,
            self.alpha,
            self.max_given,
            required=tuple(problem.data.index(name) for name in required),
            trace=listener,
            generator=as_generator(self.random_state) if self.algorithm.random else self._unasked,
            learn_graphs=partial(
                graphs_among, problem.data, self.alpha, listener.silent(), self.graphs, self.n_jobs
            ),
            ties=self.tie_ranks(test),
            known=known,
            ahead=self.ahead,
            steps=self.steps,
        )

    @cached_property
    def _unasked(self) -> np.random.Generator:
        """For all targets, where no search makes a random choice."""
        return as_generator(self.random_state)

    def tie_ranks(self, test: CachedTest) -> IntArray | None:
        """Return what breaks ties, if not names."""
        if self.ties == "name":
            return None
        assert self.random_state is not None
        return random_ties(test, self.random_state)

    def searched(self, problem: TestProblem) -> tuple[Found, dict[str, Any]]:
        """Search, and say what alpha was if it was not the significance level of each test."""
        search = partial(self.algorithm.function, **self.params)
        if self.error_rate == "test":
            return search(problem), {}
        dependence: Dependence = "positive" if self.error_rate == "fdr_positive" else "arbitrary"
        at_rate = search_at_rate(search, problem, dependence)
        return at_rate.found, {"error_rate": self.error_rate, "level": at_rate.level}


def prepared_for(data: Dataset, target: str, options: Mapping[str, Any]) -> Prepared:
    """Prepare a table for tests around a target, by the options of a verb."""
    return prepare_target(
        data,
        target,
        exclude=(*options["exclude"], *columns_named_by(options["test"])),
        required=options["required"],
        takes=kinds_taken(options["test"]),
        missing=options["missing"],
    )


def test_of(prepared: Prepared, options: Mapping[str, Any]) -> CachedTest:
    """Make the test of a prepared table, by the options of a verb."""
    how = {name: options[name] for name in ("n_jobs", "missing", "random_state")}
    if "test_memory" in options:
        how["memory"] = int((1.0 - KNOWN_SHARE) * options["test_memory"])
    return make_test(options["test"], prepared, **how)


def known_sets(options: Mapping[str, Any]) -> KnownSets:
    """Make the memory of what was found around columns, by the options of a verb."""
    return KnownSets(int(KNOWN_SHARE * options["test_memory"] / BYTES_PER_RESULT))


def run_search(
    kind: type[Result],
    problem: Prepared,
    test: CachedTest,
    options: ConfiguredSearch,
    *,
    listener: Trace,
    required: Collection[str] = (),
    known: KnownSets | None = None,
    warn_of_copies: bool = True,
) -> Result:
    """Search around the problem's target and return a result with names.

    Cancelled it returns the best so far. Warnings are in the result; issuing them is left to the
    caller.
    """
    assert problem.target is not None
    before, started = test.counts, time.perf_counter()
    test.settle()
    known = KnownSets() if known is None else known
    asked = options.asked(problem, test, listener, known, required)
    taken = None if options.apart is None else options.apart.take(asked)
    found, rate = options.searched(asked) if taken is None else taken
    earlier, members = options.earlier, frozenset(found.members)
    if earlier is not None and found.complete and members in earlier:
        same: Result = earlier[members]
        return same
    seconds = time.perf_counter() - started
    run = run_record(problem, test, options, test.counts.since(before), seconds, rate)
    _require_some_answer(test, run.n_rows, problem.target_name)
    copies = near_copy_warnings(kind.what, problem, test, found, run) if warn_of_copies else []
    result = _named(kind, problem, found, run, test, copies)
    if options.explain_all and found.complete:
        screen = screened(problem, test, found, result, options.max_given)
        result = replace(result, screen=screen)
    if earlier is not None and found.complete:
        earlier[members] = result
    return result


def run_record(
    problem: Prepared,
    test: CachedTest,
    options: ConfiguredSearch,
    counts: TestCounts,
    seconds: float,
    rate: Mapping[str, Any] = MappingProxyType({}),
) -> Run:
    """Write down how a search went."""
    said = {"alpha": options.alpha, "max_given": options.max_given, **rate}
    if options.ties != "name":
        said["ties"] = options.ties
    chosen = {"chosen": options.why} if options.why else {}
    return Run.of(
        options.algorithm.name,
        problem.data,
        {**said, **options.params, **test.description, **chosen},
        counts=[counts],
        seconds=seconds,
        random_state=options.random_state,
    )


def summed_run(
    problem: Prepared, test: CachedTest, options: ConfiguredSearch, runs: Sequence[Run]
) -> Run:
    """Write down how the searches around several targets went, all in sum."""
    seconds = sum(run.seconds for run in runs)
    summed = Run.of("", None, {}, counts=runs)
    counts = TestCounts(summed.n_tests, summed.n_repeated, summed.n_skipped, summed.n_evicted)
    return run_record(problem, test, options, counts, seconds)


def _require_some_answer(test: CachedTest, n_rows: int, target: str) -> None:
    # Of all searches that share the test: what one relied on, a later one has from memory.
    if 0 < test.counts.n_tests == test.counts.n_skipped and not test.can_say:
        raise TooFewRowsError(
            f"Not one test has an answer: {n_rows} rows are too few to say anything about "
            f"target {target!r}; collect more rows or merge categories."
        )


def _reservations(what: str, found: Found, run: Run, better: str) -> list[str]:
    """Say in which ways the result claims less than it seems to, and which search would do better.

    ``better`` is the name of one that comes nearer to the truth from few rows, if there is one.
    """
    said = [f"The search was interrupted; this is the best {what} so far."]
    doubts = []
    unconfirmed = found.unconfirmed & set(found.members)
    if unconfirmed:
        doubts.append(
            f"With {run.n_rows} rows, {len(unconfirmed)} of {len(found.members)} members could not "
            "be tested given all the others, because rows are too few or nothing is left to test; "
            "their evidence is the test by which they came in."
        )
    if found.outside is not None and len(found.outside):
        doubts += _doubts_outside(what, found.outside, run)
    if doubts and better:
        way_out = f"; from few rows {better!r} comes nearer to the truth."
        doubts[-1] = doubts[-1].removesuffix(".") + way_out
    return [*([] if found.complete else said), *doubts]


def _doubts_outside(what: str, outside: IndependenceBatch, run: Run) -> list[str]:
    """Say of how many variables outside the last test cannot say.

    One that leaves nothing to test adds nothing to what was found, and needs no warning.
    """
    undecided = ~outside.decided(run.options.get("level", run.options["alpha"])) & (
        outside.allows != Allows.FUNCTION
    )
    if not undecided.any():
        return []
    return [
        f"With {run.n_rows} rows, {np.count_nonzero(undecided)} of {len(outside)} variables "
        f"outside could not be ruled out given the {len(outside.given[0])} found; some may belong "
        f"to the {what}."
    ]


def _named(
    kind: type[Result],
    problem: Prepared,
    found: Found,
    run: Run,
    test: CachedTest,
    said: Sequence[str],
) -> Result:
    """Turn column numbers back into names; evidence is made when somebody looks at it."""
    names = problem.data.names

    def strongest_first(result: IndependenceResult) -> tuple[float, float, str]:
        return (result.log_p, -abs(result.statistic), names[result.x])

    kept = sorted(found.members.values(), key=strongest_first)
    removed = sorted(found.removed.values(), key=strongest_first)
    members = tuple(names[result.x] for result in kept)
    tests = _Tests(names, kept, removed, _near_misses(found, test))
    return kind.with_evidence_of(
        tests.evidence,
        target=problem.target_name,
        members=members,
        run=run,
        parents_children=None
        if found.parents_children is None
        else tuple(names[result.x] for result in kept if result.x in found.parents_children),
        spouses={names[spouse]: names[child] for spouse, child in found.spouses.items()},
        probabilities=_likely_first(found.probabilities, names),
        adjacency=_likely_first(found.adjacency, names),
        warnings=(
            *problem.warnings,
            *test.notes,
            *_reservations(kind.what, found, run, nearer_from_few_rows(run, problem.data, test)),
            *said,
        ),
        complete=found.complete,
    )


def _likely_first(shares: Mapping[int, float], names: tuple[str, ...]) -> dict[str, float]:
    return {names[x]: shares[x] for x in sorted(shares, key=lambda x: (-shares[x], names[x]))}


@dataclass(frozen=True)
class _Tests:
    """The decisive tests of a search, from which evidence can be made."""

    names: tuple[str, ...]
    kept: Sequence[IndependenceResult]
    removed: Sequence[IndependenceResult]
    near_misses: Iterable[IndependenceResult]

    def evidence(self) -> tuple[Evidence, ...]:
        """Put names to the tests."""
        decided: tuple[tuple[Decision, Iterable[IndependenceResult]], ...] = (
            ("kept", self.kept),
            ("removed", self.removed),
            ("not_admitted", self.near_misses),
        )
        return tuple(
            evidence_of(self.names, result, decision)
            for decision, results in decided
            for result in results
        )


def _near_misses(found: Found, test: CachedTest) -> Iterable[IndependenceResult]:
    """Return the strongest tests of those that stayed outside, strongest first."""
    batches = [*found.separated, *([] if found.outside is None else [found.outside])]
    if not batches:
        return ()
    is_decided = np.zeros(test.n_variables, dtype=np.bool_)
    is_decided[[*found.members, *found.removed]] = True
    x = np.concatenate([batch.x for batch in batches])
    values = np.concatenate([batch.values for batch in batches])
    is_near, counts = ~is_decided[x], values[:, ALLOWS] >= Allows.DEPENDENCE
    near = np.flatnonzero(is_near & counts)
    if len(near) > N_NEAR_MISSES:
        # Only those that are not weaker than the last to be reported need be put in order.
        log_p = values[near, LOG_P]
        near = near[log_p <= np.partition(log_p, N_NEAR_MISSES - 1)[N_NEAR_MISSES - 1]]
    else:
        near = np.flatnonzero(is_near)
    of_near = values[near]
    keys = (of_near[:, LOG_P], ~counts[near])
    order = np.lexsort((test.name_rank[x[near]], -np.abs(of_near[:, STATISTIC]), *keys))
    starts = np.cumsum([0, *map(len, batches)])
    chosen = near[order[:N_NEAR_MISSES]]
    of_batch = (np.searchsorted(starts, chosen, side="right") - 1).tolist()
    places = zip(of_batch, (chosen - starts[of_batch]).tolist(), strict=True)
    y = np.concatenate([batch.y for batch in batches])[chosen]
    given = [batches[k].given[i] for k, i in places]
    return IndependenceBatch(x[chosen], y, given, values[chosen])


def evidence_of(names: tuple[str, ...], result: IndependenceResult, decision: Decision) -> Evidence:
    """Put names to a test."""
    return Evidence(
        variable=names[result.x],
        decision=decision,
        given=tuple(names[z] for z in result.given),
        statistic=result.statistic,
        dof=result.dof,
        log_p=result.log_p,
        n_used=result.n_used,
        effect=result.effect,
        allows=_IN_WORDS[result.allows],
    )
