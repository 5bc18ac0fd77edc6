"""``CausalPredictor``: predictions that stay right when somebody sets columns from outside."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal, Self, TypeAlias, Unpack

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import (
    ClassifierTags,
    RegressorTags,
    Tags,
    assert_all_finite,
    check_consistent_length,
    column_or_1d,
)
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from eiderdown.api.prediction import Plan, PredictionOptions, Predictor, Task
from eiderdown.arrays import BoolArray, FloatArray
from eiderdown.data import Dataset, Kind
from eiderdown.data.encode import MAX_INTEGER_CATEGORIES
from eiderdown.errors import TooFewRowsError
from eiderdown.estimators.features import (
    DiscreteFeatures,
    feature_names,
    features_of,
    is_frame,
    unused_name,
)
from eiderdown.graphs import PDAG
from eiderdown.options import Option, checked_options, options_of, stores_params
from eiderdown.progress import watched
from eiderdown.results import MarkovBoundary, Orientation, UsedColumns
from eiderdown.shared_options import WorkOptions

Manipulation: TypeAlias = Iterable[Any] | Literal["unknown"] | None


class CausalPredictorParams(PredictionOptions, WorkOptions, total=False):
    """What :class:`CausalPredictor` takes."""

    discrete_features: Annotated[
        Any,
        Option(
            "the discrete features: 'infer', a bool, a mask, or names or indices", default="infer"
        ),
    ]
    time_limit: Annotated[
        float | None,
        Option("seconds after which fit or a prediction gives up", default=None, at_least=0),
    ]


def _has_classes(predictor: CausalPredictor) -> bool:
    """Whether there are classes to have probabilities of."""
    if hasattr(predictor, "_predictor"):
        return not predictor._predictor.task.regression
    return predictor.task != "regression"


class CausalPredictor(BaseEstimator):
    """Predict a target from rows in which columns may have been set from outside.

    An effect of the target predicts it well, until somebody sets the effect: then it says nothing,
    and a model that leans on it is wrong. This predictor learns from untouched rows which columns
    are likely causes of the target, which are effects, and uses for each prediction only those that
    still tell of it.

    Parameters
    ----------
    **params

    Attributes
    ----------
    boundary_ : MarkovBoundary
        The Markov boundary of the target.
    orientation_ : Orientation
        Its causes and effects; searched when it is first asked for, or needed by a prediction.
    region_ : PDAG
        The graph around the target.
    classes_ : ndarray
        The classes, where the target has classes.
    n_features_in_ : int
        Number of features seen by ``fit``.
    feature_names_in_ : ndarray of str
        Names of the features, where X has them.

    Notes
    -----
    X is a table of numbers, or a pandas or polars frame, which may hold text: numbers are
    standardised, 0/1 is kept, each category becomes an indicator. Of new rows in a frame only the
    columns that are used are looked at; an array is checked whole.

    One model is trained for each distinct set of columns, when it is first needed.

    References
    ----------
    L. E. Brown, PhD thesis, Vanderbilt University 2009, chapter V.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from eiderdown.estimators import CausalPredictor
    >>> rng = np.random.default_rng(0)
    >>> smoke, genes = rng.random((2, 1_000)) < 0.4
    >>> cancer = rng.random(1_000) < 0.1 + 0.4 * smoke + 0.4 * genes
    >>> cough = rng.random(1_000) < 0.1 + 0.8 * cancer
    >>> X = pd.DataFrame({"smoke": smoke, "genes": genes, "cough": cough})
    >>> from sklearn.linear_model import LogisticRegression
    >>> predictor = CausalPredictor(estimator=LogisticRegression()).fit(X, cancer)
    >>> predictor.used_columns()
    ('cough', 'genes', 'smoke')
    >>> predictor.used_columns(["cough"])
    ('genes', 'smoke')
    """

    task: Task
    discrete_features: DiscreteFeatures
    time_limit: float | None
    _predictor: Predictor
    n_features_in_: int
    classes_: NDArray[Any]

    @stores_params
    def __init__(self, **params: Unpack[CausalPredictorParams]) -> None: ...

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.string = True
        task = self.task
        if task == "auto" and hasattr(self, "_predictor"):
            task = "classification" if _has_classes(self) else "regression"
        if task == "classification":
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        elif task == "regression":
            tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows that nobody touched.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The features.
        y : array-like of shape (n_samples,)
            The target: classes or numbers.

        Returns
        -------
        CausalPredictor
            This predictor, fitted.
        """
        known = options_of(CausalPredictorParams)
        options = {name: option.default for name, option in known.items()}
        options |= checked_options(known, self.get_params(deep=False), "CausalPredictor")
        label = getattr(y, "name", None)
        if hasattr(self, "_predictor"):
            del self._predictor
        X, y = self._validated(X, y)
        features = features_of(self, X, self.discrete_features)
        self._kinds: BoolArray = features.is_discrete
        target = unused_name(label, features.names)
        numbers, kind = self._target(y)
        data = features.with_columns({target: numbers}, kinds={target: kind})
        with watched("fitting", progress=False, time_limit=self.time_limit):
            try:
                self._predictor = Predictor.fitted(data, target, options)
            except TooFewRowsError as problem:
                size = f"n_samples={data.n_rows}, n_features={self.n_features_in_}"
                raise TooFewRowsError(f"{str(problem).rstrip('.')} ({size}).") from problem
        return self

    def predict(self, X: Any, manipulated: Manipulation = None) -> NDArray[Any]:
        """Predict the target.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            New rows.
        manipulated : iterable of labels, "unknown" or None
            The columns that were set from outside in these rows; "unknown" if any may have been.

        Returns
        -------
        ndarray of shape (n_samples,)
            Classes or numbers.
        """
        if _has_classes(self) and hasattr(self, "_predictor"):
            return np.asarray(self.classes_[self.predict_proba(X, manipulated).argmax(axis=1)])
        rows, plan = self._asked(X, manipulated)
        return np.asarray(self._predictor.values(rows, plan))

    @available_if(_has_classes)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any, manipulated: Manipulation = None) -> FloatArray:
        """Return the probability of each class, calibrated by cross-validation.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            New rows.
        manipulated : iterable of labels, "unknown" or None
            The columns that were set from outside in these rows; "unknown" if any may have been.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        rows, plan = self._asked(X, manipulated)
        return self._predictor.probabilities(rows, plan)

    def score(self, X: Any, y: Any, manipulated: Manipulation = None) -> float:
        """Return the accuracy, or R2 for numbers.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            New rows.
        y : array-like of shape (n_samples,)
            Their target.
        manipulated : iterable of labels, "unknown" or None
            The columns that were set from outside in these rows; "unknown" if any may have been.
        """
        found = self.predict(X, manipulated)
        return float(accuracy_score(y, found) if _has_classes(self) else r2_score(y, found))

    def used_columns(self, manipulated: Manipulation = None) -> tuple[str, ...]:
        """Return the columns that a prediction uses, in the order of their names.

        Parameters
        ----------
        manipulated : iterable of labels, "unknown" or None
            The columns that are set from outside.
        """
        return self.explain(manipulated).columns

    def explain(self, manipulated: Manipulation = None) -> UsedColumns:
        """Say which columns a prediction uses, which not, and why.

        Parameters
        ----------
        manipulated : iterable of labels, "unknown" or None
            The columns that are set from outside.

        Returns
        -------
        UsedColumns
            ``text()`` says all of it in lines, with a warning where what was learned from
            untouched rows no longer holds.
        """
        check_is_fitted(self, "_predictor")
        with watched("orienting", progress=False, time_limit=self.time_limit):
            return self._predictor.used(self._named(manipulated))

    @property
    def boundary_(self) -> MarkovBoundary:
        """The Markov boundary of the target."""
        return self._fitted().boundary

    @property
    def orientation_(self) -> Orientation:
        """Causes and effects around the target."""
        return self._fitted().orientation

    @property
    def region_(self) -> PDAG:
        """The graph around the target."""
        return self.orientation_.graph

    def _fitted(self) -> Predictor:
        if "_predictor" not in vars(self):
            raise AttributeError("This predictor has not been fitted; call fit first.")
        return self._predictor

    def _asked(self, X: Any, manipulated: Manipulation) -> tuple[Dataset, Plan]:
        """Check new rows; return them with the features that may be used."""
        check_is_fitted(self, "_predictor")
        checks: dict[str, Any] = {"skip_check_array": True} if is_frame(X) else {}
        checked = validate_data(self, X, reset=False, **checks)
        with watched("orienting", progress=False, time_limit=self.time_limit):
            plan = self._predictor.plan(self._named(manipulated))
            for _, features in plan:
                self._predictor.model(features)
        sources = sorted({name for _, features in plan for name in features.sources})
        return self._rows(X if is_frame(X) else checked, sources), plan

    def _rows(self, X: Any, columns: Iterable[str]) -> Dataset:
        """Make a table of some columns, of the kinds that they had in training."""
        names = feature_names(self)
        places = [names.index(name) for name in columns] or [0]
        kinds = {names[i]: Kind.DISCRETE if self._kinds[i] else Kind.CONTINUOUS for i in places}
        chosen = {names[i]: X[X.columns[i]] if is_frame(X) else X[:, i] for i in places}
        return Dataset.from_columns(chosen, kinds=kinds)

    def _named(self, manipulated: Manipulation) -> Any:
        """Turn numbers of columns into their names."""
        if manipulated is None or isinstance(manipulated, str):
            return manipulated
        names = feature_names(self)
        return [
            names[label] if isinstance(label, int | np.integer) and label < len(names) else label
            for label in manipulated
        ]

    def _validated(self, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
        """Check shapes and numbers; a frame stays a frame, because an array loses its kinds."""
        checks: dict[str, Any] = {"skip_check_array": True} if is_frame(X) else {}
        if not is_frame(X):
            checks["ensure_min_samples"] = 2
        checked = validate_data(self, X, None if y is None else "no_validation", **checks)
        y = column_or_1d(y, warn=True)
        assert_all_finite(y, input_name="y")
        check_consistent_length(X, y)
        return X if is_frame(X) else checked, y

    def _target(self, y: NDArray[Any]) -> tuple[NDArray[Any], Kind]:
        """Turn a target into codes of classes, or into numbers."""
        classes = self.task == "classification"
        if self.task == "auto":
            kind = type_of_target(y)
            whole = kind in ("binary", "multiclass")
            classes = whole and (
                y.dtype.kind not in "iuf" or len(np.unique(y)) <= MAX_INTEGER_CATEGORIES
            )
        if not classes:
            return np.asarray(y, dtype=np.float64), Kind.CONTINUOUS
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        return codes, Kind.DISCRETE
