"""The exact search: best first on a bound, until nothing unseen can be larger.

Beyond the thesis. A node is a prefix of variables at one level; its bound says how large the weight
of any monomial below it can be at most. The node with the largest bound is opened: its monomials
are built if that is cheaper than bounding its children, otherwise the children wait in its place.
When the last of the top monomials is at least as large as every bound, the answer is proven;
stopped before, the search still says how much larger an unseen weight could be.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray
from eiderdown.progress import Cancelled
from eiderdown.svm.weights.contributions import Prefix, column_products
from eiderdown.svm.weights.top_k import Builder, LimitReached, Stop, TopMonomials


@dataclass(order=True)
class _Node:
    """Monomials of a level below a prefix; the largest bound comes first."""

    key: tuple[float, int, Prefix]
    others: IntArray = field(compare=False)

    @property
    def bound(self) -> float:
        return -self.key[0]


class BestFirst:
    """One search."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._space = builder.space
        self._model = builder.space.model
        levels = range(1, self._model.degree + 1)
        bounds = [self._space.bounds((), level, self._model.alphas) for level in levels]
        self._bounds: FloatArray = np.stack(bounds)
        self._open: BoolArray = np.ones(self._bounds.shape, dtype=bool)
        self._tops = [float(row.max(initial=0.0)) for row in self._bounds]
        self._nodes: list[_Node] = []

    def run(self) -> TopMonomials:
        """Search until the answer is proven or a limit is reached."""
        stopped: Stop | None = None
        try:
            while self.unseen > self._builder.top.least:
                self._open_largest()
        except (LimitReached, Cancelled) as end:
            stopped = self._builder.stop_reason(end)
        all_built = self._builder.top.n_built >= self._builder.n_total
        return self._builder.result("exact", 0.0 if all_built else self.unseen, stopped)

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
        """Open the strongest variable of a level: monomials with it and none opened before."""
        bounds, still = self._bounds[level - 1], self._open[level - 1]
        if level == 1:
            self._open_level_one()
            return
        # Many bounds are equal where the dual coefficients give them: then most weight goes first.
        first = still & (bounds >= self._tops[level - 1] * (1.0 - 1e-9))
        left = self._space.squares_left(self._builder.built, level)
        variable = int(np.argmax(np.where(first, left, -1.0)))
        still[variable] = False
        others = np.flatnonzero(still)
        if self._space.repeats:
            others = np.append(variable, others)
        try:
            self._expand((variable,), others, level, float(bounds[variable]))
        except (LimitReached, Cancelled):
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
        except (LimitReached, Cancelled):
            heapq.heappush(self._nodes, node)  # opened in part, it still counts as unseen
            raise

    def _expand(self, prefix: Prefix, others: IntArray, level: int, bound: float) -> None:
        rest = level - len(prefix)
        n_monomials = math.comb(len(others) + rest - 1, rest)
        n_vectors = self._model.n_vectors
        if rest == 1 or n_monomials <= 2 * n_vectors * len(others):
            self._builder.build_below(prefix, others, level)
            self._tighten(level)
        else:
            self._push_children(prefix, others, level, bound)

    def _push_children(self, prefix: Prefix, others: IntArray, level: int, bound: float) -> None:
        products = column_products(self._model, prefix)
        bounds = np.minimum(self._space.bounds(prefix, level, products)[others], bound)
        order = np.argsort(-bounds, kind="stable")
        for position, child in enumerate(order):
            first = position if self._space.repeats else position + 1
            key = (-float(bounds[child]), level, (*prefix, int(others[child])))
            heapq.heappush(self._nodes, _Node(key, others[order[first:]]))

    def _tighten(self, level: int) -> None:
        """Take what was built off the sums of the variables that are still closed."""
        left = self._space.squares_left(self._builder.built, level)
        np.minimum(self._bounds[level - 1], np.sqrt(left), out=self._bounds[level - 1])
        still = self._open[level - 1]
        self._tops[level - 1] = float(np.max(self._bounds[level - 1], where=still, initial=0.0))
