"""Models learned again and again from resampled rows, by any learner, and their edges counted.

Every resample has a seed of its own, from which its rows and the learner's random choices come, so
that the answer does not depend on the number of jobs. Learners of ours are shared with forked
processes where there can be some. Elsewhere, and for functions of users, there are threads; where
the first resample shows that kernels are too short for them to gain, one thread learns from all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, TypeVar, get_args

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.confidence.ordered_runs import Jobs, runs_in_order
from eiderdown.confidence.runs import RunSeeds
from eiderdown.data import Dataset
from eiderdown.errors import InputError, OptionError
from eiderdown.graphs.named_graph import NamedGraph
from eiderdown.progress import Cancelled, Trace, abandon
from eiderdown.results import EdgeFrequency
from eiderdown.scores.common_terms import common_terms_kept

Method: TypeAlias = Literal["bootstrap", "subsample"]

_Learned = TypeVar("_Learned")


@dataclass(frozen=True)
class Resampling:
    """How rows are drawn.

    By default as many as there are (bootstrap, with replacement), or half of them (subsample,
    without).

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

    def rows(
        self, n_rows: int, generator: np.random.Generator, groups: IntArray | None = None
    ) -> IntArray:
        """Draw rows, at least one, and put them in order; whole groups, if there are any."""
        if groups is not None:
            drawn = self.rows(int(groups.max()) + 1, generator)
            return np.concatenate([np.flatnonzero(groups == group) for group in drawn])
        n = max(1, round(self.drawn * n_rows))
        replace = self.method == "bootstrap"
        return np.sort(generator.choice(n_rows, n, replace=replace))


@dataclass
class Resampled:
    """From how many resamples something was learned, and why nothing from the others."""

    n_resamples: int = 0
    failures: dict[int, InputError] = field(default_factory=dict)
    complete: bool = True

    @property
    def n_tried(self) -> int:
        """How many resamples there were."""
        return self.n_resamples + len(self.failures)

    def require_some(self) -> None:
        """Without anything learned, pass on why: the first problem, or the interruption."""
        if self.n_resamples == 0 and self.failures:
            raise self.failures[min(self.failures)]
        if self.n_resamples == 0:
            abandon()


def learn_resampled(
    learn: Callable[[Dataset, int], _Learned],
    data: Dataset,
    *,
    gather: Callable[[_Learned], None],
    n_resamples: int,
    resampling: Resampling,
    seed: int,
    jobs: Jobs,
    trace: Trace | None = None,
) -> Resampled:
    """Learn from each of many resamples; ``gather`` gets what was learned in their order.

    Cancelled, of the resamples so far. A resample that the learner refuses, because a column does
    not vary in it for example, is a failure and does not count.
    """
    if n_resamples < 1:
        raise OptionError(f"The number of resamples must be at least 1, not {n_resamples}.")
    seeds = RunSeeds(seed, n_resamples)
    groups = None if data.roles is None else data.roles.groups

    def learned(number: int) -> _Learned | InputError:
        generator = np.random.default_rng(seeds[number])
        rows = resampling.rows(data.n_rows, generator, groups)
        try:
            return learn(data.take(rows), int(generator.integers(2**31)))
        except InputError as problem:
            return problem

    resampled, trace = Resampled(), trace or Trace()

    def keep(number: int, outcome: _Learned | InputError) -> None:
        if isinstance(outcome, InputError):
            resampled.failures[number] = outcome
        else:
            gather(outcome)
            resampled.n_resamples += 1

    with (
        common_terms_kept(),
        runs_in_order(learned, range(n_resamples), jobs) as outcomes,
    ):
        try:
            for number, outcome in outcomes:
                keep(number, outcome)
                trace.progressed("learning", resampled.n_resamples)
        except Cancelled:
            for number, outcome in outcomes.finished_behind():
                keep(number, outcome)
            resampled.complete = resampled.n_tried == n_resamples
    return resampled


@dataclass
class EdgeCounts:
    """In how many graphs two columns were joined, and which way.

    Examples
    --------
    >>> from eiderdown.graphs import PDAG
    >>> counts = EdgeCounts()
    >>> for edges in ("a->b, c", "a--b, c", "a, b, c", "a--b--c"):
    ...     counts.add(PDAG.from_string(edges))
    >>> counts.edge_frequencies()[0]
    EdgeFrequency(left='a', right='b', adjacent=0.75, forward=0.25, backward=0.0)
    """

    n_graphs: int = 0
    nodes: Counter[str] = field(default_factory=Counter)
    directed: Counter[tuple[str, str]] = field(default_factory=Counter)
    undirected: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, graph: NamedGraph) -> None:
        """Count the edges of one graph."""
        self.n_graphs += 1
        self.nodes.update(graph.nodes)
        for left, arrow, right in graph.marked_edges():
            if arrow == "->":
                self.directed[left, right] += 1
            else:
                self.undirected[min(left, right), max(left, right)] += 1

    def node_shares(self) -> dict[str, float]:
        """Return how often each column was in a graph, in the order of names."""
        return {name: self.nodes[name] / self.n_graphs for name in sorted(self.nodes)}

    def edge_frequencies(self) -> tuple[EdgeFrequency, ...]:
        """Return the edges, the most frequent first, then by names."""
        pairs = {(min(pair), max(pair)) for pair in (*self.directed, *self.undirected)}
        found = [self._frequency(left, right) for left, right in pairs]
        return tuple(sorted(found, key=lambda edge: (-edge.adjacent, edge.left, edge.right)))

    def _frequency(self, left: str, right: str) -> EdgeFrequency:
        forward, backward = self.directed[left, right], self.directed[right, left]
        adjacent = forward + backward + self.undirected[left, right]
        n = self.n_graphs
        return EdgeFrequency(left, right, adjacent / n, forward / n, backward / n)
