"""Searches are measured as the experiment on Lantz et al. (2007) says."""

from __future__ import annotations

import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from eiderdown import DAG, Dataset
from eiderdown.networks import DiscreteNetwork, fit_network

FOLDER = Path(__file__).parents[2] / "experiments"
measures = SimpleNamespace(**runpy.run_path(str(FOLDER / "lantz2007_measures.py")))
NAMES = ("a", "b", "c", "d")


def binary(n_rows, seed):
    codes = np.random.default_rng(seed).integers(0, 2, (4, n_rows), dtype=np.uint8)
    codes[3] = codes[0] ^ codes[1]
    return Dataset.from_codes(codes, names=NAMES, categories=[("0", "1")] * 4)


def fitted(graph, data):
    """Fit every table with one row in each cell; the prior goes by the size of the family."""
    tables = {}
    for node in graph.nodes:
        parents = graph.parents(node)
        members = [name for name in graph.nodes if name == node or name in parents]
        family = DAG(members, [(parent, node) for parent in parents])
        size = 2.0 ** len(members)
        tables[node] = fit_network(family, data, equivalent_sample_size=size).table(node)
    return DiscreteNetwork(graph, dict.fromkeys(graph.nodes, ("0", "1")), tables)


@pytest.mark.parametrize("edges", [[], [("a", "d"), ("b", "d")], [("d", "a"), ("c", "a")]])
def test_held_out_rows_are_as_likely_as_by_a_network_fitted_with_one_row_in_each_cell(edges):
    train, test = binary(50, 0), binary(200, 1)
    graph = DAG(NAMES, edges)
    likelihood = measures.HeldOutLikelihood(train, test)
    expected = fitted(graph, train).log_likelihood(test).sum()
    assert likelihood.of(graph) == pytest.approx(expected)
    assert likelihood.of(graph) == likelihood.of(graph)


def test_all_searches_are_measured_and_only_those_that_look_further_find_exclusive_or():
    network = fitted(DAG(NAMES, [("a", "d"), ("b", "d")]), binary(4_000, 2))
    found = measures.outcome(network, binary(300, 3), binary(100, 4), seed=0)
    assert set(found["f1"]) == set(measures.N_RUNS)
    assert found["f1"][measures.PLAIN] == 0.0
    assert found["f1"][measures.LOOKAHEAD] == 1.0
    assert found["f1"][measures.PATIENT] == 1.0
    assert all(seconds > 0.0 for seconds in found["seconds"].values())
    better, worse = (found["log_likelihood"][name] for name in (measures.LOOKAHEAD, measures.PLAIN))
    assert better > worse


def test_p_values_are_of_paired_differences():
    def outcomes(*pairs):
        return [{"f1": {measures.PLAIN: a, measures.SKEWED: b}} for a, b in pairs]

    same = outcomes((0.1, 0.1), (0.7, 0.7))
    assert measures.p_value(same, "f1", measures.SKEWED) == 1.0
    always = outcomes((0.1, 0.2), (0.7, 0.8))
    assert measures.p_value(always, "f1", measures.SKEWED) == 0.0
    mostly = outcomes((0.1, 0.2), (0.7, 0.9), (0.5, 0.6))
    assert 0.0 < measures.p_value(mostly, "f1", measures.SKEWED) < 0.1
    assert measures.no_worse(mostly, "f1", measures.SKEWED)
