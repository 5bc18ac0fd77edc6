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
from eiderdown.structure.equivalence.filling import GainRows, find_lacking, keep, take_over
from eiderdown.structure.equivalence.gain_memory import (
    MOST_REQUESTS,
    GainMemory,
    Requests,
)
from eiderdown.structure.equivalence.request_log import (
    RequestLog,
    note_requests,
    requests_of_call,
)
from eiderdown.work_sharing import waiting_threads

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
    other: GainMemory  # of another thread, which is asked first
    log: RequestLog
    tally: Annotated[IntArray, "int64[::1]"]

    @classmethod
    def of(cls, gains: GainTable, score: KernelScore) -> Filling:
        """Begin with all families so far; whoever uses it holds the memory's lock."""
        tally = np.zeros(4, dtype=np.int64)
        codes = fill_scored.address, score_sweeps.address
        return cls(*codes, score.record, gains.rows, gains.other_memory, gains.log, tally)


@kernel("void(int64[::1], Filling, GainMemory, Requests)")
def fill_scored(board, filling, memory, requests):  # type: ignore[no-untyped-def]
    """Compute gains that are missing; the tally says how many, or what that would take."""
    score, tally = filling.score, filling.tally
    tally[N_LATEST] = -1
    if filling.rows.n[0] + requests.n[0] > memory.gains.shape[0]:
        tally[MISSING] = _ROOM
        return
    note_requests(filling.log, requests)
    lacking = find_lacking(memory, requests, filling.rows)
    sweeps, n = lacking.sweeps, lacking.sweeps.candidates.shape[0]
    n_scored, n_sweeps = n, sweeps.children.shape[0]
    rows, scores = np.empty((n, 2), np.int64), np.empty(n)
    new, sums = np.empty(n_sweeps, np.int64), np.empty((n, 2), np.int64)
    n_functions, n_categories = score.terms.table.shape[0], score.columns.n_categories
    needed = (rows, scores, new)  # at first the prices
    tally[MISSING] = look_up(score.families, n_functions, n_categories, sweeps, needed)
    if tally[MISSING] != 0:
        return
    if filling.other.gains.shape[0] > 0:
        lacking = take_over(memory, requests, filling.rows, lacking, filling.other)
        sweeps, n = lacking.sweeps, lacking.sweeps.candidates.shape[0]
        look_up(score.families, n_functions, n_categories, sweeps, needed)
    if n > 0:
        args = (board, score.columns, score.terms, sweeps, rows[:n], sums[:n])
        call_kernel(score_sweeps, filling.code_of_scores, args)
    for b in range(n):
        scores[b] = sums[b, 0] / score.terms.scale - scores[b]
    keep(memory, requests, filling.rows, lacking, scores)
    tally[N_SCORED] += n_scored
    tally[N_SWEEPS] += n_sweeps
    tally[N_LATEST] = n


@kernel("int64(int64[::1], Filling, GainMemory, Requests, RequestLog, UniTuple(int64, 2))")
def _ask_again(board, filling, memory, requests, log, part):  # type: ignore[no-untyped-def]
    """Ask for what a part of a log says and a memory lacks; return how far that came.

    -1 if that cannot be told.
    """
    i, end = part
    while i < end:
        possible = filling.rows.possible
        following = requests_of_call(log, (i, end), memory, possible, requests)
        if following < 0:
            return -1
        if requests.n[0] > 0:
            call_kernel(fill_scored, filling.code, (board, filling, memory, requests))
            if filling.tally[N_LATEST] < 0:
                return i
        i = following
    return i


def retell(gains: GainTable, score: KernelScore, log: RequestLog, part: tuple[int, int]) -> bool:
    """Ask a score what a search asked that went ahead; False if that cannot be told to its end.

    Gains and counts are then as if the search had been done with this memory.
    """
    requests = Requests.none(len(gains.rows.columns), MOST_REQUESTS)
    i, end = part
    with gains.lock:
        while i < end:
            filling = Filling.of(gains, score)
            with waiting_threads(score.n_jobs - gains.n_beside, score_sweeps) as board:
                i = _ask_again(board, filling, gains.memory, requests, log, (i, end))
            if not provide(gains, score, filling, requests) or i < 0:
                return False
    return True


def fill_by_kernel(gains: GainTable, score: KernelScore, requests: Requests) -> bool:
    """Compute gains that are missing; False if kernels cannot. The memory's lock is held."""
    while True:
        filling = Filling.of(gains, score)
        with waiting_threads(score.n_jobs - gains.n_beside, score_sweeps) as board:
            fill_scored(board, filling, gains.memory, requests)
        if not provide(gains, score, filling, requests):
            return False
        if filling.tally[N_LATEST] >= 0:
            return True


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
