"""BOSS: best order score search.

B. Andrews, J. Ramsey, R. Sanchez-Romero, J. Camchong & E. Kummerfeld, "Fast scalable and accurate
discovery of DAGs using the best order score search and grow-shrink trees" (NeurIPS 2023).

An order of the columns stands for the graph in which each has the parents that a grow-shrink search
finds among those before it. BOSS moves whole columns within the order, which changes many edges at
once, and ends with the backward phase of GES.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.progress import Cancelled
from eiderdown.registry import Algorithm
from eiderdown.statistics.cost import Workers
from eiderdown.structure.equivalence.search import (
    EquivalenceSearch,
    Priority,
    SearchState,
    require_few_columns,
)
from eiderdown.structure.node_order import score_order
from eiderdown.structure.order.draws import draws_of
from eiderdown.structure.order.grow_shrink_trees import GrowShrinkTrees
from eiderdown.structure.order.moves import ALL_LEAVES, ANOTHER_ROUND, Order, best_moves
from eiderdown.structure.order.sweep_memory import SweepMemory
from eiderdown.structure.order.tree_kernels import ALLOWED, REQUIRED
from eiderdown.structure.problem import StructureFound, StructureProblem
from eiderdown.work_sharing import call_back, waiting_threads

if TYPE_CHECKING:
    from eiderdown.knowledge import ColumnKnowledge

_DELETES: Priority = (-1, 0, -1)
_SHORT, _LONG, _MOST_AT_ONCE = 0.005, 0.05, 1_024  # seconds of a kernel; tree nodes
_ROUNDING = 1e-12  # a gain below this share of the score is a rounding error


class OrderSearch:
    """What a search among orders works with; variables are numbered in the order of their scores.

    Parameters
    ----------
    problem : StructureProblem
        The question; it needs a score.
    remembering, memory, board
        As in :class:`GrowShrinkTrees`.

    Attributes
    ----------
    columns : IntArray
        The score's variable for each of ours.
    trees : GrowShrinkTrees
        The parents of each variable among others.
    tolerance : float
        A gain up to this is none.
    """

    def __init__(
        self,
        problem: StructureProblem,
        *,
        remembering: bool = False,
        memory: SweepMemory | None = None,
        board: IntArray | None = None,
    ) -> None:
        score, known = problem.the_score, problem.knowledge
        require_few_columns(score)
        n = score.n_variables
        self._problem, self._board = problem, board
        self.columns: IntArray = np.array(score_order(score, range(n)), dtype=np.int64)
        self._draws: IntArray | None = None
        self._n_at_once = 4  # tree nodes
        self._rank = np.argsort(self.columns).tolist()
        self.required = [(self._rank[a], self._rank[b]) for a, b in problem.required_edges]
        self.tolerance = _ROUNDING * max(
            1.0, abs(math.fsum(score.local_of_all([(x, ()) for x in range(n)])))
        )
        limit = None if known is None else known.max_parents
        self.trees = GrowShrinkTrees(
            score,
            self.columns,
            np.stack([self._may_be_parents(known, node) for node in range(n)]),
            max_parents=n if limit is None else limit,
            tolerance=self.tolerance,
            remembering=remembering,
            memory=memory,
            board=board,
        )

    @property
    def n_nodes(self) -> int:
        """How many variables there are."""
        return len(self.columns)

    def first_order(self) -> Order:
        """Return the order to begin with: what is easiest to foretell comes first.

        The paper begins with any order.
        """
        return self.started(np.arange(self.n_nodes)[::-1])

    def started(self, order: IntArray) -> Order:
        """Make an order ready to be improved; required parents are put before their children."""
        return Order.of(self._admissible(order), self.required, self._draws)

    def draw_from(self, generator: np.random.Generator) -> None:
        """Let orders that are started from now on take their chances from a generator."""
        self._draws = draws_of(generator)

    def improve(self, order: Order, queue: IntArray) -> bool:
        """Move each variable of a queue to its best place; tell whether any was moved."""
        n_before = int(order.n_moves[0])
        order.queue[:] = queue
        self._go(order, ALL_LEAVES, len(queue))
        return int(order.n_moves[0]) > n_before

    def complete(self, order: Order) -> None:
        """Find the parents of all variables where they stand."""
        self._go(order, ALL_LEAVES, 0)

    def improve_by_chance(self, order: Order, patience: int) -> None:
        """Move all variables, by chance among equal places, until some rounds gain nothing."""
        order.rounds[:] = -np.inf, 0.0
        self._go(order, ANOTHER_ROUND, self.n_nodes, patience)

    def _go(self, order: Order, at: int, end: int, patience: int = 0) -> None:
        """Go through the queue, and where there is patience, through others."""
        order.n_requests[0] = order.n_filled[0] = 0
        while at < end:
            if self._board is not None:
                call_back(self._board, Workers(self._problem.n_jobs).n_jobs)
            started = time.perf_counter()
            at = best_moves(self.trees.trees, order, at, end, patience, self._n_at_once)
            self._adapt(time.perf_counter() - started)
            self.trees.go_on()
            self._problem.trace.progressed("ordering", int(order.n_moves[0]))

    def _adapt(self, seconds: float) -> None:
        """Let kernels run for some milliseconds each time before Python looks at the clock."""
        if seconds < _SHORT:
            self._n_at_once = min(2 * self._n_at_once, _MOST_AT_ONCE)
        elif seconds > _LONG:
            self._n_at_once = max(self._n_at_once // 2, 1)

    def score_of(self, order: Order) -> float:
        """Score the graph of an order."""
        scores: FloatArray = self.trees.trees.score[order.leaf]
        return math.fsum(scores.tolist())

    def finished(
        self,
        parents_of: Iterable[tuple[int, ...]],
        *operators: Priority,
        n_steps: int,
        complete: bool,
    ) -> StructureFound:
        """Go from an order's graph to its class, and climb on from class to class.

        ``n_steps`` were made so far; ``operators`` are the phases of the climb. They ask for a
        score that is the same for equivalent graphs, and with another one the graph is returned as
        it is.
        """
        score, columns = self._problem.the_score, self.columns.tolist()
        families: list[tuple[int, ...]] = [()] * self.n_nodes
        for node, parents in enumerate(parents_of):
            families[columns[node]] = tuple(sorted(columns[z] for z in parents))
        if not score.equivalent:
            return StructureFound.of_parents(score, families, complete=complete)
        search = EquivalenceSearch(score, knowledge=self._problem.knowledge)
        state = SearchState(search, trace=self._problem.trace)
        state.n_steps = n_steps
        state.start_from((z, c) for c, parents in enumerate(families) for z in parents)
        try:
            for phase in operators if complete else ():
                state.climb(phase, k=None)
        except Cancelled:
            complete = False
        return state.found(complete=complete).described(score)

    def families(self, order: Order) -> Iterator[tuple[int, ...]]:
        """Yield each variable's parents; only the required ones where no others are known yet."""
        for node, leaf in enumerate(order.leaf.tolist()):
            if leaf >= 0:
                yield self.trees.parents(leaf)
            else:
                yield tuple(a for a, b in self.required if b == node)

    def _may_be_parents(
        self, known: ColumnKnowledge | None, child: int
    ) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """Say of each variable whether it may or must be a parent of another."""
        column, columns = int(self.columns[child]), self.columns
        may = (columns != column if known is None else known.allowed(column, columns)) * ALLOWED
        may[[parent for parent, other in self.required if other == child]] = REQUIRED
        return may

    def _admissible(self, order: IntArray) -> IntArray:
        """Put required parents before their children, and change nothing else."""
        if not self.required:
            return order
        found: dict[int, None] = {}

        def put(node: int) -> None:
            for parent, child in self.required:
                if child == node and parent not in found:
                    put(parent)
            found[node] = None

        for node in order.tolist():
            put(node)
        return np.array(list(found), dtype=np.int64)


def boss(problem: StructureProblem) -> StructureFound:
    """Search all orders of the columns by BOSS."""
    score = problem.the_score
    with waiting_threads(Workers(problem.n_jobs).n_jobs) as board:
        search = OrderSearch(problem, board=board)
        n_before = score.counts.n_computed
        order = search.first_order()
        complete = True
        try:
            # Move each variable in turn to where the order scores highest, until none moves.
            while search.improve(order, order.order.copy()):
                pass
        except Cancelled:
            complete = False
    score.recount(n_before + search.trees.n_computed)
    # Then the backward phase of GES: delete edges of the class while the score rises.
    n_moves = int(order.n_moves[0])
    return search.finished(search.families(order), _DELETES, n_steps=n_moves, complete=complete)


BOSS = Algorithm(
    boss,
    "Moves columns within an order that says who may be whose parent, then deletes.",
    paper="Andrews, Ramsey, Sanchez-Romero, Camchong & Kummerfeld 2023",
    returns="CPDAG",
    needs=("score",),
    assumes=("faithfulness",),
    complete_rows=True,
)
