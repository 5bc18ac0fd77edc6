"""Scores of tables with missing values: the node-average likelihood.

A family, a column with its parents, can only be scored on the rows in which all of them have values,
and other families on other rows, so that sums of log-likelihoods cannot be compared. Averages can
(Balov 2013; Bodewes and Scutari 2021): with V(F) what a score says of the rows of family F, of which
there are n(F), and V0(F) what it says of the column alone in the same rows,

    n / n(X) V(X)  +  n / n(F) (V(F) - V0(F))  -  sqrt(ln n) n R(F) sqrt(1 / n(F) - 1 / n(X))

is the score of column X with the family F, n being the rows of the table. It is the score itself
where nothing is missing. Two things differ from the papers:

- what the parents explain is compared with the column alone *in the same rows*, which takes the
  chance out of which rows these are, as far as the column alone goes;
- chance in the rest makes averages over different rows differ by some n^-1/2, which the price of
  ln(n) / 2n for a parameter does not outweigh; the papers raise that price for all families, and
  here the last term does it where rows are missing: R^2 = 1 - exp(-2 (V - V0) / n(F)) is the
  variance of the log-likelihood ratio of Gaussian variables that explain as much. It grows faster
  than chance and more slowly than what true parents explain, so that the score is consistent if
  values are missing completely at random.

Equivalent graphs have families of different rows, and no longer score the same.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray
from eiderdown.data import Dataset
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
        self._recent: OrderedDict[bytes, tuple[LocalScore, int]] = OrderedDict()
        self._inner, _ = self._score_of(data.complete_rows([0]), (0,))

    @property
    def name(self) -> str:  # type: ignore[override]  # of the score that is averaged
        """What users call the score."""
        return self._inner.name

    @property
    def description(self) -> dict[str, object]:
        """Name and options of the score, for the record of a run."""
        return {**self._inner.description, "node_average": True}

    def _local(self, child: int, parents: tuple[int, ...]) -> float:
        family = (child, *parents)
        rows_of_child = self.data.complete_rows([child])
        rows = rows_of_child & self.data.complete_rows(parents)
        alone, child_at = self._score_of(rows_of_child, (child,))
        base, n_child = alone.local(child_at), int(rows_of_child.sum())
        if not parents:
            return node_average(self.data.n_rows, n_child, base)
        n_family = int(rows.sum())
        gain = -math.inf
        if n_family:
            score, _ = self._score_of(rows, family)
            at = [score.names.index(self.names[z]) for z in family]
            gain = score.local(at[0], at[1:]) - score.local(at[0])
        return node_average(self.data.n_rows, n_child, base, n_family, gain)

    def _score_of(self, rows: BoolArray, columns: tuple[int, ...]) -> tuple[LocalScore, int]:
        """Return a score of some rows and columns, and where it has the first of them."""
        key = np.packbits(rows).tobytes() + repr(columns).encode()
        if key not in self._recent:
            table = self.data.select([self.names[i] for i in columns]).take(rows)
            self._recent[key] = self._make(table), 0
            if len(self._recent) > _MOST_KEPT:
                self._recent.popitem(last=False)
        self._recent.move_to_end(key)
        return self._recent[key]


def node_average(
    n_rows: int, n_child: int, base: float, n_family: int | None = None, gain: float = 0.0
) -> float:
    mode, c = MODE
    if n_family is None:
        return n_rows / n_child * base
    if n_family == 0:
        return n_rows / n_child * base - n_rows
    ratio = n_rows / n_family
    shared = max(0.0, gain / n_family)
    r = math.sqrt(1.0 - math.exp(-2.0 * shared))
    noise = n_rows * r * math.sqrt(max(0.0, 1.0 / n_family - 1.0 / n_child))
    return n_rows / n_child * base + ratio * gain - c * math.sqrt(math.log(n_rows)) * noise
MODE = ("d", 1.0)
