"""A graph that climbs: its moves are made in kernels, and scored there or in Python."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np

from eiderdown.arrays import IntArray, frozen
from eiderdown.errors import OptionError
from eiderdown.kernels import Patience
from eiderdown.knowledge import ColumnKnowledge
from eiderdown.progress import Trace
from eiderdown.scores import LocalScore
from eiderdown.scores.compiled import SweepAnswers
from eiderdown.scores.families import TOO_MANY
from eiderdown.structure.climbing.moves import ADD, is_legal
from eiderdown.structure.climbing.moving_graph import empty_graph, require_memory_of_edges
from eiderdown.structure.climbing.scored_families import (
    MORE_THAN,
    N_ASKED,
    N_BEGUN,
    N_NEW,
    N_NOTED,
    N_RESTARTS,
    N_SCORED,
    N_WITHOUT_GAIN,
    Climb,
    Questions,
)
from eiderdown.structure.climbing.steps import (
    FAMILIES_MISSING,
    OUT_OF_MOVES,
    Course,
    asked_sweeps,
    change,
    go_far_up,
    go_up,
)
from eiderdown.structure.node_order import score_order
from eiderdown.work_sharing import waiting_threads

_ROUNDING = 1e-12  # a gain below this share of the score is a rounding error
_MOST_REMEMBERED = 4_000_000  # gains of families, 12 bytes each with their order
_BYTES_OF_EDGE = 135.0  # in the graph, in a question and its answer, and remembered
_MOVES_AT_ONCE = 64  # between looks at the clock
_NO_SCORES = frozen(np.empty(0))
_NOBODY = frozen(np.empty(0, dtype=np.int64))
_IN_PYTHON = Patience(go_far_up)


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
    tolerance : float
        Gains that differ by no more than this are equal.
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
        possible = self._possible_parents(candidates, first, knowledge)
        require_memory_of_edges(_BYTES_OF_EDGE, sum(map(len, possible)), self.n_nodes)
        self._graph = empty_graph(
            possible,
            np.full(self.n_nodes, self.n_nodes if limit is None else limit),
            tabu_length=tabu_length,
        )
        self._climb = Climb.at(self._graph, self._columns)
        self._kernel_score = score.kernel_score
        self._found: SweepAnswers | None = None  # room for what kernels score
        self._answers = _NO_SCORES  # to what was asked the last time, where Python scores
        self.tolerance = 0.0
        self._begin(first, n_required=len(required))

    @property
    def n_moves(self) -> int:
        """How many moves were made."""
        return int(self._graph.tabu.n_moves[0])

    @property
    def best_score(self) -> float:
        """Score of the best graph so far."""
        return math.fsum(self._climb.best_local.tolist())

    def go_up(
        self,
        how: Strategy,
        trace: Trace,
        *,
        most_moves: int | None = None,
        around: IntArray | None = None,
    ) -> None:
        """Make the best move again and again, until patience ends or no move will do.

        With ``around``, these nodes in turn lose their edges in the best graph so far, and the
        climb goes on from there.
        """
        counters, n_before = self._climb.counters, self.n_moves
        course = Course(
            self.tolerance,
            max(1, how.patience),
            how.least_share,
            self.tolerance if how.patience == 0 else -math.inf,
            _NOBODY if around is None else frozen(around),
        )
        self._climb.levels[MORE_THAN] = course.more_than
        counters[N_BEGUN], counters[N_RESTARTS] = n_before, 0
        counters[N_WITHOUT_GAIN] = 0 if around is None else course.patience  # begin with a node
        end = math.inf if most_moves is None else n_before + most_moves
        state = OUT_OF_MOVES
        while state == FAMILIES_MISSING or (state == OUT_OF_MOVES and self.n_moves < end):
            state = self._go(course, int(min(_MOVES_AT_ONCE, end - self.n_moves)))
            if counters[N_NOTED] > n_before:
                trace.progressed("climbing", int(counters[N_NOTED]))

    def parents(self) -> tuple[tuple[int, ...], ...]:
        """Return the parents of every column in the best graph."""
        found: list[list[int]] = [[] for _ in range(self._score.n_variables)]
        held, edges = np.flatnonzero(self._climb.best_present), self._graph.edges
        children, parents = self._columns[edges.child[held]], self._columns[edges.parent[held]]
        for child, parent in zip(children.tolist(), parents.tolist(), strict=True):
            found[child].append(parent)
        return tuple(tuple(sorted(family)) for family in found)

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
            change(self._climb, ADD, edge)
            self._graph.edges.fixed[edge] = k < n_required
        self._score_graph()
        self.tolerance = _ROUNDING * max(1.0, abs(self.best_score))

    def _score_graph(self) -> None:
        """Score the present graph, and note it if it is the best."""
        counters = self._climb.counters
        counters[N_NOTED], counters[N_WITHOUT_GAIN] = -1, 0
        while self._go(Course(0.0, 2, 0.0, 0.0, _NOBODY), 0) == FAMILIES_MISSING:
            pass

    def _go(self, course: Course, most_moves: int) -> int:
        """Make some moves, and score what is missing then; tell what has ended them."""
        by_kernel = self._kernel_score if _IN_PYTHON.is_over and len(self._answers) == 0 else None
        if by_kernel is None:
            with nullcontext() if self._kernel_score is None else _IN_PYTHON.measured():
                state: int = go_up(self._climb, self._answers, course, most_moves)
                self._answers = _NO_SCORES
                if state == FAMILIES_MISSING and self._makes_room():
                    self._answers = self._score.scores_of_all(asked_sweeps.as_python(self._climb))
            return state
        if self._found is None:
            self._found = SweepAnswers.room(self._climb.questions.sweeps)
        with waiting_threads(by_kernel.n_jobs) as board:
            state = go_far_up(board, self._climb, by_kernel.record, self._found, course, most_moves)
        n_scored, n_new = self._climb.counters[[N_SCORED, N_NEW]].tolist()
        self._score.recount(self._score.counts.n_computed + n_scored)
        self._climb.counters[N_SCORED] = 0
        if state == FAMILIES_MISSING:
            asked = asked_sweeps.as_python(self._climb)
            if n_new == TOO_MANY:
                self._answers = self._score.scores_of_all(asked)
            elif n_new > 0:
                by_kernel.learn_all(asked, self._found.new[:n_new])
            else:
                self._makes_room()
        return state

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
        for node, child in enumerate(self._columns.tolist()):
            xs = candidates[child]
            if child in begun:
                xs = np.union1d(xs, begun[child]).astype(np.int64)
            if knowledge is not None:
                xs = xs[knowledge.allowed(child, xs)]
            is_possible = np.zeros(self.n_nodes + 1, dtype=np.bool_)
            is_possible[self._node_of[xs]] = True
            is_possible[[node, -1]] = False  # at -1 are columns that take no part
            found.append(np.flatnonzero(is_possible))
        return found

    def _edge_between(self, parent: int, child: int) -> int:
        """Find the candidate edge between two nodes; -1 if there is none."""
        if min(parent, child) < 0:
            return -1
        edges = self._graph.edges
        low, high = edges.first[child : child + 2].tolist()
        at = low + int(np.searchsorted(edges.parent[low:high], parent))
        return at if at < high and edges.parent[at] == parent else -1

    def _makes_room(self) -> bool:
        """Make room for what is asked, and its answers; False if it has to be asked again."""
        widest = int(self._graph.families.n_parents.max())
        if widest > self._climb.questions.sweeps.parents.shape[1]:
            room = Questions.none(self.n_nodes, len(self._graph.edges.parent), 2 * widest)
            self._climb = self._climb._replace(questions=room)
            self._found = None
            self._climb.counters[N_ASKED] = 0
        else:
            self._climb = self._climb.with_room(_MOST_REMEMBERED)
        return bool(self._climb.counters[N_ASKED] > 0)
