import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from eiderdown.svm import Coding, Monomial, coding_of, count_monomials, map_to_monomials
from examples import examples

NAMES = [f"x{i}" for i in range(6)]
products = st.lists(st.integers(0, 5), max_size=5).map(Monomial.of)


def test_a_repeated_variable_is_a_power() -> None:
    monomial = Monomial.of([3, 1, 3])
    assert monomial.factors == ((1, 1), (3, 2))
    assert monomial.degree == 3
    assert monomial.variables == (1, 3)
    assert monomial.name(NAMES) == "x1 * x3^2"


def test_the_constant_has_no_factors_and_is_called_one() -> None:
    assert Monomial.of([]).name(NAMES) == "1"
    assert Monomial.of([]).degree == 0


def test_monomials_are_values() -> None:
    assert Monomial.of([1, 0]) == Monomial.of([0, 1])
    assert len({Monomial.of([1, 0]), Monomial.of([0, 1])}) == 1


@pytest.mark.parametrize(
    ("table", "coding"),
    [
        ([[0.0, 1.0], [1.0, 1.0]], Coding.ZERO_ONE),
        ([[-1.0, 1.0], [1.0, 1.0]], Coding.SIGNS),
        ([[-1.0, 0.0], [1.0, 1.0]], Coding.NUMBERS),
        ([[2.0]], Coding.NUMBERS),
    ],
)
def test_the_coding_is_read_from_the_values(table: list[list[float]], coding: Coding) -> None:
    assert coding_of(np.array(table)) is coding


def test_a_sparse_matrix_of_minus_ones_has_zeros_as_well() -> None:
    assert coding_of(sparse.csr_matrix([[-1.0, 0.0]])) is Coding.NUMBERS


@given(monomial=products, seed=st.integers(0, 1000), coding=st.sampled_from(list(Coding)))
@examples(32)
def test_folding_changes_no_value(monomial: Monomial, seed: int, coding: Coding) -> None:
    generator = np.random.default_rng(seed)
    choices = {Coding.ZERO_ONE: [0.0, 1.0], Coding.SIGNS: [-1.0, 1.0], Coding.NUMBERS: [-2.0, 0.5]}
    table = generator.choice(choices[coding], size=(20, 6))
    before, after = map_to_monomials(table, [monomial, monomial.folded(coding)]).T
    np.testing.assert_array_equal(before, after)
    assert monomial.folded(coding).folded(coding) == monomial.folded(coding)


@given(monomials=st.lists(products, max_size=4), seed=st.integers(0, 1000))
@examples(24)
def test_sparse_and_dense_mapping_agree_with_a_loop(monomials: list[Monomial], seed: int) -> None:
    generator = np.random.default_rng(seed)
    table = generator.integers(-1, 3, size=(7, 6)).astype(float)
    expected = [[math.prod(row[v] ** e for v, e in f.factors) for f in monomials] for row in table]
    expected = np.array(expected).reshape(7, len(monomials))
    np.testing.assert_allclose(map_to_monomials(table, monomials), expected)
    mapped = map_to_monomials(sparse.csr_matrix(table), monomials)
    np.testing.assert_allclose(mapped.toarray(), expected)


def test_the_number_of_monomials_is_that_of_the_thesis() -> None:
    assert count_monomials(152, 2) - 1 == 11_780
    assert count_monomials(60, 3) == 39_711
