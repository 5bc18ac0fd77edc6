"""Rows to train on and rows to test on, by scikit-learn's splitters, and scores of the latter."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any, TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.errors import EiderdownWarning, OptionError, TooFewRowsError, require_count
from eiderdown.svm.model import PolynomialModel
from eiderdown.svm.monomials import Matrix
from eiderdown.svm.numeric import NumericTarget

_FEW_ROWS = 20  # of a class, for five folds with a handful each

Split: TypeAlias = tuple[IntArray, IntArray]
"""Rows to train on, and rows to test on."""


@dataclass(frozen=True)
class FoldScores:
    """Scores in several folds."""

    scores: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Mean over folds."""
        return fmean(self.scores)

    @property
    def sd(self) -> float:
        """Standard deviation over folds; 0 for a single one."""
        return stdev(self.scores) if len(self.scores) > 1 else 0.0

    @property
    def standard_error(self) -> float:
        """Standard error of the mean over folds."""
        return self.sd / math.sqrt(len(self.scores))


def usable_folds(y: Any, folds: int, *, regression: bool = False) -> int:
    """Return how many folds there can be if every fold is to hold rows of every class.

    Fewer than were asked for come with a warning.

    Examples
    --------
    >>> usable_folds(np.array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1]), 5)
    5
    """
    require_count("folds", folds, least=2)
    rarest, n_rows = _rarest(y, regression)
    if n_rows < 2:
        raise TooFewRowsError(f"{rarest} has {n_rows} row, but two are needed for two folds.")
    if n_rows < folds:
        warnings.warn(
            f"{rarest} has only {n_rows} rows, so there are {n_rows} folds, not {folds}.",
            EiderdownWarning,
            stacklevel=3,
        )
    return min(int(folds), n_rows)


def affordable_folds(target: NumericTarget, name: str, folds: int) -> tuple[int, list[str]]:
    """Return no more folds than the rarest class has rows, and say if that is few."""
    if target.is_continuous:
        return min(folds, len(target.values)), []
    counts = np.bincount(target.values)
    n_rows = int(counts.min())
    rarest = f"Class {target.classes[int(counts.argmin())]!r} of target {name!r}"
    if n_rows < 2:
        raise TooFewRowsError(
            f"{rarest} has a single row, so it cannot be trained on and tested on; leave the class "
            "out, or merge it with another."
        )
    few = n_rows < _FEW_ROWS
    notes = [f"{rarest} has only {n_rows} rows, too few to learn much from."] if few else []
    return min(folds, n_rows), notes


def make_folds(
    y: Any, folds: int, random_state: int | None, *, regression: bool = False
) -> list[Split]:
    """Split the rows into folds, classes alike: scikit-learn's ``StratifiedKFold``, or ``KFold``.

    Examples
    --------
    >>> y = np.array([0, 0, 0, 0, 1, 1])
    >>> [y[test].tolist() for _, test in make_folds(y, 2, 0)]
    [[0, 0, 1], [0, 0, 1]]
    """
    from sklearn.model_selection import KFold, StratifiedKFold

    kind = KFold if regression else StratifiedKFold
    splitter = kind(folds, shuffle=True, random_state=random_state)
    return list(splitter.split(np.zeros((len(y), 1)), y))


