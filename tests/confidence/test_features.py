"""Models, the graph features they share, and the confidence in each."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eiderdown.confidence import (
    DistinctModels,
    confidence_warnings,
    feature_confidences,
    model_of,
    model_weights,
)
from eiderdown.confidence.features import columns_of, model_of_edges
from eiderdown.errors import OptionError
from eiderdown.graphs import DAG, PDAG, Skeleton, random_dag
from eiderdown.results import (
    AlternativeBoundary,
    FoundModel,
    GraphFeature,
    LearnedEdge,
    LearnedNetwork,
    MarkovBoundary,
    ParentsChildren,
    Run,
)
from eiderdown.results.graph_features import in_order, pairs_in
from examples import examples

RUN = Run("x", {}, 0, 0, 0, 0.0, 60, 4, "", 0, {})


def model(*, directed=(), undirected=(), score=None, n_runs=1):
    return FoundModel(tuple(directed), tuple(undirected), score, n_runs)


def test_a_dag_stands_for_its_essential_graph_and_a_pdag_for_itself():
    assert model_of(DAG.from_string("C->B->A")) == model(undirected=[("A", "B"), ("B", "C")])
    assert model_of(PDAG.from_string("C->B->A")) == model(directed=[("B", "A"), ("C", "B")])
    assert model_of(Skeleton.from_string("C--B, A")) == model(undirected=[("B", "C")])


@given(seed=st.integers(0, 10_000), n_nodes=st.integers(1, 7))
@examples(24)
def test_the_order_of_the_columns_does_not_matter(seed, n_nodes):
    dag = random_dag(n_nodes, edge_probability=0.4, random_state=seed)
    shuffled = np.random.default_rng(seed).permutation(dag.nodes).tolist()
    pattern = dag.to_cpdag()
    number = {name: i for i, name in enumerate(shuffled)}
    numbered = model_of_edges(
        shuffled,
        [(number[a], number[b]) for a, b in pattern.directed],
        [tuple(sorted((number[a], number[b]))) for a, b in pattern.undirected],
        -1.5,
    )
    expected = model_of(dag)
    assert model_of(DAG(shuffled, dag.edges)) == expected
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
    assert model_of(network) == model(directed=[("a", "b")], undirected=[("b", "c")], score=-7.0)
    boundary = MarkovBoundary("t", ("z", "a"), (), RUN)
    assert model_of(boundary) == FoundModel((), (), None, 1, (("a", "t"), ("t", "z")))
    assert model_of(AlternativeBoundary(boundary, 5)).n_runs == 5
    assert model_of(MarkovBoundary("t", (), (), RUN)).boundary == ()
    near = ParentsChildren("t", ("z",), (), RUN)
    assert model_of(near) == model(undirected=[("t", "z")])
    assert columns_of(AlternativeBoundary(boundary, 5)) == ("t", "z", "a")
    assert columns_of(network) == ("a", "b", "c")


def test_what_is_no_model_is_refused_in_a_sentence():
    with pytest.raises(OptionError, match=r"A model is a graph, .* not a int"):
        model_of(3)


def test_equal_models_are_put_together_and_the_first_keeps_its_score():
    distinct = DistinctModels([model(undirected=[("a", "b")], score=-3.0, n_runs=4)])
    distinct.add(model(undirected=[("a", "b")], score=-3.0000001))
    distinct.add(model(directed=[("a", "b")], score=-2.0))
    assert (len(distinct), distinct.n_runs) == (2, 6)
    assert [(m.score, m.n_runs) for m in distinct.ranked()] == [(-2.0, 1), (-3.0, 5)]


def test_the_best_has_the_highest_score_then_most_runs_then_agrees_most_then_comes_first():
    tied = 0.1 + 0.2
    by_score = [
        model(directed=[("b", "a")], score=0.3, n_runs=2),
        model(directed=[("a", "b")], score=tied, n_runs=1),
        model(score=0.2, n_runs=9),
    ]
    assert DistinctModels(reversed(by_score)).ranked() == tuple(by_score)
    by_agreement = [
        model(undirected=[("a", "b"), ("b", "c")]),
        model(undirected=[("b", "c"), ("c", "d")]),
        model(undirected=[("a", "b")]),
        model(directed=[("a", "b")]),
    ]
    # Shared by two of four, a-b and b-c count nothing; c-d and a->b are found once and not thrice.
    ranked = DistinctModels(by_agreement[::-1]).ranked()
    assert ranked == (by_agreement[2], by_agreement[0], by_agreement[1], by_agreement[3])


def test_a_boundary_is_not_the_graph_without_edges():
    distinct = DistinctModels([FoundModel((), (), None, 1, ()), model()])
    assert len(distinct) == 2


# Confidences.


def some_models(seed, n_nodes, n_models):
    """A few random CPDAGs, some of them several times, with scores of different size."""
    generator = np.random.default_rng(seed)
    names = generator.permutation([f"v{i}" for i in range(n_nodes)]).tolist()
    distinct = DistinctModels()
    for _ in range(n_models):
        once = model_of(random_dag(n_nodes, edge_probability=0.3, random_state=generator))
        score = -100.0 - 3.0 * once.n_edges
        distinct.add(
            FoundModel(once.directed, once.undirected, score, int(generator.integers(1, 4)))
        )
    return names, distinct.ranked()


def counted(models, names, weights):
    """The naive twin: sets of pairs, and a sum for each."""
    found = [pairs_in(model.graph(names)) for model in models]
    features = []
    for kind in found[0]:
        for left, right in set().union(*(pairs[kind] for pairs in found)):
            having = [(left, right) in pairs[kind] for pairs in found]
            share = math.fsum(w for w, has in zip(weights, having, strict=True) if has)
            features.append(GraphFeature(kind, left, right, share / math.fsum(weights), having[0]))
    return in_order(features)


@given(
    seed=st.integers(0, 10_000),
    n_nodes=st.integers(2, 8),
    n_models=st.integers(1, 12),
    weighting=st.sampled_from(["distinct", "runs", "score"]),
)
@examples(24)
def test_confidence_is_what_counting_one_by_one_gives(seed, n_nodes, n_models, weighting):
    names, models = some_models(seed, n_nodes, n_models)
    weights = {
        "distinct": [1.0] * len(models),
        "runs": [float(model.n_runs) for model in models],
        "score": [math.exp(model.score - models[0].score) for model in models],
    }[weighting]
    found = feature_confidences(models, names, weighting=weighting)
    expected = counted(models, names, weights)
    if weighting == "score":
        key = {(f.kind, f.left, f.right): f for f in expected}
        assert len(key) == len(found)
        for feature in found:
            twin = key[feature.kind, feature.left, feature.right]
            assert feature.confidence == pytest.approx(twin.confidence, rel=1e-12)
            assert feature.in_model == twin.in_model
    else:
        assert found == expected


@pytest.mark.parametrize("weighting", ["distinct", "runs", "score"])
def test_what_every_model_has_is_certain_to_the_last_bit(weighting):
    shared = (("a", "z"),)
    models = [FoundModel((), (*shared, ("b", f"x{i}")), -0.1 * i, i % 7 + 1) for i in range(1, 60)]
    names = ["a", "b", "z", *(f"x{i}" for i in range(1, 60))]
    found = feature_confidences(models, names, weighting=weighting)
    certain = [str(feature) for feature in found if feature.confidence == 1.0]
    assert certain == ["a -- z", "a ~ z"]


def test_nine_of_twenty_models_are_045():
    models = [
        FoundModel((), (("a", "b"),) if i < 9 else (("a", f"c{i}"),), None, 1) for i in range(20)
    ]
    found = feature_confidences(models, ["a", "b", *(f"c{i}" for i in range(20))])
    assert {str(f): f.confidence for f in found}["a -- b"] == 0.45


def test_weights_by_score_do_not_overflow_and_need_scores():
    models = [FoundModel((), (), -123_456.0, 1), FoundModel((), (("a", "b"),), -123_457.0, 1)]
    assert model_weights(models, "score").tolist() == [1.0, math.exp(-1.0)]
    with pytest.raises(OptionError, match="needs a score of every model"):
        model_weights([*models, FoundModel((("a", "b"),), (), None, 1)], "score")
    with pytest.raises(OptionError, match="weighting must be one of"):
        model_weights(models, "votes")


def test_boundaries_are_boundaries_and_nothing_else():
    models = [
        FoundModel((), (), None, 6, (("a", "t"), ("b", "t"))),
        FoundModel((), (), None, 2, (("b", "t"), ("t", "z"))),
    ]
    found = feature_confidences(models, ["t", "z", "b", "a"], weighting="runs")
    assert [(f.kind, f.left, f.right, f.confidence, f.in_model) for f in found] == [
        ("boundary", "b", "t", 1.0, True),
        ("boundary", "a", "t", 0.75, True),
        ("boundary", "t", "z", 0.25, False),
    ]


def test_models_without_any_edge_have_no_features():
    assert feature_confidences([FoundModel((), (), -1.0, 5)], ["a", "b"]) == ()


def test_columns_that_no_model_speaks_of_cost_nothing():
    models = [FoundModel((), (), None, 1, (("a", "t"),))]
    names = ["a", "t", *(f"x{i}" for i in range(200_000))]
    assert len(feature_confidences(models, names)) == 1


# Warnings.


def found(*n_runs, gap=0.0):
    return [FoundModel((), (("a", f"x{i}"),), -gap * i, number) for i, number in enumerate(n_runs)]


@pytest.mark.parametrize(
    ("found", "options", "sentence"),
    [
        (found(1), {}, "A single run says nothing"),
        (found(200), {}, "All 200 runs found the same model: a confidence of 1 says that"),
        (found(200), {"same_rows": False}, None),
        (
            found(20),
            {"same_rows": False},
            "only 20 runs; a confidence of 0.5 has a standard error",
        ),
        (
            found(*[20] * 10),
            {},
            "200 runs found only 10 different models, .* steps of 0.1; more",
        ),
        (found(*[20] * 10), {"more": "a smaller k"}, "a smaller k may find others"),
        (found(*[1] * 60), {}, "another model .60 of 60.* standard error of 0.065"),
        (found(*[2] * 60), {}, None),
        (found(*[20] * 10), {"weighting": "runs"}, None),
        (found(1, 2, 30), {"weighting": "runs"}, "only 33 runs; .* standard error of 0.087"),
        (found(*[1] * 60, gap=0.1), {"weighting": "score"}, None),
        (
            found(*[1] * 60, gap=9.0),
            {"weighting": "score"},
            "best of 60 models has 100% of the",
        ),
    ],
)
def test_the_sentence_fits_the_models(found, options, sentence):
    said = list(
        confidence_warnings(found, **{"weighting": "distinct", "same_rows": True} | options)
    )
    if sentence is None:
        assert said == []
    else:
        assert len(said) == 1
        assert re.search(sentence, said[0])
