"""How many tests of searches that were made apart would have been new, one search after the other.

Whether a test is new depends on all searches before, but not on other tests: threads each look at
those whose keys begin with the same bits, in a table of their own.
"""

from __future__ import annotations

import numpy as np

from eiderdown.arrays import IntArray, frozen
from eiderdown.boundary.kernels.around import Log
from eiderdown.independence.kernels.cache import cannot_say
from eiderdown.kernels import kernel
from eiderdown.work_sharing import share, waiting_threads

_N_BITS = 3  # of a key, that say in which part it is


@kernel("void(const(int64[:, ::1]), UniTuple(Log, 2), uint64[:, :, ::1], int64[:, :, ::1], int64)")
def _count_part(segments, logs, tables, counts, part):
    """Count the tests of one part that no segment before has, and those of them that cannot say."""
    keys, of_part = tables[part], np.uint64(part)
    mask = np.uint64(keys.shape[1] - 1)
    for s in range(segments.shape[0]):
        log = logs[segments[s, 0]]
        lane, first = segments[s, 1], segments[s, 2]
        for row in range(first, first + segments[s, 3]):
            key, second = log.keys[lane, 0, row], log.keys[lane, 1, row]
            if key >> np.uint64(64 - _N_BITS) != of_part:
                continue
            slot = (key >> np.uint64(1)) & mask
            while keys[0, slot] != 0 and (keys[0, slot] != key or keys[1, slot] != second):
                slot = (slot + np.uint64(1)) & mask
            if keys[0, slot] == 0:
                keys[0, slot], keys[1, slot] = key, second
                counts[part, s, 0] += 1
                counts[part, s, 1] += cannot_say(log.values[lane, row], 0.0)  # at any level


@kernel(
    "void(int64[::1], const(int64[:, ::1]), UniTuple(Log, 2), uint64[:, :, ::1], int64[:, :, ::1])"
)
def _count_parts(board, segments, logs, tables, counts):
    """Do so for all parts."""
    share(board, tables.shape[0], _count_part, (segments, logs, tables, counts))


def count_firsts(segments: IntArray, logs: tuple[Log, Log], n_jobs: int) -> IntArray:
    """Count the tests of segments that are in none before, and those of them that cannot say.

    Parameters
    ----------
    segments : IntArray of shape (n, 4)
        In which log, in which lane of it, from which row on, and how many tests; in order.
    logs : tuple of Log
        The tests.
    n_jobs : int
        How many threads.
    """
    n_parts = 1 << _N_BITS
    n_slots = 1 << max(10, (2 * int(segments[:, 3].sum()) // n_parts).bit_length())
    tables = np.zeros((n_parts, 2, n_slots), dtype=np.uint64)
    counts = np.zeros((n_parts, len(segments), 2), dtype=np.int64)
    with waiting_threads(n_jobs) as board:
        _count_parts(board, frozen(segments), logs, tables, counts)
    summed: IntArray = counts.sum(axis=0)
    return summed
