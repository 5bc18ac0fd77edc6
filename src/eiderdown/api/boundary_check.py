"""``check_boundary``: whether some columns are the Markov boundary of another."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Annotated, Any, Unpack

import numpy as np

from eiderdown.api.local import N_NEAR_MISSES, evidence_of, prepared_for, test_of
from eiderdown.api.tables import about_table
from eiderdown.boundary import TestProblem
from eiderdown.boundary.check import CheckedSet, check_set
from eiderdown.boundary.problem import random_ties
from eiderdown.data.prepare import Prepared
from eiderdown.errors import ConstantColumnError, TargetAmongCandidatesError
from eiderdown.independence import CachedTest, IndependenceBatch
from eiderdown.options import Option, declared
from eiderdown.progress import watched
from eiderdown.randomness import as_seed
from eiderdown.results import BoundaryCheck, CheckAnswer, Evidence, Run, issue_warnings
from eiderdown.shared_options import (
    Alpha,
    IndependenceTestSource,
    Label,
    Names,
    RunOptions,
    TableOptions,
    TieOptions,
)


class CheckOptions(TieOptions, TableOptions, RunOptions, total=False):
    """What :func:`check_boundary` takes."""

    members: Annotated[
        Names, Option("columns that may be the boundary", flag="--member", metavar="COLUMN")
    ]
    alpha: Alpha
    test: IndependenceTestSource


@about_table
@declared
def check_boundary(data: Any, target: Label, **options: Unpack[CheckOptions]) -> BoundaryCheck:
    """Check whether some columns, wherever they come from, are the Markov boundary of another.

    Every other column is tested given the members, and every member given the others. What still
    depends is added, the strongest first, until nothing does.

    Parameters
    ----------
    data : any table
        See :meth:`eiderdown.Dataset.of`.
    target : label
        The target column.
    **options

    Returns
    -------
    BoundaryCheck
        Yes, no, or cannot say; what still depends and what is redundant, with the tests; what was
        added until nothing depended any more. Interrupted with Ctrl-C, or when its time is over,
        the answer with what was added so far.

    Notes
    -----
    Columns are tested one by one, each at significance level ``alpha``, so that among many columns
    some depend by chance (``expected_by_chance`` says how many); two that tell of the target only
    together are not seen. Rows that took no part in choosing the members make an honest check.

    Examples
    --------
    >>> from eiderdown import check_boundary, networks
    >>> data = networks.load("asia").sample(5_000, random_state=0)
    >>> check_boundary(data, "dysp", members=["bronc", "either"]).answer
    'yes'
    >>> found = check_boundary(data, "dysp", members=["bronc"])
    >>> found.answer, found.boundary
    ('no', ('bronc', 'either'))
    """
    members = tuple(dict.fromkeys(options["members"]))
    prepared = prepared_for(data, target, {**options, "required": ()})
    columns = _columns_of(prepared, members)
    assert prepared.target is not None
    started, what = time.perf_counter(), f"check of a boundary of {target!r}"
    with watched(what, progress=options["progress"], time_limit=options["time_limit"]) as shown:
        test = test_of(prepared, options)
        seed = as_seed(options["random_state"]) if options["ties"] == "random" else None
        problem = TestProblem(
            test,
            prepared.target,
            prepared.candidates,
            options["alpha"],
            trace=shown,
            ties=None if seed is None else random_ties(test, seed),
        )
        checked = check_set(problem, columns)
    run = Run.of(
        "check",
        prepared.data,
        {"alpha": options["alpha"], "ties": options["ties"], **test.description},
        counts=[test.counts],
        seconds=time.perf_counter() - started,
        random_state=seed,
    )
    result = _named(prepared, test, checked, members, run)
    issue_warnings(result)
    return result


def _columns_of(prepared: Prepared, members: Sequence[str]) -> list[int]:
    """Return the members' columns; refuse what cannot be in a boundary."""
    taking_part = set(prepared.candidate_names)
    for name in members:
        if name == prepared.target_name:
            raise TargetAmongCandidatesError(
                f"Column {name!r} is the target and not in its own boundary; take it out of the "
                "members."
            )
        if name not in taking_part:
            raise ConstantColumnError(
                f"Column {name!r} is excluded or has a single value, so that it is in no boundary; "
                "take it out of the members."
            )
    return [prepared.data.index(name) for name in members]


def _named(
    prepared: Prepared, test: CachedTest, checked: CheckedSet, members: tuple[str, ...], run: Run
) -> BoundaryCheck:
    """Turn column numbers back into names, and give the answer."""
    alpha, names = run.options["alpha"], prepared.data.names
    dependent = checked.outside.take(checked.outside.dependent(alpha))
    redundant = checked.members.independent(alpha)
    unconfirmed = ~checked.members.decided(alpha)
    n_undecided = int(checked.undecided_outside(alpha).sum())
    answer: CheckAnswer = "yes"
    if len(dependent) or redundant.any():
        answer = "no"
    elif n_undecided or unconfirmed.any():
        answer = "cannot say"
    boundary = set(checked.found.members)
    in_order = (*checked.members.x.tolist(), *(result.x for result in checked.added))
    return BoundaryCheck(
        target=prepared.target_name,
        members=members,
        answer=answer,
        alpha=alpha,
        dependent=tuple(names[x] for x in _strongest_first(dependent, test).x),
        redundant=tuple(names[x] for x in checked.members.x[redundant]),
        unconfirmed=tuple(names[x] for x in checked.members.x[unconfirmed]),
        n_outside=len(checked.outside),
        n_undecided=n_undecided,
        evidence=_evidence(names, test, checked, alpha),
        added=tuple(evidence_of(names, result, "kept") for result in checked.added),
        boundary=tuple(names[x] for x in dict.fromkeys(in_order) if x in boundary),
        run=run,
        warnings=(*prepared.warnings, *test.notes, *_interrupted(checked)),
        complete=checked.found.complete,
    )


def _evidence(
    names: tuple[str, ...], test: CachedTest, checked: CheckedSet, alpha: float
) -> tuple[Evidence, ...]:
    nearest = _strongest_first(checked.outside, test).take(
        np.arange(len(checked.outside)) < N_NEAR_MISSES
    )
    of_members = (
        evidence_of(names, result, "removed" if result.independent(alpha) else "kept")
        for result in checked.members
    )
    return (*of_members, *(evidence_of(names, result, "not_admitted") for result in nearest))


def _strongest_first(batch: IndependenceBatch, test: CachedTest) -> IndependenceBatch:
    return batch.take(batch.by_strength(test.name_rank))


def _interrupted(checked: CheckedSet) -> tuple[str, ...]:
    if checked.found.complete:
        return ()
    return ("Interrupted: the members are checked, but the adding did not come to its end.",)
