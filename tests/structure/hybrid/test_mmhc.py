"""MMHC: neighbours by tests, directions by a score."""

from __future__ import annotations

import numpy as np
import pytest
from exact_scores import RandomScore
from hybrid_searches import exact_search, graph_of, sampled_search

from eiderdown import networks
from eiderdown.graphs import DAG, cpdag_distance, random_dag
from eiderdown.independence import CachedTest, OracleTest, make_test
from eiderdown.knowledge import Knowledge
from eiderdown.networks import random_network
from eiderdown.structure.hybrid.mmhc import MaxMinCandidates
from eiderdown.structure.hybrid.mmhc import mmhc_restarts as mmhc
from eiderdown.structure.problem import StructureProblem


@pytest.mark.parametrize("seed", range(25))
def test_with_exact_evidence_the_true_class_is_found(seed):
    network = random_network(
        random_dag(7, edge_probability=0.35, random_state=seed), random_state=1
    )
    found = mmhc(exact_search(network))
    assert graph_of(found, network.dag.nodes).to_cpdag() == network.dag.to_cpdag()
    assert found.complete


@pytest.mark.parametrize("seed", range(10))
def test_separating_sets_separate_and_every_pair_without_an_edge_has_one(seed):
    dag = random_dag(7, edge_probability=0.3, random_state=seed)
    found = mmhc(exact_search(random_network(dag, random_state=seed)))
    names = dag.nodes
    assert len(found.separating_sets) + len(found.directed) == 21
    for pair, given in found.separating_sets.items():
        x, y = (names[i] for i in pair)
        assert dag.d_separated(x, y, [names[z] for z in given])


def test_only_pairs_that_are_found_around_each_other_are_joined():
    dag = DAG.from_string("A->B->C->D")
    chain = random_network(dag, random_state=0)

    class Greedy(RandomScore):
        """Wants every edge."""

        def _local(self, child, parents):
            return float(len(parents))

    search = StructureProblem(4, OracleTest(dag), Greedy(dag.nodes), max_given=2)
    found = mmhc(search)
    assert {frozenset(edge) for edge in found.directed} == {frozenset((i, i + 1)) for i in range(3)}
    assert chain.dag == dag


@pytest.mark.parametrize(
    ("symmetry", "of_t", "of_s"), [("and", "Q", "PQ"), ("none", "QS", "PQ"), ("or", "QS", "PQT")]
)
def test_candidates_are_found_from_both_sides_from_either_or_from_their_own(symmetry, of_t, of_s):
    dag = DAG.from_string("T->Q, P->Q, Q->S, P->S")
    candidates = MaxMinCandidates(StructureProblem(4, OracleTest(dag), max_given=4), symmetry)
    among = candidates.among(range(4))
    for name, expected in (("T", of_t), ("S", of_s)):
        x = dag.index(name)
        assert "".join(sorted(dag.nodes[y] for y in among[x])) == expected
        assert candidates.of(x) == sorted(among[x].tolist())


def test_knowledge_adds_and_removes_candidates():
    dag = DAG.from_string("A->B->C, D")
    known = Knowledge(
        required=[("A", "D")], forbidden=[("B", "C"), ("C", "B")], tiers=[["B"], ["A"]]
    )
    search = StructureProblem(
        4, OracleTest(dag), RandomScore(dag.nodes), knowledge=known.of_columns(dag.nodes)
    )
    candidates = MaxMinCandidates(search)
    near = {dag.nodes[x]: [dag.nodes[y] for y in candidates.of(x)] for x in range(4)}
    assert near == {"A": ["B", "D"], "B": ["A"], "C": [], "D": ["A"]}
    among = {x: ys.tolist() for x, ys in candidates.among([0, 3]).items()}
    assert among == {0: [3], 3: [0]}
    found = mmhc(search)
    known.check(graph_of(found, dag.nodes))
    assert (0, 3) in found.directed


def test_neighbours_among_some_variables_do_not_see_the_others():
    dag = DAG.from_string("A<-C->B")
    search = StructureProblem(3, OracleTest(dag), RandomScore(dag.nodes))
    a, b = dag.nodes.index("A"), dag.nodes.index("B")
    assert b not in MaxMinCandidates(search).of(a)
    assert MaxMinCandidates(search, among=[a, b]).of(a) == [b]


@pytest.mark.parametrize("is_forgetful", [False, True])
def test_what_nothing_separates_counts_as_asked_once_more(is_forgetful):
    data = networks.load("hailfinder").sample(2_000, random_state=3)
    inner = make_test("auto", data).inner
    test = CachedTest(inner, memory=1 if is_forgetful else 10**8)
    nodes = range(2, test.n_variables)
    candidates = MaxMinCandidates(StructureProblem(test.n_variables, test=test))
    given = {
        (x, y): sets
        for x in nodes
        for y, sets in candidates._around.uncorrected(x).separating_sets().items()
        if y in nodes
    }
    assert test.forgets == is_forgetful
    before = test.counts
    found = candidates.separating_sets(nodes)
    asked = test.counts.since(before)
    n_pairs = len(nodes) * (len(nodes) - 1) // 2
    assert asked.n_tests + asked.n_repeated == n_pairs
    assert (asked.n_tests > 0) == is_forgetful
    expected = {frozenset(pair): sets for pair, sets in reversed(given.items())}
    for k, x in enumerate(nodes):
        for tested in inner.sweep(nodes[k + 1 :], x):
            if tested.independent(0.01):
                expected[frozenset((x, tested.x))] = ()
    assert found == expected


@pytest.mark.parametrize("score", ["bdeu", "bic"])
def test_alarm_is_nearly_found(score):
    alarm = networks.load("alarm")
    data = alarm.sample(5_000, random_state=0)
    found = mmhc(sampled_search(data, score))
    assert cpdag_distance(graph_of(found, data.names), alarm.dag) <= 6
    assert min(found.edge_evidence.values()) > 0


def test_order_of_columns_decides_nothing():
    data = networks.load("insurance").sample(800, random_state=5)
    order = np.random.default_rng(1).permutation(data.n_columns)
    shuffled = data.select([data.names[i] for i in order])
    one, other = mmhc(sampled_search(data)), mmhc(sampled_search(shuffled))
    assert set(graph_of(one, data.names).edges) == set(graph_of(other, shuffled.names).edges)
    assert one.score == other.score
