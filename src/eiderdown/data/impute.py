"""Multiple imputation: several tables in which missing values are filled in, each time by chance.

Scikit-learn's ``IterativeImputer`` goes round the incomplete columns and fills in each from all
others. What it fills in is drawn by predictive mean matching (Little 1988): a linear model, fitted
to a bootstrap sample of the rows that have a value, predicts the column, and a row without one gets
that of one of the five rows whose predictions are nearest to its own, or of one of all whose
predictions are the same. So imputed values are values
that occur, and vary between tables as much as the data leave open. Categories are indicators, each
filled in by itself; where none or several are drawn, one is drawn by its frequency.
"""

from __future__ import annotations

import warnings
import zlib
from dataclasses import replace
from functools import reduce
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.data.columns import Kind
from eiderdown.data.dataset import Dataset
from eiderdown.errors import MissingValuesError, listed
from eiderdown.progress import stop_if_cancelled

N_TABLES = 10
"""How many tables are filled in."""

_N_DONORS = 5
_ROUNDING = 1e-9  # of predictions, as a share of their range
_N_ROUNDS = 5
_MOST_PREDICTORS = 50  # of each column; a wider table is thinned out by correlation
_RIDGE = 1e-3  # added to the variances of 1, against collinear predictors
_SURE = 1e6  # what is drawn for an indicator outweighs any frequency
_MOST_INDICATORS = 2_000  # columns of numbers and indicators together


