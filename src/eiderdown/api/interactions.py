"""``find_interactions``: products of columns that matter together, and their source columns."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack

from eiderdown.api.local import ConfiguredSearch, run_search
from eiderdown.api.tables import about_table
from eiderdown.boundary import ALGORITHMS, MARKOV_BOUNDARY
from eiderdown.data import Dataset
from eiderdown.data.missing import FOR_SVM
from eiderdown.data.prepare import Prepared, prepare_target
from eiderdown.errors import listed
from eiderdown.independence.registry import kinds_taken, make_test, with_defaults
from eiderdown.options import declared
from eiderdown.progress import watched
from eiderdown.results import (
    Interactions,
    LocalResult,
    MarkovBoundary,
    ParentsChildren,
    Run,
    issue_warnings,
)
from eiderdown.shared_options import Label
from eiderdown.svm.fsmb import FSMB
from eiderdown.svm.interaction_options import InteractionOptions

_RECORDED = (
    "degree",
    "C",
    "n_monomials",
    "method",
    "max_built",
    "max_seconds",
    "strict",
    "coding",
    "class_weight",
    "folds",
    "nested",
)
"""Options that a run's record has beside those of the local search."""


@about_table
@declared
def find_interactions(
    data: Any, target: Label, **options: Unpack[InteractionOptions]
) -> Interactions:
    """Find products of columns that tell of the target what single columns may not.

    This is the Feature Space Markov Blanket: a support vector machine with a polynomial kernel is
    trained, the monomials with its largest weights are computed, and a local search among them
    finds the target's boundary in feature space.

    Parameters
    ----------
    data : Dataset, pandas, polars or Arrow table, NumPy or SciPy sparse array, or a path
        The table; see :meth:`eiderdown.Dataset.of`. Numbers are scaled to [-1, 1], text with more
        than two categories becomes one column for each category, sparse tables stay sparse.
    target : label
        The target column: classes, or numbers (then it is a regression).
    **options

    Returns
    -------
    Interactions
        Kept monomials with their evidence, their source columns, how well SVM and monomials
        predict. Interrupted with Ctrl-C or when its time is over, what there is so far.

    Notes
    -----
    The SVM picks monomials by the same rows that test them. Without ``strict``, some are kept by
    chance, and with it, weak ones are lost. With None the tests are not strict, but where some of
    the kept monomials pass strictly, the others are left out (``by_chance``).

    Searches that correct parents and children by symmetry do not do so here: a monomial such as
    ``a * b`` is a function of others, such as ``a * c`` and ``b * c``, that are nearer to it than
    the target is. Linear functions of other monomials are dropped.

    References
    ----------
    L. E. Brown, PhD thesis, Vanderbilt University 2009, chapter III.

    Examples
    --------
    >>> import numpy as np
    >>> from eiderdown import find_boundary, find_interactions
    >>> rng = np.random.default_rng(3)
    >>> coins, noise = rng.integers(0, 2, size=(300, 6)), rng.random(300) < 0.05
    >>> table = {f"x{i}": column for i, column in enumerate(coins.T)}
    >>> table["y"] = coins[:, 1] ^ coins[:, 4] ^ noise
    >>> find_boundary(table, target="y").members
    ()
    >>> found = find_interactions(table, target="y", degree=2, C=1.0)
    >>> [monomial.name for monomial in found.monomials], sorted(found.variables)
    (['x1 * x4'], ['x1', 'x4'])
    """
    started = time.perf_counter()
    test = with_defaults(options["test"], basis="linear")
    local = _local_options(options)
    is_boundary = local.algorithm.returns == MARKOV_BOUNDARY
    kind: type[LocalResult] = MarkovBoundary if is_boundary else ParentsChildren
    problem = prepare_target(
        data,
        target,
        exclude=options["exclude"],
        required=options["required"],
        missing=options["missing"],
        complete=FOR_SVM,
    )
    with watched(
        f"interactions around {target!r}",
        progress=options["progress"],
        counted="done",
        time_limit=options["time_limit"],
    ) as trace:

        def find(columns: Dataset, required: Sequence[str], divisor: int) -> LocalResult:
            among = prepare_target(columns, target, takes=kinds_taken(test))
            return run_search(
                kind,
                among,
                make_test(test, among, n_jobs=options["n_jobs"]),
                replace(local, alpha=local.alpha / divisor),
                listener=trace,
                required=required,
                warn_of_copies=False,  # a product may be nearly the same as another
            )

        found = FSMB(problem, options, find, test=test)
        found.run(trace)
    tests = found.boundary.run if found.boundary is not None else None
    run = Run.of(
        "fsmb",
        problem.data,
        {
            "local": local.algorithm.name,
            **{name: options[name] for name in _RECORDED},  # type: ignore[literal-required]
            **found.approximation.record(problem.data.n_rows),
            **(local.params if tests is None else tests.options),
            "alpha": local.alpha,  # of the tests it is smaller, if they are strict
        },
        counts=[] if tests is None else [tests],
        seconds=time.perf_counter() - started,
        random_state=options["random_state"],
    )
    result = _result(problem, found, run)
    issue_warnings(result)
    return result


def _local_options(options: InteractionOptions) -> ConfiguredSearch:
    """Say how to search among monomials; a correction by symmetry has to be asked for."""
    search = ALGORITHMS[options["algorithm"]]
    uncorrected = {"symmetry": "none"} if "symmetry" in search.options else {}
    search = search.with_params({**uncorrected, **search.params})
    return ConfiguredSearch.of(search, options, seeded=True)


def _result(problem: Prepared, found: FSMB, run: Run) -> Interactions:
    notes = [*problem.warnings, *found.notes]
    if found.boundary is not None:
        notes += found.boundary.warnings
    if found.interrupted_while is not None:
        notes.append(f"Interrupted while {found.interrupted_while}; this is what there is so far.")
    sources = (name for monomial in found.monomials for name in monomial.variables)
    result = Interactions(
        target=problem.target_name,
        variables=tuple(dict.fromkeys(sources)),
        monomials=found.monomials,
        by_chance=found.by_chance,
        boundary=found.boundary,
        svm=found.svm,
        search=found.search,
        linear_score=found.linear_score,
        run=run,
        complete=found.interrupted_while is None,
    )
    return replace(result, warnings=(*notes, *_reservations(result)))


def _reservations(result: Interactions) -> list[str]:
    """Say in which ways the result claims less than it seems to."""
    sentences = []
    search, svm = result.search, result.svm
    if search is not None and not search.proven and search.stopped != "interrupted":
        sentences.append(
            f"Only the first {search.n_proven} of {search.n_found} monomials are proven to have "
            f"the largest weights: {search.n_built:,} of {search.n_total:,} were built, and one "
            f"that was not may weigh up to {search.unseen:.3g}; raise max_built to search on."
        )
    score = svm.score if svm is not None else None
    guessed = 0.5 if score is not None and score.measure == "AUC" else 0.0
    if search and score and score.mean - 2.0 * score.standard_error <= guessed:
        n_kept, beyond = len(result.monomials) + len(result.by_chance), result.beyond_chance
        survivors = (
            f"{len(beyond)} of {n_kept} kept survive a correction for so many: {listed(beyond)}."
            if beyond
            else "no kept monomial survives a correction for so many, so do not trust them."
        )
        sentences.append(
            f"The SVM does no better than guessing ({score.measure} {score.mean:.3f} +- "
            f"{score.standard_error:.3f}), so that its weights are a poor guide, and of its "
            f"{search.n_total:,} monomials some pass any test by chance: {survivors}"
        )
    return sentences
