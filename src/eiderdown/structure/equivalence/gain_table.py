"""The memory of gains as threads fill it, by asking a score."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from eiderdown.arrays import IntArray, WordArray
from eiderdown.memory import require_memory
from eiderdown.structure.equivalence.cpdag import empty_sets
from eiderdown.structure.equivalence.filling import GainRows, find_lacking, keep
from eiderdown.structure.equivalence.gain_memory import NO_ROW, GainMemory, Requests, publish

if TYPE_CHECKING:
    from eiderdown.scores import LocalScore
    from eiderdown.scores.compiled import KernelScore

MOST_BYTES = 1 << 30
"""When the rows would take more, all are forgotten and the memory begins anew."""

FIRST_ROWS, FIRST_ROWS_EACH = 1_024, 6
"""Room at first, altogether or for each column; what nobody writes to takes no memory."""

SLOTS_PER_ROW = 4

Family: TypeAlias = tuple[int, tuple[int, ...]]
"""A child and its parents, in order."""


class GainTable:
    """Gains by child, parents and one more parent; filled on demand from any thread.

    ``nodes`` are the score's variables, in the order of names, and ``possible``, a plane of bits,
    says by node who may be its parent. An edge costs ``edge_price`` beside what the score says.
    Whoever holds the lock may ask the score; kernels read ``memory``, and ``rows`` are what else
    belongs to it.
    """

    def __init__(
        self,
        score: LocalScore,
        nodes: IntArray,
        possible: WordArray,
        *,
        tolerance: float = 0.0,
        edge_price: float = 0.0,
    ) -> None:
        self._score = score
        self._nodes = nodes
        self._tolerance = tolerance
        self.rows = GainRows(
            nodes,
            possible,
            np.zeros(1, dtype=np.int64),
            np.full(len(nodes), -1, dtype=np.int64),
            score.equivalent,
            edge_price,
        )
        self.lock = threading.Lock()
        # Any fixed seed will do: it decides about collisions of hashes and nothing else.
        self._hashes = np.random.default_rng(4).integers(
            2**64, size=(3, len(nodes)), dtype=np.uint64, endpoint=False
        )
        self._most_rows = max(FIRST_ROWS, MOST_BYTES // (8 * len(nodes)))
        self.n_computed = 0
        self.memory = self._empty(self._first_rows)

    @property
    def kernel_score(self) -> KernelScore | None:
        """The score as kernels take it that fill the memory; None if they do not."""
        return self._score.kernel_score

    def fill(self, requests: Requests) -> None:
        """Compute gains that were missing, unless another thread has computed them meanwhile."""
        with self.lock:
            self.make_room(int(requests.n[0]))
            lacking = find_lacking(self.memory, requests, self.rows)
            n_sweeps, n_scores = len(lacking.sweeps.children), len(lacking.sweeps.candidates)
            scores = self._score.relative_scores(lacking.sweeps) if n_sweeps else np.empty(0)
            keep(self.memory, requests, self.rows, lacking, scores)
            self.n_computed += n_scores - n_sweeps

    @property
    def _first_rows(self) -> int:
        return min(max(FIRST_ROWS, FIRST_ROWS_EACH * len(self._nodes)), self._most_rows)

    def recount(self, n_scored: int, n_sweeps: int) -> None:
        """Count what a kernel has computed with the score."""
        self._score.recount(self._score.counts.n_computed + n_scored)
        self.n_computed += n_scored - n_sweeps

    def _empty(self, n_rows: int) -> GainMemory:
        require_memory(
            8.0 * n_rows * (len(self._nodes) + 4),
            f"What a search from class to class remembers of {len(self._nodes):,} columns",
            "give fewer columns, limit max_parents, or choose mmhc",
        )
        n_slots = 1 << (SLOTS_PER_ROW * n_rows - 1).bit_length()
        return GainMemory(
            np.empty((n_rows, len(self._nodes))),  # written to where rows are made
            np.empty(0, dtype=np.int64),
            empty_sets(2, n_rows, len(self._nodes)),
            np.full((n_slots, 2), NO_ROW),
            self._hashes,
            self._tolerance,
        )

    def make_room(self, n_more: int) -> None:
        """Move to a larger memory, or begin anew; kernels under way read the old one to the end."""
        n_rows = int(self.rows.n[0])
        if n_rows + n_more <= len(self.memory.gains):
            return
        if n_rows + n_more > self._most_rows:
            self.memory = self._empty(max(self._first_rows, n_more))
            self.rows.n[:], self.rows.alone[:] = 0, -1
            return
        old = self.memory
        larger = self._empty(min(2 * max(n_rows, n_more), self._most_rows))
        larger.gains[:n_rows] = old.gains[:n_rows]
        larger.marks[:, :n_rows] = old.marks[:, :n_rows]
        slots = old.slots[old.slots[:, 0] != NO_ROW]
        row, check = np.ascontiguousarray(slots.T)
        publish(larger.slots, check ^ row, row.astype(np.int64))
        self.memory = larger
