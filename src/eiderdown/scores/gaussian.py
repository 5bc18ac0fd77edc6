"""Scores that take columns as jointly Gaussian: the Gaussian BIC, and BGe.

Such a score is a difference between values of sets: of the child with its parents, less of the
parents alone, each from the log determinant of a covariance matrix of their components
(:mod:`eiderdown.scores.components`). All candidates of a sweep share the factor of the parents'
matrix. Columns of one component are scored in one compiled call
(:mod:`eiderdown.scores.gaussian_sweeps`), the others by NumPy, which also names the column where
one is a linear function of others.

Values of sets are rounded to a grid, so that equivalent graphs tie exactly.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import Annotated, TypeAlias

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray, frozen
from eiderdown.data import Dataset
from eiderdown.data.rows import effective_rows
from eiderdown.errors import (
    CollinearColumnsError,
    listed,
)
from eiderdown.options import Option
from eiderdown.scores.base import LocalScore, checked_params
from eiderdown.scores.compiled_answers import CorrelationAnswers
from eiderdown.scores.components import ColumnsThemselves, Components, WeightedColumns
from eiderdown.scores.gaussian_sweeps import GRID, TOLERANCE, score_sweeps
from eiderdown.scores.questions import CompiledAnswers, Question
from eiderdown.scores.sweeps import NO_CANDIDATES, PackedSweeps, Sweep
from eiderdown.statistics import Workers
from eiderdown.work_sharing import waiting_threads

MeanWeight: TypeAlias = Annotated[
    float, Option("weight of the prior mean, in rows", between=(1e-100, 1e100))
]
ExtraWeight: TypeAlias = Annotated[
    float, Option("weight of the prior beyond the number of columns", inside=(1, 1e100))
]
Standardise: TypeAlias = Annotated[bool, Option("give every column variance 1 first")]

_LOG_TOLERANCE = math.log(TOLERANCE)
_MANY_PARENTS = 30  # more are rarely asked for


class DeterminantScore(LocalScore):
    """What the Gaussian scores share.

    Parameters
    ----------
    names : sequence of str
        Names of the columns.
    components : Components
        What is taken as Gaussian.
    n_jobs : int or None
        Threads; None means every available core. Scores do not depend on it.
    """

    equivalent = True

    def __init__(
        self, names: Sequence[str], components: Components, *, n_jobs: int | None = None
    ) -> None:
        super().__init__(names)
        self._components = components
        self._n_jobs = Workers(n_jobs).n_jobs
        self._lines: FloatArray = np.empty((0, 2))

    @abstractmethod
    def _line(self, n_components: int) -> tuple[float, float]:
        """Return the value of so many components: what it is at a log determinant of 0, and slope.

        The log determinant is that of their covariances.
        """

    def _lines_up_to(self, most: int) -> FloatArray:
        """Return the lines of sets of up to so many components, and of some more."""
        if len(self._lines) <= most:
            self._lines = frozen(np.array([self._line(size) for size in range(2 * most + 2)]))
        return self._lines

    def _values(self, log_determinants: FloatArray, n_components: int) -> FloatArray:
        at_zero, slope = self._lines_up_to(n_components)[n_components]
        values: FloatArray = at_zero + slope * log_determinants
        return values

    def _local(self, child: int, parents: tuple[int, ...]) -> float:
        return self._locals(child, [parents])[0]

    def _locals(self, child: int, parent_sets: Sequence[tuple[int, ...]]) -> Sequence[float]:
        packed = PackedSweeps.of([(child, parents, NO_CANDIDATES) for parents in parent_sets])
        scores = self._scores_in_one_call(packed)
        if scores is not None:
            return list(map(float, scores))
        alone = np.empty((1, 0), dtype=np.int64)
        return [
            float(self._scored(self._shared(parents), child, alone)[0]) for parents in parent_sets
        ]

    def _gains_of_all(self, sweeps: Sequence[Sweep]) -> list[FloatArray]:
        packed = PackedSweeps.of(sweeps)
        scores = self._scores_in_one_call(packed)
        return super()._gains_of_all(sweeps) if scores is None else packed.gains(scores)

    def _relative_scores(self, packed: PackedSweeps) -> FloatArray | None:
        return self._scores_in_one_call(packed)

    def _scores_in_one_call(self, packed: PackedSweeps) -> FloatArray | None:
        """Score each child as it is, then with each candidate; None if NumPy is to answer."""
        if not self._components.are_single:
            return None
        columns, scores = self._components.for_sweeps(packed), np.empty(len(packed.candidates))
        lines = self._lines_up_to(packed.parents.shape[1] + 2)
        with waiting_threads(self._n_jobs, score_sweeps) as board:
            well = score_sweeps(board, columns, lines, packed, scores)
        return scores if well else None

    def compiled_answers(self, question: Question, board: IntArray) -> CompiledAnswers | None:
        """Return what answers a kernel's questions without Python."""
        columns = self._components.for_all_sweeps() if self._components.are_single else None
        if columns is None:
            return None
        return CorrelationAnswers(board, question, columns, self._lines_up_to(_MANY_PARENTS))

    def _additions(self, child: int, parents: tuple[int, ...], candidates: IntArray) -> FloatArray:
        scores = self._scores_in_one_call(PackedSweeps.of([(child, parents, candidates)]))
        if scores is None:
            return self._additions_by_numpy(child, parents, candidates)
        return scores[1:]

    def _additions_by_numpy(
        self, child: int, parents: tuple[int, ...], candidates: IntArray
    ) -> FloatArray:
        shared = self._shared(parents)
        n_components = self._components.n_components[candidates]
        answer = np.empty(len(candidates))
        for size in np.unique(n_components):
            here = np.flatnonzero(n_components == size)
            answer[here] = self._scored(shared, child, candidates[here, None])
        return answer

    def _shared(self, parents: tuple[int, ...]) -> _Parents:
        try:
            return _Parents(self._components, parents)
        except np.linalg.LinAlgError:
            *others, last = parents
            self._shared(tuple(others))  # which names an earlier parent, if one is to blame
            raise self._collinear(last, others) from None

    def _scored(self, shared: _Parents, child: int, extras: IntArray) -> FloatArray:
        """Score the child with each row of ``extras`` added to its parents."""
        left = shared.left(extras, child)
        n_child = int(self._components.n_components[child])
        n_extra = left.shape[1] - n_child
        without = _log_determinants(left[:, :n_extra, :n_extra])
        with_child = _log_determinants(left)
        self._refuse(without <= n_extra * _LOG_TOLERANCE, extras, shared.columns, n_extra)
        gone = with_child - without <= n_child * _LOG_TOLERANCE
        everyone = np.concatenate([extras, np.full((len(extras), 1), child)], axis=1)
        self._refuse(gone, everyone, shared.columns, n_child)
        known = shared.log_determinant + self._components.log_scale[extras].sum(axis=1)
        n_known = len(shared.places) + n_extra
        own = self._components.log_scale[child]
        together = self._values(known + with_child + own, n_known + n_child)
        return _on_grid(together) - _on_grid(self._values(known + without, n_known))

    def _refuse(
        self, gone: BoolArray, columns: IntArray, others: tuple[int, ...], n_components: int
    ) -> None:
        """Refuse a column of which the others leave nothing."""
        if n_components == 0 or not gone.any():
            return
        *more, wrong = columns[np.flatnonzero(gone)[0]].tolist()
        raise self._collinear(wrong, [*others, *more])

    def _collinear(self, wrong: int, others: list[int]) -> CollinearColumnsError:
        basis = listed([self.names[i] for i in self._in_name_order(others)])
        return CollinearColumnsError(
            f"Column {self.names[wrong]!r} is a linear function of {basis}, so its score would be "
            "infinite; remove one of these columns."
        )


