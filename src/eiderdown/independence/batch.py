"""What a test of independence answers: one record, or a batch of them as arrays."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray

N_VALUES = 6
STATISTIC, DOF, LOG_P, EFFECT, RELIABLE, N_USED = range(N_VALUES)
"""Columns of a batch's numbers where they are held as one array."""


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
    reliable : bool
        Whether the data carry the test; if not, it decides nothing.
    """

    x: int
    y: int
    given: tuple[int, ...]
    statistic: float
    dof: float
    log_p: float
    n_used: int
    effect: float
    reliable: bool

    def dependent(self, alpha: float) -> bool:
        """Whether independence is rejected at category ``alpha`` by a reliable test."""
        return self.reliable and self.log_p <= math.log(alpha)

    def independent(self, alpha: float) -> bool:
        """Whether a reliable test does not reject independence at category ``alpha``."""
        return self.reliable and self.log_p > math.log(alpha)


@dataclass(frozen=True, eq=False)
class IndependenceBatch:
    """Many answers, field by field; fields as in :class:`IndependenceResult`."""

    x: IntArray
    y: IntArray
    given: Sequence[tuple[int, ...]]
    statistic: FloatArray
    dof: FloatArray
    log_p: FloatArray
    n_used: IntArray
    effect: FloatArray
    reliable: BoolArray

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, position: int) -> IndependenceResult:
        return IndependenceResult(
            x=int(self.x[position]),
            y=int(self.y[position]),
            given=self.given[position],
            statistic=float(self.statistic[position]),
            dof=float(self.dof[position]),
            log_p=float(self.log_p[position]),
            n_used=int(self.n_used[position]),
            effect=float(self.effect[position]),
            reliable=bool(self.reliable[position]),
        )

    def __iter__(self) -> Iterator[IndependenceResult]:
        return (self[position] for position in range(len(self)))

    def dependent(self, alpha: float) -> BoolArray:
        """Where a reliable test rejects independence."""
        return self.reliable & (self.log_p <= math.log(alpha))

    def independent(self, alpha: float) -> BoolArray:
        """Where a reliable test does not reject independence."""
        return self.reliable & (self.log_p > math.log(alpha))

    def by_strength(self, name_rank: IntArray) -> IntArray:
        """Positions from the strongest dependence to the weakest, unreliable tests last.

        The key is (log p, -statistic, rank of the name), so the order of the columns in the table
        never decides.
        """
        return np.lexsort((name_rank[self.x], -self.statistic, self.log_p, ~self.reliable))

    def strongest(self, name_rank: IntArray) -> IndependenceResult | None:
        """Return the first of :meth:`by_strength` without sorting; None if no test is reliable."""
        tied = np.flatnonzero(self.reliable)
        if len(tied) == 0:
            return None
        for key in (self.log_p, -self.statistic, name_rank[self.x]):
            values = key[tied]
            tied = tied[values == values.min()]
        return self[int(tied[0])]

    def strongest_of_some(
        self, name_rank: IntArray, fraction: float, generator: np.random.Generator
    ) -> IndependenceResult | None:
        """Return the strongest of a random share of the reliable tests, at least one of them.

        The tests are put in the order of names first, so that the same seed makes the same choice
        whatever the order of the columns.
        """
        reliable = np.flatnonzero(self.reliable)
        in_order = reliable[np.argsort(name_rank[self.x[reliable]])]
        n_some = max(1, int(len(in_order) * fraction))
        if len(in_order) == 0:
            return None
        return self.take(np.sort(generator.choice(in_order, n_some, replace=False))).strongest(
            name_rank
        )

    def take(self, chosen: IntArray | BoolArray) -> IndependenceBatch:
        """Return the tests at some positions, or where a mask is True."""
        positions = np.flatnonzero(chosen) if chosen.dtype == np.bool_ else chosen
        given = self.given
        return IndependenceBatch(
            x=self.x[positions],
            y=self.y[positions],
            given=[given[i] for i in positions.tolist()],
            statistic=self.statistic[positions],
            dof=self.dof[positions],
            log_p=self.log_p[positions],
            n_used=self.n_used[positions],
            effect=self.effect[positions],
            reliable=self.reliable[positions],
        )

    def weaker(self, other: IndependenceBatch) -> IndependenceBatch:
        """Of two tests of the same candidates, keep the weaker reliable one of each."""
        theirs = other.reliable & (~self.reliable | (other.log_p > self.log_p))
        if not theirs.any():
            return self
        pick = theirs.tolist()
        return IndependenceBatch(
            x=self.x,
            y=self.y,
            given=[
                new if take else old
                for take, old, new in zip(pick, self.given, other.given, strict=True)
            ],
            statistic=np.where(theirs, other.statistic, self.statistic),
            dof=np.where(theirs, other.dof, self.dof),
            log_p=np.where(theirs, other.log_p, self.log_p),
            n_used=np.where(theirs, other.n_used, self.n_used),
            effect=np.where(theirs, other.effect, self.effect),
            reliable=self.reliable | theirs,
        )

    def values(self) -> FloatArray:
        """Numbers of every test as rows: statistic, dof, log p, effect, reliable, rows used."""
        columns = [self.statistic, self.dof, self.log_p, self.effect, self.reliable, self.n_used]
        return np.column_stack(columns).astype(np.float64)

    @classmethod
    def of_values(
        cls, x: IntArray, target: int, given: Sequence[tuple[int, ...]], values: FloatArray
    ) -> IndependenceBatch:
        """Read back rows of :meth:`values`, all for one target."""
        statistic, dof, log_p, effect, reliable, n_used = values.T
        return cls(
            x=x,
            y=np.full(len(x), target, dtype=np.int64),
            given=given,
            statistic=statistic,
            dof=dof,
            log_p=log_p,
            n_used=n_used.astype(np.int64),
            effect=effect,
            reliable=reliable == 1.0,
        )

    @classmethod
    def of_subsets(
        cls, x: IntArray, target: int, subsets: IntArray, chosen: IntArray, values: FloatArray
    ) -> IndependenceBatch:
        """Gather one test per candidate: ``chosen`` is its row of ``subsets``, -1 for no test."""
        asked = chosen >= 0
        given = [tuple(z for z in row if z >= 0) for row in subsets[chosen[asked]].tolist()]
        return cls.of_values(x[asked], target, given, values[asked])

    @classmethod
    def joined(cls, batches: Sequence[IndependenceBatch]) -> IndependenceBatch:
        """Put batches, at least one, one behind the other."""
        return cls(
            x=np.concatenate([batch.x for batch in batches]),
            y=np.concatenate([batch.y for batch in batches]),
            given=[given for batch in batches for given in batch.given],
            statistic=np.concatenate([batch.statistic for batch in batches]),
            dof=np.concatenate([batch.dof for batch in batches]),
            log_p=np.concatenate([batch.log_p for batch in batches]),
            n_used=np.concatenate([batch.n_used for batch in batches]),
            effect=np.concatenate([batch.effect for batch in batches]),
            reliable=np.concatenate([batch.reliable for batch in batches]),
        )

    @classmethod
    def of(cls, results: Sequence[IndependenceResult]) -> IndependenceBatch:
        """Gather single results."""
        return cls(
            x=np.array([r.x for r in results], dtype=np.int64),
            y=np.array([r.y for r in results], dtype=np.int64),
            given=tuple(r.given for r in results),
            statistic=np.array([r.statistic for r in results], dtype=np.float64),
            dof=np.array([r.dof for r in results], dtype=np.float64),
            log_p=np.array([r.log_p for r in results], dtype=np.float64),
            n_used=np.array([r.n_used for r in results], dtype=np.int64),
            effect=np.array([r.effect for r in results], dtype=np.float64),
            reliable=np.array([r.reliable for r in results], dtype=np.bool_),
        )
