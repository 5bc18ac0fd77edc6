"""What selectors share that try ever fewer features: from X and y to what a machine takes."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler
from sklearn.utils import Tags
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from eiderdown.arrays import BoolArray
from eiderdown.config import MAX_INTEGER_CATEGORIES
from eiderdown.errors import ConstantColumnError, OptionError
from eiderdown.estimators.features import TargetKind
from eiderdown.svm.subset_wrapper import SubsetSelection


class NarrowingSelector(SelectorMixin, BaseEstimator):
    """Keep the best of ever smaller sets of features; subclasses say which go first."""

    selection_: SubsetSelection
    support_: BoolArray
    n_features_in_: int

    def __init__(
        self,
        *,
        degree: int,
        C: float,
        keep: float,
        test_share: float,
        gamma: float,
        coef0: float,
        class_weight: Literal["balanced"] | None,
        scale: bool,
        target_kind: TargetKind,
        random_state: int | None,
    ) -> None:
        self.degree = degree
        self.C = C
        self.keep = keep
        self.test_share = test_share
        self.gamma = gamma
        self.coef0 = coef0
        self.class_weight = class_weight
        self.scale = scale
        self.target_kind = target_kind
        self.random_state = random_state

    @abstractmethod
    def _select(self, X: Any, y: NDArray[Any], **options: Any) -> SubsetSelection:
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
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=np.float64, ensure_min_samples=4
        )
        regression = _is_number(y, self.target_kind)
        selection = self._select(
            _scaled(X) if self.scale else X,
            _standardised(y) if regression else np.unique(y, return_inverse=True)[1],
            degree=self.degree,
            C=self.C,
            keep=self.keep,
            test_share=self.test_share,
            gamma=self.gamma,
            coef0=self.coef0,
            class_weight=self.class_weight,
            regression=regression,
            random_state=self.random_state,
            names=getattr(self, "feature_names_in_", None),
        )
        if not selection.complete:
            # Half an answer would go unnoticed in a pipeline.
            raise KeyboardInterrupt
        self.selection_ = selection
        self.support_ = np.isin(np.arange(self.n_features_in_), selection.members)
        return self

    def _get_support_mask(self) -> BoolArray:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags


def _is_number(y: NDArray[Any], wanted: TargetKind) -> bool:
    if wanted in ("discrete", "continuous"):
        return wanted == "continuous"
    if wanted != "infer":
        raise OptionError(
            f"target_kind must be 'infer', 'discrete' or 'continuous', not {wanted!r}."
        )
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
