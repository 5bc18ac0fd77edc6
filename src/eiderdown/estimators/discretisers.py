"""Discretisers for scikit-learn pipelines: numbers in, interval numbers out.

Each learns ``cuts_`` (see ``eiderdown.data.discretise``) in ``fit`` and numbers the intervals in
``transform``; values beyond those seen in training fall into the outermost intervals.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.data.discretise import (
    codes_at,
    equal_frequency_cuts,
    equal_width_cuts,
    hartemink_cuts,
    mdl_cuts,
)
from eiderdown.errors import EiderdownWarning, listed

__all__ = [
    "EqualFrequencyDiscretiser",
    "EqualWidthDiscretiser",
    "HarteminkDiscretiser",
    "MDLDiscretiser",
]

_Columns: TypeAlias = dict[str, FloatArray]


class _Discretiser(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """What all discretisers share: cuts by name, and numbers of intervals."""

    cuts_: _Columns

    def transform(self, X: ArrayLike) -> IntArray:
        """Return the number of the interval that holds each value, counted from 0.

        Parameters
        ----------
        X
            A table with the columns seen in ``fit``.

        Returns
        -------
        numpy.ndarray
            Integers, of the shape of ``X``.
        """
        check_is_fitted(self)
        table = validate_data(self, X, dtype=np.float64, reset=False)
        pairs = zip(table.T, self.cuts_.values(), strict=True)
        return np.column_stack([codes_at(column, cuts) for column, cuts in pairs])

    def _learn(self, table: FloatArray, find_cuts: Callable[[_Columns], _Columns]) -> Self:
        names = [str(name) for name in self.get_feature_names_out()]
        self.cuts_ = find_cuts(dict(zip(names, table.T, strict=True)))
        constant = [name for name, cuts in self.cuts_.items() if len(cuts) == 0]
        if constant:
            warnings.warn(
                f"No cut was found for column {listed(constant)}, which becomes constant; "
                f"drop it, or discretise it in another way.",
                EiderdownWarning,
                stacklevel=3,
            )
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags


class _UnsupervisedDiscretiser(_Discretiser):
    """A discretiser that needs no classes."""

    _least_columns = 1
    n_bins: int

    def __init__(self, *, n_bins: int = 3) -> None:
        self.n_bins = n_bins

    def fit(self, X: ArrayLike, y: Any = None) -> Self:  # noqa: ARG002 (scikit-learn's signature)
        """Learn the cuts of every column.

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
        least = self._least_columns
        table = validate_data(self, X, dtype=np.float64, ensure_min_features=least)
        return self._learn(table, self._find_cuts)

    @abstractmethod
    def _find_cuts(self, columns: _Columns) -> _Columns:
        """Return the cuts of each column."""


class EqualWidthDiscretiser(_UnsupervisedDiscretiser):
    """Intervals of equal width between the least and the greatest value of each column.

    Parameters
    ----------
    n_bins
        The number of intervals.

    Attributes
    ----------
    cuts_ : dict
        The ascending cuts of each column, by name; fits `eiderdown.data.discretise`.

    Examples
    --------
    >>> EqualWidthDiscretiser(n_bins=2).fit_transform([[0.0], [1.0], [10.0]]).ravel()
    array([0, 0, 1])
    """

    def _find_cuts(self, columns: _Columns) -> _Columns:
        return {name: equal_width_cuts(column, self.n_bins) for name, column in columns.items()}


class EqualFrequencyDiscretiser(_UnsupervisedDiscretiser):
    """Intervals that hold about the same number of training values of each column.

    Parameters
    ----------
    n_bins
        The number of intervals; ties may leave fewer.

    Attributes
    ----------
    cuts_ : dict
        The ascending cuts of each column, by name; fits `eiderdown.data.discretise`.

    Examples
    --------
    >>> EqualFrequencyDiscretiser(n_bins=2).fit_transform([[0.0], [1.0], [9.0], [10.0]]).ravel()
    array([0, 0, 1, 1])
    """

    def _find_cuts(self, columns: _Columns) -> _Columns:
        return {name: equal_frequency_cuts(column, self.n_bins) for name, column in columns.items()}


class MDLDiscretiser(_Discretiser):
    """Intervals that tell of a class, by entropy and minimum description length.

    A column for which no cut pays for itself becomes constant; a warning names it.

    Attributes
    ----------
    cuts_ : dict
        The ascending cuts of each column, by name; fits `eiderdown.data.discretise`.

    References
    ----------
    U. M. Fayyad and K. B. Irani, "Multi-interval discretization of continuous-valued
    attributes for classification learning", IJCAI 1993.

    Examples
    --------
    >>> X = [[0.0], [1.0], [9.0], [10.0]]
    >>> MDLDiscretiser().fit_transform(X, ["a", "a", "b", "b"]).ravel()
    array([0, 0, 1, 1])
    """

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Learn the cuts of every column that tell of the class.

        Parameters
        ----------
        X
            A table of finite numbers.
        y
            The class of each row.

        Returns
        -------
        self
        """
        table, classes = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(classes)
        return self._learn(
            table, lambda columns: {name: mdl_cuts(c, classes) for name, c in columns.items()}
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


class HarteminkDiscretiser(_UnsupervisedDiscretiser):
    """Intervals chosen for all columns together, to keep what they tell of each other.

    Parameters
    ----------
    n_bins
        The number of intervals of each column; ties may leave fewer.
    n_initial_bins
        The number of intervals of equal frequency to start merging from.

    Attributes
    ----------
    cuts_ : dict
        The ascending cuts of each column, by name; fits `eiderdown.data.discretise`.

    References
    ----------
    A. J. Hartemink, "Principled computational methods for the validation and discovery of
    genetic regulatory networks", PhD thesis, MIT 2001.

    Examples
    --------
    >>> x = np.arange(12.0)
    >>> X = np.column_stack([x, x > 8])
    >>> HarteminkDiscretiser(n_bins=2, n_initial_bins=4).fit(X).cuts_["x0"]
    array([8.5])
    """

    _least_columns = 2

    def __init__(self, *, n_bins: int = 3, n_initial_bins: int = 60) -> None:
        super().__init__(n_bins=n_bins)
        self.n_initial_bins = n_initial_bins

    def _find_cuts(self, columns: _Columns) -> _Columns:
        return hartemink_cuts(columns, self.n_bins, n_initial_bins=self.n_initial_bins)
