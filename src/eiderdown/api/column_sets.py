"""Sets of columns to predict from, compared on untouched rows; Brown (2009), chapter V.

The Markov boundary, the boundary with what FSMB adds, the columns left by recursive elimination,
and all columns. Each is searched anew in every fold, so that none is flattered by rows that it was
chosen with. The first that is within one standard error of the best is taken: the boundary, unless
another is clearly better.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np

from eiderdown.api.boundary import find_boundary
from eiderdown.api.interactions import find_interactions
from eiderdown.api.models import fit_model
from eiderdown.arrays import FloatArray, IntArray
from eiderdown.data import Dataset
from eiderdown.errors import ConstantColumnError, EiderdownWarning, OptionError, TooFewRowsError
from eiderdown.progress import abandon, stop_if_cancelled
from eiderdown.results import ComparedColumns, MarkovBoundary, withheld_warnings
from eiderdown.svm.cross_validation import FoldScores, make_folds, n_rarest
from eiderdown.svm.elimination import Narrowing, recursive_elimination
from eiderdown.svm.grid_svm import (
    QUICK_GRID,
    GridSVM,
    area_under_curve,
    r2,
    scores_on,
)
from eiderdown.svm.standard_coding import Features, StandardCoding
from eiderdown.svm.training import SVMParams

SetName: TypeAlias = Literal["boundary", "fsmb", "rfe", "all"]
SETS: tuple[SetName, ...] = ("boundary", "fsmb", "rfe", "all")
"""In the order in which they are preferred."""

_NOTHING_TO_FIND = (TooFewRowsError, ConstantColumnError)
"""What searches say of few rows, such as those of a fold with one class in it."""

_SEARCH_ROWS = 1_000
"""FSMB and elimination train SVMs, and are given so many rows at most."""


@dataclass(frozen=True, eq=False)
class PredictionTask:
    """A table, what is to be predicted, and how."""

    data: Dataset  # the target and the columns to predict from
    target: str
    y: Any  # codes of classes, or numbers
    regression: bool
    options: Mapping[str, Any]
    search: Mapping[str, Any]  # options of the search for the boundary

    @property
    def names(self) -> tuple[str, ...]:
        """The columns to predict from, in the order of their names."""
        return tuple(sorted(name for name in self.data.names if name != self.target))

    @property
    def measure(self) -> str:
        """What scores are."""
        scoring = self.options["scoring"]
        if scoring is not None:
            return scoring if isinstance(scoring, str) else "score"
        return "R2" if self.regression else "AUC"

    def on(self, rows: IntArray) -> PredictionTask:
        """Return the same task with some of the rows."""
        return PredictionTask(
            self.data.take(rows),
            self.target,
            self.y[rows],
            self.regression,
            self.options,
            self.search,
        )

    def some(self, n_rows: int) -> PredictionTask:
        """Draw rows, if there are more."""
        if len(self.y) <= n_rows:
            return self
        rng = np.random.default_rng(self.options["random_state"])
        return self.on(np.sort(rng.permutation(len(self.y))[:n_rows]))

    @cached_property
    def boundary(self) -> MarkovBoundary:
        """The Markov boundary of the target; searched once."""
        with withheld_warnings():
            how = {"progress": False, "explain_all": False, **self.search}
            found = find_boundary(self.data, self.target, **how)
        if not found.complete:
            abandon()
        return found


# --- the sets ------------------------------------------------------------------------------------


def _boundary(task: PredictionTask) -> Features:
    return Features(tuple(sorted(task.boundary.members)))


def _fsmb(task: PredictionTask) -> Features:
    """Add to the boundary the products that FSMB keeps, and their columns."""
    boundary = _boundary(task)
    some = task.some(_SEARCH_ROWS)
    with withheld_warnings(), warnings.catch_warnings():
        warnings.simplefilter("ignore", EiderdownWarning)
        found = find_interactions(
            some.data,
            some.target,
            degree=2,
            C=1.0,
            folds=0,
            random_state=task.options["random_state"],
            n_jobs=task.options["n_jobs"],
            progress=False,
        )
    products = {m.factors: m.variables for m in found.monomials if m.degree > 1}
    columns = {*boundary.columns, *found.variables}
    return Features(tuple(sorted(columns)), tuple(sorted(products.items())))


def _elimination(task: PredictionTask) -> Features:
    some = task.some(_SEARCH_ROWS)
    coding = StandardCoding.learned(some.data, some.names)
    columns = [name for name in some.names if name in coding.columns]
    parts = [coding.matrix(some.data, Features((name,))) for name in columns]
    sources = [name for name, part in zip(columns, parts, strict=True) for _ in part.T]
    y = (some.y - some.y.mean()) / (some.y.std() or 1.0) if some.regression else some.y
    found = recursive_elimination(
        np.hstack(parts),
        y,
        Narrowing(
            degree=1,
            C=0.1 / max(1, len(sources)),
            random_state=task.options["random_state"],
            params=SVMParams(regression=some.regression),
        ),
    )
    return Features(tuple(sorted({sources[i] for i in found.members})))


def _all(task: PredictionTask) -> Features:
    constant = set(task.data.constant_columns())
    return Features(tuple(name for name in task.names if name not in constant))


_WAYS: dict[str, Callable[[PredictionTask], Features]] = {
    "boundary": _boundary,
    "fsmb": _fsmb,
    "rfe": _elimination,
    "all": _all,
}


def features_by(name: str, task: PredictionTask) -> Features:
    """Search a set of columns; where there are too few rows for that, none."""
    stop_if_cancelled()
    try:
        return _WAYS[name](task)
    except _NOTHING_TO_FIND:
        if name == "boundary":
            raise
        return Features(())


# --- the comparison ------------------------------------------------------------------------------


def compared(task: PredictionTask) -> tuple[tuple[ComparedColumns, ...], Features]:
    """Compare the sets of columns; return how they did, and the features of the chosen one."""
    names: list[str] = [name for name in SETS if name in task.options["candidates"]]
    if not names:
        raise OptionError(f"candidates must name at least one of {SETS}.")
    final = {name: features_by(name, task) for name in names}
    scores = {names[0]: FoldScores((float("nan"),))} if len(names) == 1 else _scores(task, names)
    chosen = _first_within_one_error(scores)
    records = tuple(
        ComparedColumns(
            name,
            final[name].columns,
            tuple(product_name(product) for product, _ in final[name].products),
            scores[name].mean,
            scores[name].standard_error,
            chosen=name == chosen,
        )
        for name in names
        if len(names) > 1
    )
    return records, final[chosen]


def product_name(product: Sequence[tuple[str, int]]) -> str:
    """Name a product as FSMB does.

    Examples
    --------
    >>> product_name((("x1", 1), ("x4", 2)))
    'x1 * x4^2'
    """
    return " * ".join(name if power == 1 else f"{name}^{power}" for name, power in product)


def _first_within_one_error(scores: Mapping[str, FoldScores]) -> str:
    """Choose the first, in the order of preference, within one standard error of the best.

    That is the larger one of the two: a best that is perfect in every fold has none.
    """
    best = max(scores.values(), key=lambda found: found.mean)
    near = (
        name
        for name, found in scores.items()
        if found.mean >= best.mean - max(best.standard_error, found.standard_error)
    )
    return next(near, next(iter(scores)))


def _scores(task: PredictionTask, names: Sequence[str]) -> dict[str, FoldScores]:
    """Search and judge each set in every fold."""
    least = len(task.y) if task.regression else n_rarest(task.y)
    n_folds = max(2, min(int(task.options["cv"]), least))
    with warnings.catch_warnings():  # a class with a single row is in one fold only
        warnings.simplefilter("ignore", UserWarning)
        folds = make_folds(
            task.y, n_folds, task.options["random_state"], regression=task.regression
        )
    found: dict[str, list[FloatArray]] = {name: [] for name in names}
    for train, test in folds:
        part, held = task.on(train), task.on(test)
        coding = StandardCoding.learned(part.data, part.names)
        for name in names:
            try:
                features = features_by(name, part)
            except _NOTHING_TO_FIND:
                features = Features(())
            found[name].append(_judged(part, held, coding, features))
    # The SVM is the point of the grid that does best with the set.
    return {
        name: FoldScores(tuple(np.array(rows)[:, np.mean(rows, axis=0).argmax()].tolist()))
        for name, rows in found.items()
    }


def _judged(
    part: PredictionTask, held: PredictionTask, coding: StandardCoding, features: Features
) -> FloatArray:
    """Train with some features and return scores: of each SVM, or of the estimator given."""
    estimator, scoring = part.options["estimator"], part.options["scoring"]
    train, test = coding.matrix(part.data, features), coding.matrix(held.data, features)
    if estimator is None and scoring is None:
        svm = GridSVM(
            regression=part.regression,
            grid=QUICK_GRID,
            random_state=part.options["random_state"],
        )
        if train.shape[1] == 0 or (not part.regression and len(np.unique(part.y)) < 2):
            n_points = len(QUICK_GRID.points())
            return np.full(n_points, 0.0 if part.regression else 0.5)
        return scores_on((train, part.y), (test, held.y), svm)
    model = fit_model(part, train, calibrated=False)
    if scoring is not None:
        from sklearn.metrics import get_scorer

        score = get_scorer(scoring) if isinstance(scoring, str) else scoring
        return np.array([float(score(model, test, held.y))])
    if part.regression:
        return np.array([r2(held.y, model.predict(test))])
    return np.array([area_under_curve(held.y, model.predict_proba(test))])
