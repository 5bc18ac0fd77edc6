from __future__ import annotations

import networkx as nx
import pytest
from graph_strategies import pdags
from hypothesis import given

from eiderdown.errors import GraphError
from eiderdown.graphs import DAG, PDAG, Skeleton
from examples import examples

MIXED = PDAG.from_string("A->B<-C, B--D, D--E, F")


def test_edges_and_relations_are_read_by_sort():
    assert MIXED.directed == (("A", "B"), ("C", "B"))
    assert MIXED.undirected == (("B", "D"), ("D", "E"))
    assert MIXED.n_edges == 4
    assert MIXED.parents("B") == {"A", "C"}
    assert MIXED.children("A") == {"B"}
    assert MIXED.undirected_neighbours("D") == {"B", "E"}
    assert MIXED.adjacent("B") == {"A", "C", "D"}
    assert MIXED.v_structures() == {("A", "B", "C")}


def test_skeleton_joins_both_sorts_of_edge():
    assert MIXED.skeleton() == Skeleton.from_string("A--B--C, B--D--E, F")
    assert MIXED.skeleton().n_edges == 4


def test_equality_tells_directed_from_undirected():
    assert PDAG.from_string("A--B") == PDAG(["B", "A"], undirected=[("B", "A")])
    assert PDAG.from_string("A--B") != PDAG.from_string("A->B")
    assert PDAG.from_string("A->B") != DAG.from_string("A->B")
    assert len({PDAG.from_string("A--B"), PDAG.from_string("B--A")}) == 1


@given(pdags())
@examples(24)
def test_region_has_the_nodes_within_reach_and_all_edges_between_them(pdag):
    graph = pdag.skeleton().to_networkx()
    for node in pdag.nodes:
        near = set(nx.ego_graph(graph, node, radius=2).nodes)
        region = pdag.region(node, 2)
        assert set(region.nodes) == near
        assert region.directed == tuple(e for e in pdag.directed if near >= set(e))
        assert region.undirected == tuple(e for e in pdag.undirected if near >= set(e))


def test_region_of_a_skeleton_stops_at_its_depth():
    skeleton = Skeleton.from_string("A--B--C--D, A--C")
    assert skeleton.region("A", 1) == Skeleton.from_string("A--B--C, A--C")
    assert skeleton.region("A", 0) == Skeleton(["A"])
    assert skeleton.region("A", 9) == skeleton


@pytest.mark.parametrize(
    ("directed", "undirected", "message"),
    [
        ([("A", "B")], [("B", "A")], "'A' and 'B'|'B' and 'A'"),
        ([], [("A", "B"), ("B", "A")], "more than once"),
        ([("A", "B"), ("B", "A")], [], "cycle A -> B -> A|cycle B -> A -> B"),
        ([("A", "B"), ("B", "C"), ("C", "A")], [], "cycle"),
        ([], [("A", "A")], "itself"),
        ([], [("A", "X")], "no node 'X'"),
    ],
)
def test_bad_edges_are_refused_by_name(directed, undirected, message):
    with pytest.raises(GraphError, match=message):
        PDAG(["A", "B", "C"], directed, undirected)


def test_repeated_skeleton_edge_is_refused_either_way_round():
    with pytest.raises(GraphError, match="more than once"):
        Skeleton(["A", "B"], [("A", "B"), ("B", "A")])
