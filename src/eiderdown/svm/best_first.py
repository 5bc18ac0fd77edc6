"""The exact search: best first on a bound, until nothing unseen can be larger.

Beyond the thesis. A node is a prefix of variables at one level; its bound says how large the weight
of any feature below it can be at most. The node with the largest bound is opened: its features are
built if that is cheaper than bounding its children, otherwise the children wait in its place. When
the last of the top features is at least as large as every bound, the answer is proven; stopped
before, the search still says how much larger an unseen weight could be.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray
from eiderdown.svm.enumeration import BudgetReached, Builder
from eiderdown.svm.families import Prefix, column_products
from eiderdown.svm.pool import Stop, TopFeatures


@dataclass(order=True)
class _Node:
    """Features of a level below a prefix; the largest bound comes first."""

    key: tuple[float, int, Prefix]
    others: IntArray = field(compare=False)

    @property
    def bound(self) -> float:
        return -self.key[0]


class BestFirst:
    """One search.

    Parameters
    ----------
    builder : Builder
        Builds features of the family, and keeps the best.
    """

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._family = builder.family
        self._model = builder.family.model
        levels = range(1, self._model.degree + 1)
        bounds = [self._family.bounds((), level, self._model.alphas) for level in levels]
        self._bounds: FloatArray = np.stack(bounds)
        self._open: BoolArray = np.ones(self._bounds.shape, dtype=bool)
        self._tops = [float(row.max(initial=0.0)) for row in self._bounds]
        self._nodes: list[_Node] = []

    def run(self) -> TopFeatures:
        """Search until the answer is proven or the budget is used up."""
        stopped: Stop | None = None
        try:
            while self.unseen > self._builder.pool.least:
                self._open_largest()
        except BudgetReached as stop:
            stopped = stop.reason
        except KeyboardInterrupt:
            stopped = "interrupted"
        pool = self._builder.pool
        unseen = 0.0 if pool.n_built >= self.n_total else self.unseen
        return pool.result("exact", self.n_total, unseen, stopped, self._builder.budget.seconds)

    @property
    def n_total(self) -> int:
        """How many features there are."""
        return self._family.count(self._model.n_variables)

    @property
    def unseen(self) -> float:
        """Bound of what was not built."""
        waiting = self._nodes[0].bound if self._nodes else 0.0
        return max(waiting, *self._tops)

    def _open_largest(self) -> None:
        level = int(np.argmax(self._tops)) + 1
        if self._nodes and self._nodes[0].bound >= self._tops[level - 1]:
            self._open_node()
        else:
            self._open_variable(level)

    def _open_variable(self, level: int) -> None:
        """Open the strongest variable of a level: features with it and none opened before."""
        bounds, still = self._bounds[level - 1], self._open[level - 1]
        if level == 1:
            self._open_level_one()
            return
        # Many bounds are equal where the dual coefficients give them: then most weight goes first.
        first = still & (bounds >= self._tops[level - 1] * (1.0 - 1e-9))
        left = self._family.squares_left(self._builder.built, level)
        variable = int(np.argmax(np.where(first, left, -1.0)))
        still[variable] = False
        others = np.flatnonzero(still)
        if self._family.repeats:
            others = np.append(variable, others)
        try:
            self._expand((variable,), others, level, float(bounds[variable]))
        except (BudgetReached, KeyboardInterrupt):
            still[variable] = True
            raise
        self._tighten(level)

    def _open_level_one(self) -> None:
        """Single variables cost next to nothing: build them all."""
        self._builder.build_below((), np.arange(self._model.n_variables), 1)
        self._open[0] = False
        self._tops[0] = 0.0

    def _open_node(self) -> None:
        node = heapq.heappop(self._nodes)
        _, level, prefix = node.key
        try:
            self._expand(prefix, node.others, level, node.bound)
        except (BudgetReached, KeyboardInterrupt):
            heapq.heappush(self._nodes, node)  # opened in part, it still counts as unseen
            raise

    def _expand(self, prefix: Prefix, others: IntArray, level: int, bound: float) -> None:
        rest = level - len(prefix)
        n_features = math.comb(len(others) + rest - 1, rest)
        n_vectors = self._model.n_vectors
        if rest == 1 or n_features <= 2 * n_vectors * len(others):
            self._builder.build_below(prefix, others, level)
            self._tighten(level)
        else:
            self._push_children(prefix, others, level, bound)

    def _push_children(self, prefix: Prefix, others: IntArray, level: int, bound: float) -> None:
        products = column_products(self._model, prefix)
        bounds = np.minimum(self._family.bounds(prefix, level, products)[others], bound)
        order = np.argsort(-bounds, kind="stable")
        for position, child in enumerate(order):
            first = position if self._family.repeats else position + 1
            key = (-float(bounds[child]), level, (*prefix, int(others[child])))
            heapq.heappush(self._nodes, _Node(key, others[order[first:]]))

    def _tighten(self, level: int) -> None:
        """Take what was built off the sums of the variables that are still closed."""
        left = self._family.squares_left(self._builder.built, level)
        np.minimum(self._bounds[level - 1], np.sqrt(left), out=self._bounds[level - 1])
        still = self._open[level - 1]
        self._tops[level - 1] = float(np.max(self._bounds[level - 1], where=still, initial=0.0))
