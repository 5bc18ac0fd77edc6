"""Designs of regressions from correlations: orthonormal columns as weights of those of a table.

The columns given are made orthonormal to each other, and each candidate's block to them, as
:mod:`eiderdown.independence.kernels.regression` does with rows; here it takes their products
alone, which are correlations. Least squares need nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray, frozen
from eiderdown.independence.batch import N_VALUES
from eiderdown.independence.families import (
    CLASSES,
    Explained,
    FamilyName,
    numbers_of_categories,
)
from eiderdown.independence.kernels.regression_design import TOLERANCE
from eiderdown.independence.kernels.regression_parts import judge_projection
from eiderdown.independence.part_likelihoods import Unit
from eiderdown.independence.part_risks import MOST_SUMS, Events
from eiderdown.statistics.partitioned_moments import PartitionedMoments

_NO_NUMBERS: FloatArray = frozen(np.empty(0))
_NO_ROWS: IntArray = frozen(np.empty(0, dtype=np.int64))


class Task(NamedTuple):
    """Columns that explain y beside those given, all on the same rows.

    Of times until an event, ``event`` is the column that says whether it happened.
    """

    y: int
    family: FamilyName
    xs: IntArray
    given: tuple[int, ...]
    event: int | None = None

    @property
    def columns(self) -> set[int]:
        """All columns that are asked about."""
        event = set() if self.event is None else {self.event}
        return {self.y, *self.given, *self.xs.tolist()} | event


class Judged(NamedTuple):
    """What was found of the columns of a task, and of the model without them.

    ``too_wide`` are columns with more categories than a third of the rows, about which nothing is
    said.
    """

    values: FloatArray
    too_wide: BoolArray
    n_rows: int
    is_constant: bool
    is_settled: bool
    n_base: int
    n_predictors: int
    n_effective: float


def nothing_there(task: Task) -> Judged:
    """Return what is found where no row is complete."""
    n = len(task.xs)
    return Judged(np.zeros((n, N_VALUES)), np.zeros(n, np.bool_), 0, True, True, 0, 1, 0.0)


@dataclass(frozen=True, eq=False)
class ExplainedInParts(Explained):
    """A column as the response of a regression, of which only sums over all rows are at hand."""

    counts: IntArray = field(default_factory=lambda: _NO_ROWS)
    numbers: FloatArray = field(default_factory=lambda: _NO_NUMBERS)
    of_numbers: tuple[int, float, float] = (0, 0.0, 0.0)
    events: Events | None = None

    @classmethod
    def in_parts(
        cls, moments: PartitionedMoments, column: int, family: FamilyName, events: Events | None
    ) -> ExplainedInParts:
        """Take a column of a table whose correlations are at hand."""
        data = moments.data
        if events is not None:
            summary = (data.n_rows, 0.0, 0.0)
            return cls(family, _NO_ROWS, _NO_NUMBERS, _NO_ROWS, of_numbers=summary, events=events)
        if data.is_discrete[column]:
            counts = data.category_counts(column)
            numbers = _classes(counts)
            if family not in CLASSES:
                numbers = numbers_of_categories(data, column)
            return cls(family, _NO_ROWS, _NO_NUMBERS, _NO_ROWS, frozen(counts), frozen(numbers))
        summary = (data.n_rows, *moments.mean_and_variance(column))
        return cls(family, _NO_ROWS, _NO_NUMBERS, _NO_ROWS, of_numbers=summary)

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return int(self.counts.sum()) if len(self.counts) else self.of_numbers[0]

    @property
    def n_classes(self) -> int:
        """How many classes or categories are seen."""
        return int(np.count_nonzero(self.counts))

    @property
    def class_counts(self) -> IntArray:
        """How many rows are of each class."""
        seen: IntArray = self.counts[self.counts > 0]
        return seen

    @property
    def mean_and_variance(self) -> tuple[float, float]:
        """Of the numbers or counts."""
        if not len(self.counts):
            return self.of_numbers[1:]
        mean = float(self.counts @ self.numbers / self.n_rows)
        return mean, float(self.counts @ (self.numbers - mean) ** 2 / self.n_rows)

    @property
    def is_constant(self) -> bool:
        """Whether there is nothing to explain."""
        if self.events is not None:
            return False
        return self.n_classes < 2 if len(self.counts) else self.of_numbers[2] == 0.0

    def effective_rows(self, curve: FloatArray, n_base: int) -> float:
        """See :meth:`Explained.effective_rows`."""
        if self.events is not None:
            return float(self.events.counts.sum())
        return super().effective_rows(curve, n_base)


def _classes(counts: IntArray) -> FloatArray:
    """Return the class of each category: its number among those that are seen."""
    classes: FloatArray = np.maximum(np.cumsum(counts > 0) - 1.0, 0.0)
    return classes


class Design:
    """The columns given, orthonormal, and what each candidate adds to them, as weights of units."""

    def __init__(
        self,
        moments: PartitionedMoments,
        column_of: IntArray,
        incomplete: tuple[int, ...],
        task: Task,
        events: Events | None = None,
    ) -> None:
        self.task, self.moments, self.incomplete = task, moments, incomplete
        self.y = int(column_of[task.y])
        self.xs: list[int] = column_of[task.xs].tolist()
        self.explained = ExplainedInParts.in_parts(moments, self.y, task.family, events)
        self._given: list[int] = column_of[list(task.given)].tolist()
        given = [z for z in self._given if not moments.unusable[z]]
        linear = [self.y] if task.family == "linear" else []
        self._places = np.concatenate([_NO_ROWS, *(self._own(z) for z in given)])
        rows = np.empty((0, moments.n_columns))
        if given or linear:
            rows, _ = moments.rows_of((*given, *linear))
        self._rows = rows[: len(self._places)]
        self._of_y = rows[len(self._places) :]
        self._n_own = 1 if self.explained.has_intercept else 0
        self.units = tuple(self.unit(z) for z in given)
        if self._n_own:
            intercept = np.array([1.0 / np.sqrt(self.explained.n_rows)])
            self.units = (Unit(-1, intercept, False), *self.units)
        self.gram = np.eye(self._n_own + len(self._places))
        self.gram[self._n_own :, self._n_own :] = self._rows[:, self._places]
        self.weights = _orthonormal(self.gram, np.empty((len(self.gram), 0)), 0)

    def _own(self, variable: int) -> IntArray:
        first = self.moments.first
        return np.arange(int(first[variable]), int(first[variable + 1]))

    def unit(self, variable: int) -> Unit:
        """Return what a variable becomes."""
        column, is_discrete, table = self.moments.scaling_of(variable)
        return Unit(column, table, is_discrete)

    @property
    def n_base(self) -> int:
        """How many columns the base has."""
        return int(self.weights.shape[1])

    @property
    def too_wide(self) -> BoolArray:
        """Which candidates have too many categories for the rows, or are beside such a column."""
        beside = self.moments.unusable[self._given].any()
        found: BoolArray = self.moments.unusable[self.xs] | beside
        return found

    @property
    def is_beyond_sums(self) -> bool:
        """Whether the sums of a fit, at every time of an event, are too many for a pass."""
        events, first = self.explained.events, self.moments.first
        widest = max((int(first[x + 1] - first[x]) for x in self.xs), default=0)
        return events is not None and events.n_sums(self.n_base + widest) > MOST_SUMS

    def block(self, x: int) -> FloatArray:
        """Return the weights by which a variable's columns are orthonormal to the base."""
        own = self._own(x)
        n_base = len(self.gram)
        gram = np.zeros((n_base + len(own), n_base + len(own)))
        gram[:n_base, :n_base] = self.gram
        gram[self._n_own : n_base, n_base:] = self._rows[:, own]
        gram[n_base:, self._n_own : n_base] = self._rows[:, own].T
        gram[n_base:, n_base:] = np.diag(self.moments.varies[own])
        base = np.zeros((len(gram), self.n_base))
        base[:n_base] = self.weights
        return _orthonormal(gram, base, n_base)

    def projected(self) -> Judged:
        """Judge all columns by least squares."""
        values = np.zeros((len(self.xs), N_VALUES))
        explained = self.explained
        n_rows = explained.n_rows
        if explained.is_constant:
            return Judged(values, self.too_wide, n_rows, True, True, self.n_base, 1, float(n_rows))
        of_y = self._direction() @ self._of_y
        shared = self._with_units(of_y, None) @ self.weights
        left = 1.0 - float(shared @ shared)
        if left > TOLERANCE:
            for x, row in zip(self.xs, values, strict=True):
                weights = self.block(x)
                rank = weights.shape[1]
                n_left = n_rows - self.n_base - rank
                if rank and n_left > 0:
                    with_x = self._with_units(of_y, x) @ weights
                    judge_projection(float(with_x @ with_x) / left, float(rank), n_left, row)
        settled = left <= TOLERANCE
        return Judged(values, self.too_wide, n_rows, False, settled, self.n_base, 1, float(n_rows))

    def _direction(self) -> FloatArray:
        """Return the explained column as a combination, of length 1, of its columns."""
        if not len(self.explained.counts):
            return np.ones(1)
        table = self.moments.scaling_of(self.y)[2]
        found: FloatArray = table @ (self.explained.counts * self.explained.numbers)
        return found / np.sqrt(found @ found)

    def _with_units(self, of_y: FloatArray, x: int | None) -> FloatArray:
        """Return the correlations of the explained column with the units of the base and x."""
        own = _NO_ROWS if x is None else self._own(x)
        return np.concatenate([np.zeros(self._n_own), of_y[self._places], of_y[own]])


def _orthonormal(gram: FloatArray, base: FloatArray, first: int) -> FloatArray:
    """Return weights of units that are orthonormal among each other and to those of a base.

    ``gram`` holds the products of all units; those from ``first`` on are taken, one after the
    other, and left out where nothing is left of them.
    """
    kept = [base[:, a] for a in range(base.shape[1])]
    for a in range(first, len(gram)):
        weights = np.zeros(len(gram))
        weights[a] = 1.0
        for _ in range(2):  # the second time against rounding
            for other in kept:
                weights = weights - float(other @ gram @ weights) * other
            left = float(weights @ gram @ weights)
            if left <= TOLERANCE:
                break
        if left > TOLERANCE:
            kept.append(weights / np.sqrt(left))
    new = kept[base.shape[1] :]
    return np.ascontiguousarray(np.stack(new, axis=1)) if new else np.empty((len(gram), 0))
