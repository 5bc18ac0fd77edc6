"""Selectors by a search around the target: Markov boundary, parents and children, region."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Annotated, Any, ClassVar, Self, Unpack

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import (
    Tags,
    assert_all_finite,
    check_consistent_length,
    column_or_1d,
    get_tags,
)
from sklearn.utils.validation import check_is_fitted, validate_data

from eiderdown.api import check_boundary, find_boundary, find_parents_children, learn_region
from eiderdown.api.boundary import BoundarySearch, Goal, ParentsChildrenSearch
from eiderdown.arrays import BoolArray
from eiderdown.data import Dataset
from eiderdown.errors import TooFewRowsError
from eiderdown.estimators.features import (
    DiscreteFeatures,
    FeatureOptions,
    NetworkScoreOptions,
    SelectorWithTarget,
    TargetKind,
    checked_params,
    feature_names,
    features_of,
    is_frame,
    target_kinds,
    unused_name,
)
from eiderdown.independence.registry import TestSource
from eiderdown.options import Option, options_of, stores_params
from eiderdown.progress import abandon
from eiderdown.results import BoundaryCheck, LearnedRegion, MarkovBoundary, ParentsChildren
from eiderdown.shared_options import (
    IndependenceOptions,
    KnowledgeOptions,
    MissingOptions,
    WorkOptions,
)


class TargetSelector(SelectorWithTarget):
    """Keep the features that a verb finds around the target; subclasses say which verb.

    Parameters of the selector that are options of the verb go to the verb.
    """

    _verb: ClassVar[Callable[..., Any]]
    _result_name: ClassVar[str]  # the fitted attribute that holds what was found
    test: TestSource
    discrete_features: DiscreteFeatures
    target_kind: TargetKind

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
        checked_params(self)
        label = getattr(y, "name", None)
        self._search(self._table(*self._validated(X, y), label))
        return self

    def check_boundary(self, X: Any, y: Any) -> BoundaryCheck:
        """Check whether the features kept are the Markov boundary of y, and what they lack.

        Best on rows that ``fit`` has not seen. A selector of parents and children keeps less than
        a boundary, and one of a region more; the answer says which features that concerns.

        Parameters
        ----------
        X : array, frame or binary sparse matrix of shape (n_samples, n_features)
            The features that ``fit`` had, in these rows.
        y : array-like of shape (n_samples,)
            The target.

        Returns
        -------
        BoundaryCheck
            As of :func:`eiderdown.check_boundary`, by the test and alpha of this selector.
        """
        check_is_fitted(self)
        label = getattr(y, "name", None)
        data = self._table(*self._validated(X, y, reset=False), label)
        kept = [name for name, yes in zip(data.names, self.get_support(), strict=False) if yes]
        known, own = options_of(check_boundary), self._options()
        options = {name: value for name, value in own.items() if name in known}
        return check_boundary(data, data.names[-1], members=kept, progress=False, **options)

    def _table(self, X: Any, y: NDArray[Any], label: object) -> Dataset:
        """Make a table of checked features with the target as its last column."""
        features = features_of(self, X, self.discrete_features)
        target = unused_name(label, features.names)
        return features.with_columns({target: y}, kinds=target_kinds(y, target, self.target_kind))

    def _validated(self, X: Any, y: Any, *, reset: bool = True) -> tuple[Any, NDArray[Any]]:
        """Check shapes and numbers; a frame stays a frame, because an array loses its kinds."""
        allow_nan = get_tags(self).input_tags.allow_nan
        checks: dict[str, Any] = {"skip_check_array": True}
        if not is_frame(X):
            checks = {"accept_sparse": ("csc", "csr"), "ensure_min_samples": 2}
            checks["ensure_all_finite"] = "allow-nan" if allow_nan else True
        wanted = None if y is None else "no_validation"
        validated_x = validate_data(self, X, wanted, reset=reset, **checks)
        y = column_or_1d(y, warn=True)
        # Rows without a target are left out, as by the verb.
        assert_all_finite(y, input_name="y", allow_nan=allow_nan)
        check_consistent_length(X, y)
        return X if is_frame(X) else validated_x, y

    def _options(self) -> dict[str, Any]:
        """Return what the verb is told."""
        known = options_of(self._verb)
        own = self.get_params(deep=False)
        return {name: value for name, value in own.items() if name in known}

    def _search(self, data: Dataset) -> None:
        verb = type(self)._verb
        fixed = {"progress": False, "explain_all": False}
        how = {name: value for name, value in fixed.items() if name in options_of(verb)}
        try:
            result = verb(data, target=data.names[-1], **how, **self._options())
        except TooFewRowsError as problem:
            size = f"n_samples={data.n_rows}, n_features={self.n_features_in_}"
            raise TooFewRowsError(f"{str(problem).rstrip('.')} ({size}).") from problem
        if not result.complete:
            # Half a boundary would go unnoticed in a pipeline.
            abandon()
        setattr(self, self._result_name, result)

    def _get_support_mask(self) -> BoolArray:
        check_is_fitted(self)
        chosen = set(self._chosen())
        return np.array([name in chosen for name in feature_names(self)])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


class BoundarySelectorParams(
    BoundarySearch, FeatureOptions, MissingOptions, WorkOptions, total=False
):
    """What :class:`MarkovBoundarySelector` takes."""

    goal: Goal


class ParentsChildrenSelectorParams(
    ParentsChildrenSearch, FeatureOptions, MissingOptions, WorkOptions, total=False
):
    """What :class:`ParentsChildrenSelector` takes."""


class MarkovBoundarySelector(TargetSelector):
    """Keep the features in the Markov boundary of the target: given them, no other adds anything.

    Unless ``test`` says otherwise, the test is chosen by the kinds of target and features, as in
    :func:`eiderdown.find_boundary`: calibrated X2 for categories, Fisher's z for numbers, Wilks'
    test where there are both. Features that are linear functions of others are left out of tests
    of numbers. A test that is named and takes one kind gets all columns as that kind, with a
    warning: numbers are cut into three categories of equal frequency, or two where rows are few
    (put a discretiser before the selector to choose others); categories are read as numbers.

    With ``goal="prediction"`` the features kept are ``boundary_.predictors``: the smallest set that
    predicts as well as any, chosen by cross-validation within ``fit``, which takes 10 to 25 times
    as long. It may be smaller than the boundary, or larger where rows are few.

    Parameters
    ----------
    **params

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

    _verb = staticmethod(find_boundary)
    _result_name = "boundary_"
    boundary_: MarkovBoundary

    @stores_params
    def __init__(self, **params: Unpack[BoundarySelectorParams]) -> None: ...

    def _chosen(self) -> Collection[str]:
        return self.boundary_.predictors


