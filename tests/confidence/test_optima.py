"""KES again and again: one answer for any number of threads, any order of columns, any pause."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from population_score import FakeSearch, optima_options

from eiderdown import FeatureConfidence, Knowledge, networks
from eiderdown.confidence import RunSeeds, optima
from eiderdown.confidence.optima import confidence_by_kes
from eiderdown.data import Dataset
from eiderdown.errors import ConstantColumnError, OptionError, UnknownColumnError
from eiderdown.scores import BDEU, make_score
from eiderdown.state import StateFile
from eiderdown.structure.equivalence.kes import run_kes
from eiderdown.structure.equivalence.search import EquivalenceSearch

ABC = Dataset.from_columns(
    {name: np.arange(12) // k % 2 for name, k in zip("abc", (1, 2, 3), strict=True)}
)


@pytest.fixture(scope="module")
def asia():
    return networks.load("asia").sample(500, random_state=0)


def analysed(data, resume=None, target=None, **options):
    options = optima_options(**{"runs": 80, "k": 0.4} | options)
    return confidence_by_kes(data, options, target=target, resume=resume)


@pytest.fixture
def fake(monkeypatch):
    """Put a search in place whose optima are known, interrupted before a run of one's choice."""

    def put(stop=None):
        monkeypatch.setattr(optima, "EquivalenceSearch", partial(FakeSearch, stop=stop))
        monkeypatch.setattr(optima, "run_kes", FakeSearch.run)

    put()
    return put


def same(one, other):
    """Whether two analyses found the same, whatever time they took."""
    return (one.nodes, one.models, one.features, one.n_runs) == (
        other.nodes,
        other.models,
        other.features,
        other.n_runs,
    )


# What is counted.


def test_models_are_those_of_single_runs_with_the_seeds_of_their_numbers(asia):
    found = analysed(asia)
    search = EquivalenceSearch(make_score("bic", asia))
    runs = [
        run_kes(search, k=0.4, generator=np.random.default_rng(seed)) for seed in RunSeeds(0, 80)
    ]
    names = asia.names
    expected = {}
    for run in runs:
        directed = frozenset((names[i], names[j]) for i, j in run.directed)
        undirected = frozenset(frozenset((names[i], names[j])) for i, j in run.undirected)
        expected[directed, undirected] = expected.get((directed, undirected), 0) + 1
    assert len(expected) > 10
    assert {
        (frozenset(m.directed), frozenset(map(frozenset, m.undirected))): m.n_runs
        for m in found.models
    } == expected
    assert found.models[0].score == max(run.score for run in runs)
    assert (found.n_runs, found.complete, found.source) == (80, True, "kes")


def test_distinct_models_count_alike_unless_weights_say_otherwise(fake):
    found = analysed(ABC, runs=400)
    assert found.n_distinct == 4
    assert found.confidence_of("boundary", "a", "b") == 0.75
    assert found.confidence_of("path", "a", "c") == 0.25
    by_runs = analysed(ABC, runs=400, weighting="runs")
    n_runs = {m.score: m.n_runs for m in by_runs.models}
    assert by_runs.confidence_of("path", "a", "c") == n_runs[-10.0] / 400
    assert 0.05 < n_runs[-10.0] / 400 < 0.15
    by_score = analysed(ABC, runs=400, weighting="score")
    total = 1.0 + np.exp(-1.0) + np.exp(-2.0) + np.exp(-10.0)
    assert by_score.confidence_of("path", "a", "c") == pytest.approx(1.0 / total)


# One answer.


def test_any_number_of_threads_finds_the_same(asia):
    one, two = analysed(asia, n_jobs=1), analysed(asia, n_jobs=2)
    assert same(one, two)
    assert one.n_distinct > 10


