"""The same search around one target again and again, each time with a seed of its own.

Most runs of KIAMB come by nothing new, and compiled code makes hundreds of them in a millisecond
(:mod:`eiderdown.boundary.known_runs`); only the others are searched. Where that cannot be, runs are
shared out.

Runs share the tests that they have in common. Forked processes remember for themselves and write
down what they ask; that is retold to one test in the order of the runs
(:mod:`eiderdown.independence.recorded`), so that tests are counted as if the runs had been made one
after the other.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from eiderdown.api.local import ConfiguredSearch, run_record, run_search, test_of
from eiderdown.arrays import IntArray
from eiderdown.boundary import kiamb
from eiderdown.boundary.known_runs import MOST_AT_ONCE, Ended, KnownRuns
from eiderdown.boundary.known_sets import KnownSets
from eiderdown.boundary.known_steps import KnownSteps
from eiderdown.confidence import RunSeeds
from eiderdown.confidence.forkable import may_fork
from eiderdown.confidence.ordered_runs import Jobs, runs_in_order
from eiderdown.data.prepare import Prepared
from eiderdown.forked import can_fork, is_forked
from eiderdown.independence import CachedTest, TestCounts
from eiderdown.independence.recorded import Asked, New, RecordedTest, n_of, take_over
from eiderdown.progress import Cancelled, Trace
from eiderdown.results import MarkovBoundary, Run
from eiderdown.statistics.cost import Workers

_Searched: TypeAlias = tuple[tuple[str, ...], MarkovBoundary | None, Asked]
"""The members that a run found, the boundary if its process has not sent it yet, and what it asked.
It is a plain tuple, which is pickled in a tenth of the time."""


@dataclass(eq=False)
class Repetition:
    """Repeated searches, and what they found.

    Attributes
    ----------
    problem, test, options, required
        What is searched, and how.
    n_runs, patience : int
        How often; how often without that anything new is found, or None.
    n_jobs : int
        By how many; more than one only where runs can be shared.
    knows_runs : bool
        Whether runs that come by nothing new are made without a search.
    found : list of MarkovBoundary
        A boundary for each run, in their order; one that was found before may stand for itself.
    complete : bool
        False after a cancellation.
    """

    problem: Prepared
    test: CachedTest
    options: ConfiguredSearch
    required: tuple[str, ...]
    n_runs: int
    patience: int | None
    n_jobs: int = 1
    knows_runs: bool = False
    found: list[MarkovBoundary] = field(default_factory=list)
    complete: bool = True

    @classmethod
    def of(
        cls, problem: Prepared, search: ConfiguredSearch, options: Mapping[str, Any]
    ) -> Repetition:
        """Read the options of a verb."""
        test, n_jobs = test_of(problem, options), Workers(options["n_jobs"]).n_jobs
        required, n_runs, patience = (
            tuple(options["required"]),
            options["runs"],
            options["patience"],
        )
        knows_runs = _can_be_known(test, search) and KnownRuns.pay(n_runs)
        if n_jobs > 1 and not knows_runs and _can_be_shared(problem, test, search, options):
            test = test_of(problem, {**options, "n_jobs": 1})
        else:
            n_jobs = 1  # of the test's threads there may be more
        return cls(problem, test, search, required, n_runs, patience, n_jobs, knows_runs)

    def search(self, shown: Trace) -> Run:
        """Search until all runs are made, patience ends, or Ctrl-C; return the record."""
        started = time.perf_counter()
        try:
            for boundary in self._patiently(shown.silent()):
                self.found.append(boundary)
                shown.progressed("searching", len(self.found))
        except Cancelled:
            self.complete = False
        seconds = time.perf_counter() - started
        run = run_record(self.problem, self.test, self.options, self.test.counts, seconds)
        return replace(run, options={**run.options, "runs": self.n_runs, "patience": self.patience})

    def _patiently(self, trace: Trace) -> Iterator[MarkovBoundary]:
        seen: set[frozenset[str]] = set()
        n_unchanged = 0
        runs = self._alone(trace) if self.n_jobs == 1 else self._shared(trace)
        if self.patience is None:
            yield from runs
            return
        for boundary in runs:
            yield boundary
            members = frozenset(boundary.members)
            n_unchanged = n_unchanged + 1 if members in seen else 0
            seen.add(members)
            if n_unchanged == self.patience:
                runs.close()
                return

    def _alone(self, trace: Trace, begin: int = 0) -> Generator[MarkovBoundary, None, None]:
        searches, number = _Searches(self, self.test, trace), begin
        while number < self.n_runs:
            for boundary, n_repeated in searches.known(number):
                self.test.count_repeated(n_repeated)
                yield boundary
                number += 1
            if number < self.n_runs:
                yield searches.boundary(number)
                number += 1

    def _shared(self, trace: Trace) -> Generator[MarkovBoundary, None, None]:
        """Share runs with forked processes, and let the test count what each has asked."""
        searches = _RecordedSearches(self, trace)
        first: dict[frozenset[str], MarkovBoundary] = {}
        jobs = Jobs(self.n_jobs, forks=True, remembering=True)
        with runs_in_order(searches.outcome, range(self.n_runs), jobs) as outcomes:
            for number, outcome in outcomes:  # noqa: B007  is used behind the loop
                names, boundary, (n_repeated, new) = outcome
                members = frozenset(names)
                if new is None and members in first:
                    self.test.count_repeated(n_repeated)
                    yield first[members]
                    continue
                if not self.test.has_room(n_of(new)):
                    break
                before = self.test.counts
                self.test.count_repeated(n_repeated)
                take_over(self.test, new)
                searches.learn(new)
                if members not in first:
                    assert boundary is not None
                    first[members] = _counted(boundary, self.test.counts.since(before))
                yield first[members]
            else:
                return
        # What is forgotten, and when, follows from the order of all questions.
        yield from self._alone(trace, number)


class _Searches:
    """Runs in one process, which know what earlier ones asked and found."""

    def __init__(self, repetition: Repetition, test: CachedTest, trace: Trace) -> None:
        self._repetition, self._test, self._trace = repetition, test, trace
        self._seeds = RunSeeds(repetition.options.random_state or 0, repetition.n_runs)
        steps = KnownSteps(test) if _keeps_steps(test, repetition.options) else None
        self._options = replace(repetition.options, steps=steps, earlier={})
        self._known = self._known_runs() if repetition.knows_runs else None
        self._first, self._some_seeds = 0, np.empty(0, dtype=np.int64)

    def _known_runs(self) -> KnownRuns[MarkovBoundary]:
        repetition, options = self._repetition, self._options
        asked = options.asked(
            repetition.problem, self._test, self._trace, KnownSets(), repetition.required
        )
        assert options.earlier is not None
        return KnownRuns(asked, options.params["fraction"], options.earlier)

    def known(self, number: int) -> Ended[MarkovBoundary]:
        """Make runs from a number on, up to the first that has to be searched, or some hundreds."""
        if self._known is None:
            return []
        self._test.settle()  # as every search does at first
        if self._test.forgets:
            return []
        return self._known.made(self._seeds_from(number))

    def _seeds_from(self, number: int) -> IntArray:
        """Return the seeds of some runs, the same ones for neighbouring numbers."""
        first = number - number % MOST_AT_ONCE
        if first != self._first or not len(self._some_seeds):
            last = min(first + MOST_AT_ONCE, self._repetition.n_runs)
            self._first = first
            self._some_seeds = np.array([self._seeds[i] for i in range(first, last)])
        return self._some_seeds[number - first :]

    def boundary(self, number: int) -> MarkovBoundary:
        """Search; a boundary that was found before stands for itself."""
        boundary = run_search(
            MarkovBoundary,
            self._repetition.problem,
            self._test,
            replace(self._options, random_state=self._seeds[number]),
            listener=self._trace,
            required=self._repetition.required,
            warn_of_copies=False,  # what stands for what is the question here
        )
        if not boundary.complete:
            raise Cancelled
        return boundary


class _RecordedSearches:
    """Runs in one process, this one or a forked one, that are retold in their order."""

    def __init__(self, repetition: Repetition, trace: Trace) -> None:
        self._repetition, self._trace = repetition, trace
        self._begin()

    def _begin(self) -> None:
        self._last, self._sent = -1, set[int]()
        self._test = RecordedTest(self._repetition.test)
        self._searches = _Searches(self._repetition, self._test, self._trace)

    def outcome(self, number: int) -> _Searched:
        """Make a run; one after later ones, in the place of a lost process, knows nothing."""
        if number < self._last:
            self._begin()
        self._last = number
        boundary = self._searches.boundary(number)
        is_sent = is_forked() and id(boundary) in self._sent
        if is_forked():
            self._sent.add(id(boundary))
        return boundary.members, None if is_sent else boundary, self._test.taken()

    def learn(self, new: New) -> None:
        """Take over tests of another process; that they are asked for here is new all the same."""
        take_over(self._test, new)


def _counted(boundary: MarkovBoundary, counts: TestCounts) -> MarkovBoundary:
    return replace(boundary, run=replace(boundary.run, **vars(counts)))


def _keeps_steps(test: CachedTest, search: ConfiguredSearch) -> bool:
    """Whether what a search does next depends on nothing but the members, and chance."""
    return search.ties == "name" and test.keeps_all_apart


def _can_be_known(test: CachedTest, search: ConfiguredSearch) -> bool:
    """Whether runs can be followed along known steps."""
    return (
        search.algorithm.function is kiamb
        and search.error_rate == "test"
        and _keeps_steps(test, search)
    )


def _can_be_shared(
    problem: Prepared, test: CachedTest, search: ConfiguredSearch, options: Mapping[str, Any]
) -> bool:
    """Whether forked processes may make runs, each with what it remembers of tests.

    The search must ask for nothing but sweeps, and tests must be counts, which are the same to the
    last bit whatever else is asked with them.
    """
    return (
        search.algorithm.random
        and search.algorithm.apart
        and can_fork()
        and may_fork(problem.data, options)
        and test.keeps_all_apart
        and test.counted_table(problem.columns) is not None
    )
