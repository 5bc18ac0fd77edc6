"""Sets of columns are compared honestly, and the simplest that is good enough is taken."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from eiderdown.api.column_sets import _first_within_one_error, compared, features_by
from eiderdown.api.hedging import cause_sets
from eiderdown.api.prediction import PredictionOptions, Predictor, _task
from eiderdown.data import Dataset
from eiderdown.options import options_of
from eiderdown.svm.cross_validation import FoldScores
from eiderdown.svm.standard_coding import Features, StandardCoding


def options(**given):
    known = options_of(PredictionOptions)
    defaults = {name: option.default for name, option in known.items()}
    return defaults | {"random_state": 0, "n_jobs": 1, "cv": 3} | given


def task_of(frame, **given):
    return _task(Dataset.from_columns(frame), "y", options(**given))[0]


def exclusive_or(n_rows=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, size=(n_rows, 6))
    table = {f"x{i}": X[:, i] for i in range(6)}
    return table | {"y": X[:, 1] ^ X[:, 4] ^ (rng.random(n_rows) < 0.05)}


def straight(n_rows=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 5))
    table = {f"x{i}": X[:, i] for i in range(5)}
    return table | {"y": 2.0 * X[:, 0] - X[:, 3] + 0.5 * rng.normal(size=n_rows)}


def test_interaction_is_found_by_products_and_the_boundary_gives_way():
    records, chosen = compared(task_of(exclusive_or(), alpha=0.01))
    assert chosen.products == (((("x1", 1), ("x4", 1)), ("x1", "x4")),)
    (taken,) = (record for record in records if record.chosen)
    assert taken.name == "fsmb"
    assert [record.name for record in records] == ["boundary", "fsmb", "rfe", "all"]


def test_boundary_is_taken_where_nothing_is_clearly_better():
    records, chosen = compared(task_of(straight()))
    assert {"x0", "x3"} <= set(chosen.columns)
    assert records[0].chosen
    assert records[0].score > 0.9


def test_one_standard_error_is_the_larger_of_two():
    perfect, near, far = FoldScores((1.0, 1.0)), FoldScores((1.0, 0.98)), FoldScores((0.9, 0.9))
    assert _first_within_one_error({"boundary": near, "all": perfect}) == "boundary"
    assert _first_within_one_error({"boundary": far, "all": perfect}) == "all"


def test_what_was_chosen_by_chance_is_not_flattered():
    rng = np.random.default_rng(0)
    table = {f"x{i:02}": rng.normal(size=60) for i in range(60)} | {"y": rng.integers(0, 2, 60)}
    records, _ = compared(task_of(table, candidates=("boundary", "all")))
    assert len(records[0].columns) > 0
    assert records[0].score < 0.65


def test_every_way_finds_columns_of_each_kind():
    rng = np.random.default_rng(0)
    hat = rng.choice(["red", "blue", "green"], 300)
    number = rng.normal(size=300)
    table = {
        "hat": hat,
        "number": number,
        "noise": rng.normal(size=300),
        "y": np.where((hat == "red") + 0.7 * number > 0.5, "a", "b"),
    }
    task = task_of(table)
    for way in ("boundary", "fsmb", "rfe", "all"):
        assert {"hat", "number"} <= set(features_by(way, task).columns)


def test_scoring_and_estimator_of_the_users_own():
    given = {"scoring": "accuracy", "estimator": LogisticRegression(), "alpha": 0.01}
    records, _ = compared(task_of(exclusive_or(), candidates=("boundary", "fsmb"), **given))
    assert records[1].score > 0.8 > records[0].score


def test_unseen_categories_are_zeros_and_nothing_else_is_looked_at():
    table = Dataset.from_columns({"hat": ["red", "blue", "green"], "size": [1.5, 2.5, 3.5]})
    coding = StandardCoding.learned(table, table.names)
    new = Dataset.from_columns({"hat": ["pink", "red"]})
    assert coding.matrix(new, Features(("hat",))).tolist() == [[0, 0, 0], [0, 0, 1]]
    assert coding.matrix(table, Features(("size",))).std() == pytest.approx(1.0)


def test_sets_of_causes_have_the_probabilities_of_their_columns():
    sets = cause_sets({"a": 0.6, "b": 0.3, "c": 0.97, "d": 0.02}, most=10)
    assert {names: round(weight, 3) for weight, names in sets} == {
        ("a", "c"): 0.42,
        ("c",): 0.28,
        ("a", "b", "c"): 0.18,
        ("b", "c"): 0.12,
    }
    assert sum(weight for weight, _ in cause_sets(dict.fromkeys("abcdefgh", 0.5))) == pytest.approx(
        1
    )


def test_models_are_the_same_for_any_order_of_columns():
    frame = pd.DataFrame(exclusive_or())
    first, second = (
        Predictor.fitted(Dataset.of(table), "y", options(candidates=("boundary", "all")))
        for table in (frame, frame[frame.columns[::-1]])
    )
    rows = Dataset.of(frame)
    found = (p.probabilities(rows, p.plan("unknown")) for p in (first, second))
    assert np.array_equal(*found)
