"""What the kernels of a search read and write: a class, its operators, and sets in the making."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray
from eiderdown.structure.equivalence.bit_sets import BitSets, empty_sets
from eiderdown.structure.equivalence.cpdag import CPDAG, Constraints, empty_cpdag
from eiderdown.structure.equivalence.gain_table import GainMemory, Requests

INSERT, DELETE, TURN = 0, 1, 2

KIND, X, Y, SKIPPED = 0, 1, 2, 3
"""Columns of ``Operators.move``."""

WORK, CLIQUES, CANDIDATES, PLAIN = 0, 1, 2, 3
"""Planes of ``Workspace.sets``: see there."""

QUEUE, BASE, LOST, ABLE, BLOCKED, REACHED, TURNED = 0, 1, 2, 3, 4, 5, 6
"""Rows of the plane WORK: what a search has yet to visit; Pa(Y) | C; P of a Turn; X of possible
Inserts; where paths may not go; where they lead from Y of the last Insert, and of the last Turn."""

_N_WORK = 7


class Operators(NamedTuple):
    """Operators that raise the score, as far as the gains say; not yet checked for cycles.

    Attributes
    ----------
    gain : FloatArray
        What each would gain.
    move : IntArray of shape (operators, 4)
        INSERT, DELETE or TURN; X and Y of the edge that is, or becomes, X -> Y; whether it is
        skipped, because constraints turned out to forbid it.
    clique : bit sets of shape (1, operators, words)
        C, as :mod:`eiderdown.structure.equivalence.operators` explains.
    n : IntArray of shape (1,)
        How many there are.
    """

    gain: Annotated[FloatArray, "float64[::1]"]
    move: Annotated[IntArray, "int64[:, ::1]"]
    clique: BitSets
    n: Annotated[IntArray, "int64[::1]"]

    @classmethod
    def none(cls, n_nodes: int, capacity: int) -> Operators:
        """Make room for operators."""
        move = np.zeros((capacity, 4), dtype=np.int64)
        clique = empty_sets(1, capacity, n_nodes)
        return cls(np.empty(capacity), move, clique, np.zeros(1, dtype=np.int64))

    def in_order(self, order: IntArray) -> Operators:
        """Return some of the operators, in some order."""
        n = np.array([len(order)], dtype=np.int64)
        clique = np.ascontiguousarray(self.clique[:, order])
        return Operators(self.gain[order], self.move[order], clique, n)

    def with_room(self) -> Operators:
        """Return the same operators, with room for twice as many."""
        n, capacity = int(self.n[0]), len(self.gain)
        spread = self.in_order(np.arange(2 * capacity) % capacity)
        spread.n[0] = n
        return spread

    def drop(self, i: int) -> None:
        """Take one out of the list."""
        last = int(self.n[0]) - 1
        for array in (self.gain, self.move, self.clique[0]):
            array[i] = array[last]
        self.n[0] = last


class Workspace(NamedTuple):
    """The class that a search is at, the operators there, and what is written on.

    Attributes
    ----------
    graph : CPDAG
        The class.
    constraints : Constraints
        What is allowed.
    memory : GainMemory
        What is known about the score.
    operators : Operators
        The operators at the class.
    requests : Requests
        Gains that are missing to list the others.
    sets : bit sets of shape (4, rows, words)
        Sets in the making; by depth, the cliques on the way to the present one and who could extend
        each; by Y, the X of Inserts that make no v-structure.
    outdated : BoolArray
        Nodes whose operators are to be listed again.
    """

    graph: CPDAG
    constraints: Constraints
    memory: GainMemory
    operators: Operators
    requests: Requests
    sets: BitSets
    outdated: Annotated[BoolArray, "boolean[::1]"]

    @classmethod
    def at_empty_graph(cls, constraints: Constraints, memory: GainMemory) -> Workspace:
        """Begin at the class without edges, with nothing listed."""
        n = constraints.parents.shape[1]
        return cls(
            empty_cpdag(n),
            constraints,
            memory,
            Operators.none(n, 1_024),
            Requests.none(n, 256),
            empty_sets(4, max(n + 1, _N_WORK), n),
            np.ones(n, dtype=np.bool_),
        )
