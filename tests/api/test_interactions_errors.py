"""What find_interactions says when something is missing, wrong, doubtful or interrupted."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from interaction_tables import circle, coins, double_xor, named, product

from eiderdown import Interactions, find_interactions
from eiderdown.errors import (
    ColumnKindError,
    EiderdownWarning,
    InputError,
    OptionError,
    TargetAmongCandidatesError,
    TooFewRowsError,
    UnknownColumnError,
)
from eiderdown.progress import Cancelled
from eiderdown.progress import Trace as ProgressTrace
from eiderdown.svm import trained_folds

FIXED = {"degree": 2, "C": 1.0, "alpha": 1e-4}


def test_constant_columns_are_left_out_with_a_warning():
    table = {**double_xor(200, 5), "flat": np.ones(200)}
    with pytest.warns(EiderdownWarning, match="single value: 'flat'"):
        found = find_interactions(table, target="t", **FIXED)
    assert "flat" in found.warnings[0]


def test_a_machine_that_guesses_is_told():
    rng = np.random.default_rng(3)
    table = {**named(coins(120, 30, rng)), "t": coins(120, 1, rng)[:, 0]}
    with pytest.warns(EiderdownWarning, match=r"no better than guessing \(AUC 0\.\d+ .* trust"):
        found = find_interactions(table, target="t", degree=2, C=1.0)
    assert found.beyond_chance == ()


def test_features_that_are_not_proven_are_told():
    with pytest.warns(EiderdownWarning, match=r"Only the first \d+ of 50 .* raise max_built"):
        found = find_interactions(double_xor(), target="t", max_built=60, **FIXED)
    assert not found.search.proven
    assert found.search.stopped == "monomials"


def test_a_rare_class_is_told_and_has_fewer_folds():
    table = circle(200)
    table["t"] = np.where(np.argsort(np.argsort(table["x1"])) < 4, "rare", "common")
    with pytest.warns(EiderdownWarning, match="Class 'rare' of target 't' has only 4 rows"):
        found = find_interactions(table, target="t", **FIXED)
    assert found.svm.score.n_folds == 4
    table["t"] = np.r_[["rare"], ["common"] * 199]
    with pytest.raises(TooFewRowsError, match="Class 'rare' of target 't' has a single row"):
        find_interactions(table, target="t", **FIXED)


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"target": "z"}, UnknownColumnError, "no column 'z'"),
        ({"degree": 0}, OptionError, "degree must be at least 1"),
        ({"C": 0.0}, OptionError, "C must be positive"),
        ({"n_monomials": 0}, OptionError, "n_monomials must be at least 1"),
        ({"folds": 1}, OptionError, "folds must be at least 2, or 0"),
        ({"folds": 0, "degree": None}, OptionError, "give both degree and C"),
        ({"alpha": 1.5}, OptionError, "alpha must be between 0 and 1"),
        ({"method": "magic"}, OptionError, "method must be one of"),
        ({"max_built": 0}, OptionError, "max_built must be at least 1"),
        ({"max_seconds": -1.0}, OptionError, "max_seconds must be at least 0"),
        ({"coding": "bits"}, OptionError, "coding must be one of"),
        ({"class_weight": "heavy"}, OptionError, "class_weight must be one of 'balanced' or None"),
        ({"algorithm": "hitton"}, OptionError, "did you mean 'hiton_"),
        ({"params": {"depth": 3}}, OptionError, "has no option 'params'"),
        ({"random_state": -1}, OptionError, "random_state must be at least 0"),
        ({"exclude": ["t"]}, TargetAmongCandidatesError, "both the target and excluded"),
        ({"required": ["t"]}, TargetAmongCandidatesError, "is the target"),
        ({"exclude": [f"x{i}" for i in range(1, 5)]}, InputError, "No candidate columns"),
    ],
)
def test_bad_input_gets_one_sentence(options, error, sentence):
    with pytest.raises(error, match=sentence):
        find_interactions(double_xor(60, 4), **{"target": "t", **FIXED, **options})


def test_a_test_of_numbers_refuses_three_classes():
    table = {**named(coins(60, 3, np.random.default_rng(0))), "t": np.arange(60) % 3}
    with pytest.raises(OptionError, match=r"'fisher_z' takes a target of two classes .* 3 classes"):
        find_interactions(table, target="t", test="fisher_z", **FIXED)


def test_a_test_of_levels_refuses_a_target_of_numbers():
    with pytest.raises(ColumnKindError, match="continuous"):
        find_interactions(product(), target="t", test="g_square", **FIXED)


def press_control_c_at(monkeypatch, phase):
    def progressed(self, step, n_done):
        if step == phase:
            raise Cancelled

    monkeypatch.setattr(ProgressTrace, "progressed", progressed)


@pytest.mark.parametrize(
    ("phase", "reached"),
    [
        ("choosing degree and C", ()),
        ("training the SVM", ("svm",)),
        ("searching its monomials", ("svm",)),
        ("judging the monomials", ("svm", "search")),
        ("measuring how well they predict", ("svm", "search", "boundary", "monomials")),
    ],
)
def test_an_interrupt_leaves_what_earlier_stages_found(monkeypatch, phase, reached):
    press_control_c_at(monkeypatch, phase)
    with pytest.warns(EiderdownWarning, match=f"Interrupted while {phase}"):
        found = find_interactions(double_xor(), target="t", **FIXED)
    assert not found.complete
    parts = ("svm", "search", "boundary", "monomials", "linear_score")
    assert tuple(part for part in parts if getattr(found, part)) == reached
    assert Interactions.from_json(found.to_json()) == found


def test_an_interrupted_choice_returns_what_was_tried(monkeypatch):
    real, n_calls = trained_folds.solve, []

    def interrupted(*args, **options):
        n_calls.append(1)
        if len(n_calls) > 40:
            raise Cancelled
        return real(*args, **options)

    monkeypatch.setattr(trained_folds, "solve", interrupted)
    with pytest.warns(EiderdownWarning, match="Interrupted while choosing degree and C"):
        found = find_interactions(double_xor(100, 6), target="t", folds=2)
    assert not found.complete
    assert found.svm.tried
    assert found.search is None


def test_an_interrupt_in_the_local_search_keeps_the_features_so_far(monkeypatch):
    def progressed(self, step, n_done):
        if n_done == 1:
            raise Cancelled

    monkeypatch.setattr(ProgressTrace, "progressed", progressed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EiderdownWarning)
        found = find_interactions(double_xor(), target="t", **FIXED)
    assert not found.complete
    assert "The search was interrupted; this is the best boundary so far." in found.warnings
    assert len(found.monomials) == 1
    assert found.linear_score is None
