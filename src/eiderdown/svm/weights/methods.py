"""Brute force and the two heuristics of the thesis (Brown 2009, II.3.1 to II.3.3); an exact search.

The exact search is beyond the thesis: best first on a bound, until nothing unseen can be larger. A
node is a prefix of variables and a degree; its bound says how large the weight of any monomial
below it can be at most. The node with the largest bound is opened: its monomials are built if that
is cheaper than bounding its children, otherwise the children wait in its place. When the last of
the top monomials is at least as large as every bound, the answer is proven; stopped before, the
search still says how much larger an unseen weight could be.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations, combinations_with_replacement
from typing import Literal, TypeAlias

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray
from eiderdown.memory import require_memory
from eiderdown.progress import Cancelled
from eiderdown.svm.weights.contributions import Prefix, column_products
from eiderdown.svm.weights.top_k import Builder, LimitReached, Stop, TopMonomials

DegreeRule: TypeAlias = Literal["average", "largest"]


def brute_force(builder: Builder) -> TopMonomials:
    """Build every monomial."""
    stopped = _build_degrees(builder, np.arange(builder.space.model.n_variables))
    return builder.result("brute_force", _largest_left(builder) if stopped else 0.0, stopped)


def heur1(builder: Builder, max_built: int) -> TopMonomials:
    """Build every monomial of the variables with the largest norms, as many as may be built."""
    norms = builder.space.squares.sum(axis=0)
    strongest = np.argsort(-norms, kind="stable")
    n_variables = _affordable(builder, max_built)
    stopped = _build_degrees(builder, np.sort(strongest[:n_variables]))
    # Lemma 1, with the root that it lacks: a weight is at most the norm of its variables' weights.
    unseen = math.sqrt(float(norms[strongest[n_variables:]].max(initial=0.0)))
    unseen = max(unseen, _largest_left(builder)) if stopped else unseen
    return builder.result("heur1", unseen, stopped)


def heur2(builder: Builder, max_built: int, degree_rule: DegreeRule) -> TopMonomials:
    """Build monomials variable by variable at the degree where most of the weight is left.

    The thesis writes sums in II.3.3 and says in III.6 that FSMB divides them by how many monomials
    they are of: rule "average", the default.
    """
    search = _Heur2(builder, degree_rule)
    stopped: Stop | None = None
    try:
        while search.step(max_built - builder.top.n_built):
            builder.check_limits()
    except Cancelled as end:
        stopped = builder.stop_reason(end)
    all_built = builder.top.n_built >= builder.n_total
    if stopped is None and not all_built:
        stopped = "monomials"
    # Lemma 2: what is left of a sum bounds each weight that is in it and was not built.
    return builder.result("heur2", 0.0 if all_built else _largest_left(builder), stopped)


class _Heur2:
    """The state of the second heuristic: which variables are used at which degree."""

    def __init__(self, builder: Builder, rule: DegreeRule) -> None:
        self._builder = builder
        self._space = builder.space
        highest, n_variables = self._space.squares.shape
        degrees = range(1, highest + 1)
        self._sizes = np.ones(highest)
        if rule == "average":
            self._sizes = np.array(
                [math.comb(n_variables + degree - 2, degree - 1) for degree in degrees]
            )
        self._used: list[list[int]] = [[] for _ in degrees]
        self._unused = np.ones((highest, n_variables), dtype=bool)
        self._best = [self._strongest(degree) for degree in degrees]

    def step(self, n_affordable: int) -> bool:
        """Use one more variable at the best degree; say whether there was need and one left."""
        # 1. l' = the degree where most of the weight is left; by the rule "average" s[l][v] is
        # divided by the number of monomials of degree l with v, C(m + l - 2, l - 1).
        values = [value / size for (value, _), size in zip(self._best, self._sizes, strict=True)]
        degree = int(np.argmax(values)) + 1
        # 2. v' = the variable with the largest s[l'][v] of those not yet used at l'.
        value, variable = self._best[degree - 1]
        if value < 0.0 or n_affordable <= 0:
            return False
        # 3. Build every monomial of degree l' over v' and the used variables that contains v'.
        if degree == 1:
            self._build_singles(max(values[1:], default=0.0), n_affordable)
        else:
            self._build(degree, variable)
            self._unused[degree - 1, variable] = False
        # 4. The builder has taken each w_q^2 off s[l'][v] for all v in q.
        self._best[degree - 1] = self._strongest(degree)
        return True

    def _build_singles(self, rival: float, n_affordable: int) -> None:
        """Build single variables, which change no other sum, until another degree is better."""
        squares = np.where(self._unused[0], self._space.squares[0], -1.0)
        order = np.argsort(-squares, kind="stable")[:n_affordable]
        n_better = int(np.count_nonzero(squares[order] / self._sizes[0] >= rival))
        chosen = order[: max(n_better, 1)]
        chosen = chosen[self._unused[0][chosen]]
        self._builder.build_below((), chosen, 1)
        self._unused[0, chosen] = False

    def _strongest(self, degree: int) -> tuple[float, int]:
        """Most weight that is left with an unused variable of a degree, and the variable."""
        left = self._space.squares[degree - 1] - self._builder.built[degree - 1]
        left = np.where(self._unused[degree - 1], np.maximum(left, 0.0), -1.0)
        variable = int(np.argmax(left))
        return float(left[variable]), variable

    def _build(self, degree: int, variable: int) -> None:
        used = self._used[degree - 1]
        used.append(variable)
        ways: Iterable[tuple[int, ...]] = combinations(used[:-1], degree - 1)
        n_ways = math.comb(len(used) - 1, degree - 1)
        if self._space.repeats:
            n_ways = math.comb(len(used) + degree - 2, degree - 1)
        require_memory(
            n_ways * (52.0 + 56.0 * degree),  # a tuple of each, and five rows of an array
            f"A heuristic that builds {n_ways:,} monomials at once",
            "give a smaller max_built",
        )
        if self._space.repeats:
            ways = combinations_with_replacement(used, degree - 1)
        listed = list(ways)
        others = np.array(listed, dtype=np.int64).reshape(len(listed), degree - 1)
        self._builder.build_listed(variable, others, degree)


def _build_degrees(builder: Builder, variables: IntArray) -> Stop | None:
    try:
        for degree in range(1, builder.space.model.degree + 1):
            builder.build_below((), variables, degree)
    except (LimitReached, Cancelled) as end:
        return builder.stop_reason(end)
    return None


def _affordable(builder: Builder, max_built: int) -> int:
    """How many variables have no more monomials than may be built."""
    most = builder.space.model.n_variables
    few, many = 1, most
    while few < many:
        middle = (few + many + 1) // 2
        if builder.space.count(middle) <= max_built:
            few = middle
        else:
            many = middle - 1
    return few


def _largest_left(builder: Builder) -> float:
    degrees = range(1, builder.space.model.degree + 1)
    left = [builder.space.squares_left(builder.built, degree) for degree in degrees]
    return math.sqrt(max(float(of_degree.max(initial=0.0)) for of_degree in left))


@dataclass(order=True)
class _Node:
    """Monomials of a degree below a prefix; the largest bound comes first."""

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
        degrees = range(1, self._model.degree + 1)
        bounds = [self._space.bounds((), degree, self._model.alphas) for degree in degrees]
        self._bounds: FloatArray = np.stack(bounds)
        self._open: BoolArray = np.ones(self._bounds.shape, dtype=bool)
        self._tops = [float(row.max(initial=0.0)) for row in self._bounds]
        self._nodes: list[_Node] = []

    def run(self) -> TopMonomials:
        """Search until the answer is proven or a limit is reached."""
        stopped: Stop | None = None
        try:
            while self.unseen > self._builder.top.least:
                degree = int(np.argmax(self._tops)) + 1
                if self._nodes and self._nodes[0].bound >= self._tops[degree - 1]:
                    self._open_node()
                else:
                    self._open_variable(degree)
        except (LimitReached, Cancelled) as end:
            stopped = self._builder.stop_reason(end)
        all_built = self._builder.top.n_built >= self._builder.n_total
        return self._builder.result("exact", 0.0 if all_built else self.unseen, stopped)

    @property
    def unseen(self) -> float:
        """Bound of what was not built."""
        waiting = self._nodes[0].bound if self._nodes else 0.0
        return max(waiting, *self._tops)

    def _open_variable(self, degree: int) -> None:
        """Open the strongest variable of a degree: monomials with it and none opened before."""
        bounds, still = self._bounds[degree - 1], self._open[degree - 1]
        if degree == 1:  # single variables cost next to nothing
            self._builder.build_below((), np.arange(self._model.n_variables), 1)
            self._open[0] = False
            self._tops[0] = 0.0
            return
        # Many bounds are equal where the dual coefficients give them: then most weight goes first.
        first = still & (bounds >= self._tops[degree - 1] * (1.0 - 1e-9))
        left = self._space.squares_left(self._builder.built, degree)
        variable = int(np.argmax(np.where(first, left, -1.0)))
        still[variable] = False
        others = np.flatnonzero(still)
        if self._space.repeats:
            others = np.append(variable, others)
        try:
            self._expand((variable,), others, degree, float(bounds[variable]))
        except (LimitReached, Cancelled):
            still[variable] = True
            raise
        self._tighten(degree)

    def _open_node(self) -> None:
        node = heapq.heappop(self._nodes)
        _, degree, prefix = node.key
        try:
            self._expand(prefix, node.others, degree, node.bound)
        except (LimitReached, Cancelled):
            heapq.heappush(self._nodes, node)  # opened in part, it still counts as unseen
            raise

    def _expand(self, prefix: Prefix, others: IntArray, degree: int, bound: float) -> None:
        rest = degree - len(prefix)
        n_monomials = math.comb(len(others) + rest - 1, rest)
        n_vectors = self._model.n_vectors
        if rest == 1 or n_monomials <= 2 * n_vectors * len(others):
            self._builder.build_below(prefix, others, degree)
            self._tighten(degree)
        else:
            self._push_children(prefix, others, degree, bound)

    def _push_children(self, prefix: Prefix, others: IntArray, degree: int, bound: float) -> None:
        products = column_products(self._model, prefix)
        bounds = np.minimum(self._space.bounds(prefix, degree, products)[others], bound)
        order = np.argsort(-bounds, kind="stable")
        for position, child in enumerate(order):
            first = position if self._space.repeats else position + 1
            key = (-float(bounds[child]), degree, (*prefix, int(others[child])))
            heapq.heappush(self._nodes, _Node(key, others[order[first:]]))

    def _tighten(self, degree: int) -> None:
        """Take what was built off the sums of the variables that are still closed."""
        left = self._space.squares_left(self._builder.built, degree)
        np.minimum(self._bounds[degree - 1], np.sqrt(left), out=self._bounds[degree - 1])
        still = self._open[degree - 1]
        self._tops[degree - 1] = float(np.max(self._bounds[degree - 1], where=still, initial=0.0))
