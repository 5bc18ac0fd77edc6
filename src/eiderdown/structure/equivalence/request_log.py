"""Requests for gains, written down by a search that goes ahead, so that another can make them, too.

They stand in the order in which they were made, call by call of what answers them. A search whose
memory holds at least as much asks, at the same steps, for those of them that it lacks.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.kernels import kernel
from eiderdown.structure.equivalence.cpdag import BitSets, empty_sets, has_bit
from eiderdown.structure.equivalence.gain_memory import (
    FALLING,
    NEEDED,
    PARENT_SET,
    RISING,
    GainMemory,  # noqa: F401  named in signatures
    Requests,  # noqa: F401
    hash_of_family,
    row_of_hash,
)

N_NOTED, N_CALLS, OVERFULL = range(3)
"""Of ``RequestLog.n``: how many requests there are, of how many calls, and whether some are not."""

_CHILD, _EXTRA, _CALL = range(3)
_KNOWN, _LACKING, _NO_MORE = range(3)
_NONE = np.uint64(0)


class RequestLog(NamedTuple):
    """Room for requests of many calls; without any, nothing is written down."""

    family: Annotated[IntArray, "int64[:, ::1]"]  # child, one more parent or -1, which call
    parents: BitSets  # as in Requests
    n: Annotated[IntArray, "int64[::1]"]  # (3,)

    @classmethod
    def none(cls, n_nodes: int, capacity: int) -> RequestLog:
        """Make room for requests."""
        family = np.empty((capacity, 3), dtype=np.int64)
        return cls(family, empty_sets(2, capacity, n_nodes), np.zeros(3, dtype=np.int64))


@kernel("void(RequestLog, Requests)", inner=True)
def note_requests(log, requests):  # type: ignore[no-untyped-def]
    """Write down the requests of a call."""
    n, n_more = log.n[N_NOTED], requests.n[0]
    # A list that is full lacks requests, perhaps, which the other search makes at the same time.
    if n + n_more > log.family.shape[0] or n_more == requests.family.shape[0]:
        log.n[OVERFULL] = 1
        return
    for i in range(n_more):
        log.family[n + i, _CHILD] = requests.family[i, 0]
        log.family[n + i, _EXTRA] = requests.family[i, 1]
        log.family[n + i, _CALL] = log.n[N_CALLS]
        for plane in range(log.parents.shape[0]):
            for w in range(log.parents.shape[2]):
                log.parents[plane, n + i, w] = requests.parents[plane, i, w]
    log.n[N_NOTED] = n + n_more
    log.n[N_CALLS] += 1


@kernel("int64(GainMemory, uint64[:, :, ::1], RequestLog, int64)", inner=True)
def _is_lacking(memory, possible, log, i):  # type: ignore[no-untyped-def]
    """Say whether a memory lacks what was needed; or that it holds no more than that."""
    child, extra = log.family[i, _CHILD], log.family[i, _EXTRA]
    row = row_of_hash(memory.slots, hash_of_family(memory, child, log.parents, i))
    if row < 0:
        return _LACKING
    if extra >= 0:
        is_marked = has_bit(memory.marks, RISING, row, extra)
        return _KNOWN if is_marked or has_bit(memory.marks, FALLING, row, extra) else _LACKING
    missing = more = _NONE
    for w in range(memory.marks.shape[2]):
        unknown = ~(memory.marks[RISING, row, w] | memory.marks[FALLING, row, w])
        missing |= log.parents[NEEDED, i, w] & unknown
        more |= possible[0, child, w] & ~log.parents[PARENT_SET, i, w] & unknown
    if missing != _NONE:
        return _LACKING
    return _KNOWN if more == _NONE else _NO_MORE


@kernel(
    "int64(RequestLog, UniTuple(int64, 2), GainMemory, uint64[:, :, ::1], Requests)", inner=True
)
def requests_of_call(log, part, memory, possible, requests):  # type: ignore[no-untyped-def]
    """Fill in the requests of one call that a memory lacks; return where to go on.

    -1 if that cannot be told: a row was asked for as a whole of which this memory already held
    what was needed, and no more. From then on the other search knows more, and does not ask.
    """
    i, end = part
    call = log.family[i, _CALL]
    requests.n[0] = 0
    while i < end and log.family[i, _CALL] == call and requests.n[0] < requests.family.shape[0]:
        state = _is_lacking(memory, possible, log, i)
        if state == _NO_MORE:
            return -1
        if state == _LACKING:
            at = requests.n[0]
            requests.family[at, 0] = log.family[i, _CHILD]
            requests.family[at, 1] = log.family[i, _EXTRA]
            for plane in range(log.parents.shape[0]):
                for w in range(log.parents.shape[2]):
                    requests.parents[plane, at, w] = log.parents[plane, i, w]
            requests.n[0] = at + 1
        i += 1
    return i
