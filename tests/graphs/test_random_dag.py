from __future__ import annotations

from math import comb

import numpy as np
import pytest
from scipy import stats

from eiderdown.errors import OptionError
from eiderdown.graphs import random_dag
from eiderdown.graphs.dag import numbered_pairs


def test_same_seed_gives_the_same_dag_and_another_seed_another():
    first = random_dag(20, expected_degree=3, random_state=7)
    assert first == random_dag(20, expected_degree=3, random_state=7)
    assert first != random_dag(20, expected_degree=3, random_state=8)


def test_nodes_are_numbered_in_order():
    assert random_dag(3, edge_probability=0.5, random_state=0).nodes == ("v0", "v1", "v2")


def test_every_ordered_pair_is_an_edge_equally_often():
    n_draws, counts = 3000, np.zeros((4, 4))
    generator = np.random.default_rng(0)
    for _ in range(n_draws):
        dag = random_dag(4, edge_probability=0.4, random_state=generator)
        counts += dag.to_adjacency(convention="row_to_column")
    observed = counts[~np.eye(4, dtype=bool)]
    assert stats.binomtest(int(observed.sum()), n_draws * 6, 0.4).pvalue > 0.001
    assert stats.chisquare(observed).pvalue > 0.001


def test_expected_degree_is_the_mean_number_of_edges_at_a_node():
    dag = random_dag(5000, expected_degree=4, random_state=0)
    n_pairs = comb(5000, 2)
    assert stats.binomtest(dag.n_edges, n_pairs, 4 / 4999).pvalue > 0.001


def test_probability_one_gives_the_complete_dag_and_zero_none():
    assert random_dag(30, edge_probability=1, random_state=0).n_edges == comb(30, 2)
    assert random_dag(30, edge_probability=0, random_state=0).n_edges == 0


def test_max_parents_caps_families_and_fills_them_where_it_can():
    dag = random_dag(40, edge_probability=1, max_parents=3, random_state=0)
    sizes = [len(dag.parent_indices[i]) for i in dag.topological_indices]
    assert sorted(sizes) == [0, 1, 2] + [3] * 37


def test_parents_kept_under_the_cap_are_chosen_evenly():
    generator = np.random.default_rng(0)
    draws = [
        random_dag(3, edge_probability=1, max_parents=1, random_state=generator)
        for _ in range(1000)
    ]
    # The last node keeps the first one (a fork) or the second (a chain).
    n_forks = sum(max(map(len, dag.child_indices)) == 2 for dag in draws)
    assert stats.binomtest(n_forks, len(draws), 0.5).pvalue > 0.001


@pytest.mark.parametrize("j", [1, 2, 1000, 100_000, 40_000_000])
def test_numbered_pairs_are_exact_at_the_ends_of_a_row(j):
    first = j * (j - 1) // 2
    i, later = numbered_pairs(np.array([first, first + j - 1]))
    assert i.tolist() == [0, j - 1]
    assert later.tolist() == [j, j]


@pytest.mark.slow
def test_a_hundred_thousand_nodes_can_be_drawn():
    dag = random_dag(100_000, expected_degree=2, random_state=0)
    assert dag.n_nodes == 100_000
    assert stats.binomtest(dag.n_edges, comb(100_000, 2), 2 / 99_999).pvalue > 0.001


@pytest.mark.parametrize("n_nodes", [0, 1])
def test_tiny_graphs_have_no_edges(n_nodes):
    dag = random_dag(n_nodes, edge_probability=1, random_state=0)
    assert (dag.n_nodes, dag.n_edges) == (n_nodes, 0)
    assert random_dag(n_nodes, expected_degree=0, random_state=0) == dag


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "exactly one"),
        ({"expected_degree": 1, "edge_probability": 0.1}, "exactly one"),
        ({"edge_probability": 1.5}, "edge_probability"),
        ({"expected_degree": 5}, r"expected_degree must be in \[0, 4\]"),
        ({"expected_degree": float("nan")}, "expected_degree"),
        ({"expected_degree": 1, "max_parents": -1}, "max_parents"),
    ],
)
def test_bad_options_are_refused_by_name(options, message):
    with pytest.raises(OptionError, match=message):
        random_dag(5, **options)


def test_bad_number_of_nodes_is_refused():
    with pytest.raises(OptionError, match="n_nodes"):
        random_dag(-1, edge_probability=0.5)
