"""Local optima of one table: KES run again and again, with one memory of scores for all runs.

Pena, Kocka & Nielsen (2004), section 3. Run i has the i-th seed whatever the number of runs, and
optima are counted in the order of the runs, so that more runs begin with fewer and a search that
goes on from a file ends as one that was never interrupted. Figure 4 counts them in samples of a
table, too: if it is faithful to a graph, they become fewer with more rows; in real tables they need
not.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypedDict

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.confidence.features import (
    DistinctModels,
    confidence_from,
    confidence_warnings,
    model_of_edges,
)
from eiderdown.confidence.resamples import Resampled
from eiderdown.confidence.runs import (
    RunSeeds,
    SavedRuns,
    StateFile,
    check_agreement,
    read_saved,
    runs_in_order,
)
from eiderdown.data import Dataset
from eiderdown.data.prepare import prepare_network
from eiderdown.errors import InputError, OptionError
from eiderdown.options import Option
from eiderdown.progress import Cancelled, Trace, abandon, watched
from eiderdown.randomness import as_seed
from eiderdown.results import (
    FeatureConfidence,
    FoundModel,
    OptimaBySize,
    OptimaCount,
    Run,
    Weighting,
)
from eiderdown.scores import make_score, takes_mixed
from eiderdown.shared_options import KnowledgeOptions, RunOptions, ScoreOptions, TableOptions
from eiderdown.structure.equivalence.kes import run_kes
from eiderdown.structure.equivalence.search import EquivalenceSearch

SOURCE = "kes"

N_RUNS = 1_000
"""How often KES is run; as the default of k, from Pena, Kocka & Nielsen (2004), section 4.1."""


Runs: TypeAlias = Annotated[
    int | None,
    Option(
        "how many models to find; None for 1,000 by KES and 100 otherwise",
        default=None,
        at_least=1,
        metavar="N",
    ),
]


class ModelOptions(TypedDict, total=False):
    """How many models are found, and what each of them counts."""

    runs: Runs
    weighting: Annotated[
        Weighting | None,
        Option(
            "what a distinct model counts: as much as any other (the default of KES), the number "
            "of runs that found it (the default otherwise), or exp(score)",
            default=None,
        ),
    ]


class KesOptions(TypedDict, total=False):
    """What KES takes."""

    k: Annotated[
        float,
        Option(
            "share of the improving moves among which a step of KES takes the best; 0 takes any",
            default=0.8,
            at_least=0,
        ),
    ]
    max_parents: Annotated[
        int | None,
        Option("most parents of any column, for KES", default=None, at_least=1, metavar="N"),
    ]
    turning: Annotated[
        bool,
        Option("KES may also turn edges, which leaves fewer and better optima", default=False),
    ]


class StateOptions(TypedDict, total=False):
    """Where runs of KES are kept."""

    state: Annotated[
        Path | None,
        Option(
            "file in which the runs of KES are kept: read if it is there, written every half a "
            "minute and at the end",
            default=None,
            metavar="FILE.json",
        ),
    ]


class OptimaOptions(
    ModelOptions,
    KesOptions,
    ScoreOptions,
    KnowledgeOptions,
    StateOptions,
    TableOptions,
    RunOptions,
    total=False,
):
    """What an analysis of local optima takes."""


def confidence_by_kes(
    data: Dataset,
    options: OptimaOptions,
    *,
    target: str | None = None,
    resume: SavedRuns | None = None,
) -> FeatureConfidence:
    """Run KES often and measure which graph features its optima share; warnings are not issued.

    ``options`` are complete and checked; ``resume`` are runs made before, or their file.
    """
    what, limit = f"local optima of {data.n_columns:,} columns", options["time_limit"]
    with watched(what, progress=options["progress"], counted="runs", time_limit=limit) as shown:
        repeated = RepeatedKes(data, options, target=target)
        repeated.go_on_from(resume)
        repeated.run(shown)
        return repeated.kept()


class RepeatedKes:
    """Many runs of KES on one table."""

    def __init__(self, data: Dataset, options: OptimaOptions, *, target: str | None = None) -> None:
        if options["k"] >= 1.0:
            raise OptionError(
                f"k must be at least 0 and below 1, not {options['k']}; with k=1 nothing is left "
                "to chance, and all runs would find the same."
            )
        self.options, self.target = options, target
        self.prepared = prepare_network(
            data,
            target=target,
            exclude=options["exclude"],
            knowledge=options["knowledge"],
            takes="both kinds" if takes_mixed(options["score"]) else "one kind",
            missing=options["missing"],
            complete="KES takes no others",
        )
        # One thread: the runs are spread over threads instead.
        self.score = make_score(options["score"], self.prepared.data, n_jobs=1)
        self.wanted = N_RUNS if options["runs"] is None else options["runs"]
        self.weighting: Weighting = options["weighting"] or "distinct"
        self.models = DistinctModels()
        self.n_runs, self.seconds_before = 0, 0.0
        self.started = time.perf_counter()

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that take part."""
        return self.score.names

    @property
    def conditions(self) -> dict[str, Any]:
        """What runs must have in common to be counted together, besides table and seed."""
        known = self.prepared.knowledge
        return {
            "k": self.options["k"],
            **self.score.description,
            "max_parents": self.options["max_parents"],
            "turning": self.options["turning"],
            "knowledge": None if known is None else known.to_dict(),
        }

    @cached_property
    def search(self) -> EquivalenceSearch:
        """The search whose memory of scores all runs share; refuses scores that will not do."""
        return EquivalenceSearch(
            self.score,
            knowledge=self.prepared.column_knowledge,
            max_parents=self.options["max_parents"],
        )

    def go_on_from(self, resume: SavedRuns | None) -> None:
        """Begin with the runs made before, if there are any, and open the state file."""
        self.state = StateFile(self.options["state"])
        saved, seed = read_saved(resume, self.state), self.options["random_state"]
        if seed is None and saved is not None:
            seed = saved.run.random_state
        options = {**self.conditions, "runs": self.wanted}
        self.record = Run.of(SOURCE, self.prepared.source, options, random_state=as_seed(seed))
        if saved is not None:
            check_agreement(saved, run=self.record, nodes=self.names)
            self.models = DistinctModels(saved.models)
            self.n_runs, self.seconds_before = saved.n_runs, saved.run.seconds

    def run(self, shown: Trace) -> None:
        """Make the runs that are not there yet, until all are made or it is cancelled."""
        search = self.search
        seeds = RunSeeds(self.record.random_state or 0, self.wanted)

        def optimum(number: int) -> FoundModel:
            found = run_kes(
                search,
                k=self.options["k"],
                turning=self.options["turning"],
                generator=np.random.default_rng(seeds[number]),
                trace=shown.silent(),
            )
            if not found.complete:
                raise Cancelled
            return model_of_edges(self.names, found.directed, found.undirected, found.score)

        try:
            missing = range(self.n_runs, self.wanted)
            with runs_in_order(optimum, missing, n_jobs=self.options["n_jobs"]) as optima:
                for model in optima:
                    self.models.add(model)
                    self.n_runs += 1
                    shown.progressed("searching", self.n_runs)
                    self.state.keep(self.result)
        except Cancelled:
            if self.n_runs == 0:
                abandon()

    def kept(self) -> FeatureConfidence:
        """Return the result, and write it into the state file."""
        result = self.result()
        self.state.write(result)
        if self.state.problem is not None:
            result = replace(result, warnings=(*result.warnings, self.state.problem))
        return result

    def result(self) -> FeatureConfidence:
        """Measure which graph features the optima so far share."""
        models = self.models.ranked()
        seconds = self.seconds_before + time.perf_counter() - self.started
        return confidence_from(
            models,
            self.names,
            self.weighting,
            source=SOURCE,
            target=self.target,
            run=replace(self.record, seconds=seconds),
            warnings=self._warnings(models),
            complete=self.n_runs == self.wanted,
        )

    def _warnings(self, models: tuple[FoundModel, ...]) -> tuple[str, ...]:
        more = "a smaller k or more runs"
        warnings = [
            *self.prepared.warnings,
            *confidence_warnings(models, weighting=self.weighting, same_rows=True, more=more),
        ]
        if self.n_runs < self.wanted:
            warnings.append(f"Interrupted: {self.n_runs:,} of {self.wanted:,} runs are in.")
        return tuple(warnings)


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
    first = counting.runs[0]
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
        counts=tuple(counting.counts),
        run=run,
        warnings=(*whole.prepared.warnings, *counting.warnings(len(whole.names), len(samples))),
        complete=counting.n_tried == len(samples),
    )


