"""``find_interactions``: products of columns that matter together, and their source columns."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Annotated, Any, Literal, TypedDict, Unpack

from eiderdown.api.local import SearchOptions, run_search
from eiderdown.boundary import ALGORITHMS, MARKOV_BOUNDARY
from eiderdown.data import Dataset
from eiderdown.data.prepare import Prepared, prepare_target
from eiderdown.errors import listed
from eiderdown.independence.registry import make_test, with_defaults
from eiderdown.options import Names, Option, RunOptions, TableOptions, declared
from eiderdown.progress import watched
from eiderdown.results import (
    CrossValidation,
    Interactions,
    LocalResult,
    MarkovBoundary,
    ParentsChildren,
    Run,
    issue_warnings,
)
from eiderdown.svm.fsmb import FSMB, FSMBParams
from eiderdown.svm.numeric import CodingName
from eiderdown.svm.weights.search import Method


class MonomialSearchOptions(TypedDict, total=False):
    """What the verb and the selector take, about an SVM and the search among its monomials."""

    n_monomials: Annotated[
        int,
        Option(
            "how many products, of the largest weights, are judged",
            default=50,
            at_least=1,
            flag="--monomials",
        ),
    ]
    method: Annotated[
        Method,
        Option(
            "how the largest weights are searched; see eiderdown.svm.top_monomials",
            default="exact",
            metavar="METHOD",
        ),
    ]
    max_built: Annotated[
        int | None,
        Option(
            "products that this search may build, for each pair of classes; None for what takes a "
            "minute or two",
            default=None,
            at_least=1,
            metavar="N",
        ),
    ]
    class_weight: Annotated[
        Literal["balanced"] | None,
        Option("whether an error on a rare class costs the SVM more", default=None),
    ]
    strict: Annotated[
        bool | None,
        Option(
            "whether to divide alpha by the number of all products; None to leave out those that "
            "do not pass so strictly only where others do",
            default=None,
        ),
    ]
    algorithm: Annotated[
        Any,
        Option(
            "the local search among the products: a name, or a configured search such as "
            "HITON_MB(corrected=True); a correction by symmetry has to be asked for",
            default="hiton_mb",
        ),
    ]
    alpha: Annotated[float, Option("significance level of the tests", default=0.05, inside=(0, 1))]
    max_given: Annotated[
        int | None, Option("largest conditioning set", default=3, at_least=0, metavar="N")
    ]
    test: Annotated[
        Any,
        Option(
            "test of independence, as in find_boundary; by default products with few distinct "
            "values are tested with G2; if some have more, Fisher's z with the class as a number, "
            "and for more than two classes products are cut into categories",
            default="auto",
        ),
    ]
    required: Annotated[
        Names,
        Option(
            "columns that must be in the kept products",
            default=(),
            flag="--require",
            metavar="COLUMN",
        ),
    ]


class InteractionOptions(MonomialSearchOptions, TableOptions, RunOptions, total=False):
    """The options of :func:`find_interactions`."""

    degree: Annotated[
        int | None,
        Option(
            "degree of the kernel: how many columns a product may have; None to choose from 1 to 4 "
            "by cross-validation",
            default=None,
            at_least=1,
            metavar="N",
        ),
    ]
    C: Annotated[
        float | None,
        Option(
            "what a row on the wrong side costs the SVM; None to choose from 1e-8 to 1e3",
            default=None,
            at_least=0,
            metavar="C",
        ),
    ]
    max_seconds: Annotated[
        float | None,
        Option(
            "seconds that the search for the largest weights may take, for each pair of classes",
            default=None,
            at_least=0,
            metavar="S",
        ),
    ]
    coding: Annotated[
        CodingName,
        Option(
            "scale columns to [-1, 1], or to [0, 1] as sparse tables need it",
            default="auto",
            metavar="CODING",
        ),
    ]
    folds: Annotated[
        int,
        Option(
            "folds of the cross-validations; 0 for none, if degree and C are given",
            default=5,
            at_least=0,
        ),
    ]
    nested: Annotated[
        bool,
        Option(
            "if degree or C are chosen, whether to estimate what the choice is worth by repeating "
            "it within each fold, which takes several times as long",
            default=True,
        ),
    ]


@declared
def find_interactions(
    data: Any, *, target: str, **options: Unpack[InteractionOptions]
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
    target : str
        Name of the target column: classes, or numbers (then it is a regression).
    **options

    Returns
    -------
    Interactions
        Kept monomials with their evidence, their source columns, how well SVM and monomials
        predict. Interrupted with Ctrl-C or when its time is over, what there is so far.

    Notes ----- The SVM picks monomials by the same rows that test them. Without ``strict``, some
    are kept by chance, and with it, weak ones are lost. With None the tests are not strict, but
    where some of the kept monomials pass strictly, the others are left out (``by_chance``).

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
    >>> coins = np.random.default_rng(1).integers(0, 2, size=(300, 6))
    >>> table = {f"x{i}": column for i, column in enumerate(coins.T)}
    >>> table["y"] = coins[:, 1] ^ coins[:, 4]
    >>> find_boundary(table, target="y").members
    ()
    >>> found = find_interactions(table, target="y", degree=2, C=1.0)
    >>> [monomial.name for monomial in found.monomials], sorted(found.variables)
    (['x1 * x4'], ['x1', 'x4'])
    """
    started = time.perf_counter()
    params = FSMBParams(**{field.name: options[field.name] for field in fields(FSMBParams)})  # type: ignore[literal-required]
    test = with_defaults(options["test"], collinear="drop")
    local = _local_options(options)
    is_boundary = local.algorithm.returns == MARKOV_BOUNDARY
    kind: type[LocalResult] = MarkovBoundary if is_boundary else ParentsChildren
    problem = prepare_target(
        data, target, exclude=options["exclude"], required=options["required"], mixed=True
    )
    with watched(
        f"interactions around {target!r}",
        progress=options["progress"],
        counted="done",
        time_limit=options["time_limit"],
    ) as trace:

        def find(columns: Dataset, required: Sequence[str], divisor: int) -> LocalResult:
            among = prepare_target(columns, target)
            return run_search(
                kind,
                among,
                make_test(test, among.data, among.target, options["n_jobs"]),
                replace(local, alpha=local.alpha / divisor),
                listener=trace,
                required=required,
            )

        required = options["required"]
        found = FSMB(problem, params, find, alpha=local.alpha, test=test, required=required)
        found.run(trace)
    result = _result(problem, found, _run(problem, params, local, found, started))
    issue_warnings(result)
    return result


def _local_options(options: InteractionOptions) -> SearchOptions:
    """Say how to search among monomials; a correction by symmetry has to be asked for."""
    search = ALGORITHMS[options["algorithm"]]
    uncorrected = {"corrected": False} if "corrected" in search.options else {}
    search = search.with_params({**uncorrected, **search.params})
    return SearchOptions.of(search, options, seeded=True)


def _run(
    problem: Prepared, params: FSMBParams, local: SearchOptions, found: FSMB, started: float
) -> Run:
    tests = found.boundary.run if found.boundary is not None else None
    own = tests.options if tests is not None else local.params
    return Run.of(
        "fsmb",
        problem.data,
        {
            "local": local.algorithm.name,
            **params.description,
            **own,
            "alpha": local.alpha,  # of the tests it is smaller, if they are strict
        },
        counts=[] if tests is None else [tests],
        seconds=time.perf_counter() - started,
        random_state=params.random_state,
    )


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
    if search is not None and score is not None and _guesses(score):
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


def _guesses(score: CrossValidation) -> bool:
    by_chance = 0.5 if score.measure == "AUC" else 0.0
    return score.mean - 2.0 * score.standard_error <= by_chance
