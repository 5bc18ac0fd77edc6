"""``find_interactions``: products of columns that matter together, and the columns behind them."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, Literal

from eiderdown.api.feature_space import FeatureSpaceSearch
from eiderdown.api.local import SearchOptions
from eiderdown.api.machine_options import MachineOptions
from eiderdown.boundary import ALGORITHMS
from eiderdown.data.prepare import Prepared, prepare_target
from eiderdown.errors import listed
from eiderdown.independence.registry import TestSource
from eiderdown.progress import Trace, watched
from eiderdown.results import CrossValidation, Interactions, Run, issue_warnings
from eiderdown.svm.numeric_columns import CodingName
from eiderdown.svm.svm_weights import Method


def find_interactions(  # noqa: PLR0913  the options of a machine, and those of find_boundary
    data: Any,
    *,
    target: str,
    degree: int | None = None,
    cost: float | None = None,
    n_features: int = 50,
    method: Method = "exact",
    max_built: int | None = None,
    max_seconds: float | None = None,
    algorithm: str = "hiton_mb",
    alpha: float = 0.05,
    strict: bool | None = None,
    max_given: int | None = 3,
    required: Collection[str] = (),
    exclude: Collection[str] = (),
    params: Mapping[str, Any] | None = None,
    test: TestSource = "auto",
    coding: CodingName = "auto",
    class_weight: Literal["balanced"] | None = None,
    folds: int = 5,
    nested: bool = True,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: bool = True,
) -> Interactions:
    """Find products of columns that tell of the target what single columns may not.

    This is the Feature Space Markov Blanket: a support vector machine with a polynomial kernel is
    trained, the features with its largest weights are computed, and a local search among them
    finds the target's boundary in feature space.

    Parameters
    ----------
    data : Dataset, pandas, polars or Arrow table, NumPy or SciPy sparse array, or a path
        The table; see :meth:`eiderdown.Dataset.of`. Numbers are scaled to [-1, 1], text with more
        than two categories becomes one column for each level, sparse tables stay sparse.
    target : str
        Name of the target column: classes, or numbers (then a regression machine is trained).
    degree : int or None, default=None
        Degree of the kernel: how many columns a product may have. None to choose from 1 to 4 by
        cross-validation.
    cost : float or None, default=None
        What a row on the wrong side costs the machine (C); None to choose from 1e-8 to 1e3.
    n_features : int, default=50
        How many features, of the largest weights, are judged.
    method : {"exact", "heur2", "heur1", "brute_force"}, default="exact"
        How the largest weights are searched; see :func:`eiderdown.svm.top_features`.
    max_built, max_seconds : int, float or None
        Limits of that search, for each pair of classes; the result says what is proven within them.
        If ``max_built`` is None, what takes a minute or two: fewer features, if the machine has
        many support vectors.
    algorithm : str, default="hiton_mb"
        Registered name of the local search among the features.
    alpha : float, default=0.05
        Significance level, between 0 and 1.
    strict : bool or None, default=None
        Whether to divide alpha by the number of all features of the machine. It picks features by
        the same rows that test them; without this, some are kept by chance, and with it, weak ones
        are lost. With None the tests are not strict, but where some of the kept features pass
        strictly, the others are left out (``by_chance``).
    max_given : int or None, default=3
        Largest conditioning set.
    required, exclude : collection of str
        Columns that must be behind the kept features, and columns that must not.
    params : mapping or None
        Options of the algorithm's own; ``corrected`` is False here unless it is given.
    test : str, Test or callable, default="auto"
        Test of independence, as in :func:`find_boundary`. By default features with few distinct
        values are tested with G2; if some have more, Fisher's z with the class as a number, and
        for more than two classes features are cut into categories. Linear functions of other
        features are dropped.
    coding : {"auto", "signs", "zero_one"}, default="auto"
        Scale to [-1, 1], or to [0, 1] as sparse tables need it.
    class_weight : "balanced" or None
        Whether an error on a rare class costs the machine more.
    folds : int, default=5
        Folds of the cross-validations; 0 for none, if degree and cost are given.
    nested : bool, default=True
        If degree or cost are chosen, whether to estimate what the choice is worth by repeating it
        within each fold, which takes several times as long as the choice.
    random_state : int, default=0
        Decides which row is in which fold, and random choices of the local search.
    n_jobs : int or None
        Threads of the tests; None means every available core. The result does not depend on it.
    progress : bool, default=True
        Tell on stderr what a search of more than a second is doing.

    Returns
    -------
    Interactions
        Kept features with their evidence, the columns behind them, how well machine and features
        predict. Interrupted with Ctrl-C, what there is so far.

    Notes
    -----
    Searches that correct parents and children by symmetry do not do so here: a feature such as
    ``a * b`` is a function of others, such as ``a * c`` and ``b * c``, that are nearer to it than
    the target is.

    References
    ----------
    L. E. Brown, PhD thesis, Vanderbilt University 2009, chapter III.

    Examples
    --------
    >>> import numpy as np
    >>> from eiderdown import find_boundary, find_interactions
    >>> coins = np.random.default_rng(1).integers(0, 2, size=(300, 6))
    >>> table = {f"x{i}": column for i, column in enumerate(coins.T)}
    >>> table["y"] = coins[:, 1] ^ coins[:, 4]
    >>> find_boundary(table, target="y").members
    ()
    >>> found = find_interactions(table, target="y", degree=2, cost=1.0)
    >>> [feature.name for feature in found.features], sorted(found.variables)
    (['x1 * x4'], ['x1', 'x4'])
    """
    local = local_options(algorithm, params, alpha, max_given, random_state)
    options = MachineOptions(
        degree=degree,
        cost=cost,
        n_features=n_features,
        method=method,
        max_built=max_built,
        max_seconds=max_seconds,
        strict=strict,
        coding=coding,
        class_weight=class_weight,
        folds=folds,
        nested=nested,
        random_state=random_state,
    )
    problem = prepare_target(data, target, exclude=exclude, required=required, mixed=True)
    knowledge = {"test": test, "required": required, "n_jobs": n_jobs}
    with watched(f"interactions around {target!r}", progress=progress, counted="done") as shown:
        result = interactions_of(problem, options, local, knowledge, shown)
    issue_warnings(result)
    return result


def interactions_of(
    problem: Prepared,
    options: MachineOptions,
    local: SearchOptions,
    knowledge: Mapping[str, Any],
    shown: Trace,
) -> Interactions:
    """Search in feature space and write down what was found; saying warnings is left to others."""
    started = time.perf_counter()
    found = FeatureSpaceSearch(problem, options, local, **knowledge)
    found.run(shown)
    run = _run_record(problem, options, local, found, time.perf_counter() - started)
    said = [*problem.warnings, *found.notes]
    if found.boundary is not None:
        said += found.boundary.warnings
    if found.interrupted_while is not None:
        said.append(f"Interrupted while {found.interrupted_while}; this is what there is so far.")
    behind = (name for feature in found.features for name in feature.variables)
    result = Interactions(
        target=problem.target_name,
        variables=tuple(dict.fromkeys(behind)),
        features=found.features,
        by_chance=found.by_chance,
        boundary=found.boundary,
        machine=found.machine,
        search=found.search,
        linear_score=found.linear_score,
        run=run,
        complete=found.interrupted_while is None,
    )
    return replace(result, warnings=(*said, *_doubts(result)))


def local_options(
    algorithm: str = "hiton_mb",
    params: Mapping[str, Any] | None = None,
    alpha: float = 0.05,
    max_given: int | None = 3,
    random_state: int = 0,
) -> SearchOptions:
    """Say how to search among features; a correction by symmetry has to be asked for."""
    search = ALGORITHMS[algorithm]
    own = {option.name for option in search.options}
    uncorrected = {"corrected": False} if "corrected" in own else {}
    chosen = search.params({**uncorrected, **(params or {})})
    return SearchOptions(search, chosen, alpha, max_given, random_state)


def _run_record(
    problem: Prepared,
    options: MachineOptions,
    local: SearchOptions,
    found: FeatureSpaceSearch,
    seconds: float,
) -> Run:
    tests = found.boundary.run if found.boundary is not None else None
    own = tests.options if tests is not None else local.params
    return Run.of(
        "fsmb",
        problem.data,
        {
            "local": local.algorithm.name,
            **options.description,
            **own,
            "alpha": local.alpha,  # of the tests it is smaller, if they are strict
        },
        counts=[] if tests is None else [tests],
        seconds=seconds,
        random_state=options.random_state,
    )


def _doubts(result: Interactions) -> list[str]:
    """Say in which ways the result claims less than it seems to."""
    doubts = []
    search, machine = result.search, result.machine
    if search is not None and not search.proven and search.stopped != "interrupted":
        doubts.append(
            f"Only the first {search.n_proven} of {search.n_found} features are proven to have the "
            f"largest weights: {search.n_built:,} of {search.n_total:,} were built, and one that "
            f"was not may weigh up to {search.unseen:.3g}; raise max_built to search on."
        )
    score = machine.score if machine is not None else None
    if search is not None and score is not None and _guesses(score):
        doubts.append(
            f"The machine does no better than guessing ({score.measure} {score.mean:.3f} +- "
            f"{score.standard_error:.3f}), so that its weights are a poor guide, and of its "
            f"{search.n_total:,} features some pass any test by chance: {_survivors(result)}"
        )
    return doubts


def _guesses(score: CrossValidation) -> bool:
    by_chance = 0.5 if score.measure == "AUC" else 0.0
    return score.mean - 2.0 * score.standard_error <= by_chance


def _survivors(result: Interactions) -> str:
    n_kept, beyond = len(result.features) + len(result.by_chance), result.beyond_chance
    if not beyond:
        return "no kept feature survives a correction for so many, so do not trust them."
    return f"{len(beyond)} of {n_kept} kept survive a correction for so many: {listed(beyond)}."
