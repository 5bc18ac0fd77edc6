"""Removal of noise that is smooth over an array on which the columns lie, another one in each row.

Microarrays have such noise, and so has the MARTI table of the Causality Challenge. In every row

    x = column means + field + what we are after,

and the field changes little from one place to the next. Two ways to estimate it:

- ``spline``, the thesis's: some columns, the calibrants, hold nothing but the field. A cubic spline
  in two dimensions runs through their values.
- ``gaussian_process``: all columns help. The field is a Gaussian process with a Matern 5/2 kernel,
  and what we are after counts as white noise beside it. Amplitude and share of white noise are
  those of greatest likelihood in the training rows.

Either estimate is a linear function of the row, so that one matrix corrects all rows.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import RBFInterpolator
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from eiderdown.arrays import FloatArray
from eiderdown.errors import OptionError
from eiderdown.option_types import fit, shown, unwrapped

__all__ = ["SpatialNoiseRemover"]

LENGTH_SCALES = (2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0)
"""Tried for ``length_scale="auto"``, in units of the distance of nearest places."""

_LEAST_SCALE = 1e-100

WHITE_SHARES = np.exp(np.arange(-16.0, 4.5, 0.5))
"""Tried variances of the white noise, in units of the field's."""


class SpatialNoiseRemover(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Subtract from each row a field that is smooth over the places of the columns.

    Parameters
    ----------
    positions
        The place of each column, two numbers each. By default the columns fill a square array, one
        column of it after the other, and the last may stay incomplete.
    calibrants
        The numbers of the columns, counted from 0, that hold nothing but the field; needed by
        ``method="spline"`` only.
    method
        ``"gaussian_process"`` uses all columns, ``"spline"`` the calibrants alone.
    length_scale
        How far the field reaches, in units of the positions; ``"auto"`` takes the one of greatest
        likelihood. A shorter one takes away more noise, and more of what all neighbours share:
        choose it by cross-validation where there is something to predict. For
        ``"gaussian_process"`` only.

    Attributes
    ----------
    mean_ : numpy.ndarray
        The mean of each column; corrected rows keep it.
    field_ : numpy.ndarray
        The matrix that turns a centred row into its field.
    length_scale_, white_share_ : float
        What the Gaussian process uses: its length scale, and the variance of the white noise in
        units of the field's.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> signal = rng.normal(size=(50, 100))
    >>> place = np.arange(100) // 10, np.arange(100) % 10
    >>> tilt = rng.normal(size=(50, 2)) @ place * 20
    >>> left = SpatialNoiseRemover().fit_transform(signal + tilt)
    >>> [float((table - signal).std(axis=0).mean().round(1)) for table in (signal + tilt, left)]
    [126.7, 0.5]
    """

    mean_: FloatArray
    field_: FloatArray
    length_scale_: float
    white_share_: float

    def __init__(
        self,
        *,
        positions: ArrayLike | None = None,
        calibrants: Sequence[int] | None = None,
        method: Literal["gaussian_process", "spline"] = "gaussian_process",
        length_scale: float | Literal["auto"] = "auto",
    ) -> None:
        self.positions = positions
        self.calibrants = calibrants
        self.method = method
        self.length_scale = length_scale

    def fit(self, X: ArrayLike, y: Any = None) -> Self:  # noqa: ARG002 (scikit-learn's signature)
        """Learn how to estimate the field of a row.

        Parameters
        ----------
        X
            A table of finite numbers.
        y
            Ignored.

        Returns
        -------
        self
        """
        table = validate_data(self, X, dtype=np.float64)
        places = self._places(table.shape[1])
        self.mean_ = table.mean(axis=0)
        method = unwrapped(self.method)
        if not isinstance(method, str) or method not in ("spline", "gaussian_process"):
            raise OptionError(
                f"method must be 'gaussian_process' or 'spline', not {shown(self.method)}."
            )
        if method == "spline":
            self.field_ = _spline(places, self._checked_calibrants(table.shape[1]))
        else:
            best = max(
                (_fitted(places, table - self.mean_, scale) for scale in self._scales(places)),
                key=lambda fitted: fitted.log_likelihood,
            )
            self.length_scale_, self.white_share_ = best.length_scale, best.white_share
            self.field_ = best.smoother()
        return self

    def transform(self, X: ArrayLike) -> FloatArray:
        """Return the rows without their fields.

        Parameters
        ----------
        X
            A table with the columns seen in ``fit``.
        """
        check_is_fitted(self)
        table = validate_data(self, X, dtype=np.float64, reset=False)
        corrected: FloatArray = table - (table - self.mean_) @ self.field_
        return corrected

    def _places(self, n_columns: int) -> FloatArray:
        if self.positions is None:
            side = int(np.ceil(np.sqrt(n_columns)))
            return np.column_stack(np.divmod(np.arange(n_columns), side)).astype(np.float64)
        try:
            places = np.asarray(self.positions, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            places = np.empty(0)
        if places.shape != (n_columns, 2) or not np.isfinite(places).all():
            raise OptionError(
                f"positions must have two numbers for each of the {n_columns} columns, finite, "
                f"not {shown(self.positions)}."
            )
        return places

    def _checked_calibrants(self, n_columns: int) -> list[int]:
        fits, given = fit(Collection[int], () if self.calibrants is None else self.calibrants)
        chosen = sorted(set(given)) if fits else []
        if len(chosen) < 3 or chosen[0] < 0 or chosen[-1] >= n_columns:
            raise OptionError(
                f"method='spline' needs at least three calibrants, counted from 0 to "
                f"{n_columns - 1}, not {shown(self.calibrants)}; name them or use "
                "'gaussian_process'."
            )
        return chosen

    def _scales(self, places: FloatArray) -> list[float]:
        if isinstance(self.length_scale, str) and self.length_scale == "auto":
            distances = cdist(places, places)
            nearest = distances[distances > 0.0].min() if distances.any() else 1.0
            return [nearest * scale for scale in LENGTH_SCALES]
        fits, scale = fit(float, self.length_scale)
        if not fits or not _LEAST_SCALE < scale < 1.0 / _LEAST_SCALE:
            raise OptionError(
                "length_scale must be 'auto' or a positive number, neither 0 nor infinite, not "
                f"{shown(self.length_scale)}."
            )
        return [scale]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags


def _spline(places: FloatArray, calibrants: list[int]) -> FloatArray:
    """Return the matrix from a row to the cubic spline through its calibrants."""
    through = RBFInterpolator(places[calibrants], np.eye(len(calibrants)), kernel="cubic", degree=1)
    field = np.zeros((len(places), len(places)))
    field[calibrants] = through(places).T
    return field


class _Fitted(NamedTuple):
    """A Gaussian process of some length scale, fitted to the rows by its amplitude and noise."""

    log_likelihood: float
    length_scale: float
    white_share: float
    eigenvalues: FloatArray
    eigenvectors: FloatArray

    def smoother(self) -> FloatArray:
        """Return the matrix from a centred row to the expected field."""
        kept = self.eigenvalues / (self.eigenvalues + self.white_share)
        smoother: FloatArray = (self.eigenvectors * kept) @ self.eigenvectors.T
        return smoother


def _fitted(places: FloatArray, centred: FloatArray, length_scale: float) -> _Fitted:
    """Choose amplitude and white noise; in the kernel's eigenvectors both are one line each."""
    reach = np.sqrt(5.0) * cdist(places, places) / length_scale
    kernel = (1.0 + reach + reach**2 / 3.0) * np.exp(-reach)  # Matern 5/2
    eigenvalues, eigenvectors = np.linalg.eigh(kernel)
    eigenvalues = np.maximum(eigenvalues, 0.0)
    power = ((centred @ eigenvectors) ** 2).mean(axis=0)
    best_likelihood, best_share = -np.inf, float(WHITE_SHARES[0])
    for share in WHITE_SHARES.tolist():
        variances = eigenvalues + share
        amplitude = max(float((power / variances).mean()), np.finfo(float).tiny)
        likelihood = -0.5 * float(np.log(variances).sum() + len(power) * np.log(amplitude))
        if likelihood > best_likelihood:
            best_likelihood, best_share = likelihood, share
    return _Fitted(best_likelihood, length_scale, best_share, eigenvalues, eigenvectors)
