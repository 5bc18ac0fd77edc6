"""The wrapper drops members that a classifier can do without, and only those."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest, f_classif, f_regression
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold, cross_val_score
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from eiderdown.errors import OptionError
from eiderdown.estimators import BoundaryWrapper, MarkovBoundarySelector


@pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")
@pytest.mark.filterwarnings("ignore:No features were selected")
@parametrize_with_checks([BoundaryWrapper(scoring="accuracy", cv=2)])
def test_scikit_learn_finds_nothing_to_object_to(estimator, check):
    check(estimator)


@pytest.fixture
def table():
    """Two features that decide the class, their noisy sum, and noise."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 2, size=(400, 4)), columns=["noise", "a", "b", "c"])
    X["copy"] = np.where(rng.random(400) < 0.9, X["a"], 1 - X["a"])
    y = ((X["a"] + X["b"]) >= 1).astype(int).rename("y")
    return X, y


EVERYTHING = SelectKBest(f_classif, k="all")


@pytest.mark.no_cover
def test_members_that_do_not_help_are_dropped(table):
    wrapper = BoundaryWrapper(EVERYTHING, LogisticRegression(), cv=2).fit(*table)
    assert set(wrapper.get_feature_names_out()) == {"a", "b"}
    assert {step.feature for step in wrapper.dropped_} == {"noise", "c", "copy"}


def test_what_is_left_scores_at_least_as_well_as_all_members(table):
    X, y = table
    wrapper = BoundaryWrapper(EVERYTHING, BernoulliNB(), cv=4).fit(X, y)
    left = cross_val_score(BernoulliNB(), wrapper.transform(X), y, cv=4, scoring="roc_auc").mean()
    assert left == wrapper.dropped_[-1].score
    assert left >= wrapper.boundary_score_
    everything = cross_val_score(BernoulliNB(), X, y, cv=4, scoring="roc_auc").mean()
    assert wrapper.boundary_score_ == everything


def test_a_useful_member_is_kept_until_the_tolerance_allows_its_loss(table):
    X, y = table[0][["a", "b"]], table[1]
    assert BoundaryWrapper(EVERYTHING, BernoulliNB()).fit(X, y).dropped_ == ()
    generous = BoundaryWrapper(EVERYTHING, BernoulliNB(), tolerance=0.5).fit(X, y)
    assert len(generous.dropped_) == 1


def test_losses_within_the_tolerance_do_not_add_up(table):
    X, y = table
    wrapper = BoundaryWrapper(EVERYTHING, BernoulliNB(), tolerance=0.02).fit(X, y)
    scores = [wrapper.boundary_score_, *(step.score for step in wrapper.dropped_)]
    assert scores[-1] >= max(scores) - 0.02


@pytest.mark.no_cover
def test_the_order_of_the_columns_does_not_matter(table):
    X, y = table
    ours = BoundaryWrapper(EVERYTHING, BernoulliNB(), cv=2).fit(X, y)
    theirs = BoundaryWrapper(EVERYTHING, BernoulliNB(), cv=2).fit(X[X.columns[::-1]], y)
    assert ours.dropped_ == theirs.dropped_


def test_by_default_hiton_finds_the_members_and_a_support_vector_machine_judges(table):
    wrapper = BoundaryWrapper().fit(*table)
    expected = MarkovBoundarySelector(algorithm="hiton_mb").fit(*table)
    assert wrapper.selector_.boundary_.members == expected.boundary_.members
    assert wrapper.selector_.boundary_.run.algorithm == "hiton_mb"
    assert set(wrapper.get_feature_names_out()) <= set(expected.boundary_.members)


def test_shuffled_folds_are_the_same_for_every_set_of_features(table):
    X, y = table
    shuffled = KFold(3, shuffle=True, random_state=np.random.RandomState(0))
    wrapper = BoundaryWrapper(EVERYTHING, BernoulliNB(), cv=shuffled).fit(X, y)
    again = BoundaryWrapper(
        EVERYTHING,
        BernoulliNB(),
        cv=list(KFold(3, shuffle=True, random_state=np.random.RandomState(0)).split(X, y)),
    ).fit(X, y)
    assert wrapper.dropped_ == again.dropped_


def test_wrapper_works_in_a_pipeline_and_can_be_cloned(table):
    X, y = table
    pipeline = make_pipeline(BoundaryWrapper(), BernoulliNB())
    assert clone(pipeline).fit(X, y).score(X, y) > 0.9


def test_numbers_can_be_the_target_with_another_score(table):
    X, _ = table
    number = np.random.default_rng(1).normal(0, 0.1, len(X)) + X["a"] + 0.5 * X["b"]
    everything = SelectKBest(f_regression, k="all")
    wrapper = BoundaryWrapper(everything, LinearRegression(), scoring="r2").fit(X, number)
    assert set(wrapper.get_feature_names_out()) == {"a", "b"}


@pytest.mark.filterwarnings("ignore:No features were selected")
def test_an_empty_boundary_stays_empty(table):
    X, y = table
    wrapper = BoundaryWrapper().fit(X[["noise", "c"]], y)
    assert wrapper.dropped_ == ()
    assert wrapper.boundary_score_ is None
    assert not wrapper.get_support().any()


def test_three_classes_have_no_roc_curve_and_the_message_says_what_to_do(table):
    X, y = table
    with pytest.raises(OptionError, match=r"two classes, but this one is multiclass; .*'accuracy'"):
        BoundaryWrapper(EVERYTHING).fit(X, np.arange(len(y)) % 3)


def test_a_negative_tolerance_is_refused(table):
    with pytest.raises(OptionError, match="tolerance must be at least 0, not -1"):
        BoundaryWrapper(EVERYTHING, tolerance=-1).fit(*table)


def test_an_unfitted_wrapper_says_so():
    with pytest.raises(NotFittedError):
        BoundaryWrapper().transform([[0, 1]])
