"""The interior point method reaches the optimum that LIBSVM is on the way to."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from interaction_problems import xor
from sklearn.svm import SVC, SVR
from threadpoolctl import ThreadpoolController

from eiderdown.svm import training
from eiderdown.svm.interior_point import low_rank_factor, solve_by_interior_point, threads_for
from eiderdown.svm.training import SVMParams, kernel_unit, linear_gram, polynomial_kernel, solve
from examples import examples


def kernel_of(X, degree):
    gram = linear_gram(X)
    unit = kernel_unit(np.diagonal(gram))
    return polynomial_kernel(gram, degree, unit=unit), unit**degree


def solution(kernel, signs, limits, tolerance):
    bounds = np.where(signs > 0, 0.0, -limits), np.where(signs > 0, limits, 0.0)
    return solve_by_interior_point(low_rank_factor(kernel), signs, *bounds, tolerance=tolerance)


@given(st.integers(0, 2**32 - 1), st.integers(1, 20), st.integers(1, 8))
@examples(16)
def test_the_factor_gives_the_matrix_back_and_is_no_wider_than_its_rank(seed, n_rows, rank):
    rows = np.random.default_rng(seed).normal(size=(n_rows, rank))
    factor = low_rank_factor(rows @ rows.T)
    assert factor.shape[1] == min(n_rows, rank)
    np.testing.assert_allclose(factor @ factor.T, rows @ rows.T, atol=1e-9)


@given(
    seed=st.integers(0, 2**32 - 1),
    degree=st.integers(1, 3),
    cost=st.sampled_from([1e-3, 1e-2, 1e-1]),
    are_signs=st.booleans(),
)
@examples(16)
def test_values_are_those_of_libsvm_where_that_converges(seed, degree, cost, are_signs):
    rng = np.random.default_rng(seed)
    X = rng.choice([-1.0, 1.0], size=(60, 5)) if are_signs else rng.normal(size=(60, 5))
    signs = np.where(np.arange(60) % 7 < 3, 1.0, -1.0)
    limits = cost * rng.choice([1.0, 3.0], size=60)
    kernel, unit = kernel_of(X, degree)
    alphas, _, converged = solution(kernel, signs, limits * unit, 1e-3)
    svm = SVC(kernel="precomputed", C=unit, tol=1e-6)
    svm.fit(kernel, signs, sample_weight=limits)
    theirs = np.zeros(60)
    theirs[svm.support_] = svm.dual_coef_[0]
    # Coefficients and intercept need not be unique; the values up to the intercept are.
    ours, others = kernel @ alphas, kernel @ theirs
    np.testing.assert_allclose(ours - ours[0], others - others[0], atol=1e-2)
    assert converged


@pytest.mark.parametrize(("n_columns", "degree", "cost"), [(9, 2, 1e3), (40, 1, 1e3), (5, 3, 1e2)])
def test_the_conditions_for_an_optimum_hold_where_libsvm_does_not_converge(n_columns, degree, cost):
    X, y = xor(400, n_columns, noise=0.3)
    X = X + 0.01 * np.random.default_rng(0).normal(size=X.shape)
    signs, tolerance = np.where(y == 1, 1.0, -1.0), 1e-3
    kernel, unit = kernel_of(X, degree)
    limit = cost * unit
    alphas, intercept, converged = solution(kernel, signs, np.full(400, limit), tolerance)
    margins = signs * (kernel @ alphas + intercept) - 1.0
    share = signs * alphas / limit
    assert converged
    assert share.min() >= 0.0
    assert share.max() <= 1.0
    assert abs(alphas.sum()) < 1e-6 * limit
    assert margins[share < 1e-7].min() > -2 * tolerance
    assert margins[share > 1 - 1e-7].max() < 2 * tolerance
    inside = (share > 1e-5) & (share < 1 - 1e-5)
    assert inside.any()
    assert np.abs(margins[inside]).max() < 2 * tolerance


def test_regression_agrees_with_svr_when_libsvm_is_given_up_at_once(monkeypatch):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 4))
    y = X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=80)
    kernel, unit = kernel_of(X, 2)
    svm = SVR(kernel="precomputed", C=0.5 * unit, epsilon=0.1, tol=1e-7).fit(kernel, y)
    given_up = lambda *_: training._OneModel(np.zeros(80), 0.0, False)  # noqa: E731
    monkeypatch.setattr(training, "_by_libsvm", given_up)
    chosen = SVMParams(regression=True, epsilon=0.1, tolerance=1e-6)
    found = solve(kernel, y, C=0.5 * unit, params=chosen)
    assert found.converged
    np.testing.assert_allclose(found.decisions(kernel)[:, 0], svm.predict(kernel), atol=1e-3)


def test_the_best_point_is_returned_when_rounding_takes_over():
    X, y = xor(200, 6, noise=0.3)
    kernel, unit = kernel_of(X, 2)
    signs = np.where(y == 1, 1.0, -1.0)
    alphas, intercept, converged = solution(kernel, signs, np.full(200, 1e3 * unit), 1e-12)
    assert not converged
    right = signs * (kernel @ alphas + intercept) > 0
    assert right.mean() > 0.6
    assert np.isfinite(alphas).all()


def test_short_steps_get_one_thread_and_others_theirs_back():
    libraries = ThreadpoolController()

    def threads():
        return {library["num_threads"] for library in libraries.select(user_api="blas").info()}

    before = threads()
    with threads_for(100):
        assert threads() == {1}
    assert threads() == before
    with threads_for(10_000):
        assert threads() == before
