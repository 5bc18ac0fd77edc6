"""With an oracle, searches by parents and children return the truth about every node.

290 random graphs of 3 to 8 nodes for every search but the random one (50 graphs, three times);
2,000 others, and 240 of 9 to 12 nodes, among the slow tests.
"""

from __future__ import annotations

import numpy as np
import pytest
from searching import random_dags, wrong_answers
from table_oracle import TableOracle

from eiderdown.boundary.known_sets import KnownSets
from eiderdown.independence import OracleTest

SEMI = {"interleaving": "semi"}
NEIGHBOURS = [("get_pc", {}), ("mmpc", {}), ("hiton_pc", {}), ("hiton_pc", SEMI)]
BOUNDARIES = [
    ("pcmb", {}), ("mmmb", {}), ("hiton_mb", {}), ("hiton_mb", SEMI), ("ipc_mb", {}), ("bamb", {}),
]  # fmt: skip

N_GRAPHS = {3: 40, 4: 60, 5: 40, 6: 12, 7: 4, 8: 2}
N_MORE_GRAPHS = {3: 400, 4: 800, 5: 500, 6: 200, 7: 70, 8: 30, 9: 100, 10: 80, 11: 40, 12: 20}


def check_every_search(dag):
    oracle, known = TableOracle(dag), KnownSets()
    for name, params in NEIGHBOURS:
        wrong = wrong_answers(name, oracle, dag.parents_children, params, known=known)
        assert not wrong, (name, params, dag.edges)
    for name, params in BOUNDARIES:
        wrong = wrong_answers(name, oracle, dag.markov_boundary, params, known=known)
        assert not wrong, (name, params, dag.edges)


@pytest.mark.no_cover
@pytest.mark.parametrize("n_nodes", N_GRAPHS)
def test_all_searches_are_exact_given_the_oracle(n_nodes):
    for dag in random_dags({n_nodes: N_GRAPHS[n_nodes]}, seed=n_nodes):
        check_every_search(dag)


@pytest.mark.slow
@pytest.mark.parametrize("n_nodes", N_MORE_GRAPHS)
def test_all_searches_are_exact_on_more_graphs_given_the_oracle(n_nodes):
    for dag in random_dags({n_nodes: N_MORE_GRAPHS[n_nodes]}, seed=100 + n_nodes):
        check_every_search(dag)


@pytest.mark.no_cover
@pytest.mark.parametrize("fraction", [0.0, 0.5, 1.0])
def test_kpcmb_is_exact_whatever_it_draws(fraction):
    check_kpcmb(fraction, {3: 15, 4: 20, 5: 10, 6: 5}, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("fraction", [0.0, 0.5, 1.0])
def test_kpcmb_is_exact_on_more_graphs_whatever_it_draws(fraction):
    check_kpcmb(fraction, {3: 60, 4: 100, 5: 100, 6: 60, 7: 20}, seed=2)


def check_kpcmb(fraction, sizes, seed):
    for dag in random_dags(sizes, seed):
        params = {"fraction": fraction}
        assert not wrong_answers("kpcmb", TableOracle(dag), dag.markov_boundary, params), dag.edges


@pytest.mark.parametrize("n_nodes", [3, 5, 6])
def test_the_table_of_answers_agrees_with_the_oracle(n_nodes):
    for dag in random_dags({n_nodes: 5}, seed=0):
        table, oracle = TableOracle(dag), OracleTest(dag)
        xs, pool = np.arange(1, n_nodes), list(range(2, n_nodes))
        for max_given in range(n_nodes):
            asked = {"alpha": 0.01, "max_given": max_given}
            assert list(table.max_p_over_subsets(xs, 0, pool, **asked)) == list(
                oracle.max_p_over_subsets(xs, 0, pool, **asked)
            )
        for z in pool:
            assert list(table.sweep([1], 0, [z])) == list(oracle.sweep([1], 0, [z]))
