from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_models import all_monomials, models
from scipy import sparse
from sklearn.svm import SVC, SVR, NuSVC, NuSVR

from eiderdown.errors import OptionError
from eiderdown.svm import (
    Monomial,
    PolynomialModel,
    contributions,
    map_to_monomials,
    polynomial_models,
    variable_norms,
)
from eiderdown.svm.model import coefficients, decision_function
from examples import examples


def table(n_rows: int = 60, n_columns: int = 4, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1, 1, (n_rows, n_columns))


@given(model=models())
@examples(24)
def test_the_machine_is_linear_in_its_features(model: PolynomialModel) -> None:
    points = table(5, model.n_variables)
    monomials = [Monomial.of([]), *all_monomials(model)]
    explicit = map_to_monomials(points, monomials) @ model.coefficients(monomials) + model.intercept
    np.testing.assert_allclose(explicit, model.decision(points), rtol=1e-8, atol=1e-8)


@given(model=models())
@examples(24)
def test_contributions_are_sums_of_squared_weights(model: PolynomialModel) -> None:
    monomials = all_monomials(model)
    sums = np.zeros((model.degree, model.n_variables))
    for monomial, weight in zip(monomials, model.weights(monomials), strict=True):
        sums[monomial.degree - 1, list(monomial.variables)] += weight**2
    found = contributions(model)
    np.testing.assert_allclose(found, sums, rtol=1e-8, atol=1e-9 * max(sums.max(), 1.0))
    np.testing.assert_allclose(variable_norms(model), found.sum(axis=0))


@pytest.mark.parametrize("gamma", [1.0, 0.2, "scale", "auto"])
def test_two_classes_give_one_model_that_decides_as_the_machine(gamma: float | str) -> None:
    X = table()
    y = np.where(X[:, 0] * X[:, 1] > 0, "yes", "no")
    svm = SVC(kernel="poly", degree=3, gamma=gamma, coef0=1.5, C=10).fit(X, y)
    (model,) = polynomial_models(svm)
    assert model.classes == ("no", "yes")
    np.testing.assert_allclose(model.decision(X), svm.decision_function(X), atol=1e-6)


