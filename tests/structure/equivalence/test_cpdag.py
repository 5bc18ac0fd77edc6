"""Essential graphs in bit sets, against the graphs layer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eiderdown.graphs import PDAG, random_dag
from eiderdown.structure.equivalence.completion import complete_cpdag
from eiderdown.structure.equivalence.cpdag import (
    ADJACENT,
    ALLOWED,
    NEIGHBOURS,
    PARENTS,
    Constraints,
    add_edge,
    clear_bit,
    empty_cpdag,
    empty_sets,
    has_bit,
    members,
    next_bit,
    note_path,
    semi_directed_reachable,
    set_bit,
    size,
    words_for,
)
from examples import examples


def no_constraints(n, *, orienting=False):
    parents = empty_sets(2, n, n)
    parents[ALLOWED] = ~np.uint64(0)
    return Constraints(parents, orienting, n)


def of_dag(dag):
    graph = empty_cpdag(dag.n_nodes)
    for child, parents in enumerate(dag.parent_indices):
        for parent in parents:
            add_edge(graph.edges, parent, child)
    return graph


def pattern_of(graph, names):
    n = len(names)
    return PDAG(
        names,
        [(names[p], names[c]) for c in range(n) for p in members(graph.edges[PARENTS, c])],
        [
            (names[a], names[b])
            for a in range(n)
            for b in members(graph.edges[NEIGHBOURS, a])
            if a < b
        ],
    )


graphs = st.builds(
    lambda n, degree, seed: random_dag(n, expected_degree=min(degree, n - 1), random_state=seed),
    st.sampled_from([2, 5, 9, 63, 64, 65, 130]),
    st.floats(0.3, 4.0),
    st.integers(0, 10**6),
)


@examples(24)
@given(graphs)
def test_a_dag_completes_to_its_cpdag(dag):
    graph = of_dag(dag)
    assert complete_cpdag(graph, no_constraints(dag.n_nodes), graph.edges)
    assert pattern_of(graph, dag.nodes) == dag.to_cpdag()
    again = pattern_of(graph, dag.nodes)
    assert complete_cpdag(graph, no_constraints(dag.n_nodes), graph.edges)
    assert pattern_of(graph, dag.nodes) == again


@examples(24)
@given(graphs, st.data())
def test_known_directions_are_kept_with_all_that_follows_from_them(dag, data):
    pattern = dag.to_cpdag()
    lines = [edge for edge in dag.edges if edge not in pattern.directed]
    told = data.draw(st.lists(st.sampled_from(lines), unique=True)) if lines else []
    known = no_constraints(dag.n_nodes, orienting=True)
    for tail, head in told:
        clear_bit(
            known.parents, ALLOWED, dag.index(tail), dag.index(head)
        )  # not as a child's parent
    graph = of_dag(dag)
    assert complete_cpdag(graph, known, graph.edges)
    assert pattern_of(graph, dag.nodes) == pattern.apply_meek_rules(known=told)


def test_edges_that_no_dag_can_have_are_refused():
    graph = empty_cpdag(4)
    for a, b in ((0, 1), (1, 2), (2, 3), (3, 0)):
        for one, other in ((a, b), (b, a)):
            set_bit(graph.edges, NEIGHBOURS, one, other)
            set_bit(graph.edges, ADJACENT, one, other)
    assert not complete_cpdag(graph, no_constraints(4), graph.edges)
    assert sorted(graph.sinks_first[0].tolist()) == [0, 1, 2, 3]


def test_a_direction_that_is_not_allowed_is_refused():
    graph = empty_cpdag(2)
    add_edge(graph.edges, 0, 1)
    known = no_constraints(2, orienting=True)
    clear_bit(known.parents, ALLOWED, 1, 0)
    assert not complete_cpdag(graph, known, graph.edges)


@examples(24)
@given(st.sets(st.integers(0, 129)), st.integers(0, 129))
def test_bit_sets_are_sets(nodes, node):
    sets = empty_sets(2, 3, 130)
    for one in nodes:
        set_bit(sets, 1, 1, one)
    assert members(sets[1, 1]) == sorted(nodes)
    assert size(sets, 1, 1) == len(nodes)
    assert has_bit(sets, 1, 1, node) == (node in nodes)
    assert next_bit(sets, 1, 1, node) == min((one for one in nodes if one > node), default=-1)
    clear_bit(sets, 1, 1, node)
    assert members(sets[1, 1]) == sorted(nodes - {node})
    assert not sets[0].any()
    assert not sets[1, [0, 2]].any()


@examples(16)
@given(graphs, st.data())
def test_semi_directed_paths_lead_where_a_plain_search_does(dag, data):
    n = dag.n_nodes
    graph = of_dag(dag)
    complete_cpdag(graph, no_constraints(n), graph.edges)
    start = data.draw(st.integers(0, n - 1))
    avoided = data.draw(st.sets(st.integers(0, n - 1), max_size=4)) - {start}
    blocked, sets = empty_sets(1, 1, n), empty_sets(1, 2, n)
    for node in avoided:
        set_bit(blocked, 0, 0, node)
    semi_directed_reachable(graph, start, -1, blocked, 0, sets, 1)
    pattern, seen, waiting = dag.to_cpdag(), {start}, [start]
    while waiting:
        node = waiting.pop()
        steps = {*pattern.child_indices[node], *pattern.undirected_indices[node]}
        new = steps - seen - avoided
        seen |= new
        waiting += new
    assert members(sets[0, 1]) == sorted(seen)


@examples(16)
@given(graphs, st.data())
def test_a_path_is_found_where_one_leads_and_is_one(dag, data):
    n = dag.n_nodes
    graph = of_dag(dag)
    complete_cpdag(graph, no_constraints(n), graph.edges)
    start, end = data.draw(st.permutations(range(n)))[:2] if n > 1 else (0, 0)
    avoided = data.draw(st.sets(st.integers(0, n - 1), max_size=4)) - {start, end}
    blocked, sets, path = empty_sets(1, 1, n), empty_sets(1, 2, n), empty_sets(1, 1, n)
    for node in avoided:
        set_bit(blocked, 0, 0, node)
    semi_directed_reachable(graph, start, -1, blocked, 0, sets, 1)
    leads_there = bool(has_bit(sets, 0, 1, end))
    semi_directed_reachable(
        graph, start, data.draw(st.sampled_from([-1, end])), blocked, 0, sets, 1
    )
    assert has_bit(sets, 0, 1, end) == leads_there
    if not leads_there:
        return
    note_path(graph, start, end, path, 0)
    pattern, on_path = dag.to_cpdag(), set(members(path[0, 0]))
    assert not on_path & avoided
    reached, waiting = {start}, [start]
    while waiting:  # within the nodes that were noted, and the end
        node = waiting.pop()
        steps = {*pattern.child_indices[node], *pattern.undirected_indices[node]}
        new = (steps & {*on_path, end}) - reached
        reached |= new
        waiting += new
    assert reached == {*on_path, start, end}


@pytest.mark.parametrize(("n_nodes", "n_words"), [(1, 1), (64, 1), (65, 2), (128, 2)])
def test_every_node_has_a_bit(n_nodes, n_words):
    assert words_for(n_nodes) == n_words