def test_any_order_of_the_columns_finds_the_same(asia):
    found = analysed(asia)
    shuffled = np.random.default_rng(1).permutation(asia.names).tolist()
    other = analysed(asia.select(shuffled))
    assert other.nodes == tuple(shuffled)
    assert (other.models, other.features) == (found.models, found.features)


def test_another_seed_finds_something_else(asia):
    assert analysed(asia, random_state=1).models != analysed(asia).models


def test_without_a_seed_the_one_that_was_drawn_is_written_down(asia):
    found = analysed(asia, random_state=None, runs=20)
    assert same(found, analysed(asia, random_state=found.run.random_state, runs=20))


# Going on.


def test_more_runs_begin_with_fewer(asia):
    few, many = analysed(asia, runs=30), analysed(asia, runs=80)
    n_runs = {(m.directed, m.undirected): m.n_runs for m in many.models}
    assert all(n_runs[m.directed, m.undirected] >= m.n_runs for m in few.models)


def test_to_go_on_is_as_never_to_have_stopped(asia, tmp_path):
    whole = analysed(asia)
    part = analysed(asia, runs=33)
    assert same(analysed(asia, resume=part), whole)
    part.save(tmp_path / "part.json")
    assert same(analysed(asia, resume=tmp_path / "part.json", n_jobs=2), whole)
    again = analysed(asia, resume=whole)
    assert same(again, whole)
    assert again.run.seconds > whole.run.seconds


def test_weights_may_change_on_the_way(asia):
    part = analysed(asia, runs=33, weighting="runs")
    assert same(analysed(asia, resume=part), analysed(asia))


def test_without_a_seed_it_goes_on_with_the_earlier_one(asia):
    part = analysed(asia, runs=33, random_state=5)
    assert same(analysed(asia, resume=part, random_state=None), analysed(asia, random_state=5))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"k": 0.5}, "were made with k=0.4, not 0.5; give the same k"),
        ({"random_state": 3}, "were made with random_state=0, not 3"),
        ({"score": "bdeu"}, "were made with score='bic', not 'bdeu'"),
        ({"max_parents": 2}, "were made with max_parents=None, not 2"),
        ({"knowledge": {"tiers": [["smoke"], ["lung"]]}}, "were made with knowledge=None, not"),
        ({"exclude": ["asia"]}, "another table .500 rows x 8 columns.* than this one .500 x 7"),
        ({"runs": 20}, "There are 30 earlier runs, but only 20 are wanted"),
    ],
)
def test_runs_that_answer_another_question_are_refused(asia, options, sentence):
    part = analysed(asia, runs=30)
    with pytest.raises(OptionError, match=sentence):
        analysed(asia, resume=part, **options)


def test_runs_on_other_rows_and_models_from_elsewhere_are_refused(asia):
    part = analysed(asia, runs=5)
    with pytest.raises(OptionError, match="on another table"):
        analysed(asia.take(np.arange(499)), resume=part)
    elsewhere = FeatureConfidence.from_dict({**part.to_dict(), "source": "resamples"})
    with pytest.raises(OptionError, match="come from source='resamples', not 'kes'"):
        analysed(asia, resume=elsewhere)


def test_settings_of_a_score_must_agree_after_a_trip_through_json(asia):
    options = {"score": BDEU(equivalent_sample_size=4.0)}
    part = FeatureConfidence.from_json(analysed(asia, runs=20, **options).to_json())
    assert same(analysed(asia, resume=part, **options), analysed(asia, **options))
    options["score"] = BDEU(equivalent_sample_size=5.0)
    with pytest.raises(OptionError, match=r"equivalent_sample_size=4\.0, not 5\.0"):
        analysed(asia, resume=part, **options)


# Ctrl-C and the state file.


def test_interrupted_it_returns_the_runs_so_far(fake):
    fake(stop=25)
    found = analysed(ABC, n_jobs=1)
    assert (found.n_runs, found.complete) == (25, False)
    assert found.warnings[-1] == "Interrupted: 25 of 80 runs are in."
    fake()
    assert same(found, analysed(ABC, runs=25))
    assert same(analysed(ABC, resume=found), analysed(ABC))


