"""What work is said to need is what it needs, and the sentence comes before the work."""

from __future__ import annotations

import re
import subprocess
import sys
import tracemalloc
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from eiderdown import Dataset, memory
from eiderdown.confidence.features import feature_confidences
from eiderdown.errors import InsufficientMemoryError
from eiderdown.export.libraries import to_causal_learn
from eiderdown.graphs import DAG
from eiderdown.graphs.exchange import matrix_from_pairs
from eiderdown.graphs.metrics import features_of
from eiderdown.manipulation.engine import is_bent
from eiderdown.networks import GaussianNetwork
from eiderdown.progress import Trace
from eiderdown.results import FoundModel
from eiderdown.scores import make_score
from eiderdown.statistics.moments import MomentStatistics
from eiderdown.structure.climbing.hill_climbing import climb
from eiderdown.structure.climbing.moving_graph import empty_graph
from eiderdown.structure.climbing.search_state import GREEDY
from eiderdown.structure.problem import StructureProblem
from eiderdown.svm.approximation import Approximation
from eiderdown.svm.grid_svm import Grid, GridSVM
from eiderdown.svm.model import PolynomialModel, decision_function
from eiderdown.svm.monomial_table import monomial_table
from eiderdown.svm.monomials import Monomial
from eiderdown.svm.training import SVMParams, train
from eiderdown.svm.weights.contributions import space_of, variable_norms
from eiderdown.svm.weights.methods import _Heur2
from eiderdown.svm.weights.search import top_monomials
from eiderdown.svm.weights.top_k import Builder, TopK

RATIO = 1.5
SENTENCE = re.compile(r"(.*) needs about ([\d.,e+]+) (MB|GB) of memory, but 0 MB are free; (.*)\.")


def model_of(degree, *, signs, n_vectors=1_200):
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(n_vectors, 6))
    return PolynomialModel(
        np.sign(vectors) if signs else vectors, rng.normal(size=n_vectors), degree
    )


def training(n_rows, *, regression=False):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 12))
    y = X[:, 0] * X[:, 1] if regression else (X[:, 0] * X[:, 1] > 0).astype(int)
    params = SVMParams(
        regression=regression, approximation=Approximation("nystroem", n_landmarks=80)
    )
    return lambda: train(X, y, degree=2, C=1.0, params=params)


def table_of_monomials():
    X = np.random.default_rng(0).normal(size=(4_000, 30))
    monomials = [Monomial.of([i, j, k]) for i in range(30) for j in range(i) for k in (1, 2)]
    return lambda: monomial_table(X, [f"x{i}" for i in range(30)], monomials[:500], np.ones(500))


def correlations():
    X = np.random.default_rng(0).normal(size=(2_000, 800))
    statistics = MomentStatistics(Dataset.from_columns({f"x{i}": x for i, x in enumerate(X.T)}))
    return lambda: statistics.rows_of(range(800))


def all_pairs(n_nodes=900):
    everyone = np.arange(n_nodes)
    possible = [np.delete(everyone, node) for node in everyone]
    return lambda: empty_graph(possible, np.full(n_nodes, n_nodes))


def whole_climb():
    def work(n_columns):
        coins = np.random.default_rng(0).integers(0, 2, size=(100, n_columns))
        data = Dataset.from_columns({f"x{i}": coin for i, coin in enumerate(coins.T)})
        problem = StructureProblem(n_columns, score=make_score("bic", data))
        return lambda: climb(problem, replace(GREEDY, least_share=0.9))

    work(20)()  # compiles what there is
    return work(600)


def chain(n_nodes):
    names = [f"v{i}" for i in range(n_nodes)]
    return DAG(names, list(pairwise(names)))


def covariance():
    graph = chain(700)
    before = dict(zip(graph.nodes[1:], graph.nodes, strict=False))
    network = GaussianNetwork(
        graph,
        dict.fromkeys(graph.nodes, 0.0),
        {node: {parent: 0.5} for node, parent in before.items()},
        dict.fromkeys(graph.nodes, 1.0),
    )
    return network.covariance


def confidences():
    graph = chain(1_000)
    edges = tuple(list(graph.edges)[::2])  # without paths, of which there would be many
    models = [FoundModel(edges, (), None, n_runs) for n_runs in (1, 2)]
    return lambda: feature_confidences(models, graph.nodes, weighting="runs")


def prediction():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(200_000, 8)).astype(float)
    grid = Grid(degrees=(1,), widths=(), Cs=(1.0,))
    return lambda: GridSVM(grid=grid, folds=2).fit(X, (X[:, 0] > 0).astype(int))


def bends():
    X = np.random.default_rng(0).normal(size=(3_000, 300))
    data = Dataset.from_columns({f"x{i}": x for i, x in enumerate(X.T)})
    return lambda: is_bent(data)


