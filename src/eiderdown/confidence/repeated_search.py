"""KES again and again: local optima of one table, from runs that share one memory of scores.

Pena, Kocka & Nielsen (2004), section 3. Run i has the i-th seed whatever the number of runs, and
models are taken in the order of the runs, so that more runs begin with fewer and a search that goes
on from a file ends as one that was never interrupted.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from eiderdown.confidence.doubts import doubts
from eiderdown.confidence.earlier_runs import Earlier, StateFile, check_agreement, read_earlier
from eiderdown.confidence.found_models import ModelCollection, numbered_model
from eiderdown.confidence.kes_options import KesOptions
from eiderdown.confidence.kes_problem import KesProblem, kes_problem
from eiderdown.confidence.multiplicity import run_seeds
from eiderdown.confidence.ordered_runs import ordered_runs
from eiderdown.confidence.summary import summarised
from eiderdown.data import Dataset
from eiderdown.progress import Cancelled, Trace, abandon, watched
from eiderdown.randomness import as_seed
from eiderdown.results import FeatureConfidence, FoundModel, Run
from eiderdown.structure.equivalence.kes import run_kes

SOURCE = "kes"


def analysed_optima(
    data: Dataset, options: KesOptions, *, resume: Earlier | None = None
) -> FeatureConfidence:
    """Run KES often and say which features its optima share.

    Parameters
    ----------
    data : Dataset
        The table.
    options : KesOptions
        How often, and how.
    resume : FeatureConfidence, str, Path or None
        Runs made before.

    Returns
    -------
    FeatureConfidence
        Interrupted with Ctrl-C, of the runs so far. Saying its warnings is left to the caller.
    """
    what = f"local optima of {data.n_columns:,} columns"
    with watched(what, progress=options.progress, counted="runs") as shown:
        problem = kes_problem(data, options)
        analysis = _Analysis(problem, resume)
        analysis.run(shown)
        return analysis.finished()


class _Analysis:
    """The runs so far, and the way on."""

    def __init__(self, problem: KesProblem, resume: Earlier | None) -> None:
        self.problem = problem
        self.state = StateFile(problem.options.state)
        earlier = read_earlier(resume, self.state)
        self.record = self._begun(earlier)
        if earlier is not None:
            check_agreement(
                earlier,
                run=self.record,
                nodes=problem.names,
                conditions=problem.conditions,
                n_runs=problem.options.runs,
            )
        self.models = ModelCollection(() if earlier is None else earlier.models)
        self.n_runs = 0 if earlier is None else earlier.n_runs
        self.seconds_before = 0.0 if earlier is None else earlier.run.seconds
        self.started = time.perf_counter()

    def run(self, shown: Trace) -> None:
        """Make the runs that are not there yet, until all are made or it is cancelled."""
        options, search = self.problem.options, self.problem.search()
        seeds = run_seeds(self.record.random_state or 0, options.runs)

        def optimum(number: int) -> FoundModel:
            generator = np.random.default_rng(seeds[number])
            found = run_kes(
                search,
                k=options.k,
                turning=options.turning,
                generator=generator,
                trace=shown.silent(),
            )
            if not found.complete:
                raise Cancelled
            names = self.problem.names
            return numbered_model(names, found.directed, found.undirected, found.score)

        try:
            missing = range(self.n_runs, options.runs)
            with ordered_runs(optimum, missing, n_jobs=options.n_jobs) as optima:
                for model in optima:
                    self.models.add(model)
                    self.n_runs += 1
                    shown.progressed("searching", self.n_runs)
                    self.state.keep(self.result)
        except Cancelled:
            if self.n_runs == 0:
                abandon()

    def finished(self) -> FeatureConfidence:
        """Return the result, and keep it."""
        result = self.result()
        self.state.write(result)
        if self.state.problem is not None:
            result = replace(result, warnings=(*result.warnings, self.state.problem))
        return result

    def result(self) -> FeatureConfidence:
        """Say what the runs so far have found."""
        options, names = self.problem.options, self.problem.names
        models = self.models.ranked()
        seconds = self.seconds_before + time.perf_counter() - self.started
        return FeatureConfidence(
            nodes=names,
            features=summarised(models, names, weighting=options.weighting),
            models=models,
            source=SOURCE,
            weighting=options.weighting,
            n_runs=self.n_runs,
            target=options.target,
            run=replace(self.record, seconds=seconds),
            warnings=self._warnings(models),
            complete=self.n_runs == options.runs,
        )

    def _begun(self, earlier: FeatureConfidence | None) -> Run:
        problem, source = self.problem, self.problem.prepared.source
        seed = problem.options.random_state
        if seed is None and earlier is not None:
            seed = earlier.run.random_state
        said = {**problem.conditions, "runs": problem.options.runs}
        return Run.of(SOURCE, source, said, random_state=as_seed(seed))

    def _warnings(self, models: tuple[FoundModel, ...]) -> tuple[str, ...]:
        options = self.problem.options
        said = [
            *self.problem.prepared.warnings,
            *doubts(
                models, weighting=options.weighting, same_rows=True, more="a smaller k or more runs"
            ),
        ]
        if self.n_runs < options.runs:
            said.append(f"Interrupted: {self.n_runs:,} of {options.runs:,} runs are in.")
        return tuple(said)
