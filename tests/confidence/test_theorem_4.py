"""Pena, Kocka & Nielsen (2004), theorems 1 and 4: with enough rows confidences are 0 or 1."""

from __future__ import annotations

import pytest
from population_score import PopulationScore, optima_options

from eiderdown.confidence.optima import confidence_by_kes
from eiderdown.graphs import DAG, random_dag
from eiderdown.networks import random_gaussian_network, random_network


def analysed(data, **options):
    options = {"runs": 40, "k": 0.0} | options
    return confidence_by_kes(data, optima_options(**options))


def assert_only_the_truth_is_confident(found, dag):
    truth = found.against(dag)
    assert found.models[0].graph(found.nodes) == dag.to_cpdag()
    assert found.n_distinct == 1
    assert {feature.confidence for feature in truth.features} == {1.0}
    assert all(feature.in_model for feature in truth.features)
    for group in ("edges", "paths", "boundaries"):
        errors = truth.counts_at(group, 1.0)
        assert (errors.false_positives, errors.false_negatives) == (0, 0)


SHARES = (0.0, 0.5, 0.8)
EVERY = [(seed, k) for seed in range(8) for k in SHARES]
FEW = [(seed, SHARES[seed % 3]) for seed in range(6)]
MORE = [pytest.param(*case, marks=pytest.mark.slow) for case in EVERY if case not in FEW]


@pytest.mark.parametrize(("seed", "k"), FEW + MORE)
def test_confidence_is_1_for_the_features_of_the_network_and_0_for_others(seed, k):
    dag = random_dag(7, expected_degree=2.5, random_state=seed)
    network = random_gaussian_network(dag, random_state=seed)
    rows = network.sample(20, random_state=0)
    found = analysed(rows, k=k, score=lambda data: PopulationScore(network))
    assert_only_the_truth_is_confident(found, dag)


@pytest.mark.parametrize("weighting", ["distinct", "runs", "score"])
def test_it_holds_for_any_weights_and_a_large_sample(weighting):
    dag = DAG.from_string("a->c<-b, c->d, c->e, e->f, b->f, g")
    data = random_network(dag, n_states=(3, 3), random_state=2).sample(200_000, random_state=0)
    found = analysed(data, weighting=weighting, k=0.3)
    assert_only_the_truth_is_confident(found, dag)


def test_a_smaller_sample_leaves_doubts():
    dag = DAG.from_string("a->c<-b, c->d, c->e, e->f, b->f, g")
    data = random_network(dag, n_states=(3, 3), random_state=2).sample(20_000, random_state=0)
    found = analysed(data, k=0.3, runs=100)
    assert found.n_distinct > 5
    assert any(0.0 < feature.confidence < 1.0 for feature in found.features)
