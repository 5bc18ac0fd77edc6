"""Graphs and boundaries as models: what makes two of them equal, and which is the best."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eiderdown.confidence import ModelCollection, found_model
from eiderdown.confidence.found_models import columns_in, numbered_model
from eiderdown.errors import OptionError
from eiderdown.graphs import DAG, PDAG, Skeleton, random_dag
from eiderdown.results import (
    AlternativeBoundary,
    FoundModel,
    LearnedEdge,
    LearnedNetwork,
    MarkovBoundary,
    ParentsChildren,
    Run,
)

RUN = Run("x", {}, 0, 0, 0, 0.0, 60, 4, "", 0, {})


def model(*, directed=(), undirected=(), score=None, n_runs=1):
    return FoundModel(tuple(directed), tuple(undirected), score, n_runs)


def test_a_dag_stands_for_its_essential_graph_and_a_pdag_for_itself():
    assert found_model(DAG.from_string("C->B->A")) == model(undirected=[("A", "B"), ("B", "C")])
    assert found_model(PDAG.from_string("C->B->A")) == model(directed=[("B", "A"), ("C", "B")])
    assert found_model(Skeleton.from_string("C--B, A")) == model(undirected=[("B", "C")])


@given(seed=st.integers(0, 10_000), n_nodes=st.integers(1, 7))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_the_order_of_the_columns_does_not_matter(seed, n_nodes):
    dag = random_dag(n_nodes, edge_probability=0.4, random_state=seed)
    shuffled = np.random.default_rng(seed).permutation(dag.nodes).tolist()
    pattern = dag.to_cpdag()
    number = {name: i for i, name in enumerate(shuffled)}
    numbered = numbered_model(
        shuffled,
        [(number[a], number[b]) for a, b in pattern.directed],
        [tuple(sorted((number[a], number[b]))) for a, b in pattern.undirected],
        -1.5,
    )
    expected = found_model(dag)
    assert found_model(DAG(shuffled, dag.edges)) == expected
    assert (numbered.directed, numbered.undirected) == (expected.directed, expected.undirected)
    assert numbered.score == -1.5
    assert expected.graph(shuffled) == pattern


def test_results_give_their_pattern_their_score_or_their_members():
    network = LearnedNetwork(
        nodes=("a", "b", "c"),
        edges=(LearnedEdge("c", "b"), LearnedEdge("a", "b", compelled=True)),
        is_cpdag=False,
        run=RUN,
        score=-7.0,
    )
    assert found_model(network) == model(directed=[("a", "b")], undirected=[("b", "c")], score=-7.0)
    boundary = MarkovBoundary("t", ("z", "a"), (), RUN)
    assert found_model(boundary) == FoundModel((), (), None, 1, (("a", "t"), ("t", "z")))
    assert found_model(AlternativeBoundary(boundary, 5)).n_runs == 5
    assert found_model(MarkovBoundary("t", (), (), RUN)).neighbours == ()
    near = ParentsChildren("t", ("z",), (), RUN)
    assert found_model(near) == model(undirected=[("t", "z")])
    assert columns_in(AlternativeBoundary(boundary, 5)) == ("t", "z", "a")
    assert columns_in(network) == ("a", "b", "c")


def test_what_is_no_model_is_refused_in_a_sentence():
    with pytest.raises(OptionError, match=r"A model is a graph, .* not a int"):
        found_model(3)


def test_equal_models_are_put_together_and_the_first_keeps_its_score():
    collection = ModelCollection([model(undirected=[("a", "b")], score=-3.0, n_runs=4)])
    collection.add(model(undirected=[("a", "b")], score=-3.0000001))
    collection.add(model(directed=[("a", "b")], score=-2.0))
    assert (len(collection), collection.n_runs) == (2, 6)
    assert [(m.score, m.n_runs) for m in collection.ranked()] == [(-2.0, 1), (-3.0, 5)]


def test_the_best_has_the_highest_score_then_most_runs_then_agrees_most_then_comes_first():
    tied = 0.1 + 0.2
    by_score = [
        model(directed=[("b", "a")], score=0.3, n_runs=2),
        model(directed=[("a", "b")], score=tied, n_runs=1),
        model(score=0.2, n_runs=9),
    ]
    assert ModelCollection(reversed(by_score)).ranked() == tuple(by_score)
    by_agreement = [
        model(undirected=[("a", "b"), ("b", "c")]),
        model(undirected=[("b", "c"), ("c", "d")]),
        model(undirected=[("a", "b")]),
        model(directed=[("a", "b")]),
    ]
    # Shared by two of four, a-b and b-c count nothing; c-d and a->b are found once and not thrice.
    ranked = ModelCollection(by_agreement[::-1]).ranked()
    assert ranked == (by_agreement[2], by_agreement[0], by_agreement[1], by_agreement[3])


def test_a_boundary_is_not_the_graph_without_edges():
    collection = ModelCollection([FoundModel((), (), None, 1, ()), model()])
    assert len(collection) == 2
