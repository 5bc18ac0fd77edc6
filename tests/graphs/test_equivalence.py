from __future__ import annotations

from itertools import chain, combinations, product

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
from graph_strategies import dags, pdags
from hypothesis import given, reject
from hypothesis import strategies as st

from eiderdown.errors import GraphError
from eiderdown.graphs import DAG, PDAG, random_dag
from eiderdown.graphs.equivalence import close_under_meek
from examples import examples


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


@pytest.mark.slow
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
@examples(40)
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


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("C->A--B", "C->A->B"),
        ("A->C->B, A--B", "A->C->B, A->B"),
        ("A--C->B, A--D->B, A--B", "A--C->B, A--D->B, A->B"),
        ("A--D->C->B, A--C, A--B", "A--D->C->B, A--C, A->B"),
    ],
    ids=["rule 1", "rule 2", "rule 3", "rule 4"],
)
def test_each_rule_directs_the_edge_of_its_drawing(before, after):
    assert PDAG.from_string(before).apply_meek_rules() == PDAG.from_string(after)


@pytest.mark.parametrize(
    "text",
    [
        "C->A--B, C--B",
        "A->C, B->C, A--B",
        "A--C->B, A--D->B, A--B, C--D",
        "A--D->C->B, A--B, D--B, A--C",
    ],
    ids=["rule 1", "rule 2", "rule 3", "rule 4"],
)
def test_no_rule_fires_when_a_premise_is_missing(text):
    pdag = PDAG.from_string(text)
    result = pdag.apply_meek_rules()
    assert ("A", "B") not in result.directed


def test_conclusions_lead_to_further_conclusions():
    before = PDAG.from_string("A->B--C--D--E")
    assert before.apply_meek_rules() == PDAG.from_string("A->B->C->D->E")


@given(dags())
@examples(24)
def test_closure_of_a_cpdag_is_itself(dag):
    cpdag = dag.to_cpdag()
    assert cpdag.apply_meek_rules() == cpdag


@given(pdags(min_nodes=4))
@examples(40)
def test_closure_of_a_pdag_without_contradiction_is_closed(pdag):
    try:
        closed = pdag.apply_meek_rules()
    except GraphError:
        reject()
    assert closed.apply_meek_rules() == closed
    assert closed.skeleton() == pdag.skeleton()
    assert set(closed.directed) >= set(pdag.directed)


def test_knowledge_directs_what_all_consistent_members_of_every_small_class_agree_on():
    nodes = list(LETTERS[:4])
    n_questions = 0
    for members in every_class(4):
        directed, undirected = agreed(members)
        cpdag = PDAG(nodes, directed, [tuple(pair) for pair in undirected])
        for known in {subset for edges in members for subset in subsets(edges - directed)}:
            consistent = [edges for edges in members if edges >= known]
            expected, _ = agreed(consistent)
            assert set(cpdag.apply_meek_rules(known=known).directed) == expected
            n_questions += 1
    assert n_questions > 1000


def subsets(edges):
    sizes = range(len(edges) + 1)
    return map(frozenset, chain.from_iterable(combinations(sorted(edges), n) for n in sizes))


@given(dags(min_nodes=4), st.data())
@examples(24)
def test_knowledge_from_the_true_dag_is_never_contradicted(dag, data):
    cpdag = dag.to_cpdag()
    free = [edge for edge in dag.edges if edge not in set(cpdag.directed)]
    known = data.draw(st.lists(st.sampled_from(free), unique=True)) if free else []
    closed = cpdag.apply_meek_rules(known=known)
    assert set(cpdag.directed) | set(known) <= set(closed.directed) <= set(dag.edges)
    assert closed.to_dag().to_cpdag() == cpdag


def test_known_direction_of_a_directed_edge_is_accepted_when_it_agrees():
    pdag = PDAG.from_string("A->B, C")
    assert pdag.apply_meek_rules(known=[("A", "B")]) == pdag


@pytest.mark.parametrize("known", [("B", "A"), ("A", "C")])
def test_known_edge_that_is_missing_or_opposite_is_refused_by_name(known):
    with pytest.raises(GraphError, match=f"between '{known[0]}' and '{known[1]}'"):
        PDAG.from_string("A->B, C").apply_meek_rules(known=[known])


def test_directions_that_contradict_one_another_are_refused():
    square = PDAG.from_string("A->B, B--C, C->D, D--A")
    with pytest.raises(GraphError, match=r"contradict one another.*cycle"):
        square.apply_meek_rules()


def index_pairs(pdag):
    directed = [tuple(pdag.indices(edge)) for edge in pdag.directed]
    return directed, [tuple(pdag.indices(edge)) for edge in pdag.undirected]


@pytest.mark.parametrize(
    ("text", "unsure"),
    [
        ("C->A--B", "CAB"),
        ("A--C->B, A--D->B, A--B", "CAD"),
        ("A--D->C->B, A--C, A--B", "DAB"),
    ],
    ids=["rule 1", "rule 3", "rule 4"],
)
def test_no_rule_rests_on_an_ambiguous_triple(text, unsure):
    pdag = PDAG.from_string(text)
    directed, undirected = index_pairs(pdag)
    a, middle, b = pdag.indices(list(unsure))
    triple = (min(a, b), middle, max(a, b))
    closed, _ = close_under_meek(pdag.n_nodes, directed, undirected, ambiguous={triple})
    assert closed == sorted(directed)
    assert len(close_under_meek(pdag.n_nodes, directed, undirected)[0]) > len(directed)


def test_guarded_closure_leaves_undirected_what_would_close_a_cycle():
    # A circle without chords has no collider only as a cycle: rule 1 goes all the way round.
    pdag = PDAG.from_string("A->B--C--D--A")
    plain, _ = close_under_meek(pdag.n_nodes, *index_pairs(pdag))
    assert plain == [(0, 1), (1, 2), (2, 3), (3, 0)]
    guarded = close_under_meek(pdag.n_nodes, *index_pairs(pdag), guarded=True)
    assert guarded == ([(0, 1), (1, 2), (2, 3)], [(0, 3)])


@given(dags())
@examples(16)
def test_guard_changes_nothing_without_contradictions(dag):
    colliding = {edge for a, child, b in dag.v_structures() for edge in ((a, child), (b, child))}
    free = [edge for edge in dag.edges if edge not in colliding]
    pdag = PDAG(dag.nodes, colliding, free)
    guarded = close_under_meek(pdag.n_nodes, *index_pairs(pdag), guarded=True)
    assert guarded == close_under_meek(pdag.n_nodes, *index_pairs(pdag))
