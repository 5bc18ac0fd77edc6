"""Graphs learned again and again from resampled rows, by any learner, in threads.

Every resample has a seed of its own, from which its rows and the learner's random choices come, so
that the answer does not depend on the number of threads. The kernels release the GIL.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.confidence.multiplicity import run_seeds
from eiderdown.data import Dataset
from eiderdown.errors import InputError, OptionError
from eiderdown.graphs.named_graph import NamedGraph
from eiderdown.local import Trace
from eiderdown.results import EdgeFrequency
from eiderdown.statistics.workers import Workers

Learner: TypeAlias = Callable[[Dataset, int], NamedGraph]
"""Learns a graph from a table; the number is a seed for random choices."""

Method: TypeAlias = Literal["bootstrap", "subsample"]


@dataclass(frozen=True)
class Resampling:
    """How rows are drawn.

    Parameters
    ----------
    method : {"bootstrap", "subsample"}
        With replacement, or without.
    share : float or None
        How many rows to draw, as a share of those there are; None for all of them (bootstrap) or
        half of them (subsample).

    Examples
    --------
    >>> rows = Resampling("subsample").rows(10, np.random.default_rng(0))
    >>> len(rows), len(set(rows.tolist()))
    (5, 5)
    """

    method: Method = "bootstrap"
    share: float | None = None

    def __post_init__(self) -> None:
        if self.method not in get_args(Method):
            raise OptionError(f"method must be one of {get_args(Method)}, not {self.method!r}.")
        if not 0.0 < self.drawn <= 1.0:
            raise OptionError(f"share must be above 0 and at most 1, not {self.share}.")

    @property
    def drawn(self) -> float:
        """The share of the rows that is drawn."""
        if self.share is not None:
            return self.share
        return 1.0 if self.method == "bootstrap" else 0.5

    @property
    def described(self) -> str:
        """How rows are drawn, for people."""
        manner = "with" if self.method == "bootstrap" else "without"
        return f"{self.drawn:.0%} of the rows, drawn {manner} replacement"

    def rows(self, n_rows: int, generator: np.random.Generator) -> IntArray:
        """Draw rows, at least one, and put them in order."""
        n = max(1, round(self.drawn * n_rows))
        replace = self.method == "bootstrap"
        return np.sort(generator.choice(n_rows, n, replace=replace))


@dataclass
class Tally:
    """What was found so far; sums, so that the order in which resamples end does not matter.

    Attributes
    ----------
    n_resamples : int
        Resamples that gave a graph.
    nodes : Counter
        In how many graphs each column was.
    directed, undirected : Counter
        In how many graphs each pair was joined: (tail, head), or two names in order.
    failures : dict of int to InputError
        Why resamples gave none, by number.
    complete : bool
        False after an interruption.
    """

    n_resamples: int = 0
    nodes: Counter[str] = field(default_factory=Counter)
    directed: Counter[tuple[str, str]] = field(default_factory=Counter)
    undirected: Counter[tuple[str, str]] = field(default_factory=Counter)
    failures: dict[int, InputError] = field(default_factory=dict)
    complete: bool = True

    def add(self, graph: NamedGraph) -> None:
        """Count the edges of one graph."""
        self.n_resamples += 1
        self.nodes.update(graph.nodes)
        for left, arrow, right in graph.marked_edges():
            if arrow == "->":
                self.directed[left, right] += 1
            else:
                self.undirected[min(left, right), max(left, right)] += 1

    def node_shares(self) -> dict[str, float]:
        """Return how often each column was in a graph, in the order of names."""
        return {name: self.nodes[name] / self.n_resamples for name in sorted(self.nodes)}

    def edge_frequencies(self) -> tuple[EdgeFrequency, ...]:
        """Return the edges, the most frequent first, then by names."""
        pairs = {(min(pair), max(pair)) for pair in (*self.directed, *self.undirected)}
        found = [self._frequency(left, right) for left, right in pairs]
        return tuple(sorted(found, key=lambda edge: (-edge.adjacent, edge.left, edge.right)))

    def _frequency(self, left: str, right: str) -> EdgeFrequency:
        forward, backward = self.directed[left, right], self.directed[right, left]
        adjacent = forward + backward + self.undirected[left, right]
        n = self.n_resamples
        return EdgeFrequency(left, right, adjacent / n, forward / n, backward / n)


def learn_resampled(
    learn: Learner,
    data: Dataset,
    *,
    n_resamples: int,
    resampling: Resampling,
    seed: int,
    n_workers: int | None = None,
    trace: Trace | None = None,
) -> Tally:
    """Learn a graph from each of many resamples and count the edges.

    Parameters
    ----------
    learn : callable
        Learns a graph from a table and a seed. With several threads it is called from all of them.
    data : Dataset
        The table.
    n_resamples : int
        How often.
    resampling : Resampling
        How rows are drawn.
    seed : int
        Where the seeds of the resamples come from; more resamples begin with those of fewer.
    n_workers : int or None
        Threads; None means every available core.
    trace : Trace or None
        Who listens.

    Returns
    -------
    Tally
        Interrupted with Ctrl-C, of the resamples so far; those under way end unheard. A resample
        that the learner refuses, because a column does not vary in it for example, is a failure
        and does not count.
    """
    if n_resamples < 1:
        raise OptionError(f"The number of resamples must be at least 1, not {n_resamples}.")
    seeds = run_seeds(seed, n_resamples)

    def learned(number: int) -> NamedGraph | InputError:
        generator = np.random.default_rng(seeds[number])
        rows = resampling.rows(data.n_rows, generator)
        try:
            return learn(data.take(rows), int(generator.integers(2**31)))
        except InputError as problem:
            return problem

    tally, listener = Tally(), trace or Trace()
    try:
        with _each(learned, n_resamples, Workers(n_workers).n_workers) as outcomes:
            for number, outcome in outcomes:
                if isinstance(outcome, InputError):
                    tally.failures[number] = outcome
                else:
                    tally.add(outcome)
                listener.progressed("learning", tally.n_resamples)
    except KeyboardInterrupt:
        tally.complete = False
    return tally


Outcome: TypeAlias = NamedGraph | InputError


@contextmanager
def _each(
    learned: Callable[[int], Outcome], n: int, n_workers: int
) -> Iterator[Iterator[tuple[int, Outcome]]]:
    """Give the outcomes as they come; on the way out nobody waits for those under way."""
    if n_workers == 1:
        yield ((number, learned(number)) for number in range(n))
        return
    pool = ThreadPoolExecutor(n_workers, thread_name_prefix="eiderdown-resample")
    numbers: dict[Future[Outcome], int] = {pool.submit(learned, i): i for i in range(n)}
    try:
        yield ((numbers[future], future.result()) for future in as_completed(numbers))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
