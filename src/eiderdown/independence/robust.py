"""A test for rows that count unequally, or that come in groups such as the visits of one patient.

What a linear regression on the conditioning set leaves of x and of y is uncorrelated if x and y are
independent given it. With u and v these residuals (of a category: of the indicators of its values)
and w the weights, the sums of w u v over the rows of each group are independent between groups and
have mean zero, whatever happens within a group; Hotelling's T2 compares their mean with their own
spread. This is the score test with the cluster-robust variance of Liang and Zeger (1986), White's
(1980) where every row is a group. Nothing is assumed about how rows of one group are related.

Weights are those of surveys and of inverse probabilities: what a row counts for, not how often it
occurs. Categories in the conditioning set are strata, if there are rows enough; otherwise, and
beside numbers, each is a set of indicators.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray
from eiderdown.data import Dataset
from eiderdown.data.rows import RowRoles, effective_rows
from eiderdown.independence.base import IndependenceTest
from eiderdown.independence.batch import Allows, IndependenceBatch
from eiderdown.independence.missing import log_f_tail
from eiderdown.independence.power import Detect, would_be_seen
from eiderdown.options import checked_options, options_of

_ROWS_PER_COEFFICIENT = 5.0  # effective ones, of a regression that is worth testing what it leaves
_GROUPS_PER_SUM = 10.0  # groups for each sum whose spread is estimated
_TOLERANCE = 1e-10


class RobustTest(IndependenceTest):
    """Test independence with weighted rows, or rows in groups, of columns of any kind.

    Parameters
    ----------
    data : Dataset
        The table; its ``roles`` are the weights and groups. Rows with missing values are left out
        question by question.
    detect : {"small", "medium", "large"}
        How large a dependence must be to be seen before independence is said.

    Examples
    --------
    >>> generator = np.random.default_rng(0)
    >>> patient = np.repeat(np.arange(60), 10)
    >>> x, y = generator.normal(size=(2, 60))[:, patient]  # the same in all rows of a patient
    >>> from eiderdown.data.rows import with_row_roles
    >>> data = with_row_roles(Dataset.from_columns({"x": x, "y": y}), groups=patient)
    >>> RobustTest(data).test(0, 1).dependent(0.05)
    False
    """

    takes_missing = True

    def __init__(self, data: Dataset, *, detect: Detect = "medium") -> None:
        super().__init__(data.names)
        checked_options(options_of(RobustTest), {"detect": detect}, type(self).__name__)
        self.data, self.detect = data, detect
        roles = RowRoles() if data.roles is None else data.roles
        weights = np.ones(data.n_rows) if roles.weights is None else roles.weights
        self._weights = weights / weights.mean()
        groups = np.arange(data.n_rows) if roles.groups is None else roles.groups
        self._groups: IntArray = np.unique(groups, return_inverse=True)[1]
        self._roles = roles

    @property
    def description(self) -> dict[str, object]:
        """Name and options of the test, for the record of a run."""
        return {
            "test": type(self).__name__,
            "weights": self._roles.weights is not None,
            "groups": self._roles.groups is not None,
            "detect": self.detect,
        }

    def _sweep(
        self, candidates: IntArray, target: int, given: tuple[int, ...]
    ) -> IndependenceBatch:
        batch = IndependenceBatch.of_sweep(candidates, target, given, allows=Allows.NOTHING)
        rows = self.data.complete_rows([target, *given]) & (self._weights > 0.0)
        shared = self._residuals(rows, given, target) if rows.any() else None
        for position, x in enumerate(candidates.tolist()):
            left = rows & ~self.data.missing(x) if self.data.has_missing[x] else rows
            if not left.any():
                continue
            whole = left is rows and shared is not None
            rest = shared if whole and shared is not None else self._residuals(left, given, target)
            batch.values[position] = self._judged(rest, rest.of(self._coded(x, left)))
        return batch

    def _residuals(self, rows: BoolArray, given: tuple[int, ...], target: int) -> _Residuals:
        """Prepare the regressions on the conditioning set in some rows, and do the target's."""
        weights = self._weights[rows]
        found = _Residuals(self._design(rows, given, weights), weights, self._groups[rows])
        return found.with_target(self._coded(target, rows))

    def _coded(self, column: int, rows: BoolArray) -> FloatArray:
        """Return a column as numbers: itself, or indicators of all its categories but one."""
        if not self.data.is_discrete[column]:
            values: FloatArray = self.data.values(column)[rows]
            return np.asarray((values - values.mean()) / (values.std() or 1.0)).reshape(-1, 1)
        codes = self.data.codes(column)[rows]
        counts = np.bincount(codes, minlength=int(self.data.n_categories[column]))
        # Without the most frequent one, so that no order of categories decides.
        seen = np.flatnonzero(counts)
        kept = seen[seen != counts.argmax()]
        return np.asarray(codes[:, None] == kept, dtype=np.float64)

    def _design(self, rows: BoolArray, given: Sequence[int], weights: FloatArray) -> FloatArray:
        """Return an orthonormal basis of what the conditioning set says, by weights."""
        n_rows = int(rows.sum())
        if given and self.data.is_discrete[list(given)].all():
            strata = np.zeros(n_rows, dtype=np.int64)
            for z in given:
                strata = np.unique(
                    strata * self.data.n_categories[z] + self.data.codes(z)[rows],
                    return_inverse=True,
                )[1]
            n_strata = int(strata.max()) + 1
            if n_strata * _ROWS_PER_COEFFICIENT <= effective_rows(weights):
                scale = np.sqrt(np.bincount(strata, weights, n_strata))
                return np.asarray((strata[:, None] == np.arange(n_strata)) / scale)
        parts = [np.ones((n_rows, 1)), *(self._coded(z, rows) for z in given)]
        return _orthonormal(np.concatenate(parts, axis=1), weights)

    def _judged(self, rest: _Residuals, u: FloatArray) -> list[float]:
        """Return the values of one test."""
        v, n_rows = rest.target, float(len(u))
        n_effective = effective_rows(rest.weights)
        nothing = [0.0, 0.0, 0.0, 0.0, float(Allows.NOTHING), n_rows]
        if n_effective < _ROWS_PER_COEFFICIENT * rest.basis.shape[1]:
            return nothing
        if u.shape[1] == 0 or v.shape[1] == 0:
            return [*nothing[:4], float(Allows.FUNCTION), n_rows]
        each = (rest.weights[:, None, None] * u[:, :, None] * v[:, None, :]).reshape(len(u), -1)
        # A regression fits the rows that it rests on most too well (MacKinnon and White 1985).
        spread = each / np.maximum(1.0 - rest.leverage, 0.1)[:, None]
        sums = np.zeros((rest.n_groups, each.shape[1]))
        np.add.at(sums, rest.groups, spread)
        squares, total = sums.T @ sums, each.sum(axis=0)
        values, vectors = np.linalg.eigh(squares)
        kept = values > _TOLERANCE * max(values[-1], 1e-300)
        rank = int(kept.sum())
        if rank == 0 or rest.n_groups < _GROUPS_PER_SUM * rank + rest.basis.shape[1] * (
            rest.n_groups < n_rows
        ):
            return nothing
        share = float(((total @ vectors[:, kept]) ** 2 / values[kept]).sum()) / rest.n_groups
        share = min(share, 1.0 - 1e-15)
        # Coefficients cost rows; within groups they are estimated from all of them.
        left = rest.n_groups - rank - (rest.basis.shape[1] if rest.n_groups == n_rows else 1)
        f = share / (1.0 - share) * left / rank
        log_p = float(
            log_f_tail(np.array([f]), np.array([float(rank)]), np.array([float(left)]))[0]
        )
        n_visible = n_effective * float((spread * spread).sum()) / float(np.trace(squares))
        seen = bool(would_be_seen(min(n_visible, n_effective), 2.0 * rank, self.detect))
        allows = Allows.BOTH if seen else Allows.DEPENDENCE
        return [rank * f, float(rank), log_p, _association(rest, u), float(allows), n_rows]


