"""The Bayesian network of the features, and how likely rows are by it."""

from __future__ import annotations

from typing import Annotated, Any, Self, Unpack

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from eiderdown.api import learn_network
from eiderdown.arrays import FloatArray
from eiderdown.data import Dataset
from eiderdown.errors import ColumnKindError, GraphError
from eiderdown.estimators.features import (
    DiscreteFeatures,
    KindOptions,
    NetworkScoreOptions,
    checked_params,
    features_of,
    validated,
)
from eiderdown.graphs import DAG, PDAG
from eiderdown.networks import DiscreteNetwork, GaussianNetwork, fit_network
from eiderdown.options import Option, options_of, stores_params
from eiderdown.progress import abandon
from eiderdown.results import LearnedNetwork
from eiderdown.shared_options import (
    IndependenceOptions,
    KnowledgeOptions,
    MissingOptions,
    WorkOptions,
)


class NetworkLearnerOptions(
    IndependenceOptions,
    KnowledgeOptions,
    NetworkScoreOptions,
    KindOptions,
    MissingOptions,
    WorkOptions,
    total=False,
):
    """Parameters of :class:`BayesianNetworkLearner`."""

    algorithm: Annotated[
        Any,
        Option(
            "search for networks: a name, 'auto' to let the table choose, or a configured one such "
            "as MMHC(patience=30)",
            default="auto",
        ),
    ]
    equivalent_sample_size: Annotated[
        float,
        Option(
            "rows that the prior of the tables is worth; 0 makes rows impossible that hold a "
            "combination never seen before",
            default=1.0,
            between=(0, 1e100),
        ),
    ]


class BayesianNetworkLearner(BaseEstimator):
    """Learn the Bayesian network of the features, and how likely rows are by it.

    Tests of correlated features leave out what is collinear.

    Parameters
    ----------
    **params

    Attributes
    ----------
    network_ : LearnedNetwork
        The graph with its evidence; features without names are called x0, x1, ...
    parameters_ : DiscreteNetwork, GaussianNetwork or None
        The graph with tables or coefficients; None if features are of both kinds, or if the
        CPDAG that was found stands for no directed graph.
    n_features_in_ : int
        Number of features seen by ``fit``.
    feature_names_in_ : ndarray of str
        Names of the features, where X has them.

    Examples
    --------
    >>> from eiderdown import networks
    >>> from eiderdown.estimators import BayesianNetworkLearner
    >>> frame = networks.load("asia").sample(5_000, random_state=0).to_pandas()
    >>> learner = BayesianNetworkLearner(algorithm="hill_climbing").fit(frame[:4_000])
    >>> sorted(learner.network_.boundary("dysp"))
    ['bronc', 'either']
    >>> learner.score(frame[4_000:]) > -3
    True
    """

    network_: LearnedNetwork
    parameters_: DiscreteNetwork | GaussianNetwork | None
    n_features_in_: int
    network_score: Any
    test: Any
    discrete_features: DiscreteFeatures
    equivalent_sample_size: float

    @stores_params
    def __init__(self, **params: Unpack[NetworkLearnerOptions]) -> None: ...

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002  scikit-learn passes it
        """Learn the network of the features.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The features.
        y : None
            Ignored; the target is one of the features, if it is to be in the network.

        Returns
        -------
        BayesianNetworkLearner
            This learner, fitted.
        """
        checked_params(self)
        X = validated(
            self,
            X,
            reset=True,
            ensure_min_samples=2,
            ensure_min_features=2,
            ensure_all_finite="allow-nan",
        )
        data = features_of(self, X, self.discrete_features)
        self._is_discrete = data.is_discrete
        own, known = self.get_params(deep=False), options_of(learn_network)
        options = {name: value for name, value in own.items() if name in known}
        options["score"] = self.network_score
        network = learn_network(data, progress=False, **options)
        if not network.complete:
            # Half a network would go unnoticed in a pipeline.
            abandon()
        self.network_ = network
        self.parameters_ = self._parameters(data)
        return self

    def score_samples(self, X: Any) -> FloatArray:
        """Return the log-probability (or log-density) of each row.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            Rows of the same features.
        """
        check_is_fitted(self)
        if self.parameters_ is None:
            raise ColumnKindError(
                "This network has no parameters, because features are of both kinds, or because "
                "its CPDAG stands for no directed graph; discretise the continuous features, or "
                "learn with a search for directed graphs, such as 'hill_climbing'."
            )
        X = validated(self, X, reset=False, ensure_all_finite="allow-nan")
        return self.parameters_.log_likelihood(features_of(self, X, self._is_discrete))

    def score(self, X: Any, y: Any = None) -> float:  # noqa: ARG002  scikit-learn passes it
        """Return the mean log-probability of the rows: the more, the better.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            Rows of the same features.
        y : None
            Ignored.
        """
        return float(np.mean(self.score_samples(X)))

    def _parameters(self, data: Dataset) -> DiscreteNetwork | GaussianNetwork | None:
        weight = checked_params(self)["equivalent_sample_size"]
        try:
            graph = self.network_.graph
            dag = graph.to_dag() if isinstance(graph, PDAG) else graph
            # Numbers that do not vary have no density, and no other feature depends on them.
            flat = {name for name in data.constant_columns() if not data.is_discrete.all()}
            dag = DAG([node for node in dag.nodes if node not in flat], dag.edges)
            return fit_network(dag, data, equivalent_sample_size=weight)
        except (GraphError, ColumnKindError):
            return None
