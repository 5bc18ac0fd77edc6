"""Searches around many targets in threads, where each of them can stand alone and that pays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

from eiderdown.api.local import ConfiguredSearch, test_of
from eiderdown.boundary.apart import ApartSearch, SearchesApart
from eiderdown.boundary.known_sets import KnownSets
from eiderdown.boundary.problem import TestProblem
from eiderdown.data.prepare import Prepared
from eiderdown.independence import CachedTest
from eiderdown.progress import Trace
from eiderdown.registry import Entry
from eiderdown.statistics.cost import PER_SCATTERED_ROW, THREADS_PAY_FROM, Workers

PAYS_FROM = 30 * THREADS_PAY_FROM
"""Nanoseconds of tests given nothing from which on searches run in threads. Of a table as small as
Alarm they are Python for the most part, and threads only hand its lock to each other."""


def searches_apart(
    prepared: Prepared,
    test: CachedTest,
    search: ConfiguredSearch,
    names: Sequence[str],
    options: Mapping[str, Any],
    listener: Trace,
) -> AbstractContextManager[SearchesApart | None]:
    """Return what searches around targets in threads, if that can be done and pays; else None.

    Each thread makes a test of its own, and has no answer from a search before it. So tests must be
    counts of complete rows in memory, which are the same from either side to the last bit: others
    are recalled as they were made first, and rounding is another when x and y change places.
    """
    n_threads = min(Workers(options["n_jobs"]).n_jobs, len(names))
    work = len(names) * len(prepared.candidates) * prepared.data.n_rows * PER_SCATTERED_ROW
    if not (
        search.algorithm.apart
        and n_threads > 1
        and work > PAYS_FROM
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
    return SearchesApart(how, [prepared.data.index(name) for name in names], n_threads)
