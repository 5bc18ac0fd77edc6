"""Searches around many targets at a time, where each of them can stand alone and that pays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

from eiderdown.api.local import ConfiguredSearch, test_of
from eiderdown.boundary.apart import ApartSearch, Others, SearchesApart
from eiderdown.boundary.apart_processes import ProcessesApart
from eiderdown.boundary.apart_threads import ThreadsApart
from eiderdown.boundary.known_sets import KnownSets
from eiderdown.boundary.problem import TestProblem
from eiderdown.data.prepare import Prepared
from eiderdown.forked import can_fork
from eiderdown.independence import CachedTest
from eiderdown.progress import Trace
from eiderdown.registry import Entry
from eiderdown.statistics.cost import PER_SCATTERED_ROW, THREADS_PAY_FROM, Workers

PAYS_FROM = 30 * THREADS_PAY_FROM
"""Nanoseconds of tests given nothing from which on searches run in threads. Of a table as small as
Alarm they are Python for the most part, and threads only hand its lock to each other."""

FORKS_PAY_FROM = 10 * THREADS_PAY_FROM
"""The same of processes, which cost some milliseconds: IAMB around all columns of Alarm takes less
than half of that, and would take a tenth longer with them."""

_COST_OF_VOTES = 10  # times that of tests alone, at least: graphs are learned around each target


def searches_apart(
    prepared: Prepared,
    test: CachedTest,
    search: ConfiguredSearch,
    names: Sequence[str],
    options: Mapping[str, Any],
    listener: Trace,
) -> AbstractContextManager[SearchesApart | None]:
    """Return what searches around targets elsewhere, if that can be done and pays; else None.

    That is in processes, or in threads where none can be forked. Each makes a test of its own, and
    has no answer from a search before it. So tests must be counts of complete rows in memory, which
    are the same from either side to the last bit: others are recalled as they were made first, and
    rounding is another when x and y change places.
    """
    n_threads = min(Workers(options["n_jobs"]).n_jobs, len(names))
    work = len(names) * len(prepared.candidates) * prepared.data.n_rows * PER_SCATTERED_ROW
    if "score" in search.algorithm.needs:
        work *= _COST_OF_VOTES
    forks = can_fork()
    if not (
        search.algorithm.apart
        and n_threads > 1
        and work > (FORKS_PAY_FROM if forks else PAYS_FROM)
        and test.keeps_all_apart
        and isinstance(options["test"], str | Entry)  # not of somebody's own
        and test.counted_table(prepared.columns) is not None
    ):
        return nullcontext()
    in_thread, alone = {**options, "n_jobs": 1}, replace(search, n_jobs=1)

    def ask(target: int, test: CachedTest, known: KnownSets) -> TestProblem:
        around = prepared.around(prepared.data.names[target])
        return alone.asked(around, test, listener, known)

    how = ApartSearch(lambda: test_of(prepared, in_thread), ask, alone.searched)
    others: Others = (ProcessesApart if forks else ThreadsApart)(how, n_threads)
    return SearchesApart(others, [prepared.data.index(name) for name in names])
