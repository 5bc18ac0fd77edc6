"""What comes back when a search is repeated: edges on resampled rows, models by sample size."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from eiderdown.errors import GraphError, OptionError
from eiderdown.graphs import PDAG
from eiderdown.graphs.separation import without_cycles
from eiderdown.results.codec import SHARE, Limits
from eiderdown.results.result import Result, Run


@dataclass(frozen=True)
class EdgeFrequency:
    """How often two columns were joined.

    Attributes
    ----------
    left, right : str
        The columns, in the order of their names.
    adjacent : float
        Share of the resamples in which they were joined, whichever way.
    forward, backward : float
        Share of the resamples with a directed edge from left to right, and from right to left.
    """

    limits: ClassVar[Limits] = dict.fromkeys(("adjacent", "forward", "backward"), SHARE)

    left: str
    right: str
    adjacent: float
    forward: float
    backward: float

    @property
    def undirected(self) -> float:
        """Share of the resamples in which they were joined without a direction."""
        return max(0.0, self.adjacent - self.forward - self.backward)

    def directed(self, *, majority: float) -> tuple[str, str] | None:
        """Return (tail, head) if more than this share of the edges had that direction."""
        for share, edge in (
            (self.forward, (self.left, self.right)),
            (self.backward, (self.right, self.left)),
        ):
            if share > majority * self.adjacent:
                return edge
        return None


@dataclass(frozen=True)
class EdgeStability(Result):
    """How often each edge came back when a graph was learned again from resampled rows.

    Iterating gives the edges, the most frequent first.

    Attributes
    ----------
    edges : tuple of EdgeFrequency
        Every edge that was found at least once, by frequency, then by names.
    nodes : mapping of str to float
        Columns that were in a graph, with the share of the resamples in which they were; less
        than 1 for those at the rim of a region.
    n_resamples : int
        How many resamples there were.
    resampled_by : str
        How rows were drawn, for people.
    run, warnings, complete
        See :class:`Result`.
    """

    kind = "edge_stability"

    edges: tuple[EdgeFrequency, ...]
    nodes: Mapping[str, float]
    n_resamples: int
    resampled_by: str
    run: Run
    warnings: tuple[str, ...] = ()
    complete: bool = True

    def refuse_contradictions(self) -> None:
        """Refuse edges between other columns, and edges that are there twice."""
        self.consensus(threshold=1e-9)  # which refuses them

    def __iter__(self) -> Iterator[EdgeFrequency]:
        return iter(self.edges)

    def __len__(self) -> int:
        return len(self.edges)

    def edge(self, x: str, y: str) -> EdgeFrequency:
        """Return the frequencies of an edge between two columns; all 0 if it was never found."""
        for name in (x, y):
            if name not in self.nodes:
                raise GraphError(f"Column {name!r} was in none of the graphs; check its name.")
        left, right = sorted((x, y))
        never = EdgeFrequency(left, right, 0.0, 0.0, 0.0)
        return self._by_pair.get((left, right), never)

    def consensus(self, *, threshold: float = 0.5, majority: float = 0.5) -> PDAG:
        """Return the graph of the edges that came back often enough.

        Parameters
        ----------
        threshold : float
            Least share of the resamples in which a pair was joined.
        majority : float
            An edge gets a direction that more than this share of its appearances had, at least
            0.5. Directions are taken from the most frequent on; one that would close a cycle is
            left out.
        """
        if not 0.0 < threshold <= 1.0:
            raise OptionError(f"threshold must be above 0 and at most 1, not {threshold}.")
        if not 0.5 <= majority < 1.0:
            raise OptionError(f"majority must be at least 0.5 and below 1, not {majority}.")
        kept = [edge for edge in self.edges if edge.adjacent >= threshold]
        directed = _acyclic(kept, majority)
        pairs = {frozenset(pair) for pair in directed}
        undirected = [(e.left, e.right) for e in kept if frozenset((e.left, e.right)) not in pairs]
        return PDAG(sorted(self.nodes), directed, undirected)

    @cached_property
    def _by_pair(self) -> dict[tuple[str, str], EdgeFrequency]:
        return {(edge.left, edge.right): edge for edge in self.edges}


@dataclass(frozen=True)
class OptimaCount:
    """What repeated searches found in one sample of the rows.

    Attributes
    ----------
    share : float
        Share of the rows that was drawn.
    n_rows : int
        How many rows that were.
    repeat : int
        Which of the samples of this size it was, from 0.
    n_distinct : int
        Distinct models found.
    n_runs : int
        How many runs there were.
    best_score : float or None
        Score of the best model, where the search has one.
    n_edges : int
        Edges of the best model.
    """

    limits: ClassVar[Limits] = {"share": SHARE}

    share: float
    n_rows: int
    repeat: int
    n_distinct: int
    n_runs: int
    best_score: float | None
    n_edges: int


@dataclass(frozen=True)
class OptimaBySize(Result):
    """How many distinct models repeated searches find, by share of the rows.

    Attributes
    ----------
    counts : tuple of OptimaCount
        One for each sample, by share, then by repeat.
    run, warnings, complete
        See :class:`Result`.
    """

    kind = "optima_by_size"

    counts: tuple[OptimaCount, ...]
    run: Run
    warnings: tuple[str, ...] = ()
    complete: bool = True

    def mean_by_share(self) -> dict[float, float]:
        """Return the mean number of distinct models for each share of the rows, rising."""
        found = defaultdict(list)
        for count in self.counts:
            found[count.share].append(count.n_distinct)
        return {share: sum(found[share]) / len(found[share]) for share in sorted(found)}


def _acyclic(edges: list[EdgeFrequency], majority: float) -> list[tuple[str, str]]:
    """Direct the edges that have a direction, the most frequent first, unless it closes a cycle."""
    by_direction = sorted(edges, key=lambda e: (-max(e.forward, e.backward), e.left, e.right))
    found = (edge.directed(majority=majority) for edge in by_direction)
    return without_cycles(pair for pair in found if pair is not None)
