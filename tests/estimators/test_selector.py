"""The selector is scikit-learn's citizen, and says what find_boundary says."""

import pickle
import warnings
from functools import wraps

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from eiderdown import (
    Dataset,
    EiderdownWarning,
    find_boundary,
    find_parents_children,
    networks,
)
from eiderdown.boundary import BOUNDARY_ALGORITHMS, KIAMB, MMPC, PARENTS_CHILDREN_ALGORITHMS
from eiderdown.data.blocks import SparseBlock
from eiderdown.errors import (
    ColumnKindError,
    MissingValuesError,
    OptionError,
    TooFewRowsError,
    UnknownColumnError,
)
from eiderdown.estimators import MarkovBoundarySelector, ParentsChildrenSelector
from eiderdown.independence import AUTO
from eiderdown.progress import Cancelled
from examples import examples

TRUST_ALL = AUTO(detect="large")


@pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")
@pytest.mark.filterwarnings("ignore:No features were selected")
@parametrize_with_checks(
    [
        MarkovBoundarySelector(),
        MarkovBoundarySelector(algorithm=KIAMB(fraction=0.5), random_state=0),
        ParentsChildrenSelector(),
    ],
)
def test_scikit_learn_finds_nothing_to_object_to(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")
@pytest.mark.filterwarnings("ignore:No features were selected")
@parametrize_with_checks(
    [
        MarkovBoundarySelector(test=TRUST_ALL),
        MarkovBoundarySelector(target_kind="continuous"),
        MarkovBoundarySelector(algorithm="pcmb"),
        MarkovBoundarySelector(goal="prediction"),
        ParentsChildrenSelector(algorithm=MMPC(symmetry="none")),
    ],
)
def test_scikit_learn_finds_nothing_to_object_to_in_other_settings(estimator, check):
    check(estimator)


def test_with_the_goal_of_prediction_the_chosen_columns_are_kept(linear):
    X, y = linear
    selector = MarkovBoundarySelector(goal="prediction").fit(X, y)
    chosen = selector.boundary_.prediction.columns
    assert set(chosen) == set(selector.get_feature_names_out()) == {"x1", "x3"}
    assert MarkovBoundarySelector().goal == "boundary"


@pytest.fixture(scope="module")
def asia():
    return networks.load("asia").sample(4_000, random_state=0)


@pytest.fixture(scope="module")
def frame(asia):
    return asia.to_pandas()


@pytest.fixture
def linear():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 5))
    return X, X[:, 1] - 2 * X[:, 3] + rng.normal(size=400)


def test_number_of_features_is_checked_after_fitting(frame):
    binary = (frame == "yes").to_numpy().astype(int)
    selector = MarkovBoundarySelector().fit(binary[:, 1:], binary[:, 0])
    with pytest.raises(ValueError, match=r"X has 3 features, but .* is expecting 7 features"):
        selector.transform(binary[:, :3])


@pytest.mark.filterwarnings("ignore:.*could not be (tested|ruled out)")
@pytest.mark.parametrize("target", ["either", "dysp", "lung"])
def test_selector_equals_find_boundary_on_a_frame(asia, frame, target):
    selector = MarkovBoundarySelector(alpha=0.05).fit(frame.drop(columns=target), frame[target])
    direct = find_boundary(asia, target=target, alpha=0.05)
    assert selector.boundary_.members == direct.members
    assert selector.boundary_.evidence == direct.evidence
    assert selector.boundary_.target == target
    assert set(selector.get_feature_names_out()) == set(direct.members)


@examples(12)
@given(st.integers(0, 10_000), st.integers(1, 6), st.booleans())
def test_selector_equals_find_boundary_on_random_tables(seed, n_features, continuous):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, n_features))
    score = X @ rng.normal(size=n_features) + rng.normal(size=120)
    y = score if continuous else score > 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EiderdownWarning)
        selector = MarkovBoundarySelector().fit(X, y)
        table = Dataset.from_numpy(X).with_columns({"target": y})
        direct = find_boundary(table, target="target", progress=False)
    assert selector.boundary_.members == direct.members
    assert selector.get_feature_names_out().tolist() == [
        f"x{i}" for i in range(n_features) if f"x{i}" in direct.members
    ]


def test_regression_target_selects_the_causes(linear):
    selector = MarkovBoundarySelector().fit(*linear)
    assert selector.get_support(indices=True).tolist() == [1, 3]
    assert selector.boundary_.run.options["test"] == "FisherZTest"


