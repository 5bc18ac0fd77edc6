"""The selector is scikit-learn's citizen, and says what find_interactions says."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from eiderdown import Dataset, EiderdownWarning, find_interactions
from eiderdown.errors import OptionError, TooFewRowsError, UnseenCategoryError
from eiderdown.estimators import FeatureSpaceSelector

LEVEL = {"alpha": 1e-4}


@pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")
@pytest.mark.filterwarnings("ignore:No features were selected")
@parametrize_with_checks([FeatureSpaceSelector(degree=2, C=1.0)])
def test_scikit_learn_finds_nothing_to_object_to(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")
@pytest.mark.filterwarnings("ignore:No features were selected")
@parametrize_with_checks(
    [
        FeatureSpaceSelector(),
        FeatureSpaceSelector(output="monomials", degree=3),
        FeatureSpaceSelector(target_kind="continuous", algorithm="iamb"),
    ],
)
def test_scikit_learn_finds_nothing_to_object_to_in_other_settings(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def frame():
    """The colour decides whether x1 counts for y or against it."""
    rng = np.random.default_rng(0)
    n = 600
    X = pd.DataFrame(rng.uniform(2, 5, size=(n, 3)), columns=["x1", "x2", "x3"])
    X["colour"] = np.array(["blue", "green", "red"])[rng.integers(0, 3, n)]
    X["flag"] = rng.integers(0, 2, n).astype(bool)
    signs = np.where(X["colour"] == "red", 1, -1)
    return X, pd.Series(np.where(signs * (X["x1"] - 3.5) > 0, "yes", "no"), name="bought")


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 5))
    return X, X[:, 1] * X[:, 4] > 0


def test_selector_equals_find_interactions(frame):
    X, y = frame
    selector = FeatureSpaceSelector(**LEVEL).fit(X, y)
    data = Dataset.of(X).with_columns({"bought": y})
    direct = find_interactions(data, target="bought", degree=2, C=1.0, folds=0, **LEVEL)
    assert selector.monomials_ == direct.monomials
    assert selector.variables_ == direct.variables
    assert selector.result_.target == "bought"
    assert selector.get_feature_names_out().tolist() == ["x1", "colour"]
    assert selector.support_.tolist() == [True, False, False, True, False]
    pd.testing.assert_frame_equal(
        selector.set_output(transform="pandas").transform(X), X[["x1", "colour"]]
    )


def test_features_of_new_rows_are_scaled_as_in_training(frame):
    X, y = frame
    selector = FeatureSpaceSelector(output="monomials", **LEVEL).fit(X, y)
    (name,) = (name for name in selector.get_feature_names_out() if "red" in name)
    assert name == "colour=red * x1"
    new = X.iloc[[5, 6]]
    made = selector.set_output(transform="pandas").transform(new)
    low, high = X["x1"].min(), X["x1"].max()
    scaled = 2 * (new["x1"] - low) / (high - low) - 1
    np.testing.assert_allclose(made[name], scaled * np.where(new["colour"] == "red", 1, -1))
    assert list(made.columns) == list(selector.get_feature_names_out())
    assert made.index.tolist() == [5, 6]


def test_single_rows_and_polars_frames_can_be_transformed(frame):
    X, y = frame
    selector = FeatureSpaceSelector(output="monomials", **LEVEL).fit(X, y)
    whole = selector.transform(X)
    np.testing.assert_allclose(selector.transform(X.iloc[[7]]), whole[[7]])
    table = pl.from_pandas(X)
    again = FeatureSpaceSelector(output="monomials", **LEVEL).fit(table, pl.Series(y.tolist()))
    np.testing.assert_allclose(again.transform(table), whole)


def test_new_levels_are_told(frame):
    X, y = frame
    selector = FeatureSpaceSelector(output="monomials", **LEVEL).fit(X, y)
    with pytest.raises(UnseenCategoryError, match=r"'colour' holds categories .* 'pink'"):
        selector.transform(X.iloc[:3].assign(colour="pink"))


def test_a_column_that_has_more_values_in_new_rows_is_still_a_number():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, size=(400, 4))
    y = X[:, 0] * X[:, 1] > 1
    selector = FeatureSpaceSelector(output="monomials", **LEVEL).fit(X, y)
    other = np.arange(200).reshape(50, 4)
    assert selector.transform(other).shape == (50, len(selector.monomials_))


def test_sparse_features_are_products_of_sparse_columns():
    rng = np.random.default_rng(0)
    X = (rng.random((500, 30)) < 0.3).astype(int)
    y = X[:, 3] & X[:, 4]
    selector = FeatureSpaceSelector(output="monomials", alpha=1e-8)
    made = selector.fit(sparse.csr_array(X), y).transform(sparse.csr_array(X))
    assert sparse.issparse(made)
    place = selector.get_feature_names_out().tolist().index("x3 * x4")
    np.testing.assert_array_equal(made.toarray()[:, place], y)
    dense = FeatureSpaceSelector(alpha=1e-8).fit(sparse.csc_array(X), y)
    assert {"x3", "x4"} <= set(dense.get_feature_names_out())


def test_an_interaction_is_learned_inside_a_pipeline(numbers):
    made = make_pipeline(FeatureSpaceSelector(output="monomials", **LEVEL), LogisticRegression())
    assert cross_val_score(made, *numbers, cv=3).min() > 0.8
    plain = cross_val_score(LogisticRegression(), *numbers, cv=3).mean()
    assert plain < 0.7


@pytest.mark.filterwarnings("ignore:No features were selected")
@pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
def test_a_grid_can_set_the_degree(numbers):
    model = make_pipeline(FeatureSpaceSelector(output="monomials", **LEVEL), LogisticRegression())
    grid = GridSearchCV(model, {"featurespaceselector__degree": [1, 2]}, cv=2, error_score=0.0)
    assert grid.fit(*numbers).best_params_ == {"featurespaceselector__degree": 2}


def test_degree_and_cost_can_be_chosen(numbers):
    X, y = numbers
    selector = FeatureSpaceSelector(degree=2, C=None, **LEVEL).fit(X[:150], y[:150])
    assert selector.variables_ == ("x1", "x4")
    assert len(selector.result_.svm.tried) == 12
    assert selector.result_.svm.nested_score is None


def test_a_target_of_numbers_is_regressed(numbers):
    X, _ = numbers
    number = 5 * X[:, 0] * X[:, 2] + np.random.default_rng(0).normal(size=300)
    selector = FeatureSpaceSelector(**LEVEL).fit(X, number)
    assert selector.get_support(indices=True).tolist() == [0, 2]
    with_zeros = selector.inverse_transform(selector.transform(X))
    np.testing.assert_array_equal(with_zeros, X * np.array([1, 0, 1, 0, 0]))


def test_products_cannot_be_undone(numbers):
    selector = FeatureSpaceSelector(output="monomials", **LEVEL).fit(*numbers)
    with pytest.raises(OptionError, match="output='variables'"):
        selector.inverse_transform(selector.transform(numbers[0]))


def test_unknown_output_and_unfitted_use_are_refused(numbers):
    with pytest.raises(
        OptionError, match="output must be one of 'variables', 'monomials', not 'both'"
    ):
        FeatureSpaceSelector(output="both").fit(*numbers)
    with pytest.raises(NotFittedError):
        FeatureSpaceSelector(output="monomials").transform(numbers[0])
    with pytest.raises(NotFittedError):
        FeatureSpaceSelector(output="monomials").get_feature_names_out()


def test_too_few_rows_are_told_with_the_size():
    with pytest.raises(TooFewRowsError, match=r"single row.*\(n_samples=4, n_features=2\)\.$"):
        FeatureSpaceSelector().fit(np.arange(8.0).reshape(4, 2), [0, 1, 1, 1])


def test_required_features_are_kept(numbers):
    selector = FeatureSpaceSelector(required=["x0"], **LEVEL).fit(*numbers)
    assert set(selector.variables_) == {"x0", "x1", "x4"}


def test_clone_and_pickle_keep_what_they_should(numbers):
    X, y = numbers
    selector = FeatureSpaceSelector(output="monomials", degree=2, C=0.5, **LEVEL).fit(X, y)
    twin = clone(selector)
    assert twin.get_params() == selector.get_params()
    assert not hasattr(twin, "result_")
    back = pickle.loads(pickle.dumps(selector))
    assert back.result_ == selector.result_
    np.testing.assert_array_equal(back.transform(X), selector.transform(X))


def test_a_constant_feature_is_left_out_with_a_warning(numbers):
    X, y = numbers
    with pytest.warns(EiderdownWarning, match="single value: 'x5'"):
        selector = FeatureSpaceSelector(output="monomials", **LEVEL).fit(np.c_[X, np.ones(300)], y)
    assert selector.transform(np.c_[X, np.zeros(300)]).shape == (300, 1)
