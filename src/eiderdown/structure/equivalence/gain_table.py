"""What parents would add to a score: one memory for all runs of a search, in all threads.

A row belongs to a child and a set of parents, and holds for every other node what it would add to
the score as one more parent; NaN where nobody has asked. Rows are found by a hash of the family:
every node has a random 64-bit word, and a set is the exclusive or of its members'. Two of ten
million families share a word with a probability of three in a million.

One thread at a time asks the score, which need not be made for threads. Kernels read while another
thread writes, without a lock. A slot holds the row number and, beside it, the hash XOR that number,
so that a slot that was read half written matches nothing; a row that is not visible yet reads as
NaN. Either way the gain counts as missing, and is requested.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np

from eiderdown.arrays import FloatArray, IntArray, WordArray
from eiderdown.kernels import kernel
from eiderdown.structure.equivalence.cpdag import BitSets, empty_sets, members, next_bit

if TYPE_CHECKING:
    from eiderdown.scores import LocalScore

MOST_BYTES = 1 << 30
"""When the rows would take more, all are forgotten and the memory begins anew."""

_FIRST_ROWS = 1_024
_SLOTS_PER_ROW = 4
_NO_ROW = ~np.uint64(0)
_ONE = np.uint64(1)


class GainMemory(NamedTuple):
    """What kernels read."""

    gains: Annotated[FloatArray, "float64[:, ::1]"]  # (rows, nodes): what each node would add
    slots: Annotated[WordArray, "uint64[:, ::1]"]  # row (all ones for none), hash XOR row
    hashes: Annotated[WordArray, "uint64[:, ::1]"]  # (2, nodes): as a child, and as a parent
    tolerance: float  # a gain up to this is none


class Requests(NamedTuple):
    """Gains that were missing."""

    family: Annotated[IntArray, "int64[:, ::1]"]  # child, and one more parent or -1 for all
    parents: BitSets  # (1, requests, words)
    n: Annotated[IntArray, "int64[::1]"]  # (1,): how many there are

    @classmethod
    def none(cls, n_nodes: int, capacity: int) -> Requests:
        """Make room for requests."""
        family = np.empty((capacity, 2), dtype=np.int64)
        return cls(family, empty_sets(1, capacity, n_nodes), np.zeros(1, dtype=np.int64))

    def listed(self) -> Iterator[MissingGain]:
        """List them."""
        for i in range(int(self.n[0])):
            child, extra = self.family[i].tolist()
            yield MissingGain(child, tuple(members(self.parents[0, i])), extra)


class MissingGain(NamedTuple):
    """One request: child, parents in order, and one more parent or -1 for all that may be."""

    child: int
    parents: tuple[int, ...]
    extra: int


@kernel("int64(GainMemory, int64, uint64[:, :, ::1], int64)", inner=True)
def row_of_family(memory, child, sets, row):
    """Return the row of a child and its parents, a row of plane 0; -1 if there is none."""
    word = memory.hashes[0, child]
    node = next_bit(sets, 0, row, -1)
    while node >= 0:
        word ^= memory.hashes[1, node]
        node = next_bit(sets, 0, row, node)
    return row_of_hash(memory.slots, word)


@kernel("int64(uint64[:, ::1], uint64)")
def row_of_hash(slots, word):
    """Return the row of a hash; -1 if there is none."""
    n_slots = np.uint64(slots.shape[0])
    slot = word & (n_slots - _ONE)
    while True:
        row = slots[slot, 0]
        if row == _NO_ROW:
            return -1
        if slots[slot, 1] ^ row == word:
            return np.int64(row)
        slot = (slot + _ONE) & (n_slots - _ONE)


@kernel("void(Requests, int64, uint64[:, :, ::1], int64, int64)", inner=True)
def request(requests, child, sets, row, extra):
    """Note that a gain is missing, unless the list is full."""
    at = requests.n[0]
    if at < requests.family.shape[0]:
        requests.family[at, 0] = child
        requests.family[at, 1] = extra
        for w in range(sets.shape[2]):
            requests.parents[0, at, w] = sets[0, row, w]
        requests.n[0] = at + 1


@kernel("float64(GainMemory, Requests, int64, uint64[:, :, ::1], int64, int64)", inner=True)
def gain_of(memory, requests, child, sets, row, extra):
    """Look one gain up; NaN, and a request, if it is missing."""
    at = row_of_family(memory, child, sets, row)
    gain = np.nan if at < 0 else memory.gains[at, extra]
    if np.isnan(gain):
        request(requests, child, sets, row, extra)
    return gain


@kernel("void(uint64[:, ::1], uint64, uint64)")
def _publish(slots, word, row):
    """Let a row be found."""
    n_slots = np.uint64(slots.shape[0])
    slot = word & (n_slots - _ONE)
    while slots[slot, 0] != _NO_ROW:
        slot = (slot + _ONE) & (n_slots - _ONE)
    slots[slot, 1] = word ^ row
    slots[slot, 0] = row


class GainTable:
    """Gains by child, parents and one more parent; filled on demand from any thread.

    ``nodes`` are the score's variables, and ``possible`` the possible parents, of each node.
    An edge costs ``edge_price`` beside what the score says.
    Whoever holds the lock may ask the score; kernels read ``memory``.
    """

    def __init__(
        self,
        score: LocalScore,
        nodes: IntArray,
        possible: Sequence[IntArray],
        *,
        tolerance: float = 0.0,
        edge_price: float = 0.0,
    ) -> None:
        self._score = score
        self._nodes = nodes
        self._possible = possible
        self._tolerance = tolerance
        self._edge_price = edge_price
        self.lock = threading.Lock()
        # Any fixed seed will do: it decides about collisions of hashes and nothing else.
        self._hashes = np.random.default_rng(4).integers(
            2**64, size=(2, len(nodes)), dtype=np.uint64, endpoint=False
        )
        self._most_rows = max(_FIRST_ROWS, MOST_BYTES // (8 * len(nodes)))
        self.n_computed = 0
        self._n_rows = 0
        self.memory = self._empty(_FIRST_ROWS)

    def fill(self, requests: Iterable[MissingGain]) -> None:
        """Compute gains that were missing, unless another thread has computed them meanwhile."""
        for missing in dict.fromkeys(requests):
            extras = self._extras(missing)
            parents = self._nodes[list(missing.parents)].tolist()
            child = int(self._nodes[missing.child])
            with self.lock:
                word = self._hash(missing.child, missing.parents)
                row = int(row_of_hash(self.memory.slots, word))
                if row < 0 or np.isnan(self.memory.gains[row, extras]).any():
                    gains = self._score.gains(child, parents, self._nodes[extras])
                    gains = gains - self._edge_price
                    self._keep(word, row, extras, gains)

    def _extras(self, missing: MissingGain) -> IntArray:
        if missing.extra >= 0:
            return np.array([missing.extra], dtype=np.int64)
        possible = self._possible[missing.child]
        return possible[~np.isin(possible, missing.parents)] if missing.parents else possible

    def _keep(self, word: np.uint64, row: int, extras: IntArray, gains: FloatArray) -> None:
        if row >= 0:
            self.memory.gains[row, extras] = gains
        else:
            row = self._new_row()
            self.memory.gains[row, extras] = gains
            _publish(self.memory.slots, word, np.uint64(row))
        self.n_computed += len(gains)

    def _hash(self, child: int, parents: Sequence[int]) -> np.uint64:
        of_child, of_parent = self._hashes
        return np.uint64(of_child[child] ^ np.bitwise_xor.reduce(of_parent[list(parents)]))

    def _new_row(self) -> int:
        if self._n_rows == len(self.memory.gains):
            self._grow()
        row, self._n_rows = self._n_rows, self._n_rows + 1
        return row

    def _empty(self, n_rows: int) -> GainMemory:
        n_slots = 1 << (_SLOTS_PER_ROW * n_rows - 1).bit_length()
        return GainMemory(
            np.full((n_rows, len(self._nodes)), np.nan),
            np.full((n_slots, 2), _NO_ROW),
            self._hashes,
            self._tolerance,
        )

    def _grow(self) -> None:
        """Move to a larger memory; kernels under way read the old one to their end."""
        old, n_rows = self.memory, self._n_rows
        if n_rows >= self._most_rows:
            self.memory, self._n_rows = self._empty(_FIRST_ROWS), 0
            return
        larger = self._empty(min(2 * n_rows, self._most_rows))
        larger.gains[:n_rows] = old.gains
        for row, check in old.slots[old.slots[:, 0] != _NO_ROW]:
            _publish(larger.slots, check ^ row, row)
        self.memory = larger
