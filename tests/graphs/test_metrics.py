from __future__ import annotations

import math

import pytest
from graph_strategies import dags, pdags
from hypothesis import assume, given
from hypothesis import strategies as st

from eiderdown.errors import GraphError, OptionError
from eiderdown.graphs import (
    DAG,
    PDAG,
    SetScores,
    Skeleton,
    adjacency_scores,
    boundary_scores,
    cpdag_distance,
    sensitivity_specificity_distance,
    structural_hamming_distance,
)
from examples import examples

four_node_dags = dags(min_nodes=4, max_nodes=4)
four_node_pdags = pdags(min_nodes=4, max_nodes=4)
names = st.frozensets(st.sampled_from("ABCDEF"))


@pytest.mark.parametrize(
    ("a", "b", "distance"),
    [
        ("A->B, C", "A->B, C", 0),
        ("A->B, C", "B->A, C", 1),
        ("A->B, C", "A->B->C", 1),
        ("A->B->C", "A->C, B", 3),
    ],
)
def test_dag_distance_counts_added_deleted_and_turned_edges_once(a, b, distance):
    assert structural_hamming_distance(DAG.from_string(a), DAG.from_string(b)) == distance


def test_pdag_distance_counts_an_edge_directed_in_one_graph_only_once():
    a, b = PDAG.from_string("A--B->C"), PDAG.from_string("A->B--C")
    assert structural_hamming_distance(a, b) == 2


def test_skeleton_distance_counts_differing_adjacencies():
    a, b = Skeleton.from_string("A--B--C"), Skeleton.from_string("C--A--B")
    assert structural_hamming_distance(a, b) == 2


def test_pattern_distance_counts_the_edges_that_lose_their_direction():
    collider, chain = DAG.from_string("A->B<-C"), DAG.from_string("A->B->C")
    assert structural_hamming_distance(collider, chain) == 1
    assert cpdag_distance(collider, chain) == 2
    assert cpdag_distance(collider, PDAG.from_string("A->B--C")) == 1


@given(four_node_dags, four_node_dags)
@examples(40)
def test_dag_distance_is_symmetric_and_zero_only_for_equal_graphs(a, b):
    distance = structural_hamming_distance(a, b)
    assert distance == structural_hamming_distance(b, a)
    assert (distance == 0) == (a == b)
    assert structural_hamming_distance(a, a) == 0


@given(four_node_pdags, four_node_pdags, four_node_pdags)
@examples(40)
def test_pdag_distance_is_a_metric(a, b, c):
    distance = structural_hamming_distance(a, b)
    assert distance == structural_hamming_distance(b, a)
    assert (distance == 0) == (a == b)
    through_c = structural_hamming_distance(a, c) + structural_hamming_distance(c, b)
    assert distance <= through_c


@given(four_node_dags, four_node_dags)
@examples(40)
def test_pattern_distance_is_zero_exactly_for_equivalent_dags(a, b):
    equivalent = a.skeleton() == b.skeleton() and a.v_structures() == b.v_structures()
    assert (cpdag_distance(a, b) == 0) == equivalent
    assert cpdag_distance(a, b.to_cpdag()) == cpdag_distance(b, a)


def test_distance_does_not_depend_on_node_order():
    a = DAG(["A", "B", "C"], [("A", "B")])
    b = DAG(["C", "B", "A"], [("A", "B")])
    assert structural_hamming_distance(a, b) == 0


def test_graphs_over_different_nodes_are_refused_by_name():
    with pytest.raises(GraphError, match="'C'"):
        structural_hamming_distance(DAG.from_string("A->B"), DAG.from_string("A->B, C"))
    with pytest.raises(GraphError, match="'C'"):
        adjacency_scores(DAG.from_string("A->B"), DAG.from_string("A->B, C"))


def test_graphs_of_different_classes_are_refused():
    with pytest.raises(GraphError, match="DAG cannot be compared with a PDAG"):
        structural_hamming_distance(DAG.from_string("A->B"), PDAG.from_string("A->B"))


@pytest.mark.parametrize(
    ("learned", "truth", "scores"),
    [
        ("", "", SetScores(1, 1, 1, 0)),
        ("", "A", SetScores(1, 0, 0, 1)),
        ("A", "", SetScores(0, 1, 0, 1)),
        ("A", "B", SetScores(0, 0, 0, math.sqrt(2))),
        ("AB", "AB", SetScores(1, 1, 1, 0)),
        ("ABCD", "AB", SetScores(0.5, 1, 2 / 3, 0.5)),
    ],
)
def test_boundary_scores_by_hand(learned, truth, scores):
    found = boundary_scores(list(learned), list(truth))
    assert found == scores


@given(names, names)
@examples(40)
def test_scores_are_perfect_exactly_for_equal_sets_and_swap_with_their_arguments(learned, truth):
    scores, swapped = boundary_scores(learned, truth), boundary_scores(truth, learned)
    assert (scores.distance == 0) == (learned == truth)
    assert (scores.precision, scores.recall) == (swapped.recall, swapped.precision)
    assert scores.distance == pytest.approx(math.hypot(1 - scores.precision, 1 - scores.recall))


@given(names, names)
@examples(40)
def test_sensitivity_specificity_distance_follows_its_definition(learned, truth):
    candidates = set("ABCDEFGH")
    assume(truth)
    sensitivity = len(learned & truth) / len(truth)
    specificity = len(candidates - learned - truth) / len(candidates - truth)
    expected = math.sqrt((1 - sensitivity) ** 2 + (1 - specificity) ** 2)
    found = sensitivity_specificity_distance(learned, truth, n_candidates=8)
    assert found == pytest.approx(expected)


def test_sensitivity_specificity_distance_at_its_empty_cases():
    assert sensitivity_specificity_distance([], [], n_candidates=3) == 0
    assert sensitivity_specificity_distance(["A"], [], n_candidates=4) == 0.25
    assert sensitivity_specificity_distance(["A", "B"], ["A", "B"], n_candidates=2) == 0
    assert sensitivity_specificity_distance([], [], n_candidates=0) == 0


def test_too_few_candidates_are_refused():
    with pytest.raises(OptionError, match="n_candidates is 1 "):
        sensitivity_specificity_distance(["A"], ["B"], n_candidates=1)


def test_single_text_is_refused_as_a_set():
    with pytest.raises(OptionError, match="'AB'"):
        boundary_scores("AB", ["A"])


def test_adjacency_scores_ignore_directions():
    learned, truth = PDAG.from_string("A--B, C->B, D"), DAG.from_string("B->A, B->D, D->C")
    scores = adjacency_scores(learned, truth)
    assert (scores.precision, scores.recall) == (1 / 2, pytest.approx(1 / 3))
