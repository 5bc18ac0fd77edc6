"""Searches around many targets at a time, where each of them can stand alone and that pays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from typing import Any

from eiderdown.api.local import ConfiguredSearch, known_sets, test_of
from eiderdown.boundary.apart import ApartSearch, NobodyElse, Others, SearchesApart
from eiderdown.boundary.apart_processes import ProcessesApart
from eiderdown.boundary.apart_threads import ThreadsApart
from eiderdown.boundary.known_sets import KnownSets
from eiderdown.boundary.problem import TestProblem
from eiderdown.data.partitioned import PartitionedDataset
from eiderdown.data.prepare import Prepared
from eiderdown.forked import can_fork
from eiderdown.independence import CachedTest
from eiderdown.progress import Cancelled, Trace
from eiderdown.registry import Entry
from eiderdown.statistics.cost import PER_SCATTERED_ROW, THREADS_PAY_FROM, Workers

PAYS_FROM = 30 * THREADS_PAY_FROM
"""Nanoseconds of tests given nothing from which on searches run in threads. Of a table as small as
Alarm they are Python for the most part, and threads only hand its lock to each other."""

FORKS_PAY_FROM = 10 * THREADS_PAY_FROM
"""The same of processes, which cost some milliseconds: IAMB around all columns of Alarm takes less
than half of that, and would take a tenth longer with them."""

MOST_NUMBERS = 10_000
"""Rows of numbers up to which searches run in processes. With more of them NumPy's linear algebra
takes threads of its own, in every process as many as there are cores, and each spins while it waits
for the others."""

_ROWS_OF_NUMBERS = 5_000
"""A test of numbers, whose correlations are known, costs about as much as one of so many rows."""

_COST_OF_VOTES = 10  # times that of tests alone, at least: graphs are learned around each target


def searches_apart(
    prepared: Prepared,
    test: CachedTest,
    search: ConfiguredSearch,
    names: Sequence[str],
    options: Mapping[str, Any],
    listener: Trace,
) -> AbstractContextManager[SearchesApart | None]:
    """Return searches around targets apart from each other, where that can be done; else None.

    None of them has an answer from one before it, so that they can be made in processes, if that
    pays; counts also in threads, where no process can be forked. Counts of complete rows in memory
    are the same from either side to the last bit, and apart or not makes no difference. Rounding is
    another when x and y change places: so numbers are tested apart for every target even where
    nobody else searches. What several targets ask for is counted once all the same.
    """
    counts = test.counted_table(prepared.columns) is not None
    if not (
        search.algorithm.apart
        and test.keeps_all_apart
        and isinstance(options["test"], str | Entry)  # not of somebody's own
        and (counts or test.inner.goes_by_question)
        and not isinstance(prepared.data, PartitionedDataset)
    ):
        return nullcontext()

    n_threads = min(Workers(options["n_jobs"]).n_jobs, len(names))
    n_rows = prepared.data.n_rows
    work = len(names) * len(prepared.candidates) * PER_SCATTERED_ROW
    work *= n_rows if counts else _ROWS_OF_NUMBERS
    if "score" in search.algorithm.needs:
        work *= _COST_OF_VOTES
    forks = can_fork()
    pays = n_threads > 1 and work > (FORKS_PAY_FROM if forks else PAYS_FROM)
    pays &= counts or (forks and n_rows <= MOST_NUMBERS)
    if counts and not pays:
        return nullcontext()
    of_each = replace(search, n_jobs=1) if pays else search

    def ask(target: int, test: CachedTest, known: KnownSets) -> TestProblem:
        around = prepared.around(prepared.data.names[target])
        return of_each.asked(around, test, listener, known)

    others: Others
    how = ApartSearch(lambda: test, ask, of_each.searched)
    if not pays:
        others = NobodyElse(how, known_sets(options))
    elif counts:
        in_thread = {**options, "n_jobs": 1}
        how = replace(how, make_test=lambda: test_of(prepared, in_thread))
        others = (ProcessesApart if forks else ThreadsApart)(how, n_threads)
    else:
        with suppress(Cancelled):  # the first search will see it
            test.inner.make_ready(prepared.columns, listener)
        others = ProcessesApart(how, n_threads)
    return SearchesApart(others, [prepared.data.index(name) for name in names])
