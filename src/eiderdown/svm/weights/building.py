"""Building all monomials below a prefix, by matrix products, and adding up what was built."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.progress import Cancelled, Trace
from eiderdown.svm.monomials import is_sparse
from eiderdown.svm.weights.spaces import MonomialSpace, Prefix, column_products
from eiderdown.svm.weights.top_k import Stop, TopK, TopMonomials, n_proven

_BLOCK_CELLS = 2**22
"""Weights in one block: what a matrix product makes at a time."""


class LimitReached(Exception):  # noqa: N818 - an end, not an error
    """As many monomials were built as the search may build."""


@dataclass(eq=False)
class Builder:
    """Builds monomials of a space, keeps the best, and adds up the squares of what was built.

    Attributes
    ----------
    space : MonomialSpace
        Whose monomials.
    top : TopK
        The best so far.
    trace : Trace
        Told before every block of monomials; it cancels the search when its time is over.
    max_built : int or None
        Monomials to build at most, give or take one block of them.
    built : array of shape (degree, n_variables)
        Sums of the squared weights built so far, by level and variable.
    """

    space: MonomialSpace
    top: TopK
    trace: Trace
    max_built: int | None
    built: FloatArray = field(init=False)
    started: float = field(default_factory=time.perf_counter)

    def __post_init__(self) -> None:
        self.built = np.zeros((self.space.model.degree, self.space.model.n_variables))

    def result(self, method: str, unseen: float, stopped: Stop | None) -> TopMonomials:
        """End the search; ``unseen`` bounds the weights of monomials that were not built."""
        monomials, weights = self.top.sorted()
        return TopMonomials(
            monomials=monomials,
            weights=weights,
            method=method,
            n_built=self.top.n_built,
            n_total=self.n_total,
            n_proven=n_proven(weights, unseen),
            unseen=float(unseen),
            stopped=stopped,
            seconds=time.perf_counter() - self.started,
        )

    @property
    def n_total(self) -> int:
        """How many monomials there are."""
        return self.space.count(self.space.model.n_variables)

    def check_limits(self) -> None:
        """Raise ``LimitReached`` or ``Cancelled`` if the search is to end."""
        if self.max_built is not None and self.top.n_built >= self.max_built:
            raise LimitReached
        self.trace.progressed("building monomials", self.top.n_built)

    def stop_reason(self, end: LimitReached | Cancelled) -> Stop:
        """Say which limit ended the search."""
        if isinstance(end, LimitReached):
            return "monomials"
        own = self.trace.cancellation
        return "seconds" if own is not None and own.out_of_time else "interrupted"

    def build_below(self, prefix: Prefix, others: IntArray, level: int) -> None:
        """Build all monomials of a level: the prefix, then variables in the order of ``others``.

        Variables come in that order, and more than once only if the space repeats them.
        """
        rest = level - len(prefix)
        if rest == 1:
            self.check_limits()
            self._build_row(prefix, others, level)
        elif rest == 2 and not is_sparse(self.space.model.vectors):
            self._build_pairs(prefix, others, level)
        else:
            for position, variable in enumerate(others):
                first = position if self.space.repeats else position + 1
                self.build_below((*prefix, int(variable)), others[first:], level)

    def build_listed(self, variable: int, others: IntArray, level: int) -> None:
        """Build monomials of a variable and each row of others, with repetition where it comes."""
        model = self.space.model
        products = column_products(model, (variable,))
        needed, positions = np.unique(others, return_inverse=True)
        columns = model.vectors[:, needed]
        columns = columns.toarray() if is_sparse(columns) else columns
        sums = _products_of_columns(columns, positions.reshape(others.shape), products)
        monomials = np.column_stack([np.full(len(others), variable), others])
        weights = np.sqrt(self.space.factor((), level) / _repetitions(monomials)) * sums
        self.top.offer(weights, monomials)
        squares = np.square(weights)
        in_order = np.sort(monomials, axis=1)
        first = np.ones_like(in_order, dtype=bool)
        first[:, 1:] = in_order[:, 1:] != in_order[:, :-1]
        np.add.at(
            self.built[level - 1],
            in_order[first],
            np.broadcast_to(squares[:, None], in_order.shape)[first],
        )

    def _build_row(self, prefix: Prefix, others: IntArray, level: int) -> None:
        """Build the monomials of a prefix and one more variable."""
        model = self.space.model
        sums = _sums(model.vectors, column_products(model, prefix), others)
        shares = self.space.shares(prefix, others)
        weights = math.sqrt(self.space.factor(prefix, level)) * np.sqrt(shares) * sums
        head = np.broadcast_to(np.array(prefix, dtype=np.int64), (len(others), len(prefix)))
        self.top.offer(weights, np.column_stack([head, others]))
        self._add_up(prefix, level, others, np.square(weights), float(weights @ weights))

    def _build_pairs(self, prefix: Prefix, others: IntArray, level: int) -> None:
        """Build the monomials of a prefix and two more variables, a block of rows at a time."""
        model = self.space.model
        columns = model.by_variable[others]
        shares = self.space.shares(prefix, others)
        scales = math.sqrt(self.space.factor(prefix, level)) * np.sqrt(shares)
        products = column_products(model, prefix)
        # Low blocks: what is left of a block's first column is not computed.
        height = max(1, min(_BLOCK_CELLS // max(len(others), 1), max(64, len(others) // 8)))
        for first in range(0, len(others), height):
            self.check_limits()
            rows = slice(first, min(first + height, len(others)))
            weighted = columns[rows] * products
            weights = (weighted * scales[rows, None]) @ columns[first:].T
            if self.space.repeats:
                self._correct_repeats(weights, shares[first:])
            # Each pair once: what is left of the diagonal belongs to earlier rows.
            weights = np.triu(weights, 0 if self.space.repeats else 1)
            self.top.offer_products(weights, prefix, others[rows], others[first:])
            n_rows, n_columns = weights.shape
            n_below = (
                n_rows * (n_rows - 1) // 2 if self.space.repeats else n_rows * (n_rows + 1) // 2
            )
            self.top.n_built += n_rows * n_columns - n_below
            self._add_pairs_up(prefix, level, others[first:], weights)

    def _correct_repeats(self, weights: FloatArray, shares: FloatArray) -> None:
        """Bring in the exponents of the second variable, and of squares."""
        if not np.all(shares == 1.0):
            weights *= np.sqrt(shares)
        diagonal = np.arange(len(weights))
        times = 1.0 / shares[: len(weights)]
        weights[diagonal, diagonal] *= np.sqrt(times / (times + 1.0))

    def _add_up(
        self, prefix: Prefix, level: int, variables: IntArray, squares: FloatArray, total: float
    ) -> None:
        known = sorted(set(prefix))
        sums = self.built[level - 1]
        new = ~np.isin(variables, known) if known else slice(None)
        sums[variables[new]] += squares[new]
        sums[known] += total

    def _add_pairs_up(
        self, prefix: Prefix, level: int, variables: IntArray, weights: FloatArray
    ) -> None:
        n_rows = len(weights)
        both = np.einsum("ij,ij->j", weights, weights)
        total = float(both.sum())
        both[:n_rows] += np.einsum("ij,ij->i", weights, weights)
        both[:n_rows] -= np.square(np.diagonal(weights))
        self._add_up(prefix, level, variables, both, total)


def _sums(vectors: Any, products: FloatArray, variables: IntArray) -> FloatArray:
    if not is_sparse(vectors):
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


def _repetitions(monomials: IntArray) -> FloatArray:
    """Return the product of the factorials of the exponents, for each row of variables."""
    in_order = np.sort(monomials, axis=1)
    product, run = np.ones(len(monomials)), np.ones(len(monomials))
    for left, right in zip(in_order.T[:-1], in_order.T[1:], strict=True):
        run = np.where(left == right, run + 1.0, 1.0)
        product *= run
    return product
