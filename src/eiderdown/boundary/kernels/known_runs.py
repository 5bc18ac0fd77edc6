"""Runs of KIAMB along steps that are known, from seeds to boundaries in one compiled call."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from eiderdown.arrays import ByteArray, IntArray, WordArray
from eiderdown.boundary.kernels.seeded_draws import least_of_some, seed_generator
from eiderdown.kernels import kernel

N_CHOICES, N_DRAWN, FIRST_CHOICE, N_GROWING, SHRUNK, N_SHRINKING, BOUNDARY, N_FIELDS = range(8)
"""Of a set of members: how many candidates are dependent given it, and of how many of them, drawn
at random, the strongest comes in; where they stand; how many tests were asked for; which set is
left if the first redundant member goes, itself if there is none; how many tests that took; and the
number of the boundary that it is."""

STRENGTH, NEXT, N_CHOICE_FIELDS = range(3)
"""Of a choice: the place by strength of the candidate at this place by name, and the set that there
is when the candidate at this place by strength has come in."""

END, ASKED, N_END_FIELDS = range(3)
"""Of a run: its boundary, and how many tests it asked for. Of one that was given up: the set where
something is unknown, and what."""

UNKNOWN = -1
ROUNDS, GROWING, SHRINKING, ENDING = -4, -3, -2, -1
"""What is unknown, unless it is the set after a choice, whose place by strength is said: whether
there is another round, what a step gives, or which boundary it is."""


class SetTable(NamedTuple):
    """What follows from sets of members, one row for each."""

    sets: Annotated[IntArray, "int64[:, ::1]"]
    choices: Annotated[IntArray, "int64[:, ::1]"]


class RunRoom(NamedTuple):
    """What one run after the other uses."""

    generator: Annotated[WordArray, "uint64[::1]"]
    pool: Annotated[WordArray, "uint64[::1]"]
    is_drawn: Annotated[ByteArray, "uint8[::1]"]
    rounds: Annotated[IntArray, "int64[::1]"]  # with which sets they began


@kernel("int64(SetTable, RunRoom, const(int64[::1]), int64, int64[:, ::1])")
def make_runs(known, room, seeds, start, ends):
    """Make runs up to the first that needs what is unknown; return how many, and how they ended."""
    for run in range(seeds.shape[0]):
        seed_generator(room.generator, np.uint64(seeds[run]), room.pool)
        if not _make_run(known, room, start, ends[run]):
            return run
    return seeds.shape[0]


@kernel("boolean(SetTable, RunRoom, int64, int64[::1])", inner=True)
def _make_run(known, room, start, end):
    """Grow and shrink until a set returns; return False, with what is unknown, if anything is."""
    sets, here, n_rounds, n_asked = known.sets, start, 0, 0
    while not _has_begun_with(room.rounds, n_rounds, here):
        if n_rounds == room.rounds.shape[0]:
            return _given_up(end, here, ROUNDS)
        room.rounds[n_rounds] = here
        n_rounds += 1
        while sets[here, N_CHOICES] > 0:
            n_asked += sets[here, N_GROWING]
            first = sets[here, FIRST_CHOICE]
            n, n_drawn = sets[here, N_CHOICES], sets[here, N_DRAWN]
            best = least_of_some(room.generator, known.choices, first, n, n_drawn, room.is_drawn)
            after = known.choices[first + best, NEXT]
            if after == UNKNOWN:
                return _given_up(end, here, best)
            here = after
        if sets[here, N_CHOICES] == UNKNOWN:
            return _given_up(end, here, GROWING)
        n_asked += sets[here, N_GROWING]
        while True:
            after = sets[here, SHRUNK]
            if after == UNKNOWN:
                return _given_up(end, here, SHRINKING)
            n_asked += sets[here, N_SHRINKING]
            if after == here:
                break
            here = after
    if sets[here, BOUNDARY] == UNKNOWN:
        return _given_up(end, here, ENDING)
    end[END], end[ASKED] = sets[here, BOUNDARY], n_asked
    return True


@kernel("boolean(int64[::1], int64, int64)", inner=True)
def _has_begun_with(rounds, n_rounds, members):
    for k in range(n_rounds):  # noqa: SIM110  scalar loops compile quickly
        if rounds[k] == members:
            return True
    return False


@kernel("boolean(int64[::1], int64, int64)", inner=True)
def _given_up(end, members, what):
    end[END], end[ASKED] = members, what
    return False
