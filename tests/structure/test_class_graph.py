"""Essential graphs in bit sets, against the graphs layer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eiderdown.graphs import PDAG, random_dag
from eiderdown.structure.bit_sets import after, has, members, put, size, take, words_for
from eiderdown.structure.class_graph import Known, join, no_edges, reach, settle


def nothing_known(n, *, anything=False):
    allowed = np.full((n, words_for(n)), ~np.uint64(0))
    return Known(allowed, np.zeros_like(allowed), anything, n)


def of_dag(dag):
    graph = no_edges(dag.n_nodes)
    for child, parents in enumerate(dag.parent_indices):
        for parent in parents:
            join(graph, parent, child)
    return graph


def pattern_of(graph, names):
    n = len(names)
    return PDAG(
        names,
        [(names[p], names[c]) for c in range(n) for p in members(graph.parents[c])],
        [(names[a], names[b]) for a in range(n) for b in members(graph.neighbours[a]) if a < b],
    )


graphs = st.builds(
    lambda n, degree, seed: random_dag(n, expected_degree=min(degree, n - 1), random_state=seed),
    st.sampled_from([2, 5, 9, 63, 64, 65, 130]),
    st.floats(0.3, 4.0),
    st.integers(0, 10**6),
)


@settings(max_examples=60, deadline=None)
@given(graphs)
def test_a_dag_settles_into_its_essential_graph(dag):
    graph = of_dag(dag)
    assert settle(graph, nothing_known(dag.n_nodes))
    assert pattern_of(graph, dag.nodes) == dag.to_cpdag()
    again = pattern_of(graph, dag.nodes)
    assert settle(graph, nothing_known(dag.n_nodes))
    assert pattern_of(graph, dag.nodes) == again


@settings(max_examples=60, deadline=None)
@given(graphs, st.data())
def test_known_directions_are_kept_with_all_that_follows_from_them(dag, data):
    pattern = dag.to_cpdag()
    lines = [edge for edge in dag.edges if edge not in pattern.directed]
    told = data.draw(st.lists(st.sampled_from(lines), unique=True)) if lines else []
    known = nothing_known(dag.n_nodes, anything=True)
    for tail, head in told:
        take(known.allowed, dag.index(tail), dag.index(head))  # not as a child's parent
    graph = of_dag(dag)
    assert settle(graph, known)
    assert pattern_of(graph, dag.nodes) == pattern.apply_meek_rules(known=told)


def test_edges_that_no_dag_can_have_do_not_settle():
    graph = no_edges(4)
    for a, b in ((0, 1), (1, 2), (2, 3), (3, 0)):
        for one, other in ((a, b), (b, a)):
            put(graph.neighbours, one, other)
            put(graph.adjacent, one, other)
    assert not settle(graph, nothing_known(4))
    assert sorted(graph.sinks_first.tolist()) == [0, 1, 2, 3]


def test_a_direction_that_is_not_allowed_does_not_settle():
    graph = no_edges(2)
    join(graph, 0, 1)
    known = nothing_known(2, anything=True)
    take(known.allowed, 1, 0)
    assert not settle(graph, known)


@settings(max_examples=60, deadline=None)
@given(st.sets(st.integers(0, 129)), st.integers(0, 129))
def test_bit_sets_are_sets(nodes, node):
    sets = np.zeros((3, words_for(130)), dtype=np.uint64)
    for one in nodes:
        put(sets, 1, one)
    assert members(sets[1]) == sorted(nodes)
    assert size(sets, 1) == len(nodes)
    assert has(sets, 1, node) == (node in nodes)
    assert after(sets, 1, node) == min((one for one in nodes if one > node), default=-1)
    take(sets, 1, node)
    assert members(sets[1]) == sorted(nodes - {node})
    assert not sets[[0, 2]].any()


@settings(max_examples=40, deadline=None)
@given(graphs, st.data())
def test_semi_directed_paths_lead_where_a_plain_search_does(dag, data):
    n = dag.n_nodes
    graph = of_dag(dag)
    settle(graph, nothing_known(n))
    start = data.draw(st.integers(0, n - 1))
    avoided = data.draw(st.sets(st.integers(0, n - 1), max_size=4)) - {start}
    blocked, reached, fresh = (np.zeros((1, words_for(n)), dtype=np.uint64) for _ in range(3))
    for node in avoided:
        put(blocked, 0, node)
    reach(graph.children, graph.neighbours, start, blocked, 0, reached, 0, fresh)
    pattern, seen, waiting = dag.to_cpdag(), {start}, [start]
    while waiting:
        node = waiting.pop()
        steps = {*pattern.child_indices[node], *pattern.undirected_indices[node]}
        new = steps - seen - avoided
        seen |= new
        waiting += new
    assert members(reached[0]) == sorted(seen)


@pytest.mark.parametrize(("n_nodes", "n_words"), [(1, 1), (64, 1), (65, 2), (128, 2)])
def test_every_node_has_a_bit(n_nodes, n_words):
    assert words_for(n_nodes) == n_words
