"""A support vector machine whose kernel and C are chosen by cross-validation, for prediction.

The grid is the thesis's (Brown 2009, chapter V): polynomials of degree 1 to 4, Gaussians of width
1e-4 to 1, C from 1e-4 to 10. One matrix of inner products serves all of it. Rows that are equal
are one row of more weight, which makes tables of few categories quick. Points of the grid that
fall behind after some folds are not tried in the others.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.svm import SVC, SVR

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.memory import require_memory
from eiderdown.progress import stop_if_cancelled
from eiderdown.svm.approximation import stratified_sample
from eiderdown.svm.calibration import Calibration, Scale, as_columns
from eiderdown.svm.cross_validation import FoldScores, Split, make_folds, n_rarest

DEGREES = (1, 2, 3, 4)
WIDTHS = (1e-4, 1e-3, 1e-2, 1e-1, 1.0)
CS = (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)
"""The thesis's grid."""

_TUNING_ROWS = 800
"""Kernel and C are chosen with so many rows; more change the choice little."""

_BEHIND = 0.02
"""Points this far behind the best, on the folds so far, are given up."""

_SAME = 1e-9
_STEPS = 50_000
"""LIBSVM ends here; what needs more has a C that is too high for its kernel."""

Scorer = Callable[[Any, FloatArray], float]


class Point(NamedTuple):
    """One kernel and C of the grid; the degree is 0 for a Gaussian."""

    degree: int
    width: float
    C: float

    def kernel(self, n_columns: int) -> dict[str, Any]:
        """Return what scikit-learn calls the kernel; inner products are divided by the columns."""
        if self.degree:
            scale = 1.0 / max(n_columns, 1)
            return {"kernel": "poly", "degree": self.degree, "gamma": scale, "coef0": 1.0}
        return {"kernel": "rbf", "gamma": self.width}

    def matrix(self, gram: FloatArray, n_columns: int) -> FloatArray:
        """Return the kernel of all pairs of rows, from their inner products."""
        if self.degree:
            base = gram / max(n_columns, 1) + 1.0
            return np.asarray(base**self.degree)
        squares = np.diagonal(gram)
        return np.exp(-self.width * (squares[:, None] + squares[None, :] - 2.0 * gram))


@dataclass(frozen=True)
class Grid:
    """What is tried."""

    degrees: tuple[int, ...] = DEGREES
    widths: tuple[float, ...] = WIDTHS
    Cs: tuple[float, ...] = CS

    def points(self) -> list[Point]:
        """Return all points, simple ones first."""
        kernels = [(d, 0.0) for d in self.degrees] + [(0, w) for w in self.widths]
        return [Point(degree, width, C) for degree, width in kernels for C in self.Cs]


THESIS_GRID = Grid()
QUICK_GRID = Grid(degrees=(1, 2), widths=(), Cs=(0.001, 0.1, 1.0))
"""Enough to compare sets of columns."""


def area_under_curve(y: Any, decisions: FloatArray) -> float:
    """Return the AUC: the mean over classes, each against the others; .5 where there is one.

    Examples
    --------
    >>> area_under_curve(np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.3, 0.9]))
    0.75
    """
    if decisions.ndim == 1:
        decisions = np.column_stack([-decisions, decisions])
    first = 1 if decisions.shape[1] == 2 else 0
    seen = [code for code in range(first, decisions.shape[1]) if 0 < np.mean(y == code) < 1]
    areas = [roc_auc_score(y == code, decisions[:, code]) for code in seen]
    return float(np.mean(areas)) if areas else 0.5


def r2(y: Any, predictions: FloatArray) -> float:
    """Return R2; 0 where there is nothing to explain.

    Examples
    --------
    >>> r2(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    1.0
    """
    return float(r2_score(y, predictions)) if np.ptp(y) > 0.0 else 0.0


