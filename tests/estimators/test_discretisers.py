"""The discretisers behave as scikit-learn transformers and keep names and cuts."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from eiderdown.data import Dataset, discretise
from eiderdown.errors import EiderdownWarning, OptionError
from eiderdown.estimators.discretisers import (
    EqualFrequencyDiscretiser,
    EqualWidthDiscretiser,
    HarteminkDiscretiser,
    MDLDiscretiser,
)

EVERY = [
    EqualWidthDiscretiser(),
    EqualFrequencyDiscretiser(),
    MDLDiscretiser(),
    HarteminkDiscretiser(n_initial_bins=10),
]


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True, as_frame=True)


@pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")
@parametrize_with_checks(EVERY)
def test_scikit_learn_conformance(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", EVERY, ids=lambda e: type(e).__name__)
def test_codes_are_those_of_the_dataset_cut_at_the_same_points(estimator, iris):
    X, y = iris
    codes = estimator.fit(X, y).transform(X)
    data = discretise(Dataset.of(X), estimator.cuts_)
    assert codes.dtype.kind == "i"
    assert np.array_equal(codes.T, np.stack([data.codes(i) for i in range(4)]))


@pytest.mark.parametrize("estimator", EVERY, ids=lambda e: type(e).__name__)
def test_column_names_are_kept(estimator, iris):
    X, y = iris
    fitted = estimator.fit(X, y)
    assert list(fitted.cuts_) == list(X.columns)
    assert list(fitted.get_feature_names_out()) == list(X.columns)
    assert list(fitted.set_output(transform="pandas").transform(X).columns) == list(X.columns)
    estimator.set_output(transform="default")


def test_values_beyond_training_fall_into_the_outermost_intervals():
    fitted = EqualWidthDiscretiser(n_bins=3).fit([[0.0], [3.0]])
    assert fitted.transform([[-99.0], [1.5], [99.0]]).ravel().tolist() == [0, 1, 2]


def test_mdl_warns_once_of_all_columns_without_a_cut():
    generator = np.random.default_rng(0)
    y = np.repeat([0, 1], 50)
    frame = pd.DataFrame(generator.normal(size=(100, 3)), columns=["noise", "signal", "more"])
    frame["signal"] += 5 * y
    with pytest.warns(EiderdownWarning, match="'noise', 'more', which becomes constant") as caught:
        fitted = MDLDiscretiser().fit(frame, y)
    assert len(caught) == 1
    assert (fitted.transform(frame)[:, 0] == 0).all()
    assert len(fitted.cuts_["signal"]) == 1


def test_no_warning_when_every_column_has_a_cut(iris):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        EqualFrequencyDiscretiser().fit(iris[0])


def test_mdl_refuses_to_learn_without_classes(iris):
    with pytest.raises(ValueError, match="requires y"):
        MDLDiscretiser().fit(iris[0])
    with pytest.raises(ValueError, match="Unknown label type"):
        MDLDiscretiser().fit(iris[0], np.linspace(0, 1, 150))


def test_bad_options_are_refused_when_fitting(iris):
    with pytest.raises(OptionError, match="n_bins must be at least 2"):
        EqualWidthDiscretiser(n_bins=1).fit(iris[0])
    with pytest.raises(OptionError, match="n_initial_bins"):
        HarteminkDiscretiser(n_bins=5, n_initial_bins=4).fit(iris[0])


def test_a_pipeline_classifies_iris_from_intervals_alone(iris):
    model = make_pipeline(MDLDiscretiser(), DecisionTreeClassifier(random_state=0))
    assert model.fit(*iris).score(*iris) > 0.93
