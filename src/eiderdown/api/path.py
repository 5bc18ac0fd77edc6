"""``boundary_path``: the Markov boundary at several significance levels.

The same search is made at each level, by one test that remembers its answers; graphs that a search
learns are remembered, too. So most levels cost little.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import replace
from typing import Annotated, Any, Final, Unpack

from eiderdown.api import choice
from eiderdown.api.boundary import configured
from eiderdown.api.local import prepared_for, run_record, run_search, test_of
from eiderdown.api.tables import about_table
from eiderdown.boundary import BOUNDARY_ALGORITHMS, Search
from eiderdown.boundary.false_discoveries import ErrorRate
from eiderdown.boundary.known_sets import KnownSets
from eiderdown.data import Dataset
from eiderdown.errors import OptionError
from eiderdown.options import Option, declared
from eiderdown.progress import Cancelled, watched
from eiderdown.results import BoundaryPath, LocalResult, MarkovBoundary, issue_warnings
from eiderdown.shared_options import (
    IndependenceTestSource,
    Label,
    MaxGiven,
    RequiredOptions,
    RunOptions,
    TableOptions,
)

ALPHAS: Final = (1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.005, 0.01, 0.05, 0.1)
"""The significance levels where nobody names others."""


class PathOptions(RequiredOptions, TableOptions, RunOptions, total=False):
    """What :func:`boundary_path` takes."""

    alphas: Annotated[
        Collection[float] | None,
        Option(
            "significance levels, each between 0 and 1; None for ten from 1e-8 to 0.1",
            default=None,
            metavar="X,...",
        ),
    ]
    max_given: MaxGiven
    test: IndependenceTestSource
    error_rate: ErrorRate
    algorithm: Annotated[
        str | Search,
        Option(
            "search: a name, 'auto' to let the table choose, or a configured entry such as "
            "PCMB(max_given=2)",
            choice.AUTO,
        ),
    ]


@about_table
@declared
def boundary_path(data: Any, target: Label, **options: Unpack[PathOptions]) -> BoundaryPath:
    """Find the Markov boundary of a column at several significance levels.

    It shows what hangs by the choice of alpha: columns that are in at the smallest levels are safe,
    and those that come in last may be chance.

    Parameters
    ----------
    data : any table
        See :meth:`eiderdown.Dataset.of`.
    target : label
        The target column.
    **options

    Returns
    -------
    BoundaryPath
        The boundary at each level, and for each column the smallest level at which it is in.
        Interrupted with Ctrl-C, or when its time is over, the levels so far, from the smallest on.

    Examples
    --------
    >>> from eiderdown import boundary_path, networks
    >>> data = networks.load("asia").sample(1_000, random_state=0)
    >>> path = boundary_path(data, "dysp", alphas=[1e-6, 0.01, 0.1], progress=False)
    >>> path.smallest_alpha
    {'bronc': 1e-06, 'either': 1e-06, 'xray': 0.01}
    """
    started, alphas = time.perf_counter(), _checked(options["alphas"])
    given: Any = {**options, "alpha": alphas[-1]}
    named = choice.named(options["algorithm"], BOUNDARY_ALGORITHMS)
    prepared = prepared_for(Dataset.of(data), target, given)
    what, limit = f"Markov boundary of {target!r} at {len(alphas)} levels", options["time_limit"]
    found: list[LocalResult] = []
    with watched(what, progress=options["progress"], counted="levels", time_limit=limit) as shown:
        test = test_of(prepared, given)
        search = configured(named, choice.OF_BOUNDARY, prepared, test, given)
        known = KnownSets()
        graphs: dict[Any, Any] = {}
        try:
            for alpha in alphas:
                result = run_search(
                    MarkovBoundary,
                    prepared,
                    test,
                    replace(search, alpha=alpha, graphs=graphs),
                    listener=shown.silent(),
                    required=options["required"],
                    known=known,
                    warn_of_copies=False,
                )
                if not result.complete:
                    break
                found.append(result)
                shown.progressed("searching", len(found))
        except Cancelled:
            pass
    run = run_record(prepared, test, search, test.counts, time.perf_counter() - started)
    path = BoundaryPath(
        target=prepared.target_name,
        alphas=alphas[: len(found)],
        members=tuple(result.members for result in found),
        run=replace(run, options={"alphas": list(alphas), **run.options}),
        warnings=_warnings((*prepared.warnings, *test.notes), len(found), len(alphas)),
        complete=len(found) == len(alphas),
    )
    issue_warnings(path)
    return path


def _checked(alphas: Collection[float] | None) -> tuple[float, ...]:
    """Return levels in order, each once, or say what they must be."""
    chosen = ALPHAS if alphas is None else tuple(sorted(set(alphas)))
    if not chosen:
        raise OptionError("alphas names no significance level; name some, or leave it out.")
    for alpha in chosen:
        if not 0.0 < alpha < 1.0:
            raise OptionError(f"Each of the alphas must be between 0 and 1, not {alpha!r}.")
    return chosen


def _warnings(said: tuple[str, ...], n_done: int, n_asked: int) -> tuple[str, ...]:
    if n_done == n_asked:
        return said
    return (*said, f"Interrupted: {n_done} of {n_asked} significance levels are done.")