def listing():
    """A heuristic that lists all products of degree 4 with the last of 60 columns."""
    rng = np.random.default_rng(0)
    model = PolynomialModel(rng.normal(size=(3, 60)), rng.normal(size=3), 4)
    search = _Heur2(Builder(space_of(model, fold=True), TopK(5, 4), Trace(), None), "average")
    search._used[3] = list(range(59))
    return lambda: search._build(4, 59)


def function_of_all(n_vectors=40):
    rng = np.random.default_rng(0)
    model = PolynomialModel(rng.normal(size=(n_vectors, 30)), rng.normal(size=n_vectors), 3)
    return lambda: decision_function(model, max_terms=10**6)


def largest_weights():
    rng = np.random.default_rng(0)
    model = PolynomialModel(rng.normal(size=(20, 40)), rng.normal(size=20), 3)
    return lambda: top_monomials(model, 10**9, method="brute_force")


WORK = {
    "weights of degree 2": lambda: lambda: variable_norms(model_of(2, signs=False)),
    "weights of degree 4": lambda: lambda: variable_norms(model_of(4, signs=False)),
    "weights of signs, degree 2": lambda: lambda: top_monomials(model_of(2, signs=True), 5),
    "weights of signs, degree 4": lambda: lambda: top_monomials(model_of(4, signs=True), 5),
    "landmarks": lambda: training(12_000),
    "landmarks, regression": lambda: training(12_000, regression=True),
    "SVM for prediction": prediction,
    "table of monomials": table_of_monomials,
    "decision function": function_of_all,
    "largest weights": largest_weights,
    "heuristic of degree 4": listing,
    "correlations": correlations,
    "graph of a climb": all_pairs,
    "whole climb": whole_climb,
    "features of a graph": lambda: partial(features_of, chain(3_000)),
    "adjacency matrix": lambda: (
        lambda: matrix_from_pairs(5_000, [(0, 1)], convention="column_to_row")
    ),
    "matrix for causal-learn": lambda: partial(to_causal_learn, chain(2_000)),
    "covariances": covariance,
    "confidence in features": confidences,
    "bends": bends,
}


def estimated(work, monkeypatch):
    """Return the sentence and the megabytes in it."""
    monkeypatch.setattr(memory, "SMALL", 2**20)
    monkeypatch.setattr(memory, "free_memory", lambda: 0)
    with pytest.raises(InsufficientMemoryError) as raised:
        work()
    said = SENTENCE.fullmatch(str(raised.value))
    assert said, str(raised.value)
    monkeypatch.setattr(memory, "free_memory", lambda: None)
    return said, float(said[2].replace(",", "")) * (1024 if said[3] == "GB" else 1)


@pytest.mark.no_cover
@pytest.mark.parametrize("name", WORK)
def test_what_is_said_to_be_needed_is_what_is_used(name, monkeypatch):
    said, megabytes = estimated(WORK[name](), monkeypatch)
    assert said[1][0].isupper()
    assert said[4].split()[0] in {"give", "train", "take", "leave", "sample", "read"}
    work = WORK[name]()
    tracemalloc.start()
    try:
        work()
        used = tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()
    assert megabytes / RATIO < used < megabytes * RATIO


IN_A_PROCESS = r"""
import re, sys, warnings
from pathlib import Path
import numpy as np
import eiderdown, sklearn.svm, scipy.linalg
from eiderdown.svm.inner_products import kernel_bytes

warnings.simplefilter("ignore")
kind, n = sys.argv[1], 2_500
rng = np.random.default_rng(0)
x = rng.normal(size=(n, 6))
y = x[:, 0] * x[:, 1] + rng.normal(size=n)
target = {"classes": y > 0, "three": np.digitize(y, [-0.5, 0.5]), "numbers": y}[kind]
table = {f"x{i}": column for i, column in enumerate(x.T)}


def peak():
    # Not ru_maxrss, which a process inherits from the one that started it.
    return 1024 * int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1])


def find(rows):
    some = {name: column[:rows] for name, column in {**table, "t": target}.items()}
    eiderdown.find_interactions(some, "t", degree=2, C=1e-3, folds=0, progress=False)


find(200)
before = peak()
find(n)
print((peak() - before) / kernel_bytes(n))
"""


@pytest.mark.no_cover
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("kind", ["classes", "three", "numbers"])
def test_an_svm_of_all_rows_uses_what_it_is_said_to_need(kind):
    ran = subprocess.run(
        [sys.executable, "-c", IN_A_PROCESS, kind], capture_output=True, text=True, check=True
    )
    assert 1 / RATIO < float(ran.stdout) < RATIO
