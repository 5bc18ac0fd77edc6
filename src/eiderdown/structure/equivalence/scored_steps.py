"""Step after step from class to class, with the gains that a discrete score tells on the way.

Between two steps some gains are missing nearly always. Where the score has kernels, they are
computed in the same call, which Python begins for many steps: it is asked for room, for the terms
of families of new shapes, and to look at the clock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np

from eiderdown.arrays import FloatArray, IntArray, WordArray
from eiderdown.kernel_addresses import call_kernel
from eiderdown.kernels import Patience, kernel
from eiderdown.scores.compiled import CompiledScore
from eiderdown.scores.families import TOO_MANY, look_up
from eiderdown.scores.kernels import score_sweeps
from eiderdown.structure.equivalence.filling import (
    GainRows,
    find_lacking,
    keep,
)
from eiderdown.structure.equivalence.listing import GAINS_MISSING, Workspace
from eiderdown.structure.equivalence.steps import OUT_OF_CHANCES, advance, has_few_nodes
from eiderdown.work_sharing import waiting_threads

if TYPE_CHECKING:
    from eiderdown.scores.compiled import KernelScore
    from eiderdown.structure.equivalence.gain_table import GainTable

N_SCORED, N_SWEEPS, MISSING = range(3)
"""Of a tally: how many families were scored, in how many sweeps; how many of these have a family
that is new, or what else is missing."""

_ROOM = TOO_MANY - 1
_MOST_AT_ONCE = 30_000_000  # rows of families to score, between looks at the clock


class Filling(NamedTuple):
    """What gains are computed with, and written to."""

    code: int  # the address of ``score_sweeps``, which is so compiled once
    score: CompiledScore
    rows: GainRows
    tally: Annotated[IntArray, "int64[::1]"]


@kernel("int64(int64[::1], Filling, Workspace)")
def _fill(board, filling, space):  # type: ignore[no-untyped-def]
    """Compute gains that are missing; return how many families were scored, -1 if that failed."""
    memory, requests, score, tally = space.memory, space.requests, filling.score, filling.tally
    if filling.rows.n[0] + requests.n[0] > memory.gains.shape[0]:
        tally[MISSING] = _ROOM
        return -1
    lacking = find_lacking(memory, requests, filling.rows)
    sweeps, n = lacking.sweeps, lacking.sweeps.candidates.shape[0]
    rows, scores = np.empty((n, 2), np.int64), np.empty(n)
    new, sums = np.empty(sweeps.children.shape[0], np.int64), np.empty((n, 2), np.int64)
    n_functions, n_categories = score.terms.table.shape[0], score.columns.n_categories
    needed = (rows, scores, new)  # at first the prices
    tally[MISSING] = look_up(score.families, n_functions, n_categories, sweeps, needed)
    if tally[MISSING] != 0:
        return -1
    if n > 0:
        args = (board, score.columns, score.terms, sweeps, rows, sums)
        call_kernel(score_sweeps, filling.code, args)
    for b in range(n):
        scores[b] = sums[b, 0] / score.terms.scale - scores[b]
    keep(memory, requests, filling.rows, lacking, scores)
    tally[N_SCORED] += n
    tally[N_SWEEPS] += sweeps.children.shape[0]
    return n


@kernel(
    "Tuple((int64, int64, int64, float64))"
    "(int64[::1], Filling, Workspace, uint64[:, :, ::1], const(int64[::1]), none,"
    " const(float64[::1]))",
    "Tuple((int64, int64, int64, float64))"
    "(int64[::1], Filling, Workspace, uint64[:, :, ::1], const(int64[::1]), float64,"
    " const(float64[::1]))",
)
def advance_scoring(board, filling, space, backup, priority, k, chances):  # type: ignore[no-untyped-def]
    """Apply operators as :func:`advance` does, and compute gains that are missing.

    The memory's lock is held. If gains are still missing, the tally says why.
    """
    n_steps, last, gained = 0, -1, 0.0
    n_left = _MOST_AT_ONCE // filling.score.columns.codes.shape[1]
    while True:
        state, n_more, latest, more = advance(space, backup, priority, k, chances[n_steps:])
        gained += more
        n_steps += n_more
        last = latest if n_more > 0 else last
        if state != GAINS_MISSING:
            return state, n_steps, last, gained
        n_scored = _fill(board, filling, space)
        if n_scored < 0:
            return GAINS_MISSING, n_steps, last, gained
        n_left -= n_scored
        if n_left <= 0:
            return OUT_OF_CHANCES, n_steps, last, gained


IN_PYTHON = Patience(advance_scoring)
"""For steps that Python takes where there are few nodes."""


def scoring_kernel(gains: GainTable, space: Workspace) -> KernelScore | None:
    """Return the score for :func:`scored_steps`; None if nothing is to be compiled for it."""
    score = gains.kernel_score
    if (
        score is None
        or not score_sweeps.is_ready
        or (has_few_nodes(space) and not IN_PYTHON.is_over)
    ):
        return None
    return score if score_sweeps.address else None


def scored_steps(
    gains: GainTable,
    score: KernelScore,
    space: Workspace,
    backup: WordArray,
    how: tuple[IntArray, float | None, FloatArray],
) -> tuple[int, int, int, float]:
    """Apply operators, as :func:`advance` does by how; whoever calls it holds the memory's lock."""
    filling = Filling(score_sweeps.address, score.record, gains.rows, np.zeros(3, dtype=np.int64))
    space = space._replace(memory=gains.memory)
    with waiting_threads(score.n_jobs, score_sweeps) as board:
        state, n_steps, last, gained = advance_scoring(board, filling, space, backup, *how)
    n_scored, n_sweeps, missing = filling.tally.tolist()
    gains.recount(n_scored, n_sweeps)
    if state == GAINS_MISSING and missing != TOO_MANY:
        if missing == _ROOM:
            gains.make_room(int(space.requests.n[0]))
        else:
            _learn(gains, score, space)
        state = OUT_OF_CHANCES
    return state, n_steps, last, gained


def _learn(gains: GainTable, score: KernelScore, space: Workspace) -> None:
    """Tell kernels what the families that are asked for need."""
    columns = gains.rows.columns
    for child, parents, _ in space.requests.listed():
        score.learn(int(columns[child]), columns[list(parents)].tolist())