def test_more_classes_give_one_model_for_each_pair() -> None:
    X = table(120)
    y = (X[:, 0] > 0).astype(int) + 2 * (X[:, 1] * X[:, 2] > 0)
    svm = SVC(kernel="poly", degree=2, gamma=1, coef0=1, decision_function_shape="ovo")
    svm.fit(X, y)
    found = polynomial_models(svm)
    pairs = [(1, 0), (2, 0), (3, 0), (2, 1), (3, 1), (3, 2)]
    assert [model.classes for model in found] == pairs
    decisions = np.column_stack([model.decision(X) for model in found])
    np.testing.assert_allclose(decisions, svm.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("kind", [SVR, NuSVR])
def test_regression_gives_a_model_without_classes(kind: type) -> None:
    X = table()
    svm = kind(kernel="poly", degree=2, gamma=1, coef0=1).fit(X, X[:, 0] * X[:, 1])
    (model,) = polynomial_models(svm)
    assert model.classes is None
    np.testing.assert_allclose(model.decision(X), svm.predict(X), atol=1e-8)


def test_sparse_machines_are_read_as_they_are() -> None:
    X = sparse.csr_matrix((table() > 0.3).astype(float))
    y = np.asarray((X[:, [0]].toarray() != X[:, [1]].toarray()).ravel())
    svm = NuSVC(kernel="poly", degree=2, gamma=1, coef0=1, nu=0.1).fit(X, y)
    (model,) = polynomial_models(svm)
    assert sparse.issparse(model.vectors)
    np.testing.assert_allclose(model.decision(X), svm.decision_function(X), atol=1e-6)


@pytest.mark.parametrize(
    ("svm", "sentence"),
    [
        (SVC(kernel="rbf"), "kernel='rbf'"),
        (SVC(kernel="poly", coef0=1), "not fitted"),
        (object(), "no support vector machine"),
    ],
)
def test_other_machines_are_refused_in_a_sentence(svm: object, sentence: str) -> None:
    with pytest.raises(OptionError, match=sentence):
        polynomial_models(svm)


def test_a_kernel_without_the_lower_degrees_is_refused() -> None:
    X = table()
    svm = SVC(kernel="poly", degree=2).fit(X, X[:, 0] > 0)
    with pytest.raises(OptionError, match=r"coef0=0\.0 the kernel lacks"):
        polynomial_models(svm)


def test_vectors_and_coefficients_must_match() -> None:
    with pytest.raises(OptionError, match="3 support vectors but 2 dual"):
        PolynomialModel(np.ones((3, 2)), np.ones(2), 2)
    with pytest.raises(OptionError, match="degree must be"):
        PolynomialModel(np.ones((2, 2)), np.ones(2), 0)
    with pytest.raises(OptionError, match="gamma must be"):
        PolynomialModel(np.ones((2, 2)), np.ones(2), 2, gamma=0.0)


VALUES = {
    "numbers": lambda rng, shape: rng.normal(size=shape),
    "zero_one": lambda rng, shape: rng.integers(0, 2, shape).astype(float),
    "signs": lambda rng, shape: rng.choice([-1.0, 1.0], shape),
}


def model_of(seed, kind, n_variables, degree):
    rng = np.random.default_rng(seed)
    vectors = VALUES[kind](rng, (7, n_variables))
    gamma, coef0, intercept = rng.uniform(0.2, 2.0, size=3)
    return PolynomialModel(vectors, rng.normal(size=7), degree, gamma, coef0, intercept)


MODELS = st.builds(
    model_of,
    st.integers(0, 10_000),
    st.sampled_from(sorted(VALUES)),
    st.integers(1, 5),
    st.integers(1, 5),
)


@examples(32)
@given(MODELS, st.booleans(), st.integers(0, 10_000))
def test_function_has_the_values_of_the_kernel(model, fold, seed):
    rows = VALUES[model.coding.value](np.random.default_rng(seed), (20, model.n_variables))
    found = decision_function(model, fold=fold, max_terms=1_000)
    sizes = PolynomialModel(
        np.abs(model.vectors), np.abs(model.alphas), model.degree, model.gamma, model.coef0
    )
    rounding = 1e-12 * sizes.decision(np.abs(rows)).max()
    np.testing.assert_allclose(found.values(rows), model.decision(rows), atol=rounding)


@examples(16)
@given(MODELS)
def test_folded_coefficient_is_the_sum_over_all_that_fold_to_it(model):
    every = {
        Monomial.of(word)
        for size in range(model.degree + 1)
        for word in product(range(model.n_variables), repeat=size)
    }
    sums = {}
    for monomial, coefficient in zip(every, model.coefficients(list(every)), strict=True):
        folded = monomial.folded(model.coding)
        sums[folded] = sums.get(folded, 0.0) + coefficient
    found = coefficients(model, list(sums))
    np.testing.assert_allclose(found, list(sums.values()), rtol=1e-8, atol=1e-8)


def test_redundant_powers_are_written_only_without_folding():
    model = model_of(1, "signs", 3, 3)
    folded = decision_function(model).text(["a", "b", "c"])
    assert "^" not in folded
    assert "a * b * c" in folded
    assert "^2" in decision_function(model, fold=False).text(["a", "b", "c"])


def test_sparse_vectors_give_the_dense_function():
    dense = model_of(2, "zero_one", 4, 3)
    thin = PolynomialModel(
        sparse.csr_array(dense.vectors),
        dense.alphas,
        dense.degree,
        dense.gamma,
        dense.coef0,
        dense.intercept,
    )
    names = ["a", "b", "c", "d"]
    assert decision_function(thin).text(names, 10) == decision_function(dense).text(names, 10)
    np.testing.assert_allclose(
        decision_function(thin).values(sparse.csr_array(dense.vectors)),
        dense.decision(dense.vectors),
    )


def test_terms_come_by_size_as_printed_then_by_name():
    model = PolynomialModel(np.array([[1.0, 1.0], [1.0, -1.0]]), np.array([0.5, -0.5]), degree=2)
    assert decision_function(model).text(["z", "a"]) == "f(x) = 0 + 2 a + 2 z * a"


def test_long_function_is_refused_with_its_length():
    with pytest.raises(OptionError, match=r"has 56 terms, more than the 50 of max_terms"):
        decision_function(model_of(0, "numbers", 5, 3))
    assert len(decision_function(model_of(0, "numbers", 5, 3), max_terms=56).monomials) == 55
