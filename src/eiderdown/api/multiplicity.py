"""``find_boundaries``: repeated searches with random choices find several boundaries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, TypedDict, Unpack

from eiderdown.api.accuracy import Prediction, by_cross_validation, on_test_data
from eiderdown.api.boundary import LocalSearch
from eiderdown.api.local import ConfiguredSearch, prepared_for
from eiderdown.api.repetition import Repetition
from eiderdown.api.tables import about_table
from eiderdown.boundary import BOUNDARY_ALGORITHMS, Search
from eiderdown.confidence import distinct_boundaries, interchangeable, replacements
from eiderdown.confidence.forkable import may_fork
from eiderdown.confidence.ordered_runs import Jobs, runs_in_order
from eiderdown.data.prepare import Prepared
from eiderdown.errors import OptionError
from eiderdown.options import Option, declared
from eiderdown.progress import Cancelled, Trace, watched
from eiderdown.randomness import as_seed
from eiderdown.registry import Registry
from eiderdown.results import (
    Accuracy,
    AlternativeBoundary,
    Boundaries,
    MarkovBoundary,
    Run,
    issue_warnings,
)
from eiderdown.shared_options import Label, RunOptions, TableOptions

RANDOM_ALGORITHMS: Registry[Search] = Registry(
    algorithm for algorithm in BOUNDARY_ALGORITHMS if algorithm.random
)
"""Searches that may find another boundary with another seed."""


class PatienceOptions(TypedDict, total=False):
    """When repeated searches end."""

    patience: Annotated[
        int | None,
        Option(
            "stop after so many runs without a new boundary; None to make all runs",
            default=None,
            at_least=1,
            metavar="N",
        ),
    ]


class BoundariesOptions(LocalSearch, PatienceOptions, TableOptions, RunOptions, total=False):
    """What :func:`find_boundaries` takes."""

    algorithm: Annotated[
        str | Search,
        Option(
            "search that makes random choices: a name, or a configured entry such as "
            "KIAMB(fraction=0.8), which is greedy; 0 is the most random",
            default="kiamb",
            command_help="search; 'eiderdown algorithms boundaries' lists those that make random "
            "choices",
        ),
    ]
    runs: Annotated[int, Option("how many searches", default=100, at_least=1)]
    cv: Annotated[
        int | Any | None,
        Option(
            "folds of the repeated, stratified cross-validation by which each boundary's accuracy "
            "is measured: a number, a splitter of scikit-learn, or None for no accuracies",
            default=5,
            flag="--folds",
            metavar="N",
        ),
    ]
    test_data: Annotated[
        Any,
        Option(
            "table on whose rows to measure accuracy instead; it must have the target and the "
            "members",
            default=None,
            metavar="FILE",
        ),
    ]


@about_table
@declared
def find_boundaries(data: Any, target: Label, **options: Unpack[BoundariesOptions]) -> Boundaries:
    """Find several Markov boundaries of a column by repeated searches with random choices.

    Where columns stand for each other, a column has more than one boundary. Each run chooses
    differently; runs share the tests that they have in common.

    Parameters
    ----------
    data : any table
        See :meth:`eiderdown.Dataset.of`.
    target : label
        The target column.
    **options

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
    algorithm = BOUNDARY_ALGORITHMS[options["algorithm"]]
    if options["ties"] == "name":
        _require_random(algorithm)
    seed = as_seed(options["random_state"])
    search = ConfiguredSearch.of(algorithm, {**options, "random_state": seed})
    problem = prepared_for(data, target, options)
    prediction = _prediction(problem, options["cv"], options["test_data"], seed)
    what, limit = f"{algorithm.returns} of {target!r}", options["time_limit"]
    with watched(what, progress=options["progress"], counted="runs", time_limit=limit) as shown:
        repetition = Repetition.of(problem, search, options)
        run = repetition.search(shown)
        tally = distinct_boundaries(repetition.found)
        jobs = Jobs(options["n_jobs"], forks=may_fork(problem.data, options), remembering=True)
        alternatives = _measured(tally, prediction, shown, jobs)
    result = _gathered(repetition, run, alternatives, prediction)
    issue_warnings(result)
    return result


def _require_random(search: Search) -> None:
    if not search.random:
        random = ", ".join(map(repr, RANDOM_ALGORITHMS.names))
        raise OptionError(
            f"{search.name!r} makes no random choices, so all runs would find the same; choose "
            f"from {random}, or break ties at random (ties='random')."
        )


def _prediction(problem: Prepared, cv: Any, test_data: Any, seed: int) -> Prediction | None:
    """Say how accuracy is measured; the columns are as they were before they were unified."""
    table, target = problem.source, problem.target_name
    if test_data is not None:
        return on_test_data(table, target, test_data, list(problem.candidate_names))
    if cv is None or table.roles is not None:
        return None
    return by_cross_validation(table, target, cv, seed)


def _measured(
    tally: list[tuple[MarkovBoundary, int]],
    prediction: Prediction | None,
    shown: Trace,
    jobs: Jobs,
) -> tuple[AlternativeBoundary, ...]:
    """Add the accuracies; after Ctrl-C the rest goes without."""
    found = [AlternativeBoundary(boundary, n_runs) for boundary, n_runs in tally]
    if prediction is None:
        return tuple(found)

    def accuracy(number: int) -> Accuracy:
        return prediction.accuracy(found[number].members)

    with runs_in_order(accuracy, range(len(found)), jobs) as measured:
        try:
            for i, value in measured:
                found[i] = replace(found[i], accuracy=value)
                shown.progressed("measuring accuracy", i + 1)
        except Cancelled:
            pass
    return tuple(found)


def _gathered(
    made: Repetition,
    run: Run,
    alternatives: tuple[AlternativeBoundary, ...],
    prediction: Prediction | None,
) -> Boundaries:
    problem = made.problem
    stand_ins = replacements([item.members for item in alternatives])
    measured = prediction is None or all(item.accuracy is not None for item in alternatives)
    said = [*problem.warnings, *_reservations(problem, alternatives)]
    if prediction is None and problem.source.roles is not None:
        said.append("Accuracies were not measured, because rows have weights or belong together.")
    if not made.complete:
        said.append(f"Interrupted: {len(made.found)} of {made.n_runs} runs are done.")
    if not measured:
        said.append("Interrupted: not every boundary has its accuracy.")
    return Boundaries(
        target=problem.target_name,
        alternatives=alternatives,
        n_runs=len(made.found),
        replacements=stand_ins,
        interchangeable=interchangeable(stand_ins),
        run=run,
        predicted_by=None if prediction is None else prediction.described,
        warnings=tuple(said),
        complete=made.complete and measured,
    )


def _reservations(problem: Prepared, alternatives: Sequence[AlternativeBoundary]) -> list[str]:
    """Say once what several boundaries say each for itself."""
    doubtful = [item for item in alternatives if item.boundary.warnings != problem.warnings]
    if not doubtful:
        return []
    return [
        f"With {problem.data.n_rows} rows, {len(doubtful)} of {len(alternatives)} boundaries may "
        "lack members that could not be tested, or have needless ones; their own warnings say more."
    ]
