"""SVMs trained on a kernel matrix are those that LIBSVM trains with its own kernel."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from interaction_problems import xor
from scipy import sparse
from sklearn.svm import SVC, SVR

from eiderdown.errors import (
    EiderdownWarning,
    InputError,
    NonFiniteError,
    OptionError,
    TooFewRowsError,
)
from eiderdown.svm import polynomial_models, training
from eiderdown.svm.training import (
    SVMParams,
    fit_polynomial_svm,
    kernel_unit,
    linear_gram,
    polynomial_kernel,
    solve,
)
from examples import examples

TIGHT = 1e-6


def has_free_vector(model, cost, class_weight, y):
    """Whether some coefficient is below its limit; otherwise the intercept is not unique."""
    weights = len(y) / (len(np.unique(y)) * np.bincount(y)) if class_weight else np.ones(4)
    low = cost * weights[list(model.classes)].min()
    return (np.abs(model.alphas) < 0.99 * low).any()


@given(
    seed=st.integers(0, 2**32 - 1),
    degree=st.integers(1, 4),
    cost=st.sampled_from([1e-3, 0.1, 10.0]),
    n_classes=st.integers(2, 4),
    class_weight=st.sampled_from([None, "balanced"]),
    kernel=st.sampled_from([{"gamma": 1.0, "coef0": 1.0}, {"gamma": 0.2, "coef0": 2.5}]),
    is_sparse=st.booleans(),
)
@examples(16)
def test_decisions_are_those_of_the_polynomial_svc(
    seed, degree, cost, n_classes, class_weight, kernel, is_sparse
):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(50, 6)) * (rng.random((50, 6)) < 0.7)
    y = np.concatenate([np.repeat(np.arange(n_classes), 2), rng.integers(0, n_classes, 50)])[:50]
    reference = SVC(
        kernel="poly",
        degree=degree,
        C=cost,
        class_weight=class_weight,
        tol=TIGHT,
        decision_function_shape="ovo",
        **kernel,
    ).fit(X, y)
    models = fit_polynomial_svm(
        sparse.csr_array(X) if is_sparse else X,
        y,
        degree=degree,
        C=cost,
        params=SVMParams(class_weight=class_weight, tolerance=0.0001, **kernel),
    )
    theirs = reference.decision_function(X).reshape(len(X), -1)
    for model, read, values in zip(models, polynomial_models(reference), theirs.T, strict=True):
        assert model.classes == read.classes
        ours = model.decision(X)
        shift = 0.0 if has_free_vector(model, cost, class_weight, y) else ours[0] - values[0]
        np.testing.assert_allclose(ours, values + shift, atol=5e-3)


@given(seed=st.integers(0, 2**32 - 1), degree=st.integers(1, 3))
@examples(10)
def test_regression_is_that_of_the_polynomial_svr(seed, degree):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 4))
    y = X[:, 0] * X[:, 1] + 0.1 * rng.normal(size=40)
    (model,) = fit_polynomial_svm(
        X,
        y,
        degree=degree,
        C=0.1,
        params=SVMParams(regression=True, epsilon=0.05, tolerance=0.0001),
    )
    reference = SVR(kernel="poly", degree=degree, gamma=1, coef0=1, C=0.1, epsilon=0.05, tol=TIGHT)
    theirs = reference.fit(X, y).predict(X)
    assert model.classes is None
    np.testing.assert_allclose(model.decision(X), theirs, atol=5e-3)


def test_given_inner_products_give_the_same_machine_and_are_left_alone():
    X, y = xor(60, 5, noise=0.2)
    gram = linear_gram(X)
    kept = gram.copy()
    (with_gram,) = fit_polynomial_svm(X, y, degree=2, C=1.0, gram=gram)
    (without,) = fit_polynomial_svm(X, y, degree=2, C=1.0)
    np.testing.assert_array_equal(with_gram.alphas, without.alphas)
    np.testing.assert_array_equal(gram, kept)


@pytest.mark.parametrize("unit", [1e-6, 0.5, 1e6])
def test_a_kernel_in_other_units_with_the_cost_in_the_same_units_is_the_same_problem(unit):
    X, y = xor(80, 6, noise=0.2)
    gram, chosen = linear_gram(X), SVMParams(tolerance=TIGHT)
    one = kernel_unit(np.diagonal(gram))
    kernels = [polynomial_kernel(gram, 3, unit=u) for u in (one, unit * one)]
    costs = [0.01 * u**3 for u in (one, unit * one)]
    solutions = [
        solve(kernel, y, C=cost, params=chosen) for kernel, cost in zip(kernels, costs, strict=True)
    ]
    first, second = (s.decisions(k) for s, k in zip(solutions, kernels, strict=True))
    np.testing.assert_allclose(first, second, atol=1e-4)


def test_kernels_too_large_for_single_precision_are_no_obstacle():
    rng = np.random.default_rng(0)
    X = 1e6 * rng.uniform(size=(60, 200))
    y = (X[:, 0] > X[:, 1]).astype(int)
    assert linear_gram(X).max() ** 4 > np.finfo(np.float32).max
    (model,) = fit_polynomial_svm(X, y, degree=4, C=1.0)
    margins = np.where(y == 1, 1.0, -1.0) * model.decision(X)
    assert margins.min() > 0.99


def test_with_few_columns_and_a_high_cost_the_machine_still_learns():
    X, y = xor(600, 9, noise=0.3)
    (model,) = fit_polynomial_svm(X, y, degree=2, C=1e3)
    fresh, truth = xor(2_000, 9, noise=0.0, seed=1)
    right = (model.decision(fresh) > 0) == truth
    assert right.mean() > 0.9
    stuck = SVC(kernel="poly", degree=2, gamma=1, coef0=1, C=1e3, max_iter=20_000)
    with pytest.warns(UserWarning, match="terminated early"):
        stuck.fit(X, y)
    assert (stuck.predict(fresh) == truth).mean() < 0.7  # why there is another method


def test_a_balanced_machine_does_not_ignore_a_rare_class():
    rng = np.random.default_rng(0)
    y = (np.arange(400) < 12).astype(int)
    X = rng.normal(size=(400, 3)) + 1.5 * y[:, None]
    (plain,) = fit_polynomial_svm(X, y, degree=1, C=1e-2)
    (balanced,) = fit_polynomial_svm(
        X, y, degree=1, C=0.01, params=SVMParams(class_weight="balanced")
    )
    found = [(model.decision(X[y == 1]) > 0).mean() for model in (plain, balanced)]
    assert found[0] < 0.5 < found[1]


def test_a_machine_that_was_not_trained_to_the_end_comes_with_a_warning(monkeypatch):
    monkeypatch.setattr(training, "_MOST_ROWS", 0)
    monkeypatch.setattr(training, "_MOST_WORK", 1e4)
    X, y = xor(200, 5, noise=0.3)
    with pytest.warns(EiderdownWarning, match=r"degree 2 with C=1000.*choose a smaller C"):
        fit_polynomial_svm(X, y, degree=2, C=1e3)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"degree": 0}, OptionError, "degree"),
        ({"C": -2.0}, OptionError, "C must be positive, not -2.0"),
        ({"gamma": -1.0}, OptionError, "gamma"),
        ({"coef0": 0.0}, OptionError, "coef0"),
        ({"class_weight": "heavy"}, OptionError, "class_weight"),
        ({"epsilon": -0.1}, OptionError, "epsilon"),
        ({"tolerance": 0.0}, OptionError, "tolerance"),
    ],
)
def test_options_out_of_range_are_refused_by_name(options, error, words):
    X, y = xor(20, 3)

    def fit(degree=2, C=1.0, **params):
        fit_polynomial_svm(X, y, degree=degree, C=C, params=SVMParams(**params))

    with pytest.raises(error, match=words):
        fit(**options)


def test_data_that_cannot_be_used_are_refused_with_the_way_out():
    X, y = xor(20, 3)
    with pytest.raises(TooFewRowsError, match="one class"):
        fit_polynomial_svm(X, np.zeros(20, dtype=int), degree=1, C=1.0)
    with pytest.raises(InputError, match="20 rows"):
        fit_polynomial_svm(X, y[:-1], degree=1, C=1.0)
    with pytest.raises(InputError, match="rows and columns"):
        fit_polynomial_svm(X[:, 0], y, degree=1, C=1.0)
    with pytest.raises(NonFiniteError, match="y has"):
        fit_polynomial_svm(
            X, np.full(20, np.nan), degree=1, C=1.0, params=SVMParams(regression=True)
        )
    X[4, 2] = np.nan
    for matrix in (X, sparse.csr_array(X)):
        with pytest.raises(NonFiniteError, match="Column 2"):
            fit_polynomial_svm(matrix, y, degree=1, C=1.0)
