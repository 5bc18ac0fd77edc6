"""Designs of regressions as entries and weights are those that a dense matrix would be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eiderdown.arrays import frozen
from eiderdown.independence.kernels.likelihoods import (
    MULTINOMIAL,
    NEGATIVE_BINOMIAL,
    ORDINAL,
    POISSON,
    Response,
    Sums,
)
from eiderdown.independence.kernels.regression_design import (
    Design,
    Products,
    Shape,
    fill_dense,
    orthonormal_base,
)
from eiderdown.independence.kernels.regression_parts import sum_rows
from examples import examples
from naive import log_likelihood

NO_TIME = frozen(np.empty(0, dtype=np.int64))


def table(seed: int, n_rows: int, n_categories: list[int]) -> tuple[Design, np.ndarray]:
    """Return entries of the constant, a number and categories, and the raw columns as a matrix."""
    rng = np.random.default_rng(seed)
    codes = [rng.integers(0, k, n_rows) for k in n_categories]
    firsts = np.cumsum([2, *n_categories])
    place = np.stack([np.zeros(n_rows), np.ones(n_rows), *map(np.add, codes, firsts)], axis=1)
    value = np.ones((n_rows, len(n_categories) + 2))
    number = rng.normal(size=n_rows)
    value[:, 1] = (number - number.mean()) / np.linalg.norm(number - number.mean())
    n_raw = int(firsts[-1])
    raw = np.zeros((n_rows, n_raw))
    for u in range(place.shape[1]):
        raw[np.arange(n_rows), place[:, u].astype(int)] = value[:, u]
    weights = np.zeros((n_raw, n_raw))
    dense = np.zeros((n_rows, n_raw))
    return Design(place.astype(np.int32), value, weights, dense), raw


@examples(30)
@given(
    seed=st.integers(0, 10_000),
    n_categories=st.lists(st.integers(1, 6), max_size=3),
    intercept=st.booleans(),
)
def test_columns_are_orthonormal_and_span_what_raw_ones_do(seed, n_categories, intercept):
    design, raw = table(seed, 60, n_categories)
    shape = Shape(design.place.shape[1], raw.shape[1], int(intercept))
    n = orthonormal_base(design, Products.of(raw.shape[1], raw.shape[1]), shape)
    fill_dense(design, Shape(shape.n_entries, shape.n_raw, n), 0)
    columns = design.dense[:, :n]
    centred = raw if intercept else raw - raw.mean(axis=0)
    np.testing.assert_allclose(columns.T @ columns, np.eye(n), atol=1e-12)
    assert n == np.linalg.matrix_rank(centred)
    np.testing.assert_allclose(columns @ (columns.T @ centred), centred, atol=1e-10)


def test_a_column_that_others_determine_adds_none():
    design, _ = table(0, 60, [4])
    place = np.column_stack([design.place, design.place[:, 2] + 4]).astype(np.int32)
    twice = Design(place, np.column_stack([design.value, design.value[:, 2]]), *design[2:])
    room = np.zeros((10, 10))
    n = [
        orthonormal_base(one._replace(weights=room.copy()), Products.of(10, 10), Shape(u, r, 1))
        for one, u, r in ((design, 3, 6), (twice, 4, 10))
    ]
    assert n == [5, 5]


def slopes(function, parameters, width):
    """Differences of a function on both sides of parameters, by each of them."""
    steps = width * np.eye(len(parameters))
    return np.array(
        [(function(parameters + h) - function(parameters - h)) / (2.0 * width) for h in steps]
    )


@pytest.mark.parametrize(
    ("name", "family", "n_predictors", "n_extra"),
    [
        ("multinomial", MULTINOMIAL, 1, 0),
        ("multinomial", MULTINOMIAL, 4, 0),
        ("ordinal", ORDINAL, 1, 3),
        ("poisson", POISSON, 1, 0),
        ("negative_binomial", NEGATIVE_BINOMIAL, 1, 1),
    ],
)
def test_sums_are_those_of_a_dense_design(name, family, n_predictors, n_extra):
    rng = np.random.default_rng(family)
    design, raw = table(family, 80, [3, 5])
    design = design._replace(weights=rng.normal(size=(raw.shape[1], 4)))
    y = rng.integers(0, 1 + max(n_predictors, n_extra), 80).astype(float)
    response = Response(family, n_predictors, n_extra, frozen(y), NO_TIME)
    parameters = 0.3 * rng.normal(size=4 * n_predictors + n_extra)
    parameters[4 * n_predictors :] = np.arange(n_extra) - 1.0
    shape = Shape(4, raw.shape[1], 4)
    sums = Sums.of(shape, response)

    def slope_at(at):
        sum_rows(response, design, shape, at, sums)
        return sums.slope.copy()

    def value_at(at):
        return log_likelihood(name, y, raw @ design.weights, at)

    assert sum_rows(response, design, shape, parameters, sums) == pytest.approx(
        value_at(parameters), rel=1e-12
    )
    slope, curve = sums.slope.copy(), np.tril(sums.curve)
    np.testing.assert_allclose(slope, slopes(value_at, parameters, 1e-5), atol=1e-6)
    np.testing.assert_allclose(curve, -np.tril(slopes(slope_at, parameters, 1e-5)), atol=1e-6)
