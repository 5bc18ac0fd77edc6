"""Completion where a change is felt, against completion of the whole graph."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from eiderdown.graphs import random_dag
from eiderdown.structure.equivalence.completion import complete_cpdag, concern_around
from eiderdown.structure.equivalence.cpdag import (
    ADJACENT,
    ALLOWED,
    CHANGED,
    CONCERNED,
    CPDAG,
    LEFT,
    NEIGHBOURS,
    PARENTS,
    SETTLED,
    Constraints,
    add_edge,
    copy_changed,
    empty_cpdag,
    empty_sets,
    members,
    set_bit,
    unsettle,
)
from eiderdown.structure.equivalence.operators import (
    DELETE,
    INSERT,
    KIND,
    N_WORK,
    TURN,
    Operators,
    X,
    Y,
    apply_operator,
    is_turnable,
    keep_valid,
)

CLIQUES = 1


def no_constraints(n):
    parents = empty_sets(2, n, n)
    parents[ALLOWED] = ~np.uint64(0)
    return Constraints(parents, False, n)


def graph_of(dag):
    graph = empty_cpdag(dag.n_nodes)
    for child, parents in enumerate(dag.parent_indices):
        for parent in parents:
            add_edge(graph.edges, parent, child)
    assert complete_cpdag(graph, no_constraints(dag.n_nodes), graph.edges)
    return graph


def copied(graph):
    return CPDAG(*(array.copy() for array in graph))


def random_operator(graph, rng):
    """One operator at a class, drawn with a random clique; None if it leads to no class."""
    edges, n = graph.edges, graph.edges.shape[1]
    y = int(rng.integers(n))
    joined = members(edges[ADJACENT, y])
    kind = int(rng.choice([INSERT, DELETE, TURN])) if joined else INSERT
    x = int(rng.integers(n)) if kind == INSERT else int(rng.choice(joined))
    if x == y or (kind == INSERT and x in joined):
        return None
    neighbours = set(members(edges[NEIGHBOURS, y])) - {x}
    common = neighbours & set(members(edges[ADJACENT, x]))
    if kind == DELETE:
        if x not in members(edges[PARENTS, y]) and x not in members(edges[NEIGHBOURS, y]):
            return None
        clique = {node for node in common if rng.random() < 0.5}
    else:
        some = {node for node in neighbours if rng.random() < 0.3}
        clique = common | some if kind == INSERT else some
    if any(b not in members(edges[ADJACENT, a]) for a, b in combinations(clique, 2)):
        return None
    sets = empty_sets(4, max(n + 1, N_WORK), n)
    operators = Operators.none(n, 1)
    for node in clique:
        set_bit(operators.clique, 0, 0, node)
        set_bit(sets, CLIQUES, 0, node)
    if kind == TURN and (x in members(edges[PARENTS, y]) or not is_turnable(edges, x, y, sets, 0)):
        return None
    operators.move[0, [KIND, X, Y]] = kind, x, y
    valid = keep_valid(graph, operators, sets, np.zeros(1, dtype=np.int64), 1, 1.0)
    return operators if valid else None


@pytest.mark.parametrize(("n", "degree"), [(6, 2.5), (9, 3.0), (65, 2.0), (130, 3.0)])
@pytest.mark.parametrize("seed", range(3))
def test_a_step_completes_to_the_same_dag_as_if_all_nodes_were_looked_at(n, degree, seed):
    rng, constraints = np.random.default_rng(seed), no_constraints(n)
    graph = graph_of(random_dag(n, expected_degree=degree, random_state=seed))
    backup, kinds = graph.edges.copy(), set()
    n_skipped = 0
    for _ in range(300):
        operators = random_operator(graph, rng)
        if operators is None:
            continue
        kinds.add(int(operators.move[0, KIND]))
        copy_changed(graph, backup)
        np.testing.assert_array_equal(backup[:LEFT], graph.edges[:LEFT])
        whole = copied(graph)
        unsettle(whole)
        apply_operator(whole.edges, operators, 0)
        assert complete_cpdag(whole, constraints, whole.edges)
        for node in operators.move[0, [X, Y]].tolist():
            concern_around(graph, backup, node)
        n_skipped += n - int(graph.marks[CONCERNED].sum())
        apply_operator(graph.edges, operators, 0)
        assert complete_cpdag(graph, constraints, backup)
        np.testing.assert_array_equal(graph.edges[:LEFT], whole.edges[:LEFT])
        np.testing.assert_array_equal(graph.sinks_first[0], whole.sinks_first[0])
        changed = np.any(graph.edges[:LEFT] != backup[:LEFT], axis=(0, 2))
        assert not np.any(changed & ~graph.marks[CHANGED])
        assert graph.marks[SETTLED, 0]
        assert not graph.marks[CONCERNED].any()
    assert kinds == {INSERT, DELETE, TURN}
    assert n_skipped > 0
