"""The degenerate Gaussian score: BIC of columns and indicators of categories taken as Gaussian.

Andrews, Ramsey & Cooper (2019), "Learning high-dimensional directed acyclic graphs with mixed
data-types". A number is one component; a category of k values is k - 1 uncorrelated combinations of
its indicators. It is the score that goes with Wilks' test (:mod:`eiderdown.independence.wilks`),
much faster than kernels and blind to what is not linear.

A difference from the paper: components of different columns are taken as a millionth less
correlated than they are, so that a column that is a function of others has a score as well.
"""

from __future__ import annotations

import numpy as np

from eiderdown.arrays import FloatArray
from eiderdown.data import Dataset
from eiderdown.data.partitioned import PartitionedDataset
from eiderdown.scores.components import Components
from eiderdown.scores.kernel_variance import ComponentScore, regularised, regularised_rows
from eiderdown.statistics import PartitionedMoments
from eiderdown.statistics.moments import near_one

_LESS = 1e-6  # of a correlation


class DegenerateGaussianScore(ComponentScore):
    """Log-likelihood of linear regressions of blocks, less ln(n) / 2 for every parameter.

    Parameters
    ----------
    data : Dataset
        The table, of any kinds.
    """

    name = "degenerate_gaussian"

    def __init__(self, data: Dataset) -> None:
        if isinstance(data, PartitionedDataset):
            moments = PartitionedMoments(data)
            if not moments.unusable.any():
                super().__init__(data, _ComponentsOfParts(moments))
                return
        super().__init__(data, (_block(data, i) for i in range(data.n_columns)))


class _ComponentsOfParts(Components):
    """The same components for a table in parts: combinations of columns whose correlations add up.

    Parameters
    ----------
    moments : PartitionedMoments
        The correlations.
    """

    def __init__(self, moments: PartitionedMoments) -> None:
        data, self._moments = moments.data, moments
        self._weights = [self._weights_of(i) for i in range(data.n_columns)]
        super().__init__(np.array([len(own) for own in self._weights]), np.zeros(data.n_columns))

    def _weights_of(self, column: int) -> FloatArray:
        """Return how the components are made of the column's contrasts, or of the number."""
        if not self._moments.data.is_discrete[column]:
            return np.array([[1.0 - _LESS / 2]])
        counts = self._moments.data.category_counts(column)
        components = regularised_rows(np.eye(len(counts)), counts, _LESS)
        contrasts = self._moments.scaling_of(column)[2]
        weights: FloatArray = (components.T * counts) @ contrasts.T
        return weights

    def correlations(self, column: int) -> FloatArray:
        """Correlate the components of one column with those of all columns."""
        first = self._moments.first
        found = self._weights[column] @ self._moments.correlations(column)
        whole: FloatArray = np.concatenate(
            [found[:, first[i] : first[i + 1]] @ own.T for i, own in enumerate(self._weights)],
            axis=1,
        )
        whole[:, self.places([column])] = np.eye(len(whole))
        return whole


def _block(data: Dataset, column: int) -> FloatArray:
    """Return uncorrelated components of a column, all of the same length just below 1."""
    if data.is_discrete[column]:
        codes = data.codes(column).astype(np.int64)
        return regularised(np.eye(int(data.n_categories[column])), codes, _LESS)
    values, _ = near_one(data.values(column))
    values = values - values.mean()
    scaled: FloatArray = values * ((1.0 - _LESS / 2) / np.sqrt(values @ values))
    return scaled[:, None]
