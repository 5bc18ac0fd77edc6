"""Local optima of one table: KES run again and again, with one memory of scores for all runs.

Pena, Kocka & Nielsen (2004), section 3. Run i has the i-th seed whatever the number of runs, and
optima are counted in the order of the runs, so that more runs begin with fewer and a search that
goes on from a file ends as one that was never interrupted. Figure 4 counts them in samples of a
table, too: if it is faithful to a graph, they become fewer with more rows; in real tables they need
not.
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypedDict

import numpy as np

from eiderdown.confidence.features import (
    DistinctModels,
    confidence_from,
    confidence_warnings,
    model_of_edges,
)
from eiderdown.confidence.forkable import may_fork
from eiderdown.confidence.ordered_runs import Jobs, runs_in_order
from eiderdown.confidence.runs import RunSeeds, check_agreement
from eiderdown.confidence.saved_runs import SavedRuns, read_saved
from eiderdown.data import Dataset
from eiderdown.data.prepare import prepare_network
from eiderdown.errors import OptionError
from eiderdown.options import Option
from eiderdown.progress import Cancelled, Trace, abandon, watched
from eiderdown.randomness import as_seed
from eiderdown.results import (
    FeatureConfidence,
    FoundModel,
    Run,
    Weighting,
)
from eiderdown.scores import make_score, takes_mixed
from eiderdown.shared_options import KnowledgeOptions, RunOptions, ScoreOptions, TableOptions
from eiderdown.state import StateFile
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
            "file in which the runs of KES are kept: read if it is there, written every few "
            "seconds and whatever ends the runs",
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
        with repeated.state:
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
        self.state = StateFile(options["state"])
        self.finished: set[int] = set()
        self.n_begun, self.seconds_before = 0, 0.0
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
        """Begin with the runs made before, if there are any."""
        saved, seed = read_saved(resume, self.state), self.options["random_state"]
        if seed is None and saved is not None:
            seed = saved.run.random_state
        options = {**self.conditions, "runs": self.wanted}
        self.record = Run.of(SOURCE, self.prepared.source, options, random_state=as_seed(seed))
        if saved is not None:
            check_agreement(saved, run=self.record, nodes=self.names)
            self.models = DistinctModels(saved.models)
            self.n_begun = saved.n_runs + len(saved.gaps)
            self.finished = set(range(self.n_begun)) - set(saved.gaps)
            self.seconds_before = saved.run.seconds

    def run(self, shown: Trace) -> None:
        """Make the runs that are not there yet, until all are made or it is cancelled."""
        search = self.search
        seeds = RunSeeds(self.record.random_state or 0, self.wanted)
        named: dict[tuple[Any, ...], FoundModel] = {}

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
            key = found.directed, found.undirected, found.score
            if key not in named:
                named[key] = model_of_edges(self.names, *key)
            return named[key]

        rest = range(self.n_begun, self.wanted)
        missing = chain(self.gaps, rest) if self.gaps else rest
        forks = may_fork(self.prepared.data, self.options)
        jobs = Jobs(self.options["n_jobs"], forks=forks, remembering=True)
        with runs_in_order(optimum, missing, jobs) as optima:
            try:
                for number, model in optima:
                    self._keep(number, model)
                    shown.progressed("searching", self.n_runs)
                    self.state.keep(self.result)
            except Cancelled:
                for number, model in optima.finished_behind():
                    self._keep(number, model)
                if self.n_runs == 0:
                    abandon()
            except BaseException:  # another Ctrl-C, SIGTERM, no memory: what is there is kept
                shown.cancel()
                if self.n_runs:
                    self.state.write(self.result())
                raise

    @property
    def n_runs(self) -> int:
        """How many runs are finished."""
        return len(self.finished)

    @property
    def gaps(self) -> tuple[int, ...]:
        """The numbers of unfinished runs before the last that is finished."""
        if self.n_begun == self.n_runs:
            return ()
        return tuple(sorted(set(range(self.n_begun)) - self.finished))

    def _keep(self, number: int, model: FoundModel) -> None:
        self.models.add(model)
        self.finished.add(number)
        self.n_begun = max(self.n_begun, number + 1)

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
            gaps=self.gaps,
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
