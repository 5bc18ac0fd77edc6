from __future__ import annotations

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from graph_strategies import dags, queries
from hypothesis import given
from hypothesis import strategies as st

from eiderdown.errors import TargetAmongCandidatesError
from eiderdown.graphs import DAG, random_dag, reachable
from examples import examples


def test_separation_agrees_with_networkx_on_single_nodes():
    rng = np.random.default_rng(0)
    for seed in range(150):
        dag = random_dag(int(rng.integers(2, 12)), edge_probability=0.3, random_state=seed)
        graph = dag.to_networkx()
        for _ in range(10):
            x, y, *rest = rng.permutation(dag.nodes).tolist()
            conditions = rest[: rng.integers(0, len(rest) + 1)]
            expected = nx.is_d_separator(graph, x, y, set(conditions))
            assert dag.d_separated(x, y, conditions) == expected, (dag, x, y, conditions)


def test_separation_agrees_with_networkx_on_sets_of_nodes():
    rng = np.random.default_rng(1)
    for seed in range(150):
        dag = random_dag(9, expected_degree=2.5, random_state=seed)
        names = rng.permutation(dag.nodes).tolist()
        first, second, third = np.sort(rng.integers(1, 9, size=3))
        xs, ys, zs = names[:first], names[first:second], names[second:third]
        expected = nx.is_d_separator(dag.to_networkx(), set(xs), set(ys), set(zs))
        assert dag.d_separated(xs, ys, zs) == expected, (dag, xs, ys, zs)


@given(queries())
@examples(40)
def test_connected_set_holds_exactly_the_nodes_that_are_not_separated(query):
    dag, x, _, conditions = query
    others = set(dag.nodes) - {x} - set(conditions)
    expected = {y for y in others if not dag.d_separated(x, y, conditions)}
    assert dag.d_connected(x, conditions) == expected


@given(queries())
@examples(40)
def test_separation_is_symmetric(query):
    dag, x, y, conditions = query
    assert dag.d_separated(x, y, conditions) == dag.d_separated(y, x, conditions)


@given(dags())
@examples(40)
def test_every_node_is_separated_from_its_non_descendants_given_its_parents(dag):
    for node in dag.nodes:
        parents = dag.parents(node)
        others = set(dag.nodes) - {node} - parents - dag.descendants(node)
        assert dag.d_separated(node, others, parents)


@given(dags(min_nodes=2))
@examples(40)
def test_nodes_are_adjacent_exactly_when_no_set_separates_them(dag):
    for x, y in combinations(dag.nodes, 2):
        rest = sorted(set(dag.nodes) - {x, y})
        subsets = (zs for size in range(len(rest) + 1) for zs in combinations(rest, size))
        assert (y in dag.adjacent(x)) == (not any(dag.d_separated(x, y, zs) for zs in subsets))


@given(dags())
@examples(40)
def test_markov_boundary_separates_and_no_member_can_be_spared(dag):
    for target in dag.nodes:
        boundary = dag.markov_boundary(target)
        assert dag.d_separated(target, set(dag.nodes) - boundary - {target}, boundary)
        for member in boundary:
            assert not dag.d_separated(target, member, boundary - {member})


@given(queries(), st.randoms(use_true_random=False))
@examples(20)
def test_separation_does_not_depend_on_the_order_of_the_nodes(query, random):
    dag, x, y, conditions = query
    nodes = list(dag.nodes)
    random.shuffle(nodes)
    shuffled = DAG(nodes, dag.edges)
    assert dag.d_separated(x, y, conditions) == shuffled.d_separated(x, y, conditions)


def test_descendant_of_a_collider_opens_it():
    dag = DAG.from_string("A->C<-B, C->D->E")
    assert dag.d_separated("A", "B")
    assert not dag.d_separated("A", "B", given="E")
    assert dag.d_connected("A", given=["E"]) == {"B", "C", "D"}


def test_reachable_takes_numpy_integers_and_leaves_out_x_and_given():
    dag = DAG.from_string("A->B->C, C->D")
    lists = dag.parent_indices, dag.child_indices
    assert reachable(*lists, np.int64(0), np.array([2])).tolist() == [False, True, False, False]
    assert reachable(*lists, [0, 1], ()).tolist() == [False, False, True, True]


def test_empty_sides_are_separated_from_everything():
    dag = DAG.from_string("A->B")
    assert dag.d_separated([], "B")
    assert dag.d_separated("A", [])


@pytest.mark.parametrize(
    ("x", "y", "conditions"), [("A", "A", ()), ("A", "B", "A"), ("B", "A", ["A"])]
)
def test_a_node_on_two_sides_is_refused_by_name(x, y, conditions):
    with pytest.raises(TargetAmongCandidatesError, match="'A'"):
        DAG.from_string("A->B").d_separated(x, y, conditions)


def test_connection_to_a_condition_is_refused_by_name():
    with pytest.raises(TargetAmongCandidatesError, match="'B'"):
        DAG.from_string("A->B").d_connected("B", given=["B"])
