"""``measure_confidence`` and ``measure_optima``: every source of models, one answer."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

from eiderdown import (
    PDAG,
    Dataset,
    FeatureConfidence,
    OptimaBySize,
    find_boundaries,
    load_result,
    measure_confidence,
    measure_optima,
    measure_stability,
    networks,
)
from eiderdown.boundary import KIAMB
from eiderdown.confidence import FeatureAnalysis
from eiderdown.errors import EiderdownWarning, InputError, OptionError, UnknownColumnError
from eiderdown.graphs import DAG
from eiderdown.progress import Cancelled


@pytest.fixture(scope="module")
def asia():
    return networks.load("asia").sample(500, random_state=0)


def measured(data, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EiderdownWarning)
        return measure_confidence(data, **{"progress": False} | options)


# Local optima.


def test_local_optima_are_those_of_the_feature_analysis(asia):
    found = measured(asia, runs=60, k=0.4, target="dysp")
    with pytest.warns(EiderdownWarning, match="different models"):
        analysis = FeatureAnalysis(runs=60, k=0.4, target="dysp", progress=False).fit(asia)
    assert found.models == analysis.result_.models
    assert found.features == analysis.result_.features
    assert (found.source, found.weighting, found.target) == ("kes", "distinct", "dysp")


def test_warnings_are_issued_where_the_function_was_called(asia):
    with pytest.warns(EiderdownWarning, match="The 20 runs found only") as caught:
        measure_confidence(asia, runs=20, progress=False)
    assert caught[0].filename == __file__


def test_enough_optima_raise_no_doubts(asia):
    found = measure_confidence(asia, runs=400, k=0.3, progress=False)
    assert found.warnings == ()
    assert found.n_distinct >= 50


def test_state_and_resume_reach_the_search(asia, tmp_path):
    state = tmp_path / "state.json"
    part = measured(asia, runs=20, state=state)
    unasked = replace(part.run, call=None, table=None)  # as it is while the work goes on
    assert load_result(state) == replace(part, run=unasked)
    whole = measured(asia, runs=50)
    assert measured(asia, runs=50, state=state).models == whole.models
    assert measured(asia, runs=50, resume=part).features == whole.features


# Resamples.


def test_resamples_are_those_of_stability(asia):
    options = {"algorithm": "pc_stable", "random_state": 3, "alpha": 0.05}
    found = measured(asia, source="resamples", runs=30, **options)
    stable = measure_stability(asia, resamples=30, progress=False, **options)
    assert (found.n_runs, found.weighting, found.source) == (30, "runs", "resamples")
    assert found.run.algorithm == "pc_stable"
    for edge in stable.edges:
        forward = found.confidence_of("directed", edge.left, edge.right)
        backward = found.confidence_of("directed", edge.right, edge.left)
        undirected = found.confidence_of("undirected", edge.left, edge.right)
        assert (forward, backward) == (edge.forward, edge.backward)
        assert undirected == pytest.approx(edge.undirected)


def test_any_number_of_threads_finds_the_same_on_resamples(asia):
    options = {"source": "resamples", "algorithm": "hill_climbing", "runs": 10, "score": "bdeu"}
    one, two = measured(asia, n_jobs=1, **options), measured(asia, n_jobs=2, **options)
    assert (one.models, one.features) == (two.models, two.features)
    assert one.run.options["score"] == "bdeu"
    assert all(model.score is None for model in one.models)


def test_subsamples_of_part_of_the_rows(asia):
    found = measured(
        asia, source="resamples", runs=5, algorithm="pc_stable", method="subsample", share=0.8
    )
    assert (found.run.options["method"], found.run.options["share"]) == ("subsample", 0.8)


def test_networks_regions_boundaries_and_boundaries_by_name(asia):
    whole = measured(asia, source="resamples", runs=6, algorithm="pc_stable", target="dysp")
    assert whole.target == "dysp"
    assert whole.nodes == asia.names
    region = measured(asia, source="resamples", runs=6, algorithm="gpc", target="dysp", depth=1)
    assert region.confidence_of("boundary", "dysp", "bronc") == 1.0
    assert region.nodes == asia.names
    near = measured(asia, source="resamples", runs=6, algorithm="get_pc", target="dysp")
    assert near.confidence_of("undirected", "dysp", "bronc") == 1.0
    around = measured(asia, source="resamples", runs=6, algorithm="iamb", target="dysp")
    assert around.groups == ("boundaries",)
    assert around.boundary("dysp", threshold=1.0)["bronc"] == 1.0
    assert around.confidence_of("boundary", "dysp", "asia") == 0.0


def test_functions_of_ones_own_count_dags_as_classes_and_pdags_as_they_stand(asia):
    def as_class(data, seed):
        return DAG.from_string("smoke->lung")

    def as_it_stands(data, seed):
        return PDAG.from_string("smoke->lung, hidden")

    found = measured(asia, source="resamples", runs=50, algorithm=as_class, target="lung")
    assert found.confidence_of("undirected", "smoke", "lung") == 1.0
    assert found.run.algorithm == "as_class"
    assert found.warnings == ()
    found = measured(asia, source="resamples", runs=50, algorithm=as_it_stands)
    assert found.confidence_of("directed", "smoke", "lung") == 1.0
    assert found.nodes == (*asia.names, "hidden")


def test_resamples_that_give_no_model_are_reported(asia):
    n_calls = []

    def fussy(data, seed):
        n_calls.append(seed)
        if len(n_calls) % 2:
            raise OptionError("Not this one.")
        return DAG(["smoke"])

    options = {"source": "resamples", "runs": 120, "n_jobs": 1}
    found = measured(asia, algorithm=fussy, **options)
    assert found.n_runs == 60
    assert found.warnings == ("60 of 120 resamples gave no graph; the first: Not this one.",)


# Boundaries.


def test_boundaries_are_those_of_repeated_searches(asia):
    options = {"target": "dysp", "random_state": 1, "algorithm": KIAMB(fraction=0.2), "runs": 60}
    found = measured(asia, source="boundaries", **options)
    with pytest.warns(EiderdownWarning, match="could not be tested"):
        boundaries = find_boundaries(asia, cv=None, progress=False, **options)
    assert found.n_distinct == len(boundaries) > 1
    assert (found.n_runs, found.weighting, found.run.algorithm) == (60, "runs", "kiamb")
    for member, count in boundaries.member_counts.items():
        assert found.confidence_of("boundary", "dysp", member) == count / 60
    assert set(found.boundary("dysp", 0.01)) == set(boundaries.member_counts)
    distinct = measured(asia, source="boundaries", weighting="distinct", **options)
    n_with = sum("either" in item.members for item in boundaries)
    expected = n_with / len(boundaries)
    assert distinct.confidence_of("boundary", "dysp", "either") == expected


def test_excluded_and_constant_columns_are_not_among_the_nodes(asia):
    data = asia.with_columns({"one": np.ones(500, dtype=int)})
    found = measured(data, source="boundaries", target="dysp", runs=5, exclude=["lung"])
    assert set(found.nodes) == set(asia.names) - {"lung"}
    assert found.warnings[0] == "Left out because they have a single value: 'one'."


def test_boundaries_warn_once_where_the_function_was_called(asia):
    with pytest.warns(EiderdownWarning) as caught:
        found = measure_confidence(
            asia, source="boundaries", target="dysp", runs=20, progress=False
        )
    assert [str(item.message) for item in caught] == list(found.warnings)
    assert {item.filename for item in caught} == {__file__}
    assert "There are only 20 runs" in found.warnings[-1]


def test_interrupted_boundaries_are_those_so_far(asia, monkeypatch):
    from eiderdown.api import repetition as boundaries

    run_search, n_runs = boundaries.run_search, []

    def interrupted(*arguments, **options):
        n_runs.append(1)
        if len(n_runs) > stop:
            raise Cancelled
        return run_search(*arguments, **options)

    monkeypatch.setattr(boundaries, "run_search", interrupted)
    monkeypatch.setattr(boundaries.KnownRuns, "pay", lambda _: False)
    stop = 7
    found = measured(asia, source="boundaries", target="dysp", n_jobs=1)
    assert (found.n_runs, found.complete) == (7, False)
    stop = 0
    with pytest.raises(KeyboardInterrupt):
        measured(asia, source="boundaries", target="dysp", n_jobs=1)


# Time limits.


@pytest.mark.parametrize("source", ["kes", "resamples", "boundaries"])
def test_time_limits_return_the_runs_so_far(asia, source):
    options = {"target": "dysp"} if source == "boundaries" else {}
    found = measured(asia, source=source, runs=1_000_000_000, time_limit=2.0, n_jobs=1, **options)
    assert 0 < found.n_runs < 1_000_000_000
    assert not found.complete
    assert any("Interrupted" in sentence for sentence in found.warnings)


def test_time_limits_return_the_counts_so_far(asia):
    with pytest.warns(EiderdownWarning, match="Interrupted"):
        found = measure_optima(
            asia.drop(["asia", "tub"]),
            shares=(0.5,),
            repeats=100_000,
            runs=2,
            time_limit=2.0,
            progress=False,
        )
    assert 0 < len(found.counts) < 100_000


# What is refused.


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"source": "tea leaves"}, "source must be one of"),
        ({"score": "k2"}, "The score 'k2' can differ between equivalent graphs"),
        ({"alpha": 0.1}, "source='kes' has no use for 'alpha'; leave it out"),
        ({"algorithm": "mmhc"}, "source='kes' has no use for 'algorithm'"),
        ({"method": "subsample"}, "source='kes' has no use for 'method'"),
        ({"source": "resamples", "k": 0.5}, "source='resamples' has no use for 'k'"),
        ({"source": "resamples", "state": "x.json"}, "no use for 'state'"),
        ({"source": "resamples", "weighting": "score"}, "are scores of different rows"),
        (
            {"source": "resamples", "algorithm": "nobody"},
            "no search for graphs or boundaries 'nobody'",
        ),
        ({"source": "resamples", "algorithm": "gpc"}, "'gpc' searches around a column"),
        ({"source": "resamples", "algorithm": "pc_stable", "depth": 2}, "has no option 'depth'"),
        ({"source": "resamples", "algorithm": len, "alpha": 0.1}, "must go into the function"),
        ({"source": "resamples", "runs": 0}, "must be at least 1, not 0"),
        ({"source": "boundaries"}, "is about one column; name it as target"),
        ({"source": "boundaries", "target": "dysp", "weighting": "score"}, "have no score"),
        ({"source": "boundaries", "target": "dysp", "score": "bic"}, "has no use for 'score'"),
        ({"source": "boundaries", "target": "dysp", "cv": 5}, "has no option 'cv'"),
        ({"source": "boundaries", "target": "dysp", "algorithm": "iamb"}, "no random choices"),
        ({"source": "boundaries", "target": "dysp", "algorithm": len}, "takes a search by name"),
        ({"source": "boundaries", "target": "dysp", "share": 0.5}, "no use for 'share'"),
        ({"weighting": "votes"}, "weighting must be one of"),
        ({"source": "boundaries", "target": "dysp", "weighting": "votes"}, "weighting must be"),
    ],
)
def test_impossible_wishes_are_refused_in_a_sentence(asia, options, sentence):
    with pytest.raises(OptionError, match=sentence):
        measured(asia, **options)


@pytest.mark.parametrize("source", ["kes", "resamples", "boundaries"])
def test_unknown_target_is_refused(asia, source):
    with pytest.raises(UnknownColumnError, match="smok"):
        measured(asia, source=source, target="smok", runs=5)


@pytest.mark.parametrize("source", ["kes", "resamples", "boundaries"])
def test_target_that_takes_no_part_is_refused(asia, source):
    data = asia.with_columns({"one": np.ones(500, dtype=int)})
    with pytest.raises(InputError, match="'dysp' is both the target and excluded"):
        measured(data, source=source, target="dysp", exclude=["dysp"], runs=5)
    with pytest.raises(InputError, match="Target 'one' has a single value"):
        measured(data, source=source, target="one", runs=5)


# As results.


@pytest.mark.parametrize("source", ["kes", "resamples", "boundaries"])
def test_results_survive_a_trip_through_a_file(asia, source, tmp_path):
    found = measured(asia, source=source, target="dysp", runs=8)
    found.save(tmp_path / "found.json")
    assert load_result(tmp_path / "found.json") == found
    assert isinstance(found, FeatureConfidence)


def test_optima_are_counted_by_share(asia, tmp_path):
    data = asia.drop(["asia", "tub"])
    found = measure_optima(data, shares=(0.5, 1.0), repeats=2, runs=20, k=0.4, progress=False)
    assert found.mean_by_share()[1.0] == found.counts[-1].n_distinct
    assert found.counts[-1].n_distinct == measured(data, runs=20, k=0.4).n_distinct
    found.save(tmp_path / "found.json")
    assert OptimaBySize.load(tmp_path / "found.json") == found


@pytest.mark.parametrize(
    "options", [{"score": "k2"}, {"k": 1.0}, {"shares": (2.0,)}, {"repeats": 0}]
)
def test_impossible_counts_are_refused(asia, options):
    with pytest.raises(OptionError):
        measure_optima(asia, runs=5, progress=False, **options)


def test_optima_warn_where_the_function_was_called():
    rare = Dataset.from_columns(
        {"a": np.arange(60) % 2, "b": np.arange(60) // 59, "c": [0, 1] * 30}
    )
    with pytest.warns(EiderdownWarning, match="a single value and were left out") as caught:
        measure_optima(rare, shares=(0.5, 1.0), repeats=3, runs=5, progress=False)
    assert caught[0].filename == __file__
