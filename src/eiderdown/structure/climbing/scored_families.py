"""Where a climb stands, and the families that it has scored.

A scored family is a row: the node's score with these parents, and what every single change of them
gains. Rows are found by a hash of the family, as in
:mod:`eiderdown.structure.equivalence.gain_table`; a hash is the exclusive or of those of its edges.
What is missing is asked for all at once, in the arrays that scores take.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import BoolArray, FloatArray, IntArray, WordArray
from eiderdown.kernels import kernel
from eiderdown.scores.sweeps import PackedSweeps
from eiderdown.structure.climbing.moves import bound_changes
from eiderdown.structure.climbing.moving_graph import (
    CandidateEdges,  # noqa: F401  named in signatures
    Graph,
    hash_of,
)

N_ASKED, N_SWEEPS, N_ANSWERS, N_ROWS, N_NUMBERS = range(5)
N_WITHOUT_GAIN, N_NOTED, N_BEGUN, N_RESTARTS, N_SCORED, N_NEW = range(5, 11)
"""Places in ``Climb.counters``: nodes, sweeps and scores that are asked for; rows and numbers in
the memory; moves in a row without a new best graph; moves made when one was last looked for, and
when this climb began; nodes that have lost their edges; scores that kernels have computed; sweeps
that kernels cannot answer yet."""

BEST_SCORE, MORE_THAN, ROUGH_SCORE = range(3)
"""Places in ``Climb.levels``: score of the best graph, what a move has to gain more than, and score
of the present graph but for rounding errors."""

NO_ROW = ~np.uint64(0)
_ONE = np.uint64(1)
_OF_NODE = np.uint64(0x9E3779B97F4A7C15)
_FEW_SLOTS = 20_000  # that are moved in Python sooner than compiling takes
_FIRST_ROWS = 256
_FIRST_EACH = 4  # families of each node that there is room for at first
_MOST_FIRST_NUMBERS, _MOST_FIRST_ROWS = 4_000_000, 4_096
_FIRST_WIDTH, _MORE_SWEEPS = 16, 64


class FamilyMemory(NamedTuple):
    """Scored families.

    Attributes
    ----------
    slots : WordArray
        By slot: the row, all ones for none, and the hash.
    score : FloatArray
        By row: the node's score.
    start : IntArray
        By row: where its numbers begin.
    gain : FloatArray
        What the score gains by adding each candidate edge of the node, or by deleting it.
    by_gain : int32 array
        The node's candidate edges, a heap with the largest gain at its top.
    """

    slots: Annotated[WordArray, "uint64[:, ::1]"]
    score: Annotated[FloatArray, "float64[::1]"]
    start: Annotated[IntArray, "int64[::1]"]
    gain: Annotated[FloatArray, "float64[::1]"]
    by_gain: Annotated[NDArray[np.int32], "int32[::1]"]

    @classmethod
    def empty(cls, n_numbers: int, n_rows: int = _FIRST_ROWS) -> FamilyMemory:
        """Make room for scored families."""
        return cls(
            np.full((1 << (4 * n_rows - 1).bit_length(), 2), NO_ROW),
            np.zeros(n_rows),
            np.zeros(n_rows, dtype=np.int64),
            np.zeros(n_numbers),
            np.zeros(n_numbers, dtype=np.int32),
        )


class Questions(NamedTuple):
    """What a score is asked about nodes whose families are missing.

    Of a node the first sweep is about its present parents, alone and with each candidate more; the
    others are about these parents without one of them, where the memory does not tell.
    """

    nodes: Annotated[IntArray, "int64[::1]"]
    sweeps: PackedSweeps

    @classmethod
    def none(cls, n_nodes: int, n_edges: int, width: int = _FIRST_WIDTH) -> Questions:
        """Make room for questions about families of so many parents."""
        n_sweeps = n_nodes + _MORE_SWEEPS
        sweeps = PackedSweeps(
            np.zeros(n_sweeps, dtype=np.int64),
            np.zeros((n_sweeps, width), dtype=np.int64),
            np.zeros(n_sweeps, dtype=np.int64),
            np.zeros(n_sweeps, dtype=np.int64),
            np.zeros(n_edges + n_sweeps, dtype=np.int64),
        )
        return cls(np.zeros(n_nodes, dtype=np.int64), sweeps)


class Climb(NamedTuple):
    """Where a climb stands.

    Attributes
    ----------
    graph : Graph
        The present graph.
    memory : FamilyMemory
        The families that were scored.
    questions : Questions
        The families that are to be scored.
    columns : IntArray
        By node, the score's variable.
    local, best_local : FloatArray
        By node, its score in the present graph and in the best one.
    best_present : BoolArray
        Which candidate edges the best graph has.
    marks : BoolArray
        By node, whether its parents changed since the best graph was noted, and whether the gains
        at hand are those of other parents.
    counters, levels : IntArray, FloatArray
        Single numbers; see the constants.
    """

    graph: Graph
    memory: FamilyMemory
    questions: Questions
    columns: Annotated[IntArray, "int64[::1]"]
    local: Annotated[FloatArray, "float64[::1]"]
    best_local: Annotated[FloatArray, "float64[::1]"]
    best_present: Annotated[BoolArray, "boolean[::1]"]
    marks: Annotated[BoolArray, "boolean[:, ::1]"]
    counters: Annotated[IntArray, "int64[::1]"]
    levels: Annotated[FloatArray, "float64[::1]"]

    @classmethod
    def at(cls, graph: Graph, columns: IntArray) -> Climb:
        """Begin at a graph of which nothing is scored yet."""
        n_nodes, n_edges = len(columns), len(graph.edges.parent)
        # Zeros take no memory before they are written to; to move what is known takes time.
        n_numbers = max(n_edges, min(_FIRST_EACH * n_edges, _MOST_FIRST_NUMBERS))
        n_rows = max(_FIRST_ROWS, 2 * n_nodes, min(_FIRST_EACH * n_nodes, _MOST_FIRST_ROWS))
        return cls(
            graph,
            FamilyMemory.empty(n_numbers, n_rows),
            Questions.none(n_nodes, n_edges),
            columns,
            local=np.zeros(n_nodes),
            best_local=np.zeros(n_nodes),
            best_present=np.zeros(n_edges, dtype=np.bool_),
            marks=np.ones((2, n_nodes), dtype=np.bool_),
            counters=np.zeros(11, dtype=np.int64),
            levels=np.array([-np.inf, -np.inf, 0.0]),
        )

    def with_room(self, most_numbers: int) -> Climb:
        """Return a climb whose memory has room for what is asked.

        Where that would be too many numbers, the memory begins anew, and so do the questions.
        """
        if has_room.as_python(self):
            return self
        memory, counters = self.memory, self.counters.tolist()
        n_rows, n_numbers = counters[N_ROWS], counters[N_NUMBERS]
        rows = n_rows + counters[N_ASKED]
        numbers = n_numbers + n_numbers_asked.as_python(self)
        if numbers > max(most_numbers, numbers - n_numbers):  # too large: begin anew
            self.counters[N_ROWS] = self.counters[N_NUMBERS] = self.counters[N_ASKED] = 0
            room = FamilyMemory.empty(numbers - n_numbers, max(_FIRST_ROWS, counters[N_ASKED]))
            return self._replace(memory=room)
        larger = FamilyMemory.empty(
            max(numbers, 2 * len(memory.gain)), max(rows, 2 * len(memory.score))
        )
        move_slots(memory.slots, larger.slots)
        for name, n in (("score", n_rows), ("start", n_rows), ("gain", n_numbers)):
            getattr(larger, name)[:n] = getattr(memory, name)[:n]
        larger.by_gain[:n_numbers] = memory.by_gain[:n_numbers]
        return self._replace(memory=larger)


CHANGED, STALE = 0, 1
"""Rows of ``Climb.marks``."""


@kernel("int64(Climb)", inner=True)
def n_numbers_asked(climb):  # type: ignore[no-untyped-def]
    """Return how many numbers the families that are asked for have."""
    first, n = climb.graph.edges.first, 0
    for i in range(climb.counters[N_ASKED]):
        node = climb.questions.nodes[i]
        n += first[node + 1] - first[node]
    return n


@kernel("boolean(Climb)", inner=True)
def has_room(climb):  # type: ignore[no-untyped-def]
    """Whether the memory has room for the families that are asked for."""
    memory, counters = climb.memory, climb.counters
    has_rows = counters[N_ROWS] + counters[N_ASKED] <= memory.score.shape[0]
    return has_rows and counters[N_NUMBERS] + n_numbers_asked(climb) <= memory.gain.shape[0]


@kernel("uint64(Graph, int64)", inner=True)
def _hash_of_family(graph, node):  # type: ignore[no-untyped-def]
    """Hash a node with its present parents."""
    families = graph.families
    word = np.uint64(node + 1) * _OF_NODE
    for k in range(families.first[node], families.first[node] + families.n_parents[node]):
        word ^= hash_of(graph.edges, graph.edges.held[k])
    return word


@kernel("int64(uint64[:, ::1], uint64)", inner=True)
def _slot_of(slots, word):  # type: ignore[no-untyped-def]
    """Return the slot of a hash, or the empty one where it would be."""
    last = np.uint64(slots.shape[0]) - _ONE
    slot = word & last
    while slots[slot, 0] != NO_ROW and slots[slot, 1] != word:
        slot = (slot + _ONE) & last
    return np.int64(slot)


@kernel("void(const(uint64[:, ::1]), uint64[:, ::1])", small=lambda old, _: len(old) <= _FEW_SLOTS)
def move_slots(old, new):  # type: ignore[no-untyped-def]
    """Put all rows into a larger table of slots."""
    for k in range(old.shape[0]):
        if old[k, 0] != NO_ROW:
            slot = _slot_of(new, old[k, 1])
            new[slot, 0] = old[k, 0]
            new[slot, 1] = old[k, 1]


@kernel("float64(Climb, uint64)", inner=True)
def _known_score(climb, word):  # type: ignore[no-untyped-def]
    """Return the score of a family by its hash; NaN if it is not known."""
    slots = climb.memory.slots
    row = slots[_slot_of(slots, word), 0]
    return np.nan if row == NO_ROW else climb.memory.score[row]


@kernel("void(Climb, int64, int64, int64)", inner=True)
def _begin_sweep(climb, node, without, n_answers):  # type: ignore[no-untyped-def]
    """Ask about a node with its present parents, or all but one of them; -1 for no such one."""
    families, questions = climb.graph.families, climb.questions.sweeps
    at, n = climb.counters[N_SWEEPS], 0
    questions.children[at] = climb.columns[node]
    for k in range(families.first[node], families.first[node] + families.n_parents[node]):
        if families.parent[k] != without:
            questions.parents[at, n] = climb.columns[families.parent[k]]
            n += 1
    for p in range(n, questions.parents.shape[1]):
        questions.parents[at, p] = -1
    questions.candidates[climb.counters[N_ANSWERS]] = -1
    questions.starts[at] = climb.counters[N_ANSWERS]
    climb.counters[N_ANSWERS] += n_answers
    questions.ends[at] = climb.counters[N_ANSWERS]
    climb.counters[N_SWEEPS] += 1


@kernel("void(Climb, int64, uint64)", inner=True)
def _ask(climb, node, word):  # type: ignore[no-untyped-def]
    """Ask for the family of a node, if there is room."""
    edges, questions, counters = climb.graph.edges, climb.questions.sweeps, climb.counters
    start, end, n_parents = edges.first[node], edges.first[node + 1], 0
    n_parents = climb.graph.families.n_parents[node]
    if n_parents > questions.parents.shape[1]:
        return
    if counters[N_SWEEPS] + 1 + n_parents > questions.children.shape[0]:
        return
    if counters[N_ANSWERS] + end - start + 1 + n_parents > questions.candidates.shape[0]:
        return
    climb.questions.nodes[counters[N_ASKED]] = node
    counters[N_ASKED] += 1
    at = counters[N_ANSWERS] + 1
    n_more = 0
    if n_parents < edges.max_parents[node]:
        for edge in range(start, end):
            if not edges.present[edge]:
                questions.candidates[at + n_more] = climb.columns[edges.parent[edge]]
                n_more += 1
    _begin_sweep(climb, node, -1, 1 + n_more)
    for edge in range(start, end):
        if edges.present[edge] and np.isnan(_known_score(climb, word ^ hash_of(edges, edge))):
            _begin_sweep(climb, node, edges.parent[edge], 1)


@kernel("boolean(Climb)", inner=True)
def load_gains(climb):  # type: ignore[no-untyped-def]
    """Look up the gains of all stale families; False if some are missing, and asked for."""
    edges, memory, counters = climb.graph.edges, climb.memory, climb.counters
    counters[N_ASKED] = counters[N_SWEEPS] = counters[N_ANSWERS] = 0
    all_there = True
    for node in range(climb.columns.shape[0]):
        if climb.marks[STALE, node]:
            word = _hash_of_family(climb.graph, node)
            row = memory.slots[_slot_of(memory.slots, word), 0]
            if row == NO_ROW:
                all_there = False
                _ask(climb, node, word)
                continue
            climb.levels[ROUGH_SCORE] += memory.score[row] - climb.local[node]
            climb.local[node] = memory.score[row]
            at = memory.start[row]
            for edge in range(edges.first[node], edges.first[node + 1]):
                edges.gain[edge] = memory.gain[at]
                edges.by_gain[edge] = memory.by_gain[at]
                at += 1
            bound_changes(climb.graph, node)
            climb.marks[STALE, node] = False
    return all_there


@kernel("void(FamilyMemory, int64, int64, int64)", inner=True)
def _heap_by_gain(memory, start, end, first):  # type: ignore[no-untyped-def]
    """Make a heap of candidate edges, numbered from ``first`` on, the largest gain at its top."""
    heap, gain, n = memory.by_gain, memory.gain, end - start
    for i in range(n):
        heap[start + i] = first + i
    shift = start - first
    for top in range(n // 2 - 1, -1, -1):
        at, item = top, heap[start + top]
        while 2 * at + 1 < n:
            below = 2 * at + 1
            if below + 1 < n and (
                gain[shift + heap[start + below + 1]] > gain[shift + heap[start + below]]
            ):
                below += 1
            if gain[shift + heap[start + below]] <= gain[shift + item]:
                break
            heap[start + at] = heap[start + below]
            at = below
        heap[start + at] = item


@kernel("void(Climb, const(float64[::1]))", inner=True)
def remember(climb, scores):  # type: ignore[no-untyped-def]
    """Write down the families that were asked for, with the score's answers."""
    edges, memory, counters = climb.graph.edges, climb.memory, climb.counters
    at = 0
    for i in range(counters[N_ASKED]):
        node = climb.questions.nodes[i]
        word, row, start = _hash_of_family(climb.graph, node), counters[N_ROWS], counters[N_NUMBERS]
        now, k = scores[at], start
        at += 1
        grows = climb.graph.families.n_parents[node] < edges.max_parents[node]
        for edge in range(edges.first[node], edges.first[node + 1]):
            if not edges.present[edge]:
                memory.gain[k] = -np.inf
                if grows:
                    memory.gain[k] = scores[at] - now
                    at += 1
            k += 1
        k = start
        for edge in range(edges.first[node], edges.first[node + 1]):
            if edges.present[edge]:
                without = _known_score(climb, word ^ hash_of(edges, edge))
                if np.isnan(without):
                    without = scores[at]
                    at += 1
                memory.gain[k] = without - now
            k += 1
        _heap_by_gain(memory, start, k, edges.first[node])
        memory.score[row] = now
        memory.start[row] = start
        slot = _slot_of(memory.slots, word)
        memory.slots[slot, 0] = np.uint64(row)
        memory.slots[slot, 1] = word
        counters[N_ROWS] += 1
        counters[N_NUMBERS] = k
    counters[N_ASKED] = 0
