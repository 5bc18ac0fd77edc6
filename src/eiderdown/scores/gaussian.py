"""Scores of continuous columns: Gaussian BIC and BGe."""

from __future__ import annotations

import math

import numpy as np

from eiderdown.arrays import FloatArray
from eiderdown.data import Dataset
from eiderdown.errors import ColumnKindError, ConstantColumnError, OptionError, listed
from eiderdown.scores.determinants import DeterminantScore, Features
from eiderdown.statistics import MomentStatistics


class _Columns(Features):
    """Every column is one feature; correlations may be weakened by a prior.

    Parameters
    ----------
    data : Dataset
        The table; its columns must be continuous and vary.
    standardise : bool
        Whether columns count as having variance 1.
    sums : bool
        Whether scales are sums of squares instead of variances.
    prior : float
        What is added to the diagonal.
    """

    def __init__(
        self, data: Dataset, *, standardise: bool = False, sums: bool = False, prior: float = 0.0
    ) -> None:
        _require_continuous(data)
        every = range(data.n_columns)
        self._moments = MomentStatistics(data)
        self._order = self._moments.positions(np.arange(data.n_columns))
        squares = np.array([_sum_of_squares(data.values(i)) for i in every])
        if standardise:
            squares = np.full(data.n_columns, data.n_rows - 1.0)
        self._weight = np.sqrt(squares / (squares + prior))
        scale = np.log(squares + prior) - (0.0 if sums else math.log(data.n_rows))
        super().__init__(np.ones(data.n_columns, dtype=np.int64), scale)

    def correlations(self, column: int) -> FloatArray:
        """Correlate one column with all columns."""
        found: FloatArray = self._moments.correlations(column)[None, self._order]
        found *= self._weight * self._weight[column]
        found[:, column] = 1.0
        return found


class GaussianBicScore(DeterminantScore):
    """Log-likelihood of a linear regression on the parents, less ln(n) / 2 for every parameter.

    A column with p parents has p + 2 parameters: coefficients, intercept and variance.

    Parameters
    ----------
    data : Dataset
        The table; its columns must be continuous.
    """

    name = "gaussian_bic"

    def __init__(self, data: Dataset) -> None:
        super().__init__(data.names, _Columns(data))
        self._n_rows = data.n_rows

    def _values(self, log_determinants: FloatArray, n_features: int) -> FloatArray:
        per_feature = 1.0 + math.log(2.0 * math.pi)
        likelihood = -0.5 * self._n_rows * (log_determinants + n_features * per_feature)
        n_parameters = n_features * (n_features + 1) / 2 + n_features
        return likelihood - 0.5 * math.log(self._n_rows) * n_parameters


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
    """

    name = "bge"

    def __init__(
        self,
        data: Dataset,
        *,
        mean_weight: float = 1.0,
        extra_weight: float = 2.0,
        standardise: bool = True,
    ) -> None:
        if not 0.0 < mean_weight < math.inf:
            raise OptionError(f"mean_weight must be a positive number, not {mean_weight!r}.")
        if not 1.0 < extra_weight < math.inf:
            raise OptionError(f"extra_weight must be a number above 1, not {extra_weight!r}.")
        self._prior = mean_weight * (extra_weight - 1.0) / (mean_weight + 1.0)
        features = _Columns(data, standardise=standardise, sums=True, prior=self._prior)
        super().__init__(data.names, features)
        self.mean_weight, self.extra_weight = float(mean_weight), float(extra_weight)
        self.standardise = standardise
        self._n_rows = data.n_rows

    @property
    def description(self) -> dict[str, object]:
        """Name and options of the score, for the record of a run."""
        return {
            **super().description,
            "mean_weight": self.mean_weight,
            "extra_weight": self.extra_weight,
            "standardise": self.standardise,
        }

    def _values(self, log_determinants: FloatArray, n_features: int) -> FloatArray:
        n, size = self._n_rows, n_features
        before, after = self.extra_weight + size, n + self.extra_weight + size
        constant = 0.5 * math.log(self.mean_weight / (n + self.mean_weight))
        constant += 0.5 * before * math.log(self._prior) - 0.5 * n * math.log(math.pi)
        gammas = [math.lgamma((after - k) / 2) - math.lgamma((before - k) / 2) for k in range(size)]
        return size * constant + math.fsum(gammas) - 0.5 * after * log_determinants


def _require_continuous(data: Dataset) -> None:
    wrong = [data.names[i] for i in np.flatnonzero(data.is_discrete)]
    if wrong:
        raise ColumnKindError(
            f"This score needs continuous columns, but these are discrete: {listed(wrong)}; give "
            "their kind as continuous, leave them out, or use the score 'kgv', which takes both."
        )
    constant = data.constant_columns()
    if constant:
        raise ConstantColumnError(
            f"These columns have a single value and no Gaussian score: {listed(constant)}; leave "
            "them out."
        )


def _sum_of_squares(values: FloatArray) -> float:
    return float(np.var(values)) * len(values)
