"""Cox's partial likelihood of a table in parts: sums over risk sets at each time of an event.

A row is at risk at every time up to its own. Parts sum the rows whose last such time is the same
one; sums over all later times, made where they come together, are those of the risk sets. Tied
events by Efron's method, as :mod:`eiderdown.independence.kernels.likelihoods` does with rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.data import Dataset
from eiderdown.data.partitions import Partitions
from eiderdown.independence.newton import LikelihoodSums
from eiderdown.progress import stop_if_cancelled

MOST_SUMS = 4_000_000
"""Numbers that the sums of one pass may take; with more for one fit rows are compared in memory."""

_LARGEST = 700.0  # whose exponential is still finite
_EVENTS_AT_ONCE = 1_000_000


@dataclass(frozen=True, eq=False)
class Recorded:
    """A column of numbers, or of categories and the number of each."""

    column: int
    numbers: FloatArray | None

    def of(self, part: Dataset, rows: slice | IntArray) -> FloatArray:
        """Return the numbers of some rows of a part."""
        if self.numbers is None:
            return part.values(self.column)[rows]
        return self.numbers[part.codes(self.column)[rows]]


@dataclass(frozen=True, eq=False)
class Events:
    """The distinct times of events, ascending, how many there are at each, and where they stand."""

    time: Recorded
    happened: Recorded
    times: FloatArray
    counts: IntArray

    @classmethod
    def found(
        cls,
        partitions: Partitions,
        time: Recorded,
        happened: Recorded,
        incomplete: tuple[int, ...],
        n_jobs: int | None,
    ) -> Events | None:
        """Look for all times of events, in one pass; None if there are too many to sum at each."""
        times, counts = np.empty(0), np.empty(0, np.int64)
        work = partial(_events_of_part, time, happened, incomplete)
        for more, of_more in partitions.map(work, n_jobs):
            stop_if_cancelled()
            times, place = np.unique(np.concatenate([times, more]), return_inverse=True)
            together = np.zeros(len(times), np.int64)
            np.add.at(together, place, np.concatenate([counts, of_more]))
            counts = together
            if 2 * len(times) > MOST_SUMS:
                return None
        return cls(time, happened, times, counts)

    def n_sums(self, n_columns: int) -> int:
        """Return how many numbers the sums of a fit with so many columns take."""
        return 1 + n_columns + 2 * len(self.times) * _width(n_columns)

    def of_rows(self, part: Dataset, rows: slice | IntArray) -> RowsAtRisk:
        """Return what some rows of a part have to do with the events."""
        last = np.searchsorted(self.times, self.time.of(part, rows), side="right") - 1
        at_risk = np.flatnonzero(last >= 0)
        events = np.flatnonzero(self.happened.of(part, rows) > 0.0)
        return RowsAtRisk(_Groups.of(at_risk, last), _Groups.of(events, last))

    def assembled(self, sums: FloatArray, n: int) -> LikelihoodSums:
        """Return the likelihood with its derivatives from the sums of all parts."""
        value, slope = float(sums[0]), sums[1 : 1 + n].copy()
        both = sums[1 + n :].reshape(2, len(self.times), _width(n))
        risk, tied = np.cumsum(both[0][::-1], axis=0)[::-1], both[1]
        left = _shares_of_events(risk[:, 0], tied[:, 0], self.counts)
        slope -= left.once @ risk[:, 1 : 1 + n] - left.share @ tied[:, 1 : 1 + n]
        curve = np.zeros((n, n))
        lower = np.tril_indices(n)
        curve[lower] = left.once @ risk[:, 1 + n :] - left.share @ tied[:, 1 + n :]
        x, t = risk[:, 1 : 1 + n], tied[:, 1 : 1 + n]
        crossed = (x * left.shares_of_two[:, None]).T @ t
        squares = (x * left.two[:, None]).T @ x + (t * left.squares_of_two[:, None]).T @ t
        curve[lower] -= (squares - crossed - crossed.T)[lower]
        return LikelihoodSums(value - left.logarithms, slope, curve)


@dataclass(frozen=True, eq=False)
class _Groups:
    """Some rows, those of the same time one behind the other."""

    rows: IntArray
    starts: IntArray
    times: IntArray

    @classmethod
    def of(cls, rows: IntArray, time: IntArray) -> _Groups:
        rows = rows[np.argsort(time[rows], kind="stable")]
        times, starts = np.unique(time[rows], return_index=True)
        return cls(rows, starts, times)

    def add(self, terms: FloatArray, to: FloatArray) -> None:
        """Add up the terms of the rows of each time."""
        if len(self.rows):
            to[self.times] += np.add.reduceat(terms[self.rows], self.starts, axis=0)


@dataclass(frozen=True, eq=False)
class RowsAtRisk:
    """Some rows of a part, by the last time of an event at which they are at risk."""

    at_risk: _Groups
    events: _Groups

    def add(self, design: FloatArray, parameters: FloatArray, sums: FloatArray) -> None:
        """Add what the rows say to the sums of a fit."""
        n = design.shape[1]
        predictor = design @ parameters
        risk = np.exp(np.minimum(predictor, _LARGEST))
        terms = np.empty((len(design), _width(n)))
        terms[:, 0] = risk
        np.multiply(risk[:, None], design, out=terms[:, 1 : 1 + n])
        for k, (a, b) in enumerate(zip(*np.tril_indices(n), strict=True)):
            np.multiply(terms[:, 1 + a], design[:, b], out=terms[:, 1 + n + k])
        events = self.events.rows
        sums[0] += predictor[events].sum()
        sums[1 : 1 + n] += design[events].sum(axis=0)
        both = sums[1 + n :].reshape(2, -1, _width(n))
        self.at_risk.add(terms, both[0])
        self.events.add(terms, both[1])


def _width(n_columns: int) -> int:
    """Risk, risk times each column, and risk times two columns."""
    return 1 + n_columns + n_columns * (n_columns + 1) // 2


@dataclass(frozen=True, eq=False)
class _Left:
    """Sums over the events tied at each time, the k-th of n with the share s = k / n.

    With the risk r that is left at each: of 1 / r, s / r, 1 / r^2, s / r^2 and s^2 / r^2; and of
    log r over all events.
    """

    once: FloatArray
    share: FloatArray
    two: FloatArray
    shares_of_two: FloatArray
    squares_of_two: FloatArray
    logarithms: float


def _shares_of_events(risk: FloatArray, tied: FloatArray, counts: IntArray) -> _Left:
    n, sums, logarithms = len(counts), np.zeros((5, len(counts))), 0.0
    for some in _some_at_once(counts):
        own = counts[some]
        time = np.repeat(np.arange(some.start, some.stop), own)
        number = np.arange(len(time)) - np.repeat(np.cumsum(own) - own, own)
        share = number / counts[time]
        left = risk[time] - share * tied[time]
        logarithms += float(np.log(left).sum())
        once = 1.0 / left
        terms = (once, share * once, once**2, share * once**2, (share * once) ** 2)
        sums += [np.bincount(time, weights=own_terms, minlength=n) for own_terms in terms]
    return _Left(sums[0], sums[1], sums[2], sums[3], sums[4], logarithms)


def _some_at_once(counts: IntArray) -> Iterator[slice]:
    """Yield runs of times with about a million events each."""
    start, ends = 0, np.cumsum(counts)
    while start < len(counts):
        before = int(ends[start - 1]) if start else 0
        stop = int(np.searchsorted(ends, before + _EVENTS_AT_ONCE, side="right"))
        yield slice(start, max(stop, start + 1))
        start = max(stop, start + 1)


def _events_of_part(
    time: Recorded, happened: Recorded, incomplete: tuple[int, ...], part: Dataset
) -> tuple[FloatArray, IntArray]:
    """Return the distinct times of events of a part, and how many there are at each."""
    rows = np.flatnonzero(part.complete_rows(incomplete))
    rows = rows[happened.of(part, rows) > 0.0]
    times, counts = np.unique(time.of(part, rows), return_counts=True)
    return times, counts
