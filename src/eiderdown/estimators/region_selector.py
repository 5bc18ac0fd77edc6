"""The region around the target as a feature selector."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any, Unpack

from eiderdown.api import learn_region
from eiderdown.data import Dataset
from eiderdown.estimators.local_selector import LocalSelector
from eiderdown.options import (
    IndependenceOptions,
    KnowledgeOptions,
    Option,
    WorkOptions,
    stores_params,
)
from eiderdown.results import LearnedRegion


class RegionSelectorOptions(IndependenceOptions, KnowledgeOptions, WorkOptions, total=False):
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
    discrete_features: Annotated[
        Any,
        Option(
            "the discrete features: 'infer', a bool, a mask, or names or indices", default="infer"
        ),
    ]
    target_kind: Annotated[
        Any, Option("'discrete', 'continuous', or 'infer' from the values", default="infer")
    ]


class RegionSelector(LocalSelector):
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

    _result_name = "region_"
    region_: LearnedRegion

    depth: int
    network_score: Any
    knowledge: Any
    random_state: int | None
    required = ()
    params = None

    @stores_params
    def __init__(self, **params: Unpack[RegionSelectorOptions]) -> None: ...

    def _find(self, data: Dataset, **options: Any) -> LearnedRegion:
        del options["required"], options["params"]
        return learn_region(
            data,
            depth=self.depth,
            score=self.network_score,
            knowledge=self.knowledge,
            random_state=self.random_state,
            **options,
        )

    def _chosen(self) -> Collection[str]:
        return self.region_.nodes
