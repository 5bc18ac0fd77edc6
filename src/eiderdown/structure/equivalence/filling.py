"""From gains that are missing to sweeps of a score, and from its answers to rows of gains.

Requests for the same row are one sweep. If equivalent graphs score the same, a node without parents
gains by another what that one gains by it, and one of the two is computed.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.kernels import kernel
from eiderdown.machine_functions import popcount
from eiderdown.scores.sweeps import PackedSweeps
from eiderdown.structure.equivalence.cpdag import (
    BitSets,
    clear_bit,
    has_bit,
    next_bit,
    set_bit,
    size,
)
from eiderdown.structure.equivalence.gain_memory import (
    FALLING,
    RISING,
    GainMemory,
    Requests,
    hash_of_family,
    publish_one,
    row_of_hash,
)

_ONE, _NONE = np.uint64(1), np.uint64(0)
_FEW = 6_000


class GainRows(NamedTuple):
    """What belongs to a memory of gains, beside what all kernels read."""

    columns: Annotated[IntArray, "int64[::1]"]  # of the score, by node
    possible: BitSets  # (1, nodes, words): by node, who may be its parent
    n: Annotated[IntArray, "int64[::1]"]  # (1,): rows in use
    alone: Annotated[IntArray, "int64[::1]"]  # by node, its row without parents; -1 for none
    mirrored: bool  # whether equivalent graphs score the same
    edge_price: float


class Lacking(NamedTuple):
    """Rows that lack gains, and the sweeps that answer those whose gains no other row tells."""

    rows: Annotated[IntArray, "int64[::1]"]
    request: Annotated[IntArray, "int64[::1]"]  # one that names the child and the parents
    wanted: BitSets  # (1, rows, words): nodes whose gains are computed
    sweeps: PackedSweeps


def _are_few(memory: GainMemory, requests: Requests, *_: object) -> bool:
    return int(requests.n[0]) * int(memory.gains.shape[1]) <= _FEW


@kernel(
    "int64(GainMemory, Requests, GainRows, int64[::1], int64[::1], uint64[:, :, ::1])", inner=True
)
def _find_rows(memory, requests, shared, rows, named_by, wanted):
    """Fill the rows that were asked for, new ones too, and what they lack; return how many."""
    n_rows = 0
    for i in range(requests.n[0]):
        child, extra = requests.family[i, 0], requests.family[i, 1]
        word = hash_of_family(memory, child, requests.parents, i)
        row = row_of_hash(memory.slots, word)
        if row < 0:
            row = shared.n[0]
            shared.n[0] += 1
            for x in range(memory.gains.shape[1]):
                memory.gains[row, x] = np.nan
            publish_one(memory.slots, word, row)
        at = n_rows - 1
        while at >= 0 and rows[at] != row:
            at -= 1
        if at < 0:
            at = n_rows
            n_rows += 1
            rows[at], named_by[at] = row, i
            for w in range(wanted.shape[2]):
                wanted[0, at, w] = _NONE
        if extra >= 0:
            set_bit(wanted, 0, at, extra)
        else:
            for w in range(wanted.shape[2]):
                others = shared.possible[0, child, w] & ~requests.parents[0, i, w]
                wanted[0, at, w] |= others
        for w in range(wanted.shape[2]):
            known = memory.marks[RISING, row, w] | memory.marks[FALLING, row, w]
            wanted[0, at, w] &= ~known
    return n_rows


@kernel(
    "void(GainMemory, Requests, GainRows, int64, int64[::1], int64[::1], uint64[:, :, ::1],"
    " int64[::1])",
    inner=True,
)
def _leave_out_mirrors(memory, requests, shared, n_rows, rows, named_by, wanted, place):
    """Leave out what others tell; place says by node where its row without parents is."""
    for node in range(place.shape[0]):
        place[node] = -1
    for at in range(n_rows):
        if size(requests.parents, 0, named_by[at]) > 0:
            continue
        child = requests.family[named_by[at], 0]
        x = next_bit(wanted, 0, at, -1)
        while x >= 0:
            back = shared.alone[x]
            known = back >= 0 and (
                has_bit(memory.marks, RISING, back, child)
                or has_bit(memory.marks, FALLING, back, child)
            )
            if known or (place[x] >= 0 and has_bit(wanted, 0, place[x], child)):
                clear_bit(wanted, 0, at, x)
            x = next_bit(wanted, 0, at, x)
        shared.alone[child] = rows[at]
        place[child] = at


@kernel("PackedSweeps(Requests, GainRows, int64, int64[::1], uint64[:, :, ::1])")
def _packed(requests, shared, n_rows, named_by, wanted):
    """Make a sweep of each row that lacks something."""
    n_sweeps, n_candidates, most = 0, 0, 0
    for at in range(n_rows):
        n = size(wanted, 0, at)
        if n > 0:
            n_sweeps += 1
            n_candidates += n + 1
            most = max(most, size(requests.parents, 0, named_by[at]))
    children, starts = np.empty(n_sweeps, np.int64), np.empty(n_sweeps, np.int64)
    ends, parents = np.empty(n_sweeps, np.int64), np.empty((n_sweeps, most), np.int64)
    candidates = np.empty(n_candidates, np.int64)
    k, b = 0, 0
    for at in range(n_rows):
        if next_bit(wanted, 0, at, -1) < 0:
            continue
        i, p, z = named_by[at], 0, next_bit(requests.parents, 0, named_by[at], -1)
        children[k], starts[k] = shared.columns[requests.family[i, 0]], b
        while p < most:
            parents[k, p] = shared.columns[z] if z >= 0 else -1
            if z >= 0:
                z = next_bit(requests.parents, 0, i, z)
            p += 1
        candidates[b] = -1
        b += 1
        for w in range(wanted.shape[2]):
            left = wanted[0, at, w]
            while left != _NONE:
                x = (w << 6) + np.int64(popcount(~left & (left - _ONE)))
                candidates[b] = shared.columns[x]
                b += 1
                left &= left - _ONE
        ends[k] = b
        k += 1
    return PackedSweeps(children, parents, starts, ends, candidates)


@kernel(
    "boolean(GainMemory, int64, GainMemory, uint64, uint64[:, :, ::1], int64)",
    inner=True,
)
def _take_row(memory, row, other, word, wanted, at):
    """Take over what is wanted of a row if another memory says all of that.

    Another thread may be writing to the other memory: what can be read is right, or NaN.
    """
    source = row_of_hash(other.slots, word)
    if source < 0:
        return False
    for w in range(wanted.shape[2]):
        known = other.marks[RISING, source, w] | other.marks[FALLING, source, w]
        if wanted[0, at, w] & ~known != _NONE:
            return False
    x = next_bit(wanted, 0, at, -1)
    while x >= 0:
        gain = other.gains[source, x]
        if np.isnan(gain):
            return False
        memory.gains[row, x] = gain
        x = next_bit(wanted, 0, at, x)
    for w in range(wanted.shape[2]):
        for plane in (RISING, FALLING):
            memory.marks[plane, row, w] |= other.marks[plane, source, w] & wanted[0, at, w]
    return True


@kernel("Lacking(GainMemory, Requests, GainRows)", small=_are_few)
def find_lacking(memory, requests, shared):
    """Find what is to be computed; rows that are new have room, and can be found."""
    n_requests, n_words = requests.n[0], requests.parents.shape[2]
    rows, named_by = np.empty(n_requests, np.int64), np.empty(n_requests, np.int64)
    wanted = np.empty((1, n_requests, n_words), np.uint64)
    n = _find_rows(memory, requests, shared, rows, named_by, wanted)
    if shared.mirrored:
        place = np.empty(shared.alone.shape[0], np.int64)
        _leave_out_mirrors(memory, requests, shared, n, rows, named_by, wanted, place)
    sweeps = _packed(requests, shared, n, named_by, wanted)
    return Lacking(rows[:n], named_by[:n], wanted, sweeps)


@kernel("Lacking(GainMemory, Requests, GainRows, Lacking, GainMemory)")
def take_over(memory, requests, shared, lacking, other):
    """Take over what another memory says of rows; return what is still to be computed."""
    wanted, n = lacking.wanted, lacking.rows.shape[0]
    for at in range(n):
        i = lacking.request[at]
        word = hash_of_family(memory, requests.family[i, 0], requests.parents, i)
        if _take_row(memory, lacking.rows[at], other, word, wanted, at):
            for w in range(wanted.shape[2]):
                wanted[0, at, w] = _NONE
    sweeps = _packed(requests, shared, n, lacking.request, wanted)
    return Lacking(lacking.rows, lacking.request, wanted, sweeps)


@kernel("void(GainMemory, int64, int64, float64)", inner=True)
def _write(memory, row, node, gain):
    """Write what a node adds, then mark whether it does."""
    memory.gains[row, node] = gain
    set_bit(memory.marks, RISING if gain > memory.tolerance else FALLING, row, node)


@kernel(
    "int64(GainMemory, Lacking, int64, Tuple((const(float64[::1]), int64)), float64)", inner=True
)
def _keep_row(memory, lacking, at, answers, edge_price):
    """Write one row from the score as it is and those that follow; return where they end."""
    scores, b = answers
    as_it_is, row = scores[b], lacking.rows[at]
    b += 1
    for w in range(lacking.wanted.shape[2]):
        left, rising = lacking.wanted[0, at, w], _NONE
        while left != _NONE:
            x = (w << 6) + np.int64(popcount(~left & (left - _ONE)))
            gain = (scores[b] - as_it_is) - edge_price
            memory.gains[row, x] = gain
            if gain > memory.tolerance:
                rising |= _ONE << np.uint64(x & 63)
            b += 1
            left &= left - _ONE
        memory.marks[RISING, row, w] |= rising
        memory.marks[FALLING, row, w] |= lacking.wanted[0, at, w] & ~rising
    return b


@kernel(
    "void(GainMemory, Requests, GainRows, Lacking, const(float64[::1]))",
    small=_are_few,
)
def keep(memory, requests, shared, lacking, scores):
    """Write what a score answered, as it is and with each candidate, into the rows."""
    b = 0
    for at in range(lacking.rows.shape[0]):
        if next_bit(lacking.wanted, 0, at, -1) < 0:
            continue
        b = _keep_row(memory, lacking, at, (scores, b), shared.edge_price)
    if not shared.mirrored:
        return
    for at in range(lacking.rows.shape[0]):
        row, i = lacking.rows[at], lacking.request[at]
        if size(requests.parents, 0, i) > 0:
            continue
        child = requests.family[i, 0]
        for x in range(shared.alone.shape[0]):
            back = shared.alone[x]
            if back >= 0 and np.isnan(memory.gains[row, x]):
                if not np.isnan(memory.gains[back, child]):
                    _write(memory, row, x, memory.gains[back, child])
            elif back >= 0 and np.isnan(memory.gains[back, child]):
                _write(memory, back, child, memory.gains[row, x])
