"""How much each variable contributes to a polynomial SVM, degree by degree.

``s[l][v]`` is the sum of the squared weights of all monomials of degree exactly l that contain v.
With G the inner products of the support vectors it is, for the kernel ``(x.x' + 1)^d``,

    C(d, l) * sum_kj alpha_k alpha_j (G_kj^l - (G_kj - x_kv x_jv)^l),

and the binomial theorem turns the difference into quadratic forms that need no loop over variables
(the factor C(d, l) is missing from equation II.37 of the thesis).

Which monomials are told apart is a space. In general that is every monomial. In data of 0 and 1, or
of -1 and +1, powers are redundant: there only square-free monomials count, products of different
variables, and the sums over them are elementary symmetric polynomials of the vectors' products
instead of powers of their inner products.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.memory import require_memory
from eiderdown.svm.model import PolynomialModel
from eiderdown.svm.monomials import Coding, Matrix, count_monomials, dense, is_sparse

_BLOCK_BYTES = 2**27
"""Memory for one block of variables: large enough for BLAS, small beside the data."""

_PAIRS_BYTES = 2**22
"""Memory for one block of pairs of vectors."""

_ROUNDING = 1e-12
"""Relative error allowed for sums of products of thousands of vectors."""

Prefix: TypeAlias = tuple[int, ...]
"""Variables that a monomial has at least, with repetition."""


def contributions(model: PolynomialModel) -> FloatArray:
    """Sum the squared weights of the monomials of each degree that contain each variable.

    Parameters
    ----------
    model : PolynomialModel
        The SVM.

    Returns
    -------
    array of shape (degree, n_variables)
        Row ``l - 1`` is for monomials of degree l.

    Examples
    --------
    >>> model = PolynomialModel(np.array([[1.0, 2.0], [3.0, 1.0]]), np.array([1.0, -1.0]), degree=2)
    >>> contributions(model).tolist()
    [[8.0, 2.0], [66.0, 11.0]]
    """
    _require_memory(model, min(model.degree, 3))
    sums = np.zeros((model.degree, model.n_variables))
    for power in range(model.degree):
        forms = _power(model.gram, power)
        for times in range(1, model.degree - power + 1):
            degree = power + times
            quadratic = quadratic_forms(model.vectors, model.alphas, forms, times)
            sign = 1 if times % 2 else -1
            sums[degree - 1] += (
                sign * model.degree_factor(degree) * math.comb(degree, times) * quadratic
            )
    # Sums of squares: what is below zero is rounding.
    return np.maximum(sums, 0.0)


def variable_norms(model: PolynomialModel) -> FloatArray:
    """Return the squared norm of the weights of all monomials that contain each variable."""
    norms: FloatArray = contributions(model).sum(axis=0)
    return norms


def weight_bytes(n_vectors: int, n_matrices: int) -> float:
    """Return the bytes that sums of squared weights need: matrices of all pairs of vectors."""
    return 8.0 * n_matrices * n_vectors**2


def _require_memory(model: PolynomialModel, n_matrices: int) -> None:
    """Refuse to make matrices of all pairs of support vectors, those not counted that are there."""
    n_made = n_matrices - ("gram" in vars(model))
    require_memory(
        weight_bytes(model.n_vectors, n_made),
        f"A search of weights of degree {model.degree} over {model.n_vectors:,} support vectors",
        "train with approximate='nystroem', with fewer rows, or with a lower degree",
    )


def quadratic_forms(
    vectors: Matrix, alphas: FloatArray, forms: FloatArray | None, times: int = 1
) -> FloatArray:
    """Return ``u' F u`` for each variable v, with ``u_k = alpha_k x_kv^times``.

    ``forms`` is the symmetric matrix F; None stands for all ones.
    """
    powers = vectors if times == 1 else _power(vectors, times)
    if forms is None:
        totals: FloatArray = np.asarray(powers.T @ alphas, dtype=np.float64).ravel()
        return np.square(totals)
    n_vectors, n_variables = vectors.shape
    width = max(1, _BLOCK_BYTES // (8 * max(n_vectors, 1)))
    weighted = _times_pairs(forms, alphas)
    found = np.empty(n_variables)
    columns = powers.tocsc() if is_sparse(powers) else powers
    for first in range(0, n_variables, width):
        block = slice(first, first + width)
        found[block] = _diagonal(columns[:, block], weighted)
    return found


def _times_pairs(forms: FloatArray, alphas: FloatArray) -> FloatArray:
    """Return ``F_kj alpha_k alpha_j``, a block of rows at a time: of pairs there are many."""
    weighted = np.empty_like(forms)
    height = max(1, _PAIRS_BYTES // (8 * max(len(alphas), 1)))
    for first in range(0, len(alphas), height):
        rows = slice(first, first + height)
        np.multiply(forms[rows], np.outer(alphas[rows], alphas), out=weighted[rows])
    return weighted


def _diagonal(block: Any, forms: FloatArray) -> FloatArray:
    """Return the diagonal of ``B' F B``."""
    if is_sparse(block):
        half = block.T @ forms
        return np.asarray(block.T.multiply(half).sum(axis=1), dtype=np.float64).ravel()
    product: FloatArray = np.einsum("kv,kv->v", forms @ block, block)
    return product


