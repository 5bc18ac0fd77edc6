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
from eiderdown.scores.kernel_variance import ComponentScore, regularised
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
        super().__init__(data, (_block(data, i) for i in range(data.n_columns)))


def _block(data: Dataset, column: int) -> FloatArray:
    """Return uncorrelated components of a column, all of the same length just below 1."""
    if data.is_discrete[column]:
        codes = data.codes(column).astype(np.int64)
        return regularised(np.eye(int(data.n_categories[column])), codes, _LESS)
    values, _ = near_one(data.values(column))
    values = values - values.mean()
    scaled: FloatArray = values * ((1.0 - _LESS / 2) / np.sqrt(values @ values))
    return scaled[:, None]