@dataclass(frozen=True, eq=False)
class _Residuals:
    """Regressions on one conditioning set in some rows."""

    basis: FloatArray
    weights: FloatArray
    groups: IntArray
    target: FloatArray = None  # type: ignore[assignment]  # set by with_target
    n_groups: int = 0

    def with_target(self, columns: FloatArray) -> _Residuals:
        """Do the regression of the target."""
        groups = np.unique(self.groups, return_inverse=True)[1]
        return _Residuals(
            self.basis, self.weights, groups, self.of(columns), int(groups.max(initial=-1)) + 1
        )

    @property
    def leverage(self) -> FloatArray:
        """How much of its own prediction each row decides."""
        found: FloatArray = self.weights * (self.basis**2).sum(axis=1)
        return found

    def of(self, columns: FloatArray) -> FloatArray:
        """Return what the conditioning set leaves of some columns, without those it fixes."""
        left = columns - self.basis @ (self.basis.T @ (self.weights[:, None] * columns))
        before = (self.weights[:, None] * columns**2).sum(axis=0)
        after = (self.weights[:, None] * left**2).sum(axis=0)
        return left[:, after > _TOLERANCE * np.maximum(before, 1e-300)]


def _orthonormal(columns: FloatArray, weights: FloatArray) -> FloatArray:
    """Return columns B with B' diag(weights) B = 1 that span the given ones."""
    root = np.sqrt(weights)[:, None]
    basis, singular, _ = np.linalg.svd(root * columns, full_matrices=False)
    kept = singular > 1e-7 * singular[0]
    found: FloatArray = basis[:, kept] / root
    return found


def _association(rest: _Residuals, u: FloatArray) -> float:
    """Return the weighted partial correlation; of several columns, the root of its mean square."""
    a, b = _orthonormal(u, rest.weights), _orthonormal(rest.target, rest.weights)
    cross = a.T @ (rest.weights[:, None] * b)
    if cross.size == 1:
        slope = (u.T @ (rest.weights[:, None] * rest.target)).item()
        return float(np.copysign(abs(cross.item()), slope))
    return float(np.sqrt((cross**2).sum() / min(cross.shape)))
