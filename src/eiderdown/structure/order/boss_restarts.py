"""BOSS with restarts, which is ours: families are remembered, ties taken by chance, orders shaken.

BOSS ends where no column can be moved. Three things lead on from there:

- growing a column's parents one by one misses sets that an earlier walk has found; they are
  remembered (:mod:`eiderdown.structure.order.grow_shrink_trees`);
- most orders have others that score the same. Columns move among them by chance, and so come to
  places from which another move gains;
- a column and its neighbours in the graph are put anywhere, and the order is improved again.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.options import Option
from eiderdown.progress import Cancelled
from eiderdown.structure.equivalence.search import Priority
from eiderdown.structure.order.boss import BOSS, OrderSearch
from eiderdown.structure.order.moves import Order
from eiderdown.structure.problem import StructureFound, StructureProblem

_DELETES_INSERTS: Priority = (1, 0, -1)
_PATIENCE = 3  # rounds of moves without a gain that end the first search
_MOST_SHAKES, _SHAKES_TIMES_NODES = 200, 20_000  # fewer where each takes long


class _Restarts:
    """The best order so far, and ways on from it."""

    def __init__(self, problem: StructureProblem) -> None:
        self.search = OrderSearch(problem, remembering=True)
        self._generator = problem.generator
        self.best = self.search.first_order()

    def first(self) -> None:
        """Improve the first order: by BOSS, and then with ties by chance."""
        while self.search.improve(self.best, self.best.order.copy()):
            pass
        self._go_on(self.best, patience=_PATIENCE)

    def shake(self) -> None:
        """Put a column and its neighbours anywhere, improve, and keep what is no worse."""
        nodes = self._generator.permutation(self._around(int(self._generator.integers(self.n))))
        moved = self._elsewhere(self.best.order, nodes)
        order = self.search.started(moved)
        order.n_moves[:] = self.best.n_moves
        self._go_on(order, patience=1)
        if self.search.score_of(order) >= self.search.score_of(self.best) - self.search.tolerance:
            self.best = order
        self.best.n_moves[:] = order.n_moves

    @property
    def n(self) -> int:
        """How many variables there are."""
        return self.search.n_nodes

    def _go_on(self, order: Order, *, patience: int) -> None:
        """Move variables, and by chance among equal places, until some rounds gain nothing."""
        best, n_without_gain = -np.inf, 0
        while n_without_gain < patience:
            order.chance[:] = self._generator.random(self.n)
            self.search.improve(order, self._generator.permutation(self.n))
            score = self.search.score_of(order)
            gains = score > best + self.search.tolerance
            n_without_gain = 0 if gains else n_without_gain + 1
            best = max(best, score)

    def _around(self, node: int) -> list[int]:
        """Return a variable with its parents and children, in order."""
        parents = [self.search.trees.parents(leaf) for leaf in self.best.leaf.tolist()]
        children = [child for child, family in enumerate(parents) if node in family]
        return sorted({node, *parents[node], *children})

    def _elsewhere(self, order: IntArray, nodes: IntArray) -> IntArray:
        """Put variables at random places of an order."""
        places: list[int] = order[~np.isin(order, nodes)].tolist()
        for node in nodes.tolist():
            places.insert(int(self._generator.integers(len(places) + 1)), node)
        return np.array(places, dtype=np.int64)


def boss_restarts(
    problem: StructureProblem,
    *,
    shakes: Annotated[
        int | None,
        Option(
            "how often a column and its neighbours are put elsewhere before another search; None "
            "for as many as the number of columns allows",
            at_least=0,
        ),
    ] = None,
) -> StructureFound:
    """Search all orders of the columns by BOSS with restarts."""
    restarts, complete = _Restarts(problem), True
    n_shakes = min(_MOST_SHAKES, _SHAKES_TIMES_NODES // restarts.n) if shakes is None else shakes
    try:
        restarts.first()
        for _ in range(n_shakes):
            restarts.shake()
    except Cancelled:
        complete = False
    # Classes next to the one found, with an edge less or more.
    return restarts.search.finished(restarts.best, _DELETES_INSERTS, complete=complete)


BOSS_RESTARTS = BOSS.variant(
    boss_restarts,
    "BOSS, with families remembered and ties by chance, and again from shaken orders.",
    paper="Eiderdown's own, after Andrews and others 2023",
    random=True,
)
