"""How many distinct optima KES finds in samples of the rows.

Pena, Kocka & Nielsen (2004), figure 4: if a table is faithful to a graph, optima become fewer with
more rows; in real tables they need not.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.confidence.forkable import may_fork
from eiderdown.confidence.optima import OptimaOptions, RepeatedKes, confidence_by_kes
from eiderdown.confidence.ordered_runs import Jobs, runs_in_order
from eiderdown.confidence.resamples import Resampled
from eiderdown.data import Dataset
from eiderdown.errors import InputError, OptionError
from eiderdown.progress import Cancelled, Trace
from eiderdown.randomness import as_seed
from eiderdown.results import OptimaBySize, OptimaCount, Run
from eiderdown.scores.common_terms import common_terms_kept
from eiderdown.statistics.cost import Workers


def count_optima(
    data: Dataset,
    options: OptimaOptions,
    *,
    shares: Sequence[float],
    repeats: int,
    trace: Trace | None = None,
) -> OptimaBySize:
    """Count the distinct optima in samples of the rows; warnings are not issued."""
    samples = list(_samples(shares, repeats))
    whole = RepeatedKes(data, options)
    whole.search  # noqa: B018  refuses scores, before any sample is drawn
    each: OptimaOptions = {
        **options,
        "random_state": as_seed(options["random_state"]),
        "progress": False,
        "time_limit": None,
        "state": None,
    }
    counting = _Counting(data, each)
    started = time.perf_counter()
    counting.run(samples, trace or Trace())
    counting.require_some()
    first = counting.found[0].run
    sampled = {"shares": list(shares), "repeats": repeats}
    run = replace(
        first,
        options={**first.options, **sampled},
        seconds=time.perf_counter() - started,
        n_rows=data.n_rows,
        n_columns=data.n_columns,
        fingerprint=data.fingerprint,
    )
    return OptimaBySize(
        counts=counting.counts,
        run=run,
        warnings=(*whole.prepared.warnings, *counting.warnings(len(whole.names), len(samples))),
        complete=counting.n_tried == len(samples),
    )


@dataclass(frozen=True)
class _Sample:
    """What was found in one sample."""

    count: OptimaCount
    run: Run
    n_columns: int


class _Counting(Resampled):
    """The samples so far, and what was found in them."""

    def __init__(self, data: Dataset, options: OptimaOptions) -> None:
        super().__init__()
        self.data = data
        self.options = options
        self.found: list[_Sample] = []

    @property
    def counts(self) -> tuple[OptimaCount, ...]:
        """The counts so far."""
        return tuple(sample.count for sample in self.found)

    def run(self, samples: Sequence[tuple[float, int]], trace: Trace) -> None:
        """Search in each sample, until all are done or it is cancelled.

        Jobs take samples; where there are fewer samples than jobs, the runs in each.
        """
        options, n_jobs = self.options, Workers(self.options["n_jobs"]).n_jobs
        jobs = Jobs(1)
        if len(samples) >= n_jobs:
            jobs = Jobs(n_jobs, forks=may_fork(self.data, options))
            options = {**options, "n_jobs": 1}

        def searched(number: int) -> _Sample | InputError:
            try:
                return self._sample(*samples[number], options)
            except InputError as problem:
                return problem

        with (
            common_terms_kept(),
            runs_in_order(searched, range(len(samples)), jobs) as outcomes,
        ):
            try:
                for number, outcome in outcomes:
                    self._keep(number, outcome)
                    trace.progressed("searching", len(self.found))
            except Cancelled:
                for number, outcome in outcomes.finished_behind():
                    self._keep(number, outcome)

    def _keep(self, number: int, outcome: _Sample | InputError) -> None:
        """Remember what was found; a table that is refused gives no count."""
        if isinstance(outcome, InputError):
            self.failures[number] = outcome
        else:
            self.found.append(outcome)
            self.n_resamples += 1

    def _sample(self, share: float, repeat: int, options: OptimaOptions) -> _Sample:
        """Count the optima in one sample."""
        result = confidence_by_kes(self.data.take(self._rows(share, repeat)), options)
        if not result.complete:
            raise Cancelled
        best = result.models[0]
        count = OptimaCount(
            share=share,
            n_rows=result.run.n_rows,
            repeat=repeat,
            n_distinct=result.n_distinct,
            n_runs=result.n_runs,
            best_score=best.score,
            n_edges=best.n_edges,
        )
        return _Sample(count, result.run, len(result.nodes))

    def warnings(self, n_columns: int, n_wanted: int) -> Iterator[str]:
        """Say what befell some of the samples."""
        n_fewer = sum(sample.n_columns < n_columns for sample in self.found)
        if n_fewer:
            yield (
                f"In {n_fewer} of {len(self.found)} samples some columns have a single value and "
                "were left out."
            )
        if self.failures:
            first = self.failures[min(self.failures)]
            yield f"{len(self.failures)} samples gave no model; the first: {first}"
        if self.n_tried < n_wanted:
            yield f"Interrupted: {self.n_tried} of {n_wanted} samples are done."

    def _rows(self, share: float, repeat: int) -> IntArray:
        """Draw rows in a way that depends on no other sample."""
        n_rows = self.data.n_rows
        n = max(1, round(share * n_rows))
        generator = np.random.default_rng([self.options["random_state"] or 0, repeat, n])
        return np.sort(generator.permutation(n_rows)[:n])


def _samples(shares: Sequence[float], repeats: int) -> Iterator[tuple[float, int]]:
    if not shares:
        raise OptionError("shares must name at least one share of the rows.")
    for share in sorted(set(shares)):
        if not 0.0 < share <= 1.0:
            raise OptionError(f"Each of the shares must be above 0 and at most 1, not {share}.")
        yield from ((share, repeat) for repeat in range(1 if share == 1.0 else repeats))
