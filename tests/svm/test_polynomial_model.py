import numpy as np
import pytest
from hypothesis import given, settings
from random_models import all_features, models
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


def table(n_rows: int = 60, n_columns: int = 4, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1, 1, (n_rows, n_columns))


@given(model=models())
@settings(max_examples=60, deadline=None)
def test_the_machine_is_linear_in_its_features(model: PolynomialModel) -> None:
    points = table(5, model.n_variables)
    features = [Monomial.of([]), *all_features(model)]
    explicit = map_to_monomials(points, features) @ model.coefficients(features) + model.intercept
    np.testing.assert_allclose(explicit, model.decision(points), rtol=1e-8, atol=1e-8)


@given(model=models())
@settings(max_examples=60, deadline=None)
def test_contributions_are_sums_of_squared_weights(model: PolynomialModel) -> None:
    features = all_features(model)
    sums = np.zeros((model.degree, model.n_variables))
    for feature, weight in zip(features, model.weights(features), strict=True):
        sums[feature.degree - 1, list(feature.variables)] += weight**2
    found = contributions(model)
    np.testing.assert_allclose(found, sums, rtol=1e-8, atol=1e-9 * max(sums.max(), 1.0))
    np.testing.assert_allclose(variable_norms(model), found.sum(axis=0))


@pytest.mark.parametrize("gamma", [1.0, 0.2, "scale", "auto"])
def test_two_classes_give_one_model_that_decides_as_the_machine(gamma: float | str) -> None:
    X = table()
    y = np.where(X[:, 0] * X[:, 1] > 0, "yes", "no")
    machine = SVC(kernel="poly", degree=3, gamma=gamma, coef0=1.5, C=10).fit(X, y)
    (model,) = polynomial_models(machine)
    assert model.classes == ("no", "yes")
    np.testing.assert_allclose(model.decision(X), machine.decision_function(X), atol=1e-6)


def test_more_classes_give_one_model_for_each_pair() -> None:
    X = table(120)
    y = (X[:, 0] > 0).astype(int) + 2 * (X[:, 1] * X[:, 2] > 0)
    machine = SVC(kernel="poly", degree=2, gamma=1, coef0=1, decision_function_shape="ovo")
    machine.fit(X, y)
    found = polynomial_models(machine)
    pairs = [(1, 0), (2, 0), (3, 0), (2, 1), (3, 1), (3, 2)]
    assert [model.classes for model in found] == pairs
    decisions = np.column_stack([model.decision(X) for model in found])
    np.testing.assert_allclose(decisions, machine.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("kind", [SVR, NuSVR])
def test_regression_gives_a_model_without_classes(kind: type) -> None:
    X = table()
    machine = kind(kernel="poly", degree=2, gamma=1, coef0=1).fit(X, X[:, 0] * X[:, 1])
    (model,) = polynomial_models(machine)
    assert model.classes is None
    np.testing.assert_allclose(model.decision(X), machine.predict(X), atol=1e-8)


def test_sparse_machines_are_read_as_they_are() -> None:
    X = sparse.csr_matrix((table() > 0.3).astype(float))
    y = np.asarray((X[:, [0]].toarray() != X[:, [1]].toarray()).ravel())
    machine = NuSVC(kernel="poly", degree=2, gamma=1, coef0=1, nu=0.1).fit(X, y)
    (model,) = polynomial_models(machine)
    assert sparse.issparse(model.vectors)
    np.testing.assert_allclose(model.decision(X), machine.decision_function(X), atol=1e-6)


@pytest.mark.parametrize(
    ("machine", "sentence"),
    [
        (SVC(kernel="rbf"), "kernel='rbf'"),
        (SVC(kernel="poly", coef0=1), "not fitted"),
        (object(), "no support vector machine"),
    ],
)
def test_other_machines_are_refused_in_a_sentence(machine: object, sentence: str) -> None:
    with pytest.raises(OptionError, match=sentence):
        polynomial_models(machine)


def test_a_kernel_without_the_lower_degrees_is_refused() -> None:
    X = table()
    machine = SVC(kernel="poly", degree=2).fit(X, X[:, 0] > 0)
    with pytest.raises(OptionError, match=r"coef0=0\.0 the kernel lacks"):
        polynomial_models(machine)


def test_vectors_and_coefficients_must_match() -> None:
    with pytest.raises(OptionError, match="3 support vectors but 2 dual"):
        PolynomialModel(np.ones((3, 2)), np.ones(2), 2)
    with pytest.raises(OptionError, match="degree must be"):
        PolynomialModel(np.ones((2, 2)), np.ones(2), 0)
    with pytest.raises(OptionError, match="gamma must be"):
        PolynomialModel(np.ones((2, 2)), np.ones(2), 2, gamma=0.0)