class MatchedDraw(RegressorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Predict by the value of a row whose own prediction is near, drawn at random.

    Parameters
    ----------
    seed : int
        Where random choices start; they also depend on the data, because scikit-learn fits a copy
        for every column.
    """

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def fit(self, X: Any, y: Any) -> Self:
        """Fit a linear model to a bootstrap sample."""
        stop_if_cancelled()
        X, y = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
        self._generator = np.random.default_rng([self.seed, _digest(X), _digest(y)])
        rows = self._generator.integers(0, len(y), len(y))
        chosen, truth = X[rows], y[rows]
        self._mean, spread = chosen.mean(axis=0), chosen.std(axis=0)
        self._scale = np.where(spread > 0.0, spread, 1.0)
        scaled = (chosen - self._mean) / self._scale
        squares = scaled.T @ scaled + _RIDGE * len(y) * np.eye(X.shape[1])
        self._slopes = np.linalg.solve(squares, scaled.T @ (truth - truth.mean()))
        predicted = ((X - self._mean) / self._scale) @ self._slopes
        order = np.argsort(predicted, kind="stable")
        self._known, self._donors = predicted[order], y[order]
        return self

    def predict(self, X: Any) -> FloatArray:
        """Draw the value of one of the nearest rows for each row."""
        wanted = ((np.asarray(X, dtype=np.float64) - self._mean) / self._scale) @ self._slopes
        n_donors = min(_N_DONORS, len(self._known))
        first = np.searchsorted(self._known, wanted) - (n_donors + 1) // 2
        first = np.clip(first, 0, len(self._known) - n_donors)
        donor = first + self._generator.integers(0, n_donors, len(wanted))
        # Rows that are alike in all other columns have one prediction: each of them may be drawn,
        # for otherwise all rows would get the values of the same few.
        near = _ROUNDING * (self._known[-1] - self._known[0])
        low = np.searchsorted(self._known, wanted - near, side="left")
        high = np.searchsorted(self._known, wanted + near, side="right")
        many = high - low > n_donors
        donor[many] = self._generator.integers(low[many], high[many])
        drawn: FloatArray = self._donors[donor]
        return drawn


def imputed_tables(data: Dataset, *, n_tables: int = N_TABLES, seed: int = 0) -> list[Dataset]:
    """Fill in the missing values of a table several times.

    Columns without any value are left as they are. The order of the columns does not matter.

    Examples
    --------
    >>> data = Dataset.from_columns({"a": [1.5, 2.5, None, 4.5] * 5, "b": [1.0, 2.0, 3.0, 4.0] * 5})
    >>> tables = imputed_tables(data, n_tables=2)
    >>> [bool(table.has_missing.any()) for table in tables]
    [False, False]
    """
    coded = _Coded(data.in_memory("filling in values"))
    seeds = np.random.SeedSequence(seed).generate_state(n_tables).tolist()
    return [coded.decoded(_filled_in(coded.numbers, own), own) for own in seeds]


def _filled_in(numbers: FloatArray, seed: int) -> FloatArray:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.experimental import enable_iterative_imputer  # noqa: F401  allows the next import
    from sklearn.impute import IterativeImputer

    imputer = IterativeImputer(
        MatchedDraw(seed),
        max_iter=_N_ROUNDS,
        n_nearest_features=_MOST_PREDICTORS if numbers.shape[1] > _MOST_PREDICTORS else None,
        skip_complete=True,
        random_state=seed,
    )
    with warnings.catch_warnings():
        # Draws never converge: the rounds only mix them.
        warnings.simplefilter("ignore", ConvergenceWarning)
        found: FloatArray = imputer.fit_transform(numbers)
    return found


class _Coded:
    """The columns as numbers, categories as indicators, in the order of names."""

    def __init__(self, data: Dataset) -> None:
        self._data = data
        empty = [bool(data.missing(i).all()) for i in range(data.n_columns)]
        order = sorted(range(data.n_columns), key=data.names.__getitem__)
        self._columns = [i for i in order if not empty[i]]
        widths = [max(1, int(data.n_categories[i]) - (data.n_categories[i] == 2)) for i in order]
        if sum(widths) > _MOST_INDICATORS:
            raise MissingValuesError(
                f"Filling in goes round all columns, and {sum(widths):,} (with one for each "
                f"category) are too many for that, of which {listed(data.names)}; leave columns "
                "out, or let the tests leave out rows (missing='testwise')."
            )
        parts = [self._numbers(i) for i in self._columns]
        self._stops = np.cumsum([len(part) for part in parts])
        self.numbers = np.concatenate(parts).T

    def _numbers(self, i: int) -> FloatArray:
        """Return a column as rows of numbers, NaN where it is missing."""
        data = self._data
        if not data.is_discrete[i]:
            return data.values(i)[None, :]
        n_categories = int(data.n_categories[i])
        shown = range(1, 2) if n_categories == 2 else range(n_categories)
        indicators = np.array([data.codes(i) == k for k in shown], dtype=np.float64)
        indicators[:, data.missing(i)] = np.nan
        return indicators

    def decoded(self, numbers: FloatArray, seed: int) -> Dataset:
        """Put filled-in values into the table."""
        data, generator = self._data, np.random.default_rng(seed)
        codes: dict[str, IntArray] = {}
        values: dict[str, FloatArray] = {}
        for i, part in zip(self._columns, np.split(numbers.T, self._stops[:-1]), strict=True):
            if not data.has_missing[i]:
                continue
            if data.is_discrete[i]:
                codes[data.names[i]] = self._codes(i, part, generator)
            else:
                values[data.names[i]] = part[0]
        new = []
        if values:
            new.append(Dataset.from_columns(values, kinds=dict.fromkeys(values, Kind.CONTINUOUS)))
        if codes:
            categories = [data.categories(data.index(name)) for name in codes]
            stacked = np.stack(list(codes.values()))
            new.append(Dataset.from_codes(stacked, names=tuple(codes), categories=categories))
        others = [name for name in data.names if name not in codes and name not in values]
        tables = [data.select(others), *new] if others else new
        whole = reduce(Dataset.beside, tables).select(data.names)
        return replace(whole, roles=data.roles, finer=data.finer)

    def _codes(self, i: int, part: FloatArray, generator: np.random.Generator) -> IntArray:
        """Return the codes of a discrete column, one of the categories where it was missing."""
        codes, n_categories = self._data.codes(i).astype(np.int64), int(self._data.n_categories[i])
        missing = codes == n_categories
        if n_categories == 2:
            codes[missing] = part[0, missing] > 0.5
            return codes
        with np.errstate(divide="ignore"):  # a category that was never seen is never drawn
            log_share = np.log(np.bincount(codes[~missing], minlength=n_categories))[:, None]
        # The largest of logarithms with Gumbel noise is a draw by their exponentials.
        chance = log_share + generator.gumbel(size=(n_categories, int(missing.sum())))
        codes[missing] = (_SURE * part[:, missing] + chance).argmax(axis=0)
        return codes


def _digest(array: FloatArray) -> int:
    return zlib.crc32(np.ascontiguousarray(array).data)
