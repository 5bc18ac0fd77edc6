"""Sparse polynomial SVMs: the optimum over all monomials, found with few of them built."""

from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from interaction_problems import circle, xor
from scipy import sparse
from sklearn.svm import LinearSVC

from eiderdown.errors import OptionError
from eiderdown.svm import (
    Coding,
    Monomial,
    coding_of,
    count_monomials,
    fit_sparse_svm,
    map_to_monomials,
    top_monomials,
)
from eiderdown.svm.model import PolynomialModel
from eiderdown.svm.sparse import choose_sparse_cost, fit_sparse_svms
from eiderdown.svm.training import fit_polynomial_svm
from examples import examples

INTERCEPT_SCALE = 100.0


def features(X, degree):
    """All monomials times what the kernel multiplies them with; of equal ones the simplest."""
    products = [
        Monomial.of(product)
        for length in range(1, degree + 1)
        for product in combinations_with_replacement(range(X.shape[1]), length)
    ]
    if coding_of(X) is not Coding.NUMBERS:
        products = [q for q in products if all(exponent == 1 for _, exponent in q.factors)]
    kernel = PolynomialModel(X, np.zeros(len(X)), degree)
    scales = [kernel.scale(exponent for _, exponent in q.factors) for q in products]
    return products, map_to_monomials(X, products) * scales


def objective(weights, intercept, decisions, y, costs):
    slack = np.maximum(0.0, 1.0 - np.where(y, 1.0, -1.0) * decisions)
    penalty = np.abs(weights).sum() + abs(intercept) / INTERCEPT_SCALE
    return penalty + np.sum(costs * np.square(slack))


def of_all_monomials(X, y, degree, C, **options):
    """Let scikit-learn train on every monomial."""
    products, columns = features(X, degree)
    svm = LinearSVC(
        penalty="l1",
        dual=False,
        C=C,
        tol=1e-8,
        max_iter=100_000,
        intercept_scaling=INTERCEPT_SCALE,
        random_state=0,
        **options,
    ).fit(columns, y)
    return products, svm.coef_[0], svm.intercept_[0], svm.decision_function(columns)


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = draw(st.integers(20, 60)), draw(st.integers(2, 5))
    X = {
        "signs": lambda: rng.choice([-1.0, 1.0], shape),
        "numbers": lambda: rng.uniform(-1.0, 1.0, shape),
        "ones": lambda: rng.integers(0, 2, shape).astype(float),
    }[draw(st.sampled_from(["signs", "numbers", "ones"]))]()
    y = X[:, 0] * X[:, 1] + rng.normal(0.0, 0.5, len(X)) > 0.0
    y[:2] = True, False
    return X, y, draw(st.integers(1, 3)), draw(st.sampled_from([0.02, 0.1, 0.5]))


@examples(12)
@given(problems())
def test_optimum_is_that_of_scikit_learn_on_all_monomials(problem):
    X, y, degree, C = problem
    found = fit_sparse_svm(X, y, degree=degree, C=C)
    assert found.proven
    _, coefficients, intercept, decisions = of_all_monomials(X, y, degree, C)
    ours = objective(found.weights, found.intercept, found.decision(X), y, C)
    theirs = objective(coefficients, intercept, decisions, y, C)
    assert ours == pytest.approx(theirs, rel=2e-3)
    thin = fit_sparse_svm(sparse.csr_array(X), y, degree=degree, C=C)
    np.testing.assert_allclose(thin.decision(sparse.csr_array(X)), found.decision(X), atol=1e-2)


def test_monomials_and_weights_are_those_of_scikit_learn():
    X, y = xor(150, 6, noise=0.1)
    found = fit_sparse_svm(X, y, degree=2, C=0.1)
    products, coefficients, intercept, decisions = of_all_monomials(X, y, 2, 0.1)
    theirs = {q: w for q, w in zip(products, coefficients, strict=True) if abs(w) > 1e-6}
    ours = dict(zip(found.monomials, found.weights, strict=True))
    assert ours.keys() == theirs.keys()
    for monomial, weight in theirs.items():
        assert ours[monomial] == pytest.approx(weight, abs=1e-3)
    assert found.intercept == pytest.approx(intercept, abs=1e-3)
    np.testing.assert_allclose(found.decision(X), decisions, atol=1e-3)


