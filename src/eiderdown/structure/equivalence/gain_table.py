"""What parents would add to a score: one memory for all runs of a search, in all threads.

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

import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple, TypeAlias

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray, WordArray
from eiderdown.kernels import kernel
from eiderdown.machine_functions import popcount
from eiderdown.memory import require_memory
from eiderdown.structure.equivalence.cpdag import (
    BitSets,
    empty_sets,
    has_bit,
    next_bit,
    pairs,
    set_bit,
)

if TYPE_CHECKING:
    from eiderdown.scores import LocalScore

RISING, FALLING = 0, 1
"""Planes of ``GainMemory.marks``; a gain in neither is missing."""

MOST_BYTES = 1 << 30
"""When the rows would take more, all are forgotten and the memory begins anew."""

_FIRST_ROWS = 1_024
SLOTS_PER_ROW = 4
NO_ROW = ~np.uint64(0)
_ONE, _NONE = np.uint64(1), np.uint64(0)


Family: TypeAlias = tuple[int, tuple[int, ...]]
"""A child and its parents, in order."""


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
    word = hash_of_family(memory, child, sets, row)
    at = row_of_hash(memory.slots, word)
    gain = np.nan if at < 0 else stored_gain(memory, at, extra)
    if np.isnan(gain) and memory.start.shape[0] > 0:
        at = row_of_hash(memory.slots, word ^ memory.hashes[2, extra])
        gain = np.nan if at < 0 else memory.gains[0, memory.start[at]]
    if np.isnan(gain):
        request(requests, child, sets, row, extra)
    return gain


def _are_few(_slots: object, words: WordArray, _rows: object) -> bool:
    return len(words) <= 1_000


@kernel("void(uint64[:, ::1], const(uint64[::1]), int64[::1])", small=_are_few)
def find_rows(slots, words, rows):
    """Fill the row of each hash; -1 if there is none."""
    for i in range(words.shape[0]):
        rows[i] = row_of_hash(slots, words[i])


@kernel("void(uint64[:, ::1], const(uint64[::1]), const(int64[::1]))", small=_are_few)
def publish(slots, words, rows):
    """Let rows be found."""
    n_slots = np.uint64(slots.shape[0])
    for i in range(words.shape[0]):
        slot, row = words[i] & (n_slots - _ONE), np.uint64(rows[i])
        while slots[slot, 0] != NO_ROW:
            slot = (slot + _ONE) & (n_slots - _ONE)
        slots[slot, 1] = words[i] ^ row
        slots[slot, 0] = row


@kernel("void(GainMemory, const(int64[::1]))", small=lambda _, rows: len(rows) <= 100)
def _mark(memory, rows):
    """Mark which nodes of some rows add to the score, and which do not."""
    for i in range(rows.shape[0]):
        row = rows[i]
        for x in range(memory.gains.shape[1]):
            if memory.gains[row, x] > memory.tolerance:
                set_bit(memory.marks, RISING, row, x)
            elif not np.isnan(memory.gains[row, x]):
                set_bit(memory.marks, FALLING, row, x)


class GainTable:
    """Gains by child, parents and one more parent; filled on demand from any thread.

    ``nodes`` are the score's variables, in the order of names, and ``possible`` says by node who
    may be its parent. An edge costs ``edge_price`` beside what the score says. Whoever holds the
    lock may ask the score; kernels read ``memory``.
    """

    def __init__(
        self,
        score: LocalScore,
        nodes: IntArray,
        possible: BoolArray,
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
            2**64, size=(3, len(nodes)), dtype=np.uint64, endpoint=False
        )
        self._of_child, self._of_parent, self._of_extra = self._hashes.tolist()
        self._most_rows = max(_FIRST_ROWS, MOST_BYTES // (8 * len(nodes)))
        self.n_computed = 0
        self._n_rows = 0
        self._alone = np.full(len(nodes), -1, dtype=np.int64)  # rows of nodes without parents
        self.memory = self._empty(_FIRST_ROWS)

    def fill(self, requests: Iterable[MissingGain]) -> None:
        """Compute gains that were missing, unless another thread has computed them meanwhile."""
        extras: dict[Family, set[int]] = {}
        for missing in requests:
            extras.setdefault((missing.child, missing.parents), set()).add(missing.extra)
        words = np.array([self._hash(*family) for family in extras], dtype=np.uint64)
        rows = np.empty(len(words), dtype=np.int64)
        with self.lock:
            self._make_room(len(words))
            find_rows(self.memory.slots, words, rows)
            lacking = [
                self._lacking(family, wanted, row)
                for (family, wanted), row in zip(extras.items(), rows.tolist(), strict=True)
            ]
            new = np.flatnonzero(rows < 0)
            rows[new] = np.arange(self._n_rows, self._n_rows + len(new))
            self._n_rows += len(new)
            if self._score.equivalent and not all(parents for _, parents in extras):
                lacking = self._without_mirrors(extras, rows.tolist(), lacking)
                self._compute(extras, rows.tolist(), lacking)
                rows_changed = np.union1d(rows, self._mirror())
            else:
                self._compute(extras, rows.tolist(), lacking)
                rows_changed = rows
            _mark(self.memory, rows_changed)
            publish(self.memory.slots, words[new], rows[new])

    def _lacking(self, family: Family, extras: set[int], row: int) -> IntArray:
        """Return the nodes whose gains are still missing in a row."""
        child, parents = family
        if -1 in extras:
            wanted = self._possible[child].copy()
            wanted[list(parents)] = False
        else:
            wanted = np.zeros(len(self._nodes), dtype=np.bool_)
            wanted[list(extras)] = True
        if row >= 0:
            wanted &= np.isnan(self.memory.gains[row])
        return np.flatnonzero(wanted)

    def _compute(
        self, families: Iterable[Family], rows: Sequence[int], lacking: Sequence[IntArray]
    ) -> None:
        """Ask the score, all at once, and write the answers into the rows."""
        gains, sweeps, where = self.memory.gains, [], []
        for (child, parents), row, extras in zip(families, rows, lacking, strict=True):
            if len(extras):
                family = tuple(self._nodes[list(parents)].tolist())
                sweeps.append((int(self._nodes[child]), family, self._nodes[extras]))
                where.append((row, extras))
        for (row, extras), found in zip(where, self._score.gains_of_all(sweeps), strict=True):
            gains[row, extras] = found - self._edge_price
            self.n_computed += len(extras)

    def _without_mirrors(
        self, families: Iterable[Family], rows: Sequence[int], lacking: Sequence[IntArray]
    ) -> list[IntArray]:
        """Leave out what others tell: without parents X adds to Y what Y adds to X."""
        coming = np.zeros((len(self._nodes), len(self._nodes)), dtype=np.bool_)
        left = []
        for (child, parents), row, extras in zip(families, rows, lacking, strict=True):
            new = extras
            if not parents:
                back = self._alone[extras]
                known = (back >= 0) & ~np.isnan(self.memory.gains[back, child])
                new = extras[~(known | coming[extras, child])]
                coming[child, new] = True
                self._alone[child] = row
            left.append(new)
        return left

    def _mirror(self) -> IntArray:
        """Copy gains of nodes without parents from the rows of the others; return all the rows."""
        known = np.flatnonzero(self._alone >= 0)
        square = np.ix_(self._alone[known], known)
        gains = self.memory.gains[square]
        self.memory.gains[square] = np.where(np.isnan(gains), gains.T, gains)
        return self._alone[known]

    def _hash(self, child: int, parents: Sequence[int]) -> int:
        word: int = self._of_child[child]
        for parent in parents:
            word ^= self._of_parent[parent]
        return word

    def _empty(self, n_rows: int) -> GainMemory:
        require_memory(
            8.0 * n_rows * (len(self._nodes) + 4),
            f"What a search from class to class remembers of {len(self._nodes):,} columns",
            "give fewer columns, limit max_parents, or choose mmhc",
        )
        n_slots = 1 << (SLOTS_PER_ROW * n_rows - 1).bit_length()
        return GainMemory(
            np.full((n_rows, len(self._nodes)), np.nan),
            np.empty(0, dtype=np.int64),
            empty_sets(2, n_rows, len(self._nodes)),
            np.full((n_slots, 2), NO_ROW),
            self._hashes,
            self._tolerance,
        )

    def _make_room(self, n_more: int) -> None:
        """Move to a larger memory, or begin anew; kernels under way read the old one to the end."""
        n_rows = self._n_rows
        if n_rows + n_more <= len(self.memory.gains):
            return
        if n_rows + n_more > self._most_rows:
            self.memory, self._n_rows = self._empty(max(_FIRST_ROWS, n_more)), 0
            self._alone[:] = -1
            return
        old = self.memory
        larger = self._empty(min(2 * max(n_rows, n_more), self._most_rows))
        larger.gains[:n_rows] = old.gains[:n_rows]
        larger.marks[:, :n_rows] = old.marks[:, :n_rows]
        slots = old.slots[old.slots[:, 0] != NO_ROW]
        row, check = np.ascontiguousarray(slots.T)
        publish(larger.slots, check ^ row, row.astype(np.int64))
        self.memory = larger
