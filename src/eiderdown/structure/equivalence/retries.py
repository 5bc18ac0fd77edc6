"""Edges around each edge taken away in turn, and climbs from there, in few compiled calls.

One attempt takes some 50 microseconds, and a call of a kernel some 20. So attempt follows on
attempt in one call, until it is time to look at the clock. Gains that are missing are computed in
the same call where the score has kernels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np

from eiderdown.arrays import FloatArray, IntArray, WordArray
from eiderdown.kernel_addresses import call_kernel
from eiderdown.kernels import kernel
from eiderdown.structure.equivalence.cpdag import LEFT, BitSets
from eiderdown.structure.equivalence.listing import GAINS_MISSING, Workspace
from eiderdown.structure.equivalence.scored_filling import (  # noqa: F401  named in signatures
    N_LATEST,
    Filling,
    fill_scored,
)
from eiderdown.structure.equivalence.scored_steps import MOST_AT_ONCE
from eiderdown.structure.equivalence.search import N_CHANCES
from eiderdown.structure.equivalence.steps import (
    NONE_LEFT,
    OUT_OF_CHANCES,
    advance,
    remove_edges_at,
    replace_edges,
)
from eiderdown.structure.order.draws import draw_numbers, draws_of

if TYPE_CHECKING:
    from eiderdown.structure.equivalence.search import Priority, SearchState

_EDGE, _CLIMB, _N_USED, _N_STEPS, _LEFT, _ENDED = range(6)  # of Retries.place
_PRESENT, _BEST = 0, 1  # of Retries.score
_BEGINNING = -1  # the climb before the first
_AT_ONCE = 32  # attempts


class Retries(NamedTuple):
    """Attempts, one for each edge, and how far they are.

    Attributes
    ----------
    ends : IntArray
        The two nodes of every edge, in the order of the attempts.
    priorities : IntArray
        By climb of an attempt, which operators come first.
    k : FloatArray
        By climb of an attempt, the share of the operators of which the best is applied.
    place : IntArray
        Which edge, and which of its climbs, it is the turn of; how many chances the climb has used
        up; how many operators were applied; how many attempts may be begun until somebody looks at
        the clock; what ended the last call.
    score : FloatArray
        Of the present class, and of the best so far.
    best : BitSets
        The edges of the latter.
    chances, draws : FloatArray, IntArray
        Random numbers, and where more come from; see :mod:`eiderdown.structure.order.draws`.
    enough : float
        What the score has to rise by.
    """

    ends: Annotated[IntArray, "int64[:, ::1]"]
    priorities: Annotated[IntArray, "int64[:, ::1]"]
    k: Annotated[FloatArray, "float64[::1]"]
    place: Annotated[IntArray, "int64[::1]"]
    score: Annotated[FloatArray, "float64[::1]"]
    best: BitSets
    chances: Annotated[FloatArray, "float64[::1]"]
    draws: Annotated[IntArray, "int64[::1]"]
    enough: float


@kernel("boolean(Workspace, uint64[:, :, ::1], Retries)")
def _begin(space, backup, retries):  # type: ignore[no-untyped-def]
    """Take the edges at both ends of an edge away; False if gains are missing."""
    place, score, best = retries.place, retries.score, retries.best
    a, b = retries.ends[place[_EDGE], 0], retries.ends[place[_EDGE], 1]
    if score[_PRESENT] > score[_BEST]:
        score[_BEST] = score[_PRESENT]
        for plane in range(LEFT):
            for node in range(best.shape[1]):
                for w in range(best.shape[2]):
                    best[plane, node, w] = space.graph.edges[plane, node, w]
    gained = remove_edges_at(space, backup, a, b)
    if np.isnan(gained):
        return False
    score[_PRESENT] += gained
    place[_CLIMB], place[_N_USED] = 0, retries.chances.shape[0]
    return True


@kernel("int64(Workspace, uint64[:, :, ::1], Retries)")
def _climb(space, backup, retries):  # type: ignore[no-untyped-def]
    """Climb until nothing gains, or something is missing; return what ended it."""
    place, climb, state = retries.place, retries.place[_CLIMB], OUT_OF_CHANCES
    while state == OUT_OF_CHANCES:
        if place[_N_USED] == retries.chances.shape[0]:
            draw_numbers(retries.draws, retries.chances)
            place[_N_USED] = 0
        chances = retries.chances[place[_N_USED] :]
        state, n_steps, _, gained = advance(
            space, backup, retries.priorities[climb], retries.k[climb], chances
        )
        place[_N_USED] += n_steps
        place[_N_STEPS] += n_steps
        retries.score[_PRESENT] += gained
    return state


@kernel("void(Workspace, uint64[:, :, ::1], Retries)")
def _retry(space, backup, retries):  # type: ignore[no-untyped-def]
    """Make so many attempts, and go back after each that gained nothing.

    What ended it is what is missing before it can go on, or that no attempt, or none of these, is
    left.
    """
    place, score = retries.place, retries.score
    while place[_EDGE] < retries.ends.shape[0]:
        if place[_CLIMB] == _BEGINNING:
            if place[_LEFT] == 0:
                place[_ENDED] = OUT_OF_CHANCES
                return
            if not _begin(space, backup, retries):
                place[_ENDED] = GAINS_MISSING
                return
            place[_LEFT] -= 1
        while place[_CLIMB] < retries.k.shape[0]:
            place[_ENDED] = _climb(space, backup, retries)
            if place[_ENDED] != NONE_LEFT:
                return
            place[_CLIMB] += 1
            place[_N_USED] = retries.chances.shape[0]
        if score[_PRESENT] <= score[_BEST] + retries.enough:
            score[_PRESENT] = score[_BEST]
            replace_edges(space, backup, retries.best)
        place[_CLIMB] = _BEGINNING
        place[_EDGE] += 1
    place[_ENDED] = NONE_LEFT


@kernel(
    "UniTuple(int64, 2)(int64[::1], Filling, Workspace, uint64[:, :, ::1], Retries, int64)",
)
def _retry_scoring(board, filling, space, backup, retries, code):  # type: ignore[no-untyped-def]
    """Do the same, and compute gains that are missing; ``code`` is the address of :func:`_retry`.

    The memory's lock is held. If gains are still missing, the tally says why. Returns what ended
    it, and how many operators were applied.
    """
    n_left = MOST_AT_ONCE // filling.score.columns.codes.shape[1]
    while True:
        call_kernel(_retry, code, (space, backup, retries))
        if retries.place[_ENDED] != GAINS_MISSING:
            return retries.place[_ENDED], retries.place[_N_STEPS]
        args = (board, filling, space.memory, space.requests)
        call_kernel(fill_scored, filling.code, args)
        if filling.tally[N_LATEST] < 0:
            return GAINS_MISSING, retries.place[_N_STEPS]
        n_left -= filling.tally[N_LATEST]
        if n_left <= 0:
            return OUT_OF_CHANCES, retries.place[_N_STEPS]


RETRYING = _retry, _retry_scoring


def _retry_plainly(
    space: Workspace, backup: WordArray, retries: Retries, _code: int
) -> tuple[int, int]:
    """Do the same without computing gains; gains that miss end it."""
    _retry(space, backup, retries)
    return int(retries.place[_ENDED]), int(retries.place[_N_STEPS])


def retry_around_edges(
    state: SearchState, climbs: tuple[tuple[Priority, float], ...], *, at_once: int = _AT_ONCE
) -> None:
    """Take away all edges at both ends of each edge in turn, and climb as is said.

    Where an attempt gains nothing, or is cancelled, the search returns to where it was. So many
    attempts are made before anybody looks at the clock. Priorities name all kinds of operators.
    """
    state.list_kinds(climbs[0][0])
    saved = state.saved()
    retries = Retries(
        ends=state.generator.permutation(np.array(state.edges(), dtype=np.int64).reshape(-1, 2)),
        priorities=np.array([priority for priority, _ in climbs], dtype=np.int64),
        k=np.array([k for _, k in climbs]),
        place=np.array([0, _BEGINNING, N_CHANCES, 0, 0, 0], dtype=np.int64),
        score=np.full(2, saved.score),
        best=saved.edges,
        chances=np.empty(N_CHANCES),
        draws=draws_of(state.generator),
        enough=state.search.tolerance,
    )
    n_before, ended = state.n_steps, OUT_OF_CHANCES
    try:
        while ended != NONE_LEFT:
            retries.place[_LEFT] = at_once
            ended, n_steps = state.called(_retry_plainly, _retry_scoring, retries, _retry.address)
            state.n_steps = n_before + n_steps
            state.provide(ended)
    finally:
        state.score, best = retries.score.tolist()
        if state.score <= best + retries.enough:
            state.return_to(saved._replace(score=best))
