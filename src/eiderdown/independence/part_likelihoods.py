"""What the rows of one part add to the likelihoods of regressions.

A regression is told as an :class:`OpenFit`: which columns its design is made of, with which
weights, and where its parameters are. Parts answer with sums, which add up in the order of the
rows, and need nothing else of each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import FloatArray, IntArray, frozen
from eiderdown.data import Dataset
from eiderdown.independence.kernels.regression_design import fill_dense
from eiderdown.independence.kernels.regression_parts import (
    Design,
    Response,
    Shape,
    Sums,
    sum_rows,
)
from eiderdown.independence.newton import LikelihoodSums
from eiderdown.independence.part_risks import Events, Recorded

_ROWS_AT_ONCE = 8_192  # whose design stays near the processor
_NO_TIME: IntArray = frozen(np.empty(0, dtype=np.int64))
_NO_COLUMNS: FloatArray = np.empty((0, 0))


@dataclass(frozen=True, eq=False)
class Unit:
    """How one column of a part becomes columns of mean 0 and length 1 over all rows.

    Attributes
    ----------
    column : int
        The column; -1 for the intercept.
    table : FloatArray
        Each category's value in each contrast; for numbers scale, mean, its correction and the
        inverse of the length; for the intercept its value.
    is_discrete : bool
        Whether the column holds categories.
    """

    column: int
    table: FloatArray
    is_discrete: bool

    @property
    def width(self) -> int:
        """How many columns it becomes."""
        return len(self.table) if self.is_discrete else 1

    @property
    def n_raw(self) -> int:
        """How many raw columns of a design it has; see :class:`Design`."""
        return self.table.shape[1] if self.is_discrete else 1

    def raw_weights(self, weights: FloatArray) -> FloatArray:
        """Return weights of the columns it becomes as weights of its raw columns."""
        if self.column < 0:
            return self.table * weights
        raw: FloatArray = self.table.T @ weights if self.is_discrete else weights
        return raw

    def fill(
        self, part: Dataset, rows: slice | IntArray, place: NDArray[np.int32], value: FloatArray
    ) -> None:
        """Fill in the entries of some rows of a part, the place being its first raw column."""
        if self.column < 0:
            value[:] = 1.0
        elif self.is_discrete:
            place += part.codes(self.column)[rows]
            value[:] = 1.0
        else:
            scale, mean, correction, inverse = self.table
            value[:] = ((part.values(self.column)[rows] * scale - mean) - correction) * inverse


_CONSTANT = Unit(-1, np.zeros(1), False)
"""The constant where it is no column of a design, though the first entry of every row."""


@dataclass(frozen=True, eq=False)
class Base:
    """A column that is explained, and the columns given, orthonormal.

    Attributes
    ----------
    explained : Recorded
        The explained column of a part; its codes are classes or numbers.
    incomplete : tuple of int
        Columns of a part that must have a value; other rows are left out.
    family, n_predictors, n_extra : int
        As :class:`Response` has them.
    units : tuple of Unit
        What the base is made of.
    weights : FloatArray of shape (units, base columns)
        How it is made of them.
    events : Events or None
        Where the explained column is a time, what happened when.
    """

    explained: Recorded
    incomplete: tuple[int, ...]
    family: int
    n_predictors: int
    n_extra: int
    units: tuple[Unit, ...]
    weights: FloatArray
    events: Events | None = None

    @property
    def has_constant(self) -> bool:
        """Whether an intercept is among the units, the first of them."""
        return bool(self.units) and self.units[0].column < 0

    def chunks(self, part: Dataset) -> Iterator[slice | IntArray]:
        """Yield the rows that count, some at a time."""
        if not self.incomplete:
            for start in range(0, part.n_rows, _ROWS_AT_ONCE):
                yield slice(start, min(part.n_rows, start + _ROWS_AT_ONCE))
            return
        complete = np.flatnonzero(part.complete_rows(self.incomplete))
        for start in range(0, len(complete), _ROWS_AT_ONCE):
            yield complete[start : start + _ROWS_AT_ONCE]

    def response(self, part: Dataset, rows: slice | IntArray) -> Response:
        """Return what is explained, on some rows."""
        y = np.ascontiguousarray(self.explained.of(part, rows), dtype=np.float64)
        y = y.copy() if y.base is not None else y
        return Response(self.family, self.n_predictors, self.n_extra, frozen(y), _NO_TIME)


@dataclass(frozen=True, eq=False)
class OpenFit:
    """A regression on a base and perhaps a candidate's block, and where its parameters are.

    Attributes
    ----------
    base : int
        Which of the bases.
    unit : Unit or None
        What the block is made of, beside the units of the base; None for the base alone.
    weights : FloatArray of shape (units of the base and own ones, block columns)
        How it is made of them.
    parameters : FloatArray
        Coefficients of the first predictor, of the second, ..., then extra ones.
    """

    base: int
    unit: Unit | None
    weights: FloatArray
    parameters: FloatArray

    def at(self, parameters: FloatArray) -> OpenFit:
        """Return the same regression at other parameters."""
        return replace(self, parameters=parameters)


def sizes_of(bases: Sequence[Base], fits: Sequence[OpenFit]) -> list[int]:
    """Return how many numbers the sums of each fit take."""
    sizes = []
    for fit in fits:
        events, n = bases[fit.base].events, len(fit.parameters)
        sizes.append(1 + n + n * n if events is None else events.n_sums(n))
    return sizes


def sums_of_part(bases: Sequence[Base], fits: Sequence[OpenFit], part: Dataset) -> FloatArray:
    """Return log-likelihood, slope and curvature of every fit, one behind the other."""
    ends = np.cumsum(sizes_of(bases, fits))
    total = np.zeros(int(ends[-1]))
    of_fits = np.split(total, ends[:-1])
    for number, base in enumerate(bases):
        own = [(fit, sums) for fit, sums in zip(fits, of_fits, strict=True) if fit.base == number]
        if own:
            _add_part(base, own, part)
    return total


def unpacked(
    total: FloatArray, bases: Sequence[Base], fits: Sequence[OpenFit]
) -> list[LikelihoodSums]:
    """Take the sums of all fits apart again."""
    found = []
    of_fits = np.split(total, np.cumsum(sizes_of(bases, fits))[:-1])
    for fit, sums in zip(fits, of_fits, strict=True):
        events, n = bases[fit.base].events, len(fit.parameters)
        if events is None:
            curve = sums[1 + n :].reshape(n, n)
            found.append(LikelihoodSums(float(sums[0]), sums[1 : 1 + n], curve))
        else:
            found.append(events.assembled(sums, n))
    return found


def _add_part(base: Base, fits: Sequence[tuple[OpenFit, FloatArray]], part: Dataset) -> None:
    """Add what the rows of a part say to the sums of the fits on one base."""
    designs = [_DesignInPart(base, fit) for fit, _ in fits]
    for rows in base.chunks(part):
        response = base.response(part, rows)
        at_risk = None if base.events is None else base.events.of_rows(part, rows)
        shared = None
        for (fit, sums), own in zip(fits, designs, strict=True):
            design = own.filled(part, rows, len(response.y), shared)
            shared = design
            if at_risk is not None:
                dense = design._replace(dense=np.empty((len(response.y), own.shape.n_columns)))
                fill_dense(dense, own.shape, 0)
                at_risk.add(dense.dense, fit.parameters, sums)
                continue
            n, room = len(fit.parameters), own.room(response)
            sums[0] += sum_rows(response, design, own.shape, fit.parameters, room)
            sums[1 : 1 + n] += room.slope
            sums[1 + n :].reshape(n, n)[:] += room.curve


class _DesignInPart:
    """The design of a fit, to be filled with rows of a part."""

    def __init__(self, base: Base, fit: OpenFit) -> None:
        self._n_shared = len(base.units) + (0 if base.has_constant else 1)
        units = base.units if fit.unit is None else (*base.units, fit.unit)
        self._units = units if base.has_constant else (_CONSTANT, *units)
        self._firsts = np.cumsum([0, *(unit.n_raw for unit in self._units)])
        n_columns = base.weights.shape[1] + fit.weights.shape[1]
        self._weights = np.zeros((int(self._firsts[-1]), n_columns))
        of_units = np.zeros((sum(unit.width for unit in units), n_columns))
        of_units[: len(base.weights), : base.weights.shape[1]] = base.weights
        of_units[:, base.weights.shape[1] :] = fit.weights
        at = 0
        for unit, first in zip(self._units, self._firsts, strict=False):
            own = self._weights[first : first + unit.n_raw]
            if unit is not _CONSTANT:
                own[:] = unit.raw_weights(of_units[at : at + unit.width])
                at += unit.width
        self.shape = Shape(len(self._units), len(self._weights), n_columns)
        self._room: Sums | None = None

    def room(self, response: Response) -> Sums:
        """Return room for sums."""
        self._room = Sums.of(self.shape, response) if self._room is None else self._room
        return self._room

    def filled(
        self, part: Dataset, rows: slice | IntArray, n_rows: int, other: Design | None
    ) -> Design:
        """Return the design of some rows; another one on the same base has the base's entries."""
        place = np.empty((n_rows, len(self._units)), dtype=np.int32)
        value = np.empty((n_rows, len(self._units)))
        place[:] = self._firsts[:-1]
        known = 0 if other is None else self._n_shared
        if other is not None:
            place[:, :known], value[:, :known] = other.place[:, :known], other.value[:, :known]
        for u in range(known, len(self._units)):
            self._units[u].fill(part, rows, place[:, u], value[:, u])
        return Design(place, value, self._weights, _NO_COLUMNS)
