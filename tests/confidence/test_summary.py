"""Confidence is the weight of the models that have a feature, counted here one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eiderdown.confidence import ModelCollection, found_model, model_weights, summarised
from eiderdown.errors import OptionError
from eiderdown.graphs import random_dag
from eiderdown.results import FoundModel, GraphFeature
from eiderdown.results.graph_features import in_order, pairs_in


def some_models(seed, n_nodes, n_models):
    """A few random patterns, some of them several times, with scores of different size."""
    generator = np.random.default_rng(seed)
    names = generator.permutation([f"v{i}" for i in range(n_nodes)]).tolist()
    collection = ModelCollection()
    for _ in range(n_models):
        once = found_model(random_dag(n_nodes, edge_probability=0.3, random_state=generator))
        score = -100.0 - 3.0 * once.n_edges
        collection.add(
            FoundModel(once.directed, once.undirected, score, int(generator.integers(1, 4)))
        )
    return names, collection.ranked()


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
@settings(max_examples=60, deadline=None, derandomize=True)
def test_confidence_is_what_counting_one_by_one_gives(seed, n_nodes, n_models, weighting):
    names, models = some_models(seed, n_nodes, n_models)
    weights = {
        "distinct": [1.0] * len(models),
        "runs": [float(model.n_runs) for model in models],
        "score": [math.exp(model.score - models[0].score) for model in models],
    }[weighting]
    found = summarised(models, names, weighting=weighting)
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
    found = summarised(models, names, weighting=weighting)
    certain = [str(feature) for feature in found if feature.confidence == 1.0]
    assert certain == ["a -- z", "a ~ z"]


def test_nine_of_twenty_models_are_045():
    models = [
        FoundModel((), (("a", "b"),) if i < 9 else (("a", f"c{i}"),), None, 1) for i in range(20)
    ]
    found = summarised(models, ["a", "b", *(f"c{i}" for i in range(20))])
    assert {str(f): f.confidence for f in found}["a -- b"] == 0.45


def test_weights_by_score_do_not_overflow_and_need_scores():
    models = [FoundModel((), (), -123_456.0, 1), FoundModel((), (("a", "b"),), -123_457.0, 1)]
    assert model_weights(models, "score").tolist() == [1.0, math.exp(-1.0)]
    with pytest.raises(OptionError, match="needs a score of every model"):
        model_weights([*models, FoundModel((("a", "b"),), (), None, 1)], "score")
    with pytest.raises(OptionError, match="weighting must be one of"):
        model_weights(models, "votes")


def test_boundaries_are_neighbours_and_nothing_else():
    models = [
        FoundModel((), (), None, 6, (("a", "t"), ("b", "t"))),
        FoundModel((), (), None, 2, (("b", "t"), ("t", "z"))),
    ]
    found = summarised(models, ["t", "z", "b", "a"], weighting="runs")
    assert [(f.kind, f.left, f.right, f.confidence, f.in_model) for f in found] == [
        ("neighbour", "b", "t", 1.0, True),
        ("neighbour", "a", "t", 0.75, True),
        ("neighbour", "t", "z", 0.25, False),
    ]


def test_models_without_any_edge_have_no_features():
    assert summarised([FoundModel((), (), -1.0, 5)], ["a", "b"]) == ()


def test_columns_that_no_model_speaks_of_cost_nothing():
    models = [FoundModel((), (), None, 1, (("a", "t"),))]
    names = ["a", "t", *(f"x{i}" for i in range(200_000))]
    assert len(summarised(models, names)) == 1
