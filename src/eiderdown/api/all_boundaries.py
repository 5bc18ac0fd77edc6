"""``find_all_boundaries``: every column as target, sharing what was tested."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from eiderdown.api.local import SearchOptions, run_search
from eiderdown.boundary import ALGORITHMS, BOUNDARY_ALGORITHMS, Found
from eiderdown.data.prepare import prepare_targets
from eiderdown.independence.registry import TestSource, make_test
from eiderdown.progress import Cancelled, watched
from eiderdown.results import (
    AllBoundaries,
    LocalResult,
    MarkovBoundary,
    ParentsChildren,
    issue_warnings,
)


def find_all_boundaries(
    data: Any,
    *,
    algorithm: str = "pcmb",
    targets: Sequence[str] | None = None,
    alpha: float = 0.01,
    max_given: int | None = None,
    params: Mapping[str, Any] | None = None,
    test: TestSource = "auto",
    random_state: int | None = None,
    n_jobs: int | None = None,
    progress: bool = True,
) -> AllBoundaries:
    """Find the boundary (or the parents and children) of every column.

    Targets share tests and neighbourhoods, so this is much quicker than one call for each. With a
    search for parents and children it is also the way to the skeleton of the whole network.

    Parameters
    ----------
    data : any table
        See :meth:`eiderdown.Dataset.of`.
    algorithm : str, default="pcmb"
        A registered search for boundaries, or for parents and children.
    targets : sequence of str or None
        The columns to ask about; None for all that vary.
    alpha, max_given, params, test, random_state, progress
        As in :func:`find_boundary`.
    n_jobs : int or None
        Threads; None means every available core. The result does not depend on it.

    Returns
    -------
    AllBoundaries
        One result for each target. Interrupted with Ctrl-C, those found so far.

    Examples
    --------
    >>> from eiderdown import find_all_boundaries, networks
    >>> data = networks.load("asia").sample(5_000, random_state=0)
    >>> found = find_all_boundaries(data, algorithm="get_pc")
    >>> found["smoke"].members
    ('bronc', 'lung')
    >>> found.skeleton().n_edges
    5
    """
    search = ALGORITHMS[algorithm]
    is_boundary = algorithm in BOUNDARY_ALGORITHMS.names
    kind: type[LocalResult] = MarkovBoundary if is_boundary else ParentsChildren
    options = SearchOptions(search, search.params(params), alpha, max_given, random_state)
    prepared = prepare_targets(data)
    wanted = prepared.candidate_names if targets is None else targets
    problems, said = [prepared.around(name) for name in wanted], prepared.warnings
    results: dict[str, LocalResult] = {}
    known: dict[Any, Found] = {}
    what = f"{search.returns} of {len(problems)} columns"
    with watched(what, progress=progress, counted="targets") as shown:
        recorded = make_test(test, prepared.data, problems[0].target, n_jobs)
        for problem in problems:
            silent = shown.silent()
            result = run_search(kind, problem, recorded, options, listener=silent, known=known)
            if not result.complete:
                break
            results[result.target] = result
            with suppress(Cancelled):  # the next search will see it
                shown.progressed("searching", len(results))
    complete = len(results) == len(problems)
    if not complete:
        said = (*said, f"Interrupted: {len(results)} of {len(problems)} targets are done.")
    found = AllBoundaries(results, said, complete)
    issue_warnings(found)
    return found
