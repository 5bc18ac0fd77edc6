from __future__ import annotations

import pickle

import networkx as nx
import pytest
from graph_strategies import dags
from hypothesis import given

from eiderdown.errors import DuplicateNamesError, GraphError, InputError
from eiderdown.graphs import DAG, Skeleton
from examples import examples

ASIA = DAG.from_string(
    "asia->tub, smoke->lung, smoke->bronc, tub->either, lung->either, "
    "either->xray, either->dysp, bronc->dysp"
)


def test_edges_are_sorted_by_node_order():
    dag = DAG(["C", "A", "B"], [("B", "A"), ("C", "B"), ("C", "A")])
    assert dag.edges == (("C", "A"), ("C", "B"), ("B", "A"))
    assert dag.n_edges == 3


def test_integer_twins_are_sorted_and_agree_with_the_names():
    dag = DAG(["C", "A", "B"], [("B", "A"), ("C", "A"), ("C", "B")])
    assert dag.parent_indices == ((), (0, 2), (0,))
    assert dag.child_indices == ((1, 2), (), (1,))
    assert dag.index("B") == 2


def test_families_of_the_asia_network():
    assert ASIA.parents("either") == {"tub", "lung"}
    assert ASIA.children("either") == {"xray", "dysp"}
    assert ASIA.parents_children("either") == {"tub", "lung", "xray", "dysp"}
    assert ASIA.spouses("either") == {"bronc"}
    assert ASIA.markov_boundary("either") == {"tub", "lung", "xray", "dysp", "bronc"}
    assert ASIA.v_structures() == {("tub", "either", "lung"), ("bronc", "dysp", "either")}


def test_adjacent_parent_of_a_child_is_no_spouse():
    dag = DAG.from_string("A->T->C, A->C, B->C")
    assert dag.spouses("T") == {"B"}
    assert dag.markov_boundary("T") == {"A", "B", "C"}


@given(dags())
@examples(24)
def test_relations_agree_with_networkx(dag):
    graph = dag.to_networkx()
    moral = nx.moral_graph(graph)
    for node in dag.nodes:
        assert dag.parents(node) == set(graph.predecessors(node))
        assert dag.children(node) == set(graph.successors(node))
        assert dag.ancestors(node) == nx.ancestors(graph, node)
        assert dag.descendants(node) == nx.descendants(graph, node)
        assert dag.markov_boundary(node) == set(moral[node])


@given(dags())
@examples(24)
def test_topological_order_puts_parents_first(dag):
    place = {node: i for i, node in enumerate(dag.topological_order)}
    assert sorted(place) == sorted(dag.nodes)
    assert all(place[tail] < place[head] for tail, head in dag.edges)


@given(dags())
@examples(24)
def test_v_structures_agree_with_networkx(dag):
    expected = {(frozenset((a, b)), c) for a, c, b in nx.dag.v_structures(dag.to_networkx())}
    assert {(frozenset((a, b)), c) for a, c, b in dag.v_structures()} == expected


@given(dags())
@examples(24)
def test_region_agrees_with_networkx_ego_graph(dag):
    for node in dag.nodes:
        for depth in range(4):
            expected = nx.ego_graph(dag.to_networkx(), node, radius=depth, undirected=True)
            assert dag.region(node, depth) == DAG.from_networkx(expected)


def test_region_keeps_node_order_and_edges_between_the_outermost_nodes():
    region = DAG.from_string("D->C, B->C, A->B, A->D, E->D").region("C", 1)
    assert region.nodes == ("D", "C", "B")
    assert DAG.from_string("T->A, T->B, A->B, B->C").region("T", 1).edges == (
        ("T", "A"),
        ("T", "B"),
        ("A", "B"),
    )


@pytest.mark.parametrize("depth", [-1, 1.5, True])
def test_region_refuses_a_depth_that_is_no_count(depth):
    with pytest.raises(InputError, match="depth"):
        ASIA.region("asia", depth)


def test_intervention_cuts_only_the_edges_into_the_given_nodes():
    cut = ASIA.without_edges_into(["either", "dysp"])
    assert cut.nodes == ASIA.nodes
    assert set(ASIA.edges) - set(cut.edges) == {
        ("tub", "either"),
        ("lung", "either"),
        ("either", "dysp"),
        ("bronc", "dysp"),
    }


def test_skeleton_forgets_directions():
    assert DAG.from_string("A->B<-C").skeleton() == Skeleton.from_string("A--B--C")
    assert DAG.from_string("A->B").skeleton() == DAG.from_string("B->A").skeleton()


def test_equality_ignores_node_order_but_not_direction_nor_isolated_nodes():
    dag = DAG(["A", "B"], [("A", "B")])
    same = DAG(["B", "A"], [("A", "B")])
    assert dag == same
    assert hash(dag) == hash(same)
    assert dag != DAG(["A", "B"], [("B", "A")])
    assert dag != DAG(["A", "B", "C"], [("A", "B")])
    assert dag != "A->B"


def test_graph_cannot_be_changed():
    with pytest.raises(AttributeError, match="nodes"):
        ASIA.nodes = ()
    with pytest.raises(AttributeError, match="nodes"):
        del ASIA.nodes


def test_pickle_round_trip():
    assert pickle.loads(pickle.dumps(ASIA)) == ASIA


def test_small_graph_prints_as_code_that_makes_it_and_large_one_as_counts():
    dag = DAG.from_string("A->B, C")
    assert repr(dag) == "DAG.from_string('A->B, C')"
    large = DAG([f"x{i}" for i in range(100)], [("x0", "x1")])
    assert repr(large) == "<DAG with 100 nodes and 1 edges>"


def test_graph_without_nodes_is_legal():
    empty = DAG([])
    assert empty == DAG.from_string("")
    assert (empty.n_nodes, empty.n_edges, empty.topological_order) == (0, 0, ())


def test_cycle_is_named_in_the_direction_of_its_edges():
    edges = [("S", "A"), ("A", "B"), ("B", "C"), ("C", "A"), ("C", "D")]
    with pytest.raises(GraphError, match=r"A -> B -> C -> A|B -> C -> A -> B|C -> A -> B -> C"):
        DAG(["D", "S", "A", "B", "C"], edges)


def test_long_cycle_is_named_in_part():
    names = [f"x{i}" for i in range(1000)]
    with pytest.raises(GraphError, match=r"cycle x\d+ -> .*\.\.\..*; remove") as caught:
        DAG(names, zip(names, names[1:] + names[:1], strict=True))
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([("A", "A")], "from 'A' to itself"),
        ([("A", "B"), ("A", "B")], "'A' and 'B' is given more than once"),
        ([("A", "B"), ("B", "A")], "cycle"),
        ([("A", "X")], "no node 'X'"),
        ([("A", "B", "A")], "not a pair"),
        (["A->B"], "from_string"),
        ([("A", 1)], "no node 1"),
    ],
)
def test_bad_edge_is_refused_by_name(edges, message):
    with pytest.raises(GraphError, match=message):
        DAG(["A", "B"], edges)


@pytest.mark.parametrize(
    ("nodes", "error", "message"),
    [
        (["A", "B", "A"], DuplicateNamesError, "'A'"),
        ([1, 2], GraphError, "node 1 has no usable name"),
        ([""], GraphError, "non-empty"),
        ("ABC", GraphError, "list of names"),
    ],
)
def test_bad_node_names_are_refused(nodes, error, message):
    with pytest.raises(error, match=message):
        DAG(nodes)


def test_unknown_node_is_refused_with_a_close_name():
    with pytest.raises(GraphError, match="no node 'smoker'; did you mean 'smoke'"):
        ASIA.parents("smoker")
