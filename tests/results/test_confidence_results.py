"""Confidence in features: errors at thresholds, suggestions, boundaries, and the way to JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eiderdown.errors import GraphError, OptionError, ResultFormatError
from eiderdown.graphs import DAG, PDAG
from eiderdown.results import (
    ErrorCounts,
    FeatureConfidence,
    FoundModel,
    GraphFeature,
    OptimaBySize,
    OptimaCount,
    Run,
    load_result,
)
from eiderdown.results.graph_features import (
    FEATURE_KINDS,
    THRESHOLDS,
    cheapest_threshold,
    count_errors,
    in_order,
)
from examples import examples

RUN = Run("kes", {"k": 0.8}, 0, 0, 0, 1.5, 100, 4, "abc", 0, {"numpy": "2"})

# Four models: A->C<-B, C->D (the best); A->C<-B; A--C, C--D; and one without edges.
MODELS = (
    FoundModel((("A", "C"), ("B", "C"), ("C", "D")), (), -10.0, 5),
    FoundModel((("A", "C"), ("B", "C")), (), -11.0, 1),
    FoundModel((), (("A", "C"), ("C", "D")), -12.5, 2),
    FoundModel((), (), -20.0, 1),
)
FEATURES = (
    GraphFeature("directed", "A", "C", 0.5, True),
    GraphFeature("directed", "B", "C", 0.5, True),
    GraphFeature("directed", "C", "D", 0.25, True),
    GraphFeature("undirected", "A", "C", 0.25, False),
    GraphFeature("undirected", "C", "D", 0.25, False),
    GraphFeature("path", "A", "C", 0.5, True),
    GraphFeature("path", "B", "C", 0.5, True),
    GraphFeature("path", "A", "D", 0.25, True),
    GraphFeature("path", "B", "D", 0.25, True),
    GraphFeature("path", "C", "D", 0.25, True),
    GraphFeature("boundary", "A", "C", 0.75, True),
    GraphFeature("boundary", "A", "B", 0.5, True),
    GraphFeature("boundary", "B", "C", 0.5, True),
    GraphFeature("boundary", "C", "D", 0.5, True),
)
RESULT = FeatureConfidence(
    nodes=("A", "B", "C", "D"),
    features=FEATURES,
    models=MODELS,
    source="kes",
    weighting="distinct",
    n_runs=9,
    run=RUN,
    warnings=("few rows",),
)
BOUNDARIES = FeatureConfidence(
    nodes=("A", "B", "T"),
    features=(
        GraphFeature("boundary", "A", "T", 1.0, True),
        GraphFeature("boundary", "B", "T", 0.5, False),
    ),
    models=(
        FoundModel((), (), None, 3, (("A", "T"),)),
        FoundModel((), (), None, 1, (("A", "T"), ("B", "T"))),
    ),
    source="boundaries",
    weighting="distinct",
    n_runs=4,
    target="T",
    run=RUN,
)
OPTIMA = OptimaBySize(
    (
        OptimaCount(0.5, 50, 0, 3, 10, -5.0, 4),
        OptimaCount(0.1, 10, 0, 8, 10, -2.0, 1),
        OptimaCount(0.1, 10, 1, 5, 10, None, 2),
    ),
    RUN,
    ("slow",),
    False,
)


@pytest.mark.parametrize(
    ("group", "threshold", "errors"),
    [
        ("edges", 0.25, (3, 2, 0)),
        ("edges", 0.26, (2, 0, 1)),
        ("edges", 0.5, (2, 0, 1)),
        ("edges", 0.55, (0, 0, 3)),
        ("paths", 0.3, (2, 0, 3)),
        ("boundaries", 0.5, (4, 0, 0)),
        ("boundaries", 1.0, (0, 0, 4)),
    ],
)
def test_errors_at_a_threshold(group, threshold, errors):
    assert RESULT.counts_at(group, threshold) == ErrorCounts(threshold, *errors)


def test_the_curve_goes_from_a_twentieth_to_one():
    curve = RESULT.curve("edges")
    assert [point.threshold for point in curve] == [float(f"{r * 0.05:.2f}") for r in range(1, 21)]
    sums = [point.false_positives + point.false_negatives for point in curve]
    assert sums == [2] * 5 + [1] * 5 + [3] * 10
    assert RESULT.curve("edges", [0.9, 0.2]) == (
        ErrorCounts(0.9, 0, 0, 3),
        ErrorCounts(0.2, 3, 2, 0),
    )


@examples(24)
@given(st.integers(1, 40), st.lists(st.tuples(st.integers(0, 40), st.booleans()), max_size=30))
def test_a_share_that_is_a_threshold_on_paper_reaches_it(n_models, counted):
    """Shares summed up one by one against thresholds in whole numbers: n/m >= r/20."""
    counted = [(min(n, n_models), flag) for n, flag in counted]
    shares = np.array([sum([1 / n_models] * n) for n, _ in counted], dtype=float)
    flags = np.array([flag for _, flag in counted], dtype=bool)
    for r, point in enumerate(count_errors(shares, flags, THRESHOLDS), start=1):
        passed = [(20 * n >= r * n_models, flag) for n, flag in counted]
        assert point.true_positives == passed.count((True, True))
        assert point.false_positives == passed.count((True, False))
        assert point.false_negatives == passed.count((False, True))


def test_the_suggested_threshold_is_the_middle_of_the_cheapest():
    assert RESULT.suggested_threshold("edges") == 0.4  # of .30 to .50
    assert RESULT.suggested_threshold("paths") == 0.15  # of .05 to .25
    assert RESULT.suggested_threshold("boundaries") == 0.25  # of .05 to .50


def test_costs_move_the_suggested_threshold():
    assert RESULT.suggested_threshold("edges", false_negative_cost=3.0) == 0.15
    assert RESULT.suggested_threshold("edges", false_negative_cost=0.0) == 0.65  # of .30 to 1
    assert RESULT.suggested_threshold("edges", false_positive_cost=0.1) == 0.15
    assert RESULT.suggested_threshold("edges", false_positive_cost=0.6) == 0.4


def test_of_two_runs_of_cheapest_thresholds_the_longer_one_counts():
    errors = [0, 1, 0, 0, 0, 1, 0]
    curve = [ErrorCounts(t / 10, 0, e, 0) for t, e in enumerate(errors, start=1)]
    costs = {"false_positive_cost": 1.0, "false_negative_cost": 1.0}
    assert cheapest_threshold(curve, **costs) == 0.4


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        (
            {"false_positive_cost": -1.0},
            "false_positive_cost must be a number that is not negative",
        ),
        ({"false_negative_cost": float("nan")}, "false_negative_cost must be a number"),
        ({"false_positive_cost": 0.0, "false_negative_cost": 0.0}, "are both 0; give at least one"),
    ],
)
def test_costs_that_mean_nothing_are_refused(costs, message):
    with pytest.raises(OptionError, match=message):
        RESULT.suggested_threshold("edges", **costs)


@pytest.mark.parametrize("threshold", [0.0, -0.1, 1.01, float("nan")])
def test_thresholds_outside_their_range_are_refused(threshold):
    for ask in (
        lambda: RESULT.counts_at("edges", threshold),
        lambda: RESULT.curve("paths", [0.5, threshold]),
        lambda: RESULT.boundary("A", threshold),
    ):
        with pytest.raises(OptionError, match="threshold must be above 0 and at most 1"):
            ask()


def test_features_are_had_by_group():
    assert RESULT.of_group("edges") == FEATURES[:5]
    assert RESULT.of_group("paths") == FEATURES[5:10]
    assert RESULT.of_group("boundaries") == FEATURES[10:]
    frame = RESULT.to_frame("edges")
    assert list(frame.columns) == ["kind", "left", "right", "confidence", "in_model"]
    assert frame.iloc[3].tolist() == ["undirected", "A", "C", 0.25, False]
    for ask in (RESULT.of_group, RESULT.to_frame, RESULT.curve, RESULT.suggested_threshold):
        with pytest.raises(OptionError, match=r"group must be one of .* not 'path'"):
            ask("path")


def test_an_empty_group_still_has_a_curve_and_columns():
    none = replace(RESULT, features=())
    assert set(none.curve("edges")) == {ErrorCounts(t, 0, 0, 0) for t in THRESHOLDS}
    assert none.suggested_threshold("edges") == 0.5
    assert list(none.to_frame("paths").columns) == list(RESULT.to_frame("paths").columns)


def test_the_confidence_of_one_feature():
    assert RESULT.confidence_of("directed", "C", "D") == 0.25
    assert RESULT.confidence_of("directed", "D", "C") == 0.0
    assert RESULT.confidence_of("undirected", "D", "C") == 0.25
    assert RESULT.confidence_of("boundary", "C", "A") == 0.75
    assert RESULT.confidence_of("path", "A", "B") == 0.0


def test_unknown_names_are_told_in_a_sentence():
    with pytest.raises(GraphError, match="no node 'E'"):
        RESULT.confidence_of("path", "A", "E")
    with pytest.raises(GraphError, match="no node 'E'"):
        RESULT.boundary("E")
    with pytest.raises(OptionError, match=r"kind must be one of .* not 'edges'"):
        RESULT.confidence_of("edges", "A", "B")


def test_the_best_model_is_reported_as_a_graph():
    assert RESULT.model == PDAG.from_string("A->C<-B, C->D")
    assert RESULT.n_distinct == 4
    assert [model.n_edges for model in MODELS] == [3, 2, 2, 0]
    assert MODELS[2].graph(RESULT.nodes) == PDAG.from_string("A--C--D, B")


def test_a_boundary_is_made_of_confident_members():
    assert list(RESULT.boundary("C", 0.5).items()) == [("A", 0.75), ("B", 0.5), ("D", 0.5)]
    assert RESULT.boundary("C", 0.6) == {"A": 0.75}
    assert RESULT.boundary("D", 0.6) == {}
    assert RESULT.boundary("C") == RESULT.boundary("C", RESULT.suggested_threshold("boundaries"))


def test_against_a_known_graph_the_confidences_stay():
    known = RESULT.against(DAG.from_string("D->C, C->A, A->B, D->B"))
    assert known.reference == "given graph"
    assert {str(f): f.confidence for f in known.features if f.confidence} == {
        str(f): f.confidence for f in RESULT.features
    }
    assert known.models == RESULT.models


def test_against_a_known_graph_its_essential_edges_are_the_true_ones():
    known = RESULT.against(DAG.from_string("D->C, C->A, B"))
    assert [str(f) for f in known.of_group("edges") if f.in_model] == ["A -- C", "C -- D"]
    assert known.counts_at("edges", 0.25) == ErrorCounts(0.25, 2, 3, 0)
    assert known.counts_at("paths", 0.5) == ErrorCounts(0.5, 0, 2, 0)


def test_against_a_known_graph_what_no_model_has_is_missed_at_every_threshold():
    known = RESULT.against(DAG.from_string("A->B<-D, C"))
    unseen = [f for f in known.features if f.confidence == 0.0]
    assert [str(f) for f in unseen] == ["A -> B", "D -> B", "A => B", "D => B", "A ~ D", "B ~ D"]
    assert known.counts_at("edges", 0.05) == ErrorCounts(0.05, 0, 5, 2)
    assert known.features == in_order(known.features)
    again = known.against(RESULT.model)
    assert again.features == RESULT.features


def test_a_pattern_is_taken_as_it_stands():
    known = RESULT.against(PDAG.from_string("A->C--D, B"))
    assert [str(f) for f in known.of_group("edges") if f.in_model] == ["A -> C", "C -- D"]


def test_a_graph_of_other_columns_is_refused():
    with pytest.raises(GraphError, match="only one of them has 'E'; give a graph of the columns"):
        RESULT.against(DAG(["A", "B", "C", "D", "E"]))


def test_boundaries_are_counted_around_their_target_only():
    known = BOUNDARIES.against(DAG.from_string("A->B->T"))
    assert [(str(f), f.in_model) for f in known.features] == [("A ~ T", False), ("B ~ T", True)]
    assert BOUNDARIES.boundary("T", 0.5) == {"A": 1.0, "B": 0.5}
    assert BOUNDARIES.model == PDAG(["A", "B", "T"])
    with pytest.raises(OptionError, match=r"Only the boundary of 'T' was looked for, not .*'A'"):
        BOUNDARIES.boundary("A")


def test_boundaries_of_several_targets_are_counted_as_boundaries_only():
    known = replace(BOUNDARIES, target=None).against(DAG.from_string("A->B->T"))
    assert [str(f) for f in known.features if f.in_model] == ["B ~ T", "A ~ B"]
    assert replace(BOUNDARIES, target=None).boundary("A", 0.5) == {"T": 1.0}


def test_features_are_sorted_by_kind_confidence_and_names():
    shuffled = list(FEATURES)
    Random(3).shuffle(shuffled)
    expected = sorted(
        FEATURES,
        key=lambda f: (FEATURE_KINDS.index(f.kind), -f.confidence, f.left, f.right),
    )
    assert in_order(shuffled) == tuple(expected) == FEATURES


@pytest.mark.parametrize("result", [RESULT, BOUNDARIES, OPTIMA, replace(RESULT, complete=False)])
def test_results_come_back_from_a_file_unchanged(tmp_path, result):
    result.save(tmp_path / "result.json")
    loaded = load_result(tmp_path / "result.json")
    assert type(loaded) is type(result)
    assert loaded == result


def test_a_thousand_models_and_twenty_thousand_features_fit_into_a_small_file():
    random = Random(0)
    nodes = tuple(f"a_column_with_a_long_name_{i}" for i in range(100))
    every = [(a, b) for a in nodes for b in nodes if a < b]
    pool = random.sample(every, 800)
    drawn = [tuple(random.sample(pool, 50)) for _ in range(1_000)]
    models = tuple(FoundModel(edges[:45], edges[45:], -i / 7, 1) for i, edges in enumerate(drawn))
    features = in_order(
        GraphFeature(kind, a, b, random.randrange(1, 734) / 733, random.random() < 0.01)
        for kind in FEATURE_KINDS
        for a, b in every
    )
    big = replace(RESULT, nodes=nodes, models=models, features=features)
    text = big.to_json()
    assert len(text) < 600_000
    assert FeatureConfidence.from_json(text) == big


@pytest.mark.parametrize(
    "damage",
    [
        lambda record: record["features"]["left"].append(0),
        lambda record: record["features"]["kind"].__setitem__(0, 9),
        lambda record: record["models"]["directed"]["of_model"].__setitem__(0, [99]),
        lambda record: record["models"].pop("score"),
        lambda record: record.pop("nodes"),
    ],
)
def test_a_damaged_file_is_refused(damage):
    record = json.loads(RESULT.to_json())
    damage(record)
    with pytest.raises(ResultFormatError, match="not the JSON of a feature confidence"):
        FeatureConfidence.from_json(json.dumps(record))


def test_optima_are_averaged_by_share():
    assert list(OPTIMA.mean_by_share().items()) == [(0.1, 6.5), (0.5, 3.0)]
    frame = OPTIMA.to_frame()
    assert frame["n_distinct"].tolist() == [3, 8, 5]
    assert list(replace(OPTIMA, counts=()).to_frame().columns) == list(frame.columns)
