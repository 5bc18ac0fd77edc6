"""The region around the target as a feature selector."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any, Unpack

from eiderdown.api import learn_region
from eiderdown.estimators.features import FeatureOptions
from eiderdown.estimators.selector import TargetSelector
from eiderdown.options import (
    IndependenceOptions,
    KnowledgeOptions,
    MissingOptions,
    Option,
    WorkOptions,
    stores_params,
)
from eiderdown.results import LearnedRegion


class RegionSelectorParams(
    IndependenceOptions,
    KnowledgeOptions,
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
    network_score: Annotated[
        Any,
        Option(
            "score of graphs, for searches that score: a name, a configured score such as "
            "BDEU(equivalent_sample_size=1), or a function that makes one from a Dataset",
            default="auto",
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
