"""A discrete score averaged over weightings of the rows."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.scores.base import LocalScore
from eiderdown.scores.discrete import DiscreteScore
from eiderdown.scores.weighted import WeightedCounts


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
    """

    name = "weighted"

    def __init__(
        self,
        score: DiscreteScore,
        weights: FloatArray | Sequence[Sequence[float]],
        *,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(score.names)
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
        from eiderdown.scores.weighted_kernels import family_sums

        n_strata = math.prod(self._categories[z] for z in parents)
        of_cell, of_stratum = self._score.shifts(n_strata, self._categories[child])
        sums = np.empty(table.shape[3])
        family_sums(table, self._score.marginal, of_cell, of_stratum, sums)
        return float(sums.mean()) - self._score.price(n_strata, self._categories[child])
