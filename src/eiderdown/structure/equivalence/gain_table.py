"""The memory of gains as threads fill it, by asking a score."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from eiderdown.arrays import IntArray, WordArray
from eiderdown.memory import require_memory
from eiderdown.structure.equivalence.cpdag import empty_sets
from eiderdown.structure.equivalence.filling import GainRows, find_lacking, keep
from eiderdown.structure.equivalence.gain_memory import (
    MOST_REQUESTS,
    NO_ROW,
    GainMemory,
    Requests,
    publish,
)
from eiderdown.structure.equivalence.request_log import RequestLog
from eiderdown.structure.equivalence.scored_filling import fill_by_kernel

if TYPE_CHECKING:
    from eiderdown.scores import LocalScore
    from eiderdown.scores.compiled import KernelScore

MOST_BYTES = 1 << 30
"""When the rows would take more, all are forgotten and the memory begins anew."""

FIRST_ROWS, FIRST_ROWS_EACH = 1_024, 6
"""Room at first, altogether or for each column; what nobody writes to takes no memory."""

SLOTS_PER_ROW = 4

# Of a search that goes ahead: requests altogether, and at once, of so many gains.
_MOST_NOTED, _MOST_AT_ONCE, _GAINS_AT_ONCE = 1 << 15, 1 << 10, 1 << 16


class NotAhead(Exception):  # noqa: N818  no error: the other search does it by itself
    """A search cannot go ahead of another, because kernels do not take its families."""


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
        self.n_forgotten = 0  # how often the memory began anew
        self.beside: GainTable | None = None  # of a search that goes ahead in another thread
        self.n_beside = 0  # how many threads do so at the moment
        self.log = RequestLog.none(len(nodes), 0)
        self._nothing = GainMemory.nothing(len(nodes))
        self.memory = self._empty(self._first_rows)

    @property
    def kernel_score(self) -> KernelScore | None:
        """The score as kernels take it that fill the memory; None if they do not."""
        return self._score.kernel_score

    @property
    def other_memory(self) -> GainMemory:
        """What another thread knows by now."""
        return self._nothing if self.beside is None else self.beside.memory

    @property
    def most_requests(self) -> int:
        """How many gains may be asked for at once."""
        return MOST_REQUESTS

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
            self.n_forgotten += 1
            return
        n_rows = min(2 * max(n_rows, n_more), self._most_rows)
        self.memory = self._copied(self.memory, n_rows)

    def _copied(self, memory: GainMemory, n_rows: int) -> GainMemory:
        """Return the same in a memory of so many rows."""
        larger, n = self._empty(n_rows), int(self.rows.n[0])
        larger.gains[:n] = memory.gains[:n]
        larger.marks[:, :n] = memory.marks[:, :n]
        slots = memory.slots[memory.slots[:, 0] != NO_ROW]
        row, check = np.ascontiguousarray(slots.T)
        publish(larger.slots, check ^ row, row.astype(np.int64))
        return larger


class GainsAhead(GainTable):
    """Gains of a search that goes ahead of another, which counts what both ask for.

    It begins with what the other knows, takes over what that learns meanwhile, and writes down what
    it asks for.
    """

    def __init__(self, of: GainTable, score: KernelScore) -> None:
        super().__init__(
            of._score,
            of._nodes,
            of.rows.possible,
            tolerance=of._tolerance,
            edge_price=of.rows.edge_price,
        )
        self.rows.n[:], self.rows.alone[:] = of.rows.n, of.rows.alone
        self.memory = self._copied(of.memory, len(of.memory.gains))
        self.log = RequestLog.none(len(of.rows.columns), _MOST_NOTED)
        self.beside, self.n_beside, self._kernels = of, 1, score

    @property
    def most_requests(self) -> int:
        """All of a step, which the other search splits in its own way."""
        return max(MOST_REQUESTS, min(_MOST_AT_ONCE, _GAINS_AT_ONCE // len(self._nodes)))

    def recount(self, n_scored: int, n_sweeps: int) -> None:
        """Count nothing."""

    def fill(self, requests: Requests) -> None:
        """Compute gains that are missing, and write down that they were asked for."""
        with self.lock:
            if not fill_by_kernel(self, self._kernels, requests):
                raise NotAhead