def test_classes_written_as_floats_are_classes(linear):
    X, y = linear
    as_floats = MarkovBoundarySelector().fit(X, (y > 0).astype(float))
    as_text = MarkovBoundarySelector().fit(X, np.where(y > 0, "high", "low"))
    assert as_floats.boundary_.members == as_text.boundary_.members
    assert as_floats.boundary_.run.options["test"] == "WilksTest"
    assert as_floats.boundary_.run.options["why"].startswith("columns are numbers and categories")


def test_whole_numbers_with_many_values_are_numbers(linear):
    X, y = linear
    selector = MarkovBoundarySelector().fit(X, np.round(20 * y))
    assert selector.boundary_.run.options["test"] == "FisherZTest"


def test_target_kind_overrides_inference(linear):
    X, y = linear
    selector = MarkovBoundarySelector(target_kind="continuous").fit(X, (y > 0).astype(int))
    assert selector.boundary_.run.options["why"].startswith("all columns are numbers")
    with pytest.raises(OptionError, match=r"target_kind must be one of 'infer'.* not 'class'"):
        MarkovBoundarySelector(target_kind="class").fit(X, y)


def test_binary_sparse_matrix_stays_sparse_and_gives_the_dense_answer(frame, monkeypatch):
    X, y = (frame.drop(columns="dysp") == "yes").to_numpy(), frame["dysp"]
    seen = []

    @wraps(find_boundary)
    def spy(data, **options):
        seen.append(data)
        return find_boundary(data, **options)

    monkeypatch.setattr(MarkovBoundarySelector, "_verb", staticmethod(spy))
    dense = MarkovBoundarySelector().fit(X, y)
    for container in (sparse.csr_array, sparse.csc_matrix):
        thin = MarkovBoundarySelector().fit(container(X.astype(int)), y)
        assert any(isinstance(block, SparseBlock) for block in seen[-1].blocks)
        assert thin.boundary_.evidence == dense.boundary_.evidence
        assert sparse.issparse(thin.transform(container(X)))


def test_sparse_matrix_of_other_numbers_is_refused_by_name(frame):
    X = sparse.csr_array(np.diag([1.0, 2.0, 1.0, 1.0]))
    with pytest.raises(ColumnKindError, match="'x1' of the sparse matrix holds 2"):
        MarkovBoundarySelector().fit(X, [0, 1, 0, 1])


def test_sparse_features_cannot_be_continuous():
    with pytest.raises(ColumnKindError, match="'x0', 'x1'; leave discrete_features"):
        MarkovBoundarySelector(discrete_features=False).fit(sparse.eye_array(2), [0, 1])


def test_polars_frame_gives_the_pandas_answer(asia, frame):
    table = asia.to_polars()
    selector = MarkovBoundarySelector().fit(table.drop("dysp"), table["dysp"])
    pandas = MarkovBoundarySelector().fit(frame.drop(columns="dysp"), frame["dysp"])
    assert selector.boundary_.members == pandas.boundary_.members
    kept = selector.set_output(transform="polars").transform(table.drop("dysp"))
    assert isinstance(kept, pl.DataFrame)
    assert kept.columns == ["bronc", "either"]


def test_pandas_output_keeps_names_and_types(frame):
    X = frame.drop(columns="dysp")
    selector = MarkovBoundarySelector().set_output(transform="pandas")
    kept = selector.fit_transform(X, frame["dysp"])
    pd.testing.assert_frame_equal(kept, X[["bronc", "either"]])


def test_columns_named_by_numbers_are_called_x0_and_on(frame):
    X = frame.drop(columns="dysp").set_axis(range(7), axis=1)
    selector = MarkovBoundarySelector().fit(X, frame["dysp"])
    assert set(selector.boundary_.members) == {"x4", "x5"}


def test_target_never_takes_the_name_of_a_feature(frame):
    X = frame.drop(columns="dysp").rename(columns={"bronc": "target", "either": "target_"})
    selector = MarkovBoundarySelector().fit(X, frame["dysp"].to_numpy())
    assert selector.boundary_.target == "target__"
    assert set(selector.boundary_.members) == {"target", "target_"}
    same = MarkovBoundarySelector().fit(X, frame["dysp"].rename("xray"))
    assert same.boundary_.target == "xray_"


