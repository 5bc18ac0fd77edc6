"""Building all features below a prefix, by matrix products, and booking what was built."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.svm.families import FeatureFamily, Prefix, column_products
from eiderdown.svm.pool import Budget, Pool, Stop

_BLOCK_CELLS = 2**22
"""Weights in one block: what a matrix product makes at a time."""


class BudgetReached(Exception):  # noqa: N818 - an end, not an error
    """A budget is used up in the middle of building."""

    def __init__(self, reason: Stop) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, eq=False)
class Builder:
    """Builds features of a family, offers them to a pool and keeps the books.

    Attributes
    ----------
    family : FeatureFamily
        Whose features.
    pool : Pool
        Where the best of them are kept.
    budget : Budget
        When to stop; checked before every block.
    built : array of shape (degree, n_variables)
        Sums of the squared weights built so far, by level and variable.
    """

    family: FeatureFamily
    pool: Pool
    budget: Budget
    built: FloatArray

    @classmethod
    def new(cls, family: FeatureFamily, n_features: int, budget: Budget) -> Builder:
        """Begin with empty books."""
        shape = (family.model.degree, family.model.n_variables)
        return cls(family, Pool(n_features, family.model.degree), budget, np.zeros(shape))

    def build_below(self, prefix: Prefix, others: IntArray, level: int) -> None:
        """Build all features of a level: the prefix, then variables in the order of ``others``.

        Variables come in that order, and more than once only if the family repeats them.
        """
        rest = level - len(prefix)
        if rest == 1:
            self._check_budget()
            self._build_row(prefix, others, level)
        elif rest == 2 and not _is_sparse(self.family.model.vectors):
            self._build_pairs(prefix, others, level)
        else:
            for position, variable in enumerate(others):
                first = position if self.family.repeats else position + 1
                self.build_below((*prefix, int(variable)), others[first:], level)

    def build_listed(self, variable: int, others: IntArray, level: int) -> None:
        """Build features of a variable and each row of others, with repetition where it comes."""
        model = self.family.model
        products = column_products(model, (variable,))
        needed, positions = np.unique(others, return_inverse=True)
        columns = model.vectors[:, needed]
        columns = columns.toarray() if _is_sparse(columns) else columns
        sums = _products_of_columns(columns, positions.reshape(others.shape), products)
        features = np.column_stack([np.full(len(others), variable), others])
        weights = np.sqrt(self.family.factor((), level) / _repetitions(features)) * sums
        self.pool.offer(weights, features)
        squares = np.square(weights)
        in_order = np.sort(features, axis=1)
        first = np.ones_like(in_order, dtype=bool)
        first[:, 1:] = in_order[:, 1:] != in_order[:, :-1]
        np.add.at(
            self.built[level - 1],
            in_order[first],
            np.broadcast_to(squares[:, None], in_order.shape)[first],
        )

    def _build_row(self, prefix: Prefix, others: IntArray, level: int) -> None:
        """Build the features of a prefix and one more variable."""
        model = self.family.model
        sums = _sums(model.vectors, column_products(model, prefix), others)
        shares = self.family.shares(prefix, others)
        weights = math.sqrt(self.family.factor(prefix, level)) * np.sqrt(shares) * sums
        head = np.broadcast_to(np.array(prefix, dtype=np.int64), (len(others), len(prefix)))
        self.pool.offer(weights, np.column_stack([head, others]))
        self._book(prefix, level, others, np.square(weights), float(weights @ weights))

    def _build_pairs(self, prefix: Prefix, others: IntArray, level: int) -> None:
        """Build the features of a prefix and two more variables, a block of rows at a time."""
        model = self.family.model
        columns = model.by_variable[others]
        shares = self.family.shares(prefix, others)
        scales = math.sqrt(self.family.factor(prefix, level)) * np.sqrt(shares)
        products = column_products(model, prefix)
        # Low blocks: what is left of a block's first column is not computed.
        height = max(1, min(_BLOCK_CELLS // max(len(others), 1), max(64, len(others) // 8)))
        for first in range(0, len(others), height):
            self._check_budget()
            rows = slice(first, min(first + height, len(others)))
            weighted = columns[rows] * products
            weights = (weighted * scales[rows, None]) @ columns[first:].T
            if self.family.repeats:
                self._correct_repeats(weights, shares[first:])
            # Each pair once: what is left of the diagonal belongs to earlier rows.
            weights = np.triu(weights, 0 if self.family.repeats else 1)
            self.pool.offer_products(weights, prefix, others[rows], others[first:])
            n_rows, n_columns = weights.shape
            n_below = (
                n_rows * (n_rows - 1) // 2 if self.family.repeats else n_rows * (n_rows + 1) // 2
            )
            self.pool.n_built += n_rows * n_columns - n_below
            self._book_pairs(prefix, level, others[first:], weights)

    def _correct_repeats(self, weights: FloatArray, shares: FloatArray) -> None:
        """Bring in the exponents of the second variable, and of squares."""
        if not np.all(shares == 1.0):
            weights *= np.sqrt(shares)
        diagonal = np.arange(len(weights))
        times = 1.0 / shares[: len(weights)]
        weights[diagonal, diagonal] *= np.sqrt(times / (times + 1.0))

    def _book(
        self, prefix: Prefix, level: int, variables: IntArray, squares: FloatArray, total: float
    ) -> None:
        known = sorted(set(prefix))
        book = self.built[level - 1]
        new = ~np.isin(variables, known) if known else slice(None)
        book[variables[new]] += squares[new]
        book[known] += total

    def _book_pairs(
        self, prefix: Prefix, level: int, variables: IntArray, weights: FloatArray
    ) -> None:
        n_rows = len(weights)
        both = np.einsum("ij,ij->j", weights, weights)
        total = float(both.sum())
        both[:n_rows] += np.einsum("ij,ij->i", weights, weights)
        both[:n_rows] -= np.square(np.diagonal(weights))
        self._book(prefix, level, variables, both, total)

    def _check_budget(self) -> None:
        reason = self.budget.reached(self.pool.n_built)
        if reason is not None:
            raise BudgetReached(reason)


def _sums(vectors: Any, products: FloatArray, variables: IntArray) -> FloatArray:
    if not _is_sparse(vectors):
        sums: FloatArray = products @ vectors
        return sums[variables]
    rows = np.flatnonzero(products)
    found = np.asarray(vectors[rows].T @ products[rows], dtype=np.float64)
    return found[variables]


def _products_of_columns(
    columns: FloatArray, positions: IntArray, products: FloatArray
) -> FloatArray:
    """Sum the products of some columns over the vectors, for each row of positions."""
    sums = np.empty(len(positions))
    height = max(1, _BLOCK_CELLS // max(len(products), 1))
    for first in range(0, len(positions), height):
        rows = positions[first : first + height]
        values = np.broadcast_to(products[:, None], (len(products), len(rows)))
        for column in rows.T:
            values = values * columns[:, column]
        sums[first : first + height] = values.sum(axis=0)
    return sums


def _repetitions(features: IntArray) -> FloatArray:
    """Return the product of the factorials of the exponents, for each row of variables."""
    in_order = np.sort(features, axis=1)
    product, run = np.ones(len(features)), np.ones(len(features))
    for left, right in zip(in_order.T[:-1], in_order.T[1:], strict=True):
        run = np.where(left == right, run + 1.0, 1.0)
        product *= run
    return product


def _is_sparse(vectors: Any) -> bool:
    return hasattr(vectors, "tocsr")
