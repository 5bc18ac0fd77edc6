"""Rows that count as much as their weights: tables, and a discrete score, over many weightings."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from eiderdown.arrays import FloatArray, IntArray, frozen
from eiderdown.data import Dataset
from eiderdown.data.missing import require_complete
from eiderdown.errors import OptionError
from eiderdown.scores.base import LocalScore
from eiderdown.scores.discrete import DiscreteScore
from eiderdown.scores.kernels import add_weights, sum_weighted_terms, weighted_information
from eiderdown.statistics import CountStatistics, Workers
from eiderdown.statistics.cost import THREADS_PAY_FROM

_PER_WEIGHT = 0.3  # nanoseconds for one row and one weighting


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

    def information(
        self, child: int, parents: Sequence[int], candidates: Sequence[int] | IntArray
    ) -> FloatArray:
        """Return the information of the child and each candidate given the parents.

        Returns
        -------
        FloatArray of shape (n_candidates, n_weightings)
            Conditional mutual information in nats.
        """
        found = np.empty((len(candidates), self.n_weightings))
        self.each(
            child, parents, candidates, lambda k, table: weighted_information(table, found[k])
        )
        return found


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

    @property
    def description(self) -> dict[str, object]:
        """Name and options of the score, for the record of a run."""
        n_weightings = self.weighted_counts.n_weightings
        return {**self._score.description, "n_weightings": n_weightings}

    def _local(self, child: int, parents: tuple[int, ...]) -> float:
        table = self.weighted_counts.family(child, parents)[:, :, None, :]
        return self._mean(table, child, parents)

    def _additions(self, child: int, parents: tuple[int, ...], candidates: IntArray) -> FloatArray:
        xs = candidates.tolist()
        found = np.empty(len(xs))

        def score_one(k: int, table: FloatArray) -> None:
            found[k] = self._mean(table, child, (*parents, xs[k]))

        self.weighted_counts.each(child, parents, xs, score_one)
        return found

    def _mean(self, table: FloatArray, child: int, parents: tuple[int, ...]) -> float:
        n_strata = math.prod(self._categories[z] for z in parents)
        of_cell, of_stratum = self._score.shifts(n_strata, self._categories[child])
        sums = np.empty(table.shape[3])
        sum_weighted_terms(table, self._score.marginal, of_cell, of_stratum, sums)
        price = self._score.price_at(self._n_effective, n_strata, self._categories[child])
        return float(sums.mean()) - price
