"""Selectors that try ever fewer features: elimination with a polynomial kernel, Relief, a wrapper.

The wrapper is HITON's (Aliferis, Tsamardinos & Statnikov 2003): it finds a Markov boundary and then
goes through it backward, as long as the cross-validated AUC of a support vector machine does not
fall. The boundary is the most that any classifier can use; one classifier may need less of it.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Annotated, Any, Literal, NamedTuple, Self, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import MetaEstimatorMixin, clone, is_classifier
from sklearn.model_selection import check_cv, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler
from sklearn.svm import SVC
from sklearn.utils import Tags, _safe_indexing, check_array
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import validate_data

from eiderdown.data.encode import MAX_INTEGER_CATEGORIES
from eiderdown.errors import ConstantColumnError, EiderdownWarning, OptionError
from eiderdown.estimators.features import (
    SelectorWithTarget,
    TargetKind,
    TargetKindOption,
    checked_params,
    feature_names,
)
from eiderdown.estimators.selector import MarkovBoundarySelector
from eiderdown.option_types import fit, shown
from eiderdown.options import Option, stores_params
from eiderdown.progress import abandon
from eiderdown.svm.approximation import Approximate, Approximation, ApproximationOptions
from eiderdown.svm.elimination import Narrowing, SubsetSelection, recursive_elimination
from eiderdown.svm.rankings import N_NEIGHBOURS, Criterion, CriterionOption, relief_selection
from eiderdown.svm.training import SVMParams


class _RoundParams(TypedDict, total=False):
    """How ever fewer features are tried."""

    degree: Annotated[int, Option("degree of the kernel", default=2, between=(1, 20))]
    C: Annotated[float, Option("cost of errors", default=1.0, between=(0, 1e30))]
    keep: Annotated[float, Option("share of the features that is kept in each round", default=0.5)]
    test_share: Annotated[float, Option("share of the rows that is held out", default=0.2)]
    gamma: Annotated[
        float,
        Option("scale of the kernel (gamma x.x' + coef0)^degree", default=1.0, between=(0, 1e10)),
    ]
    coef0: Annotated[float, Option("offset of that kernel", default=1.0, between=(-1e10, 1e10))]
    class_weight: Annotated[
        Literal["balanced"] | None,
        Option("whether rare classes count as much as others", default=None),
    ]
    scale: Annotated[
        bool,
        Option(
            "bring features to [-1, 1] first, sparse ones by their largest absolute value",
            default=True,
        ),
    ]


class NarrowingParams(_RoundParams, ApproximationOptions, total=False):
    """The parameters of :class:`PolynomialRFE`."""

    target_kind: TargetKindOption
    random_state: Annotated[
        int | None,
        Option(
            "seed that decides which rows are held out, and which are sampled",
            default=0,
            between=(0, 2**32 - 1),
        ),
    ]


class ReliefParams(NarrowingParams, total=False):
    """The parameters of :class:`ReliefSelector`."""

    n_neighbours: Annotated[
        int, Option("neighbours of each row in each class", default=N_NEIGHBOURS, at_least=1)
    ]
    criterion: CriterionOption


class _NarrowingSelector(SelectorWithTarget):
    """Keep the best of ever smaller sets of features; subclasses say which go first."""

    degree: int
    C: float
    keep: float
    test_share: float
    gamma: float
    coef0: float
    class_weight: Literal["balanced"] | None
    scale: bool
    target_kind: TargetKind
    random_state: int | None
    approximate: Approximate
    max_rows: int
    n_landmarks: int
    selection_: SubsetSelection

    @abstractmethod
    def _select(
        self, X: Any, y: NDArray[Any], how: Narrowing, names: Sequence[str] | None
    ) -> SubsetSelection:
        """Try ever fewer features."""

    def fit(self, X: Any, y: Any) -> Self:
        """Find the best set of features.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features)
            The features, as numbers.
        y : array-like of shape (n_samples,)
            The target: classes or numbers.

        Returns
        -------
        Self
            This selector, fitted.
        """
        own = SimpleNamespace(**checked_params(self))
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=np.float64, ensure_min_samples=4
        )
        regression = _is_number(y, own.target_kind)
        approximation = Approximation.of(vars(own))
        how = Narrowing(
            own.degree,
            own.C,
            own.keep,
            own.test_share,
            own.random_state,
            SVMParams(
                gamma=own.gamma,
                coef0=own.coef0,
                class_weight=own.class_weight,
                regression=regression,
                approximation=approximation,
            ),
        )
        selection = self._select(
            _scaled(X) if own.scale else X,
            _standardised(y) if regression else np.unique(y, return_inverse=True)[1],
            how,
            getattr(self, "feature_names_in_", None),
        )
        if not selection.complete:
            # Half an answer would go unnoticed in a pipeline.
            abandon()
        warning = approximation.warning(round((1.0 - own.test_share) * len(y)))
        if warning is not None:
            warnings.warn(warning, EiderdownWarning, stacklevel=2)
        self.selection_ = selection
        self.support_ = np.isin(np.arange(self.n_features_in_), selection.members)
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class PolynomialRFE(_NarrowingSelector):
    """Drop the features that a polynomial support vector machine makes least use of, and repeat.

    Unlike scikit-learn's ``RFE``, it takes non-linear kernels: the use of a feature is the sum of
    the squared weights of all products that contain it. A share of the rows is held out, and the
    set of features with which the SVM does best on them is kept.

    Parameters
    ----------
    **params

    Attributes
    ----------
    selection_ : SubsetSelection
        Every round with its score, and the order in which features went.
    support_ : ndarray of bool
        Which features are kept.
    n_features_in_ : int
        Number of features seen by ``fit``.
    feature_names_in_ : ndarray of str
        Names of the features, where X has them.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).choice([0, 1], size=(200, 16))
    >>> selector = PolynomialRFE(degree=2, C=100.0, random_state=0).fit(X, X[:, 3] != X[:, 8])
    >>> selector.get_support(indices=True)
    array([3, 8])
    """

    @stores_params
    def __init__(self, **params: Unpack[NarrowingParams]) -> None: ...

    def _select(
        self, X: Any, y: NDArray[Any], how: Narrowing, names: Sequence[str] | None
    ) -> SubsetSelection:
        return recursive_elimination(X, y, how, names=names)


class ReliefSelector(_NarrowingSelector):
    """Rank features by how they tell near neighbours of different classes apart.

    The ranking is ReliefF's, or RReliefF's for a numeric target; ``criterion="ratio"`` divides
    where ReliefF subtracts (Guyon & Elisseeff 2006). Like :class:`PolynomialRFE`, it
    drops the lower half of the features again and again, and keeps the set with which a polynomial
    support vector machine does best on rows that were held out.

    Parameters
    ----------
    **params

    Attributes
    ----------
    selection_ : SubsetSelection
        Every round with its score, and the order in which features went.
    support_ : ndarray of bool
        Which features are kept.
    n_features_in_ : int
        Number of features seen by ``fit``.
    feature_names_in_ : ndarray of str
        Names of the features, where X has them.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).choice([0, 1], size=(200, 16))
    >>> selector = ReliefSelector(C=100.0, random_state=0).fit(X, X[:, 3] != X[:, 8])
    >>> selector.get_support(indices=True)
    array([3, 8])
    """

    n_neighbours: int
    criterion: Criterion

    @stores_params
    def __init__(self, **params: Unpack[ReliefParams]) -> None: ...

    def _select(
        self, X: Any, y: NDArray[Any], how: Narrowing, names: Sequence[str] | None
    ) -> SubsetSelection:
        return relief_selection(
            X, y, how, n_neighbours=self.n_neighbours, criterion=self.criterion, names=names
        )


def _is_number(y: NDArray[Any], wanted: TargetKind) -> bool:
    if wanted in ("discrete", "continuous"):
        return wanted == "continuous"
    if type_of_target(y) == "continuous":
        return True
    return y.dtype.kind in "iuf" and len(np.unique(y)) > MAX_INTEGER_CATEGORIES


def _scaled(X: Any) -> Any:
    """Bring columns to [-1, 1]; those of a sparse matrix keep their zeros."""
    return (MaxAbsScaler() if issparse(X) else MinMaxScaler((-1.0, 1.0))).fit_transform(X)


def _standardised(y: NDArray[Any]) -> NDArray[np.float64]:
    """Bring numbers to mean 0 and variance 1, by which the cost of errors is measured."""
    numbers = y.astype(np.float64)
    spread = numbers.std()
    if spread == 0.0:
        raise ConstantColumnError("y has one value in all rows; choose a target that varies.")
    standardised: NDArray[np.float64] = (numbers - numbers.mean()) / spread
    return standardised


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
        fits, tolerance = fit(float, self.tolerance)
        if not fits or tolerance < 0:
            raise OptionError(f"tolerance must be at least 0, not {shown(self.tolerance)}.")
        kind = type_of_target(y)
        if isinstance(self.scoring, str) and self.scoring == "roc_auc" and kind != "binary":
            raise OptionError(
                f"scoring='roc_auc' needs a target of two classes, but this one is {kind}; choose "
                "another, such as 'accuracy' for classes or 'r2' for numbers."
            )
