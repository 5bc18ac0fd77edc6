"""Monomials become columns once each, whatever carries the same information."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from eiderdown import Dataset
from eiderdown.svm.monomial_table import monomial_dataset, monomial_table
from eiderdown.svm.monomials import Monomial
from examples import examples

RNG = np.random.default_rng(0)
NAMES = ["a", "b", "c"]


def table_of(matrix, products, weights=None, **options):
    monomials = [Monomial.of(product) for product in products]
    sizes = np.arange(len(monomials), 0, -1.0) if weights is None else np.asarray(weights)
    return monomial_table(np.asarray(matrix), NAMES, monomials, sizes, **options)


def test_features_are_products_by_falling_weight():
    matrix = RNG.normal(size=(30, 3))
    table = table_of(matrix, [[0], [0, 1], [2, 2]], [1.0, -3.0, 2.0])
    assert table.names == ("a * b", "c^2", "a")
    assert table.weights.tolist() == [-3.0, 2.0, 1.0]
    np.testing.assert_allclose(table.values[:, 0], matrix[:, 0] * matrix[:, 1])
    np.testing.assert_allclose(table.values[:, 1], matrix[:, 2] ** 2)


def test_the_simplest_of_equal_features_stands_for_all():
    matrix = RNG.choice([-1.0, 1.0], size=(50, 3))
    matrix[:, 2] = -matrix[:, 0] * matrix[:, 1]
    table = table_of(matrix, [[0, 1], [2], [0]])
    assert table.names == ("c", "a")
    assert table.twins == (("a * b",), ())


def test_a_feature_that_does_not_vary_is_left_out():
    matrix = RNG.choice([-1.0, 1.0], size=(20, 3))
    table = table_of(matrix, [[0, 0], [1], []])
    assert table.names == ("b",)
    assert table.n_constant == 2


def test_features_that_differ_in_one_row_are_different():
    matrix = RNG.choice([-1.0, 1.0], size=(10_000, 3))
    matrix[:, 1] = matrix[:, 0]
    matrix[0, 1] *= -1.0
    assert len(table_of(matrix, [[0], [1]])) == 2


def test_a_required_feature_is_not_left_out_for_another():
    matrix = RNG.choice([-1.0, 1.0], size=(30, 3))
    matrix[:, 1] = matrix[:, 0]
    assert table_of(matrix, [[0], [1]], required=[Monomial.of([1])]).names == ("b",)
    both = [Monomial.of([0]), Monomial.of([1])]
    assert set(table_of(matrix, [[0], [1]], required=both).names) == {"a", "b"}


@examples(16)
@given(seed=st.integers(0, 10_000), kind=st.sampled_from(["signs", "zero_one", "levels"]))
def test_what_is_left_out_is_a_linear_function_of_what_stands_for_it(seed, kind):
    rng = np.random.default_rng(seed)
    values = {"signs": [-1.0, 1.0], "zero_one": [0.0, 1.0], "levels": [-1.0, 0.0, 1.0]}[kind]
    matrix = rng.choice(values, size=(8, 3))
    products = [[0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2], [0, 0]]
    table = table_of(matrix, products)
    every = {Monomial.of(p).name(NAMES): matrix[:, p].prod(axis=1) for p in products}
    varying = {name for name, column in every.items() if np.ptp(column) > 0}
    assert {*table.names, *(twin for twins in table.twins for twin in twins)} == varying
    assert table.n_constant == len(every) - len(varying)
    for name, twins in zip(table.names, table.twins, strict=True):
        for twin in twins:
            assert abs(np.corrcoef(every[name], every[twin])[0, 1]) == pytest.approx(1.0)
    columns = np.column_stack([np.ones(8), *(every[name] for name in table.names)])
    pairs = [(i, j) for i in range(1, columns.shape[1]) for j in range(1, i)]
    assert all(np.linalg.matrix_rank(columns[:, [0, i, j]]) == 3 for i, j in pairs)


def test_sparse_data_give_the_same_table():
    matrix = RNG.integers(0, 2, size=(40, 3)).astype(float)
    products = [[0, 1], [2], [0, 1, 2], [1, 1]]
    monomials, weights = [Monomial.of(p) for p in products], np.array([4.0, 3.0, 2.0, 1.0])
    ours = monomial_table(sparse.csr_array(matrix), NAMES, monomials, weights)
    theirs = monomial_table(matrix, NAMES, monomials, weights)
    assert ours.names == theirs.names
    np.testing.assert_array_equal(ours.values, theirs.values)


def test_names_are_distinct_and_never_the_targets():
    matrix = RNG.normal(size=(20, 3))
    monomials = [Monomial.of([0, 1]), Monomial.of([2])]
    names = ["a", "b", "a * b"]
    table = monomial_table(matrix, names, monomials, np.ones(2), reserved=["a * b"])
    assert sorted(table.names) == ["a * b_", "a * b__"]


def test_features_with_few_values_are_discrete_beside_a_class():
    matrix = np.column_stack(
        [RNG.choice([-1.0, -1 / 3, 1 / 3, 1.0], size=60), RNG.normal(size=60), np.zeros(60)]
    )
    table = table_of(matrix, [[0, 0, 0], [1]])
    data = Dataset.from_columns({"y": ["no", "yes"] * 30})
    mixed = monomial_dataset(table, data, "y", as_numbers=False)
    assert mixed.names == ("y", "a^3", "b")
    assert mixed.is_discrete.tolist() == [True, True, False]
    assert mixed.n_categories[1] == 4
    numbers = monomial_dataset(table, data, "y", as_numbers=True)
    assert not numbers.is_discrete.any()
    assert numbers.values(0).tolist() == [0.0, 1.0] * 30


def test_products_that_are_equal_but_for_rounding_are_one_level():
    thirds = np.array([-1.0, -1 / 3, 1 / 3, 1.0])
    a, b, c = np.meshgrid(thirds, thirds, thirds)
    matrix = np.column_stack([a.ravel(), b.ravel(), c.ravel()])
    table = table_of(matrix, [[0, 1, 2]])
    data = Dataset.from_columns({"y": ["no", "yes"] * 32})
    assert monomial_dataset(table, data, "y", as_numbers=False).n_categories[1] == 8