class ParentsChildrenSelector(TargetSelector):
    """Keep the parents and children of the target: the features that no others separate from it.

    They are fewer than the Markov boundary, which also has the children's other parents. A
    prediction may lose a little without those; what is left are direct causes and effects.

    Parameters
    ----------
    **params

    Attributes
    ----------
    parents_children_ : ParentsChildren
        The parents and children with their evidence; features without names are x0, x1, ...
    n_features_in_ : int
        Number of features seen by ``fit``.
    feature_names_in_ : ndarray of str
        Names of the features, where X has them.

    Examples
    --------
    >>> from eiderdown import networks
    >>> from eiderdown.estimators import ParentsChildrenSelector
    >>> frame = networks.load("asia").sample(5_000, random_state=0).to_pandas()
    >>> selector = ParentsChildrenSelector().fit(frame.drop(columns="smoke"), frame["smoke"])
    >>> selector.get_feature_names_out().tolist()
    ['lung', 'bronc']
    """

    _verb = staticmethod(find_parents_children)
    _result_name = "parents_children_"
    parents_children_: ParentsChildren

    @stores_params
    def __init__(self, **params: Unpack[ParentsChildrenSelectorParams]) -> None: ...


class RegionSelectorParams(
    IndependenceOptions,
    KnowledgeOptions,
    NetworkScoreOptions,
    FeatureOptions,
    MissingOptions,
    WorkOptions,
    total=False,
):
    """Parameters of :class:`RegionSelector`."""

    depth: Annotated[
        int,
        Option(
            "how many steps: 1 for parents and children, 2 for theirs as well, and so on", default=1
        ),
    ]
    algorithm: Annotated[
        Any,
        Option(
            "search for regions: a name, or a configured one such as REGION_MMHC(patience=30)",
            default="region_mmhc_restarts",
        ),
    ]


class RegionSelector(TargetSelector):
    """Keep the features in the region around the target: those within some steps of it.

    Parameters
    ----------
    **params

    Attributes
    ----------
    region_ : LearnedRegion
        The graph around the target with its evidence; features without names are x0, x1, ...
    n_features_in_ : int
        Number of features seen by ``fit``.
    feature_names_in_ : ndarray of str
        Names of the features, where X has them.

    Examples
    --------
    >>> from eiderdown import networks
    >>> from eiderdown.estimators import RegionSelector
    >>> frame = networks.load("alarm").sample(5_000, random_state=0).to_pandas()
    >>> X, y = frame.drop(columns="HYPOVOLEMIA"), frame["HYPOVOLEMIA"]
    >>> RegionSelector().fit(X, y).get_feature_names_out().tolist()
    ['LVEDVOLUME', 'STROKEVOLUME']
    """

    _verb = staticmethod(learn_region)
    _result_name = "region_"
    region_: LearnedRegion

    network_score: Any

    @stores_params
    def __init__(self, **params: Unpack[RegionSelectorParams]) -> None: ...

    def _options(self) -> dict[str, Any]:
        # Named apart from the method ``score`` that scikit-learn's users expect of an estimator.
        return super()._options() | {"score": self.network_score}

    def _chosen(self) -> Collection[str]:
        return self.region_.nodes
