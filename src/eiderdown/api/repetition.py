"""The same search around one target again and again, each time with a seed of its own.

Runs share the tests that they have in common. Forked processes remember for themselves and write
down what they ask; that is retold to one test in the order of the runs
(:mod:`eiderdown.independence.recorded`), so that tests are counted as if the runs had been made one
after the other.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from eiderdown.api.local import ConfiguredSearch, run_record, run_search, test_of
from eiderdown.confidence import RunSeeds
from eiderdown.confidence.forkable import may_fork
from eiderdown.confidence.ordered_runs import Jobs, runs_in_order
from eiderdown.data.prepare import Prepared
from eiderdown.forked import can_fork, is_forked
from eiderdown.independence import CachedTest, TestCounts
from eiderdown.independence.recorded import Asked, RecordedTest, Retelling
from eiderdown.progress import Cancelled, Trace
from eiderdown.results import MarkovBoundary, Run
from eiderdown.statistics.cost import Workers


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
    found: list[MarkovBoundary] = field(default_factory=list)
    complete: bool = True

    @classmethod
    def of(
        cls, problem: Prepared, search: ConfiguredSearch, options: Mapping[str, Any]
    ) -> Repetition:
        """Read the options of a verb."""
        test, n_jobs = test_of(problem, options), Workers(options["n_jobs"]).n_jobs
        if n_jobs > 1 and _can_be_shared(problem, test, search, options):
            test = test_of(problem, {**options, "n_jobs": 1})
        else:
            n_jobs = 1  # of the test's threads there may be more
        required = tuple(options["required"])
        return cls(problem, test, search, required, options["runs"], options["patience"], n_jobs)

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
        for boundary in runs:
            yield boundary
            members = frozenset(boundary.members)
            n_unchanged = n_unchanged + 1 if members in seen else 0
            seen.add(members)
            if n_unchanged == self.patience:
                runs.close()
                return

    def _alone(self, trace: Trace) -> Generator[MarkovBoundary, None, None]:
        for seed in self._seeds:
            yield self._searched(self.test, seed, trace)

    def _shared(self, trace: Trace) -> Generator[MarkovBoundary, None, None]:
        """Share runs with forked processes, and let the test count what each has asked."""
        seeds, recorded = self._seeds, RecordedTest(self.test)
        first: dict[frozenset[str], MarkovBoundary] = {}
        sent: set[frozenset[str]] = set()

        def searched(number: int) -> _Searched:
            boundary = self._searched(recorded, seeds[number], trace)
            members = frozenset(boundary.members)
            is_known = is_forked() and members in sent
            if is_forked():
                sent.add(members)
            return _Searched(members, None if is_known else boundary, recorded.taken())

        retelling = Retelling(self.test)
        jobs = Jobs(self.n_jobs, forks=True, remembering=True)
        with runs_in_order(searched, range(self.n_runs), jobs) as outcomes:
            for _, outcome in outcomes:
                before = self.test.counts
                retelling.tell(outcome.asked)
                if outcome.members not in first:
                    assert outcome.boundary is not None
                    counts = self.test.counts.since(before)
                    first[outcome.members] = _counted(outcome.boundary, counts)
                yield first[outcome.members]

    @property
    def _seeds(self) -> RunSeeds:
        return RunSeeds(self.options.random_state or 0, self.n_runs)

    def _searched(self, test: CachedTest, seed: int, trace: Trace) -> MarkovBoundary:
        boundary = run_search(
            MarkovBoundary,
            self.problem,
            test,
            replace(self.options, random_state=seed),
            listener=trace,
            required=self.required,
            warn_of_copies=False,  # what stands for what is the question here
        )
        if not boundary.complete:
            raise Cancelled
        return boundary


@dataclass(frozen=True)
class _Searched:
    """What a run found and asked; a process sends each boundary once."""

    members: frozenset[str]
    boundary: MarkovBoundary | None
    asked: Asked


def _counted(boundary: MarkovBoundary, counts: TestCounts) -> MarkovBoundary:
    return replace(boundary, run=replace(boundary.run, **vars(counts)))


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
