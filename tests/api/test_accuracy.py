"""Accuracy of naive Bayes and of linear regression, against slow and obvious twins."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.metrics import accuracy_score, balanced_accuracy_score, r2_score
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB

from eiderdown import Dataset
from eiderdown.api.accuracy import N_REPEATS, by_cross_validation, on_test_data
from eiderdown.errors import UnseenCategoryError


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 3, 300)
    return {
        "kind": np.array(["a", "b", "c"])[kind],
        "colour": np.array(["red", "blue"])[(kind + rng.integers(0, 2, 300)) % 2],
        "grade": (kind + rng.integers(0, 3, 300)) % 4,
        "size": kind + rng.normal(size=300),
        "mass": rng.normal(size=300),
    }


def naive_bayes_by_hand(table, members, target, train, test):
    """Laplace's correction: one more row for each level in each class."""
    said = []
    for row in test:
        scores = {}
        for label in np.unique(table[target][train]):
            mine = train[table[target][train] == label]
            score = np.log(len(mine) / len(train))
            for name in members:
                hits = np.sum(table[name][mine] == table[name][row])
                score += np.log((hits + 1) / (len(mine) + len(np.unique(table[name]))))
            scores[label] = score
        said.append(max(scores, key=scores.get))
    return np.array(said)


def test_discrete_accuracy_is_that_of_naive_bayes_by_hand(table):
    members, folds = ["colour", "grade"], KFold(3)
    found = by_cross_validation(Dataset.of(table), "kind", folds, 0).accuracy(members)
    truth, said = [], []
    for train, test in folds.split(np.zeros(300)):
        truth += list(table["kind"][test])
        said += list(naive_bayes_by_hand(table, members, "kind", train, test))
    assert found.score == pytest.approx(accuracy_score(truth, said))
    assert found.balanced == pytest.approx(balanced_accuracy_score(truth, said))


def test_continuous_members_are_gaussian(table):
    train, test = {k: v[:200] for k, v in table.items()}, {k: v[200:] for k, v in table.items()}
    prediction = on_test_data(Dataset.of(train), "kind", test, ["size", "mass"])
    X = np.column_stack([table["mass"], table["size"]])
    said = GaussianNB().fit(X[:200], table["kind"][:200]).predict(X[200:])
    found = prediction.accuracy(["size", "mass"])
    assert found.score == pytest.approx(accuracy_score(table["kind"][200:], said))


def test_both_kinds_together_beat_either(table):
    prediction = by_cross_validation(Dataset.of(table), "kind", 5, 0)
    both = prediction.accuracy(["grade", "size"]).balanced
    assert both > prediction.accuracy(["size"]).balanced
    assert both > prediction.accuracy(["grade"]).balanced


def test_no_members_predict_the_most_frequent_class():
    data = Dataset.of({"t": np.repeat(["x", "y"], [30, 10]), "a": np.arange(40) % 2})
    found = by_cross_validation(data, "t", 5, 0).accuracy([])
    assert found.score == pytest.approx(0.75)
    assert found.balanced == pytest.approx(0.5)


def test_r2_on_test_data_is_that_of_linear_regression(table):
    train, test = {k: v[:200] for k, v in table.items()}, {k: v[200:] for k, v in table.items()}
    prediction = on_test_data(Dataset.of(train), "size", test, ["mass", "grade"])
    X = np.column_stack([table["mass"], table["grade"]])
    said = LinearRegression().fit(X[:200], table["size"][:200]).predict(X[200:])
    found, theirs = prediction.accuracy(["mass", "grade"]), r2_score(table["size"][200:], said)
    # The spread is around the mean of the training rows, which is all that is known beforehand.
    assert found.score == pytest.approx(theirs, abs=0.02)
    assert found.balanced is None


def test_folds_are_stratified_repeated_and_fixed_by_the_seed(table):
    data = Dataset.of(table)
    splits = by_cross_validation(data, "kind", 5, 3).splits
    assert len(splits) == 5 * N_REPEATS
    overall = np.bincount(data.codes(0)) / 300
    for _, test in splits:
        np.testing.assert_allclose(np.bincount(data.codes(0)[test]) / len(test), overall, atol=0.02)
    again = by_cross_validation(data, "kind", 5, 3).splits
    assert all(np.array_equal(a[1], b[1]) for a, b in zip(splits, again, strict=True))


def test_class_rarer_than_folds_is_counted_without_a_word(recwarn):
    data = Dataset.of({"t": ["x"] * 40 + ["y"] * 20 + ["z"], "a": [0] * 40 + [1] * 21})
    found = by_cross_validation(data, "t", 5, 0).accuracy(["a"])
    assert not list(recwarn)
    assert found.balanced == pytest.approx(2 / 3)
    assert found.score == pytest.approx(60 / 61)


def test_levels_of_a_feature_that_only_the_test_data_show_do_no_harm():
    data = Dataset.of({"t": ["x", "y"] * 20, "a": ["p", "q"] * 20})
    test = {"t": ["x", "y", "x"], "a": ["p", "q", "new"]}
    assert on_test_data(data, "t", test, ["a"]).accuracy(["a"]).score >= 2 / 3


def test_class_that_only_the_test_data_show_is_refused_by_name():
    data = Dataset.of({"t": ["x", "y"] * 20, "a": ["p", "q"] * 20})
    with pytest.raises(UnseenCategoryError, match=r"target 't' .*'w'; leave those rows out"):
        on_test_data(data, "t", {"t": ["x", "w"], "a": ["p", "q"]}, ["a"])


def test_test_data_are_read_with_the_kinds_of_the_table():
    rng = np.random.default_rng(0)
    data = Dataset.from_columns({"t": rng.normal(size=50), "a": np.arange(50)})
    prediction = on_test_data(data, "t", {"t": rng.normal(size=5), "a": np.arange(5)}, ["a"])
    assert np.isfinite(prediction.accuracy(["a"]).score)
