"""Moves between equivalence classes, against all graphs of small classes, one by one."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eiderdown.data import Dataset
from eiderdown.errors import GraphError
from eiderdown.graphs import DAG, PDAG, random_dag
from eiderdown.scores import make_score
from eiderdown.structure.equivalence.completion import complete_cpdag
from eiderdown.structure.equivalence.cpdag import (
    ADJACENT,
    ALLOWED,
    CHILDREN,
    NEIGHBOURS,
    PARENTS,
    Constraints,
    empty_cpdag,
    empty_sets,
    members,
    set_bit,
)
from eiderdown.structure.equivalence.gain_memory import Requests
from eiderdown.structure.equivalence.gain_table import GainTable
from eiderdown.structure.equivalence.listing import ALL_LISTED, Workspace, list_operators
from eiderdown.structure.equivalence.operators import (
    DELETE,
    INSERT,
    KIND,
    TURN,
    Operators,
    apply_operator,
    drop_mirrors,
    keep_valid,
)
from examples import examples


def _names(n):
    return tuple("ABCDEFGH"[:n])


def _score(n, seed=0):
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 3, size=(60, n))
    return make_score(
        "bic", Dataset.of({name: table[:, i] for i, name in enumerate(_names(n))}), n_jobs=1
    )


def _no_constraints(n):
    parents = empty_sets(2, n, n)
    for a, b in product(range(n), repeat=2):
        if a != b:
            set_bit(parents, ALLOWED, a, b)
    return Constraints(parents, False, n)


def _class_graph(pattern):
    graph = empty_cpdag(pattern.n_nodes)
    for node in range(pattern.n_nodes):
        for other in pattern.parent_indices[node]:
            set_bit(graph.edges, PARENTS, node, other)
            set_bit(graph.edges, CHILDREN, other, node)
        for other in pattern.undirected_indices[node]:
            set_bit(graph.edges, NEIGHBOURS, node, other)
        for other in pattern.adjacent_indices[node]:
            set_bit(graph.edges, ADJACENT, node, other)
    return graph


def _pattern(graph, names):
    n = len(names)
    lines, arrows = graph.edges[NEIGHBOURS], graph.edges[PARENTS]
    directed = [(names[p], names[c]) for c in range(n) for p in members(arrows[c])]
    undirected = [(names[a], names[b]) for a in range(n) for b in members(lines[a]) if a < b]
    return PDAG(names, directed, undirected)


def _graphs_of(pattern):
    """All DAGs of a class, by trying every direction of every undirected edge."""
    lines = pattern.undirected
    for turns in product((False, True), repeat=len(lines)):
        arrows = [(b, a) if turn else (a, b) for (a, b), turn in zip(lines, turns, strict=True)]
        try:
            dag = DAG(pattern.nodes, pattern.directed + tuple(arrows))
        except GraphError:  # a cycle
            continue
        if dag.to_cpdag() == pattern:
            yield dag


def _next_classes(pattern):
    """Classes that one added, removed or reversed edge of some DAG of the class leads to."""
    larger, smaller, turned = set(), set(), set()
    for dag in _graphs_of(pattern):
        edges = set(dag.edges)
        for a, b in combinations(pattern.nodes, 2):
            if (a, b) in edges or (b, a) in edges:
                kept = edges - {(a, b), (b, a)}
                smaller.add(DAG(pattern.nodes, kept).to_cpdag())
                goals, news = turned, edges & {(a, b), (b, a)}
                news = {(y, x) for x, y in news}
            else:
                kept, goals, news = edges, larger, {(a, b), (b, a)}
            for new in news:
                try:
                    goals.add(DAG(pattern.nodes, kept | {new}).to_cpdag())
                except GraphError:  # a cycle
                    continue
    return larger, smaller, turned - {pattern}


def _moves(pattern, score):
    """Every move the kernels list at a class: kind, the class it leads to, and the gain."""
    n = pattern.n_nodes
    constraints, anything = _no_constraints(n), np.zeros(3, dtype=np.int64)
    table = GainTable(score, np.arange(n), constraints.parents[:1], tolerance=-np.inf)
    space = Workspace.at_empty_graph(constraints, table.memory)._replace(
        graph=_class_graph(pattern), operators=Operators.none(n, 4096), requests=Requests.none(n, 7)
    )
    while list_operators(space, anything, 1.0) != ALL_LISTED:
        table.fill(space.requests)
        space = space._replace(memory=table.memory)
    found = []
    edges, operators, sets = space.graph.edges, space.operators, space.sets
    order = np.arange(operators.n[0])
    n_valid = keep_valid(space.graph, operators, sets, order, len(order), 1.0)
    n_valid = drop_mirrors(edges, operators, sets, order, n_valid)
    for i in order[:n_valid]:
        changed = _class_graph(pattern)
        apply_operator(changed.edges, operators, i)
        assert complete_cpdag(changed, constraints, changed.edges)
        kind = int(operators.move[i, KIND])
        found.append((kind, _pattern(changed, pattern.nodes), operators.gain[i]))
    return found


def _all_patterns(n):
    names = _names(n)
    found = set()
    for marks in product(range(3), repeat=n * (n - 1) // 2):
        edges = [
            (a, b) if mark == 1 else (b, a)
            for (a, b), mark in zip(combinations(names, 2), marks, strict=True)
            if mark
        ]
        try:
            found.add(DAG(names, edges).to_cpdag())
        except GraphError:  # a cycle
            continue
    return sorted(found, key=str)


@pytest.fixture(scope="module")
def all_moves_of_four():
    score = _score(4)
    return {pattern: _moves(pattern, score) for pattern in _all_patterns(4)}


def test_there_are_185_classes_of_four_nodes(all_moves_of_four):
    assert len(all_moves_of_four) == 185


def test_inserts_and_deletes_lead_to_every_class_of_the_inclusion_boundary_once(
    all_moves_of_four,
):
    for pattern, moves in all_moves_of_four.items():
        larger, smaller, _ = _next_classes(pattern)
        inserted = [goal for kind, goal, _ in moves if kind == INSERT]
        deleted = [goal for kind, goal, _ in moves if kind == DELETE]
        assert len(inserted) == len(set(inserted))
        assert len(deleted) == len(set(deleted))
        assert set(inserted) == larger
        assert set(deleted) == smaller


def test_turns_lead_to_every_class_that_one_reversed_edge_leads_to(all_moves_of_four):
    for pattern, moves in all_moves_of_four.items():
        _, _, turned = _next_classes(pattern)
        assert {goal for kind, goal, _ in moves if kind == TURN} == turned


def test_the_gain_of_a_move_is_the_difference_of_the_scores(all_moves_of_four):
    score = _score(4)
    totals = {pattern: score.total(pattern.to_dag()) for pattern in all_moves_of_four}
    for pattern, moves in all_moves_of_four.items():
        for _, goal, gain in moves:
            assert gain == pytest.approx(totals[goal] - totals[pattern], abs=1e-6)


@examples(16)
@given(st.integers(5, 6), st.integers(0, 10**6), st.floats(0.5, 3.5))
def test_moves_of_larger_classes_are_the_inclusion_boundary_and_the_reversals(n, seed, degree):
    drawn, names = random_dag(n, expected_degree=degree, random_state=seed), _names(n)
    dag = DAG(names, [(names[a], names[b]) for b in range(n) for a in drawn.parent_indices[b]])
    pattern, score = dag.to_cpdag(), _score(n, seed)
    moves = _moves(pattern, score)
    for kind, expected in zip((INSERT, DELETE, TURN), _next_classes(pattern), strict=True):
        goals = [goal for k, goal, _ in moves if k == kind]
        assert set(goals) == expected
        if kind != TURN:
            assert len(goals) == len(expected)
    now = score.total(dag)
    for _, goal, gain in moves:
        assert gain == pytest.approx(score.total(goal.to_dag()) - now, abs=1e-6)
