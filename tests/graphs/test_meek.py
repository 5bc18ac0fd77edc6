from __future__ import annotations

from itertools import chain, combinations

import pytest
from every_small_graph import LETTERS, agreed, every_class
from graph_strategies import dags, pdags
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from eiderdown.errors import GraphError
from eiderdown.graphs import PDAG
from eiderdown.graphs.meek import close_under_meek


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
@settings(max_examples=60, deadline=None, derandomize=True)
def test_closure_of_a_cpdag_is_itself(dag):
    cpdag = dag.to_cpdag()
    assert cpdag.apply_meek_rules() == cpdag


@given(pdags(min_nodes=4))
@settings(max_examples=100, deadline=None, derandomize=True)
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
@settings(max_examples=60, deadline=None, derandomize=True)
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
@settings(max_examples=40, deadline=None, derandomize=True)
def test_guard_changes_nothing_without_contradictions(dag):
    colliding = {edge for a, child, b in dag.v_structures() for edge in ((a, child), (b, child))}
    free = [edge for edge in dag.edges if edge not in colliding]
    pdag = PDAG(dag.nodes, colliding, free)
    guarded = close_under_meek(pdag.n_nodes, *index_pairs(pdag), guarded=True)
    assert guarded == close_under_meek(pdag.n_nodes, *index_pairs(pdag))
