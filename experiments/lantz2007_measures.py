"""How well the plain and the skewed search do on some data sets of Lantz, Ray & Page (2007)."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np
from lantz2007_problems import STATES
from scipy.stats import ttest_1samp

from eiderdown import DAG, Dataset, Knowledge, learn_network
from eiderdown.networks import DiscreteNetwork, fit_network

SCORE = "k2_penalised"
PLAIN, SKEWED = "sparse_candidate", "skewed_sparse_candidate_patient"

Measure = dict[str, list[float]]
"""By search, one number for each data set."""


def _nothing() -> Measure:
    return {PLAIN: [], SKEWED: []}


@dataclass
class Cell:
    """What both searches made of some data sets."""

    f1: Measure = field(default_factory=_nothing)
    log_likelihood: Measure = field(default_factory=_nothing)
    seconds: Measure = field(default_factory=_nothing)
    of_truth: list[float] = field(default_factory=list)

    def add(
        self,
        network: DiscreteNetwork,
        train: Dataset,
        test: Dataset,
        seed: int,
        knowledge: Knowledge | None = None,
    ) -> None:
        """Learn from one data set by both searches."""
        for algorithm in (PLAIN, SKEWED):
            started = time.perf_counter()
            learned = learn_network(
                train,
                algorithm=algorithm,
                score=SCORE,
                knowledge=knowledge,
                random_state=seed,
                n_jobs=1,
                progress=False,
            )
            self.seconds[algorithm].append(time.perf_counter() - started)
            # A column that is constant in the rows was left out; here it has no neighbours.
            graph = DAG(network.dag.nodes, learned.graph.edges)
            self.f1[algorithm].append(boundary_f1(graph, network.dag))
            likelihoods = fitted(graph, train).log_likelihood(test)
            self.log_likelihood[algorithm].append(float(likelihoods.sum()))
        self.of_truth.append(float(network.log_likelihood(test).sum()))

    @property
    def is_empty(self) -> bool:
        """Whether no data set was learned from yet."""
        return not self.of_truth


def p_value(measure: Measure) -> float:
    """Compare the searches by a two-tailed paired t-test."""
    gains = np.subtract(measure[SKEWED], measure[PLAIN])
    if np.allclose(gains, gains[0]):  # no variance to test against
        return 1.0 if np.allclose(gains, 0.0) else 0.0
    return float(ttest_1samp(gains, 0.0).pvalue)


def means(measure: Measure) -> tuple[float, float]:
    """Return the plain search's mean and the skewed one's."""
    return float(np.mean(measure[PLAIN])), float(np.mean(measure[SKEWED]))


def no_worse(measure: Measure) -> bool:
    """Whether the skewed search is at least as good as the plain one on average."""
    plain, skewed = means(measure)
    return skewed >= plain


def fitted(graph: DAG, data: Dataset) -> DiscreteNetwork:
    """Fit the tables of binary columns with K2's prior: one row in every cell."""
    tables = {}
    for node in graph.nodes:
        parents = graph.parents(node)
        members = [name for name in graph.nodes if name == node or name in parents]
        family = DAG(members, [(parent, node) for parent in parents])
        n_cells = 2.0 ** len(members)
        tables[node] = fit_network(family, data, equivalent_sample_size=n_cells).table(node)
    return DiscreteNetwork(graph, dict.fromkeys(graph.nodes, STATES), tables)


def boundary_f1(learned: DAG, truth: DAG) -> float:
    """F1 of the boundaries of all nodes, as pairs of a node and a member."""
    found, true = (
        {(node, other) for node in truth.nodes for other in graph.markov_boundary(node)}
        for graph in (learned, truth)
    )
    return 2 * len(found & true) / max(1, len(found) + len(true))
