"""``find_boundary`` and ``find_parents_children``: from a table to an answer with its evidence."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, TypeVar

from eiderdown.api.interaction_check import with_interactions_checked
from eiderdown.api.local import SearchOptions, run_search
from eiderdown.boundary import BOUNDARY_ALGORITHMS, PARENTS_CHILDREN_ALGORITHMS
from eiderdown.data import Dataset
from eiderdown.data.prepare import prepare_target
from eiderdown.independence.registry import TestSource, make_test
from eiderdown.progress import watched
from eiderdown.results import LocalResult, MarkovBoundary, ParentsChildren, issue_warnings

Result = TypeVar("Result", bound=LocalResult)


def find_boundary(  # noqa: PLR0913  what all searches take, and the alarm
    data: Any,
    *,
    target: str,
    algorithm: str = "iamb",
    alpha: float = 0.01,
    max_given: int | None = None,
    required: Collection[str] = (),
    exclude: Collection[str] = (),
    params: Mapping[str, Any] | None = None,
    test: TestSource = "auto",
    check_interactions: bool = False,
    random_state: int | None = None,
    n_jobs: int | None = None,
    progress: bool = True,
) -> MarkovBoundary:
    """Find the Markov boundary of a column: the columns that make all others irrelevant to it.

    Parameters
    ----------
    data : Dataset, pandas, polars or Arrow table, NumPy or SciPy sparse array, or a path
        The table; see :meth:`eiderdown.Dataset.of`.
    target : str
        Name of the target column.
    algorithm : str, default="iamb"
        Registered name of the search; see the table of algorithms in the documentation.
    alpha : float, default=0.01
        Significance level, between 0 and 1.
    max_given : int or None, default=None
        Largest conditioning set; None for the algorithm's own choice.
    required, exclude : collection of str
        Columns that must be in the boundary, and columns that must not, such as identifiers.
    params : mapping or None
        Options of the algorithm's own, such as ``{"fraction": 0.8}``.
    test : str, Test or callable, default="auto"
        Test of independence: a name, a configured test such as ``G_SQUARE(dof="nominal")``, or a
        function that makes one of your own from a Dataset; "auto" goes by the columns.
    check_interactions : bool, default=False
        Also search interactions, as :func:`find_interactions` does, on a half of the rows, and warn
        if the columns behind them predict the other half better than the boundary's.
    random_state : int or None
        Seed of algorithms that make random choices, and of the halves.
    n_jobs : int or None
        Threads; None means every available core. The result does not depend on it.
    progress : bool, default=True
        Tell on stderr what a search of more than a second is doing.

    Returns
    -------
    MarkovBoundary
        Members, evidence, and how the search went. Interrupted with Ctrl-C, the best so far.

    Examples
    --------
    >>> from eiderdown import find_boundary, networks
    >>> data = networks.load("asia").sample(5_000, random_state=0)
    >>> sorted(find_boundary(data, target="dysp").members)
    ['bronc', 'either']
    """
    options = SearchOptions(
        BOUNDARY_ALGORITHMS[algorithm],
        BOUNDARY_ALGORITHMS[algorithm].params(params),
        alpha,
        max_given,
        random_state,
    )
    table = Dataset.of(data)
    result = _found(
        MarkovBoundary,
        table,
        target,
        options,
        knowledge=(required, exclude),
        test=test,
        n_jobs=n_jobs,
        progress=progress,
    )
    if check_interactions and result.complete:
        with watched(f"interactions of {target!r}", progress=progress, counted="done") as shown:
            result = with_interactions_checked(
                result,
                prepare_target(table, target, exclude=exclude, mixed=True),
                random_state=random_state or 0,
                n_jobs=n_jobs,
                shown=shown,
            )
    issue_warnings(result)
    return result


def find_parents_children(
    data: Any,
    *,
    target: str,
    algorithm: str = "get_pc",
    alpha: float = 0.01,
    max_given: int | None = None,
    required: Collection[str] = (),
    exclude: Collection[str] = (),
    params: Mapping[str, Any] | None = None,
    test: TestSource = "auto",
    n_jobs: int | None = None,
    progress: bool = True,
) -> ParentsChildren:
    """Find the parents and children of a column: those that no other columns separate from it.

    Parameters are those of :func:`find_boundary`; conditioning sets have at most three columns
    (two at hubs with more than 20 neighbours, where subsets are too many)
    unless ``max_given`` says otherwise.

    Returns
    -------
    ParentsChildren
        Members, evidence, and how the search went. Interrupted with Ctrl-C, the best so far.

    Examples
    --------
    >>> from eiderdown import find_parents_children, networks
    >>> data = networks.load("asia").sample(5_000, random_state=0)
    >>> sorted(find_parents_children(data, target="smoke").members)
    ['bronc', 'lung']
    """
    options = SearchOptions(
        PARENTS_CHILDREN_ALGORITHMS[algorithm],
        PARENTS_CHILDREN_ALGORITHMS[algorithm].params(params),
        alpha,
        max_given,
    )
    result = _found(
        ParentsChildren,
        Dataset.of(data),
        target,
        options,
        knowledge=(required, exclude),
        test=test,
        n_jobs=n_jobs,
        progress=progress,
    )
    issue_warnings(result)
    return result


def _found(
    kind: type[Result],
    data: Dataset,
    target: str,
    options: SearchOptions,
    *,
    knowledge: tuple[Collection[str], Collection[str]],
    test: TestSource,
    n_jobs: int | None,
    progress: bool,
) -> Result:
    required, exclude = knowledge
    problem = prepare_target(data, target, exclude=exclude, required=required)
    what = f"{options.algorithm.returns} of {target!r}"
    with watched(what, progress=progress) as shown:
        recorded = make_test(test, problem.data, problem.target, n_jobs)
        return run_search(kind, problem, recorded, options, listener=shown, required=required)
