"""``find_boundaries``: repeated searches with random choices find several boundaries."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from eiderdown.api.accuracy import Prediction, by_cross_validation, on_test_data
from eiderdown.api.local import SearchOptions, run_record, run_search
from eiderdown.boundary import BOUNDARY_ALGORITHMS, Search
from eiderdown.confidence import interchangeable, replacements, run_seeds, tallied
from eiderdown.data.prepare import Prepared, prepare_target
from eiderdown.errors import OptionError
from eiderdown.independence import CachedTest
from eiderdown.independence.registry import TestSource, make_test
from eiderdown.old_registry import Algorithm
from eiderdown.progress import Cancelled, Trace, watched
from eiderdown.randomness import as_seed
from eiderdown.results import AlternativeBoundary, Boundaries, MarkovBoundary, Run, issue_warnings


def find_boundaries(  # noqa: PLR0913  the options of find_boundary, and those of repetition
    data: Any,
    *,
    target: str,
    algorithm: str = "kiamb",
    runs: int = 100,
    patience: int | None = None,
    alpha: float = 0.01,
    max_given: int | None = None,
    required: Collection[str] = (),
    exclude: Collection[str] = (),
    params: Mapping[str, Any] | None = None,
    test: TestSource = "auto",
    cv: Any = 5,
    test_data: Any = None,
    random_state: int | None = None,
    n_jobs: int | None = None,
    progress: bool = True,
) -> Boundaries:
    """Find several Markov boundaries of a column by repeated searches with random choices.

    Where columns stand for each other, a column has more than one boundary. Each run chooses
    differently; runs share the tests that they have in common.

    Parameters
    ----------
    data, target, alpha, max_given, required, exclude, test, progress
        As in :func:`find_boundary`.
    algorithm : str, default="kiamb"
        A search that makes random choices: "kiamb" or "kpcmb".
    runs : int, default=100
        How many searches.
    patience : int or None, default=None
        Stop after so many runs without a new boundary; None to make all runs.
    params : mapping or None
        Options of the algorithm's own: ``{"fraction": 0.8}`` is greedy, 0 the most random.
    cv : int, scikit-learn splitter or None, default=5
        Folds of the repeated, stratified cross-validation by which each boundary's accuracy is
        measured; None for no accuracies.
    test_data : any table or None
        Rows on which to measure accuracy instead; it must have the target and the members.
    random_state : int or None
        Seed. Each boundary holds the seed of its run, with which :func:`find_boundary` finds it.
    n_jobs : int or None
        Threads; None means every available core. The result does not depend on it.

    Returns
    -------
    Boundaries
        The distinct boundaries with their frequency and accuracy, and which variables stand for
        which. Interrupted with Ctrl-C, those of the runs so far.

    Notes
    -----
    The accuracy is that of naive Bayes with Laplace's correction for a discrete target, and the R2
    of a linear regression for a continuous one. Boundaries are found with all rows of ``data``, so
    accuracies by cross-validation compare boundaries; only ``test_data`` says how well they
    predict rows that took no part.

    Examples
    --------
    >>> import numpy as np
    >>> from eiderdown import find_boundaries
    >>> coin = np.random.default_rng(0).integers(0, 2, 200)
    >>> table = {"coin": coin, "photo": coin, "copy": coin}
    >>> found = find_boundaries(table, target="coin", runs=20, random_state=0)
    >>> sorted(item.members for item in found)
    [('copy',), ('photo',)]
    >>> found.interchangeable
    (('copy', 'photo'),)
    """
    search = BOUNDARY_ALGORITHMS[algorithm]
    _check_repetition(search, runs, patience)
    seed = as_seed(random_state)
    options = SearchOptions(search, search.params(params), alpha, max_given, seed)
    problem = prepare_target(data, target, exclude=exclude, required=required)
    prediction = _prediction(problem, cv, test_data, seed)
    with watched(f"{search.returns} of {target!r}", progress=progress, counted="runs") as shown:
        recorded = make_test(test, problem.data, problem.target, n_jobs)
        repetition = _Repetition(problem, recorded, options, tuple(required), runs, patience)
        runs_made = repetition.made(shown)
        alternatives = _measured(tallied(runs_made.found), prediction, shown)
    result = _gathered(problem, runs_made, alternatives, prediction)
    issue_warnings(result)
    return result


@dataclass(frozen=True, eq=False)
class _RunsMade:
    """What the runs found, in their order, and whether Ctrl-C ended them."""

    found: tuple[MarkovBoundary, ...]
    run: Run
    complete: bool


@dataclass(frozen=True, eq=False)
class _Repetition:
    """The same search again and again, each time with a seed of its own."""

    problem: Prepared
    test: CachedTest
    options: SearchOptions
    required: tuple[str, ...]
    n_runs: int
    patience: int | None

    def made(self, shown: Trace) -> _RunsMade:
        """Search until all runs are made, patience ends, or Ctrl-C."""
        started = time.perf_counter()
        found, complete = list[MarkovBoundary](), True
        try:
            for boundary in self._patiently(shown.silent()):
                complete = boundary.complete
                if not complete:
                    break
                found.append(boundary)
                shown.progressed("searching", len(found))
        except Cancelled:  # between two searches
            complete = False
        seconds = time.perf_counter() - started
        run = run_record(self.problem, self.test, self.options, self.test.counts, seconds)
        run = replace(run, options={**run.options, "runs": self.n_runs, "patience": self.patience})
        return _RunsMade(tuple(found), run, complete)

    def _patiently(self, trace: Trace) -> Iterator[MarkovBoundary]:
        seen: set[frozenset[str]] = set()
        n_idle = 0
        for seed in run_seeds(self.options.random_state or 0, self.n_runs):
            boundary = self._searched(seed, trace)
            yield boundary
            members = frozenset(boundary.members)
            n_idle = n_idle + 1 if members in seen else 0
            seen.add(members)
            if n_idle == self.patience:
                return

    def _searched(self, seed: int, trace: Trace) -> MarkovBoundary:
        options = replace(self.options, random_state=seed)
        return run_search(
            MarkovBoundary,
            self.problem,
            self.test,
            options,
            listener=trace,
            required=self.required,
        )


def _check_repetition(search: Algorithm[Search], runs: int, patience: int | None) -> None:
    if not search.random:
        random = ", ".join(repr(other.name) for other in BOUNDARY_ALGORITHMS if other.random)
        raise OptionError(
            f"{search.name!r} makes no random choices, so all runs would find the same; choose "
            f"from {random}."
        )
    if runs < 1:
        raise OptionError(f"runs must be at least 1, not {runs}.")
    if patience is not None and patience < 1:
        raise OptionError(f"patience must be at least 1 or None, not {patience}.")


def _prediction(problem: Prepared, cv: Any, test_data: Any, seed: int) -> Prediction | None:
    """Say how accuracy is measured; the columns are as they were before they were unified."""
    table, target = problem.source, problem.target_name
    if test_data is not None:
        return on_test_data(table, target, test_data, list(problem.candidate_names))
    return None if cv is None else by_cross_validation(table, target, cv, seed)


def _measured(
    tally: list[tuple[MarkovBoundary, int]], prediction: Prediction | None, shown: Trace
) -> tuple[AlternativeBoundary, ...]:
    """Add the accuracies; after Ctrl-C the rest goes without."""
    found = [AlternativeBoundary(boundary, n_runs) for boundary, n_runs in tally]
    if prediction is not None:
        try:
            for i, item in enumerate(found):
                found[i] = replace(item, accuracy=prediction.accuracy(item.members))
                shown.progressed("measuring accuracy", i + 1)
        except Cancelled:
            pass
    return tuple(found)


def _gathered(
    problem: Prepared,
    made: _RunsMade,
    alternatives: tuple[AlternativeBoundary, ...],
    prediction: Prediction | None,
) -> Boundaries:
    stand_ins = replacements([item.members for item in alternatives])
    measured = prediction is None or all(item.accuracy is not None for item in alternatives)
    said = [*problem.warnings, *_doubts(problem, alternatives)]
    if not made.complete:
        said.append(f"Interrupted: {len(made.found)} of {made.run.options['runs']} runs are done.")
    if not measured:
        said.append("Interrupted: not every boundary has its accuracy.")
    return Boundaries(
        target=problem.target_name,
        alternatives=alternatives,
        n_runs=len(made.found),
        replacements=stand_ins,
        interchangeable=interchangeable(stand_ins),
        run=made.run,
        predicted_by=None if prediction is None else prediction.described,
        warnings=tuple(said),
        complete=made.complete and measured,
    )


def _doubts(problem: Prepared, alternatives: Sequence[AlternativeBoundary]) -> list[str]:
    """Say once what several boundaries say each for itself."""
    doubtful = [item for item in alternatives if item.boundary.warnings != problem.warnings]
    if not doubtful:
        return []
    return [
        f"With {problem.data.n_rows} rows, {len(doubtful)} of {len(alternatives)} boundaries may "
        "lack members that could not be tested; their own warnings say more."
    ]
