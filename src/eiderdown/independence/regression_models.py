"""Regressions on rows in memory: the model of the columns given, and what candidates add to it.

LinearModel         least squares; candidates explain what it leaves
LikelihoodModel     all other families, by Newton's method from the fitted model on
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import FloatArray, IntArray, frozen
from eiderdown.data import Dataset
from eiderdown.independence.batch import ALLOWS, DOF, Allows
from eiderdown.independence.families import Explained
from eiderdown.independence.kernels.projection import orthonormal_columns, project_all
from eiderdown.independence.kernels.regression import (
    Candidates,
    Fit,
    Null,
    Rules,
    fit_all,
    fit_null,
)
from eiderdown.independence.kernels.regression_design import (
    Design,
    Products,
    Shape,
    fill_dense,
    orthonormal_base,
)
from eiderdown.independence.part_designs import Judged
from eiderdown.independence.partitioned_regression import CERTAIN
from eiderdown.independence.power import Detect, would_be_seen
from eiderdown.progress import carried, stop_if_cancelled
from eiderdown.statistics import Workers
from eiderdown.statistics.moments import TOLERANCE

LEAST_ROWS = 10
"""Fewer effective rows say nothing."""

ROWS_PER_COLUMN = 3
"""Effective rows for each coefficient of a predictor, from which on p-values were measured to be
right (docs/regression.md)."""

_AT_ONCE = 32  # candidates, between which the work can be cancelled
_ROWS_AT_ONCE = 500_000  # times candidates
_THREADS_PAY_FROM = 50_000  # cells
_NO_LENGTH = 1e-14  # root mean square, of values up to 1, that rounding leaves


def fill_allows(values: FloatArray, model: Judged | Model, detect: Detect) -> None:
    """Fill in which answers the rows allow."""
    dof, n_effective = values[:, DOF], model.n_effective
    n_columns = model.n_base + dof / model.n_predictors
    enough = n_effective >= np.maximum(LEAST_ROWS, ROWS_PER_COLUMN * n_columns)
    seen = would_be_seen(n_effective, 2.0 * dof, detect)
    allows = np.where(seen, Allows.BOTH, Allows.DEPENDENCE)
    allows = np.where(enough, allows, Allows.NOTHING)
    values[:, ALLOWS] = np.where(dof > 0.0, allows, Allows.FUNCTION)


class Model(ABC):
    """The explained column and the columns given: the model without candidates."""

    def __init__(self, data: Dataset, explained: Explained, n_base: int) -> None:
        self.data, self.explained, self.n_base = data, explained, n_base

    @property
    def n_effective(self) -> float:
        """How many rows the information is worth."""
        return float(len(self.explained.y))

    @property
    def n_predictors(self) -> int:
        """How many linear predictors a row has."""
        return self.explained.n_predictors

    @property
    @abstractmethod
    def is_settled(self) -> bool:
        """Whether nothing is left to explain."""

    @abstractmethod
    def judge(self, xs: IntArray, values: FloatArray) -> None:
        """Fill in statistic, degrees of freedom, log p and effect of some columns."""

    def fill(self, xs: IntArray, values: FloatArray, detect: Detect, workers: Workers) -> None:
        """Fill in the values of each column."""
        if self.is_settled:
            return
        n_rows = len(self.explained.y)
        starts = range(0, len(xs), min(_AT_ONCE, max(1, _ROWS_AT_ONCE // n_rows)))

        def work(start: int) -> None:
            stop_if_cancelled()
            some = slice(start, start + starts.step)
            self.judge(xs[some], values[some])

        workers.each(carried(work), starts, pays=len(xs) * n_rows > _THREADS_PAY_FROM)
        fill_allows(values, self, detect)


class LinearModel(Model):
    """Least squares: what a block explains of the residual."""

    def __init__(self, data: Dataset, explained: Explained, given: tuple[int, ...]) -> None:
        n_rows = len(explained.y)
        columns = [np.full((1, n_rows), 1.0 / np.sqrt(n_rows))]
        columns += [block_of(data, z, explained.rows) for z in given]
        self._design = np.ascontiguousarray(np.concatenate(columns).T)
        n_base = int(orthonormal_columns(self._design, self._design.shape[1]))
        super().__init__(data, explained, n_base)
        y = explained.y - explained.y.mean()
        residual = y / np.sqrt(y @ y)
        base = self._design[:, :n_base]
        for _ in range(2):  # the second time against rounding
            residual = residual - base @ (base.T @ residual)
        self._left = float(residual @ residual)
        self._residual = frozen(residual / np.sqrt(max(self._left, TOLERANCE)))

    @property
    def is_settled(self) -> bool:
        """Whether the columns given determine the explained one."""
        return self._left <= TOLERANCE

    def judge(self, xs: IntArray, values: FloatArray) -> None:
        """Fill in F and what belongs to it."""
        blocks = [block_of(self.data, int(x), self.explained.rows) for x in xs]
        widths = np.array([0, *map(len, blocks)], dtype=np.int64)
        design = np.zeros((len(self.explained.y), self.n_base + int(widths.max())))
        design[:, : self.n_base] = self._design[:, : self.n_base]
        stacked = np.ascontiguousarray(np.concatenate(blocks))
        project_all(self.n_base, design, self._residual, stacked, np.cumsum(widths), values)


class LikelihoodModel(Model):
    """A fitted model, from which fits with candidates start."""

    def __init__(self, data: Dataset, explained: Explained, given: tuple[int, ...]) -> None:
        rows = explained.rows
        entries = [Entries(np.zeros(len(rows), np.int32), np.ones(len(rows)), 1)]
        entries += [Entries.of(data, z, rows) for z in given]
        firsts = np.cumsum([0, *(one.n_raw for one in entries)])
        n_raw = int(firsts[-1])
        place = [one.place + np.int32(first) for one, first in zip(entries, firsts, strict=False)]
        self._design = Design(
            np.ascontiguousarray(np.stack(place, axis=1)),
            np.stack([one.value for one in entries], axis=1),
            np.zeros((n_raw, n_raw)),
            np.empty((0, 0)),
        )
        self._products = Products.of(n_raw, n_raw)
        shape = Shape(len(entries), n_raw, int(explained.has_intercept))
        n_base = int(orthonormal_base(self._design, self._products, shape))
        self._base = Shape(len(entries), n_raw, n_base)
        if explained.family == "cox":
            self._design = self._design._replace(dense=np.zeros((len(rows), n_base)))
            fill_dense(self._design, self._base, 0)
        super().__init__(data, explained, n_base)
        self._fit()
        as_poisson = explained.settled(self._null.parameters)
        if as_poisson is not explained:
            self.explained = as_poisson
            self._fit()

    def _fit(self) -> None:
        response, base = self.explained.response, self._base
        fit, self._null = Fit.of(base, response), Null.of(self.explained.start(self.n_base))
        fit_null(response, self._design, base, fit, self._null)
        self._n_effective = self.explained.effective_rows(fit.sums.curve, self.n_base)

    @property
    def n_effective(self) -> float:
        """How many rows the information is worth."""
        return self._n_effective

    @property
    def is_settled(self) -> bool:
        """Whether the columns given predict every class."""
        certain = -CERTAIN * len(self.explained.y)
        return self.explained.can_separate and bool(self._null.found[0] > certain)

    def judge(self, xs: IntArray, values: FloatArray) -> None:
        """Fill in the likelihood ratio and what belongs to it."""
        response, base = self.explained.response, self._base
        entries = [Entries.of(self.data, int(x), self.explained.rows) for x in xs]
        candidates = Candidates(
            frozen(np.stack([one.place for one in entries])),
            frozen(np.stack([one.value for one in entries])),
            frozen(np.array([one.n_raw for one in entries], dtype=np.int64)),
        )
        widest = int(candidates.n_raw.max())
        room = Shape(base.n_entries + 1, base.n_raw + widest, base.n_columns + widest)
        design = _enlarged(self._design, room)
        products = Products.of(room.n_raw, room.n_columns)
        products.raw[: base.n_raw, : base.n_raw] = self._products.raw
        rules = Rules(base, self._n_effective, self.explained.can_separate)
        fit = Fit.of(room, response)
        fit_all(response, rules, design, products, candidates, fit, self._null, values)


class Entries(NamedTuple):
    """A column as entries of a design's rows: where each stands, and how many places there are."""

    place: NDArray[np.int32]
    value: FloatArray
    n_raw: int

    @classmethod
    def of(cls, data: Dataset, column: int, rows: IntArray) -> Entries:
        """Take a column on some rows; a number has mean 0 and length 1, or is 0 if it is one."""
        if data.is_discrete[column]:
            codes = data.codes(column)[rows].astype(np.int32)
            return cls(codes, np.ones(len(rows)), int(codes.max(initial=0)) + 1)
        block = block_of(data, column, rows)
        value = block[0] if len(block) else np.zeros(len(rows))
        return cls(np.zeros(len(rows), dtype=np.int32), value, 1)


