"""Regressions of a table in parts: Newton's steps whose slopes and curvatures are sums over parts.

    correlations (statistics/partitioned_moments.py)   the design, orthonormal, as weights
    one pass for each step of all fits                  likelihoods, slopes, curvatures
    here                                                the steps

The design is the one that :mod:`eiderdown.independence.regression` makes of rows, and the steps are
the same, so that answers differ by rounding alone: statistics by less than
:data:`TOLERANCE_OF_PARTS` of their size. Linear regression needs no pass beside those of the
correlations. All candidates of a sweep are fitted side by side, first all models without them, then
those with them: some ten passes for a sweep, however many there are. Times until an event need sums
at every distinct time (:mod:`eiderdown.independence.part_risks`); with very many of them nothing is
judged here.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from functools import partial

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.data.partitioned import PartitionedDataset
from eiderdown.data.partitions import CompletePartitions
from eiderdown.independence.batch import N_VALUES
from eiderdown.independence.families import Explained, numbers_of_categories
from eiderdown.independence.kernels.regression import MOST_NULL_STEPS, MOST_STEPS
from eiderdown.independence.kernels.regression_parts import judge_ratio
from eiderdown.independence.newton import Climbed, LikelihoodSums, climb, run
from eiderdown.independence.part_designs import Design, Judged, Task, nothing_there
from eiderdown.independence.part_likelihoods import (
    Base,
    OpenFit,
    sizes_of,
    sums_of_part,
    unpacked,
)
from eiderdown.independence.part_risks import MOST_SUMS, Events, Recorded
from eiderdown.progress import stop_if_cancelled
from eiderdown.statistics.moments import TINY, MomentStatistics
from eiderdown.statistics.partitioned_moments import PartitionedMoments

TOLERANCE_OF_PARTS = 1e-9
"""By how much of its size a statistic of parts may differ from that of the same rows in memory; a
small one of many rows, a difference of large log-likelihoods, by the rounding of those."""

CERTAIN = 1e-6
"""Log-likelihood per row of classes that are all predicted."""

_MOST_KEPT = 16  # correlations of rows that are complete in some columns


class PartitionedRegression:
    """Regressions of a table in parts.

    Parameters
    ----------
    data : PartitionedDataset
        The table.
    n_jobs : int or None
        Threads; None means every available core.
    moments : MomentStatistics or None
        Correlations of all its columns, if they are at hand; they are taken if numbers are as they
        are in these.
    """

    def __init__(
        self,
        data: PartitionedDataset,
        n_jobs: int | None = None,
        moments: MomentStatistics | None = None,
    ) -> None:
        self.data, self._n_jobs = data, n_jobs
        self._partitions, left_out = data.partitions, set[int]()
        while isinstance(self._partitions, CompletePartitions):  # rows are left out here, too
            left_out |= {*self._partitions.columns}
            self._partitions = self._partitions.inner
        self._incomplete = tuple(sorted(left_out))
        self._kept: OrderedDict[tuple[int, ...], tuple[PartitionedMoments, IntArray] | None]
        self._kept = OrderedDict()
        straight = moments is not None and moments.coding.takes_numbers_as_they_are
        if isinstance(moments, PartitionedMoments) and straight:
            self._kept[()] = moments, np.arange(data.n_columns)
        self._events: dict[tuple[int, int, tuple[int, ...]], Events | None] = {}

    def judged(self, tasks: Sequence[Task]) -> list[Judged | None]:
        """Judge the columns of all tasks, in the same passes; None where times are too many."""
        answers: dict[int, Judged | None] = {}
        models: dict[int, _Likelihoods] = {}
        for number, task in enumerate(tasks):
            found = self._moments_of(task)
            if found is None:
                answers[number] = nothing_there(task)
                continue
            events = None if task.event is None else self._events_of(task, found[2])
            design = Design(*found, task, events)
            if task.event is not None and (events is None or design.is_beyond_sums):
                answers[number] = None
            elif design.explained.is_constant or task.family == "linear":
                answers[number] = design.projected()
            else:
                models[number] = _Likelihoods(design)
        self._fit(list(models.values()))
        answers |= {number: model.judged() for number, model in models.items()}
        return [answers[number] for number in range(len(tasks))]

    def _moments_of(
        self, task: Task
    ) -> tuple[PartitionedMoments, IntArray, tuple[int, ...]] | None:
        """Return correlations of the rows that count, where columns are, and what was incomplete.

        None if there are no such rows.
        """
        incomplete = tuple(sorted(z for z in task.columns if self.data.has_missing[z]))
        if incomplete not in self._kept:
            self._kept[incomplete] = self._made(incomplete)
        self._kept.move_to_end(incomplete)
        while len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)
        found = self._kept[incomplete]
        columns = {*self._incomplete, *self.data.columns[list(incomplete)].tolist()}
        return None if found is None else (*found, tuple(sorted(columns)))

    def _events_of(self, task: Task, incomplete: tuple[int, ...]) -> Events | None:
        """Return what happened when, on the rows that count; None if it is too much."""
        assert task.event is not None
        key = (task.y, task.event, incomplete)
        if key not in self._events:
            time, happened = self._recorded(task.y), self._recorded(task.event)
            self._events.clear()  # those of other rows, which may be large
            self._events[key] = Events.found(
                self._partitions, time, happened, incomplete, self._n_jobs
            )
        return self._events[key]

    def _recorded(self, column: int) -> Recorded:
        is_discrete = self.data.is_discrete[column]
        numbers = numbers_of_categories(self.data, column) if is_discrete else None
        if numbers is not None:
            numbers = np.append(numbers, np.nan)  # of a missing value
        return Recorded(int(self.data.columns[column]), numbers)

    def _made(self, incomplete: tuple[int, ...]) -> tuple[PartitionedMoments, IntArray] | None:
        data: PartitionedDataset = self.data
        if incomplete:
            if data.n_complete(incomplete) == 0:
                return None
            data = data.complete_in(incomplete)  # type: ignore[assignment]
        usable = ~self.data.has_missing
        usable[list(incomplete)] = True
        wanted = np.flatnonzero(usable)
        column_of = np.full(self.data.n_columns, -1, dtype=np.int64)
        column_of[wanted] = np.arange(len(wanted))
        table = data.select([data.names[i] for i in wanted])
        return PartitionedMoments(table, n_jobs=self._n_jobs), column_of  # type: ignore[arg-type]

    def _fit(self, models: Sequence[_Likelihoods]) -> None:
        """Fit all models without candidates, then all with them."""
        todo = [model for model in models if model.null is None]
        while todo:
            fits = [OpenFit(k, None, model.no_block, model.start) for k, model in enumerate(todo)]
            climbed = self._climbed(todo, fits, MOST_NULL_STEPS)
            todo = [m for m, found in zip(todo, climbed, strict=True) if not m.is_fitted(found)]
        fits = [
            fit for k, model in enumerate(models) if not model.is_settled for fit in model.fits(k)
        ]
        if fits:
            climbed = self._climbed(models, fits, MOST_STEPS)
            for fit, found in zip(fits, climbed, strict=True):
                models[fit.base].climbed.append(found)

    def _climbed(
        self, models: Sequence[_Likelihoods], fits: Sequence[OpenFit], most_steps: int
    ) -> list[Climbed]:
        bases = [model.base for model in models]

        def sums_at(asked: list[tuple[int, FloatArray]]) -> list[LikelihoodSums]:
            wanted = [fits[number].at(parameters) for number, parameters in asked]
            sizes = np.cumsum(sizes_of(bases, wanted))
            found = []
            for n_pass in np.unique(sizes // MOST_SUMS).tolist():
                some = [wanted[k] for k in np.flatnonzero(sizes // MOST_SUMS == n_pass)]
                found += unpacked(self._added(bases, some), bases, some)
            return found

        return run([climb(fit.parameters, most_steps) for fit in fits], sums_at)

    def _added(self, bases: Sequence[Base], fits: Sequence[OpenFit]) -> FloatArray:
        """Add the sums of all parts in the order of the rows."""
        total: FloatArray | None = None
        for found in self._partitions.map(partial(sums_of_part, bases, fits), self._n_jobs):
            stop_if_cancelled()
            total = found if total is None else total + found
        assert total is not None
        return total


class _Likelihoods:
    """The fit without candidates, and those with each."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self.explained: Explained = design.explained
        self.null: Climbed | None = None
        self.climbed: list[Climbed] = []
        self._blocks = [design.block(x) for x in design.xs]

    @property
    def base(self) -> Base:
        """What parts are told of the model without candidates."""
        design, response = self.design, self.explained.response
        events = design.explained.events
        column = int(design.moments.data.columns[design.y])
        numbers = design.explained.numbers if len(design.explained.counts) else None
        return Base(
            Recorded(column, numbers) if events is None else events.time,
            design.incomplete,
            response.family,
            response.n_predictors,
            response.n_extra,
            design.units,
            design.weights,
            events,
        )

    @property
    def no_block(self) -> FloatArray:
        """The weights of no columns beside the base."""
        return np.empty((len(self.design.weights), 0))

    @property
    def start(self) -> FloatArray:
        """Where the fit without candidates starts."""
        return self.explained.start(self.design.n_base)

    def is_fitted(self, found: Climbed) -> bool:
        """Take a fit over, unless it says that the family is another one."""
        other = self.explained.settled(found.parameters)
        if other is not self.explained:
            self.explained = other
            return False
        self.null = found
        return True

    @property
    def is_settled(self) -> bool:
        """Whether the columns given predict every class."""
        assert self.null is not None
        certain = -CERTAIN * self.explained.n_rows
        return self.explained.can_separate and self.null.sums.value > certain

    def fits(self, number: int) -> list[OpenFit]:
        """Return the fits with each candidate of which something is left."""
        return [
            OpenFit(number, self.design.unit(x), weights, self._started(weights.shape[1]))
            for x, weights in zip(self.design.xs, self._blocks, strict=True)
            if weights.shape[1]
        ]

    def _started(self, rank: int) -> FloatArray:
        """Start from the model without, the coefficients of other columns 0."""
        assert self.null is not None
        n_predictors, n_base = self.explained.n_predictors, self.design.n_base
        known, extra = np.split(self.null.parameters, [n_predictors * n_base])
        own = np.zeros((n_predictors, n_base + rank))
        own[:, :n_base] = known.reshape(n_predictors, n_base)
        return np.concatenate([own.ravel(), extra])

    def judged(self) -> Judged:
        """Turn what was fitted into evidence."""
        assert self.null is not None
        explained, n_base, n_rows = self.explained, self.design.n_base, self.explained.n_rows
        values = np.zeros((len(self._blocks), N_VALUES))
        n_effective = explained.effective_rows(self.null.sums.curve, n_base)
        found = iter(self.climbed)
        for weights, row in zip(self._blocks, values, strict=True):
            rank = weights.shape[1]
            if self.is_settled or not rank:
                continue
            fit = next(found)
            ratio = max(0.0, 2.0 * (fit.sums.value - self.null.sums.value))
            is_separated = explained.can_separate and not fit.ended
            scale = max(0.0, 1.0 - (n_base + 0.5 * rank) / max(n_effective, TINY))
            statistic = scale * (fit.first_gain if is_separated else ratio)
            judge_ratio(statistic, float(explained.n_predictors * rank), 0.5 * ratio / n_rows, row)
        return Judged(
            values,
            self.design.too_wide,
            n_rows,
            False,
            self.is_settled,
            n_base,
            explained.n_predictors,
            n_effective,
        )
