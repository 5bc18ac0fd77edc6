"""Hill climbing over directed acyclic graphs, with a TABU list.

Each step makes the best of all legal single changes (add, delete, reverse) that does not lead back
to one of the last graphs, even if it loses; the best graph on the way is the answer. Tsamardinos,
Brown & Aliferis (2006) keep 100 graphs and stop after 15 changes without a new best. Of equal
changes the one is made whose edge was left alone for longest, so that a search on a plateau, such
as among equivalent graphs, sees all of it. Only the children that a change touched are scored
again, each by one sweep. Restarts are ours: see :func:`hill_climbing_restarts`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple, TypedDict, Unpack

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.errors import OptionError
from eiderdown.knowledge import ColumnKnowledge
from eiderdown.options import Option, declared
from eiderdown.progress import Cancelled
from eiderdown.registry import Algorithm
from eiderdown.scores import LocalScore
from eiderdown.structure.climbing.moves import (
    ADD,
    DELETE,
    NONE,
    REVERSE,
    best_move,
    empty_graph,
    is_legal,
    make_move,
)
from eiderdown.structure.node_order import score_order
from eiderdown.structure.problem import Edge, StructureFound, StructureProblem

_ROUNDING = 1e-12  # a gain below this share of the score is a rounding error
_MOST_REMEMBERED = 4_000_000  # gains of families, 16 bytes each with their order


class _ScoredFamily(NamedTuple):
    """A node with one set of parents: its score, what each change gains, the best change first."""

    score: float
    gain: FloatArray
    by_gain: IntArray


class SearchState:
    """A graph that changes by single moves; its nodes are columns in the order of their scores.

    That order breaks ties, so that neither names nor the order of the columns matter.

    Parameters
    ----------
    score : LocalScore
        What moves gain.
    candidates : mapping of int to IntArray
        The columns that take part, each with those that may be its parents.
    knowledge : ColumnKnowledge or None
        Edges that must or must not be there, and the most parents.
    start : iterable of (int, int)
        Edges (parent, child) of the first graph, besides those that are required.
    tabu_length : int
        To how many of the last graphs no best move leads back.

    Attributes
    ----------
    n_nodes : int
        How many columns take part.
    n_moves : int
        How many moves were made.
    tolerance : float
        Gains that differ by no more than this are equal.
    best_score : float
        Score of the best graph so far.
    """

    def __init__(
        self,
        score: LocalScore,
        candidates: Mapping[int, IntArray],
        *,
        knowledge: ColumnKnowledge | None = None,
        start: Iterable[tuple[int, int]] = (),
        tabu_length: int = 0,
    ) -> None:
        self._score = score
        in_order = score_order(score, list(candidates), candidates)
        self.n_nodes = len(in_order)
        self._columns = np.array(in_order, dtype=np.int64)
        self._node_of = np.full(score.n_variables, -1, dtype=np.int64)
        self._node_of[self._columns] = np.arange(self.n_nodes)
        required = self._required(knowledge)
        first = list(dict.fromkeys([*required, *start]))
        limit = None if knowledge is None else knowledge.max_parents
        self._graph = empty_graph(
            self._possible_parents(candidates, first, knowledge),
            np.full(self.n_nodes, self.n_nodes if limit is None else limit),
            tabu_length=tabu_length,
        )
        self._first: list[int] = self._graph.edges.first.tolist()
        self._local = [0.0] * self.n_nodes
        self._scored: dict[tuple[int, bytes], _ScoredFamily] = {}
        self._n_scored = 0  # numbers in there
        self._changed = set(range(self.n_nodes))
        self._best: dict[int, tuple[int, ...]] = {}
        self.n_moves = 0
        self.tolerance = 0.0
        self.best_score = -math.inf
        self._begin(first, n_required=len(required))

    def step(self, *, more_than: float) -> float | None:
        """Make the best move and return what it gains; make none, if none gains more than that."""
        kind, edge, gain = best_move(self._graph, self.tolerance)
        if kind == NONE or gain <= more_than:
            return None
        self._rescore(self._moved(kind, edge))
        return float(gain)

    def note_best(self) -> bool:
        """Remember the present graph if it scores higher than all before; tell whether it does."""
        score = math.fsum(self._local)
        if score <= self.best_score + self.tolerance:
            return False
        self._best.update({node: self._family(node) for node in self._changed})
        self.best_score = score
        self._changed.clear()
        return True

    def isolate(self, node: int) -> None:
        """Go back to the best graph, and take away all edges of a node that may go."""
        touched = self._return_to_best()
        edges = self._graph.edges
        held = np.flatnonzero(edges.present & ~edges.fixed)
        for edge in held[(edges.child[held] == node) | (edges.parent[held] == node)].tolist():
            touched.update(self._moved(DELETE, edge))
        self._rescore(touched)

    def parents(self) -> tuple[tuple[int, ...], ...]:
        """Return the parents of every column in the best graph."""
        found: list[tuple[int, ...]] = [()] * self._score.n_variables
        for node, family in self._best.items():
            found[int(self._columns[node])] = tuple(sorted(self._columns[list(family)].tolist()))
        return tuple(found)

    def _begin(self, first: Sequence[tuple[int, int]], *, n_required: int) -> None:
        """Put the first edges in, and score every family."""
        for k, (parent, child) in enumerate(first):
            edge = self._edge_between(*self._node_of[[parent, child]].tolist())
            if edge < 0 or not is_legal(self._graph, ADD, edge):
                names = self._score.names
                raise OptionError(
                    f"The first graph cannot have the edge {names[parent]!r} -> {names[child]!r}: "
                    "it closes a cycle, is not allowed, or exceeds max_parents; leave it out."
                )
            self._moved(ADD, edge)
            self._graph.edges.fixed[edge] = k < n_required
        self._rescore(range(self.n_nodes))
        self.tolerance = _ROUNDING * max(1.0, abs(math.fsum(self._local)))
        self.note_best()

    def _required(self, knowledge: ColumnKnowledge | None) -> list[tuple[int, int]]:
        """List the required edges between columns that take part."""
        edges = () if knowledge is None else knowledge.required_edges()
        return [edge for edge in edges if np.all(self._node_of[list(edge)] >= 0)]

    def _possible_parents(
        self,
        candidates: Mapping[int, IntArray],
        first: Sequence[tuple[int, int]],
        knowledge: ColumnKnowledge | None,
    ) -> list[IntArray]:
        """List by node the nodes that may be its parents, those of the first graph included."""
        begun: dict[int, list[int]] = {}
        for parent, child in first:
            begun.setdefault(child, []).append(parent)
        found = []
        for child in self._columns.tolist():
            xs = np.union1d(candidates[child], begun.get(child, [])).astype(np.int64)
            if knowledge is not None:
                xs = xs[knowledge.allowed(child, xs)]
            nodes = self._node_of[xs[xs != child]]
            found.append(np.sort(nodes[nodes >= 0]))
        return found

    def _edge_between(self, parent: int, child: int) -> int:
        """Find the candidate edge between two nodes; -1 if there is none."""
        if min(parent, child) < 0:
            return -1
        edges = self._graph.edges
        low, high = edges.first[child : child + 2].tolist()
        at = low + int(np.searchsorted(edges.parent[low:high], parent))
        return at if at < high and edges.parent[at] == parent else -1

    def _moved(self, kind: int, edge: int) -> tuple[int, ...]:
        """Change the graph, and return the nodes whose parents changed."""
        make_move(self._graph, kind, edge)
        self.n_moves += 1
        child, parent = int(self._graph.edges.child[edge]), int(self._graph.edges.parent[edge])
        changed = (child, parent) if kind == REVERSE else (child,)
        self._changed.update(changed)
        return changed

    def _rescore(self, nodes: Iterable[int]) -> None:
        """Score families, and all families that are one parent larger or smaller."""
        edges, known = self._graph.edges, self._scored
        for node in nodes:
            here = slice(self._first[node], self._first[node + 1])
            key = (node, edges.present[here].tobytes())
            if key not in known:
                if self._n_scored > _MOST_REMEMBERED:
                    known.clear()
                    self._n_scored = 0
                known[key] = self._score_family(node, here)
                self._n_scored += here.stop - here.start
            self._local[node], edges.gain[here], edges.by_gain[here] = known[key]

    def _score_family(self, node: int, here: slice) -> _ScoredFamily:
        """Score one family, and those that are one parent larger or smaller."""
        score, edges = self._score, self._graph.edges
        child, columns = int(self._columns[node]), self._columns[edges.parent[here]]
        present = edges.present[here]
        family = columns[present].tolist()
        now, gain = score.local(child, family), np.full(len(columns), -np.inf)
        if len(family) < edges.max_parents[node] and len(family) < len(columns):
            gain[~present] = score.additions(child, family, columns[~present]) - now
        if family:
            gain[present] = score.removals(child, family) - now
        return _ScoredFamily(now, gain, here.start + np.argsort(-gain))

    def _family(self, node: int) -> tuple[int, ...]:
        families = self._graph.families
        start, n_parents = families.first[node], families.n_parents[node]
        return tuple(families.parent[start : start + n_parents].tolist())

    def _return_to_best(self) -> set[int]:
        """Make the best graph the present one; return the nodes whose parents changed."""
        touched = set(self._changed)
        wanted = {self._edge_between(p, node) for node in touched for p in self._best[node]}
        held = {self._edge_between(p, node) for node in touched for p in self._family(node)}
        for edge in sorted(held - wanted):
            self._moved(DELETE, edge)
        for edge in sorted(wanted - held):
            self._moved(ADD, edge)
        self._changed.clear()
        return touched


MOST_COLUMNS = 5_000
"""With more, all pairs of them would take more than a gigabyte."""


class ClimbOptions(TypedDict, total=False):
    """What searches take that climb once."""

    tabu_length: Annotated[
        int,
        Option("how many of the last graphs may not come again", default=100, between=(0, 10**6)),
    ]
    patience: Annotated[
        int, Option("changes without a new best graph that end a climb", default=15, at_least=0)
    ]


class RestartOptions(ClimbOptions, total=False):
    """What searches take that climb again from the best graph."""

    restarts: Annotated[
        int,
        Option(
            "rounds in which each column in turn loses its edges before another climb",
            default=1,
            at_least=0,
        ),
    ]


@dataclass(frozen=True)
class Strategy:
    """How a climb goes on and when it ends.

    Attributes
    ----------
    tabu_length : int
        How many of the last graphs may not come again.
    patience : int
        How many changes without a new best graph end the climb; 0 to make no change that does not
        gain.
    restarts : int
        How many rounds of restarts. In a round every column in turn, in random order, loses its
        edges in the best graph so far, and the climb goes on from there.
    least_share : float
        The climb also ends when a change gains less than this share of the first change.
    """

    tabu_length: int = 100
    patience: int = 15
    restarts: int = 0
    least_share: float = 0.0


GREEDY = Strategy(tabu_length=0, patience=0)
"""Only changes that gain."""


@dataclass(frozen=True)
class Climbed:
    """Where a climb ended.

    Attributes
    ----------
    parents : tuple of tuple of int
        Parents of every column, in column order.
    score : float
        Score of that graph.
    n_moves : int
        How many changes were made on the way.
    complete : bool
        False if the climb was cancelled and this is the best so far.
    """

    parents: tuple[tuple[int, ...], ...]
    score: float
    n_moves: int
    complete: bool = True


def climb(
    problem: StructureProblem,
    strategy: Strategy | None = None,
    *,
    candidates: Mapping[int, IntArray] | Sequence[IntArray] | None = None,
    start: Sequence[Edge] = (),
) -> Climbed:
    """Find a directed acyclic graph with a high score.

    Parameters
    ----------
    problem : StructureProblem
        The question; it needs a score.
    strategy : Strategy or None
        How to climb; None for one climb as in the paper.
    candidates : sequence or mapping of IntArray, or None
        By column, which others may be its parents; None for all. Of a mapping, only the columns
        that it names take part.
    start : sequence of (int, int)
        Edges (parent, child) of the first graph; those that are required come on top.

    Returns
    -------
    Climbed
        The best graph on the way.

    Examples
    --------
    >>> from eiderdown import networks
    >>> from eiderdown.scores import make_score
    >>> score = make_score("bic", networks.load("asia").sample(5_000, random_state=0))
    >>> found = climb(StructureProblem(score.n_variables, score=score))
    >>> dysp = score.names.index("dysp")
    >>> sorted(score.names[parent] for parent in found.parents[dysp])
    ['bronc', 'either']
    """
    how, score = strategy or Strategy(), problem.the_score
    if candidates is None:
        candidates = [np.arange(score.n_variables)] * score.n_variables
    state = SearchState(
        score,
        candidates if isinstance(candidates, Mapping) else dict(enumerate(candidates)),
        knowledge=problem.knowledge,
        start=start,
        tabu_length=how.tabu_length,
    )
    complete = True
    try:
        _go_up(state, how, problem)
        for _ in range(how.restarts):
            for node in problem.generator.permutation(state.n_nodes).tolist():
                state.isolate(node)
                _go_up(state, how, problem)
    except Cancelled:
        complete = False
    return Climbed(state.parents(), state.best_score, state.n_moves, complete)


def _go_up(state: SearchState, how: Strategy, problem: StructureProblem) -> None:
    """Make the best move again and again, until patience ends or no move will do."""
    more_than = state.tolerance if how.patience == 0 else -math.inf
    n_before, n_without_gain = state.n_moves, 0
    while n_without_gain < max(1, how.patience):
        gain = state.step(more_than=more_than)
        if gain is None:
            return
        if how.least_share > 0.0 and state.n_moves == n_before + 1:
            more_than = how.least_share * gain
        n_without_gain = 0 if state.note_best() else n_without_gain + 1
        problem.trace.progressed("climbing", state.n_moves)


@declared
def hill_climbing(problem: StructureProblem, **how: Unpack[ClimbOptions]) -> StructureFound:
    """Search all directed acyclic graphs by one climb from the graph without edges."""
    return _climbed(problem, Strategy(**how), "hill_climbing")


@declared
def hill_climbing_restarts(
    problem: StructureProblem, **how: Unpack[RestartOptions]
) -> StructureFound:
    """Search all directed acyclic graphs by a climb, and again after each column lost its edges."""
    return _climbed(problem, Strategy(**how), "hill_climbing_restarts")


def _climbed(problem: StructureProblem, strategy: Strategy, algorithm: str) -> StructureFound:
    if problem.n_variables > MOST_COLUMNS:
        raise OptionError(
            f"{algorithm} weighs every pair of columns, and {problem.n_variables:,} columns are "
            f"too many for that; use mmhc, or leave columns out until there are {MOST_COLUMNS:,}."
        )
    climbed = climb(problem, strategy)
    return StructureFound.of_parents(problem.the_score, climbed.parents, complete=climbed.complete)


HILL_CLIMBING = Algorithm(
    hill_climbing,
    "Adds, deletes and turns edges while the score rises, and a little beyond.",
    paper="Tsamardinos, Brown & Aliferis 2006, with a TABU list",
    returns="directed graph",
    needs=("score",),
    exact=False,
)

HILL_CLIMBING_RESTARTS = HILL_CLIMBING.variant(
    hill_climbing_restarts,
    "Hill climbing, and again after each column in turn lost its edges.",
    paper="Eiderdown's own; the climb is that of Tsamardinos, Brown & Aliferis 2006",
    random=True,
)