class GridSVM:
    """An SVM with the best kernel and C of a grid, and probabilities of classes.

    Parameters
    ----------
    regression : bool, default=False
        Whether y are numbers; else they are codes of classes: 0, 1, ...
    grid : Grid
        What is tried.
    folds : int, default=5
        In how many parts rows are divided.
    random_state : int or None, default=0
        Divides them.

    Attributes
    ----------
    best_ : Point
        What was chosen.
    C_ : float
        C for all rows: that of the choice, less as there are more rows than it was chosen with.
    scores_ : FoldScores
        Its AUC or R2 in each fold.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(120, 2))
    >>> model = GridSVM(grid=Grid(degrees=(1, 2), widths=(), Cs=(1.0,)))
    >>> model = model.fit(X, (X[:, 0] * X[:, 1] > 0).astype(int))
    >>> model.best_.degree, model.scores_.mean > 0.9
    (2, True)
    >>> model.predict_proba(X).sum(axis=1).round(6).max()
    np.float64(1.0)
    """

    best_: Point
    C_: float
    scores_: FoldScores

    def __init__(
        self,
        *,
        regression: bool = False,
        grid: Grid = THESIS_GRID,
        folds: int = 5,
        random_state: int | None = 0,
    ) -> None:
        self.regression = regression
        self.grid = grid
        self.folds = folds
        self.random_state = random_state

    def fit(self, X: FloatArray, y: Any) -> Self:
        """Choose kernel and C, and train with all rows."""
        self._centre, self._scale = 0.0, 1.0
        if self.regression:
            self._centre, self._scale = float(np.mean(y)), float(np.std(y)) or 1.0
        numbers = (y - self._centre) / self._scale if self.regression else np.asarray(y)
        race = Race.of(self, X, numbers)
        self.best_ = race.best
        self.scores_ = FoldScores(tuple(race.scores[self.best_]))
        self.n_classes_ = 0 if self.regression else int(np.max(y)) + 1
        self.classes_ = np.arange(self.n_classes_)
        rows, targets, weights = _cells(X, numbers, merge=not self.regression)
        # All rows weigh as much together as those of a fold did, so that decisions keep their
        # scale, and with it their probabilities.
        self.C_ = self.best_.C * len(race.splits[0][0]) / len(numbers)
        point = self.best_._replace(C=self.C_)
        self._svm = _new(point, self.regression, **point.kernel(X.shape[1]))
        _fit(self._svm, X[rows], targets, weights)
        if weights is not None:
            scale = Scale.of(as_columns(_decisions(self._svm, X[rows], self.n_classes_)), weights)
            self._calibration = Calibration.of(race.out_of_fold(), race.y, scale)
        return self

    def decision_function(self, X: FloatArray) -> FloatArray:
        """Return a number for two classes, or a column for each class."""
        return _decisions(self._svm, X, self.n_classes_)

    def predict_proba(self, X: FloatArray) -> FloatArray:
        """Return calibrated probabilities of the classes."""
        return self._calibration(self.decision_function(X))

    def predict(self, X: FloatArray) -> Any:
        """Return classes, or numbers."""
        if self.regression:
            return self._centre + self._scale * self._svm.predict(X)
        return self.predict_proba(X).argmax(axis=1)


def scores_on(
    train: tuple[FloatArray, Any], test: tuple[FloatArray, Any], svm: GridSVM
) -> FloatArray:
    """Train each point of a grid on some rows, and return its score on others."""
    X, y = train
    rows = _some_rows(y, svm)
    kept, targets, weights = _cells(X[rows], y[rows], merge=not svm.regression)
    n_classes = 0 if svm.regression else int(max(y.max(), test[1].max())) + 1
    score = r2 if svm.regression else area_under_curve
    found = []
    for point in svm.grid.points():
        stop_if_cancelled()
        trained = _new(point, svm.regression, **point.kernel(X.shape[1]))
        _fit(trained, X[rows][kept], targets, weights)
        found.append(score(test[1], _decisions(trained, test[0], n_classes)))
    return np.array(found)


# --- the race among kernels and Cs ---------------------------------------------------------------


