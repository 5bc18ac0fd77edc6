"""qNML: regrets against sums over all samples, and what follows for the score."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest
from scored_tables import chained_codes, coded

import naive_scores
from eiderdown import learn_network, networks
from eiderdown.graphs import DAG
from eiderdown.networks.random import random_fan_in_dag
from eiderdown.scores import make_score, qnml
from eiderdown.scores.qnml import approximate_regret, regret


def summed_over_all_samples(n_rows, n_categories):
    samples = product(range(n_categories), repeat=n_rows)
    counts = (Counter(sample).values() for sample in samples)
    return math.fsum(math.prod((n / n_rows) ** n for n in found) for found in counts)


@pytest.mark.parametrize(
    ("n_rows", "n_categories"), [(1, 4), (2, 2), (3, 3), (5, 4), (6, 2), (7, 3)]
)
def test_the_regret_is_the_sum_over_all_samples(n_rows, n_categories):
    expected = summed_over_all_samples(n_rows, n_categories)
    assert math.exp(regret(n_rows, n_categories)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n_rows", [1, 10, 250, 5_000])
def test_the_recurrence_agrees_with_another_formula_in_whatever_order_it_is_asked(n_rows):
    for n_categories in (1_500, 2, 40, 7):
        expected = naive_scores.regret(n_rows, n_categories)
        assert regret(n_rows, n_categories) == pytest.approx(expected, rel=1e-10, abs=1e-9)


def test_the_approximation_takes_over_without_a_jump(monkeypatch):
    for n_rows in (20, 1_000, 100_000):
        exact = regret(n_rows, 2_000)
        assert approximate_regret(n_rows, 2_000) == pytest.approx(exact, abs=2e-4)
    monkeypatch.setattr(qnml, "MOST_EXACT_ROWS", 99)
    assert regret(100, 5) == approximate_regret(100, 5)
    assert approximate_regret(50, 10**290) > approximate_regret(50, 10**289)


def test_equivalent_random_graphs_tie_exactly():
    codes = chained_codes(np.random.default_rng(6), 6, 300, n_categories=4)
    score = make_score("qnml", coded(codes, [4, 5, 4, 6, 4, 5]))
    for seed in range(20):
        dag = random_fan_in_dag(6, max_parents=3, random_state=seed)
        named = DAG(
            [f"c{x[1:]}" for x in dag.nodes], [(f"c{a[1:]}", f"c{b[1:]}") for a, b in dag.edges]
        )
        for parent, child in named.edges:
            if set(named.parents(child)) - {parent} == set(named.parents(parent)):  # covered
                kept = [edge for edge in named.edges if edge != (parent, child)]
                turned = DAG(named.nodes, [*kept, (child, parent)])
                assert score.total(turned) == score.total(named)


def test_it_serves_searches_among_graphs_and_among_classes():
    data = networks.load("asia").sample(2_000, random_state=0)
    climbed = learn_network(data, algorithm="hill_climbing", score="qnml")
    searched = learn_network(data, algorithm="ges", score="qnml")
    assert climbed.run.options["score"] == "qnml"
    assert searched.score >= climbed.score