def test_rare_classes_can_cost_more():
    X, y = xor(200, 4, noise=0.2)
    X, y = X[(y == 0) | (np.arange(200) < 60)], y[(y == 0) | (np.arange(200) < 60)]
    found = fit_sparse_svm(X, y, degree=2, C=0.05, class_weight="balanced")
    *_, decisions = of_all_monomials(X, y, 2, 0.05, class_weight="balanced")
    np.testing.assert_allclose(found.decision(X), decisions, atol=1e-3)


def test_parity_of_three_is_the_only_monomial_where_an_l2_svm_weighs_all():
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], size=(300, 20))
    y = (X[:, 2] * X[:, 7] * X[:, 11] > 0) ^ (rng.random(300) < 0.1)
    found = fit_sparse_svm(X, y, degree=3, C=0.003)
    assert found.monomials == (Monomial.of([2, 7, 11]),)
    assert found.proven
    (model,) = fit_polynomial_svm(X, y, degree=3, C=0.003)
    dense = top_monomials(model, count_monomials(20, 3), fold=True)
    assert np.count_nonzero(np.abs(dense.weights) > 1e-9) > 100 * len(found.monomials)


def test_circle_is_two_squares():
    X, y = circle(300, 12)
    found = fit_sparse_svm(X, y, degree=2, C=0.05)
    assert set(found.monomials[:2]) == {Monomial.of([0, 0]), Monomial.of([1, 1])}
    assert np.mean((found.decision(X) > 0) == y) > 0.9


def test_more_cost_means_no_less_fit():
    X, y = xor(120, 5, noise=0.2)
    svms = [fit_sparse_svm(X, y, degree=2, C=C) for C in (1e-4, 0.01, 0.1, 1.0)]
    assert svms[0].monomials == ()
    np.testing.assert_array_equal(svms[0].decision(X), svms[0].intercept)
    signs = np.where(y, 1.0, -1.0)
    losses = [np.square(np.maximum(0.0, 1.0 - signs * svm.decision(X))).sum() for svm in svms]
    assert losses == sorted(losses, reverse=True)


def test_order_of_the_columns_changes_nothing_but_rounding():
    X, y = xor(150, 8, noise=0.2)
    order = np.random.default_rng(1).permutation(8)
    first, second = (fit_sparse_svm(table, y, degree=2, C=0.1) for table in (X, X[:, order]))
    renamed = {Monomial.of(order[list(q.variables)]) for q in second.monomials}
    assert renamed == set(first.monomials)
    np.testing.assert_allclose(first.decision(X), second.decision(X[:, order]), atol=1e-3)


def test_heuristics_and_limits_leave_the_result_unproven():
    X, y = xor(200, 40, noise=0.2)
    cut = fit_sparse_svm(X, y, degree=3, C=0.1, method="heur2", max_built=50)
    assert not cut.proven
    hurried = fit_sparse_svm(X, y, degree=3, C=0.1, max_seconds=1e-9)
    assert not hurried.proven
    assert hurried.stopped == "seconds"


def test_more_classes_have_an_svm_for_each_pair():
    rng = np.random.default_rng(2)
    X = rng.choice([-1.0, 1.0], size=(300, 6))
    y = (X[:, 0] * X[:, 1] > 0).astype(int) + (X[:, 4] > 0)
    models = fit_sparse_svms(X, y, degree=2, C=0.1)
    assert [model.classes for model in models] == [(0, 1), (0, 2), (1, 2)]
    assert {Monomial.of([0, 1]), Monomial.of([4])} <= set(models[0].monomials)


def test_cost_is_chosen_by_folds():
    X, y = xor(200, 10, noise=0.1)
    C = choose_sparse_cost(X, y, degree=2, folds=3, random_state=0)
    assert fit_sparse_svm(X, y, degree=2, C=C).monomials[0] == Monomial.of([0, 1])


def test_what_makes_no_sense_is_refused():
    X, y = xor(40, 3)
    with pytest.raises(OptionError, match="C must be positive, not 0"):
        fit_sparse_svm(X, y, C=0)
    with pytest.raises(OptionError, match="two classes, not 3"):
        fit_sparse_svm(X, np.arange(40) % 3)
    with pytest.raises(OptionError, match="degree"):
        fit_sparse_svm(X, y, degree=0)
