"""How well the searches do on some data sets of Lantz, Ray & Page (2007), and what they cost."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from scipy.stats import ttest_1samp

from eiderdown import DAG, Dataset, Knowledge, learn_network
from eiderdown.arrays import FloatArray
from eiderdown.networks import DiscreteNetwork

SCORE = "k2_penalised"
PLAIN, SKEWED = "sparse_candidate", "skewed_sparse_candidate"
PATIENT, LOOKAHEAD = "skewed_sparse_candidate_patient", "lookahead_sparse_candidate"
N_RUNS = {PLAIN: 1, SKEWED: 5, PATIENT: 1, LOOKAHEAD: 1}
"""The searches, and how often each is run on a data set: the published one as in the paper."""

F1, LOG_LIKELIHOOD, SECONDS = "f1", "log_likelihood", "seconds"
TRUTH = "truth"

Outcome = dict[str, Any]
"""Of one data set: by measure and search the mean of its runs; by TRUTH the true network's."""


def outcome(
    network: DiscreteNetwork,
    train: Dataset,
    test: Dataset,
    seed: int,
    knowledge: Knowledge | None = None,
) -> Outcome:
    """Learn from one data set by all searches."""
    likelihood = HeldOutLikelihood(train, test)
    true = _boundaries(network.dag)
    found: Outcome = {F1: {}, LOG_LIKELIHOOD: {}, SECONDS: {}}
    for search, n_runs in N_RUNS.items():
        runs = [
            _measured(search, network.dag, train, true, likelihood, seed + run, knowledge)
            for run in range(n_runs)
        ]
        means = np.mean(runs, axis=0).tolist()
        for measure, value in zip((F1, LOG_LIKELIHOOD, SECONDS), means, strict=True):
            found[measure][search] = value
    found[TRUTH] = float(network.log_likelihood(test).sum())
    return found


def _measured(
    search: str,
    truth: DAG,
    train: Dataset,
    true: set[tuple[str, str]],
    likelihood: HeldOutLikelihood,
    seed: int,
    knowledge: Knowledge | None,
) -> tuple[float, float, float]:
    started = time.process_time()
    learned = learn_network(
        train,
        algorithm=search,
        score=SCORE,
        knowledge=knowledge,
        random_state=seed,
        n_jobs=1,
        progress=False,
    )
    taken = time.process_time() - started
    # A column that is constant in the rows was left out; here it has no neighbours.
    graph = DAG(truth.nodes, learned.graph.edges)
    return _f1(_boundaries(graph), true), likelihood.of(graph), taken


class HeldOutLikelihood:
    """The log-likelihood of test rows, tables fitted with K2's prior: one row in every cell.

    Parameters
    ----------
    train, test : Dataset
        Binary columns of the same names.
    """

    def __init__(self, train: Dataset, test: Dataset) -> None:
        self._rows = [
            {name: data.codes(i).astype(np.int64) for i, name in enumerate(data.names)}
            for data in (train, test)
        ]
        self._known: dict[tuple[str, ...], float] = {}

    def of(self, graph: DAG) -> float:
        """Sum over the nodes."""
        families = ((node, *sorted(graph.parents(node))) for node in graph.nodes)
        return float(sum(self._of_family(family) for family in families))

    def _of_family(self, family: tuple[str, ...]) -> float:
        if family not in self._known:
            train, test = (self._cells(rows, family) for rows in self._rows)
            counts = np.bincount(train, minlength=2 ** len(family)).reshape(-1, 2) + 1.0
            logs = np.log(counts / counts.sum(axis=1, keepdims=True))
            self._known[family] = float(logs.ravel()[test].sum())
        return self._known[family]

    def _cells(self, rows: dict[str, Any], family: tuple[str, ...]) -> Any:
        node, *parents = family
        cells = np.zeros(len(rows[node]), dtype=np.int64)
        for name in (*parents, node):
            cells = 2 * cells + rows[name]
        return cells


def _boundaries(graph: DAG) -> set[tuple[str, str]]:
    """Return pairs of a node and a member of its boundary."""
    return {(node, other) for node in graph.nodes for other in graph.markov_boundary(node)}


def _f1(found: set[tuple[str, str]], true: set[tuple[str, str]]) -> float:
    return 2 * len(found & true) / max(1, len(found) + len(true))


def values(outcomes: Iterable[Outcome], measure: str, search: str) -> FloatArray:
    """Return one number for each data set."""
    return np.array([each[measure][search] for each in outcomes])


def mean(outcomes: Iterable[Outcome], measure: str, search: str) -> float:
    """Return the mean over the data sets."""
    return float(values(outcomes, measure, search).mean())


def seconds(outcomes: Iterable[Outcome], search: str) -> float:
    """Return the median CPU seconds of a run; the first one of a process reads compiled code."""
    return float(np.median(values(outcomes, SECONDS, search)))


def p_value(outcomes: Sequence[Outcome], measure: str, search: str) -> float:
    """Compare a search with the plain one by a two-tailed paired t-test."""
    gains = values(outcomes, measure, search) - values(outcomes, measure, PLAIN)
    if len(gains) < 2 or np.allclose(gains, gains[0]):  # no variance to test against
        return 1.0 if np.allclose(gains, 0.0) else 0.0
    return float(ttest_1samp(gains, 0.0).pvalue)


def no_worse(outcomes: Sequence[Outcome], measure: str, search: str) -> bool:
    """Whether a search is at least as good as the plain one on average."""
    return mean(outcomes, measure, search) >= mean(outcomes, measure, PLAIN)
