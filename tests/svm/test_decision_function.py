"""The written function is the function that the machine computes."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from eiderdown.errors import OptionError
from eiderdown.svm.decision_function import coefficients, decision_function
from eiderdown.svm.monomials import Monomial
from eiderdown.svm.polynomial_model import PolynomialModel

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


@settings(max_examples=80, deadline=None)
@given(MODELS, st.booleans(), st.integers(0, 10_000))
def test_function_has_the_values_of_the_kernel(model, fold, seed):
    rows = VALUES[model.coding.value](np.random.default_rng(seed), (20, model.n_variables))
    found = decision_function(model, fold=fold, max_terms=1_000)
    sizes = PolynomialModel(
        np.abs(model.vectors), np.abs(model.alphas), model.degree, model.gamma, model.coef0
    )
    rounding = 1e-12 * sizes.decision(np.abs(rows)).max()
    np.testing.assert_allclose(found.values(rows), model.decision(rows), atol=rounding)


@settings(max_examples=40, deadline=None)
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
