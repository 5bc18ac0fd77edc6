"""The Markov boundary, and the parents and children, of the target as feature selectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eiderdown.api import find_boundary, find_parents_children
from eiderdown.boundary import BOUNDARY_ALGORITHMS, PARENTS_CHILDREN_ALGORITHMS, Search
from eiderdown.data import Dataset
from eiderdown.estimators.features import DiscreteFeatures, TargetKind
from eiderdown.estimators.local_selector import LocalSelector
from eiderdown.independence.registry import TestSource
from eiderdown.registry import Registry
from eiderdown.results import MarkovBoundary, ParentsChildren


class MarkovBoundarySelector(LocalSelector):
    """Keep the features in the Markov boundary of the target: given them, no other adds anything.

    A class target is tested with G2 and a numeric one with Fisher's z, unless ``test`` says
    otherwise. Features are brought to the target's kind as :func:`eiderdown.find_boundary` does it,
    with an :class:`~eiderdown.EiderdownWarning`: for a class target, continuous features are cut
    into three categories of equal frequency, or two where rows are few (put a discretiser before
    the selector to choose others); for a numeric one, discrete features are read as numbers.

    Parameters
    ----------
    algorithm : str, default="iamb"
        Registered name of the search; see ``eiderdown algorithms``.
    alpha : float, default=0.01
        Significance level, between 0 and 1.
    max_given : int or None, default=None
        Largest conditioning set; None for the algorithm's own choice.
    required : sequence of str, default=()
        Features that are kept whatever the tests say.
    params : mapping or None, default=None
        Options of the algorithm's own, such as ``{"fraction": 0.8}``.
    test : str, Test or callable, default="auto"
        Test of independence, as in :func:`eiderdown.find_boundary`; of columns that are linear
        functions of others nothing is taken (``collinear="drop"``) unless the test says otherwise.
    discrete_features : "infer", bool, mask, or names or indices of features, default="infer"
        The discrete features. By inference these are text, categories, booleans, and integers
        with few distinct values, as in :class:`eiderdown.Dataset`.
    target_kind : {"infer", "discrete", "continuous"}, default="infer"
        Whether the target is a class or a number. By inference it is a class if it is text,
        boolean, or whole numbers with at most 20 distinct values.
    random_state : int or None, default=None
        Seed of algorithms that make random choices.
    n_jobs : int or None, default=None
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

    _result_name = "boundary_"
    boundary_: MarkovBoundary

    def __init__(
        self,
        *,
        algorithm: str = "iamb",
        alpha: float = 0.01,
        max_given: int | None = None,
        required: Sequence[str] = (),
        params: Mapping[str, Any] | None = None,
        test: TestSource = "auto",
        discrete_features: DiscreteFeatures = "infer",
        target_kind: TargetKind = "infer",
        random_state: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            algorithm=algorithm,
            alpha=alpha,
            max_given=max_given,
            required=required,
            params=params,
            test=test,
            discrete_features=discrete_features,
            target_kind=target_kind,
            n_jobs=n_jobs,
        )
        self.random_state = random_state

    def _find(self, data: Dataset, **options: Any) -> MarkovBoundary:
        search = configured(BOUNDARY_ALGORITHMS, options)
        return find_boundary(data, algorithm=search, random_state=self.random_state, **options)


class ParentsChildrenSelector(LocalSelector):
    """Keep the parents and children of the target: the features that no others separate from it.

    They are fewer than the Markov boundary, which also has the children's other parents. A
    prediction may lose a little without those; what is left are direct causes and effects.

    Parameters
    ----------
    algorithm : str, default="get_pc"
        Registered name of the search; see ``eiderdown algorithms``.
    max_given : int or None, default=None
        Largest conditioning set; None for 3, and for 2 at hubs with more than 20 neighbours.
    alpha, required, params, test, discrete_features, target_kind, n_jobs
        As in :class:`MarkovBoundarySelector`.

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

    _result_name = "parents_children_"
    parents_children_: ParentsChildren

    def __init__(
        self,
        *,
        algorithm: str = "get_pc",
        alpha: float = 0.01,
        max_given: int | None = None,
        required: Sequence[str] = (),
        params: Mapping[str, Any] | None = None,
        test: TestSource = "auto",
        discrete_features: DiscreteFeatures = "infer",
        target_kind: TargetKind = "infer",
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            algorithm=algorithm,
            alpha=alpha,
            max_given=max_given,
            required=required,
            params=params,
            test=test,
            discrete_features=discrete_features,
            target_kind=target_kind,
            n_jobs=n_jobs,
        )

    def _find(self, data: Dataset, **options: Any) -> ParentsChildren:
        search = configured(PARENTS_CHILDREN_ALGORITHMS, options)
        return find_parents_children(data, algorithm=search, **options)


def configured(registry: Registry[Search], options: dict[str, Any]) -> Search:
    """Take the algorithm and its own options out of what an estimator has."""
    return registry[options.pop("algorithm")].with_params(options.pop("params") or {})
