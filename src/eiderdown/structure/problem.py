"""What every search for networks and regions takes and returns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from eiderdown.errors import KnowledgeError, OptionError
from eiderdown.graphs.ancestral import Ends
from eiderdown.graphs.equivalence import cpdag_edges
from eiderdown.graphs.separation import reached_from
from eiderdown.independence import IndependenceResult, IndependenceTest
from eiderdown.progress import Trace
from eiderdown.scores.sweeps import PackedSweeps
from eiderdown.structure.separating_sets import SeparatingSets

if TYPE_CHECKING:
    from eiderdown.knowledge import ColumnKnowledge
    from eiderdown.scores import LocalScore

Edge: TypeAlias = tuple[int, int]
"""Directed: parent and child. Undirected: the smaller number first."""

EdgeEvidence: TypeAlias = float | IndependenceResult
"""What speaks for an edge: the gain of the score, or the weakest test that it survived."""


@dataclass(frozen=True, eq=False)
class StructureProblem:
    """One question to a search: among how many variables, by which evidence.

    Attributes
    ----------
    n_variables : int
        The variables are numbered from 0; all of them take part.
    test : IndependenceTest or None
        Evidence of searches that test.
    score : LocalScore or None
        Evidence of searches that score.
    alpha : float
        Significance level.
    max_given : int or None
        Largest conditioning set; None for the search's own choice.
    knowledge : ColumnKnowledge or None
        What is known before; None for nothing.
    target : int or None
        The centre of a region; None for the whole network.
    depth : int or None
        How many steps from the target the region reaches; None for the whole network.
    trace : Trace
        Is told the progress.
    generator : numpy Generator
        Where random choices come from.
    n_jobs : int or None
        Threads; None means every available core.
    hidden_causes : bool
        Whether to mark the ends of edges as they are if hidden variables may be causes.
    """

    n_variables: int
    test: IndependenceTest | None = None
    score: LocalScore | None = None
    alpha: float = 0.01
    max_given: int | None = None
    knowledge: ColumnKnowledge | None = None
    target: int | None = None
    depth: int | None = None
    trace: Trace = field(default_factory=Trace)
    generator: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))
    n_jobs: int | None = None
    hidden_causes: bool = False

    @property
    def the_test(self) -> IndependenceTest:
        """The test, which this search needs."""
        if self.test is None:
            raise OptionError("This search needs a test of independence; give it one.")
        return self.test

    @property
    def the_score(self) -> LocalScore:
        """The score, which this search needs."""
        if self.score is None:
            raise OptionError("This search needs a score; give it one.")
        return self.score

    @property
    def the_region(self) -> tuple[int, int]:
        """Target and depth, which this search needs."""
        if self.target is None or self.depth is None:
            raise OptionError("This search needs a target and a depth; give it both.")
        return self.target, self.depth

    @property
    def required_edges(self) -> tuple[Edge, ...]:
        """The edges that knowledge requires."""
        return () if self.knowledge is None else tuple(self.knowledge.required_edges())

    def refuse_limit_on_parents(self, algorithm: str) -> None:
        """Say that a search by tests cannot keep a limit on parents."""
        if self.knowledge is not None and self.knowledge.max_parents is not None:
            raise KnowledgeError(
                f"{algorithm!r} cannot limit the number of parents; leave out max_parents, or use "
                "a search with a score, such as 'hill_climbing'."
            )


@dataclass(frozen=True, eq=False)
class StructureFound:
    """What a search found.

    Attributes
    ----------
    nodes : tuple of int
        The variables of the graph, in increasing order: all of them, or those of the region.
    directed : tuple of (int, int)
        Parent and child of each directed edge; they form no cycle.
    undirected : tuple of (int, int)
        Edges without a direction, the smaller number first.
    is_cpdag : bool
        Whether the graph stands for a class of directed graphs, even if no edge is undirected.
    compelled : frozenset of (int, int) or None
        Of a directed graph cut out of a larger one, the edges that have this direction in every
        graph equivalent to the larger one; None where the graph is whole and tells it itself.
    separating_sets : mapping of frozenset to tuple of int
        For pairs without an edge, a set given which they were independent, where one is known.
    edge_evidence : mapping of (int, int) to float or IndependenceResult
        For each edge as it stands above, the gain of the score or the decisive test.
    ends : mapping of (int, int) to a pair of marks
        For each edge as it stands above, the marks at its first node and at its second, if they
        were asked for; see :mod:`eiderdown.graphs.ancestral`.
    score : float or None
        Score of the graph (of the larger one, if it was cut out), where the search has one.
    complete : bool
        False if the search was cancelled and this is the best so far.
    notes : tuple of str
        What the user should know, in sentences, such as triples that could not be decided.
    """

    nodes: tuple[int, ...]
    directed: tuple[Edge, ...] = ()
    undirected: tuple[Edge, ...] = ()
    is_cpdag: bool = False
    compelled: frozenset[Edge] | None = None
    separating_sets: Mapping[frozenset[int], tuple[int, ...]] = field(default_factory=dict)
    edge_evidence: Mapping[Edge, EdgeEvidence] = field(default_factory=dict)
    ends: Mapping[Edge, Ends] = field(default_factory=dict)
    score: float | None = None
    complete: bool = True
    notes: tuple[str, ...] = ()

    @classmethod
    def of_parents(
        cls,
        score: LocalScore,
        parents: Mapping[int, Sequence[int]] | Sequence[Sequence[int]],
        *,
        complete: bool = True,
        separating_sets: SeparatingSets | None = None,
    ) -> StructureFound:
        """Describe a directed graph; each edge's evidence is what its removal would cost.

        Parameters
        ----------
        score : LocalScore
            The score by which the graph was found.
        parents : mapping of int to sequence of int, or a sequence of sequences
            Parents of every node; a sequence is about the nodes 0, 1, and so on.
        complete, separating_sets
            As in :class:`StructureFound`; sets of pairs with an edge are left out.
        """
        families = dict(parents.items() if isinstance(parents, Mapping) else enumerate(parents))
        nodes = tuple(sorted(families))
        edges = tuple(sorted((int(p), c) for c in nodes for p in families[c]))
        scores, gains = _scored_edges(score, families)
        return cls(
            nodes=nodes,
            directed=edges,
            separating_sets={} if separating_sets is None else separating_sets.without(edges),
            edge_evidence=gains,
            score=math.fsum(scores),  # exact: the order of the columns does not matter
            complete=complete,
        )

    def cut(self, target: int, depth: int) -> StructureFound:
        """Return the part within some steps of a node, directions ignored.

        Which directions are compelled is decided before the cut: the rest of the graph may say it.

        Examples
        --------
        >>> whole = StructureFound(nodes=(0, 1, 2, 3), directed=((0, 1), (1, 2), (3, 2)))
        >>> region = whole.cut(0, 2)
        >>> region.nodes, region.directed, sorted(region.compelled)
        ((0, 1, 2), ((0, 1), (1, 2)), [(1, 2)])
        """
        kept = self._within(target, depth)

        def inside(edges: Iterable[Edge]) -> tuple[Edge, ...]:
            return tuple(edge for edge in edges if kept.issuperset(edge))

        compelled = self.compelled
        if compelled is None and not self.is_cpdag:
            compelled = compelled_edges(self.nodes, self.directed)
        return replace(
            self,
            nodes=tuple(node for node in self.nodes if node in kept),
            directed=inside(self.directed),
            undirected=inside(self.undirected),
            compelled=None if compelled is None else frozenset(inside(compelled)),
            separating_sets=_among(self.separating_sets, kept),
            edge_evidence={edge: self.edge_evidence[edge] for edge in inside(self.edge_evidence)},
            ends={edge: self.ends[edge] for edge in inside(self.ends)},
        )

    def _within(self, target: int, depth: int) -> set[int]:
        position = {node: i for i, node in enumerate(self.nodes)}
        adjacent: list[list[int]] = [[] for _ in self.nodes]
        for i, j in (*self.directed, *self.undirected):
            adjacent[position[i]].append(position[j])
            adjacent[position[j]].append(position[i])
        return {self.nodes[i] for i in reached_from([position[target]], adjacent, depth=depth)}


def _among(
    sets: Mapping[frozenset[int], tuple[int, ...]], kept: set[int]
) -> Mapping[frozenset[int], tuple[int, ...]]:
    if isinstance(sets, SeparatingSets):
        return sets.among(kept)
    return {pair: given for pair, given in sets.items() if kept >= pair}


def compelled_edges(nodes: Sequence[int], directed: Iterable[Edge]) -> frozenset[Edge]:
    """Return the edges of a directed graph on whose direction all equivalent graphs agree.

    Examples
    --------
    >>> sorted(compelled_edges([3, 5, 7, 9], [(3, 5), (7, 5), (5, 9)]))
    [(3, 5), (5, 9), (7, 5)]
    """
    position = {node: i for i, node in enumerate(nodes)}
    parents: list[list[int]] = [[] for _ in nodes]
    adjacent: list[list[int]] = [[] for _ in nodes]
    for parent, child in directed:
        i, j = position[parent], position[child]
        parents[j].append(i)
        adjacent[i].append(j)
        adjacent[j].append(i)
    compelled, _ = cpdag_edges(parents, adjacent)
    return frozenset((nodes[i], nodes[j]) for i, j in compelled)


def edge_gains(score: LocalScore, parents: Mapping[int, Sequence[int]]) -> dict[Edge, float]:
    """Say for each edge how much the score would lose without it."""
    return _scored_edges(score, parents)[1]


def _scored_edges(
    score: LocalScore, parents: Mapping[int, Sequence[int]]
) -> tuple[list[float], dict[Edge, float]]:
    """Score every family, and say for each edge how much its child would lose without it."""
    children: list[int] = []
    sets: list[tuple[int, ...]] = []
    for child, family in parents.items():
        given = tuple(map(int, family))
        children += [child] * (1 + len(given))
        sets += [given, *(given[:k] + given[k + 1 :] for k in range(len(given)))]
    if not sets:
        return [], {}
    width, starts = max(map(len, sets)), np.arange(len(sets))
    filled_up = [given + (-1,) * (width - len(given)) for given in sets]
    sweeps = PackedSweeps(
        np.array(children, dtype=np.int64),
        np.array(filled_up, dtype=np.int64),
        starts,
        starts + 1,
        np.full(len(sets), -1),
    )
    found: list[float] = score.scores_of_all(sweeps).tolist()
    scores, lost, at = [], {}, 0
    for child, family in parents.items():
        scores.append(found[at])
        for k, parent in enumerate(family, start=at + 1):
            lost[int(parent), child] = found[at] - found[k]
        at += 1 + len(family)
    return scores, lost
