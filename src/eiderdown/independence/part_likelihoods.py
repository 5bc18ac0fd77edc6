"""What the rows of one part add to the likelihoods of regressions.

A regression is told as an :class:`OpenFit`: which columns its design is made of, with which
weights, and where its parameters are. Parts answer with sums, which add up in the order of the
rows, and need nothing else of each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from eiderdown.arrays import FloatArray, IntArray, frozen
from eiderdown.data import Dataset
from eiderdown.independence.kernels.regression_parts import (
    Response,
    Sums,
    place_columns,
    sum_rows,
)
from eiderdown.independence.newton import LikelihoodSums
from eiderdown.independence.part_risks import Events, Recorded

_ROWS_AT_ONCE = 8_192  # whose design stays near the processor
_NO_TIME: IntArray = frozen(np.empty(0, dtype=np.int64))


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

    def fill(self, part: Dataset, rows: slice | IntArray, to: FloatArray) -> None:
        """Fill in the columns, as rows of a matrix, of some rows of a part."""
        if self.column < 0:
            to[:] = self.table[0]
        elif self.is_discrete:
            np.take(self.table, part.codes(self.column)[rows], axis=1, out=to)
        else:
            scale, mean, correction, inverse = self.table
            to[0] = ((part.values(self.column)[rows] * scale - mean) - correction) * inverse


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
    n_base_units, n_base = base.weights.shape
    widest = max(fit.weights.shape[1] for fit, _ in fits)
    most_units = n_base_units + max(0 if fit.unit is None else fit.unit.width for fit, _ in fits)
    unit, design = np.empty((0, 0)), np.empty((0, 0))
    rooms = [
        Sums.of(n_base + fit.weights.shape[1], base.n_predictors, base.n_extra) for fit, _ in fits
    ]
    for rows in base.chunks(part):
        response = base.response(part, rows)
        n_rows = len(response.y)
        if unit.shape[1] != n_rows:
            unit, design = np.empty((most_units, n_rows)), np.empty((n_rows, n_base + widest))
        _fill_units(base.units, part, rows, unit)
        place_columns(unit[:n_base_units], base.weights, 0, design)
        at_risk = None if base.events is None else base.events.of_rows(part, rows)
        for (fit, sums), room in zip(fits, rooms, strict=True):
            if fit.unit is not None:
                n_units = n_base_units + fit.unit.width
                fit.unit.fill(part, rows, unit[n_base_units:n_units])
                place_columns(unit[:n_units], fit.weights, n_base, design)
            n_columns, n = n_base + fit.weights.shape[1], len(fit.parameters)
            if at_risk is not None:
                at_risk.add(design[:, :n_columns], fit.parameters, sums)
                continue
            sums[0] += sum_rows(response, design, n_columns, fit.parameters, room)
            sums[1 : 1 + n] += room.slope
            sums[1 + n :].reshape(n, n)[:] += room.curve


def _fill_units(
    units: Sequence[Unit], part: Dataset, rows: slice | IntArray, to: FloatArray
) -> None:
    at = 0
    for unit in units:
        unit.fill(part, rows, to[at : at + unit.width])
        at += unit.width