class _Parents:
    """What the parents explain of the other components."""

    def __init__(self, components: Components, columns: tuple[int, ...]) -> None:
        self.columns = columns
        self.places = components.places(columns)
        self._components = components
        n_all = int(components.n_components.sum())
        rows = [np.empty((0, n_all)), *(components.correlations(z) for z in columns)]
        self._rows = np.concatenate(rows)
        self._factor = np.linalg.cholesky(self._rows[:, self.places])
        own = 2.0 * np.log(np.diag(self._factor))
        if np.any(own <= _LOG_TOLERANCE):
            raise np.linalg.LinAlgError("The parents are collinear.")
        self.log_determinant = float(own.sum() + components.log_scale[list(columns)].sum())

    def left(self, extras: IntArray, child: int) -> FloatArray:
        """Return the covariances, given the parents, of each row of extras and the child."""
        of_extras = self._components.places(extras.ravel())
        of_child = self._components.places([child])
        explained = _forward_substituted(
            self._factor, self._rows[:, np.concatenate([of_extras, of_child])]
        )
        n, n_child = len(extras), len(of_child)
        n_extra = len(of_extras) // n
        by_extras = explained[:, : n * n_extra].reshape(len(explained), n, n_extra)
        by_child = explained[:, n * n_extra :]
        across = self._components.correlations(child)[:, of_extras].reshape(n_child, n, n_extra)
        left = np.empty((n, n_extra + n_child, n_extra + n_child))
        left[:, :n_extra, :n_extra] = np.eye(n_extra) - np.einsum(
            "knx,kny->nxy", by_extras, by_extras
        )
        left[:, n_extra:, n_extra:] = np.eye(n_child) - np.einsum("kc,kd->cd", by_child, by_child)
        left[:, n_extra:, :n_extra] = across.transpose(1, 0, 2) - np.einsum(
            "kc,knx->ncx", by_child, by_extras
        )
        left[:, :n_extra, n_extra:] = left[:, n_extra:, :n_extra].transpose(0, 2, 1)
        return left


