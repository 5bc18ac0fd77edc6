"""SVMs whose weights are sums over landmarks: the best within their span, and then exact."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.svm import SVC, SVR

from eiderdown.svm.approximation import Approximation
from eiderdown.svm.inner_products import polynomial_kernel
from eiderdown.svm.landmarks import Landmarks
from eiderdown.svm.model import decision_function
from eiderdown.svm.monomials import Monomial
from eiderdown.svm.training import SVMParams, train
from eiderdown.svm.tuning import Tuner

N_ROWS = 300
PAIRS = [Monomial.of(v) for v in ([0], [1], [2], [0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2])]


def numbers(n_classes=2, *, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N_ROWS, 3))
    value = X[:, 0] * X[:, 1] + 0.3 * X[:, 2] + 0.3 * rng.normal(size=N_ROWS)
    if n_classes is None:
        return X, value
    return X, np.digitize(value, np.quantile(value, np.arange(1, n_classes) / n_classes))


def params_with(n_landmarks, **more):
    return SVMParams(
        approximation=Approximation("nystroem", n_landmarks=n_landmarks), tolerance=1e-6, **more
    )


@pytest.mark.parametrize(
    ("n_classes", "more"),
    [
        (2, {}),
        (2, {"class_weight": "balanced", "gamma": 0.5, "coef0": 2.0}),
        (3, {}),
        (None, {"regression": True}),
    ],
)
def test_landmarks_that_span_all_monomials_give_the_svm_of_all_rows(n_classes, more):
    X, y = numbers(n_classes)
    exact, _ = train(X, y, degree=2, C=0.5, params=SVMParams(tolerance=1e-6, **more))
    found, converged = train(X, y, degree=2, C=0.5, params=params_with(40, **more))
    assert converged
    assert len(found) == len(exact)
    for ours, theirs in zip(found, exact, strict=True):
        assert ours.classes == theirs.classes
        assert ours.n_vectors <= 10 < theirs.n_vectors  # 1, three, and six of degree 2
        assert ours.weights(PAIRS) == pytest.approx(theirs.weights(PAIRS), abs=2e-4)
        assert ours.decision(X) == pytest.approx(theirs.decision(X), abs=2e-3)


@pytest.mark.parametrize("regression", [False, True])
def test_fewer_landmarks_give_the_best_svm_of_their_span(regression):
    X, y = numbers(None if regression else 2, seed=1)
    params, degree, C = params_with(6, regression=regression), 3, 0.3
    (model,), _ = train(X, y, degree=degree, C=C, params=params)
    assert model.n_vectors == 6
    # The naive twin: K_nm K_mm^-1 K_mn as a matrix, and LIBSVM on it.
    rows = params.approximation.landmarks(y, regression=regression)
    with_all = polynomial_kernel(X @ X[rows].T, degree)
    kernel = with_all @ np.linalg.solve(with_all[rows], with_all.T)
    svm = (SVR if regression else SVC)(C=C, kernel="precomputed", tol=1e-6).fit(kernel, y)
    twin = svm.predict(kernel) if regression else svm.decision_function(kernel)
    assert model.decision(X) == pytest.approx(twin, abs=5e-3)


def test_monomials_have_the_weights_of_the_approximate_svm_exactly():
    X, y = numbers(seed=2)
    (model,), _ = train(X, y, degree=3, C=1.0, params=params_with(5))
    written = decision_function(model, fold=False)
    assert written.values(X) == pytest.approx(model.decision(X), abs=1e-9)


def test_landmarks_that_add_nothing_are_left_out():
    X, _ = numbers()
    twice = np.vstack([X[:4], X])
    factor = Landmarks(twice, np.arange(8), gamma=1.0, coef0=1.0).factor(4)
    assert factor.values.shape == (len(twice), 4)
    assert {int(row) % 4 for row in factor.rows} == {0, 1, 2, 3}


def test_sparse_tables_have_the_same_factor():
    X = np.random.default_rng(0).integers(0, 2, size=(80, 6)).astype(float)
    dense, sparse = (
        Landmarks(table, np.arange(9), gamma=1.0, coef0=1.0).factor(2).values
        for table in (X, csr_array(X))
    )
    assert dense == pytest.approx(sparse, abs=1e-12)


def test_degree_and_c_are_chosen_with_landmarks_as_with_the_kernel():
    X, y = numbers()
    grid = (1, 2), (1e-2, 1.0)
    exact, found = (
        Tuner.of(X, y, params, folds=3).tune(*grid)
        for params in (SVMParams(tolerance=1e-5), params_with(60))
    )
    assert (found.best.degree, found.best.C) == (exact.best.degree, exact.best.C)
    for ours, theirs in zip(found.table, exact.table, strict=True):
        assert ours.scores == pytest.approx(theirs.scores, abs=0.005)
    nested = Tuner.of(X, y, params_with(60), folds=3).nested(*grid)
    assert nested is not None
    assert nested.mean == pytest.approx(exact.best.mean, abs=0.03)
