"""How well a set of columns predicts a target: naive Bayes for classes, a line for numbers.

Naive Bayes with Laplace's correction, and the mean of the classes' accuracies, are the measures of
Pena, Nilsson, Bjorkegren & Tegner (2007), section 5.1.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.data import Dataset
from eiderdown.data.rows import require_plain_rows
from eiderdown.errors import OptionError, TooFewRowsError, UnseenCategoryError, listed
from eiderdown.option_types import shown
from eiderdown.results import Accuracy

N_REPEATS = 3
"""How often cross-validation is repeated with other folds, if only their number is given."""

Split: TypeAlias = tuple[IntArray, IntArray]


@dataclass(frozen=True, eq=False)
class Prediction:
    """Tables of which some rows train and others test."""

    tables: tuple[Dataset, ...]
    target: str
    splits: tuple[Split, ...]
    how: str
    _logs: dict[str, tuple[FloatArray, ...]] = field(default_factory=dict, init=False, repr=False)

    @property
    def described(self) -> str:
        """How accuracies are measured, for people."""
        model = "naive Bayes" if self._is_discrete(self.target) else "linear regression"
        return f"{model}, {self.how}"

    def accuracy(self, members: Collection[str]) -> Accuracy:
        """Measure how well some columns predict the target."""
        in_order = sorted(members)
        discrete = self._is_discrete(self.target)
        return self._of_classes(in_order) if discrete else self._of_numbers(in_order)

    def _of_classes(self, members: list[str]) -> Accuracy:
        truth, n_classes = self._codes(self.target)
        discrete = [name for name in members if self._is_discrete(name)]
        columns = [(self._codes(name)[0], self._category_logs(name)) for name in discrete]
        continuous = [self._numbers(name) for name in members if not self._is_discrete(name)]
        right = np.zeros(n_classes)
        for k, (train, test) in enumerate(self.splits):
            classes, prior = self._priors[k]
            joint = np.zeros((len(test), len(classes)))
            for codes, logs in columns:
                joint += logs[k].take(codes[test], axis=0)
            joint += prior
            if continuous:
                joint += _value_logs(continuous, truth, train, test)
            wanted = truth[test]
            predicted = classes[joint.argmax(axis=1)]
            right += np.bincount(wanted[predicted == wanted], minlength=n_classes)
        seen = np.bincount(truth[self._tested], minlength=n_classes)
        shares = right[seen > 0] / seen[seen > 0]
        return Accuracy(float(right.sum() / seen.sum()), float(shares.mean()))

    @cached_property
    def _tested(self) -> IntArray:
        """Rows that test, as often as they do."""
        return np.concatenate([test for _, test in self.splits])

    @cached_property
    def _priors(self) -> list[tuple[IntArray, FloatArray]]:
        """The classes of each split, and the logarithms of their shares."""
        truth, _ = self._codes(self.target)
        counted = [np.unique(truth[train], return_counts=True) for train, _ in self.splits]
        return [(classes, np.log(counts / counts.sum())) for classes, counts in counted]

    def _category_logs(self, name: str) -> tuple[FloatArray, ...]:
        """Return log P(category | class) of a discrete column for each split, one class a column.

        Other sets of columns with this one use them again.
        """
        if name not in self._logs:
            truth, n_classes = self._codes(self.target)
            codes, n_categories = self._codes(name)
            pairs = codes * n_classes + truth
            logs = []
            for train, _ in self.splits:
                counts = np.bincount(pairs[train], minlength=n_categories * n_classes)
                of_class = counts.reshape(n_categories, n_classes)
                laplace = of_class[:, of_class.any(axis=0)] + 1.0
                logs.append(np.log(laplace) - np.log(laplace.sum(axis=0)))
            self._logs[name] = tuple(logs)
        return self._logs[name]

    def _of_numbers(self, members: list[str]) -> Accuracy:
        truth = self._numbers(self.target)
        columns = [column for name in members for column in self._predictors(name)]
        matrix = np.column_stack([np.ones(len(truth)), *columns])
        error, spread = 0.0, 0.0
        for train, test in self.splits:
            slopes = np.linalg.lstsq(matrix[train], truth[train], rcond=None)[0]
            error += float(np.square(truth[test] - matrix[test] @ slopes).sum())
            spread += float(np.square(truth[test] - truth[train].mean()).sum())
        return Accuracy(1.0 - error / spread if spread > 0.0 else 0.0)

    def _predictors(self, name: str) -> list[FloatArray]:
        """Return a column of numbers, or of text indicators of all categories but the first."""
        first = self.tables[0].categories(self.tables[0].index(name))
        if not any(isinstance(category, str) for category in first):
            return [self._numbers(name)]
        codes, n_categories = self._codes(name)
        return [(codes == c).astype(np.float64) for c in range(1, n_categories)]

    def _is_discrete(self, name: str) -> bool:
        return bool(self.tables[0].is_discrete[self.tables[0].index(name)])

    def _codes(self, name: str) -> tuple[IntArray, int]:
        """Codes of a discrete column in all rows, and how many categories there are."""
        code_of: dict[Any, int] = {}
        parts = []
        for table in self.tables:
            column = table.index(name)
            # A missing value, the code behind the categories, is a category here.
            seen = (*table.categories(column), *([None] if table.has_missing[column] else []))
            codes = [code_of.setdefault(one, len(code_of)) for one in seen]
            parts.append(np.array(codes, dtype=np.int64)[table.codes(column)])
        return np.concatenate(parts), len(code_of)

    def _numbers(self, name: str) -> FloatArray:
        """Numbers in all rows, the mean where they are missing; a discrete column's categories."""
        parts = []
        for table in self.tables:
            column = table.index(name)
            categories = table.categories(column)
            parts.append(
                np.array([*categories, np.nan])[table.codes(column)]
                if categories
                else table.values(column)
            )
        numbers = np.concatenate(parts)
        return np.where(np.isnan(numbers), np.nanmean(numbers), numbers)


