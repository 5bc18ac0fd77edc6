"""What parents would add to a score: one memory for all runs of a search, as kernels read it.

A row belongs to a child and a set of parents, and holds for every other node what it would add to
the score as one more parent; NaN where nobody has asked. Rows are found by a hash of the family:
every node has a random 64-bit word, and a set is the exclusive or of its members'. Two of ten
million families share a word with a probability of three in a million.

One thread at a time asks the score, which need not be made for threads. Kernels read while another
thread writes, without a lock. A slot holds the row number and, beside it, the hash XOR that number,
so that a slot that was read half written matches nothing; a row that is not visible yet reads as
NaN, and so do gains that are not marked yet. Either way the gain counts as missing, and is
requested.

Most nodes would add nothing. Those that do are marked beside the row, so that operators are listed
without a look at the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, NamedTuple

import numpy as np

from eiderdown.arrays import FloatArray, IntArray, WordArray
from eiderdown.kernels import kernel
from eiderdown.machine_functions import popcount
from eiderdown.structure.equivalence.cpdag import (
    BitSets,
    empty_sets,
    has_bit,
    next_bit,
    pairs,
)

RISING, FALLING = 0, 1
"""Planes of ``GainMemory.marks``; a gain in neither is missing."""

PARENT_SET, NEEDED = 0, 1
"""Planes of ``Requests.parents``."""

MOST_REQUESTS = 64
"""At once: of sweeps of all nodes, which are held together."""

NO_ROW = ~np.uint64(0)
_ONE, _NONE = np.uint64(1), np.uint64(0)


class GainMemory(NamedTuple):
    """What kernels read."""

    # (rows, nodes): what each node would add; of sparse rows (1, numbers): what those add that are
    # marked as rising, row after row
    gains: Annotated[FloatArray, "float64[:, ::1]"]
    start: Annotated[IntArray, "int64[::1]"]  # where each sparse row begins; empty if none is
    marks: BitSets  # (2, rows, words): nodes that add to the score, and nodes that do not
    slots: Annotated[WordArray, "uint64[:, ::1]"]  # row (all ones for none), hash XOR row
    # (3, nodes): as a child, as a parent, and as the one parent more of a row with one gain
    hashes: Annotated[WordArray, "uint64[:, ::1]"]
    tolerance: float  # a gain up to this is none

    @classmethod
    def nothing(cls, n_nodes: int) -> GainMemory:
        """Return one that knows nothing."""
        slots, hashes = np.full((1, 2), NO_ROW), np.zeros((3, n_nodes), dtype=np.uint64)
        no_gains, dense = np.empty((0, n_nodes)), np.empty(0, dtype=np.int64)
        return cls(no_gains, dense, empty_sets(2, 0, n_nodes), slots, hashes, 0.0)


class Requests(NamedTuple):
    """Gains that were missing."""

    family: Annotated[IntArray, "int64[:, ::1]"]  # child, and one more parent or -1 for all
    parents: BitSets  # (2, requests, words): the parents; where all are asked for, who is needed
    n: Annotated[IntArray, "int64[::1]"]  # (1,): how many there are

    @classmethod
    def none(cls, n_nodes: int, capacity: int) -> Requests:
        """Make room for requests."""
        family = np.empty((capacity, 2), dtype=np.int64)
        return cls(family, empty_sets(2, capacity, n_nodes), np.zeros(1, dtype=np.int64))

    def listed(self) -> Iterator[MissingGain]:
        """List them."""
        n = int(self.n[0])
        parents: list[list[int]] = [[] for _ in range(n)]
        for i, parent in pairs(self.parents[0, :n]):
            parents[i].append(parent)
        for (child, extra), family in zip(self.family[:n].tolist(), parents, strict=True):
            yield MissingGain(child, tuple(family), extra)


class MissingGain(NamedTuple):
    """One request: child, parents in order, and one more parent or -1 for all that may be."""

    child: int
    parents: tuple[int, ...]
    extra: int


@kernel("uint64(GainMemory, int64, uint64[:, :, ::1], int64)", inner=True)
def hash_of_family(memory, child, sets, row):
    """Return the hash of a child and its parents, a row of plane 0."""
    word = memory.hashes[0, child]
    node = next_bit(sets, 0, row, -1)
    while node >= 0:
        word ^= memory.hashes[1, node]
        node = next_bit(sets, 0, row, node)
    return word


@kernel("float64(GainMemory, int64, int64)", inner=True)
def stored_gain(memory, row, node):
    """Return what a row says that a node adds; NaN if it does not say."""
    if memory.start.shape[0] == 0:
        return memory.gains[row, node]
    if not has_bit(memory.marks, RISING, row, node):
        return np.nan
    before = _NONE
    for w in range(node >> 6):
        before += popcount(memory.marks[RISING, row, w])
    earlier = (_ONE << np.uint64(node & 63)) - _ONE
    before += popcount(memory.marks[RISING, row, node >> 6] & earlier)
    return memory.gains[0, memory.start[row] + np.int64(before)]


@kernel("int64(uint64[:, ::1], uint64)", inner=True)
def row_of_hash(slots, word):
    """Return the row of a hash; -1 if there is none."""
    n_slots = np.uint64(slots.shape[0])
    slot = word & (n_slots - _ONE)
    while True:
        row = slots[slot, 0]
        if row == NO_ROW:
            return -1
        if slots[slot, 1] ^ row == word:
            return np.int64(row)
        slot = (slot + _ONE) & (n_slots - _ONE)


@kernel("void(Requests, int64, uint64[:, :, ::1], UniTuple(int64, 2), int64)", inner=True)
def request(requests, child, sets, rows, extra):
    """Note that a gain is missing, unless the list is full.

    The rows of the sets hold the parents, and whose gains are needed where all are asked for.
    """
    row, needed = rows
    at = requests.n[0]
    if at < requests.family.shape[0]:
        requests.family[at, 0] = child
        requests.family[at, 1] = extra
        for w in range(sets.shape[2]):
            requests.parents[PARENT_SET, at, w] = sets[0, row, w]
            requests.parents[NEEDED, at, w] = sets[0, needed, w]
        requests.n[0] = at + 1


@kernel("float64(GainMemory, Requests, int64, uint64[:, :, ::1], int64, int64)", inner=True)
def gain_of(memory, requests, child, sets, row, extra):
    """Look one gain up; NaN, and a request, if it is missing."""
    word = hash_of_family(memory, child, sets, row)
    at = row_of_hash(memory.slots, word)
    gain = np.nan if at < 0 else stored_gain(memory, at, extra)
    if np.isnan(gain) and memory.start.shape[0] > 0:
        at = row_of_hash(memory.slots, word ^ memory.hashes[2, extra])
        gain = np.nan if at < 0 else memory.gains[0, memory.start[at]]
    if np.isnan(gain):
        request(requests, child, sets, (row, row), extra)
    return gain


def _are_few(_slots: object, words: WordArray, _rows: object) -> bool:
    return len(words) <= 1_000


@kernel("void(uint64[:, ::1], const(uint64[::1]), int64[::1])", small=_are_few)
def find_rows(slots, words, rows):
    """Fill the row of each hash; -1 if there is none."""
    for i in range(words.shape[0]):
        rows[i] = row_of_hash(slots, words[i])


@kernel("void(uint64[:, ::1], uint64, int64)", inner=True)
def publish_one(slots, word, number):
    """Let a row be found."""
    n_slots = np.uint64(slots.shape[0])
    slot, row = word & (n_slots - _ONE), np.uint64(number)
    while slots[slot, 0] != NO_ROW:
        slot = (slot + _ONE) & (n_slots - _ONE)
    slots[slot, 1] = word ^ row
    slots[slot, 0] = row


@kernel("void(uint64[:, ::1], const(uint64[::1]), const(int64[::1]))", small=_are_few)
def publish(slots, words, rows):
    """Let rows be found."""
    for i in range(words.shape[0]):
        publish_one(slots, words[i], rows[i])