def _power(matrix: Any, power: int) -> Any:
    """Raise each entry; None for the matrix of ones that power 0 makes."""
    if power == 0:
        return None
    if power == 1:
        return matrix
    return matrix.power(power) if is_sparse(matrix) else matrix**power


class MonomialSpace(ABC):
    """The monomials of a model that are told apart."""

    repeats: bool
    """Whether a variable may come more than once in a monomial."""

    def __init__(self, model: PolynomialModel) -> None:
        self.model = model

    @abstractmethod
    def count(self, n_variables: int) -> int:
        """How many monomials these many variables have, the constant not among them."""

    @abstractmethod
    def squares_with(self, prefix: Prefix, degree: int, products: FloatArray) -> FloatArray:
        """Bound the sum of squared weights of the monomials of a degree with prefix and variable.

        ``products`` are ``alpha_k`` times the prefix's value in each vector. The sums, one for each
        variable, are exact for an empty prefix and never too small.
        """

    @cached_property
    def squares(self) -> FloatArray:
        """Sums of squared weights by degree and variable: the thesis's contributions matrix."""
        degrees = range(1, self.model.degree + 1)
        return np.stack([self.squares_with((), degree, self.model.alphas) for degree in degrees])

    @cached_property
    def rounding(self) -> FloatArray:
        """How far these sums may be off, because large numbers cancel out in them."""
        degrees = range(1, self.model.degree + 1)
        return np.stack([self._rounding_with((), degree, self.model.alphas) for degree in degrees])

    def squares_left(self, built: FloatArray, degree: int) -> FloatArray:
        """Bound the sums of a degree's monomials that were not built, given those that were."""
        left = np.maximum(self.squares[degree - 1] - built[degree - 1], 0.0)
        bound: FloatArray = left + self.rounding[degree - 1]
        return bound

    def factor(self, prefix: Prefix, degree: int) -> float:
        """Return what multiplies squared sums below a prefix, its own repetitions considered."""
        known = math.prod(math.factorial(prefix.count(v)) for v in set(prefix))
        return self.model.degree_factor(degree) * math.factorial(degree) / known

    def shares(self, prefix: Prefix, variables: IntArray) -> FloatArray:
        """Return by what a squared scale shrinks for a variable that the prefix already has."""
        shares = np.ones(len(variables))
        for variable in set(prefix):
            shares[variables == variable] = 1.0 / (prefix.count(variable) + 1)
        return shares

    def bounds(self, prefix: Prefix, degree: int, products: FloatArray) -> FloatArray:
        """Bound the weight of any single monomial of a degree with prefix and variable.

        It is the smaller of two: the norm of all their weights, and the sum of their vectors' dual
        coefficients times the largest value that the other factors can have.
        """
        sums = self.squares_with(prefix, degree, products) if prefix else self.squares[degree - 1]
        rest = degree - len(prefix) - 1
        norms = np.sqrt(np.maximum(sums, 0.0) + self._rounding_with(prefix, degree, products))
        most = math.sqrt(self.factor(prefix, degree)) * self._largest**rest
        return np.minimum(norms, most * self._one_sided(products) * (1.0 + _ROUNDING))

    def _one_sided(self, products: FloatArray) -> FloatArray:
        """Bound the sum of the products over the rows of each variable, whatever else comes in."""
        if not self._nonnegative:
            return _sums(self._sizes, np.abs(products))
        positive, negative = np.maximum(products, 0.0), np.maximum(-products, 0.0)
        return np.maximum(_sums(self._sizes, positive), _sums(self._sizes, negative))

    def _rounding_with(self, prefix: Prefix, degree: int, products: FloatArray) -> FloatArray:
        rest = degree - len(prefix) - 1
        lengths = np.diagonal(self.model.gram) ** (rest / 2.0)
        largest = _sums(self._sizes, np.abs(products) * lengths)
        return _ROUNDING * degree * self.factor(prefix, degree) * np.square(largest)

    @cached_property
    def _sizes(self) -> Any:
        return self.model.vectors if self._nonnegative else abs(self.model.vectors)

    @cached_property
    def _nonnegative(self) -> bool:
        return bool(self.model.vectors.min() >= 0.0) if self.model.n_vectors else True

    @cached_property
    def _largest(self) -> float:
        return float(abs(self.model.vectors).max()) if self.model.n_vectors else 0.0


