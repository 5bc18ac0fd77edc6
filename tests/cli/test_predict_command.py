"""``eiderdown predict`` writes what the library predicts, all of it or nothing."""

import json

import numpy as np
import pandas as pd
import pytest
from command_line import run
from sklearn.naive_bayes import GaussianNB

from eiderdown import Predictions, load_result, predict
from eiderdown.errors import InputError, MissingValuesError, UnknownColumnError

QUICK = ("--candidates", "boundary", "--resamples", "5", "--cv", "2", "--quiet")


def rows(n_rows, seed, shift=0.0):
    rng = np.random.default_rng(seed)
    cause, other, spouse = rng.normal(size=(3, n_rows))
    target = cause + other + rng.normal(size=n_rows)
    effect = shift + target + spouse + rng.normal(size=n_rows)
    return pd.DataFrame(
        {"cause": cause, "other": other, "spouse": spouse, "effect": effect, "y": target}
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    rows(300, 0).to_csv(folder / "train.csv", index=False)
    rows(40, 1)[["spouse", "other", "effect", "cause"]].to_csv(folder / "new.csv", index=False)
    return folder / "train.csv", folder / "new.csv"


def test_predictions_are_written_and_said(files, tmp_path):
    path, saved = tmp_path / "out.csv", tmp_path / "all.json"
    said = run(
        *("predict", *files, "--target", "y", "--manipulated", "effect,spouse"),
        *("--predictions", path, "--out", saved, *QUICK),
    )
    assert said.exit_code == 0
    assert said.stdout.startswith("'y' with effect, spouse set from outside: predicted from cause")
    assert "effect: left out" in said.stdout
    direct = predict(
        *files,
        "y",
        manipulated=["spouse", "effect"],
        candidates=["boundary"],
        resamples=5,
        cv=2,
        progress=False,
    )
    written = pd.read_csv(path)
    assert list(written.columns) == ["y"]
    assert np.allclose(written["y"], direct.values)
    loaded = load_result(saved)
    assert isinstance(loaded, Predictions)
    assert loaded.values == direct.values
    assert loaded.used == direct.used
    assert loaded.orientation.effects == direct.orientation.effects
    assert [p.name for p in tmp_path.iterdir() if p.suffix == ".part"] == []


def test_nothing_is_left_of_a_file_that_cannot_be_written(files, tmp_path):
    folder = tmp_path / "taken"
    folder.mkdir()
    said = run("predict", *files, "--target", "y", "--predictions", folder, *QUICK)
    assert said.exit_code == 2
    assert "is a folder" in said.stderr
    assert list(tmp_path.iterdir()) == [folder]


def test_json_holds_classes_and_probabilities(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = rows(200, 0)
    table.assign(y=np.where(table["y"] > 0, "high", "low")).to_csv("train.csv", index=False)
    rows(10, 1).drop(columns="y").to_csv("new.csv", index=False)
    said = run("predict", "train.csv", "new.csv", "y", "--json", *QUICK)
    assert said.exit_code == 0
    record = json.loads(said.stdout)
    assert record["classes"] == ["high", "low"]
    assert len(record["values"]) == 10
    assert np.allclose(np.sum(record["probabilities"], axis=1), 1.0)
    written = pd.read_csv("predictions.csv")
    assert list(written.columns) == ["y", "probability of high", "probability of low"]
    assert written["y"].tolist() == record["values"]


def test_target_and_unknown_columns_are_refused(files):
    said = run("predict", *files, "--target", "y", "--manipulated", "effect,y", *QUICK)
    assert said.exit_code == 2
    assert "The target 'y' is among the manipulated columns" in said.stderr
    said = run("predict", *files, "--target", "y", "--manipulated", "efect", *QUICK)
    assert said.exit_code == 2
    assert "manipulated names 'efect', but the table has no such column" in said.stderr


# --- the verb ------------------------------------------------------------------------------------

FAST = {
    "estimator": GaussianNB(),
    "candidates": ("boundary",),
    "resamples": 5,
    "cv": 2,
    "progress": False,
}


def labelled(n_rows, seed):
    table = rows(n_rows, seed)
    return table.assign(y=np.where(table["y"] > 0, "high", "low"))


def test_scores_where_the_truth_is_there_and_looks_at_nothing_else():
    new = labelled(300, 1)
    found = predict(labelled(300, 0), new, "y", manipulated="effect,spouse", **FAST)
    assert found.score > 0.75
    assert len(found) == 300
    assert list(found.to_frame().columns) == ["y", "probability of high", "probability of low"]
    blind = predict(
        labelled(300, 0),
        new[["other", "cause"]],
        "y",
        manipulated=["effect", "spouse"],
        **FAST,
    )
    assert blind.score is None
    assert blind.values == found.values
    assert Predictions.from_json(found.to_json()) == found


def test_what_cannot_be_predicted_from_is_said_in_a_sentence():
    train, new = labelled(200, 0), labelled(20, 1)
    with pytest.raises(UnknownColumnError, match="no column 'cause'"):
        predict(train, new.drop(columns="cause"), "y", **FAST)
    with pytest.raises(MissingValuesError, match="A prediction takes no missing values"):
        predict(train, new.assign(cause=[None, *new["cause"][1:]]), "y", **FAST)
    with pytest.raises(MissingValuesError, match="Learning to predict takes no missing values"):
        predict(train.assign(cause=[None, *train["cause"][1:]]), new, "y", **FAST)
    with pytest.raises(InputError, match="All rows have the same class of 'y'"):
        predict(train.assign(y="low"), new, "y", **FAST)
