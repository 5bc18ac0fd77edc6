"""What selectors by a local search share: from X and y to a dataset, and from members to a mask."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags, assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.validation import check_is_fitted, validate_data

from eiderdown.arrays import BoolArray
from eiderdown.data import Dataset
from eiderdown.errors import TooFewRowsError
from eiderdown.estimators.features import (
    DiscreteFeatures,
    TargetKind,
    features_of,
    is_frame,
    target_kinds,
    unused_name,
)
from eiderdown.independence.registry import TestSource, with_defaults
from eiderdown.results import Interactions, LearnedRegion, LocalResult


class LocalSelector(SelectorMixin, BaseEstimator):
    """Keep the features that a search finds around the target; subclasses say which search."""

    _result_name: ClassVar[str]  # the fitted attribute that holds what was found
    n_features_in_: int

    def __init__(
        self,
        *,
        algorithm: str,
        alpha: float,
        max_given: int | None,
        required: Sequence[str],
        params: Mapping[str, Any] | None,
        test: TestSource,
        discrete_features: DiscreteFeatures,
        target_kind: TargetKind,
        n_jobs: int | None,
    ) -> None:
        self.algorithm = algorithm
        self.alpha = alpha
        self.max_given = max_given
        self.required = required
        self.params = params
        self.test = test
        self.discrete_features = discrete_features
        self.target_kind = target_kind
        self.n_jobs = n_jobs

    @abstractmethod
    def _find(self, data: Dataset, **options: Any) -> LocalResult | LearnedRegion | Interactions:
        """Run the search."""

    def _chosen(self) -> Collection[str]:
        """Return what was found."""
        members: tuple[str, ...] = getattr(self, self._result_name).members
        return members

    def fit(self, X: Any, y: Any) -> Self:
        """Search around y among the features.

        Parameters
        ----------
        X : array, frame or binary sparse matrix of shape (n_samples, n_features)
            The features.
        y : array-like of shape (n_samples,)
            The target: classes or numbers.

        Returns
        -------
        Self
            This selector, fitted.
        """
        label = getattr(y, "name", None)
        X, y = self._validated(X, y)
        features = self._features(X)
        target = unused_name(label, features.names)
        kinds = target_kinds(y, target, self.target_kind)
        self._search(features.with_columns({target: y}, kinds=kinds))
        return self

    def _validated(self, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
        """Check shapes and numbers; a frame stays a frame, because an array loses its kinds."""
        if not is_frame(X):
            checked = validate_data(self, X, y, accept_sparse=("csc", "csr"), ensure_min_samples=2)
            return checked[0], checked[1]
        _, y = validate_data(self, X, y, skip_check_array=True)
        y = column_or_1d(y, warn=True)
        assert_all_finite(y, input_name="y")
        check_consistent_length(X, y)
        return X, y

    def _features(self, X: Any) -> Dataset:
        named = hasattr(self, "feature_names_in_")
        return features_of(X, self._names(), self.discrete_features, named=named)

    def _search(self, data: Dataset) -> None:
        try:
            result = self._find(
                data,
                target=data.names[-1],
                algorithm=self.algorithm,
                alpha=self.alpha,
                max_given=self.max_given,
                required=self.required,
                params=self.params,
                test=with_defaults(self.test, collinear="drop"),
                n_jobs=self.n_jobs,
                progress=False,
            )
        except TooFewRowsError as problem:
            size = f"n_samples={data.n_rows}, n_features={self.n_features_in_}"
            raise TooFewRowsError(f"{str(problem).rstrip('.')} ({size}).") from problem
        if not result.complete:
            # Half a boundary would go unnoticed in a pipeline.
            raise KeyboardInterrupt
        setattr(self, self._result_name, result)

    def _get_support_mask(self) -> BoolArray:
        check_is_fitted(self)
        chosen = set(self._chosen())
        return np.array([name in chosen for name in self._names()])

    def _names(self) -> list[str]:
        unnamed = [f"x{i}" for i in range(self.n_features_in_)]
        return list(getattr(self, "feature_names_in_", unnamed))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        # Sparse matrices are taken only if they are binary, and the tag has no word for that.
        tags.input_tags.sparse = False
        return tags
