"""Scores are those of scikit-learn, and of the definition where it has none."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import r2_score, roc_auc_score

from eiderdown.errors import TooFewRowsError
from eiderdown.svm.scoring import area_under_curve, explained_variance, score

VALUES = st.lists(st.integers(-3, 3), min_size=2, max_size=30)


@given(VALUES, st.integers(0, 2**32 - 1))
@settings(max_examples=80, deadline=None)
def test_the_area_is_that_of_scikit_learn_with_ties_and_without(values, seed):
    positive = np.random.default_rng(seed).random(len(values)) < 0.4
    positive[:2] = True, False
    for numbers in (np.array(values, dtype=float), np.random.default_rng(seed).random(len(values))):
        ours = area_under_curve(positive, numbers)
        assert ours == pytest.approx(roc_auc_score(positive, numbers))


@given(st.integers(0, 2**32 - 1), st.integers(3, 20))
@settings(max_examples=30, deadline=None)
def test_the_explained_variance_is_that_of_scikit_learn(seed, n_rows):
    truth, said = np.random.default_rng(seed).normal(size=(2, n_rows))
    assert explained_variance(truth, said) == pytest.approx(r2_score(truth, said))
    assert score(truth, said[:, None], [None]) == pytest.approx(r2_score(truth, said))


def test_with_several_classes_it_is_the_mean_over_pairs_on_their_own_rows():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, size=40)
    pairs = [(second, first) for first, second in combinations(range(3), 2)]
    decisions = rng.normal(size=(40, 3))
    areas = []
    for column, (negative, positive) in enumerate(pairs):
        rows = np.isin(y, [negative, positive])
        areas.append(roc_auc_score(y[rows] == positive, decisions[rows, column]))
    assert score(y, decisions, pairs) == pytest.approx(np.mean(areas))


def test_rows_of_one_class_or_one_value_cannot_be_scored():
    with pytest.raises(TooFewRowsError, match="all of one class"):
        area_under_curve(np.array([True, True]), np.array([1.0, 2.0]))
    with pytest.raises(TooFewRowsError, match="one value"):
        explained_variance(np.ones(3), np.arange(3.0))
