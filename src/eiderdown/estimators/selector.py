"""The Markov boundary of the target as a scikit-learn feature selector."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags, assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from eiderdown.api import EvidenceOptions, find_boundary
from eiderdown.arrays import BoolArray
from eiderdown.config import MAX_INTEGER_LEVELS
from eiderdown.data import Dataset, Kind
from eiderdown.errors import ColumnKindError, OptionError, TooFewRowsError, listed
from eiderdown.estimators.feature_kinds import DiscreteFeatures, feature_kinds
from eiderdown.results import MarkovBoundary

TargetKind: TypeAlias = Literal["infer", "discrete", "continuous"]


class MarkovBoundarySelector(SelectorMixin, BaseEstimator):
    """Keep the features in the Markov boundary of the target: given them, no other adds anything.

    A class target is tested with G2 and a numeric one with Fisher's z, unless ``evidence`` says
    otherwise. Features are brought to the target's kind as :func:`eiderdown.find_boundary` does it,
    with an :class:`~eiderdown.EiderdownWarning`: for a class target, continuous features are cut
    into three levels of equal frequency, or two where rows are few (put a discretiser before the
    selector to choose others); for a numeric one, discrete features are read as numbers.

    Parameters
    ----------
    algorithm : str, default="iamb"
        Registered name of the search.
    alpha : float, default=0.01
        Level of the tests, between 0 and 1.
    max_given : int or None, default=None
        Largest conditioning set; None for no limit.
    evidence : EvidenceOptions or None, default=None
        Which test, and when to trust it; None for the defaults with ``collinear="drop"``.
    discrete_features : "infer", bool, mask, or names or indices of features, default="infer"
        The discrete features. By inference these are text, categories, booleans, and integers
        with few distinct values, as in :class:`eiderdown.Dataset`.
    target_kind : {"infer", "discrete", "continuous"}, default="infer"
        Whether the target is a class or a number. By inference it is a class if it is text,
        boolean, or whole numbers with at most 20 distinct values.
    n_workers : int or None, default=None
        Threads; None means every available core. The result does not depend on it.

    Attributes
    ----------
    boundary_ : MarkovBoundary
        The boundary with its evidence; features without names are called x0, x1, ...
    n_features_in_ : int
        Number of features seen by ``fit``.
    feature_names_in_ : ndarray of str
        Names of the features, where X has them.

    Notes
    -----
    X is a table of numbers, a pandas or polars frame (which may hold text and categories), or a
    SciPy sparse matrix of zeros and ones, which stays sparse.

    Examples
    --------
    >>> from eiderdown import networks
    >>> from eiderdown.estimators import MarkovBoundarySelector
    >>> frame = networks.load("asia").sample(5_000, random_state=0).to_pandas()
    >>> selector = MarkovBoundarySelector().fit(frame.drop(columns="dysp"), frame["dysp"])
    >>> selector.get_feature_names_out().tolist()
    ['bronc', 'either']
    """

    boundary_: MarkovBoundary
    n_features_in_: int

    def __init__(
        self,
        *,
        algorithm: str = "iamb",
        alpha: float = 0.01,
        max_given: int | None = None,
        evidence: EvidenceOptions | None = None,
        discrete_features: DiscreteFeatures = "infer",
        target_kind: TargetKind = "infer",
        n_workers: int | None = None,
    ) -> None:
        self.algorithm = algorithm
        self.alpha = alpha
        self.max_given = max_given
        self.evidence = evidence
        self.discrete_features = discrete_features
        self.target_kind = target_kind
        self.n_workers = n_workers

    def fit(self, X: Any, y: Any) -> Self:
        """Find the Markov boundary of y among the features.

        Parameters
        ----------
        X : array, frame or binary sparse matrix of shape (n_samples, n_features)
            The features.
        y : array-like of shape (n_samples,)
            The target: classes or numbers.

        Returns
        -------
        MarkovBoundarySelector
            This selector, fitted.
        """
        label = getattr(y, "name", None)
        X, y = self._validated(X, y)
        features = self._features(X)
        target = _unused_name(label, features.names)
        kinds = _target_kinds(y, target, self.target_kind)
        self.boundary_ = self._search(features.with_columns({target: y}, kinds=kinds))
        return self

    def _validated(self, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
        """Check shapes and numbers; a frame stays a frame, because an array loses its kinds."""
        if not _is_frame(X):
            checked = validate_data(self, X, y, accept_sparse=("csc", "csr"), ensure_min_samples=2)
            return checked[0], checked[1]
        _, y = validate_data(self, X, y, skip_check_array=True)
        y = column_or_1d(y, warn=True)
        assert_all_finite(y, input_name="y")
        check_consistent_length(X, y)
        return X, y

    def _features(self, X: Any) -> Dataset:
        names = self._names()
        kinds = feature_kinds(self.discrete_features, names)
        if issparse(X):
            _refuse_continuous(kinds)
            return Dataset.from_sparse(X, names=names)
        if _is_frame(X):
            # Names that are not text are no feature names to scikit-learn.
            unnamed = not hasattr(self, "feature_names_in_")
            return Dataset.of(X.set_axis(names, axis=1) if unnamed else X, kinds=kinds)
        return Dataset.from_numpy(X, names=names, kinds=kinds)

    def _search(self, data: Dataset) -> MarkovBoundary:
        try:
            boundary = find_boundary(
                data,
                target=data.names[-1],
                algorithm=self.algorithm,
                alpha=self.alpha,
                max_given=self.max_given,
                evidence=self.evidence or EvidenceOptions(collinear="drop"),
                n_workers=self.n_workers,
                progress=False,
            )
        except TooFewRowsError as problem:
            size = f"n_samples={data.n_rows}, n_features={self.n_features_in_}"
            raise TooFewRowsError(f"{str(problem).rstrip('.')} ({size}).") from problem
        if not boundary.complete:
            # Half a boundary would go unnoticed in a pipeline.
            raise KeyboardInterrupt
        return boundary

    def _get_support_mask(self) -> BoolArray:
        check_is_fitted(self)
        members = set(self.boundary_.members)
        return np.array([name in members for name in self._names()])

    def _names(self) -> list[str]:
        unnamed = [f"x{i}" for i in range(self.n_features_in_)]
        return list(getattr(self, "feature_names_in_", unnamed))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        # Sparse matrices are taken only if they are binary, and the tag has no word for that.
        tags.input_tags.sparse = False
        return tags


def _is_frame(X: Any) -> bool:
    return hasattr(X, "columns") and hasattr(X, "dtypes")


def _unused_name(label: object, names: Sequence[str]) -> str:
    """Name the target after its series, and as no feature is named."""
    name = label if isinstance(label, str) and label else "target"
    while name in names:
        name += "_"
    return name


def _target_kinds(y: NDArray[Any], target: str, wanted: TargetKind) -> dict[str, Kind]:
    """Return the target's kind, or nothing where a dataset infers the right one."""
    if wanted == "infer":
        # Scikit-learn users write classes as 0.0 and 1.0, too; to a dataset these are numbers.
        classes = y.dtype.kind == "f" and type_of_target(y) in ("binary", "multiclass")
        few = classes and len(np.unique(y)) <= MAX_INTEGER_LEVELS
        return {target: Kind.DISCRETE} if few else {}
    try:
        return {target: Kind(wanted)}
    except ValueError:
        raise OptionError(
            f"target_kind must be 'infer', 'discrete' or 'continuous', not {wanted!r}."
        ) from None


def _refuse_continuous(kinds: dict[str, Kind]) -> None:
    continuous = [name for name, kind in kinds.items() if kind is Kind.CONTINUOUS]
    if continuous:
        raise ColumnKindError(
            f"X is sparse, so its columns hold 0 and 1 and cannot be continuous: "
            f"{listed(continuous)}; leave discrete_features as 'infer', or give X as a dense array."
        )
