"""``find_boundary``: the whole way from a table to a boundary with its evidence."""

from __future__ import annotations

import time
import warnings
from collections.abc import Collection
from typing import Any

import numpy as np

from eiderdown.api.evidence import EvidenceOptions
from eiderdown.api.preparation import Problem, prepare
from eiderdown.api.progress import ProgressTrace
from eiderdown.api.provenance import library_versions
from eiderdown.data import Dataset
from eiderdown.errors import EiderdownWarning, OptionError, TooFewRowsError
from eiderdown.independence import IndependenceResult, RecordingTest
from eiderdown.local import BOUNDARY_ALGORITHMS, EvidenceTrace, Traces
from eiderdown.results import Decision, Evidence, MarkovBoundary, Run

N_NEAR_MISSES = 20
"""How many of the variables that stayed outside are reported with their evidence."""


def find_boundary(
    data: Any,
    *,
    target: str,
    algorithm: str = "iamb",
    alpha: float = 0.01,
    max_given: int | None = None,
    exclude: Collection[str] = (),
    evidence: EvidenceOptions | None = None,
    n_workers: int | None = None,
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
        Registered name of the search.
    alpha : float, default=0.01
        Level of the tests, between 0 and 1.
    max_given : int or None, default=None
        Largest conditioning set; None for no limit.
    exclude : collection of str
        Columns that must not be in the boundary, such as identifiers.
    evidence : EvidenceOptions or None
        Which test, and when to trust it.
    n_workers : int or None
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
    _check_options(alpha, max_given)
    search = BOUNDARY_ALGORITHMS[algorithm].function
    problem = prepare(Dataset.of(data), target, exclude)
    trace = EvidenceTrace()
    complete = True
    started = time.perf_counter()
    with ProgressTrace(f"Markov boundary of {target!r}", shown=progress) as shown:
        test = RecordingTest(
            (evidence or EvidenceOptions()).build(problem.data, problem.target, n_workers=n_workers)
        )
        try:
            search(
                test,
                problem.target,
                candidates=problem.candidates,
                alpha=alpha,
                max_given=max_given,
                trace=Traces(trace, shown),
            )
        except KeyboardInterrupt:
            complete = False
    run = Run(
        algorithm=algorithm,
        options={"alpha": alpha, "max_given": max_given, **test.description},
        n_tests=test.counts.n_tests,
        n_repeated=test.counts.n_repeated,
        n_skipped=test.counts.n_skipped,
        seconds=time.perf_counter() - started,
        n_rows=problem.data.n_rows,
        n_columns=problem.data.n_columns,
        fingerprint=problem.data.fingerprint,
        random_state=None,
        versions=library_versions(),
    )
    _require_some_reliable(run, target)
    boundary = _named(trace, test, problem, run, complete=complete)
    for sentence in boundary.warnings:
        warnings.warn(sentence, EiderdownWarning, stacklevel=2)
    return boundary


def _check_options(alpha: float, max_given: int | None) -> None:
    if not 0.0 < alpha < 1.0:
        raise OptionError(f"alpha must be between 0 and 1, not {alpha}; 0.01 is a common choice.")
    if max_given is not None and max_given < 0:
        raise OptionError(f"max_given must be at least 0 or None, not {max_given}.")


def _require_some_reliable(run: Run, target: str) -> None:
    if 0 < run.n_tests == run.n_skipped:
        raise TooFewRowsError(
            f"Not one test has enough rows: {run.n_rows} rows are too few to say anything about "
            f"target {target!r}; collect more rows, merge levels, or relax the reliability rule."
        )


def _doubts(trace: EvidenceTrace, problem: Problem, *, complete: bool) -> list[str]:
    """Say in which ways the result claims less than it seems to."""
    doubts = []
    if not complete:
        doubts.append("The search was interrupted; this is the best boundary so far.")
    if trace.outside is not None:
        n_skipped = int(np.count_nonzero(~trace.outside.reliable))
        if n_skipped:
            n_given = len(trace.outside.given[0])
            doubts.append(
                f"With {problem.data.n_rows} rows, {n_skipped} of {len(trace.outside)} variables "
                f"outside could not be tested given the {n_given} found; some may belong to the "
                "boundary."
            )
    return doubts


def _named(
    trace: EvidenceTrace,
    test: RecordingTest,
    problem: Problem,
    run: Run,
    *,
    complete: bool,
) -> MarkovBoundary:
    """Turn column numbers back into names."""
    names = problem.data.names

    def named(result: IndependenceResult, decision: Decision) -> Evidence:
        return Evidence(
            variable=names[result.x],
            decision=decision,
            given=tuple(names[z] for z in result.given),
            statistic=result.statistic,
            dof=result.dof,
            log_p=result.log_p,
            n_used=result.n_used,
            effect=result.effect,
            reliable=result.reliable,
        )

    def strongest_first(result: IndependenceResult) -> tuple[float, float, str]:
        return (result.log_p, -result.statistic, names[result.x])

    kept = sorted(trace.members.values(), key=strongest_first)
    removed = sorted(trace.gone.values(), key=strongest_first)
    missed: list[IndependenceResult] = []
    if trace.outside is not None:
        nearest = trace.outside.by_strength(test.name_rank)
        near = [trace.outside[int(i)] for i in nearest[: N_NEAR_MISSES + len(trace.gone)]]
        missed = [r for r in near if r.x not in trace.gone and r.x not in trace.members]
    return MarkovBoundary(
        target=names[problem.target],
        members=tuple(names[result.x] for result in kept),
        evidence=(
            *(named(result, "kept") for result in kept),
            *(named(result, "removed") for result in removed),
            *(named(result, "not_admitted") for result in missed[:N_NEAR_MISSES]),
        ),
        run=run,
        warnings=(*problem.warnings, *_doubts(trace, problem, complete=complete)),
        complete=complete,
    )
