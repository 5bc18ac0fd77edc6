"""Regions learned on their own are those of the whole network."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from exact_scores import ExactScore
from hybrid_searches import exact_search, sampled_search

from eiderdown import networks
from eiderdown.graphs import DAG, random_dag
from eiderdown.independence import CachedTest, OracleTest
from eiderdown.knowledge import Knowledge
from eiderdown.networks import random_network
from eiderdown.structure.hybrid.mmhc import MaxMinCandidates, rings
from eiderdown.structure.hybrid.mmhc import mmhc_restarts as mmhc
from eiderdown.structure.hybrid.mmhc import region_dsep_mmhc_restarts as region_dsep_mmhc
from eiderdown.structure.hybrid.mmhc import region_mmhc_restarts as region_mmhc
from eiderdown.structure.problem import StructureProblem


def around(found, names):
    """Nodes and adjacencies of a region, by name."""
    nodes = {names[x] for x in found.nodes}
    return nodes, {frozenset((names[p], names[c])) for p, c in found.directed}


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("depth", [1, 2])
def test_region_is_the_part_of_the_true_graph_around_the_target(seed, depth):
    dag = random_dag(8, edge_probability=0.25, random_state=seed)
    network = random_network(dag, random_state=seed)
    found = region_mmhc(exact_search(network, target=0, depth=depth))
    truth = dag.region(dag.nodes[0], depth)
    assert around(found, dag.nodes) == (set(truth.nodes), set(map(frozenset, truth.edges)))
    assert found.complete


def test_region_as_deep_as_the_network_is_the_whole_network():
    data = networks.load("asia").sample(5_000, random_state=2)
    whole = mmhc(sampled_search(data), symmetry="and")  # as regions have it
    part = region_mmhc(sampled_search(data, target=data.names.index("either"), depth=8))
    assert len(part.nodes) >= 5
    inside = {edge for edge in whole.directed if set(edge) <= set(part.nodes)}
    assert set(map(frozenset, part.directed)) == set(map(frozenset, inside))
    assert part.compelled == whole.cut(part.nodes[0], 8).compelled


def test_ring_beyond_keeps_common_causes_outside_from_joining_their_effects():
    # A and B depend on each other through C alone, which is two steps from T.
    dag = DAG.from_string("C->A->T, C->B->T")
    network = random_network(dag, random_state=4)
    found = region_mmhc(exact_search(network, target=dag.index("T"), depth=1))
    nodes, edges = around(found, dag.nodes)
    assert nodes == {"A", "B", "T"}
    assert edges == {frozenset("AT"), frozenset("BT")}


@pytest.mark.parametrize("depth", [1, 2])
def test_rings_hold_each_variable_once_at_its_distance(depth):
    dag = DAG.from_string("T->A->B->C, T->D->B, E->A")
    search = StructureProblem(6, OracleTest(dag), max_given=6)
    found = rings(MaxMinCandidates(search), dag.index("T"), depth)
    named = [sorted(dag.nodes[x] for x in ring) for ring in found]
    assert named == [["T"], ["A", "D"], ["B", "E"]][: depth + 1]


def test_rings_end_where_there_are_no_more_neighbours():
    dag = DAG.from_string("T->A, B->C")
    search = StructureProblem(4, OracleTest(dag))
    assert len(rings(MaxMinCandidates(search), dag.index("T"), 5)) == 2


def test_region_around_a_lonely_variable_is_that_variable():
    dag = DAG.from_string("A->B, T")
    search = exact_search(random_network(dag, random_state=0), target=dag.index("T"), depth=2)
    for region in (region_mmhc, region_dsep_mmhc):
        found = region(search)
        assert found.nodes == (dag.index("T"),)
        assert found.directed == ()


def test_only_the_neighbourhood_is_searched():
    names = [f"v{i:02d}" for i in range(40)]
    dag = DAG(names, list(pairwise(names)))
    test = CachedTest(OracleTest(dag))
    search = StructureProblem(40, test, target=0, depth=1)
    assert len(rings(MaxMinCandidates(search), 0, 2)) == 3
    # MMPC around four nodes, each of which asks every other variable a few times.
    assert test.counts.n_tests < 4 * 40 * 5


# Figure IV-7 of the thesis: A and B are connected in the network, through R - C - S, but not in the
# region of depth 1 around T.
THROUGH_OUTSIDE = "A->T<-B, R->A, S->B, C->R, C->S"


def test_dsep_region_shows_what_is_connected_outside():
    dag = DAG.from_string(THROUGH_OUTSIDE)
    network = random_network(dag, random_state=3)
    names = dag.nodes

    def learned(region):
        found = region(exact_search(network, target=dag.index("T"), depth=1))
        return DAG(
            [names[x] for x in found.nodes], [(names[p], names[c]) for p, c in found.directed]
        )

    assert learned(region_mmhc).d_separated("A", "B")
    wider = learned(region_dsep_mmhc)
    assert set(wider.nodes) == set("ABRST")
    for given in ([], ["R"], ["S"], ["R", "S"]):
        assert wider.d_separated("A", "B", given) == dag.d_separated("A", "B", given)


@pytest.mark.parametrize("seed", range(12))
def test_dsep_region_has_all_edges_of_the_region_one_step_wider(seed):
    dag = random_dag(8, edge_probability=0.25, random_state=seed)
    network = random_network(dag, random_state=seed)
    found = region_dsep_mmhc(exact_search(network, target=0, depth=1))
    nodes, edges = around(found, dag.nodes)
    inner, wider = dag.region(dag.nodes[0], 1), dag.region(dag.nodes[0], 2)
    assert nodes == set(wider.nodes)
    assert set(map(frozenset, inner.edges)) <= edges
    assert {edge for edge in edges if edge & set(inner.nodes)} <= set(map(frozenset, wider.edges))


def test_required_neighbours_are_in_the_region_whatever_the_tests_say():
    dag = DAG.from_string("T->A, B")
    network = random_network(dag, random_state=0)
    known = Knowledge(required=[("T", "B")]).of_columns(dag.nodes)
    search = StructureProblem(
        3, OracleTest(dag), ExactScore(network), knowledge=known, target=0, depth=1
    )
    found = region_mmhc(search)
    assert (dag.index("T"), dag.index("B")) in found.directed


def test_order_of_columns_decides_nothing():
    data = networks.load("alarm").sample(1_000, random_state=7)
    order = np.random.default_rng(1).permutation(data.n_columns)
    shuffled = data.select([data.names[i] for i in order])

    def found(table):
        target = table.names.index("HR")
        learned = region_mmhc(sampled_search(table, target=target, depth=2))
        return {(table.names[p], table.names[c]) for p, c in learned.directed}

    assert found(data) == found(shuffled)
