"""Folds part the rows, and every part has its share of every class."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import r2_score, roc_auc_score

from eiderdown.errors import EiderdownWarning, OptionError, TooFewRowsError
from eiderdown.svm.cross_validation import hold_out, make_folds, n_rarest, score, usable_folds
from examples import examples

COUNTS = st.lists(st.integers(5, 30), min_size=1, max_size=4)


def classes(counts, seed):
    y = np.repeat(np.arange(len(counts)), counts)
    return np.random.default_rng(seed).permutation(y)


@given(COUNTS, st.integers(2, 5), st.integers(0, 2**32 - 1), st.booleans())
@examples(24)
def test_folds_part_the_rows_and_differ_by_at_most_one_row_of_a_class(
    counts, folds, seed, regression
):
    y = classes(counts, seed)
    parts = [test for _, test in make_folds(y, folds, seed, regression=regression)]
    assert sorted(np.concatenate(parts)) == list(range(len(y)))
    if regression:
        assert max(map(len, parts)) - min(map(len, parts)) <= 1
    else:
        of_classes = np.array([np.bincount(y[part], minlength=len(counts)) for part in parts])
        assert (np.ptp(of_classes, axis=0) <= 1).all()
        assert of_classes.min() >= 1


@given(COUNTS, st.sampled_from([0.01, 0.2, 0.5, 0.99]), st.integers(0, 2**32 - 1))
@examples(24)
def test_a_held_out_part_has_the_share_of_each_class_and_never_all_or_none(counts, share, seed):
    y = classes(counts, seed)
    train, test = hold_out(y, share, seed)
    assert sorted(np.concatenate([train, test])) == list(range(len(y)))
    # Either side has a row for each class at least, whatever share was asked for.
    n_classes = len(counts)
    share_of_test = min(max(share * len(y), n_classes), len(y) - n_classes) / len(y)
    for code, count in enumerate(counts):
        n_held = np.count_nonzero(y[test] == code)
        assert 1 <= n_held <= count - 1
        assert abs(n_held - share_of_test * count) <= 2


def test_the_same_seed_gives_the_same_folds_and_another_does_not():
    y = classes([20, 20], 0)
    first, again, other = ([test for _, test in make_folds(y, 4, s)] for s in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_rare_class_makes_for_fewer_folds_with_a_warning():
    y = np.array([0] * 10 + [1] * 3)
    with pytest.warns(EiderdownWarning, match="Class 1 of the target has only 3 rows"):
        assert usable_folds(y, 5) == 3
    assert usable_folds(y, 3) == 3
    assert usable_folds(y, 5, regression=True) == 5
    assert (n_rarest(y), n_rarest(y, regression=True)) == (3, 13)


def test_a_class_of_one_row_and_senseless_options_are_refused():
    y = np.array([0, 0, 0, 7])
    with pytest.raises(TooFewRowsError, match="Class 7 of the target has 1 row"):
        usable_folds(y, 2)
    with pytest.raises(TooFewRowsError, match="Class 7 of the target has 1 row"):
        hold_out(y, 0.5, 0)
    for folds in (1, 2.5, True):
        with pytest.raises(OptionError, match="folds"):
            usable_folds(y, folds)
    for share in (0.0, 1.0):
        with pytest.raises(OptionError, match="test_share"):
            hold_out(np.repeat([0, 1], 5), share, 0)


VALUES = st.lists(st.integers(-3, 3), min_size=2, max_size=30)


@given(VALUES, st.integers(0, 2**32 - 1))
@examples(32)
def test_the_area_is_that_of_scikit_learn_with_ties_and_without(values, seed):
    positive = np.random.default_rng(seed).random(len(values)) < 0.4
    positive[:2] = True, False
    for numbers in (np.array(values, dtype=float), np.random.default_rng(seed).random(len(values))):
        ours = score(positive.astype(int), numbers[:, None], [(0, 1)])
        assert ours == pytest.approx(roc_auc_score(positive, numbers))


@given(st.integers(0, 2**32 - 1), st.integers(3, 20))
@examples(12)
def test_the_r2_is_that_of_scikit_learn(seed, n_rows):
    truth, said = np.random.default_rng(seed).normal(size=(2, n_rows))
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
        score(np.array([1, 1]), np.array([[1.0], [2.0]]), [(0, 1)])
    with pytest.raises(TooFewRowsError, match="one value"):
        score(np.ones(3), np.arange(3.0)[:, None], [None])