def _enlarged(design: Design, room: Shape) -> Design:
    """Return a design with room for one more entry, and what belongs to it."""
    n_rows, n_entries = design.place.shape
    place, value = np.zeros((n_rows, room.n_entries), np.int32), np.zeros((n_rows, room.n_entries))
    place[:, :n_entries], value[:, :n_entries] = design.place, design.value
    weights = np.zeros((room.n_raw, room.n_columns))
    n_kept = min(design.weights.shape[1], room.n_columns)  # of which only the base's are in use
    weights[: len(design.weights), :n_kept] = design.weights[:, :n_kept]
    dense = np.empty((0, 0))
    if len(design.dense):
        dense = np.zeros((n_rows, room.n_columns))
        dense[:, : design.dense.shape[1]] = design.dense
    return Design(place, value, weights, dense)


def block_of(data: Dataset, column: int, rows: IntArray) -> FloatArray:
    """Return a number as one row, a category as indicators, each of mean 0 and length 1.

    One indicator, of the most frequent category, is left out. Of a column that has one value on
    these rows nothing is left.

    Examples
    --------
    >>> data = Dataset.from_columns({"a": ["x", "y", "y"]})
    >>> block_of(data, 0, np.arange(3)).round(2).tolist()
    [[0.82, -0.41, -0.41]]
    """
    if data.is_discrete[column]:
        codes = data.codes(column)[rows]
        counts = np.bincount(codes)
        seen = np.flatnonzero(counts)
        block = (codes == seen[seen != counts.argmax()][:, None]).astype(np.float64)
    else:
        block = data.values(column)[None, rows].astype(np.float64)
        block = block / max(1e-300, float(np.abs(block).max(initial=0.0)))
    for _ in range(2):  # the first mean is itself rounded
        block -= block.mean(axis=1, keepdims=True)
    length = np.sqrt(np.einsum("ij,ij->i", block, block))
    varies = length > _NO_LENGTH * np.sqrt(len(rows))
    scaled: FloatArray = block[varies] / length[varies, None]
    return scaled