@pytest.mark.parametrize("chosen", [[0, 2], [True, False, True], ["a", "c"], np.array([2, 0])])
def test_discrete_features_may_be_indices_names_or_a_mask(chosen):
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.integers(0, 3, (200, 3)).astype(float), columns=["a", "b", "c"])
    with pytest.warns(EiderdownWarning, match="Cut into 3 categories .*: 'b'; discretise"):
        MarkovBoundarySelector(discrete_features=chosen, test="g_square").fit(X, X["a"] > 0)


@pytest.mark.parametrize(("all_discrete", "kinds"), [(True, "categories"), (False, "numbers")])
def test_discrete_features_may_be_all_or_none(all_discrete, kinds):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, (200, 3))
    kind = "discrete" if all_discrete else "continuous"
    selector = MarkovBoundarySelector(discrete_features=all_discrete, target_kind=kind)
    selector.fit(X, X[:, 0] + rng.integers(0, 2, 200))
    assert selector.boundary_.run.options["why"].startswith(f"all columns are {kinds}")
    assert selector.boundary_.members == ("x0",)
    assert selector.boundary_.warnings == ()


@pytest.mark.parametrize(
    ("chosen", "error", "sentence"),
    [
        ("some", OptionError, "not 'some'"),
        ([True], OptionError, r"mask of shape \(1,\), but there are 2 features"),
        ([2], UnknownColumnError, "the index 2, but X has 2 features"),
        ([-1], UnknownColumnError, "the index -1"),
        (["age"], UnknownColumnError, "names 'age', but X has no such feature"),
        ([0.5], OptionError, r"collection of bool or int or str or ndarray, not \[0\.5\]"),
    ],
)
def test_unusable_discrete_features_are_named(chosen, error, sentence):
    X = np.arange(20.0).reshape(10, 2)
    with pytest.raises(error, match=sentence):
        MarkovBoundarySelector(discrete_features=chosen).fit(X, X[:, 0])


def test_no_discrete_features_at_all_may_be_an_empty_list(linear):
    selector = MarkovBoundarySelector(discrete_features=[]).fit(*linear)
    assert selector.boundary_.members == ("x3", "x1")


def test_missing_values_are_refused_by_name_where_that_is_wanted(frame):
    X, y = frame.drop(columns="either").astype(object), frame["either"].astype(object)
    X.iloc[3, 1] = None
    with pytest.raises(MissingValuesError, match="'tub'"):
        MarkovBoundarySelector(missing="error").fit(X, y)


@pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")
def test_missing_values_are_taken_and_rows_without_target_left_out(frame):
    X, y = frame.drop(columns="either").astype(object), frame["either"].astype(object)
    X.iloc[3:40, 1] = None
    y.iloc[:10] = None
    selector = MarkovBoundarySelector().fit(X, y)
    assert selector.boundary_.run.n_rows == len(frame) - 10
    assert any("Left out 10 of" in said for said in selector.boundary_.warnings)
    used = {one.variable: one.n_used for one in selector.boundary_.evidence if not one.given}
    assert used.get("tub", len(frame) - 40) == len(frame) - 40


@pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")
@pytest.mark.parametrize("missing", ["testwise", "impute", "drop"])
def test_arrays_may_hold_nan(missing):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(300, 5))
    y = X[:, 1] + X[:, 3] + 0.5 * generator.normal(size=300)
    X[generator.random(X.shape) < 0.05] = np.nan
    y[::50] = np.nan
    selector = MarkovBoundarySelector(missing=missing).fit(X, y)
    assert selector.get_support(indices=True).tolist() == [1, 3]
    assert selector.transform(X).shape == (300, 2)
    with pytest.raises(ValueError, match="infinity"):
        MarkovBoundarySelector().fit(X, np.where(np.isnan(y), np.inf, y))


def test_frame_and_target_must_be_equally_long(frame):
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        MarkovBoundarySelector().fit(frame.drop(columns="either"), frame["either"].iloc[1:])


def test_too_few_rows_are_told_with_the_size():
    X = np.random.default_rng(0).integers(0, 4, (12, 2))
    search = MarkovBoundarySelector(test="g_square")
    with pytest.raises(TooFewRowsError, match=r"too few.*\(n_samples=12, n_features=2\)\.$"):
        search.fit(X, np.arange(12) % 4)


