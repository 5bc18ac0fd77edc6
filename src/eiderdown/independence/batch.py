"""What a test of independence answers: one record, or a batch of them as arrays."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import TypedDict, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from eiderdown.arrays import BoolArray, FloatArray, IntArray
from eiderdown.results.evidence import Answer

N_VALUES = 6
STATISTIC, DOF, LOG_P, EFFECT, ALLOWS, N_USED = range(N_VALUES)
"""Columns of the values of a batch."""


COPY_EFFECT = 1.0 - 5e-13
"""The partial correlation from which on what two columns do not share is lost in rounding."""

_COPY = (
    "Numerically a copy: beyond rounding, x and y say the same given the columns given, and the "
    "p-value is only a bound."
)


class Allows(IntEnum):
    """What the data allow a test to say, whatever its p-value.

    Attributes
    ----------
    FUNCTION
        Nothing: x or y is a function of the conditioning set, and nothing is left to test.
    NOTHING
        Nothing: there are too few rows.
    DEPENDENCE
        That x and y are dependent, if the p-value is small. A large one says nothing: a dependence
        of the size asked for might not have been seen.
    BOTH
        That they are dependent or that they are independent.
    """

    FUNCTION = -1
    NOTHING = 0
    DEPENDENCE = 1
    BOTH = 2


class Columns(TypedDict, total=False):
    """The columns of a batch's values, each an array or one number for all."""

    statistic: ArrayLike
    dof: ArrayLike
    log_p: ArrayLike
    effect: ArrayLike
    allows: ArrayLike
    n_used: ArrayLike


@dataclass(frozen=True)
class IndependenceResult:
    """The answer to one question: whether x is independent of y given a set.

    Attributes
    ----------
    x, y : int
        The two variables.
    given : tuple of int
        The conditioning set.
    statistic, dof : float
        Test statistic and its degrees of freedom.
    log_p : float
        Natural logarithm of the p-value.
    n_used : int
        Rows the test rests on (0 for an oracle).
    effect : float
        Effect size: conditional mutual information in nats, or partial correlation.
    allows : Allows
        What the data allow the test to say.
    """

    x: int
    y: int
    given: tuple[int, ...]
    statistic: float
    dof: float
    log_p: float
    n_used: int
    effect: float
    allows: Allows

    @classmethod
    def of(cls, x: int, y: int, given: tuple[int, ...], values: FloatArray) -> IndependenceResult:
        """Read one test from its row of the values of a batch."""
        statistic, dof, log_p, effect, allows, n_used = values.tolist()
        kind = _KINDS[int(allows) - Allows.FUNCTION]
        return cls(x, y, given, statistic, dof, log_p, int(n_used), effect, kind)

    def dependent(self, alpha: float) -> bool:
        """Whether independence is rejected at significance level ``alpha``."""
        return self.allows >= Allows.DEPENDENCE and self.log_p <= math.log(alpha)

    def independent(self, alpha: float) -> bool:
        """Whether independence is not rejected, though a dependence would have been seen."""
        return self.allows == Allows.BOTH and self.log_p > math.log(alpha)

    def decided(self, alpha: float) -> bool:
        """Whether the answer is one of the two."""
        return self.dependent(alpha) or self.independent(alpha)

    def answer(self, alpha: float) -> Answer:
        """Say "dependent", "independent" or "cannot say"."""
        if self.dependent(alpha):
            return "dependent"
        return "independent" if self.independent(alpha) else "cannot say"

    @property
    def reason(self) -> str:
        """Why not every answer can be given, in a sentence; empty if every one can.

        Examples
        --------
        >>> IndependenceResult(0, 1, (2,), 0.0, 0.0, 0.0, 90, 0.0, Allows.FUNCTION).reason
        'Nothing is left to test: in every stratum of the columns given, x or y has a single value.'
        """
        if abs(self.effect) == COPY_EFFECT:
            return _COPY
        if self.allows == Allows.FUNCTION and not self.given:
            return "Nothing is left to test: x or y has a single value."
        return _REASONS[self.allows]