def _log_determinants(matrices: FloatArray) -> FloatArray:
    """Return the log determinant of each matrix, minus infinity where it is not positive."""
    sign, log_determinant = np.linalg.slogdet(matrices)
    return np.where(sign > 0.0, log_determinant, -np.inf)


def _forward_substituted(factor: FloatArray, right: FloatArray) -> FloatArray:
    """Solve ``factor @ solution = right`` for a lower triangle, each column by itself."""
    solution = right.copy()
    for j in range(len(factor)):
        for i in range(j):
            solution[j] -= factor[j, i] * solution[i]
        solution[j] /= factor[j, j]
    return solution


def _on_grid(values: FloatArray) -> FloatArray:
    return np.rint(values * GRID) / GRID


class GaussianBicScore(DeterminantScore):
    """Log-likelihood of a linear regression on the parents, less ln(n) / 2 for every parameter.

    A column with p parents has p + 2 parameters: coefficients, intercept and variance.

    Parameters
    ----------
    data : Dataset
        The table; its columns must be continuous. If rows have weights, n is the number of rows of
        equal weight that would know as much.
    n_jobs : int or None
        Threads; None means every available core. Scores do not depend on it.
    """

    name = "gaussian_bic"

    def __init__(self, data: Dataset, *, n_jobs: int | None = None) -> None:
        weights = None if data.roles is None else data.roles.weights
        components: Components = (
            ColumnsThemselves(data, n_jobs=n_jobs)
            if weights is None
            else WeightedColumns(data, weights)
        )
        super().__init__(data.names, components, n_jobs=n_jobs)
        self._n_rows = data.n_rows if weights is None else effective_rows(weights)

    def _line(self, n_components: int) -> tuple[float, float]:
        slope = -0.5 * self._n_rows
        at_zero = slope * (n_components * (1.0 + math.log(2.0 * math.pi)))
        n_parameters = n_components * (n_components + 1) / 2 + n_components
        return at_zero - 0.5 * math.log(self._n_rows) * n_parameters, slope


class BgeScore(DeterminantScore):
    """Log marginal likelihood of a Gaussian with a normal-Wishart prior (Geiger & Heckerman).

    The prior mean is the sample mean, and the prior matrix t I with the t of Kuipers, Moffa and
    Heckerman (2014).

    Parameters
    ----------
    data : Dataset
        The table; its columns must be continuous.
    mean_weight : float
        Weight of the prior mean, in rows.
    extra_weight : float
        Weight of the prior covariances beyond the number of columns; more than 1.
    standardise : bool
        Whether every column is first given variance 1, so that its unit does not matter.
    n_jobs : int or None
        Threads; None means every available core. Scores do not depend on it.
    """

    name = "bge"

    def __init__(
        self,
        data: Dataset,
        *,
        mean_weight: MeanWeight = 1.0,
        extra_weight: ExtraWeight = 2.0,
        standardise: Standardise = True,
        n_jobs: int | None = None,
    ) -> None:
        params = checked_params(
            BgeScore,
            mean_weight=mean_weight,
            extra_weight=extra_weight,
            standardise=standardise,
        )
        self._prior = mean_weight * (extra_weight - 1.0) / (mean_weight + 1.0)
        components = ColumnsThemselves(
            data, standardise=standardise, sums=True, prior=self._prior, n_jobs=n_jobs
        )
        super().__init__(data.names, components, n_jobs=n_jobs)
        self.params = params
        self._mean_weight, self._extra_weight = float(mean_weight), float(extra_weight)
        self._n_rows = data.n_rows

    def _line(self, n_components: int) -> tuple[float, float]:
        n, size = self._n_rows, n_components
        before, after = self._extra_weight + size, n + self._extra_weight + size
        constant = 0.5 * math.log(self._mean_weight / (n + self._mean_weight))
        constant += 0.5 * before * math.log(self._prior) - 0.5 * n * math.log(math.pi)
        gammas = [math.lgamma((after - k) / 2) - math.lgamma((before - k) / 2) for k in range(size)]
        return size * constant + math.fsum(gammas), -0.5 * after