def by_cross_validation(data: Dataset, target: str, cv: Any, seed: int) -> Prediction:
    """Test on folds: their number, or a splitter of scikit-learn."""
    require_plain_rows(data, "Cross-validation")
    column = data.index(target)
    truth = data.codes(column) if data.is_discrete[column] else data.values(column)
    if hasattr(cv, "get_n_splits"):
        splits = cv.split(np.zeros((data.n_rows, 1)), truth)
        return Prediction((data,), target, tuple(splits), str(cv))
    if isinstance(cv, int) and cv > data.n_rows:
        raise TooFewRowsError(
            f"{data.n_rows} rows are too few for cross-validation with {cv} folds; collect more "
            "rows, or leave accuracies out (cv=None)."
        )
    if isinstance(cv, bool) or not isinstance(cv, int) or cv < 2:
        raise OptionError(
            "cv must be a number of folds, at least 2, or a splitter of "
            f"scikit-learn, or None, not {shown(cv)}."
        )
    splits = _folds(truth, cv, seed, discrete=bool(data.is_discrete[column]))
    how = f"{cv}-fold cross-validation, {N_REPEATS} times"
    return Prediction((data,), target, tuple(splits), how)


def on_test_data(
    data: Dataset, target: str, test_data: Any, columns: Collection[str]
) -> Prediction:
    """Train on a table and test on another one that has these columns."""
    names = [target, *columns]
    kinds = {name: data.kind(data.index(name)) for name in names}
    other = Dataset.of(test_data, kinds=kinds)
    for name in names:
        other.index(name)
    unseen = set(other.categories(other.index(target))) - set(data.categories(data.index(target)))
    if unseen:
        raise UnseenCategoryError(
            f"The test data hold categories of target {target!r} that the table does not have: "
            f"{listed(sorted(map(str, unseen)))}; leave those rows out."
        )
    rows = np.arange(data.n_rows + other.n_rows)
    split = (rows[: data.n_rows], rows[data.n_rows :])
    return Prediction((data, other), target, (split,), f"{other.n_rows:,} rows of test data")


def _folds(truth: Any, n_folds: int, seed: int, *, discrete: bool) -> Iterator[Split]:
    from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold

    stratified = discrete and np.bincount(truth).max() >= n_folds
    folds = (RepeatedStratifiedKFold if stratified else RepeatedKFold)(
        n_splits=n_folds, n_repeats=N_REPEATS, random_state=seed % 2**32
    )
    with warnings.catch_warnings():
        # Classes are counted over all folds together, so one that is not in each does no harm.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        yield from folds.split(np.zeros((len(truth), 1)), truth)


def _value_logs(
    continuous: list[FloatArray], truth: IntArray, train: IntArray, test: IntArray
) -> FloatArray:
    """Return the log density of continuous columns in the rows that test, one class a column."""
    from sklearn.naive_bayes import GaussianNB

    values = _standardised(np.column_stack(continuous), train)
    by_value = GaussianNB().fit(values[train], truth[train])
    joint: FloatArray = by_value.predict_joint_log_proba(values[test])
    logs: FloatArray = joint - np.log(by_value.class_prior_)
    return logs


def _standardised(values: FloatArray, train: IntArray) -> FloatArray:
    """Give columns one unit: scikit-learn smooths all variances by a share of the largest."""
    largest = np.abs(values[train]).max(axis=0)
    scaled = values / np.where(largest > 0.0, largest, 1.0)
    spread = scaled[train].std(axis=0)
    centred: FloatArray = scaled - scaled[train].mean(axis=0)
    return centred / np.where(spread > 0.0, spread, 1.0)
