"""What all walks among classes share: the nodes, what is known, and the memory of gains."""

from __future__ import annotations

import math
import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.structure.bit_sets import put, words_for
from eiderdown.structure.class_graph import Known
from eiderdown.structure.gain_table import GainTable

if TYPE_CHECKING:
    from eiderdown.knowledge import ColumnKnowledge
    from eiderdown.scores import LocalScore

_ROUNDING = 1e-12  # a gain below this share of the score is a rounding error


@dataclass(frozen=True, eq=False)
class Ground:
    """The ground on which walks climb.

    Attributes
    ----------
    score : LocalScore
        What they climb on.
    columns : IntArray
        The score's variable for each node; nodes are in the order of names.
    known : Known
        What is allowed.
    required : tuple of (int, int)
        Edges between nodes that must be there.
    gains : GainTable
        The memory.
    lock : threading.Lock
        Whoever holds it may ask the score, which need not be made for threads.
    empty_score : float
        Score of the graph without edges.
    """

    score: LocalScore
    columns: IntArray
    known: Known
    required: tuple[tuple[int, int], ...]
    gains: GainTable
    lock: threading.Lock
    empty_score: float

    @classmethod
    def of(
        cls, score: LocalScore, knowledge: ColumnKnowledge | None, max_parents: int | None
    ) -> Ground:
        """Prepare walks over all variables of a score."""
        n = score.n_variables
        columns = np.argsort(score.name_rank)
        possible = [
            np.flatnonzero(
                columns != column if knowledge is None else knowledge.allowed(column, columns)
            )
            for column in columns.tolist()
        ]
        lock = threading.Lock()
        edges = () if knowledge is None else knowledge.required_edges()
        rank = score.name_rank.tolist()
        required = tuple((rank[parent], rank[child]) for parent, child in edges)
        known = None if knowledge is None else knowledge.max_parents
        limits = [most for most in (max_parents, known) if most is not None]
        return cls(
            score,
            columns,
            _known(possible, required, min(limits, default=n)),
            required,
            GainTable(score, columns, possible, lock),
            lock,
            math.fsum(score.local(column) for column in range(n)),
        )

    def total(self, families: Sequence[Sequence[int]]) -> float:
        """Score a graph by the parents of each of the score's variables."""
        with self.lock:
            return math.fsum(self.score.local(c, family) for c, family in enumerate(families))

    @property
    def hair(self) -> float:
        """A gain up to this is none."""
        return _ROUNDING * max(1.0, abs(self.empty_score))

    def local(self, node: int, parents: Sequence[int]) -> float:
        """Score one node with one set of parents."""
        child, family = int(self.columns[node]), self.columns[list(parents)].tolist()
        with self.lock:
            return self.score.local(child, family)


def _known(possible: Sequence[IntArray], required: Collection[tuple[int, int]], room: int) -> Known:
    n = len(possible)
    allowed, needed = (np.zeros((n, words_for(n)), dtype=np.uint64) for _ in range(2))
    for node, parents in enumerate(possible):
        for parent in parents.tolist():
            put(allowed, node, parent)
    for parent, child in required:
        put(needed, child, parent)
    anything = bool(required) or any(len(parents) < n - 1 for parents in possible)
    return Known(allowed, needed, anything, room)