class AllMonomials(MonomialSpace):
    """All monomials up to the degree of the kernel."""

    repeats = True

    def count(self, n_variables: int) -> int:  # noqa: D102
        return count_monomials(n_variables, self.model.degree) - 1

    def squares_with(  # noqa: D102
        self, prefix: Prefix, degree: int, products: FloatArray
    ) -> FloatArray:
        if not prefix:
            exact: FloatArray = self._contributions[degree - 1]
            return exact
        rest = degree - len(prefix) - 1
        forms = self.model.gram**rest if rest else None
        sums = quadratic_forms(self.model.vectors, products, forms)
        shares = self.shares(prefix, np.arange(self.model.n_variables))
        # q! is at least p! r! for q = p + r; the sum over r is then the multinomial theorem's.
        return self.factor(prefix, degree) / math.factorial(rest) * shares * sums

    @cached_property
    def _contributions(self) -> FloatArray:
        return contributions(self.model)


class SquareFreeMonomials(MonomialSpace):
    """Products of different variables, for data of 0 and 1 or of -1 and +1."""

    repeats = False

    def count(self, n_variables: int) -> int:  # noqa: D102
        return sum(math.comb(n_variables, degree) for degree in range(1, self.model.degree + 1))

    def squares_with(  # noqa: D102
        self, prefix: Prefix, degree: int, products: FloatArray
    ) -> FloatArray:
        rest = degree - len(prefix) - 1
        symmetric = self._symmetric_without(prefix, rest)
        sums = np.zeros(self.model.n_variables)
        for times, forms in enumerate(reversed(symmetric), start=1):
            # Leaving the variable itself out of e_rest is an alternating series in its powers.
            sign = 1.0 if times % 2 else -1.0
            sums += sign * quadratic_forms(self.model.vectors, products, forms, times)
        sums[list(prefix)] = 0.0
        return np.maximum(self.factor(prefix, degree) * sums, 0.0)

    def _symmetric_without(self, prefix: Prefix, most: int) -> list[FloatArray | None]:
        """Elementary symmetric polynomials 0..most of two vectors' products outside the prefix."""
        kept = self._symmetric(most)
        for variable in prefix:
            column = _column(self.model.vectors, variable)
            pair = np.outer(column, column)
            less: list[FloatArray | None] = [None]
            for larger in kept[1:]:
                assert larger is not None
                before = less[-1]
                np.subtract(larger, pair if before is None else pair * before, out=larger)
                less.append(larger)
            kept = less
        return kept

    def _symmetric(self, most: int) -> list[FloatArray | None]:
        """Newton's identities; None stands for the ones of e_0."""
        found: list[FloatArray | None] = [None]
        for k in range(1, most + 1):
            total = np.zeros_like(self.model.gram)
            for i in range(1, k + 1):
                lower = found[k - i]
                term = self._power_sum(i) if lower is None else self._power_sum(i) * lower
                if i % 2:
                    total += term
                else:
                    total -= term
            total /= k
            found.append(total)
        return found

    def _power_sum(self, power: int) -> FloatArray | float:
        if power % 2 or self.model.coding is Coding.ZERO_ONE:
            return self.model.gram
        return float(self.model.n_variables)


def space_of(model: PolynomialModel, *, fold: bool) -> MonomialSpace:
    """Choose by the numbers that the support vectors hold, unless folding is not wanted."""
    folds = fold and model.coding is not Coding.NUMBERS
    if folds and model.degree > 1:
        # Inner products, as many elementary symmetric polynomials as the degree less one, a term.
        _require_memory(model, model.degree + 1)
    return SquareFreeMonomials(model) if folds else AllMonomials(model)


def column_products(model: PolynomialModel, prefix: Prefix) -> FloatArray:
    """Return ``alpha_k`` times the value of a monomial in each support vector."""
    products = model.alphas
    for variable in prefix:
        products = products * _column(model.vectors, variable)
    return products


def _column(vectors: Any, variable: int) -> FloatArray:
    return dense(vectors[:, [variable]]).astype(np.float64, copy=False).ravel()


def _sums(vectors: Any, products: FloatArray) -> FloatArray:
    return np.asarray(vectors.T @ products, dtype=np.float64).ravel()
