"""The region around the target as a feature selector."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from eiderdown.api import learn_region
from eiderdown.data import Dataset
from eiderdown.estimators.features import DiscreteFeatures, TargetKind
from eiderdown.estimators.local_selector import LocalSelector
from eiderdown.independence.registry import TestSource
from eiderdown.knowledge.file import KnowledgeSource
from eiderdown.results import LearnedRegion
from eiderdown.scores import ScoreSource


class RegionSelector(LocalSelector):
    """Keep the features in the region around the target: those within some steps of it.

    Parameters
    ----------
    depth : int, default=1
        How many steps: 1 for parents and children, 2 for theirs as well, and so on.
    algorithm : str, default="region_mmhc"
        Registered name of the search; see ``eiderdown algorithms``.
    network_score : str, Score or callable, default="auto"
        For searches that score: the name of a score of graphs, a configured one, or a function that
        makes one from a Dataset.
    alpha : float, default=0.01
        Significance level, between 0 and 1.
    max_given : int or None, default=None
        Largest conditioning set; None for the algorithm's own choice.
    knowledge : Knowledge, mapping, path or None, default=None
        Tiers, required and forbidden edges, most parents.
    random_state : int or None, default=0
        Seed of algorithms that make random choices; None for other choices each time.
    params, test, discrete_features, target_kind, n_jobs
        As in :class:`MarkovBoundarySelector`.

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

    def __init__(
        self,
        *,
        depth: int = 1,
        algorithm: str = "region_mmhc",
        network_score: ScoreSource = "auto",
        alpha: float = 0.01,
        max_given: int | None = None,
        knowledge: KnowledgeSource | None = None,
        params: Mapping[str, Any] | None = None,
        test: TestSource = "auto",
        discrete_features: DiscreteFeatures = "infer",
        target_kind: TargetKind = "infer",
        random_state: int | None = 0,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            algorithm=algorithm,
            alpha=alpha,
            max_given=max_given,
            required=(),
            params=params,
            test=test,
            discrete_features=discrete_features,
            target_kind=target_kind,
            n_jobs=n_jobs,
        )
        self.depth = depth
        self.network_score = network_score
        self.knowledge = knowledge
        self.random_state = random_state

    def _find(self, data: Dataset, **options: Any) -> LearnedRegion:
        del options["required"]
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