def test_runs_that_were_finished_behind_the_interrupted_one_are_kept(fake):
    fake(stop=25)
    found = analysed(ABC, n_jobs=2)
    assert found.n_runs >= 25
    assert not found.complete
    assert found.gaps[:1] == ((25,) if found.n_runs > 25 else ())
    assert max(found.gaps, default=0) < found.n_runs + len(found.gaps)
    fake()
    stored = type(found).from_json(found.to_json())
    for n_jobs in (1, 2):
        whole = analysed(ABC, resume=stored, n_jobs=n_jobs)
        assert (whole.n_runs, whole.gaps, whole.complete) == (80, (), True)
        assert same(whole, analysed(ABC))


def test_an_interrupted_run_of_the_search_does_not_count(asia, monkeypatch):
    found = []

    def interrupted(search, **options):
        found.append(run_kes(search, **options))
        return replace(found[-1], complete=len(found) != 12)

    monkeypatch.setattr(optima, "run_kes", interrupted)
    assert analysed(asia, n_jobs=1).n_runs == 11


def test_interrupted_before_the_first_run_ends_it_is_an_interruption(fake):
    fake(stop=0)
    with pytest.raises(KeyboardInterrupt):
        analysed(ABC, n_jobs=1)


def test_state_is_kept_when_interrupted_and_gone_on_from(fake, tmp_path):
    state = tmp_path / "state.json"
    fake(stop=25)
    analysed(ABC, state=state, n_jobs=1)
    assert FeatureConfidence.load(state).n_runs == 25
    fake()
    finished = analysed(ABC, state=str(state))
    assert same(finished, analysed(ABC))
    assert FeatureConfidence.load(state) == finished
    assert [path.name for path in tmp_path.iterdir()] == ["state.json"]
    fake(stop=0)
    assert same(analysed(ABC, state=state), finished)


def test_state_is_written_on_the_way(fake, tmp_path, monkeypatch):
    state, seen = tmp_path / "state.json", []
    write = StateFile.write

    def watched(self, result):
        write(self, result)
        seen.append((FeatureConfidence.load(state).n_runs, result.complete))

    monkeypatch.setattr(StateFile, "write", watched)
    monkeypatch.setattr(StateFile.__init__, "__kwdefaults__", {"pause": 0.0})
    analysed(ABC, state=state, runs=6)
    assert seen[0] == (1, False)
    assert seen[-1] == (6, True)
    assert len(seen) < 8


def test_state_and_resume_cannot_both_hold_runs(fake, tmp_path):
    part = analysed(ABC, runs=10)
    state = tmp_path / "state.json"
    assert same(analysed(ABC, resume=part, state=state), analysed(ABC))
    with pytest.raises(OptionError, match="Both resume and the state file"):
        analysed(ABC, resume=part, state=state)


