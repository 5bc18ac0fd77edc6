"""What parents would add to a score: one memory for all runs of a search, in all threads.

A row belongs to a child and a set of parents, and holds for every other node what it would add to
the score as one more parent; NaN where nobody has asked. Rows are found by a hash of the family:
every node has a random 64-bit word, and a set is the exclusive or of its members'. Two of ten
million families share a word with a probability of three in a million.

One thread at a time asks the score, which need not be made for threads. Kernels read while another
thread writes, without a lock. A slot holds the row number and, beside
it, the hash XOR that number, so that a slot that was read half written matches nothing; a row that
is not visible yet reads as NaN. Either way the gain counts as missing and is asked for again.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit

from eiderdown.arrays import FloatArray, IntArray, WordArray
from eiderdown.structure.bit_sets import after

if TYPE_CHECKING:
    from eiderdown.scores import LocalScore

MOST_BYTES = 1 << 30
"""When the rows would take more, all are forgotten and the memory begins anew."""

_FIRST_ROWS = 1_024
_SLOTS_PER_ROW = 4


class Memory(NamedTuple):
    """What kernels read.

    Attributes
    ----------
    gains : FloatArray of shape (rows, nodes)
        What each node would add.
    row : IntArray
        Row number in each slot, -1 for none.
    check : WordArray
        Hash XOR row number.
    word_of_child, word_of_parent : WordArray
        The random words.
    """

    gains: FloatArray
    row: IntArray
    check: WordArray
    word_of_child: WordArray
    word_of_parent: WordArray


@dataclass(frozen=True)
class Missing:
    """A gain that a kernel looked for in vain.

    Attributes
    ----------
    child : int
        The child.
    parents : tuple of int
        Its parents, in order.
    extra : int
        The node that might be one more; -1 for all that may.
    """

    child: int
    parents: tuple[int, ...]
    extra: int


@njit(cache=True, nogil=True)
def hash_of(word_of_child, word_of_parent, child, sets, row):  # type: ignore[no-untyped-def]
    """Return the hash of a child and its parents, a bit set."""
    word = word_of_child[child]
    node = after(sets, row, -1)
    while node >= 0:
        word ^= word_of_parent[node]
        node = after(sets, row, node)
    return word


@njit(cache=True, nogil=True)
def row_of(rows, checks, word):  # type: ignore[no-untyped-def]
    """Return the row of a hash; -1 if there is none."""
    n_slots = rows.shape[0]
    slot = np.int64(word & np.uint64(n_slots - 1))
    while True:
        row = rows[slot]
        if row < 0:
            return -1
        if checks[slot] ^ np.uint64(row) == word:
            return row
        slot = (slot + 1) & (n_slots - 1)


class GainTable:
    """Gains by child, parents and one more parent; filled on demand from any thread.

    Parameters
    ----------
    score : LocalScore
        Where gains come from.
    nodes : IntArray
        The score's variable for each node.
    possible : sequence of IntArray
        For each node, the nodes that may be its parents.
    lock : threading.Lock or None
        Whoever holds it may ask the score; None for a lock of its own.
    """

    def __init__(
        self,
        score: LocalScore,
        nodes: IntArray,
        possible: Sequence[IntArray],
        lock: threading.Lock | None = None,
    ) -> None:
        self._score = score
        self._nodes = nodes
        self._possible = possible
        self._lock = lock or threading.Lock()
        # Any fixed seed will do: it decides about collisions of hashes and nothing else.
        words = np.random.default_rng(4).integers(
            2**64, size=(2, len(nodes)), dtype=np.uint64, endpoint=False
        )
        self._words = (words[0], words[1])
        self._most_rows = max(_FIRST_ROWS, MOST_BYTES // (8 * len(nodes)))
        self.n_computed = 0
        self._n_rows = 0
        self.memory = self._empty(_FIRST_ROWS)

    def fill(self, wanted: Iterable[Missing]) -> None:
        """Compute gains that were missing, unless another thread has computed them meanwhile."""
        for missing in dict.fromkeys(wanted):
            extras = self._extras(missing)
            parents = self._nodes[list(missing.parents)].tolist()
            child = int(self._nodes[missing.child])
            with self._lock:
                word = self._hash(missing.child, missing.parents)
                row = int(row_of(self.memory.row, self.memory.check, word))
                if row < 0 or np.isnan(self.memory.gains[row, extras]).any():
                    gains = self._score.gains(child, parents, self._nodes[extras])
                    self._keep(word, row, extras, gains)

    def _extras(self, missing: Missing) -> IntArray:
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
            _publish(self.memory, word, row)
        self.n_computed += len(gains)

    def _hash(self, child: int, parents: Sequence[int]) -> np.uint64:
        of_child, of_parent = self._words
        return np.uint64(of_child[child] ^ np.bitwise_xor.reduce(of_parent[list(parents)]))

    def _new_row(self) -> int:
        if self._n_rows == len(self.memory.gains):
            self._grow()
        row, self._n_rows = self._n_rows, self._n_rows + 1
        return row

    def _empty(self, n_rows: int) -> Memory:
        n_slots = 1 << (_SLOTS_PER_ROW * n_rows - 1).bit_length()
        return Memory(
            np.full((n_rows, len(self._nodes)), np.nan),
            np.full(n_slots, -1, dtype=np.int64),
            np.zeros(n_slots, dtype=np.uint64),
            *self._words,
        )

    def _grow(self) -> None:
        """Move to a larger memory; kernels under way read the old one to their end."""
        old, n_rows = self.memory, self._n_rows
        if n_rows >= self._most_rows:
            self.memory, self._n_rows = self._empty(_FIRST_ROWS), 0
            return
        slots = np.flatnonzero(old.row >= 0)
        words = old.check[slots] ^ old.row[slots].astype(np.uint64)
        larger = self._empty(min(2 * n_rows, self._most_rows))
        larger.gains[:n_rows] = old.gains
        for word, row in zip(words, old.row[slots].tolist(), strict=True):
            _publish(larger, word, row)
        self.memory = larger


@njit(cache=True, nogil=True)
def _publish(memory, word, row):  # type: ignore[no-untyped-def]
    """Let a row be found."""
    n_slots = memory.row.shape[0]
    slot = np.int64(word & np.uint64(n_slots - 1))
    while memory.row[slot] >= 0:
        slot = (slot + 1) & (n_slots - 1)
    memory.check[slot] = word ^ np.uint64(row)
    memory.row[slot] = row
