"""Building monomials by matrix products, and keeping those with the largest weights."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray, frozen, without_rounding
from eiderdown.errors import OptionError
from eiderdown.progress import Cancelled, Trace
from eiderdown.svm.monomials import Monomial, is_sparse
from eiderdown.svm.weights.contributions import MonomialSpace, Prefix, column_products

_BLOCK_CELLS = 2**22
"""Weights in one block: what a matrix product makes at a time."""

Stop: TypeAlias = Literal["monomials", "seconds", "interrupted"]
ClassPair: TypeAlias = tuple[Any, Any] | None

SLACK = 1e-9
"""Weights this close (relatively) count as equal where one must be proven not to be smaller."""

_NO_VARIABLE = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class TopMonomials:
    """The monomials with the largest weights that a search found.

    Attributes
    ----------
    monomials : tuple of Monomial
        By falling size of the weight.
    weights : array
        Their weights.
    method : str
        How they were found.
    n_built : int
        How many monomials the search built.
    n_total : int
        How many there are.
    n_proven : int
        How many of the first are proven to be the top ones.
    unseen : float
        No monomial that was not built has a larger weight than this, in size.
    stopped : {"monomials", "seconds", "interrupted"} or None
        Which limit ended the search; None if it came to its own end.
    seconds : float
        How long it took.
    classes : tuple of pairs or None
        For each monomial the classes of the model that the weight is of; () for a single model.
    """

    monomials: tuple[Monomial, ...]
    weights: FloatArray
    method: str
    n_built: int
    n_total: int
    n_proven: int
    unseen: float
    stopped: Stop | None
    seconds: float
    classes: tuple[ClassPair, ...] = ()

    @property
    def proven(self) -> bool:
        """Whether these are certainly the top monomials."""
        return self.n_proven == len(self.monomials)

    @property
    def gap(self) -> float:
        """How much larger an unseen weight could be than the last one here; 0 if proven."""
        last = abs(float(self.weights[-1])) if len(self.weights) else 0.0
        return 0.0 if self.proven else max(self.unseen - last, 0.0)


def n_proven(weights: FloatArray, unseen: float) -> int:
    """Count how many of the first weights are at least as large as any unseen one."""
    sure = np.abs(weights) >= unseen * (1.0 - SLACK)
    return len(sure) if np.all(sure) else int(np.argmin(sure))


class TopK:
    """The best monomials so far."""

    def __init__(self, size: int, degree: int) -> None:
        if size < 1:
            raise OptionError(f"n_monomials must be at least 1, not {size}.")
        self.size = size
        self.n_built = 0
        self._weights: FloatArray = np.empty(0)
        self._variables: IntArray = np.empty((0, degree), dtype=np.int64)
        self._waiting: list[tuple[FloatArray, IntArray]] = []
        self._n_waiting = 0
        self._cut = 0.0

    @property
    def least(self) -> float:
        """Size of the smallest weight that is kept; 0 while there is room."""
        self._merge()
        return self._cut

    def offer(self, weights: FloatArray, variables: IntArray) -> None:
        """Offer monomials: their weights, and a row of variables (with repetition) for each."""
        self.n_built += len(weights)
        self._add(weights, np.abs(weights) >= self._entry, variables)

    def offer_products(
        self, weights: FloatArray, prefix: tuple[int, ...], rows: IntArray, columns: IntArray
    ) -> None:
        """Offer monomials of a prefix, a variable of the rows and one of the columns.

        What is zero is taken for no monomial, and counting those that are is left to the caller.
        """
        entry = self._entry
        if weights.size == 0 or (weights.max() < entry and weights.min() > -entry):
            return
        row, column = np.nonzero(np.abs(weights) >= entry)
        head = np.broadcast_to(np.array(prefix, dtype=np.int64), (len(row), len(prefix)))
        variables = np.column_stack([head, rows[row], columns[column]])
        self._add(weights[row, column], np.ones(len(row), dtype=bool), variables)

    @property
    def _entry(self) -> float:
        # A weight of zero is no monomial of the model at all.
        return max(self._cut * (1.0 - SLACK), 1e-300)

    def _add(self, weights: FloatArray, good: BoolArray, variables: IntArray) -> None:
        n_good = int(np.count_nonzero(good))
        if n_good:
            padded = np.full((n_good, self._variables.shape[1]), _NO_VARIABLE)
            padded[:, : variables.shape[1]] = np.sort(variables[good], axis=1)
            self._waiting.append((weights[good], padded))
            self._n_waiting += n_good
        if self._n_waiting > max(4 * self.size, 1_000):
            self._merge()

    def _merge(self) -> None:
        """Keep the best; equal weights by fewer variables, then by their order."""
        if not self._waiting:
            return
        weights = np.concatenate([self._weights, *(w for w, _ in self._waiting)])
        variables = np.concatenate([self._variables, *(v for _, v in self._waiting)])
        if len(weights) > self.size:
            cut = np.partition(np.abs(weights), -self.size)[-self.size]
            near = np.abs(weights) >= cut * (1.0 - SLACK)
            weights, variables = weights[near], variables[near]
        lengths = np.count_nonzero(variables != _NO_VARIABLE, axis=1)
        keys = (*variables.T[::-1], lengths, -without_rounding(np.abs(weights)))
        order = np.lexsort(keys)[: self.size]
        self._weights, self._variables = weights[order], variables[order]
        self._waiting, self._n_waiting = [], 0
        if len(order) == self.size:
            self._cut = float(np.abs(self._weights).min())

    def sorted(self) -> tuple[tuple[Monomial, ...], FloatArray]:
        """Return what is kept, the largest weights first."""
        self._merge()
        monomials = tuple(Monomial.of(row[row != _NO_VARIABLE]) for row in self._variables)
        return monomials, frozen(self._weights)


class LimitReached(Exception):  # noqa: N818 - an end, not an error
    """As many monomials were built as the search may build."""


@dataclass(eq=False)
class Builder:
    """Builds monomials of a space, keeps the best, and adds up the squares of what was built."""

    space: MonomialSpace
    top: TopK
    trace: Trace
    max_built: int | None  # give or take one block of them
    built: FloatArray = field(init=False)  # sums of squared weights by degree and variable
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

    def build_below(self, prefix: Prefix, others: IntArray, degree: int) -> None:
        """Build all monomials of a degree: the prefix, then variables in the order of ``others``.

        Variables come in that order, and more than once only if the space repeats them.
        """
        rest = degree - len(prefix)
        if rest == 1:
            self.check_limits()
            self._build_row(prefix, others, degree)
        elif rest == 2 and not is_sparse(self.space.model.vectors):
            self._build_pairs(prefix, others, degree)
        else:
            for position, variable in enumerate(others):
                first = position if self.space.repeats else position + 1
                self.build_below((*prefix, int(variable)), others[first:], degree)

    def build_listed(self, variable: int, others: IntArray, degree: int) -> None:
        """Build monomials of a variable and each row of others, with repetition where it comes."""
        model = self.space.model
        products = column_products(model, (variable,))
        needed, positions = np.unique(others, return_inverse=True)
        columns = model.vectors[:, needed]
        columns = columns.toarray() if is_sparse(columns) else columns
        sums = _products_of_columns(columns, positions.reshape(others.shape), products)
        monomials = np.column_stack([np.full(len(others), variable), others])
        weights = np.sqrt(self.space.factor((), degree) / _repetitions(monomials)) * sums
        self.top.offer(weights, monomials)
        squares = np.square(weights)
        in_order = np.sort(monomials, axis=1)
        first = np.ones_like(in_order, dtype=bool)
        first[:, 1:] = in_order[:, 1:] != in_order[:, :-1]
        np.add.at(
            self.built[degree - 1],
            in_order[first],
            np.broadcast_to(squares[:, None], in_order.shape)[first],
        )

    def _build_row(self, prefix: Prefix, others: IntArray, degree: int) -> None:
        """Build the monomials of a prefix and one more variable."""
        model = self.space.model
        sums = _sums(model.vectors, column_products(model, prefix), others)
        shares = self.space.shares(prefix, others)
        weights = math.sqrt(self.space.factor(prefix, degree)) * np.sqrt(shares) * sums
        head = np.broadcast_to(np.array(prefix, dtype=np.int64), (len(others), len(prefix)))
        self.top.offer(weights, np.column_stack([head, others]))
        self._add_up(prefix, degree, others, np.square(weights), float(weights @ weights))

    def _build_pairs(self, prefix: Prefix, others: IntArray, degree: int) -> None:
        """Build the monomials of a prefix and two more variables, a block of rows at a time."""
        model = self.space.model
        columns = model.by_variable[others]
        shares = self.space.shares(prefix, others)
        scales = math.sqrt(self.space.factor(prefix, degree)) * np.sqrt(shares)
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
            self._add_pairs_up(prefix, degree, others[first:], weights)

    def _correct_repeats(self, weights: FloatArray, shares: FloatArray) -> None:
        """Bring in the exponents of the second variable, and of squares."""
        if not np.all(shares == 1.0):
            weights *= np.sqrt(shares)
        diagonal = np.arange(len(weights))
        times = 1.0 / shares[: len(weights)]
        weights[diagonal, diagonal] *= np.sqrt(times / (times + 1.0))

    def _add_up(
        self, prefix: Prefix, degree: int, variables: IntArray, squares: FloatArray, total: float
    ) -> None:
        known = sorted(set(prefix))
        sums = self.built[degree - 1]
        new = ~np.isin(variables, known) if known else slice(None)
        sums[variables[new]] += squares[new]
        sums[known] += total

    def _add_pairs_up(
        self, prefix: Prefix, degree: int, variables: IntArray, weights: FloatArray
    ) -> None:
        n_rows = len(weights)
        both = np.einsum("ij,ij->j", weights, weights)
        total = float(both.sum())
        both[:n_rows] += np.einsum("ij,ij->i", weights, weights)
        both[:n_rows] -= np.square(np.diagonal(weights))
        self._add_up(prefix, degree, variables, both, total)


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
