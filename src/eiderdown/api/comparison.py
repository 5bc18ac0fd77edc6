"""``compare_selectors``: which selection of columns serves prediction best, honestly measured."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from typing import Any, Literal

from eiderdown.api.contest import Contest
from eiderdown.api.scoreboard import Scoreboard
from eiderdown.api.selection_task import ColumnSelector
from eiderdown.api.selectors import COMMON, SELECTORS
from eiderdown.data import Dataset
from eiderdown.data.prepare import prepare_target
from eiderdown.errors import OptionError
from eiderdown.old_registry import Algorithm
from eiderdown.progress import watched
from eiderdown.results import Run, SelectorComparison, issue_warnings

DEGREES = (1, 2, 3)
"""Degrees to choose from; a fourth, as in the thesis, seldom pays and is the slowest."""

COSTS = tuple(10.0**power for power in range(-8, 4, 2))
"""Costs to choose from: every other one of the thesis's."""


def compare_selectors(  # noqa: PLR0913  what is compared, on which rows, with which machines
    data: Any,
    *,
    target: str,
    selectors: Sequence[str] | Literal["all"] | None = None,
    exclude: Collection[str] = (),
    folds: int = 5,
    test_share: float | None = None,
    degrees: Sequence[int] = DEGREES,
    costs: Sequence[float] = COSTS,
    inner_folds: int = 5,
    class_weight: Literal["balanced"] | None = None,
    max_seconds_each: float | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: bool = True,
) -> SelectorComparison:
    """Compare ways to select columns by how well a machine predicts with what they select.

    The rows are split. On one part each selector selects columns, and degree and cost of a support
    vector machine with a polynomial kernel are chosen for them by cross-validation; the machine is
    judged on the other part. The split is made for each fold, or once with ``test_share``.

    Parameters
    ----------
    data : Dataset, pandas, polars or Arrow table, NumPy or SciPy sparse array, or a path
        The table; see :meth:`eiderdown.Dataset.of`.
    target : str
        Name of the target column: classes (judged by AUC) or numbers (judged by R2).
    selectors : sequence of str, "all" or None
        Registered names; None for one of each sort.
    exclude : collection of str
        Columns to leave out, such as identifiers.
    folds : int, default=5
        Number of folds.
    test_share : float or None
        Instead of folds, the share of the rows to judge on.
    degrees, costs : sequence of int, sequence of float
        Degrees and costs to choose from. With one of each there is nothing to choose.
    inner_folds : int, default=5
        Folds of the choice.
    class_weight : "balanced" or None
        Whether errors on rare classes cost machines more.
    max_seconds_each : float or None
        How long one selection may take; a slower selector is given up, which its row says.
    random_state : int, default=0
        Decides which rows are in which part, and all other random choices.
    n_jobs : int or None
        Threads; None means every available core. The result does not depend on it.
    progress : bool, default=True
        Tell on stderr what is being done.

    Returns
    -------
    SelectorComparison
        A row for each selector, with the reason where something is missing. Interrupted with
        Ctrl-C, what was done until then.

    Examples
    --------
    >>> import numpy as np
    >>> coins = np.random.default_rng(0).integers(0, 2, size=(200, 8))
    >>> table = {f"x{i}": column for i, column in enumerate(coins.T)}
    >>> table["y"] = coins[:, 1] ^ coins[:, 4]
    >>> found = compare_selectors(table, target="y", selectors=["none", "fsmb"], folds=2)
    >>> found["fsmb"].trials[0].variables, found["fsmb"].score
    (('x1', 'x4'), 1.0)
    """
    chosen = _chosen(selectors)
    if max_seconds_each is not None and not max_seconds_each > 0.0:
        raise OptionError(f"max_seconds_each must be positive or None, not {max_seconds_each!r}.")
    started = time.perf_counter()
    table = Dataset.of(data)
    contest = Contest(
        prepare_target(table, target, exclude=exclude, mixed=True),
        degrees=degrees,
        costs=costs,
        inner_folds=inner_folds,
        class_weight=class_weight,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    splits = contest.splits(folds, test_share)
    board = Scoreboard(chosen, len(splits), max_seconds_each)
    what = f"{len(chosen)} selectors for {target!r}"
    with watched(what, progress=progress, counted="selections done") as shown:
        complete = board.play(contest, splits, shown)
    options = {
        "selectors": [selector.name for selector in chosen],
        "folds": len(splits) if test_share is None else None,
        "test_share": test_share,
        "degrees": [int(degree) for degree in degrees],
        "costs": [float(cost) for cost in costs],
        "inner_folds": inner_folds,
        "class_weight": class_weight,
        "max_seconds_each": max_seconds_each,
    }
    notes = (*contest.notes, *board.notes.told())
    if not complete:
        notes += (f"Interrupted: {board.n_done} of {board.n_wanted} selections are done.",)
    result = SelectorComparison(
        target=target,
        measure=contest.measure,
        n_variables=len(contest.problem.candidates),
        n_splits=len(splits),
        tested_on=f"{len(splits)}-fold cross-validation"
        if test_share is None
        else f"{len(splits[0].test):,} rows kept aside",
        selectors=board.rows(),
        run=Run.of(
            "compare_selectors",
            table,
            options,
            seconds=time.perf_counter() - started,
            random_state=random_state,
        ),
        warnings=notes,
        complete=complete,
    )
    issue_warnings(result)
    return result


def _chosen(selectors: Sequence[str] | None) -> list[Algorithm[ColumnSelector]]:
    if selectors is None:
        selectors = COMMON
    elif isinstance(selectors, str):
        selectors = SELECTORS.names if selectors == "all" else [selectors]
    if len(selectors) == 0:
        raise OptionError("No selector was named; give some names, 'all', or None.")
    return [SELECTORS[name] for name in dict.fromkeys(selectors)]
