"""Gains that are missing, computed by a discrete score's kernels in one compiled call.

Kernels that make steps call :func:`fill_scored` at its address whenever they miss gains, so that it
is compiled once, whoever calls it. Python is asked for room, and for the terms of families of new
shapes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.kernel_addresses import call_kernel
from eiderdown.kernels import kernel
from eiderdown.scores.compiled import CompiledScore
from eiderdown.scores.families import TOO_MANY, look_up
from eiderdown.scores.kernels import score_sweeps
from eiderdown.structure.equivalence.filling import GainRows, find_lacking, keep
from eiderdown.structure.equivalence.gain_memory import GainMemory, Requests  # noqa: F401

if TYPE_CHECKING:
    from eiderdown.scores.compiled import KernelScore
    from eiderdown.structure.equivalence.gain_table import GainTable

N_SCORED, N_SWEEPS, MISSING, N_LATEST = range(4)
"""Of a tally: how many families were scored, in how many sweeps; how many of these have a family
that is new, or what else is missing; how many families were scored by the last call, -1 for none
because something is missing."""

_ROOM = TOO_MANY - 1


class Filling(NamedTuple):
    """What gains are computed with, and written to."""

    code: int  # the address of ``fill_scored``, and of ``score_sweeps``: they are compiled once
    code_of_scores: int
    score: CompiledScore
    rows: GainRows
    tally: Annotated[IntArray, "int64[::1]"]

    @classmethod
    def of(cls, gains: GainTable, score: KernelScore) -> Filling:
        """Begin with all families so far; whoever uses it holds the memory's lock."""
        tally = np.zeros(4, dtype=np.int64)
        return cls(fill_scored.address, score_sweeps.address, score.record, gains.rows, tally)


@kernel("void(int64[::1], Filling, GainMemory, Requests)")
def fill_scored(board, filling, memory, requests):  # type: ignore[no-untyped-def]
    """Compute gains that are missing; the tally says how many, or what that would take."""
    score, tally = filling.score, filling.tally
    tally[N_LATEST] = -1
    if filling.rows.n[0] + requests.n[0] > memory.gains.shape[0]:
        tally[MISSING] = _ROOM
        return
    lacking = find_lacking(memory, requests, filling.rows)
    sweeps, n = lacking.sweeps, lacking.sweeps.candidates.shape[0]
    rows, scores = np.empty((n, 2), np.int64), np.empty(n)
    new, sums = np.empty(sweeps.children.shape[0], np.int64), np.empty((n, 2), np.int64)
    n_functions, n_categories = score.terms.table.shape[0], score.columns.n_categories
    needed = (rows, scores, new)  # at first the prices
    tally[MISSING] = look_up(score.families, n_functions, n_categories, sweeps, needed)
    if tally[MISSING] != 0:
        return
    if n > 0:
        args = (board, score.columns, score.terms, sweeps, rows, sums)
        call_kernel(score_sweeps, filling.code_of_scores, args)
    for b in range(n):
        scores[b] = sums[b, 0] / score.terms.scale - scores[b]
    keep(memory, requests, filling.rows, lacking, scores)
    tally[N_SCORED] += n
    tally[N_SWEEPS] += sweeps.children.shape[0]
    tally[N_LATEST] = n


def provide(gains: GainTable, score: KernelScore, filling: Filling, requests: Requests) -> bool:
    """Count what was computed, and provide what else was missing; False if nobody can."""
    n_scored, n_sweeps, missing, _ = filling.tally.tolist()
    gains.recount(n_scored, n_sweeps)
    if missing == TOO_MANY:
        return False
    if missing == _ROOM:
        gains.make_room(int(requests.n[0]))
    elif missing != 0:
        columns = gains.rows.columns
        for child, parents, _ in requests.listed():
            score.learn(int(columns[child]), columns[list(parents)].tolist())
    return True
