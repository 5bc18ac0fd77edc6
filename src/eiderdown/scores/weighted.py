"""Rows that count as much as their weights: tables, and a discrete score, over many weightings."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray, frozen
from eiderdown.data import Dataset
from eiderdown.data.missing import require_complete
from eiderdown.errors import OptionError
from eiderdown.scores.base import LocalScore
from eiderdown.scores.discrete import DiscreteScore
from eiderdown.scores.weighted_kernels import (
    ALL_CELLS,
    VisitedRows,
    WeightedCells,
    add_weights,
    sum_planes,
    sum_weighted_sweep,
    sum_weighted_terms,
    turn_to_rarer,
)
from eiderdown.statistics import CountStatistics, SweepCells, Workers, index_planes
from eiderdown.statistics.cost import PER_MASKED_WORD, THREADS_PAY_FROM

_PER_WEIGHT = 0.3  # nanoseconds for one row and one weighting, along the rows
_PER_VISIT = 0.04  # by bit planes
_FEW_WEIGHTINGS = 4  # with fewer, walking along the rows is as quick


class Terms(NamedTuple):
    """What is summed over tables: log-gamma functions, or n ln n.

    Attributes
    ----------
    marginal : bool
        Whether these are log-gamma functions.
    shifts : FloatArray of shape (n_candidates, 2)
        What they add to the weights of cells and of strata, for each candidate.
    """

    marginal: bool
    shifts: FloatArray

    @classmethod
    def of_likelihood(cls, n_candidates: int) -> Terms:
        """Return n ln n."""
        return cls(False, np.zeros((n_candidates, 2)))

    def of(self, candidates: IntArray) -> Terms:
        """Return the terms of some of the candidates."""
        return Terms(self.marginal, self.shifts[candidates])


class WeightedCounts:
    """Tables of a column, its parents and further candidates, under several weightings.

    Parameters
    ----------
    data : Dataset
        The table; counted columns must be discrete.
    weights : array-like of shape (n_weightings, n_rows)
        What each row counts for; not negative.
    n_jobs : int or None
        Threads; None means every available core. The tables do not depend on it.

    Examples
    --------
    >>> data = Dataset.from_columns({"a": [0, 0, 1], "b": [0, 1, 1]})
    >>> counts = WeightedCounts(data, [[1.0, 1.0, 1.0], [0.5, 2.0, 0.5]])
    >>> counts.family(1, [0])[..., 1].tolist()
    [[0.5, 2.0], [0.0, 0.5]]
    """

    def __init__(
        self,
        data: Dataset,
        weights: FloatArray | Sequence[Sequence[float]],
        *,
        n_jobs: int | None = None,
    ) -> None:
        given = np.asarray(weights, dtype=np.float64)
        if given.ndim != 2 or given.shape[1] != data.n_rows:
            raise OptionError(
                f"weights must have one row per weighting and {data.n_rows} columns, one for each "
                f"row of the table, but its shape is {given.shape}."
            )
        if not np.all(np.isfinite(given)) or np.any(given < 0.0):
            raise OptionError("weights must be finite numbers that are not negative.")
        require_complete(data, "Counting by weights")
        self.data = data
        self._weights: FloatArray = frozen(np.ascontiguousarray(given.T))
        self._statistics = CountStatistics(data, n_jobs=1)
        self._workers = Workers(n_jobs)

    @property
    def n_weightings(self) -> int:
        """How many weightings there are."""
        return int(self._weights.shape[1])

    def family(self, child: int, parents: Sequence[int] = ()) -> FloatArray:
        """Count a column given its parents.

        Returns
        -------
        FloatArray of shape (n_strata, categories of the child, n_weightings)
            Strata are the combinations of the parents' categories that occur.
        """
        shared = self._statistics.cells(child, tuple(parents))
        table = np.zeros((shared.n_cells, 1, self.n_weightings))
        add_weights(np.zeros(self.data.n_rows, np.uint8), shared.cells, self._weights, table)
        return table.reshape(shared.n_strata, shared.n_target_categories, self.n_weightings)

    def each(
        self,
        child: int,
        parents: Sequence[int],
        candidates: Sequence[int] | IntArray,
        consume: Callable[[int, FloatArray], None],
    ) -> None:
        """Count a column given its parents and each candidate, and hand the tables out.

        Parameters
        ----------
        child, parents, candidates
            The columns.
        consume : callable
            Takes the position of a candidate and its table, of shape (n_strata, categories of the
            child, categories of the candidate, n_weightings); called in no fixed order, possibly by
            several threads at once.
        """
        xs = [int(x) for x in candidates]
        shared = self._statistics.cells(child, tuple(parents))
        codes = [self.data.codes(x) for x in xs]

        def count(k: int) -> None:
            n_categories = int(self.data.n_categories[xs[k]])
            table = np.zeros((shared.n_cells, n_categories, self.n_weightings))
            add_weights(codes[k], shared.cells, self._weights, table)
            of_strata = (
                shared.n_strata,
                shared.n_target_categories,
                n_categories,
                self.n_weightings,
            )
            consume(k, table.reshape(of_strata))

        cost = _PER_WEIGHT * self._weights.size * len(xs)
        self._workers.each(count, range(len(xs)), pays=cost > THREADS_PAY_FROM)

    def sums(
        self, child: int, parents: Sequence[int], candidates: Sequence[int] | IntArray, terms: Terms
    ) -> FloatArray:
        """Sum terms over the tables of a column, its parents and each candidate.

        Parameters
        ----------
        child, parents, candidates
            The columns; a candidate -1 is nobody.
        terms : Terms
            What is summed: those of the cells less those of the strata.

        Returns
        -------
        FloatArray of shape (n_candidates, n_weightings)
            The sums.
        """
        xs = np.asarray(candidates, dtype=np.int64)
        sums = np.empty((len(xs), self.n_weightings))
        shared = self._statistics.cells(child, tuple(parents))
        by_planes = self._planes_pay(shared, xs)
        if by_planes.all():
            self._sum_by_planes(shared, xs, terms, sums)
            return sums
        planes, rows = np.flatnonzero(by_planes), np.flatnonzero(~by_planes)
        if len(planes):
            some = np.empty((len(planes), self.n_weightings))
            self._sum_by_planes(shared, xs[planes], terms.of(planes), some)
            sums[planes] = some
        self._sum_by_rows((child, tuple(parents)), xs, terms, rows, sums)
        return sums

    def information(
        self, child: int, parents: Sequence[int], candidates: Sequence[int] | IntArray
    ) -> FloatArray:
        """Return the information of the child and each candidate given the parents.

        Returns
        -------
        FloatArray of shape (n_candidates, n_weightings)
            Conditional mutual information in nats.
        """
        xs = np.asarray(candidates, dtype=np.int64)
        with_nobody = np.concatenate([[-1], xs])
        sums = self.sums(child, parents, with_nobody, Terms.of_likelihood(len(xs) + 1))
        # Rounding can leave a little below zero where nothing is shared.
        shared: FloatArray = np.maximum(sums[1:] - sums[0], 0.0) / self._whole
        return shared

    @cached_property
    def _whole(self) -> FloatArray:
        """What all rows count for, 1 where that is nothing."""
        whole = self._weights.sum(axis=0)
        return np.where(whole > 0.0, whole, 1.0)

    def _planes_pay(self, shared: SweepCells, xs: IntArray) -> BoolArray:
        """Tell of each candidate whether its table is summed quicker by bit planes."""
        if self.n_weightings < _FEW_WEIGHTINGS:
            return np.zeros(len(xs), dtype=np.bool_)
        by_mask = PER_MASKED_WORD * shared.n_cells * max(1, (self.data.n_rows + 63) // 64)
        most_planes = _PER_WEIGHT * self._weights.size / by_mask
        pays: BoolArray = self._n_planes[xs] < most_planes
        return pays

    def _sum_by_planes(
        self, shared: SweepCells, xs: IntArray, terms: Terms, sums: FloatArray
    ) -> None:
        of_cells = np.empty((shared.n_cells, self.n_weightings))
        sum_planes(shared.masks, self._weights, of_cells)
        # Given nobody, the largest cell has what is left of a candidate's own weight.
        unvisited = int(shared.sizes.argmax()) if shared.n_strata == 1 else ALL_CELLS
        cells = WeightedCells(
            frozen(shared.masks), frozen(of_cells), shared.n_target_categories, unvisited
        )

        def fill(part: slice) -> None:
            asked = (xs[part], terms.marginal, terms.shifts[part], sums[part])
            sum_weighted_sweep(cells, self._visited, self._weights, *asked)

        cost = _PER_VISIT * self._weights.size * len(xs)
        if self._workers.n_jobs == 1 or cost <= THREADS_PAY_FROM:
            fill(slice(None))
            return
        cuts = np.linspace(0, len(xs), self._workers.n_jobs + 1).astype(int).tolist()
        parts = [slice(start, end) for start, end in pairwise(cuts) if start < end]
        self._workers.each(fill, parts, pays=True)

    def _sum_by_rows(
        self,
        family: tuple[int, tuple[int, ...]],
        xs: IntArray,
        terms: Terms,
        which: IntArray,
        sums: FloatArray,
    ) -> None:
        def add(at: int, table: FloatArray) -> None:
            flat = table.reshape(-1, self.n_weightings)
            sum_weighted_terms(flat, table.shape[:3], terms.marginal, terms.shifts, sums, at)

        for at in which[xs[which] < 0].tolist():
            add(at, self.family(*family)[:, :, None, :])
        others = which[xs[which] >= 0]
        self.each(*family, xs[others], lambda k, table: add(int(others[k]), table))

    @cached_property
    def _n_planes(self) -> FloatArray:
        """How many planes a column has, infinitely many if it has none; at last those of nobody."""
        has_planes = self._visited.first >= 0
        return np.append(np.where(has_planes, self.data.n_categories - 1.0, np.inf), 0.0)

    @cached_property
    def _visited(self) -> VisitedRows:
        """All categories but one of every column, of two the rarer one."""
        index, n_categories = index_planes(self.data), self.data.n_categories
        planes = index.planes.copy()
        of_two = index.first[(n_categories == 2) & (index.first >= 0)]
        turn_to_rarer(planes, of_two, self.data.n_rows)
        sums = np.empty((len(planes), self.n_weightings))
        sum_planes(planes, self._weights, sums)
        return VisitedRows(frozen(planes), index.first, n_categories, frozen(sums))


class WeightedScore(LocalScore):
    """The mean, over several weightings, of what a score says of the weighted rows.

    Parameters
    ----------
    score : DiscreteScore
        The score that is averaged; what its parameters cost stays as it is.
    weights : array-like of shape (n_weightings, n_rows)
        What each row counts for.
    n_jobs : int or None
        Threads; None means every available core.
    n_effective : float or None
        The rows by which parameters cost something; None for those of the table.
    """

    name = "weighted"

    def __init__(
        self,
        score: DiscreteScore,
        weights: FloatArray | Sequence[Sequence[float]],
        *,
        n_jobs: int | None = None,
        n_effective: float | None = None,
    ) -> None:
        super().__init__(score.names)
        self._n_effective = score.data.n_rows if n_effective is None else n_effective
        self.weighted_counts = WeightedCounts(score.data, weights, n_jobs=n_jobs)
        self._score = score
        self._categories: list[int] = score.data.n_categories.tolist()
        self._asked: dict[tuple[int, int], tuple[float, float, float]] = {}

    @property
    def description(self) -> dict[str, object]:
        """Name and options of the score, for the record of a run."""
        n_weightings = self.weighted_counts.n_weightings
        return {**self._score.description, "n_weightings": n_weightings}

    def _local(self, child: int, parents: tuple[int, ...]) -> float:
        return float(self._means(child, parents, np.array([-1]))[0])

    def _additions(self, child: int, parents: tuple[int, ...], candidates: IntArray) -> FloatArray:
        return self._means(child, parents, candidates)

    def _means(self, child: int, parents: tuple[int, ...], candidates: IntArray) -> FloatArray:
        """Score the column with each candidate added to its parents; -1 is nobody."""
        n_strata = math.prod(self._categories[z] for z in parents)
        n_child = self._categories[child]
        asked = [
            self._asked_of(n_strata * (self._categories[x] if x >= 0 else 1), n_child)
            for x in candidates.tolist()
        ]
        of_cell, of_stratum, price = np.array(asked, dtype=np.float64).reshape(-1, 3).T
        terms = Terms(self._score.marginal, np.column_stack([of_cell, of_stratum]))
        sums = self.weighted_counts.sums(child, parents, candidates, terms)
        means: FloatArray = sums.mean(axis=1) - price
        return means

    def _asked_of(self, n_strata: int, n_child: int) -> tuple[float, float, float]:
        """Return the shifts of a family's cells and strata, and what its parameters cost."""
        key = (n_strata, n_child)
        if key not in self._asked:
            price = self._score.price_at(self._n_effective, n_strata, n_child)
            self._asked[key] = (*self._score.shifts(n_strata, n_child), price)
        return self._asked[key]
