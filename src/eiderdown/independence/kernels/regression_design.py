"""Designs of regressions: a few entries in each row, and the weights of what stands there.

A category of twenty values is nineteen columns of a design, but of one row only which category it
is. So rows are read as entries, one for each column of the table: the *raw column* that it stands
in and its value there. Raw column 0 is the constant, 1 in every row; a number has one raw column, a
category one for each of its values, where 1 stands. Sums over rows are sums over raw columns, and
cost the more the more columns the table has, however many categories these have.

The columns of the design are weighted sums of raw columns, orthonormal, each of mean 0 but for an
intercept. That takes nothing but the products of raw columns, which are such sums, too. Likelihoods
do not change by it, Newton's method gains, and a column that others determine shows as one of which
nothing is left.
"""

from __future__ import annotations

import math
from typing import Annotated, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import FloatArray
from eiderdown.kernels import kernel

TOLERANCE: Final = 1e-10  # share of a column's variance that must be left; see moments.py
_MOST_AS_PYTHON: Final = 200_000  # numbers
_NO_VARIANCE: Final = 1e-13  # share of the squares that rounding leaves of a constant


class Design(NamedTuple):
    """Rows as entries, and the weights that make the design's columns of them.

    Attributes
    ----------
    place, value : int32 array, FloatArray
        By row and column of the table: the raw column, and what stands there. The first column of
        the table is the constant.
    weights : FloatArray
        By raw column and column of the design.
    dense : FloatArray
        The design itself, by row and column, for likelihoods that need it; else empty.
    """

    place: Annotated[NDArray[np.int32], "int32[:, ::1]"]
    value: Annotated[FloatArray, "float64[:, ::1]"]
    weights: Annotated[FloatArray, "float64[:, ::1]"]
    dense: Annotated[FloatArray, "float64[:, ::1]"]


class Shape(NamedTuple):
    """How much of a design is in use: entries of a row, raw columns, and columns."""

    n_entries: int
    n_raw: int
    n_columns: int


class Products(NamedTuple):
    """Products of raw columns with each other, and with the columns of the design."""

    raw: Annotated[FloatArray, "float64[:, ::1]"]
    images: Annotated[FloatArray, "float64[:, ::1]"]

    @classmethod
    def of(cls, n_raw: int, n_columns: int) -> Products:
        """Make room for so many raw columns, and columns of the design."""
        return cls(np.zeros((n_raw, n_raw)), np.zeros((n_raw, n_columns)))


@kernel("void(Design, int64, Shape, float64[:, ::1])", inner=True)
def fill_products(design, first_raw, shape, products):
    """Fill the products of raw columns from the first on with themselves and those before.

    They are the entries of the last column of the table, or of all of them.
    """
    place, value = design.place, design.value
    for r in range(first_raw, shape.n_raw):
        for s in range(shape.n_raw):
            products[r, s] = 0.0
    first_entry = 0 if first_raw == 0 else shape.n_entries - 1
    for i in range(place.shape[0]):
        for u in range(first_entry, shape.n_entries):
            for k in range(u + 1):
                products[place[i, u], place[i, k]] += value[i, u] * value[i, k]
    for r in range(first_raw, shape.n_raw):
        for s in range(r):
            products[s, r] = products[r, s]


@kernel("boolean(Products, int64, int64, float64[:, ::1], int64)", inner=True)
def _begin_column(products, r, n_raw, weights, a):
    """Make column a of a raw column, of mean 0 and length 1; say whether that varies."""
    raw = products.raw
    mean = raw[r, 0] / raw[0, 0]
    length = raw[r, r] - mean * raw[r, 0]
    if not length > _NO_VARIANCE * raw[r, r]:
        return False
    for s in range(n_raw):
        weights[s, a] = 0.0
    weights[0, a] = -mean / math.sqrt(length)
    weights[r, a] = 1.0 / math.sqrt(length)
    return True


@kernel("float64(Products, int64, float64[:, ::1], int64)", inner=True)
def _fill_image(products, n_raw, weights, a):
    """Fill the products of raw columns with column a; return its own square."""
    square = 0.0
    for r in range(n_raw):
        image = 0.0
        for s in range(n_raw):
            image += products.raw[r, s] * weights[s, a]
        products.images[r, a] = image
        square += weights[r, a] * image
    return square


