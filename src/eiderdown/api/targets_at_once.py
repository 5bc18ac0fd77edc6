"""Searches by parents and children around all columns at once, named when somebody looks at them.

A search around one column of a small table takes some 100 microseconds, and to make objects of it
takes longer: names, evidence, warnings, a record of the run. So all searches are made first, shared
out to threads, and their tests counted in the order of the targets; what was found around a target
is told again, with the same words and numbers, when its result is asked for.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from eiderdown.api.local import (
    named_result,
    require_some_answer,
    run_record,
)
from eiderdown.boundary.ahead import MadeBefore, SearchesAround
from eiderdown.boundary.all_sets import AllSets
from eiderdown.boundary.compiled import CompiledSearch
from eiderdown.boundary.known_sets import KnownSets
from eiderdown.boundary.problem import MARKOV_BOUNDARY
from eiderdown.independence import TestCounts
from eiderdown.progress import Cancelled, Trace
from eiderdown.results import LocalResult, Run
from eiderdown.results.on_demand import ResultsOnDemand

if TYPE_CHECKING:
    from eiderdown.api.boundary import AroundEach

MOST_CELLS = 50_000_000
"""Of a table that results hold on to until they are made."""


@dataclass(frozen=True)
class AllAtOnce:
    """Results by target, and how many tests each search has made."""

    results: Mapping[str, LocalResult]
    counts: Sequence[TestCounts | Run]
    seconds: float

    @classmethod
    def of(cls, results: Mapping[str, LocalResult]) -> AllAtOnce:
        """Gather results that are made."""
        runs = [result.run for result in results.values()]
        return cls(results, runs, sum(run.seconds for run in runs))


def all_at_once(each: AroundEach, names: Sequence[str], shown: Trace) -> AllAtOnce | None:
    """Search around all columns, if that can be done at once; else None."""
    started = time.perf_counter()
    search, prepared = each.search, each.prepared
    if not _can_be(each, names):
        return None
    problem = search.asked(prepared.around(names[0]), each.test, Trace(), each.known)
    assert isinstance(search.algorithm.adjacent, CompiledSearch)
    searches = search.algorithm.adjacent.around_all(problem)
    if searches is None:
        return None
    with suppress(Cancelled):  # those that are done are told
        while searches.n_done < len(names):
            shown.progressed("searching", searches.n_done)
            searches.go_on()
    targets = {prepared.data.index(name): name for name in names}
    with_spouses = search.algorithm.returns == MARKOV_BOUNDARY
    sets = AllSets(searches, problem, search.params["symmetry"], with_spouses=with_spouses)
    counts = sets.counted(list(targets))
    if counts is None:
        return None
    searches.forget_tests()
    _require_some_answers(counts, targets, prepared.data.n_rows)
    maker = _Maker(each, searches, counts, time.perf_counter() - started)
    results = ResultsOnDemand([targets[target] for target in counts], maker.result)
    return AllAtOnce(results, list(counts.values()), maker.seconds)


def _can_be(each: AroundEach, names: Sequence[str]) -> bool:
    """Whether all searches can be made at once, as far as the question goes."""
    search, data = each.search, each.prepared.data
    symmetry = search.params.get("symmetry"), search.params.get("spouse_symmetry", "auto")
    known = [("and", "auto"), ("and", "and")]
    if search.algorithm.returns != MARKOV_BOUNDARY:
        known.append(("none", "auto"))
    return (
        isinstance(search.algorithm.adjacent, CompiledSearch)
        and symmetry in known
        and search.error_rate == "test"
        and len(names) == len(each.prepared.candidates)
        and data.n_rows * data.n_columns <= MOST_CELLS
        and each.test.copies() is None
    )


def _require_some_answers(
    counts: Mapping[int, TestCounts], targets: Mapping[int, str], n_rows: int
) -> None:
    in_all = TestCounts()
    for target, of_target in counts.items():
        in_all = in_all.plus(of_target)
        require_some_answer(in_all, n_rows, targets[target])
        if in_all.n_tests > in_all.n_skipped:
            return


@dataclass(frozen=True)
class _Maker:
    """Makes results of what searches found."""

    each: AroundEach
    searches: SearchesAround
    counts: dict[int, TestCounts]
    seconds: float

    def result(self, name: str) -> LocalResult:
        """Tell what was found around a target, and name it."""
        each = self.each
        problem, test = each.prepared.around(name), each.test.anew()
        assert problem.target is not None
        search = replace(each.search, ahead=MadeBefore(self.searches))
        found, rate = search.searched(search.asked(problem, test, Trace(), KnownSets()))
        counts = self.counts[problem.target]
        seconds = self.seconds * self._share_of(counts)
        run = run_record(problem, test, search, counts, seconds, rate)
        return named_result(each.kind, problem, test, found, run)

    def _share_of(self, counts: TestCounts) -> float:
        """Which share of the time a target has taken, by the questions to the test."""
        n_in_all = sum(one.n_tests + one.n_repeated for one in self.counts.values())
        return (counts.n_tests + counts.n_repeated) / max(1, n_in_all)
