"""Brute force and the two heuristics of the thesis (Brown 2009, sections II.3.1 to II.3.3)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import combinations, combinations_with_replacement
from typing import Literal, TypeAlias

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.progress import Cancelled
from eiderdown.svm.weights.top_k import Builder, LimitReached, Stop, TopMonomials

LevelRule: TypeAlias = Literal["largest", "average"]


def brute_force(builder: Builder) -> TopMonomials:
    """Build every monomial."""
    stopped = _build_levels(builder, np.arange(builder.space.model.n_variables))
    return builder.result("brute_force", _largest_left(builder) if stopped else 0.0, stopped)


def heur1(builder: Builder, max_built: int) -> TopMonomials:
    """Build every monomial of the variables with the largest norms, as many as may be built."""
    norms = builder.space.squares.sum(axis=0)
    strongest = np.argsort(-norms, kind="stable")
    n_variables = _affordable(builder, max_built)
    stopped = _build_levels(builder, np.sort(strongest[:n_variables]))
    # Lemma 1, with the root that it lacks: a weight is at most the norm of its variables' weights.
    unseen = math.sqrt(float(norms[strongest[n_variables:]].max(initial=0.0)))
    unseen = max(unseen, _largest_left(builder)) if stopped else unseen
    return builder.result("heur1", unseen, stopped)


def heur2(builder: Builder, max_built: int, level_rule: LevelRule) -> TopMonomials:
    """Build monomials variable by variable at the level where most of the weight is left."""
    search = _Heur2(builder, level_rule)
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
    """The state of the second heuristic: which variables are used at which level."""

    def __init__(self, builder: Builder, rule: LevelRule) -> None:
        self._builder = builder
        self._space = builder.space
        degree, n_variables = self._space.squares.shape
        levels = range(1, degree + 1)
        self._sizes = np.ones(degree)
        if rule == "average":
            self._sizes = np.array(
                [math.comb(n_variables + level - 2, level - 1) for level in levels]
            )
        self._used: list[list[int]] = [[] for _ in levels]
        self._unused = np.ones((degree, n_variables), dtype=bool)
        self._best = [self._strongest(level) for level in levels]

    def step(self, n_affordable: int) -> bool:
        """Use one more variable at the best level; say whether there was need and one left."""
        # 1. l' = the level where most of the weight is left.
        values = [value / size for (value, _), size in zip(self._best, self._sizes, strict=True)]
        level = int(np.argmax(values)) + 1
        # 2. v' = the variable with the largest s[l'][v] of those not yet used at l'.
        value, variable = self._best[level - 1]
        if value < 0.0 or n_affordable <= 0:
            return False
        # 3. Build every monomial of degree l' over v' and the used variables that contains v'.
        if level == 1:
            self._build_singles(max(values[1:], default=0.0), n_affordable)
        else:
            self._build(level, variable)
            self._unused[level - 1, variable] = False
        # 4. The builder has taken each w_q^2 off s[l'][v] for all v in q.
        self._best[level - 1] = self._strongest(level)
        return True

    def _build_singles(self, rival: float, n_affordable: int) -> None:
        """Build single variables, which change no other sum, until another level is better."""
        squares = np.where(self._unused[0], self._space.squares[0], -1.0)
        order = np.argsort(-squares, kind="stable")[:n_affordable]
        n_better = int(np.count_nonzero(squares[order] / self._sizes[0] >= rival))
        chosen = order[: max(n_better, 1)]
        chosen = chosen[self._unused[0][chosen]]
        self._builder.build_below((), chosen, 1)
        self._unused[0, chosen] = False

    def _strongest(self, level: int) -> tuple[float, int]:
        """Most weight that is left with an unused variable of a level, and the variable."""
        left = self._space.squares[level - 1] - self._builder.built[level - 1]
        left = np.where(self._unused[level - 1], np.maximum(left, 0.0), -1.0)
        variable = int(np.argmax(left))
        return float(left[variable]), variable

    def _build(self, level: int, variable: int) -> None:
        used = self._used[level - 1]
        used.append(variable)
        ways: Iterable[tuple[int, ...]] = combinations(used[:-1], level - 1)
        if self._space.repeats:
            ways = combinations_with_replacement(used, level - 1)
        listed = list(ways)
        others = np.array(listed, dtype=np.int64).reshape(len(listed), level - 1)
        self._builder.build_listed(variable, others, level)


def _build_levels(builder: Builder, variables: IntArray) -> Stop | None:
    try:
        for level in range(1, builder.space.model.degree + 1):
            builder.build_below((), variables, level)
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
    levels = range(1, builder.space.model.degree + 1)
    left = [builder.space.squares_left(builder.built, level) for level in levels]
    return math.sqrt(max(float(of_level.max(initial=0.0)) for of_level in left))
