"""Random polynomial SVMs, and their weights the slow and obvious way."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

from eiderdown.svm import Coding, Monomial, PolynomialModel


@st.composite
def models(draw, max_degree: int = 5, max_variables: int = 12) -> PolynomialModel:
    """An SVM with numbers, 0/1 (dense or sparse) or -1/+1 as support vectors."""
    degree = draw(st.integers(1, max_degree))
    most = {1: 12, 2: 12, 3: 10, 4: 7, 5: 6}[degree]  # so that all monomials can be listed
    n_variables = draw(st.integers(1, min(most, max_variables)))
    n_vectors = draw(st.integers(1, 15))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(["numbers", "zero_one", "sparse", "signs"]))
    shape = (n_vectors, n_variables)
    if kind == "numbers":
        vectors = generator.normal(size=shape)
    elif kind == "signs":
        vectors = generator.choice([-1.0, 1.0], size=shape)
    else:
        vectors = (generator.random(shape) < 0.4).astype(float)
    if kind == "sparse":
        vectors = sparse.csr_matrix(vectors)
    return PolynomialModel(
        vectors,
        generator.normal(size=n_vectors),
        degree,
        gamma=draw(st.sampled_from([1.0, 0.3])),
        coef0=draw(st.sampled_from([1.0, 2.5])),
        intercept=0.7,
    )


def all_monomials(model: PolynomialModel, *, fold: bool = False) -> list[Monomial]:
    """Every monomial but the constant; each that others equal only once if folded."""
    monomials = [
        Monomial.of(variables)
        for level in range(1, model.degree + 1)
        for variables in combinations_with_replacement(range(model.n_variables), level)
    ]
    if fold and model.coding is not Coding.NUMBERS:
        return [monomial for monomial in monomials if len(monomial.variables) == monomial.degree]
    return monomials


def all_sizes(model: PolynomialModel, *, fold: bool) -> np.ndarray:
    """Sizes of all weights that are not zero, the largest first."""
    sizes = np.sort(np.abs(model.weights(all_monomials(model, fold=fold))))[::-1]
    return sizes[sizes > 1e-12]
