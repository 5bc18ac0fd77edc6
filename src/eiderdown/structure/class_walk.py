"""A walk from one equivalence class of graphs to the next, uphill.

This module needs compiled code, so :mod:`eiderdown.structure.equivalence_search` imports it late.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.errors import OptionError
from eiderdown.structure.bit_sets import has, members, pairs, take
from eiderdown.structure.class_graph import ClassGraph, join, no_edges, settle
from eiderdown.structure.class_operators import (
    EVERYTHING_KNOWN,
    GAINS_MISSING,
    NO_ROOM,
    list_again,
)
from eiderdown.structure.class_records import (
    DELETE,
    Operators,
    clear_desk,
    in_order,
    no_operators,
    nothing_wanted,
    with_room,
)
from eiderdown.structure.class_steps import (
    NOTHING_LEFT,
    advance,
    copy_edges,
    force,
    mark_outdated,
    remove_edges,
)
from eiderdown.structure.gain_table import Missing

if TYPE_CHECKING:
    from eiderdown.progress import Trace
    from eiderdown.structure.class_ground import Ground

_FIRST_CAPACITY = 1_024
_N_WANTED = 256
_N_CHANCES = 64

Ranks: TypeAlias = tuple[int, int, int]
"""Which of Insert, Delete and Turn are made before others, from 0 on; -1 for never."""


class ClassWalk:
    """One walk; it begins without edges, or with those that are required.

    Parameters
    ----------
    ground : Ground
        What all walks share.
    generator : numpy Generator
        Where random choices come from.
    trace : Trace
        Who listens to the progress.

    Attributes
    ----------
    n_nodes : int
        How many nodes there are.
    score : float
        Score of the present class.
    n_moves : int
        How many moves were made.
    """

    def __init__(self, ground: Ground, generator: np.random.Generator, trace: Trace) -> None:
        n = len(ground.columns)
        self.ground = ground
        self.generator = generator
        self._trace = trace
        self._known = ground.known._replace(allowed=ground.known.allowed.copy())
        self._graph = no_edges(n)
        self._operators = no_operators(n, _FIRST_CAPACITY)
        self._wanted = nothing_wanted(n, _N_WANTED)
        self._desk = clear_desk(n)
        self._backup = no_edges(n)
        self._kinds: tuple[bool, ...] = ()  # of the moves that are listed
        self.n_nodes = n
        self.n_moves = 0
        for parent, child in ground.required:
            join(self._graph, parent, child)
        if not settle(self._graph, self._known):
            raise OptionError(
                "The required edges close a cycle or are forbidden; take some of them out."
            )
        self.score = self._total() if ground.required else ground.empty_score

    def climb(self, rank: Ranks, *, k: float = 1.0) -> bool:
        """Make moves until none gains; tell whether any was made.

        Parameters
        ----------
        rank : tuple of (int, int, int)
            Which kinds of moves are made before others.
        k : float
            Share of the gaining moves of which the best is made; 1 for the best of all.
        """
        kinds = tuple(of_kind >= 0 for of_kind in rank)
        if kinds != self._kinds:
            self._desk.outdated[:] = True
            self._kinds = kinds
        ranks, k, n_before = np.array(rank), float(k), self.n_moves
        step = self._checked_step if self._known.anything else self._steps
        state, chances = NO_ROOM, np.empty(0)
        while state != NOTHING_LEFT:
            if len(chances) == 0:
                chances = self.generator.random(_N_CHANCES)
            state, n_used = step(ranks, k, chances)
            chances = chances[n_used:]
            if state == GAINS_MISSING:
                self.ground.gains.fill(self._missing())
            elif state == NO_ROOM:
                self._operators = with_room(self._operators)
            self._trace.progressed("searching", self.n_moves)
        return self.n_moves > n_before

    def _steps(self, ranks: IntArray, k: float, chances: FloatArray) -> tuple[int, int]:
        """Make moves; return what ended them and how many chances they used up."""
        state, n_moves, gained = advance(
            self._graph,
            self._known,
            self.ground.gains.memory,
            self._operators,
            self._wanted,
            self._desk,
            self._backup,
            ranks,
            k,
            chances,
            self.ground.hair,
        )
        self.n_moves += n_moves
        self.score += gained
        return state, n_moves

    def _checked_step(self, ranks: IntArray, k: float, chances: FloatArray) -> tuple[int, int]:
        """Make one move, and take it back unless the score rises.

        Where directions are known, the class has fewer graphs than its edges say, and the one that
        a gain was computed for may not be among them.
        """
        before = self.saved()
        state, n_used = self._steps(ranks, k, chances[:1])
        if n_used == 1:
            self.score = self._total()
            if self.score <= before[1] + self.ground.hair:
                self.n_moves -= 1
                self.score = before[1]
                copy_edges(before[0], self._graph)
                self._desk.outdated[:] = False  # the moves were listed for this graph
                self._drop(int(self._desk.chosen[0]))
        return state, n_used

    def _drop(self, i: int) -> None:
        """Take a move out of the list."""
        last = int(self._operators.n[0]) - 1
        for array in self._operators[:-1]:
            array[i] = array[last]
        self._operators.n[0] = last

    def _total(self) -> float:
        return self.ground.total(self.families())

    def parents(self, node: int) -> list[int]:
        """Return the parents of a node in one DAG of the class."""
        return members(self._graph.dag_parents[node])

    def edges_at(self, node: int) -> list[tuple[int, int]]:
        """Return the edges at a node, in one DAG of the class, parent first."""
        graph = self._graph
        return [
            (other, node) if has(graph.dag_parents, node, other) else (node, other)
            for other in members(graph.adjacent[node])
        ]

    def edges(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Return the directed and the undirected edges, between the score's variables."""
        columns = self.ground.columns.tolist()
        directed = [(columns[parent], columns[node]) for node, parent in pairs(self._graph.parents)]
        undirected = [
            (min(columns[a], columns[b]), max(columns[a], columns[b]))
            for a, b in pairs(self._graph.neighbours)
            if a < b
        ]
        return sorted(directed), sorted(undirected)

    def families(self) -> list[tuple[int, ...]]:
        """Return the parents of each of the score's variables in one DAG of the class."""
        columns = self.ground.columns.tolist()
        found: list[list[int]] = [[] for _ in columns]
        for node, parent in pairs(self._graph.dag_parents):
            found[columns[node]].append(columns[parent])
        return [tuple(family) for family in found]

    def saved(self) -> tuple[ClassGraph, float]:
        """Return a copy of the present class, and its score."""
        graph = no_edges(self.n_nodes)
        copy_edges(self._graph, graph)
        return graph, self.score

    def return_to(self, saved: tuple[ClassGraph, float]) -> None:
        """Make a class of before the present one."""
        graph, self.score = saved
        copy_edges(self._graph, self._backup)
        copy_edges(graph, self._graph)
        mark_outdated(self._graph, self._backup, self._desk.outdated, True)

    def remove(self, edges: Iterable[tuple[int, int]]) -> None:
        """Take edges, parent first, out of a DAG of the class, unless they are required."""
        gone: dict[int, set[int]] = {}
        for parent, child in edges:
            if not has(self._known.required, child, parent):
                gone.setdefault(child, set()).add(parent)
        for child, lost in gone.items():
            before = self.parents(child)
            after = [parent for parent in before if parent not in lost]
            self.score += self.ground.local(child, after) - self.ground.local(child, before)
        listed = [(parent, child) for child, lost in gone.items() for parent in lost]
        rows = np.array(listed, dtype=np.int64).reshape(-1, 2)
        remove_edges(self._graph, self._known, rows, self._backup, self._desk.outdated)

    def deletes(self) -> Operators:
        """List all Deletes, also those that lose, the least loss first."""
        kinds = np.arange(3) == DELETE
        desk, found = clear_desk(self.n_nodes), no_operators(self.n_nodes, _FIRST_CAPACITY)
        state = GAINS_MISSING
        while state != EVERYTHING_KNOWN:
            memory = self.ground.gains.memory
            state = list_again(
                self._graph, self._known, memory, found, self._wanted, desk, kinds, -np.inf
            )
            if state == GAINS_MISSING:
                self.ground.gains.fill(self._missing())
            elif state == NO_ROOM:
                found = with_room(found)
        n = int(found.n[0])
        return in_order(found, np.lexsort((found.x[:n], found.y[:n], -found.gain[:n])))

    def force(self, operators: Operators, i: int) -> bool:
        """Make a Delete, whatever it loses, and forbid the edge; False if it is impossible."""
        made = force(self._graph, self._known, operators, i, self._backup, self._desk.outdated)
        if made:
            anything = self._known.anything
            self.score = self._total() if anything else self.score + float(operators.gain[i])
            self._forbid(int(operators.x[i]), int(operators.y[i]))
        return bool(made)

    def _forbid(self, a: int, b: int) -> None:
        take(self._known.allowed, a, b)
        take(self._known.allowed, b, a)

    def allow_all(self) -> None:
        """Allow again what was forbidden on the way."""
        again = np.any(self._known.allowed != self.ground.known.allowed, axis=1)
        self._desk.outdated[again] = True
        self._known.allowed[:] = self.ground.known.allowed

    def _missing(self) -> list[Missing]:
        wanted, n = self._wanted, int(self._wanted.n[0])
        return [
            Missing(child, tuple(members(wanted.parents[i])), extra)
            for i, (child, extra) in enumerate(
                zip(wanted.child[:n].tolist(), wanted.extra[:n].tolist(), strict=True)
            )
        ]