def hold_out(y: Any, share: float, random_state: int | None, *, regression: bool = False) -> Split:
    """Hold out a share of the rows, classes alike, by scikit-learn's ``train_test_split``.

    Examples
    --------
    >>> y = np.array([0] * 10 + [1] * 5)
    >>> train, test = hold_out(y, 0.2, 0)
    >>> y[test].tolist()
    [0, 0, 1]
    """
    from sklearn.model_selection import train_test_split

    if not 0.0 < share < 1.0:
        raise OptionError(f"test_share must be between 0 and 1, not {share!r}; 0.2 is common.")
    rarest, n_rarest = _rarest(y, regression)
    if n_rarest < 2:
        raise TooFewRowsError(
            f"{rarest} has {n_rarest} row, but one is needed to train on and one to test on."
        )
    groups = np.zeros(len(y), dtype=np.int64) if regression else np.asarray(y)
    codes = np.unique(groups)
    n_test = min(max(round(share * len(y)), len(codes)), len(y) - len(codes))
    train, test = train_test_split(
        np.arange(len(y)), test_size=n_test, stratify=groups, random_state=random_state
    )
    held = np.zeros(len(y), dtype=np.bool_)
    held[test] = True
    for code in codes:  # a class too rare for its share still has a row on either side
        if not held[groups == code].any():
            held[train[groups[train] == code][0]] = True
        elif held[groups == code].all():
            held[test[groups[test] == code][0]] = False
    return np.flatnonzero(~held), np.flatnonzero(held)


def n_rarest(y: Any, *, regression: bool = False) -> int:
    """Return the number of rows of the rarest class, or in regression of all rows."""
    return _rarest(y, regression)[1]


def score(y: Any, decisions: FloatArray, pairs: Sequence[tuple[int, int] | None]) -> float:
    """Score the decisions of all models, a column for each: AUC for classes, R2 for numbers.

    With more than two classes it is the mean over pairs of classes, each judged on the rows of the
    two (Hand & Till 2001).

    Examples
    --------
    >>> score(np.array([1, 0, 1]), np.array([[2.0], [1.0], [1.0]]), [(0, 1)])
    0.75
    """
    if pairs[0] is None:
        if np.ptp(y) == 0.0:
            raise TooFewRowsError(
                "The target has one value in all rows to test on, so there is no variance to "
                "explain; test on more rows."
            )
        errors = y - decisions[:, 0]
        return float(1.0 - errors @ errors / np.square(y - y.mean()).sum())
    from sklearn.metrics import roc_auc_score

    areas = []
    for column, pair in enumerate(pairs):
        assert pair is not None
        rows = (y == pair[0]) | (y == pair[1])
        positive = y[rows] == pair[1]
        if positive.all() or not positive.any():
            raise TooFewRowsError(
                "The rows to test on are all of one class, so there is no area under the curve; "
                "test on more rows."
            )
        areas.append(roc_auc_score(positive, decisions[rows, column]))
    return float(np.mean(areas))


def score_models(models: Sequence[PolynomialModel], X: Matrix, y: Any) -> float:
    """Score models on rows: one, or one for each pair of classes."""
    decisions = np.column_stack([model.decision(X) for model in models])
    return score(y, decisions, [model.classes for model in models])


def linear_scores(
    columns: FloatArray, y: Any, splits: Sequence[Split], *, regression: bool = False
) -> FoldScores:
    """Judge a linear model of some columns: logistic regression, or ridge for numbers.

    An SVM sees an interaction wherever its kernel has it; a linear model of monomials sees it only
    if it is among them. If the two predict alike, the monomials tell what the SVM knows.

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=(60, 1))
    >>> y = (x[:, 0] > 0).astype(int)
    >>> linear_scores(x, y, make_folds(y, 3, 0)).mean
    1.0
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.model_selection import cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = Ridge(alpha=1.0) if regression else LogisticRegression(max_iter=1_000)
    scoring = "r2" if regression else "roc_auc" if len(np.unique(y)) == 2 else "roc_auc_ovo"
    with warnings.catch_warnings():
        # Classes that can be separated pull coefficients outward for ever; the order is settled.
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = cross_val_score(
            make_pipeline(StandardScaler(), model), columns, y, cv=splits, scoring=scoring
        )
    return FoldScores(tuple(found.tolist()))


def _rarest(y: Any, regression: bool) -> tuple[str, int]:
    if regression:
        return "The table", len(y)
    codes, counts = np.unique(y, return_counts=True)
    position = int(counts.argmin())
    return f"Class {codes[position]} of the target", int(counts[position])