class _Counting(Resampled):
    """The samples so far, and what was found in them."""

    def __init__(self, data: Dataset, options: OptimaOptions) -> None:
        super().__init__()
        self.data = data
        self.options = options
        self.counts: list[OptimaCount] = []
        self.n_columns: list[int] = []
        self.runs: list[Run] = []

    def run(self, samples: Sequence[tuple[float, int]], trace: Trace) -> None:
        """Search in each sample, until all are done or it is cancelled."""
        try:
            for share, repeat in samples:
                self._count(share, repeat)
                trace.progressed("searching", len(self.counts))
        except Cancelled:
            pass

    def _count(self, share: float, repeat: int) -> None:
        """Count the optima in one sample; a table that is refused gives no count."""
        try:
            result = confidence_by_kes(self.data.take(self._rows(share, repeat)), self.options)
        except InputError as problem:
            self.failures[self.n_tried] = problem
            return
        if not result.complete:
            raise Cancelled
        self.n_resamples += 1
        self.runs.append(result.run)
        self.n_columns.append(len(result.nodes))
        best = result.models[0]
        self.counts.append(
            OptimaCount(
                share=share,
                n_rows=result.run.n_rows,
                repeat=repeat,
                n_distinct=result.n_distinct,
                n_runs=result.n_runs,
                best_score=best.score,
                n_edges=best.n_edges,
            )
        )

    def warnings(self, n_columns: int, n_wanted: int) -> Iterator[str]:
        """Say what befell some of the samples."""
        n_fewer = sum(n < n_columns for n in self.n_columns)
        if n_fewer:
            yield (
                f"In {n_fewer} of {len(self.counts)} samples some columns have a single value and "
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
