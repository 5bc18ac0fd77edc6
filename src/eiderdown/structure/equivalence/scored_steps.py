"""Step after step from class to class, with the gains that a discrete score tells on the way.

Between two steps some gains are missing nearly always. Where the score has kernels, they are
computed in the same call, which Python begins for many steps: it is asked for room, for the terms
of families of new shapes, and to look at the clock.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from eiderdown.arrays import FloatArray, IntArray, WordArray
from eiderdown.kernel_addresses import call_kernel
from eiderdown.kernels import Patience, kernel
from eiderdown.scores.kernels import score_sweeps
from eiderdown.structure.equivalence.listing import GAINS_MISSING, Workspace
from eiderdown.structure.equivalence.scored_filling import (
    N_LATEST,
    Filling,
    fill_scored,
    provide,
)
from eiderdown.structure.equivalence.steps import OUT_OF_CHANCES, advance, has_few_nodes
from eiderdown.work_sharing import waiting_threads

if TYPE_CHECKING:
    from eiderdown.scores.compiled import KernelScore
    from eiderdown.structure.equivalence.gain_table import GainTable

MOST_AT_ONCE = 30_000_000  # rows of families to score, between looks at the clock


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
    n_left = MOST_AT_ONCE // filling.score.columns.codes.shape[1]
    while True:
        state, n_more, latest, more = advance(space, backup, priority, k, chances[n_steps:])
        gained += more
        n_steps += n_more
        last = latest if n_more > 0 else last
        if state != GAINS_MISSING:
            return state, n_steps, last, gained
        args = (board, filling, space.memory, space.requests)
        call_kernel(fill_scored, filling.code, args)
        if filling.tally[N_LATEST] < 0:
            return GAINS_MISSING, n_steps, last, gained
        n_left -= filling.tally[N_LATEST]
        if n_left <= 0:
            return OUT_OF_CHANCES, n_steps, last, gained


IN_PYTHON = Patience(advance_scoring)
"""For steps that Python takes where there are few nodes."""


def scoring_kernel(gains: GainTable, space: Workspace) -> KernelScore | None:
    """Return the score for :func:`scored`; None if nothing is to be compiled for it."""
    score = gains.kernel_score
    if (
        score is None
        or not score_sweeps.is_ready
        or (has_few_nodes(space) and not IN_PYTHON.is_over)
    ):
        return None
    return score if score_sweeps.address and fill_scored.address else None


def plain_steps(
    space: Workspace, backup: WordArray, *how: *tuple[IntArray, float | None, FloatArray]
) -> tuple[int, int, int, float]:
    """Apply operators as :func:`advance` does, perhaps in Python; gains that miss end it."""
    with IN_PYTHON.measured():
        ended: tuple[int, int, int, float] = advance(space, backup, *how)
    return ended


def scored(
    kernel: Callable[..., tuple[Any, ...]],
    gains: GainTable,
    score: KernelScore,
    space: Workspace,
    *args: object,
) -> tuple[Any, ...]:
    """Call a kernel that computes gains, too; whoever does so holds the memory's lock.

    What it returns begins with what ended it.
    """
    filling = Filling.of(gains, score)
    space = space._replace(memory=gains.memory)
    with waiting_threads(score.n_jobs - gains.n_beside, score_sweeps) as board:
        state, *others = kernel(board, filling, space, *args)
    if provide(gains, score, filling, space.requests) and state == GAINS_MISSING:
        state = OUT_OF_CHANCES
    return state, *others