def test_unknown_algorithm_is_told_at_fit(linear):
    with pytest.raises(OptionError, match="did you mean 'iamb'"):
        MarkovBoundarySelector(algorithm="iambb").fit(*linear)


def test_support_before_fit_is_refused():
    with pytest.raises(NotFittedError):
        MarkovBoundarySelector().get_support()


def test_interrupted_fit_is_interrupted(linear, monkeypatch):
    def interrupt(*_):
        raise Cancelled

    monkeypatch.setattr("eiderdown.independence.FisherZTest._sweep", interrupt)
    selector = MarkovBoundarySelector()
    with (
        pytest.warns(EiderdownWarning, match="interrupted"),
        pytest.raises(KeyboardInterrupt),
    ):
        selector.fit(*linear)
    assert not hasattr(selector, "boundary_")


def test_pipeline_with_naive_bayes_predicts(frame):
    X, y = (frame.drop(columns="either") == "yes").astype(int), frame["either"]
    model = make_pipeline(MarkovBoundarySelector(), BernoulliNB())
    scores = cross_val_score(model, X, y, cv=3)
    assert scores.min() > 0.95


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
def test_grid_search_sets_alpha(linear):
    model = make_pipeline(MarkovBoundarySelector(), LinearRegression())
    grid = {"markovboundaryselector__alpha": [1e-100, 0.01]}
    with pytest.warns(UserWarning, match="No features were selected"):
        search = GridSearchCV(model, grid, cv=2, error_score=-1.0).fit(*linear)
    assert search.best_params_ == {"markovboundaryselector__alpha": 0.01}


def test_clone_and_pickle_keep_what_they_should(linear):
    selector = MarkovBoundarySelector(alpha=0.05, test=TRUST_ALL).fit(*linear)
    twin = clone(selector)
    assert twin.get_params() == selector.get_params()
    assert not hasattr(twin, "boundary_")
    back = pickle.loads(pickle.dumps(selector))
    assert back.boundary_ == selector.boundary_
    np.testing.assert_array_equal(back.transform(linear[0]), linear[0][:, [1, 3]])


@pytest.mark.parametrize("algorithm", BOUNDARY_ALGORITHMS.names)
def test_every_boundary_algorithm_selects_what_find_boundary_finds(asia, frame, algorithm):
    selector = MarkovBoundarySelector(algorithm=algorithm, random_state=3)
    selector.fit(frame.drop(columns="dysp"), frame["dysp"])
    direct = find_boundary(asia, target="dysp", algorithm=algorithm, random_state=3)
    assert selector.boundary_.members == direct.members
    assert set(selector.get_feature_names_out()) == set(direct.members)


@pytest.mark.parametrize("algorithm", PARENTS_CHILDREN_ALGORITHMS.names)
def test_every_neighbour_algorithm_selects_what_find_neighbours_finds(asia, frame, algorithm):
    selector = ParentsChildrenSelector(algorithm=algorithm)
    selector.fit(frame.drop(columns="either"), frame["either"])
    direct = find_parents_children(asia, target="either", algorithm=algorithm)
    assert selector.parents_children_.members == direct.members
    assert selector.parents_children_.evidence == direct.evidence
    assert set(selector.get_feature_names_out()) == set(direct.members)


def test_settings_and_required_features_reach_the_search(frame):
    X, y = frame.drop(columns="dysp"), frame["dysp"]
    selector = MarkovBoundarySelector(
        algorithm=KIAMB(fraction=0.25), required=["asia"], random_state=5
    ).fit(X, y)
    assert "asia" in selector.get_feature_names_out()
    assert selector.boundary_.run.options["fraction"] == 0.25
    assert selector.boundary_.run.random_state == 5
    with pytest.raises(TypeError, match="no parameter 'fraction'"):
        MarkovBoundarySelector(fraction=0.25)
    with pytest.raises(UnknownColumnError, match="'nobody'"):
        ParentsChildrenSelector(required=["nobody"]).fit(X, y)


def test_interrupted_fit_of_parents_and_children_leaves_nothing_fitted(linear, monkeypatch):
    def interrupt(*_):
        raise Cancelled

    monkeypatch.setattr("eiderdown.independence.FisherZTest._sweep", interrupt)
    selector = ParentsChildrenSelector()
    with (
        pytest.warns(EiderdownWarning, match="interrupted"),
        pytest.raises(KeyboardInterrupt),
    ):
        selector.fit(*linear)
    assert not hasattr(selector, "parents_children_")