class SetRows(Sequence[tuple[int, ...]]):
    """Conditioning sets as rows of an array, padded with -1, made tuples when they are looked at.

    Examples
    --------
    >>> sets = SetRows(np.array([[4, -1], [4, 7]]))
    >>> sets[0], list(sets[1:])
    ((4,), [(4, 7)])
    """

    def __init__(self, rows: IntArray) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, position: int) -> tuple[int, ...]: ...

    @overload
    def __getitem__(self, position: slice) -> SetRows: ...

    def __getitem__(self, position: int | slice) -> tuple[int, ...] | SetRows:
        if isinstance(position, slice):
            return SetRows(self.rows[position])
        return tuple(z for z in self.rows[position].tolist() if z >= 0)

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return (tuple(z for z in row if z >= 0) for row in self.rows.tolist())


@dataclass(frozen=True, eq=False)
class IndependenceBatch:
    """Many answers, field by field; fields as in :class:`IndependenceResult`.

    Attributes
    ----------
    x, y : IntArray
        The variables of each test.
    given : sequence of tuple of int
        The conditioning set of each test.
    values : FloatArray of shape (n_tests, 6)
        Statistic, dof, log p, effect, what is allowed and rows used: the form in which results are
        computed, cached and chosen from.
    """

    x: IntArray
    y: IntArray
    given: Sequence[tuple[int, ...]]
    values: FloatArray

    @classmethod
    def of_sweep(
        cls, x: IntArray, target: int, given: tuple[int, ...], **columns: Unpack[Columns]
    ) -> IndependenceBatch:
        """Gather the answers of a sweep from their columns.

        Parameters
        ----------
        x : IntArray
            The candidates.
        target : int
            The other variable of each test.
        given : tuple of int
            The conditioning set.
        **columns
            ``statistic``, ``dof``, ``log_p``, ``effect`` and ``n_used`` (0 unless given), and
            ``allows`` (BOTH unless given); arrays, or one number for all.
        """
        values = np.zeros((len(x), N_VALUES))
        values[:, ALLOWS] = Allows.BOTH
        for name, column in columns.items():
            values[:, _POSITION[name]] = np.asarray(column)
        y = np.full(len(x), target, dtype=np.int64)
        return cls(x, y, (given,) * len(x), values)

    @classmethod
    def of_subsets(
        cls, x: IntArray, target: int, subsets: IntArray, chosen: IntArray, values: FloatArray
    ) -> IndependenceBatch:
        """Gather one test per candidate: ``chosen`` is its row of ``subsets``, -1 for no test."""
        asked = chosen >= 0
        rows = chosen[asked].tolist()  # many candidates, few sets
        sets = {row: tuple(z for z in subsets[row].tolist() if z >= 0) for row in set(rows)}
        given = [sets[row] for row in rows]
        return cls(x[asked], np.full(len(given), target, dtype=np.int64), given, values[asked])

    @classmethod
    def joined(cls, batches: Sequence[IndependenceBatch]) -> IndependenceBatch:
        """Put batches, at least one, one behind the other."""
        return cls(
            np.concatenate([batch.x for batch in batches]),
            np.concatenate([batch.y for batch in batches]),
            [given for batch in batches for given in batch.given],
            np.concatenate([batch.values for batch in batches]),
        )

    @classmethod
    def of(cls, results: Sequence[IndependenceResult]) -> IndependenceBatch:
        """Gather single results."""
        values = [(r.statistic, r.dof, r.log_p, r.effect, r.allows, r.n_used) for r in results]
        return cls(
            np.array([r.x for r in results], dtype=np.int64),
            np.array([r.y for r in results], dtype=np.int64),
            tuple(r.given for r in results),
            np.array(values, dtype=np.float64).reshape(-1, N_VALUES),
        )

    def with_columns(self, **columns: Unpack[Columns]) -> IndependenceBatch:
        """Return the batch with other numbers in some columns."""
        values = self.values.copy()
        for name, column in columns.items():
            values[:, _POSITION[name]] = np.asarray(column)
        return replace(self, values=values)

    @property
    def statistic(self) -> FloatArray:
        """Test statistics."""
        return self.values[:, STATISTIC]

    @property
    def dof(self) -> FloatArray:
        """Degrees of freedom."""
        return self.values[:, DOF]

    @property
    def log_p(self) -> FloatArray:
        """Natural logarithms of the p-values."""
        return self.values[:, LOG_P]

    @property
    def effect(self) -> FloatArray:
        """Effect sizes."""
        return self.values[:, EFFECT]

    @property
    def allows(self) -> IntArray:
        """What the data allow each test to say, as numbers of :class:`Allows`."""
        return self.values[:, ALLOWS].astype(np.int64)

    @property
    def n_used(self) -> IntArray:
        """Rows that each test rests on."""
        return self.values[:, N_USED].astype(np.int64)

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, position: int) -> IndependenceResult:
        x, y = int(self.x[position]), int(self.y[position])
        return IndependenceResult.of(x, y, self.given[position], self.values[position])

    def __iter__(self) -> Iterator[IndependenceResult]:
        pairs = zip(self.x.tolist(), self.y.tolist(), strict=True)
        for (x, y), given, row in zip(pairs, self.given, self.values, strict=True):
            yield IndependenceResult.of(x, y, given, row)

    def dependent(self, alpha: float) -> BoolArray:
        """Where independence is rejected."""
        return self.admissible & (self.log_p <= math.log(alpha))

    def independent(self, alpha: float) -> BoolArray:
        """Where independence is not rejected, though a dependence would have been seen."""
        return np.asarray((self.allows == Allows.BOTH) & (self.log_p > math.log(alpha)))

    def decided(self, alpha: float) -> BoolArray:
        """Where the answer is one of the two."""
        return self.dependent(alpha) | self.independent(alpha)

    @property
    def admissible(self) -> BoolArray:
        """Where a small p-value counts, so that a variable may be admitted."""
        return np.asarray(self.values[:, ALLOWS] >= Allows.DEPENDENCE)

    def by_strength(self, name_rank: IntArray) -> IntArray:
        """Positions from the strongest dependence to the weakest; last those that can say nothing.

        The key is (log p, -statistic, rank of the name), so the order of the columns in the table
        never decides.
        """
        return np.lexsort(
            (name_rank[self.x], -np.abs(self.statistic), self.log_p, ~self.admissible)
        )

    def strongest_few(self, name_rank: IntArray, n: int) -> IntArray:
        """Return the first few of :meth:`by_strength` without sorting all."""
        able = np.flatnonzero(self.admissible)
        if not 0 < n < len(able):
            return self.by_strength(name_rank)[:n]
        log_p = self.log_p[able]
        few = able[log_p <= np.partition(log_p, n - 1)[n - 1]]
        strongest: IntArray = few[self.take(few).by_strength(name_rank)[:n]]
        return strongest

    def strongest(self, name_rank: IntArray) -> IndependenceResult | None:
        """Return the first of :meth:`by_strength` without sorting; None if none can say it."""
        tied = np.flatnonzero(self.admissible)
        if len(tied) == 0:
            return None
        for key in (self.log_p, -np.abs(self.statistic), name_rank[self.x]):
            values = key[tied]
            tied = tied[values == values.min()]
        return self[int(tied[0])]

    @property
    def has_one_set(self) -> bool:
        """Whether all tests have the same conditioning set, as those of a sweep do."""
        # At the speed of comparing addresses: of a wide table this is asked for every target.
        return len(self.given) > 0 and self.given.count(self.given[0]) == len(self.given)

    def take(self, chosen: IntArray | BoolArray) -> IndependenceBatch:
        """Return the tests at some positions, or where a mask is True."""
        positions = np.flatnonzero(chosen) if chosen.dtype == np.bool_ else chosen
        given: Sequence[tuple[int, ...]]
        if self.has_one_set:
            given = (self.given[0],) * len(positions)
        else:
            given = [self.given[i] for i in positions.tolist()]
        return IndependenceBatch(
            self.x[positions], self.y[positions], given, self.values[positions]
        )

    def weaker(self, other: IndependenceBatch, alpha: float) -> IndependenceBatch:
        """Of two tests of the same candidates, keep the decided one with the larger p-value."""
        theirs = other.decided(alpha) & (~self.decided(alpha) | (other.log_p > self.log_p))
        if not theirs.any():
            return self
        pairs = zip(theirs.tolist(), self.given, other.given, strict=True)
        given = [new if is_weaker else old for is_weaker, old, new in pairs]
        values = np.where(theirs[:, None], other.values, self.values)
        return replace(self, given=given, values=values)


_KINDS = tuple(Allows)
_POSITION = {
    "statistic": STATISTIC,
    "dof": DOF,
    "log_p": LOG_P,
    "effect": EFFECT,
    "allows": ALLOWS,
    "n_used": N_USED,
}

_REASONS = {
    Allows.FUNCTION: "Nothing is left to test: in every stratum of the columns given, x or y has a "
    "single value.",
    Allows.NOTHING: "There are too few rows for this test.",
    Allows.DEPENDENCE: "There are too few rows to rule a dependence out.",
    Allows.BOTH: "",
}
