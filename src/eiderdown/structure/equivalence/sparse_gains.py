"""Gains of very many columns: rows that hold only what rises.

Of thousands of columns hardly any would add to the score of a family. A row marks who does and who
does not, two bits each, and holds the gains of those who do: of 10,000 columns a thirtieth of what
a row of all gains takes. What a node that adds nothing would add is asked for one by one, when an
edge is to be deleted or turned: such a gain is a row by itself, under a hash of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray, WordArray
from eiderdown.memory import require_memory
from eiderdown.structure.equivalence import gain_table
from eiderdown.structure.equivalence.cpdag import empty_sets, words_for
from eiderdown.structure.equivalence.gain_memory import (
    FALLING,
    NO_ROW,
    RISING,
    GainMemory,
    MissingGain,
    Requests,
    find_rows,
    publish,
)
from eiderdown.structure.equivalence.gain_table import MOST_BYTES, SLOTS_PER_ROW, GainTable

_FIRST_NUMBERS = 1 << 16
_SWEEPS_AT_ONCE = 64  # whose gains of all columns are held on the way


class SparseGainTable(GainTable):
    """As :class:`GainTable`, for more columns than rows of all gains can hold."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._of_child, self._of_parent, self._of_extra = self._hashes.tolist()
        self._n_numbers = self._n_rows = 0  # so far

    @property
    def kernel_score(self) -> None:
        """Kernels do not fill rows that hold only what rises."""

    def fill(self, requests: Requests) -> None:
        """Compute gains that were missing, unless another thread has computed them meanwhile."""
        asked = list(dict.fromkeys(requests.listed()))
        for start in range(0, len(asked), _SWEEPS_AT_ONCE):
            self._fill_some(asked[start : start + _SWEEPS_AT_ONCE])

    def _fill_some(self, asked: Sequence[MissingGain]) -> None:
        words = np.array([self._hash_of(missing) for missing in asked], dtype=np.uint64)
        rows = np.empty(len(words), dtype=np.int64)
        with self.lock:
            self.make_room(len(words))
            find_rows(self.memory.slots, words, rows)
            new = np.flatnonzero(rows < 0)
            rows[new] = np.arange(self._n_rows, self._n_rows + len(new))
            wanted = [(asked[i], int(rows[i])) for i in new.tolist()]
            candidates = [self._candidates(missing) for missing, _ in wanted]
            sweeps = [
                (self._column(child), self._family(parents), self._nodes[extras])
                for ((child, parents, _), _), extras in zip(wanted, candidates, strict=True)
            ]
            found = self._score.gains_of_all(sweeps)
            for (missing, row), extras, gains in zip(wanted, candidates, found, strict=True):
                self._keep(row, extras, gains - self.rows.edge_price, whole=missing.extra < 0)
                self.n_computed += len(extras)
            self._n_rows += len(new)
            publish(self.memory.slots, words[new], rows[new])

    def _column(self, node: int) -> int:
        return int(self._nodes[node])

    def _family(self, parents: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(self._nodes[list(parents)].tolist())

    def _hash_of(self, missing: MissingGain) -> int:
        word: int = self._of_child[missing.child]
        for parent in missing.parents:
            word ^= self._of_parent[parent]
        return word if missing.extra < 0 else word ^ self._of_extra[missing.extra]

    def _candidates(self, missing: MissingGain) -> IntArray:
        if missing.extra >= 0:
            return np.array([missing.extra], dtype=np.int64)
        words = self.rows.possible[0, missing.child]
        wanted = np.unpackbits(words.view(np.uint8), bitorder="little")
        wanted[list(missing.parents)] = False
        return np.flatnonzero(wanted)

    def _keep(self, row: int, extras: IntArray, gains: FloatArray, *, whole: bool) -> None:
        """Write one row: marks and what rises, or (not whole) one gain, whatever it is."""
        rises = gains > self._tolerance if whole else np.ones(1, dtype=np.bool_)
        end = self._n_numbers + int(np.count_nonzero(rises))
        if end > self.memory.gains.shape[1]:
            more = np.full((1, max(end, 2 * self.memory.gains.shape[1])), np.nan)
            more[:, : self._n_numbers] = self.memory.gains[:, : self._n_numbers]
            self.memory = self.memory._replace(gains=more)
        self.memory.gains[0, self._n_numbers : end] = gains[rises]
        self.memory.start[row] = self._n_numbers
        self._n_numbers = end
        if whole:
            self.memory.marks[RISING, row] = self._bits(extras[rises])
            self.memory.marks[FALLING, row] = self._bits(extras[~rises])

    def _bits(self, nodes: IntArray) -> WordArray:
        members: BoolArray = np.zeros(64 * words_for(len(self._nodes)), dtype=np.bool_)
        members[nodes] = True
        return np.packbits(members, bitorder="little").view(np.uint64)

    @property
    def _first_rows(self) -> int:
        return gain_table.FIRST_ROWS

    @property
    def _bytes_of_row(self) -> int:
        return 16 * words_for(len(self._nodes)) + 8 + 16 * SLOTS_PER_ROW

    def _empty(self, n_rows: int) -> GainMemory:
        n_nodes = len(self._nodes)
        require_memory(
            float(self._bytes_of_row) * n_rows,
            f"What a search from class to class remembers of {n_nodes:,} columns",
            "give fewer columns, limit max_parents, or choose mmhc",
        )
        n_slots = 1 << (SLOTS_PER_ROW * n_rows - 1).bit_length()
        return GainMemory(
            np.full((1, _FIRST_NUMBERS), np.nan),
            np.zeros(n_rows, dtype=np.int64),
            empty_sets(2, n_rows, n_nodes),
            np.full((n_slots, 2), NO_ROW),
            self._hashes,
            self._tolerance,
        )

    def make_room(self, n_more: int) -> None:
        """Move to a larger memory, or begin anew; kernels under way read the old one to the end."""
        n_rows, old = self._n_rows, self.memory
        if n_rows + n_more <= len(old.start):
            return
        most_rows = max(len(self._nodes), MOST_BYTES // self._bytes_of_row)
        if n_rows + n_more > most_rows:
            self.memory, self._n_rows, self._n_numbers = self._empty(max(n_rows, n_more)), 0, 0
            return
        larger = self._empty(min(2 * max(n_rows, n_more), most_rows))
        larger.start[:n_rows] = old.start[:n_rows]
        larger.marks[:, :n_rows] = old.marks[:, :n_rows]
        slots = old.slots[old.slots[:, 0] != NO_ROW]
        row, check = np.ascontiguousarray(slots.T)
        publish(larger.slots, check ^ row, row.astype(np.int64))
        self.memory = larger._replace(gains=old.gains)
