"""``find_all_boundaries``: every column as target, sharing what was tested."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from eiderdown.api.evidence import EvidenceSource, recorded_test
from eiderdown.api.local import SearchOptions, run_search
from eiderdown.api.preparation import Problem, prepare_all
from eiderdown.api.progress import ProgressTrace
from eiderdown.data import Dataset
from eiderdown.errors import EiderdownWarning
from eiderdown.local import BOUNDARY_ALGORITHMS, NEIGHBOUR_ALGORITHMS, Trace
from eiderdown.results import AllBoundaries, LocalResult, MarkovBoundary, ParentsChildren
from eiderdown.statistics import available_cores


def find_all_boundaries(
    data: Any,
    *,
    algorithm: str = "pcmb",
    targets: Sequence[str] | None = None,
    alpha: float = 0.01,
    max_given: int | None = None,
    settings: Mapping[str, Any] | None = None,
    evidence: EvidenceSource | None = None,
    random_state: int | None = None,
    n_workers: int | None = None,
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
    alpha, max_given, settings, evidence, random_state, progress
        As in :func:`find_boundary`.
    n_workers : int or None
        Threads, each with some of the targets; None means every available core. Members and
        evidence do not depend on it; the counts of tests do, because threads do not share memory.

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
    kind: type[LocalResult] = MarkovBoundary
    registry = BOUNDARY_ALGORITHMS
    if algorithm in NEIGHBOUR_ALGORITHMS.names:
        kind, registry = ParentsChildren, NEIGHBOUR_ALGORITHMS
    search = registry[algorithm]
    options = SearchOptions(search, search.settings(settings), alpha, max_given, random_state)
    problems, said = prepare_all(Dataset.of(data), targets)
    n_threads = max(1, min(n_workers or available_cores(), available_cores(), len(problems)))
    what = f"{search.returns} of {len(problems)} columns"
    with ProgressTrace(what, shown=progress, counted="targets") as shown:
        work = _Work(kind, problems, options, evidence, shown)
        work.divided_among(n_threads)
    results = {names: work.results[names] for names in work.names if names in work.results}
    if len(results) < len(problems):
        said = (*said, f"Interrupted: {len(results)} of {len(problems)} targets are done.")
    for sentence in said:
        warnings.warn(sentence, EiderdownWarning, stacklevel=2)
    return AllBoundaries(results, warnings=said)


@dataclass
class _Work:
    """Targets to be searched, and what was found so far."""

    kind: type[LocalResult]
    problems: list[Problem]
    options: SearchOptions
    evidence: EvidenceSource | None
    shown: ProgressTrace
    results: dict[str, LocalResult] = field(default_factory=dict)
    known: dict[tuple[str, int], Any] = field(default_factory=dict)
    stopped: threading.Event = field(default_factory=threading.Event)

    @property
    def names(self) -> list[str]:
        return [problem.data.names[problem.target] for problem in self.problems]

    def divided_among(self, n_threads: int) -> None:
        """Search all targets; threads share neighbourhoods, and have a memory of tests each."""
        shares = [self.problems[k::n_threads] for k in range(n_threads)]
        if n_threads == 1:
            self._search(shares[0])
            return
        with ThreadPoolExecutor(n_threads, thread_name_prefix="eiderdown") as pool:
            futures = [pool.submit(self._search, share) for share in shares]
            try:
                for future in futures:
                    future.result()
            except KeyboardInterrupt:
                self.stopped.set()

    def _search(self, share: list[Problem]) -> None:
        first = share[0]
        test = recorded_test(self.evidence, first.data, first.target, 1)
        for problem in share:
            if self.stopped.is_set():
                return
            result = run_search(
                self.kind, problem, test, self.options, listener=Trace(), known=self.known
            )
            if not result.complete:
                self.stopped.set()
                return
            self.results[result.target] = result
            self.shown.progressed("searching", len(self.results))