@kernel("float64(Products, int64, float64[:, ::1], int64)", inner=True)
def _leave_rest(products, n_raw, weights, a):
    """Take out of column a what the columns before explain; return the square of the rest."""
    left = 0.0
    for _ in range(2):  # the second time against rounding
        for b in range(a):
            shared = 0.0
            for r in range(n_raw):
                shared += products.images[r, b] * weights[r, a]
            for r in range(n_raw):
                weights[r, a] -= shared * weights[r, b]
        left = _fill_image(products, n_raw, weights, a)
        if left <= TOLERANCE:
            break
    return left


@kernel("int64(Products, float64[:, ::1], int64, Shape)")
def orthonormalise(products, weights, first_raw, shape):
    """Make orthonormal columns of the raw ones from the first on; return how many there are then.

    ``shape`` has all raw columns, and the columns that are there already, of the raw ones before
    the first, to which the new ones are orthogonal, too.
    """
    n_raw, n_columns = shape.n_raw, shape.n_columns
    for a in range(n_columns):
        for r in range(first_raw, n_raw):
            weights[r, a] = 0.0
        _fill_image(products, n_raw, weights, a)
    for r in range(first_raw, n_raw):
        if not _begin_column(products, r, n_raw, weights, n_columns):
            continue
        left = _leave_rest(products, n_raw, weights, n_columns)
        if left > TOLERANCE:
            for s in range(n_raw):
                weights[s, n_columns] /= math.sqrt(left)
                products.images[s, n_columns] /= math.sqrt(left)
            n_columns += 1
    return n_columns


def _is_small(design: Design, _products: Products, shape: Shape) -> bool:
    return len(design.place) * shape.n_entries**2 + shape.n_raw**3 <= _MOST_AS_PYTHON


@kernel("int64(Design, Products, Shape)", small=_is_small)
def orthonormal_base(design, products, shape):
    """Make orthonormal columns of all raw ones; return how many there are then.

    The shape has one column, an intercept, or none.
    """
    fill_products(design, 0, shape, products.raw)
    if shape.n_columns:
        design.weights[0, 0] = 1.0 / math.sqrt(products.raw[0, 0])
    return orthonormalise(products, design.weights, 1, shape)


@kernel("void(Design, Shape, int64)")
def fill_dense(design, shape, first):
    """Fill columns of the design itself from one on."""
    for i in range(design.place.shape[0]):
        for a in range(first, shape.n_columns):
            total = 0.0
            for u in range(shape.n_entries):
                total += design.value[i, u] * design.weights[design.place[i, u], a]
            design.dense[i, a] = total


@kernel("void(Design, Shape, int64, float64[::1], float64[:, ::1])", inner=True)
def fill_coefficients(design, shape, n_predictors, parameters, coefficients):
    """Fill the coefficients of raw columns, by raw column and predictor."""
    n = shape.n_columns
    for r in range(shape.n_raw):
        for j in range(n_predictors):
            total = 0.0
            for a in range(n):
                total += design.weights[r, a] * parameters[j * n + a]
            coefficients[r, j] = total


@kernel("void(Design, Shape, int64, float64[:, ::1], float64[::1])", inner=True)
def carry_slopes(design, shape, n_predictors, raw, slope):
    """Carry slopes by the coefficients of raw columns over to those of the design's columns."""
    n = shape.n_columns
    for j in range(n_predictors):
        for a in range(n):
            total = 0.0
            for r in range(shape.n_raw):
                total += design.weights[r, a] * raw[r, j]
            slope[j * n + a] = total


@kernel("void(Design, Shape, int64, float64[:, :, ::1], float64[:, ::1])", inner=True)
def _fill_half(design, shape, pair, raw, half):
    """Fill the curvatures of two predictors by raw columns and by those of the design."""
    n, n_raw = shape.n_columns, shape.n_raw
    for r in range(n_raw):
        for b in range(n):
            half[r, b] = 0.0
        for s in range(n_raw):
            shared = raw[r, s, pair] if r >= s else raw[s, r, pair]
            if shared != 0.0:
                for b in range(n):
                    half[r, b] += shared * design.weights[s, b]


@kernel(
    "void(Design, Shape, int64, float64[:, :, ::1], float64[:, ::1], float64[:, ::1])", inner=True
)
def carry_curves(design, shape, n_predictors, raw, half, curve):
    """Do the same with curvatures, of which those of two predictors stand behind each other."""
    n, pair = shape.n_columns, 0
    for j in range(n_predictors):
        for k in range(j + 1):
            _fill_half(design, shape, pair, raw, half)
            for a in range(n):
                for b in range(n):
                    total = 0.0
                    for r in range(shape.n_raw):
                        total += design.weights[r, a] * half[r, b]
                    curve[j * n + a, k * n + b] = total
            pair += 1
