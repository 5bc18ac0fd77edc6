from __future__ import annotations

from itertools import combinations, product

import pytest
from every_small_graph import (
    LETTERS,
    agreed,
    colliders_of,
    dags_by_skeleton,
    every_class,
    every_dag,
    is_acyclic,
    skeleton_of,
)
from graph_strategies import dags
from hypothesis import given, settings

from eiderdown.errors import GraphError
from eiderdown.graphs import DAG, PDAG, random_dag


def as_pdag(n_nodes, directed, undirected):
    return PDAG(list(LETTERS[:n_nodes]), directed, [tuple(sorted(pair)) for pair in undirected])


def every_pdag(n_nodes):
    """Every PDAG as (directed pairs, undirected pairs)."""
    pairs = list(combinations(LETTERS[:n_nodes], 2))
    for marks in product(("none", "forth", "back", "line"), repeat=len(pairs)):
        marked = list(zip(pairs, marks, strict=True))
        directed = {(a, b) for (a, b), mark in marked if mark == "forth"}
        directed |= {(b, a) for (a, b), mark in marked if mark == "back"}
        if is_acyclic(directed):
            yield directed, {pair for pair, mark in marked if mark == "line"}


@pytest.mark.parametrize(
    ("n_nodes", "n_dags", "n_classes"), [(1, 1, 1), (2, 3, 2), (3, 25, 11), (4, 543, 185)]
)
def test_brute_force_finds_the_published_numbers_of_dags_and_classes(n_nodes, n_dags, n_classes):
    assert (len(every_dag(n_nodes)), len(every_class(n_nodes))) == (n_dags, n_classes)


@pytest.mark.parametrize("n_nodes", [1, 2, 3, 4])
def test_cpdag_of_every_small_dag_directs_what_its_class_agrees_on(n_nodes):
    for members in every_class(n_nodes):
        expected = as_pdag(n_nodes, *agreed(members))
        for edges in members:
            assert DAG(list(LETTERS[:n_nodes]), edges).to_cpdag() == expected


def test_cpdag_of_five_nodes_directs_what_its_class_agrees_on():
    classes = every_class(5)
    assert len(classes) == 8782
    for members in classes:
        expected = as_pdag(5, *agreed(members))
        for edges in {members[0], members[-1]}:
            assert DAG(list(LETTERS), edges).to_cpdag() == expected


def test_extension_of_every_small_pdag_is_found_exactly_when_there_is_one():
    n_with, n_without = 0, 0
    for directed, undirected in every_pdag(4):
        skeleton = skeleton_of(directed) | skeleton_of(undirected)
        colliders = colliders_of(directed, skeleton)
        legal = {
            edges
            for edges in dags_by_skeleton(4)[skeleton]
            if edges >= directed and colliders_of(edges) == colliders
        }
        pdag = as_pdag(4, directed, undirected)
        if legal:
            n_with += 1
            assert frozenset(pdag.to_dag().edges) in legal
        else:
            n_without += 1
            with pytest.raises(GraphError, match="cannot be directed"):
                pdag.to_dag()
    assert min(n_with, n_without) > 100


def test_only_the_essential_graphs_among_small_pdags_are_cpdags():
    essential = {as_pdag(4, *agreed(members)) for members in every_class(4)}
    found = {pdag for edges in every_pdag(4) if (pdag := as_pdag(4, *edges)).is_cpdag}
    assert found == essential


@given(dags())
@settings(max_examples=100, deadline=None, derandomize=True)
def test_cpdag_is_unchanged_by_extension_and_back(dag):
    cpdag = dag.to_cpdag()
    extension = cpdag.to_dag()
    assert extension.to_cpdag() == cpdag
    assert cpdag.is_cpdag
    assert extension.skeleton() == dag.skeleton()
    assert extension.v_structures() == dag.v_structures() == cpdag.v_structures()


@pytest.mark.parametrize("seed", range(5))
def test_cpdag_of_a_larger_dag_survives_extension(seed):
    dag = random_dag(60, expected_degree=3, random_state=seed)
    cpdag = dag.to_cpdag()
    assert 0 < len(cpdag.undirected) < dag.n_edges
    assert set(cpdag.directed) <= set(dag.edges)
    assert cpdag.to_dag().to_cpdag() == cpdag


def test_complete_dag_has_an_undirected_essential_graph():
    dag = random_dag(20, edge_probability=1, random_state=0)
    assert dag.to_cpdag().directed == ()
    assert dag.to_cpdag().to_dag().n_edges == 190


def test_square_without_chord_has_no_extension():
    with pytest.raises(GraphError, match="v-structure"):
        PDAG.from_string("A--B--C--D--A").to_dag()
