"""A wrapper around a boundary: members that a classifier can do without are dropped.

HITON (Aliferis, Tsamardinos & Statnikov 2003) finds a Markov boundary and
then goes through it backward, as long as the cross-validated AUC of a support vector machine does
not fall. The boundary is the most that any classifier can use; one classifier may need less of it.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import MetaEstimatorMixin, clone, is_classifier
from sklearn.model_selection import check_cv, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils import _safe_indexing, check_array
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import validate_data

from eiderdown.errors import OptionError
from eiderdown.estimators.features import SelectorWithTarget, feature_names
from eiderdown.estimators.selector import MarkovBoundarySelector

Splits = list[tuple[NDArray[np.int64], NDArray[np.int64]]]


class Dropped(NamedTuple):
    """One step of the elimination: the feature and the score of what is left without it."""

    feature: str
    score: float


class BoundaryWrapper(MetaEstimatorMixin, SelectorWithTarget):
    """Drop features of a Markov boundary while a classifier predicts no worse without them.

    In every round the feature is dropped whose absence gives the best cross-validated score, as
    long as that is not below the best score so far.

    Parameters
    ----------
    selector : selector or None, default=None
        Finds the features to begin with; None for
        ``MarkovBoundarySelector(algorithm="hiton_mb")``.
    estimator : estimator or None, default=None
        What predicts; None for a support vector machine on scaled features. Text needs an encoder
        in front of it, as in ``make_pipeline(OneHotEncoder(), SVC())``.
    cv : int, splitter or iterable of splits, default=5
        The folds, the same for every set of features.
    scoring : str or callable, default="roc_auc"
        What is to be kept up; "roc_auc" needs a target of two classes.
    tolerance : float, default=0.0
        How much of the best score so far may be lost for a smaller set.

    Attributes
    ----------
    selector_ : selector
        The fitted selector.
    dropped_ : tuple of Dropped
        The features dropped, in order, each with the score afterwards.
    boundary_score_ : float or None
        Score of all features that the selector kept; None if there are none.
    support_ : ndarray of bool
        Which features are left.

    Examples
    --------
    >>> from eiderdown import networks
    >>> from sklearn.preprocessing import OneHotEncoder
    >>> frame = networks.load("alarm").sample(2_000, random_state=0).to_pandas()
    >>> X, y = frame.drop(columns="HYPOVOLEMIA"), frame["HYPOVOLEMIA"]
    >>> wrapper = BoundaryWrapper(estimator=make_pipeline(OneHotEncoder(), SVC())).fit(X, y)
    >>> wrapper.selector_.get_feature_names_out().tolist()
    ['LVEDVOLUME', 'LVFAILURE', 'STROKEVOLUME']
    >>> [step.feature for step in wrapper.dropped_]
    ['LVFAILURE']
    """

    selector_: Any
    dropped_: tuple[Dropped, ...]
    boundary_score_: float | None

    def __init__(
        self,
        selector: Any = None,
        estimator: Any = None,
        *,
        cv: Any = 5,
        scoring: Any = "roc_auc",
        tolerance: float = 0.0,
    ) -> None:
        self.selector = selector
        self.estimator = estimator
        self.cv = cv
        self.scoring = scoring
        self.tolerance = tolerance

    def fit(self, X: Any, y: Any) -> Self:
        """Select features, then drop those that the estimator can do without.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features)
            The features, as the selector takes them.
        y : array-like of shape (n_samples,)
            The target.

        Returns
        -------
        BoundaryWrapper
            This wrapper, fitted.
        """
        selector, estimator = self._parts()
        if self.estimator is None:  # a selector takes missing values, support vectors do not
            check_array(X, accept_sparse=True, dtype=None)
        self.selector_ = selector.fit(X, y)
        validate_data(self, X, skip_check_array=True)
        self._check_options(y)
        table = X if hasattr(X, "shape") else np.asarray(X)
        folds = check_cv(self.cv, y, classifier=is_classifier(estimator))
        splits: Splits = list(folds.split(table, y))

        def score(members: list[int]) -> float:
            chosen = _safe_indexing(table, members, axis=1)
            scores = cross_val_score(clone(estimator), chosen, y, cv=splits, scoring=self.scoring)
            return float(np.mean(scores))

        self._eliminate(self.selector_.get_support(indices=True).tolist(), score)
        return self

    def _eliminate(self, members: list[int], score: Any) -> None:
        names = feature_names(self)
        members = sorted(members, key=names.__getitem__)  # so that the order of columns is no tie
        dropped = []
        best = self.boundary_score_ = score(members) if members else None
        while len(members) > 1:
            without = {x: score([z for z in members if z != x]) for x in members}
            redundant = max(members, key=without.__getitem__)
            assert best is not None
            if without[redundant] < best - self.tolerance:
                break
            best = max(best, without[redundant])
            members.remove(redundant)
            dropped.append(Dropped(names[redundant], without[redundant]))
        self.dropped_ = tuple(dropped)
        self.support_ = np.isin(np.arange(self.n_features_in_), members)

    def _parts(self) -> tuple[Any, Any]:
        selector, estimator = self.selector, self.estimator
        if selector is None:
            selector = MarkovBoundarySelector(algorithm="hiton_mb")
        if estimator is None:
            estimator = make_pipeline(StandardScaler(with_mean=False), SVC())
        return clone(selector), estimator

    def _check_options(self, y: Any) -> None:
        if self.tolerance < 0:
            raise OptionError(f"tolerance must be at least 0, not {self.tolerance!r}.")
        kind = type_of_target(y)
        if self.scoring == "roc_auc" and kind != "binary":
            raise OptionError(
                f"scoring='roc_auc' needs a target of two classes, but this one is {kind}; choose "
                "another, such as 'accuracy' for classes or 'r2' for numbers."
            )
