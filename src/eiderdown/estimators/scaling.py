"""Numbers on a common scale, and binary columns as 0 and 1, as the thesis prepared its tables."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from eiderdown.arrays import FloatArray

__all__ = ["MixedScaler"]


class MixedScaler(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Standardise numbers; turn columns of two values into 0 and 1.

    A column that takes two values in training becomes 0 for the lesser and 1 for the greater one.
    Any other gets mean zero and standard deviation one; a constant column becomes zero.

    Attributes
    ----------
    offset_, scale_ : numpy.ndarray
        What is subtracted from each column, and what it is then divided by.
    is_binary_ : numpy.ndarray
        Which columns take two values.

    References
    ----------
    L. E. Brown, doctoral thesis, Vanderbilt University 2009, section V.2.1.

    Examples
    --------
    >>> MixedScaler().fit_transform([[1.0, 5.0], [1.0, 7.0], [2.0, 9.0]]).round(3)
    array([[ 0.   , -1.225],
           [ 0.   ,  0.   ],
           [ 1.   ,  1.225]])
    """

    offset_: FloatArray
    scale_: FloatArray
    is_binary_: Any

    def fit(self, X: ArrayLike, y: Any = None) -> Self:  # noqa: ARG002 (scikit-learn's signature)
        """Learn the offset and the scale of every column.

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
        low, high = table.min(axis=0), table.max(axis=0)
        self.is_binary_ = (low < high) & ((table == low) | (table == high)).all(axis=0)
        self.offset_ = np.where(self.is_binary_, low, table.mean(axis=0))
        spread = np.where(self.is_binary_, high - low, table.std(axis=0))
        # Rounding leaves a constant column with a spread of the last digits.
        self.scale_ = np.where(low < high, spread, 1.0)
        self.scale_[self.scale_ == 0.0] = 1.0
        return self

    def transform(self, X: ArrayLike) -> FloatArray:
        """Return the columns on their new scale.

        Parameters
        ----------
        X
            A table with the columns seen in ``fit``.
        """
        check_is_fitted(self)
        table = validate_data(self, X, dtype=np.float64, reset=False)
        scaled: FloatArray = (table - self.offset_) / self.scale_
        return scaled

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags
