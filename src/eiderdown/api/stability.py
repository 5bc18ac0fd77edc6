"""``measure_stability``: how often edges come back when a graph is learned from resampled rows."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from eiderdown.api.named_learners import NamedLearner, named_learner
from eiderdown.confidence import Learner, Resampling, Tally, learn_resampled
from eiderdown.confidence.stability import Method
from eiderdown.data import Dataset
from eiderdown.errors import EiderdownWarning, OptionError, listed
from eiderdown.local.progress import ProgressTrace
from eiderdown.randomness import as_generator
from eiderdown.results import EdgeStability, Run
from eiderdown.results.provenance import library_versions


def measure_stability(
    data: Any,
    *,
    algorithm: str | Learner = "mmhc",
    target: str | None = None,
    resamples: int = 100,
    method: Method = "bootstrap",
    share: float | None = None,
    random_state: int | None = None,
    n_workers: int | None = None,
    progress: bool = True,
    **options: Any,
) -> EdgeStability:
    """Measure how often each edge comes back when the graph is learned from resampled rows.

    Parameters
    ----------
    data : any table
        See :meth:`eiderdown.Dataset.of`.
    algorithm : str or callable, default="mmhc"
        Name of a search for networks (as in :func:`learn_network`), for regions
        (:func:`learn_region`) or for parents and children (:func:`find_neighbours`); or a function
        of your own that takes a Dataset and a seed and returns a graph.
    target : str or None
        The column around which a region, or parents and children, are searched.
    resamples : int, default=100
        How often.
    method : {"bootstrap", "subsample"}, default="bootstrap"
        Draw rows with replacement, or without.
    share : float or None
        How many rows to draw, as a share of those there are; None for all of them (bootstrap) or
        half of them (subsample).
    random_state : int or None
        Seed.
    n_workers : int or None
        Threads, each with a resample; None means every available core. The result does not depend
        on it.
    progress : bool, default=True
        Tell on stderr how many resamples are done.
    **options
        Options of the search, as of the function that it belongs to, such as ``alpha``, ``depth``
        or ``knowledge``.

    Returns
    -------
    EdgeStability
        The frequencies of edges and directions. Interrupted with Ctrl-C, of the resamples so far.

    Notes
    -----
    A search for a directed graph says more than the data can: only directions that all equivalent
    graphs share are counted as directions. Those of a function of your own are counted as they are.

    Examples
    --------
    >>> from eiderdown import measure_stability, networks
    >>> data = networks.load("asia").sample(2_000, random_state=0)
    >>> found = measure_stability(data, algorithm="pc_stable", resamples=20, random_state=0)
    >>> found.edge("smoke", "bronc").adjacent
    1.0
    >>> ("bronc", "smoke") in found.consensus().undirected
    True
    """
    table = Dataset.of(data)
    learner = _learner(algorithm, target, options)
    resampling = Resampling(method, share)
    seed = _seed(random_state)
    name = _name_of(learner)
    started = time.perf_counter()
    what = f"{name} on resampled rows"
    with ProgressTrace(what, shown=progress, counted="graphs") as shown:
        tally = learn_resampled(
            learner,
            table,
            n_resamples=resamples,
            resampling=resampling,
            seed=seed,
            n_workers=n_workers,
            trace=shown,
        )
    _require_some_graph(tally)
    heard = learner.heard if isinstance(learner, NamedLearner) else ()
    said = {"resamples": resamples, "method": method, "share": resampling.drawn}
    result = EdgeStability(
        edges=tally.edge_frequencies(),
        nodes=tally.node_shares(),
        n_resamples=tally.n_resamples,
        resampled_by=resampling.described,
        run=_run_record(name, learner, table, said, seed, time.perf_counter() - started),
        warnings=tuple(_doubts(tally, resamples, heard)),
        complete=tally.complete,
    )
    for sentence in result.warnings:
        warnings.warn(sentence, EiderdownWarning, stacklevel=2)
    return result


def _learner(algorithm: str | Learner, target: str | None, options: Mapping[str, Any]) -> Learner:
    if isinstance(algorithm, str):
        return named_learner(algorithm, target=target, options=options)
    given = [*options, *([] if target is None else ["target"])]
    if given:
        raise OptionError(
            f"A function of your own is told a table and a seed only; {listed(given)} must go into "
            "the function."
        )
    return algorithm


def _name_of(learner: Learner) -> str:
    if isinstance(learner, NamedLearner):
        return learner.algorithm
    return str(getattr(learner, "__name__", "function"))


def _seed(random_state: int | None) -> int:
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    as_generator(random_state)
    return random_state


def _run_record(
    name: str,
    learner: Learner,
    data: Dataset,
    said: Mapping[str, Any],
    seed: int,
    seconds: float,
) -> Run:
    """Write down how all resamples went, with their tests in sum."""
    runs = learner.runs if isinstance(learner, NamedLearner) else []
    return Run(
        algorithm=name,
        options={**(runs[0].options if runs else {}), **said},
        n_tests=sum(run.n_tests for run in runs),
        n_repeated=sum(run.n_repeated for run in runs),
        n_skipped=sum(run.n_skipped for run in runs),
        seconds=seconds,
        n_rows=data.n_rows,
        n_columns=data.n_columns,
        fingerprint=data.fingerprint,
        random_state=seed,
        versions=library_versions(),
    )


def _require_some_graph(tally: Tally) -> None:
    """Without any graph, pass on why: the first problem, or the interruption."""
    if tally.n_resamples == 0 and tally.failures:
        raise tally.failures[min(tally.failures)]
    if tally.n_resamples == 0:
        raise KeyboardInterrupt


def _doubts(tally: Tally, n_wanted: int, heard: Sequence[str]) -> Iterator[str]:
    """Say what is true of the table, as most searches found, and what befell some of them."""
    n_tried = tally.n_resamples + len(tally.failures)
    for sentence, n_times in sorted(Counter(heard).items()):
        if 2 * n_times > n_tried:
            yield sentence
    if tally.failures:
        first = tally.failures[min(tally.failures)]
        yield f"{len(tally.failures)} of {n_tried} resamples gave no graph; the first: {first}"
    if not tally.complete:
        yield f"Interrupted: {n_tried} of {n_wanted} resamples are done."
