"""The Bayesian network of the features, and how likely rows are by it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from eiderdown.api import learn_network
from eiderdown.arrays import FloatArray
from eiderdown.data import Dataset
from eiderdown.errors import ColumnKindError, GraphError
from eiderdown.estimators.features import DiscreteFeatures, features_of, is_frame
from eiderdown.graphs import PDAG
from eiderdown.independence.registry import TestSource, with_defaults
from eiderdown.knowledge.file import KnowledgeSource
from eiderdown.networks import DiscreteNetwork, GaussianNetwork, fit_network
from eiderdown.results import LearnedNetwork
from eiderdown.scores import ScoreSource


class BayesianNetworkLearner(BaseEstimator):
    """Learn the Bayesian network of the features, and how likely rows are by it.

    Parameters
    ----------
    algorithm : str, default="mmhc"
        Registered name of the search; see ``eiderdown algorithms``.
    network_score : str, Score or callable, default="auto"
        For searches that score: the name of a score of graphs, a configured one, or a function that
        makes one from a Dataset.
    alpha : float, default=0.01
        Significance level, for searches that test.
    max_given : int or None, default=None
        Largest conditioning set; None for the algorithm's own choice.
    knowledge : Knowledge, mapping, path or None, default=None
        Tiers, required and forbidden edges, most parents.
    params : mapping or None, default=None
        Options of the algorithm's own.
    test : str, Test or callable, default="auto"
        Test of independence, as in :func:`eiderdown.find_boundary`; of columns that are linear
        functions of others nothing is taken (``collinear="drop"``) unless the test says otherwise.
    discrete_features : "infer", bool, mask, or names or indices of features, default="infer"
        The discrete features.
    equivalent_sample_size : float, default=1.0
        Rows that the prior of the tables is worth; 0 makes rows impossible that hold a combination
        never seen before.
    random_state : int or None, default=0
        Seed of algorithms that make random choices; None for other choices each time.
    n_jobs : int or None, default=None
        Threads; None means every available core. The result does not depend on it.

    Attributes
    ----------
    network_ : LearnedNetwork
        The graph with its evidence; features without names are called x0, x1, ...
    parameters_ : DiscreteNetwork, GaussianNetwork or None
        The graph with tables or coefficients; None if features are of both kinds, or if the
        pattern that was found stands for no directed graph.
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

    def __init__(
        self,
        *,
        algorithm: str = "mmhc",
        network_score: ScoreSource = "auto",
        alpha: float = 0.01,
        max_given: int | None = None,
        knowledge: KnowledgeSource | None = None,
        params: Mapping[str, Any] | None = None,
        test: TestSource = "auto",
        discrete_features: DiscreteFeatures = "infer",
        equivalent_sample_size: float = 1.0,
        random_state: int | None = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.algorithm = algorithm
        self.network_score = network_score
        self.alpha = alpha
        self.max_given = max_given
        self.knowledge = knowledge
        self.params = params
        self.test = test
        self.discrete_features = discrete_features
        self.equivalent_sample_size = equivalent_sample_size
        self.random_state = random_state
        self.n_jobs = n_jobs

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
        data = self._table(X)
        network = learn_network(
            data,
            algorithm=self.algorithm,
            score=self.network_score,
            alpha=self.alpha,
            max_given=self.max_given,
            knowledge=self.knowledge,
            params=self.params,
            test=with_defaults(self.test, collinear="drop"),
            random_state=self.random_state,
            n_jobs=self.n_jobs,
            progress=False,
        )
        if not network.complete:
            # Half a network would go unnoticed in a pipeline.
            raise KeyboardInterrupt
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
                "its pattern stands for no directed graph; discretise the continuous features, or "
                "learn with a search for directed graphs, such as 'hill_climbing'."
            )
        return self.parameters_.log_likelihood(self._features(X, self._is_discrete, reset=False))

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
        weight = self.equivalent_sample_size
        try:
            graph = self.network_.graph
            dag = graph.to_dag() if isinstance(graph, PDAG) else graph
            return fit_network(dag, data, equivalent_sample_size=weight)
        except (GraphError, ColumnKindError):
            return None

    def _table(self, X: Any) -> Dataset:
        """Make a dataset of rows to learn from, and remember which features are discrete."""
        data = self._features(X, self.discrete_features, reset=True)
        self._is_discrete = data.is_discrete
        return data

    def _features(self, X: Any, discrete: DiscreteFeatures, *, reset: bool) -> Dataset:
        """Check the features; a frame stays a frame, because an array loses its kinds."""
        if is_frame(X):
            validate_data(self, X, skip_check_array=True, reset=reset)
        else:
            least = {"ensure_min_samples": 2, "ensure_min_features": 2} if reset else {}
            X = validate_data(self, X, reset=reset, **least)
        unnamed = [f"x{i}" for i in range(self.n_features_in_)]
        names = list(getattr(self, "feature_names_in_", unnamed))
        return features_of(X, names, discrete, named=hasattr(self, "feature_names_in_"))
