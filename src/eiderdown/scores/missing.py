"""Scores of tables with missing values: the node-average likelihood, and means over imputations.

A family, a column with its parents, can only be scored on the rows in which all have values, and
other families on other rows, so that sums of log-likelihoods cannot be compared. Averages can
(Balov 2013; Bodewes and Scutari 2021): with V(F) what a score says of the rows of family F, n(F) of
them, and V0(F) what it says of the column alone in the same rows,

    n / n(X) V(X)  +  n / n(F) (V(F) - V0(F))  -  sqrt(ln n) n R(F) sum sqrt(1 / n(F) - 1 / n(F-Z))

is the score of column X with the family F, n being the rows of the table and the sum over its
parents Z. It is the score itself where nothing is missing. Two things differ from the papers:

- what the parents explain is compared with the column alone *in the same rows*, which takes the
  chance out of which rows these are, as far as the column alone goes;
- chance in the rest makes averages over different rows differ by some n^-1/2, which the price of
  ln(n) / 2n for a parameter does not outweigh; the papers raise that price for all families, and
  here the last term does it for each parent by the rows that it alone lacks: R^2 is
  1 - exp(-2 (V - V0) / n(F)), the variance of the log-likelihood ratio of Gaussian variables that
  explain as much. It grows faster than chance and more slowly than what true parents explain, so
  that the score is consistent if values are missing completely at random.

Equivalent graphs have families of different rows, and no longer score the same.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.data import Dataset
from eiderdown.errors import ConstantColumnError
from eiderdown.scores.base import LocalScore

_MOST_KEPT = 64  # scores of some of the rows


class NodeAverageScore(LocalScore):
    """Make of a score of complete tables one of a table with missing values.

    Parameters
    ----------
    data : Dataset
        The table.
    make : callable
        Makes the score from a table without missing values.

    Examples
    --------
    >>> from eiderdown.scores import BicScore
    >>> data = Dataset.from_columns({"a": [0, 0, 1, 1] * 25, "b": [0, 0, 1, None] * 25})
    >>> score = NodeAverageScore(data, BicScore)
    >>> score.local(1, [0]) > score.local(1)
    True
    """

    equivalent = False

    def __init__(self, data: Dataset, make: Callable[[Dataset], LocalScore]) -> None:
        super().__init__(data.names)
        self.data = data
        self._make = make
        self._recent: OrderedDict[tuple[int, ...], LocalScore] = OrderedDict()
        self._n_rows_of: dict[tuple[int, ...], int] = {}
        self._inner = self._score_of((0,))

    @property
    def name(self) -> str:  # type: ignore[override]  # of the score that is averaged
        """What users call the score."""
        return self._inner.name

    @property
    def description(self) -> dict[str, object]:
        """Name and options of the score, for the record of a run."""
        return {**self._inner.description, "node_average": True}

    def _local(self, child: int, parents: tuple[int, ...]) -> float:
        own = self._score_of((child,)).local(0)
        average = NodeAverage(self.data.n_rows, self._n_complete((child,)), own)
        if not parents:
            return average.of_child
        n_rows = self._n_complete((child, *parents))
        if n_rows <= len(parents) + 2:
            return average.of_family([0], 0.0)
        try:
            score = self._score_of((child, *parents))
            gain = score.local(0, range(1, 1 + len(parents))) - score.local(0)
        except ConstantColumnError:  # in these rows
            return average.of_family([0], 0.0)
        # The rows of the family without each parent that has missing values.
        others = [[w for w in parents if w != z] for z in parents if self.data.has_missing[z]]
        without = [self._n_complete((child, *rest)) for rest in others]
        return average.of_family([n_rows, *without], gain)

    def _n_complete(self, columns: tuple[int, ...]) -> int:
        """Return how many rows have a value in each of some columns; a pass of a table in parts."""
        incomplete = tuple(sorted(i for i in columns if self.data.has_missing[i]))
        if not incomplete:
            return self.data.n_rows
        if incomplete not in self._n_rows_of:
            self._n_rows_of[incomplete] = self.data.n_complete(incomplete)
        return self._n_rows_of[incomplete]

    def _score_of(self, columns: tuple[int, ...]) -> LocalScore:
        """Make, or remember, the score of some columns in the rows in which all have values."""
        if columns not in self._recent:
            table = self.data.select([self.names[i] for i in columns])
            complete = table.complete_in(range(len(columns))) if table.has_missing.any() else table
            self._recent[columns] = self._make(complete)
            if len(self._recent) > _MOST_KEPT:
                self._recent.popitem(last=False)
        self._recent.move_to_end(columns)
        return self._recent[columns]


@dataclass(frozen=True)
class NodeAverage:
    """What a column alone scores, and the way from its rows and others' to those of the table.

    Attributes
    ----------
    n_rows : int
        Rows of the table.
    n_own : int
        Rows in which the column has a value.
    own : float
        The score of the column without parents in its own rows.
    """

    n_rows: int
    n_own: int
    own: float

    @property
    def of_child(self) -> float:
        """The score of the column without parents."""
        return self.n_rows / self.n_own * self.own

    def of_family(self, n_complete: Sequence[int], gain: float) -> float:
        """Return the score with parents that add ``gain`` in the complete rows.

        ``n_complete`` are these rows, and those there would be without each parent.
        """
        n_rows, *without = n_complete
        if n_rows == 0:
            return self.of_child - self.n_rows  # as much worse as a nat in each row
        share = gain / n_rows
        r = math.sqrt(-math.expm1(-2.0 * share)) if share > 0.0 else 0.0
        deviation = r * math.fsum(math.sqrt(1.0 / n_rows - 1.0 / n) for n in without)
        return self.of_child + self.n_rows * (share - math.sqrt(math.log(self.n_rows)) * deviation)


class ImputedScore(LocalScore):
    """Score graphs by the mean over several imputed tables.

    Parameters
    ----------
    scores : sequence of LocalScore
        The score of each table; at least one.
    """

    def __init__(self, scores: Sequence[LocalScore]) -> None:
        super().__init__(scores[0].names)
        self.scores = tuple(scores)
        self.equivalent = scores[0].equivalent

    @property
    def name(self) -> str:  # type: ignore[override]  # of the score itself
        """What users call the score."""
        return self.scores[0].name

    @property
    def description(self) -> dict[str, object]:
        """Name and options of the score, and how many tables there are."""
        return {**self.scores[0].description, "imputed_tables": len(self.scores)}

    def _local(self, child: int, parents: tuple[int, ...]) -> float:
        return float(np.mean([score.local(child, parents) for score in self.scores]))

    def _additions(self, child: int, parents: tuple[int, ...], candidates: IntArray) -> FloatArray:
        found = [score.additions(child, parents, candidates) for score in self.scores]
        return np.asarray(np.mean(found, axis=0))