@dataclass(eq=False)
class Race:
    """All points of a grid on the same folds; those that fall behind drop out."""

    X: FloatArray
    y: Any
    svm: GridSVM
    splits: list[Split]
    cells: IntArray  # for each row the first one that equals it
    gram: FloatArray
    scores: dict[Point, list[float]] = field(default_factory=dict)
    best: Point = field(init=False)

    @classmethod
    def of(cls, svm: GridSVM, X: FloatArray, y: Any) -> Race:
        """Divide the rows, and try all points."""
        rows = _some_rows(y, svm)
        X, y = X[rows], y[rows]
        least = len(y) if svm.regression else max(2, n_rarest(y))
        n_folds = max(2, min(svm.folds, least))
        with warnings.catch_warnings():  # a class with a single row is in one fold only
            warnings.simplefilter("ignore", UserWarning)
            splits = make_folds(y, n_folds, svm.random_state, regression=svm.regression)
        _, first, cells = np.unique(X, axis=0, return_index=True, return_inverse=True)
        race = cls(X, y, svm, splits, first[cells.ravel()], X @ X.T)
        race.run()
        return race

    def run(self) -> None:
        """Go through the folds; in each try the points that are left."""
        left = self.svm.grid.points()
        for split in self.splits:
            for point, score in zip(left, self._judged(left, split), strict=True):
                self.scores.setdefault(point, []).append(score)
            highest = max(float(np.mean(self.scores[point])) for point in left)
            left = [p for p in left if np.mean(self.scores[p]) >= highest - _BEHIND]
        self.best = next(p for p in left if np.mean(self.scores[p]) >= highest - _SAME)

    def out_of_fold(self) -> FloatArray:
        """Return the decisions of the best point about rows that it was not trained on.

        A column for each class (one for two), on the scale of the fold's own rows: machines of
        different folds differ in where they put zero.
        """
        n_classes = int(self.y.max()) + 1
        found = np.zeros((len(self.y), 1 if n_classes == 2 else n_classes))
        kernel = self.best.matrix(self.gram, self.X.shape[1])
        for split in self.splits:
            fold = self._merged(split)
            assert fold.weights is not None
            svm = self._machine(self.best, kernel, fold)
            own = _decisions(svm, kernel[np.ix_(fold.rows, fold.rows)], n_classes)
            new = _decisions(svm, kernel[np.ix_(fold.seen, fold.rows)], n_classes)[fold.back]
            found[split[1]] = Scale.of(as_columns(own), fold.weights)(as_columns(new))
        return found

    def _judged(self, points: Sequence[Point], split: Split) -> list[float]:
        fold, target = self._merged(split), self.y[split[1]]
        scores, kernel, made_for = [], None, None
        score = r2 if self.svm.regression else area_under_curve
        for point in points:
            stop_if_cancelled()
            if (point.degree, point.width) != made_for:
                kernel = point.matrix(self.gram, self.X.shape[1])
                made_for = (point.degree, point.width)
            assert kernel is not None
            scores.append(score(target, self._trained(point, kernel, fold)))
        return scores

    def _merged(self, split: Split) -> _Fold:
        """Merge equal rows of a fold."""
        train, test = split
        seen, back = np.unique(self.cells[test], return_inverse=True)
        if self.svm.regression:
            return _Fold(train, None, seen, back)
        keys = self.cells[train] * (int(self.y.max()) + 1) + self.y[train]
        _, first, counts = np.unique(keys, return_index=True, return_counts=True)
        return _Fold(train[first], counts.astype(np.float64), seen, back)

    def _trained(self, point: Point, kernel: FloatArray, fold: _Fold) -> FloatArray:
        """Train on some rows and decide about others."""
        n_classes = 0 if self.svm.regression else int(self.y.max()) + 1
        svm = self._machine(point, kernel, fold)
        return _decisions(svm, kernel[np.ix_(fold.seen, fold.rows)], n_classes)[fold.back]

    def _machine(self, point: Point, kernel: FloatArray, fold: _Fold) -> Any:
        svm = _new(point, self.svm.regression, kernel="precomputed")
        _fit(svm, kernel[np.ix_(fold.rows, fold.rows)], self.y[fold.rows], fold.weights)
        return svm


class _Fold(NamedTuple):
    """Rows to train on with their weights, and distinct rows to decide about."""

    rows: IntArray
    weights: FloatArray | None
    seen: IntArray
    back: IntArray  # where the rows of the fold are among the distinct ones


def _some_rows(y: Any, svm: GridSVM) -> IntArray:
    """Draw the rows for tuning, classes alike and every class there."""
    return stratified_sample(
        y, _TUNING_ROWS, svm.random_state, regression=svm.regression, least=svm.folds
    )


def _cells(X: FloatArray, y: Any, *, merge: bool) -> tuple[IntArray, Any, FloatArray | None]:
    """Merge equal rows of one class: which rows stand for them, their classes, and how many."""
    if not merge:
        return np.arange(len(y)), y, None
    n_rows, n_columns = X.shape
    require_memory(
        34.0 * n_rows * (n_columns + 1),  # sorting rows makes four copies of them
        f"A support vector machine of {n_rows:,} rows and {n_columns:,} columns",
        "give fewer rows or columns, or another estimator",
    )
    table = np.column_stack([X, y])
    _, first, counts = np.unique(table, axis=0, return_index=True, return_counts=True)
    return first, y[first], counts.astype(np.float64)


def _new(point: Point, regression: bool, **kernel: Any) -> Any:
    if regression:
        return SVR(C=point.C, max_iter=_STEPS, **kernel)
    return SVC(C=point.C, max_iter=_STEPS, random_state=0, **kernel)


def _fit(svm: Any, X: FloatArray, y: Any, weights: FloatArray | None) -> None:
    checked = config_context(assume_finite=True, skip_parameter_validation=True)
    with checked, warnings.catch_warnings():  # what is not trained to the end is judged as it is
        warnings.simplefilter("ignore", ConvergenceWarning)
        svm.fit(X, y, sample_weight=weights)


def _decisions(svm: Any, X: FloatArray, n_classes: int) -> FloatArray:
    """Return a column for each class, also for those that were not trained on."""
    if n_classes == 0:
        return np.asarray(svm.predict(X))
    values = np.asarray(svm.decision_function(X))
    if n_classes == 2:
        return values
    columns = np.full((len(X), n_classes), values.min(initial=0.0) - 1.0)
    if values.ndim == 1:
        values = np.column_stack([-values, values])
    columns[:, svm.classes_] = values
    return columns
