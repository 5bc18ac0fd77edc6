"""What the kernels that list and make moves between classes read and write."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from eiderdown.arrays import BoolArray, FloatArray, IntArray, WordArray
from eiderdown.structure.bit_sets import words_for
from eiderdown.structure.gain_table import hash_of, row_of

INSERT, DELETE, TURN = 0, 1, 2


class Operators(NamedTuple):
    """Moves that raise the score, as far as the gains say; not yet checked for cycles.

    Attributes
    ----------
    gain : FloatArray
        What each would gain.
    kind : NDArray of int8
        INSERT, DELETE or TURN.
    x, y : IntArray
        The edge is, or becomes, X -> Y.
    clique : WordArray of shape (moves, words)
        C, as the listing of moves explains.
    skipped : BoolArray
        Those that turned out to be impossible, or that chance passed over.
    n : IntArray of shape (1,)
        How many there are.
    """

    gain: FloatArray
    kind: NDArray[np.int8]
    x: IntArray
    y: IntArray
    clique: WordArray
    skipped: BoolArray
    n: IntArray


class Wanted(NamedTuple):
    """Gains that were missing: child, one more parent (-1 for all), and the parents as bits."""

    child: IntArray
    extra: IntArray
    parents: WordArray
    n: IntArray


class Desk(NamedTuple):
    """What is written on while moves are listed and checked.

    Attributes
    ----------
    cliques, candidates : WordArray of shape (nodes + 1, words)
        The cliques on the way to the present one, and who could extend each.
    base, lost, able, blocked, fresh, reached : WordArray of shape (1, words)
        Sets in the making.
    outdated : BoolArray
        Nodes whose moves are to be listed again.
    plain : WordArray of shape (nodes, words)
        By Y, the X of Inserts that make no v-structure.
    chosen : IntArray of shape (1,)
        The last move that was made.
    """

    cliques: WordArray
    candidates: WordArray
    base: WordArray
    lost: WordArray
    able: WordArray
    blocked: WordArray
    fresh: WordArray
    reached: WordArray
    outdated: BoolArray
    plain: WordArray
    chosen: IntArray


def no_operators(n_nodes: int, capacity: int) -> Operators:
    """Make room for moves."""
    return Operators(
        np.empty(capacity),
        np.empty(capacity, dtype=np.int8),
        np.empty(capacity, dtype=np.int64),
        np.empty(capacity, dtype=np.int64),
        np.empty((capacity, words_for(n_nodes)), dtype=np.uint64),
        np.zeros(capacity, dtype=np.bool_),
        np.zeros(1, dtype=np.int64),
    )


def nothing_wanted(n_nodes: int, capacity: int) -> Wanted:
    """Make room for missing gains."""
    return Wanted(
        np.empty(capacity, dtype=np.int64),
        np.empty(capacity, dtype=np.int64),
        np.empty((capacity, words_for(n_nodes)), dtype=np.uint64),
        np.zeros(1, dtype=np.int64),
    )


def clear_desk(n_nodes: int) -> Desk:
    """Make room to write on; no node's moves are listed yet."""
    n_words = words_for(n_nodes)
    cliques, candidates = (np.zeros((n_nodes + 1, n_words), dtype=np.uint64) for _ in range(2))
    base, lost, able, blocked, fresh, reached = (
        np.zeros((1, n_words), dtype=np.uint64) for _ in range(6)
    )
    return Desk(
        cliques=cliques,
        candidates=candidates,
        base=base,
        lost=lost,
        able=able,
        blocked=blocked,
        fresh=fresh,
        reached=reached,
        outdated=np.ones(n_nodes, dtype=np.bool_),
        plain=np.zeros((n_nodes, n_words), dtype=np.uint64),
        chosen=np.full(1, -1, dtype=np.int64),
    )


def in_order(operators: Operators, order: IntArray) -> Operators:
    """Return some of the moves, in some order."""
    gain, kind, x, y, clique, skipped, _ = operators
    n = np.array([len(order)])
    return Operators(gain[order], kind[order], x[order], y[order], clique[order], skipped[order], n)


def with_room(operators: Operators) -> Operators:
    """Return the same moves, with room for twice as many."""
    n, capacity = int(operators.n[0]), len(operators.gain)
    spread = in_order(operators, np.arange(2 * capacity) % capacity)
    spread.n[0] = n
    return spread


@njit(cache=True, nogil=True)
def want(wanted, child, sets, row, extra):  # type: ignore[no-untyped-def]
    """Note that a gain is missing, unless the list is full."""
    at = wanted.n[0]
    if at < wanted.child.shape[0]:
        wanted.child[at] = child
        wanted.extra[at] = extra
        for w in range(sets.shape[1]):
            wanted.parents[at, w] = sets[row, w]
        wanted.n[0] = at + 1


@njit(cache=True, nogil=True)
def gain_of(memory, wanted, child, sets, row, extra):  # type: ignore[no-untyped-def]
    """Look one gain up; NaN, and a request, if it is missing."""
    word = hash_of(memory.word_of_child, memory.word_of_parent, child, sets, row)
    at = row_of(memory.row, memory.check, word)
    gain = np.nan if at < 0 else memory.gains[at, extra]
    if np.isnan(gain):
        want(wanted, child, sets, row, extra)
    return gain


@njit(cache=True, nogil=True)
def add(operators, gain, kind, x, y, sets, row):  # type: ignore[no-untyped-def]
    """Note a move; beyond the capacity it is only counted, for the caller to see."""
    at = operators.n[0]
    if at < operators.gain.shape[0]:
        operators.gain[at] = gain
        operators.kind[at] = kind
        operators.x[at] = x
        operators.y[at] = y
        for w in range(sets.shape[1]):
            operators.clique[at, w] = sets[row, w]
    operators.n[0] = at + 1