def test_state_that_cannot_be_written_costs_no_runs(fake, tmp_path, monkeypatch):
    def full(self, path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(FeatureConfidence, "save", full)
    found = analysed(ABC, state=tmp_path / "state.json")
    assert found.n_runs == 80
    assert "Cannot write the state file" in found.warnings[-1]
    assert "(No space left on device)" in found.warnings[-1]


def test_state_in_a_folder_that_is_not_there_is_refused_at_once(fake, tmp_path):
    with pytest.raises(OptionError, match=r"There is no folder .*nowhere' for the state file"):
        analysed(ABC, state=tmp_path / "nowhere" / "state.json")


def test_state_that_is_something_else_is_refused(fake, tmp_path):
    (tmp_path / "state.json").write_text(json.dumps({"format": "a diary"}))
    with pytest.raises(ValueError, match=r"In '.*state.json'"):
        analysed(ABC, state=tmp_path / "state.json")


# What the table and the options may be.


def test_knowledge_and_excluded_columns_are_respected(asia):
    known = Knowledge(tiers=[["smoke", "asia"], ["lung", "tub", "bronc"]])
    found = analysed(asia, knowledge=known, exclude=["xray"], max_parents=2)
    assert "xray" not in found.nodes
    for model in found.models:
        known.check(model.graph(found.nodes))
    assert found.confidence_of("directed", "bronc", "smoke") == 0.0
    assert found.run.options["knowledge"]["tiers"] == known.to_dict()["tiers"]
    assert found.run.options["max_parents"] == 2


def test_constant_columns_are_left_out_and_mixed_ones_are_cut(asia):
    frame = asia.select(["smoke", "lung", "bronc"]).with_columns(
        {"one": np.ones(500, dtype=int), "x": np.random.default_rng(0).normal(size=500)}
    )
    found = analysed(frame, runs=10)
    assert found.nodes == ("smoke", "lung", "bronc", "x")
    assert found.warnings[0] == "Left out because they have a single value: 'one'."
    assert "Cut into 3 categories" in found.warnings[1]
    kernel = analysed(frame, runs=10, score="kgv")
    assert not any("Cut" in sentence for sentence in kernel.warnings)


def test_continuous_columns_are_judged_by_the_gaussian_bic():
    generator = np.random.default_rng(0)
    a, b = generator.normal(size=(2, 400))
    data = Dataset.from_columns({"a": a, "b": b, "c": a + b + generator.normal(size=400)})
    found = analysed(data)
    assert found.run.options["score"] == "gaussian_bic"
    assert found.confidence_of("directed", "a", "c") == 1.0
    assert found.boundary("a", threshold=1.0) == {"b": 1.0, "c": 1.0}
    assert found.warnings[0].startswith("All 80 runs found the same model")


@pytest.mark.parametrize(
    ("options", "problem", "sentence"),
    [
        ({"runs": 0}, OptionError, "runs must be at least 1, not 0"),
        ({"runs": 1.5}, OptionError, "runs must be int or None, not 1.5"),
        ({"k": 1.0}, OptionError, "with k=1 nothing is left to chance"),
        ({"k": -0.1}, OptionError, "k must be at least 0"),
        ({"max_parents": 0}, OptionError, "max_parents must be at least 1"),
        ({"weighting": "votes"}, OptionError, "weighting must be one of"),
        ({"random_state": -1}, OptionError, "random_state must be"),
        ({"score": "k2"}, OptionError, "The score 'k2' can differ between equivalent graphs"),
        ({"score": "bick"}, OptionError, "bick"),
        ({"target": "smok"}, UnknownColumnError, "smok"),
        ({"target": "asia", "exclude": ["asia"]}, ValueError, "both the target and excluded"),
        ({"exclude": ["nobody"]}, UnknownColumnError, "nobody"),
        ({"knowledge": {"forbidden": [["a", "b"]]}}, UnknownColumnError, "column 'a'"),
    ],
)
def test_impossible_wishes_are_refused_in_a_sentence(asia, options, problem, sentence):
    with pytest.raises(problem, match=sentence):
        analysed(asia, **options)


def test_constant_target_is_refused(asia):
    with pytest.raises(ConstantColumnError, match="Target 'one' has a single value"):
        analysed(asia.with_columns({"one": np.ones(500, dtype=int)}), target="one")


def test_nothing_is_said_by_warnings_here(asia):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert analysed(asia, runs=5).warnings


def test_turned_edges_are_another_question_with_fewer_optima():
    data = networks.load("asia").sample(300, random_state=0)
    options = {"runs": 60, "k": 0.2}
    plain = analysed(data, **options)
    turned = analysed(data, **options, turning=True)
    assert turned.n_distinct < plain.n_distinct
    with pytest.raises(OptionError, match="turning"):
        analysed(data, resume=plain, **options, turning=True)
