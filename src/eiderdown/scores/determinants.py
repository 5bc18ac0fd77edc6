"""Scores that take columns, or features of them, as jointly Gaussian.

Such a score is a difference between values of sets: of the child with its parents, less of the
parents alone, each from the log determinant of a covariance matrix. A column stands for one feature
or several, uncorrelated and of variance 1; all candidates of a sweep share the factor of the
parents' matrix.

Values of sets are rounded to a grid, so that equivalent graphs tie exactly.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray, frozen
from eiderdown.errors import CollinearColumnsError, listed
from eiderdown.scores.base import LocalScore

_GRID = 2.0**16  # far coarser than rounding errors, far finer than a gain that matters

_LOG_TOLERANCE = np.log(1e-10)  # less of a feature's variance, given others, is rounding error


class Features(ABC):
    """The features of every column, and their correlations.

    Parameters
    ----------
    n_features : IntArray
        How many features each column has.
    log_scale : FloatArray
        Log determinant of the covariances of each column's features before they were scaled.
    """

    def __init__(self, n_features: IntArray, log_scale: FloatArray) -> None:
        self.n_features = frozen(n_features)
        self.log_scale = frozen(log_scale)
        self._first = np.cumsum(n_features) - n_features

    @abstractmethod
    def correlations(self, column: int) -> FloatArray:
        """Correlate the features of one column (rows) with those of all columns, in order."""

    def places(self, columns: Sequence[int] | IntArray) -> IntArray:
        """Return where the features of some columns stand among all features."""
        chosen = np.asarray(columns, dtype=np.int64)
        sizes = self.n_features[chosen]
        before = np.cumsum(sizes) - sizes
        found: IntArray = np.repeat(self._first[chosen] - before, sizes)
        return found + np.arange(len(found))


class DeterminantScore(LocalScore):
    """What the Gaussian scores share.

    Parameters
    ----------
    names : sequence of str
        Names of the columns.
    features : Features
        What is taken as Gaussian.
    """

    equivalent = True

    def __init__(self, names: Sequence[str], features: Features) -> None:
        super().__init__(names)
        self._features = features

    @abstractmethod
    def _values(self, log_determinants: FloatArray, n_features: int) -> FloatArray:
        """Turn log determinants of the covariances of equally many features into values."""

    def _local(self, child: int, parents: tuple[int, ...]) -> float:
        alone = np.empty((1, 0), dtype=np.int64)
        return float(self._scored(self._shared(parents), child, alone)[0])

    def _additions(self, child: int, parents: tuple[int, ...], candidates: IntArray) -> FloatArray:
        shared = self._shared(parents)
        n_features = self._features.n_features[candidates]
        answer = np.empty(len(candidates))
        for size in np.unique(n_features):
            here = np.flatnonzero(n_features == size)
            answer[here] = self._scored(shared, child, candidates[here, None])
        return answer

    def _shared(self, parents: tuple[int, ...]) -> _Parents:
        try:
            return _Parents(self._features, parents)
        except np.linalg.LinAlgError:
            *others, last = parents
            self._shared(tuple(others))  # which names an earlier parent, if one is to blame
            raise self._collinear(last, others) from None

    def _scored(self, shared: _Parents, child: int, extras: IntArray) -> FloatArray:
        """Score the child with each row of ``extras`` added to its parents."""
        left = shared.left(extras, child)
        n_child = int(self._features.n_features[child])
        n_extra = left.shape[1] - n_child
        without = _log_determinants(left[:, :n_extra, :n_extra])
        with_child = _log_determinants(left)
        self._refuse(without <= n_extra * _LOG_TOLERANCE, extras, shared.columns, n_extra)
        gone = with_child - without <= n_child * _LOG_TOLERANCE
        everyone = np.concatenate([extras, np.full((len(extras), 1), child)], axis=1)
        self._refuse(gone, everyone, shared.columns, n_child)
        known = shared.log_determinant + self._features.log_scale[extras].sum(axis=1)
        n_known = len(shared.places) + n_extra
        own = self._features.log_scale[child]
        together = self._values(known + with_child + own, n_known + n_child)
        return _on_grid(together) - _on_grid(self._values(known + without, n_known))

    def _refuse(
        self, gone: BoolArray, columns: IntArray, others: tuple[int, ...], n_features: int
    ) -> None:
        """Refuse a column of which the others leave nothing."""
        if n_features == 0 or not gone.any():
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
    """What the parents explain of the other features."""

    def __init__(self, features: Features, columns: tuple[int, ...]) -> None:
        self.columns = columns
        self.places = features.places(columns)
        self._features = features
        n_all = int(features.n_features.sum())
        rows = [np.empty((0, n_all)), *(features.correlations(z) for z in columns)]
        self._rows = np.concatenate(rows)
        self._factor = np.linalg.cholesky(self._rows[:, self.places])
        own = 2.0 * np.log(np.diag(self._factor))
        if np.any(own <= _LOG_TOLERANCE):
            raise np.linalg.LinAlgError("The parents are collinear.")
        self.log_determinant = float(own.sum() + features.log_scale[list(columns)].sum())

    def left(self, extras: IntArray, child: int) -> FloatArray:
        """Return the covariances, given the parents, of each row of extras and the child."""
        of_extras = self._features.places(extras.ravel())
        of_child = self._features.places([child])
        explained = _solved(self._factor, self._rows[:, np.concatenate([of_extras, of_child])])
        n, n_child = len(extras), len(of_child)
        n_extra = len(of_extras) // n
        by_extras = explained[:, : n * n_extra].reshape(len(explained), n, n_extra)
        by_child = explained[:, n * n_extra :]
        across = self._features.correlations(child)[:, of_extras].reshape(n_child, n, n_extra)
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


def _solved(factor: FloatArray, right: FloatArray) -> FloatArray:
    """Solve ``factor @ solution = right`` so that no column's answer depends on other columns."""
    solution = right.copy()
    for j in range(len(factor)):
        for i in range(j):
            solution[j] -= factor[j, i] * solution[i]
        solution[j] /= factor[j, j]
    return solution


def _log_determinants(matrices: FloatArray) -> FloatArray:
    """Return the log determinant of each matrix, minus infinity where it is not positive."""
    sign, log_determinant = np.linalg.slogdet(matrices)
    return np.where(sign > 0.0, log_determinant, -np.inf)


def _on_grid(values: FloatArray) -> FloatArray:
    return np.rint(values * _GRID) / _GRID
