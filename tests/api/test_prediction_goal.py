"""With the goal of prediction the smallest set is chosen that predicts as well as any."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from eiderdown import MarkovBoundary, find_boundary, networks
from eiderdown.api import prediction_goal
from eiderdown.api.column_models import MOST_CATEGORIES, ColumnNumbers
from eiderdown.api.nested_columns import NestedColumns
from eiderdown.api.paired_choice import best_models, chosen_set, interval
from eiderdown.api.set_plan import SetPlan
from eiderdown.boundary import BOUNDARY_ALGORITHMS
from eiderdown.data import Dataset
from eiderdown.errors import EiderdownWarning, OptionError
from eiderdown.progress import Cancelled
from eiderdown.results import JudgedColumns, load_result


def copies(n_rows: int = 120, seed: int = 0) -> pd.DataFrame:
    """Return two causes, three noisy copies of each, noise, and a target of the causes."""
    rng = np.random.default_rng(seed)
    causes = rng.normal(size=(n_rows, 2))
    table = {
        f"{'ab'[i]}{k}": causes[:, i] + 0.3 * rng.normal(size=n_rows)
        for i in range(2)
        for k in range(3)
    }
    table |= {f"noise{k}": rng.normal(size=n_rows) for k in range(6)}
    frame = pd.DataFrame(table)
    frame["y"] = np.where(causes.sum(axis=1) + 0.3 * rng.normal(size=n_rows) > 0, "yes", "no")
    return frame


@pytest.fixture(scope="module")
def predicted():
    return find_boundary(copies(), target="y", goal="prediction", progress=False)


def test_layers_are_disjoint_and_the_boundary_is_the_first(predicted):
    found = predicted.prediction
    names = [name for layer in found.layers for name in layer]
    assert len(set(names)) == len(names)
    assert set(found.layers[0]) == set(predicted.members)
    assert len(found.layers) > 1


def test_sets_grow_and_end_with_all_columns(predicted):
    found = predicted.prediction
    sizes = [judged.n_columns for judged in found.sets]
    assert sizes == sorted(sizes)
    assert sizes[-1] == found.all_columns.n_columns == 12
    assert "boundary" in [judged.name for judged in found.sets]
    assert found.boundary.n_columns == len(predicted.members)


def test_copies_in_deeper_layers_help_and_are_chosen(predicted):
    found = predicted.prediction
    assert found.measure == "AUC"
    assert predicted.predictors == found.columns
    assert {name[0] for name in found.columns} >= {"a", "b"}
    assert found.chosen.score > 0.85
    assert found.chosen.low < found.chosen.score < found.chosen.high


def test_copies_stand_for_members(predicted):
    found = {item.column: item.stands_for for item in predicted.prediction.substitutes}
    assert found
    assert all(column[0] == member[0] for column, member in found.items())
    assert not set(found) & set(predicted.members)


def test_the_order_of_columns_decides_nothing(predicted):
    frame = copies()
    turned = find_boundary(
        frame[list(frame.columns[::-1])], target="y", goal="prediction", progress=False
    )
    assert set(turned.predictors) == set(predicted.predictors)
    assert turned.prediction.chosen.score == pytest.approx(predicted.prediction.chosen.score)


def test_the_result_survives_json_and_files_without_it_load(predicted, tmp_path):
    predicted.save(tmp_path / "found.json")
    assert load_result(tmp_path / "found.json") == predicted
    plain = find_boundary(copies(), target="y", progress=False)
    assert plain.prediction is None
    assert plain.predictors == plain.members
    assert "prediction" not in plain.to_dict()
    assert MarkovBoundary.from_json(plain.to_json()) == plain
    assert predicted.run.options["goal"] == "prediction"


# --- the rule ------------------------------------------------------------------------------------


def test_the_rule_is_of_paired_differences():
    hard_and_easy = np.array([0.6, 0.7, 0.8, 0.9, 0.95])
    always_less = hard_and_easy - 0.02
    scores = np.array([always_less, hard_and_easy])
    plain_error = hard_and_easy.std(ddof=1) / np.sqrt(5)
    assert plain_error > 0.02, "by the plain standard error the smaller set would do"
    assert chosen_set(scores) == 1


def test_what_is_within_the_error_or_not_worth_saying_is_as_good():
    best = np.array([0.8, 0.8, 0.8, 0.8])
    assert chosen_set(np.array([best - [0.1, -0.09, 0.1, -0.09], best])) == 0
    assert chosen_set(np.array([best - 0.004, best])) == 0
    assert chosen_set(np.array([best - 0.006, best])) == 1


def test_the_model_of_a_fold_is_chosen_by_the_others():
    cube = np.array([[[1.0, 0.0, 0.0], [0.2, 0.9, 0.9]]])  # 1 set, 2 models, 3 folds
    assert best_models(cube).tolist() == [[0.2, 0.9, 0.9]]


def test_intervals_are_wider_than_those_of_independent_folds():
    scores = np.array([0.7, 0.8, 0.9, 0.8, 0.8])
    low, high = interval(scores)
    naive = 2.776 * scores.std(ddof=1) / np.sqrt(5)
    assert high - low > 2 * naive
    assert (low + high) / 2 == pytest.approx(0.8)


def test_a_plan_has_nested_sets():
    nested = NestedColumns((tuple("abc"), tuple("de")), tuple("fghijklmnopq"))
    plan = SetPlan.of(nested, 100, choosing=True)
    sets = [columns_of(nested) for _, columns_of in plan.sets]
    assert all(set(small) <= set(large) for small, large in pairwise(sets))
    assert plan.sets[plan.boundary_at][0] == "boundary"
    assert len(sets[-1]) == 17
    assert [name for name, _ in SetPlan.of(nested, 100, choosing=False).sets] == [
        "boundary",
        "all columns",
    ]


# --- honesty -------------------------------------------------------------------------------------


def test_noise_does_not_look_predictive():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(60, 1_000))).add_prefix("x")
    frame["y"] = np.repeat(["a", "b"], 30)
    with pytest.warns(EiderdownWarning, match="no better than none"):
        found = find_boundary(frame, target="y", goal="prediction", max_given=3, progress=False)
    assert found.members, "the search itself is fooled by 1,000 columns"
    for judged in (found.prediction.boundary, found.prediction.chosen):
        assert judged.low <= 0.5 <= judged.high


def test_nothing_found_and_nothing_to_find_is_said():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(100, 5))).add_prefix("x")
    frame["y"] = rng.normal(size=100)
    with pytest.warns(EiderdownWarning, match="no column is chosen"):
        found = find_boundary(frame, target="y", goal="prediction", alpha=1e-6, progress=False)
    assert found.predictors == found.members == ()
    assert found.prediction.sentence("y") == "No column was found to predict 'y' from."


def test_nothing_found_falls_back_to_the_strongest_columns():
    frame = copies(150)
    with pytest.warns(EiderdownWarning, match=r"come nearest are chosen, which predict it better"):
        found = find_boundary(frame, target="y", goal="prediction", alpha=1e-80, progress=False)
    assert found.members == ()
    assert found.predictors
    assert found.predictors[0][0] in "ab"
    assert found.prediction.chosen.low > 0.5


@pytest.mark.filterwarnings("ignore:With 30 rows")
def test_too_few_rows_are_said():
    x = np.random.default_rng(4).normal(size=30)
    frame = pd.DataFrame({"x": x, "y": ["rare", *["common"] * 29]})
    with pytest.warns(EiderdownWarning, match="was not measured"):
        found = find_boundary(frame, target="y", goal="prediction", progress=False)
    assert found.prediction is None


# --- kinds, missing values, options --------------------------------------------------------------


def test_numbers_are_judged_by_r2():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.normal(size=(200, 6))).add_prefix("x")
    frame["y"] = 2 * frame["x1"] - frame["x4"] + rng.normal(size=200)
    found = find_boundary(frame, target="y", goal="prediction", progress=False)
    assert found.prediction.measure == "R2"
    assert set(found.predictors) == {"x1", "x4"}
    assert found.prediction.chosen.score == pytest.approx(5 / 6, abs=0.08)


def test_more_classes_are_judged_by_accuracy_and_missing_values_are_taken():
    rng = np.random.default_rng(3)
    codes = rng.integers(3, size=240)
    frame = pd.DataFrame({"x": codes + 0.3 * rng.normal(size=240), "z": rng.normal(size=240)})
    frame["hat"] = np.where(codes == 2, "red", rng.choice(["blue", "green"], size=240))
    frame["y"] = np.array(["low", "mid", "high"])[codes]
    frame.loc[::5, "x"] = np.nan
    frame.loc[::7, "hat"] = None
    with pytest.warns(EiderdownWarning, match="Values are missing"):
        found = find_boundary(frame, target="y", goal="prediction", progress=False)
    assert found.prediction.measure == "accuracy"
    assert found.prediction.chosen.score > 0.8
    assert "x" in found.predictors


def test_missing_values_and_rare_categories_become_numbers():
    many = [f"c{i % 40}" for i in range(90)]
    columns = {"x": [1.5, np.nan, *range(2, 90)], "t": many, "b": ["u", "v"] * 45}
    data, rows = Dataset.from_columns(columns), np.arange(90)
    train, test = ColumnNumbers(data).matrix(["x", "t", "b"], rows[:80], rows[80:])
    assert np.isfinite(train).all()
    assert np.isfinite(test).all()
    assert np.allclose(train.mean(axis=0), 0.0)
    assert train.shape == (80, 2 + MOST_CATEGORIES + 1), "x and where it is missing; t; b"


def test_a_check_compares_boundary_and_all_columns():
    data = networks.load("asia").sample(600, random_state=0)
    found = find_boundary(data, target="dysp", check_prediction=True, progress=False)
    assert [judged.name for judged in found.prediction.sets] == ["boundary", "all columns"]
    assert found.predictors == found.members
    assert "members predict 'dysp'" in found.prediction.sentence("dysp")
    assert "all 7 columns (AUC" in found.prediction.sentence("dysp")
    plain = find_boundary(data, target="dysp", progress=False)
    assert (plain.members, plain.evidence) == (found.members, found.evidence)


@pytest.mark.parametrize(
    ("score", "error", "how"),
    [(0.9, 0.0, "as well as"), (0.85, 0.0, "less well than"), (0.85, 0.06, "as well as")],
)
def test_a_sentence_says_how_the_columns_compare_with_all(predicted, score, error, how):
    full = JudgedColumns("all columns", 30, 0.9, 0.8, 1.0)
    some = JudgedColumns("boundary", 4, score, 0.7, 1.0, behind_error=error)
    found = replace(predicted.prediction, chosen=some, all_columns=full, is_choice=False)
    said = f"The 4 members predict 'y' {how} all 30 columns (AUC {score:.3f} against 0.900)."
    assert found.sentence("y") == said


def test_a_check_of_a_large_table_is_left_out_with_a_word(monkeypatch):
    monkeypatch.setattr(prediction_goal, "LARGE", 100)
    data = networks.load("asia").sample(600, random_state=0)
    with pytest.warns(EiderdownWarning, match="was not checked"):
        found = find_boundary(data, target="dysp", check_prediction=True, progress=False)
    assert found.prediction is None


def test_searches_of_several_are_quick_ones_in_folds():
    assert prediction_goal._search_in_folds("consensus").name == "iamb"
    assert prediction_goal._search_in_folds("auto").name == "iamb"
    assert prediction_goal._search_in_folds("pcmb").name == "pcmb"
    assert prediction_goal._search_in_folds(BOUNDARY_ALGORITHMS["fbed"]).name == "fbed"


def test_interrupted_it_keeps_the_boundary(monkeypatch):
    def interrupted(*_: object) -> None:
        raise Cancelled

    monkeypatch.setattr(prediction_goal, "stop_if_cancelled", interrupted)
    with pytest.warns(EiderdownWarning, match="no columns were chosen"):
        found = find_boundary(copies(), target="y", goal="prediction", progress=False)
    assert found.members
    assert not found.complete


def test_required_columns_are_in_every_set():
    found = find_boundary(
        copies(), target="y", goal="prediction", required=["noise1"], progress=False
    )
    assert "noise1" in found.members
    assert found.predictors[0] == found.prediction.layers[0][0] == "noise1"


def test_a_time_limit_holds():
    found = None
    with pytest.warns(EiderdownWarning):
        found = find_boundary(copies(), target="y", goal="prediction", time_limit=0, progress=False)
    assert not found.complete
    assert found.prediction is None


def test_weights_are_refused():
    frame = copies().assign(w=1.5)
    with pytest.raises(OptionError, match="goal='prediction' cannot take sample_weight"):
        find_boundary(frame, target="y", goal="prediction", sample_weight="w", progress=False)
