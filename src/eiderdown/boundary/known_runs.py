"""Runs of KIAMB that come by known steps only, and end at boundaries that were found before.

1,000 runs on Alarm come by a few dozen sets of members. What a run does at each of them is known
from the first that came by (:mod:`eiderdown.boundary.known_steps`), but for its random choices. So
most runs are made by one compiled call for all of them, which draws what NumPy would draw
(:mod:`eiderdown.boundary.kernels.known_runs`). A run that needs a step that nobody has made is
given back, to be made by the search itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Generic, TypeVar

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.boundary.kernels.known_runs import (
    ASKED,
    BOUNDARY,
    END,
    ENDING,
    FIRST_CHOICE,
    GROWING,
    N_CHOICE_FIELDS,
    N_CHOICES,
    N_DRAWN,
    N_END_FIELDS,
    N_FIELDS,
    N_GROWING,
    N_SHRINKING,
    NEXT,
    ROUNDS,
    SHRINKING,
    SHRUNK,
    STRENGTH,
    UNKNOWN,
    RunRoom,
    SetTable,
    make_runs,
)
from eiderdown.boundary.kernels.seeded_draws import N_POOL, N_WORDS
from eiderdown.boundary.problem import TestProblem
from eiderdown.independence.shortlist import n_of_share

MOST_AT_ONCE = 256
"""Runs of one compiled call: a millisecond, after which somebody may want no more."""

_WORTH_COMPILING = 1_000  # runs, if the kernel is not there yet
_MOST_ROUNDS = 64  # of a run; there are hardly ever more than three

_Boundary = TypeVar("_Boundary")
Ended = list[tuple[_Boundary, int]]
"""The boundaries of some runs, and how many tests each has asked for."""


class KnownRuns(Generic[_Boundary]):
    """Runs that need no search.

    Parameters
    ----------
    problem : TestProblem
        What is searched, with the steps that are known.
    fraction : float
        KIAMB's K.
    boundaries : mapping
        What was found, by the members; it grows while somebody searches.
    """

    def __init__(
        self, problem: TestProblem, fraction: float, boundaries: Mapping[frozenset[int], _Boundary]
    ) -> None:
        assert problem.steps is not None
        self._problem, self._steps, self._fraction = problem, problem.steps, fraction
        self._found, self._boundaries = boundaries, list[_Boundary]()
        self._room = _room_for(problem.test.n_variables)
        self._table = SetTable(*(np.empty((0, n), np.int64) for n in (N_FIELDS, N_CHOICE_FIELDS)))
        self._n_choices, self._numbers = 0, dict[frozenset[int], int]()
        self._members: list[frozenset[int]] = []
        self._start = self._number_of(frozenset(problem.required))

    @staticmethod
    def pay(n_runs: int) -> bool:
        """Whether so many runs are worth what it takes to compile them."""
        return (make_runs.is_ready or n_runs >= _WORTH_COMPILING) and _draws_as_numpy()

    def made(self, seeds: IntArray) -> Ended[_Boundary]:
        """Make runs up to the first that needs something unknown."""
        ends, n = np.empty((len(seeds), N_END_FIELDS), dtype=np.int64), 0
        while n < len(seeds):
            n += make_runs(self._table, self._room, seeds[n:], self._start, ends[n:])
            if n < len(seeds) and not self._learn(int(ends[n, END]), int(ends[n, ASKED])):
                break
        n_first = len(self._problem.required)  # tests of these, which every run asks for
        boundaries = self._boundaries
        return [(boundaries[end], n_first + n_asked) for end, n_asked in ends[:n].tolist()]

    def _learn(self, here: int, what: int) -> bool:
        """Note what a run has lacked; return False if it is unknown to all."""
        if what == GROWING:
            return self._learn_growing(here)
        if what == SHRINKING:
            return self._learn_shrinking(here)
        if what == ENDING:
            return self._learn_ending(here)
        return what != ROUNDS and self._learn_choice(here, what)

    def _learn_growing(self, here: int) -> bool:
        members, fields = self._members[here], self._table.sets[here]
        if not self._problem.allows(len(members)):
            fields[N_CHOICES] = fields[N_GROWING] = 0
            return True
        known = self._steps.known(self._key("growing", members))
        if known is None:
            return False
        step, fields[N_GROWING] = known
        strength = step.dependent.strength
        n, first = len(strength), self._n_choices
        fields[N_CHOICES], fields[FIRST_CHOICE] = n, first
        fields[N_DRAWN] = n_of_share(n, self._fraction)
        self._n_choices += n
        choices = _with_room_for(self._table.choices, self._n_choices)
        choices[first : first + n, STRENGTH] = strength
        choices[first : first + n, NEXT] = UNKNOWN
        self._table = self._table._replace(choices=choices)
        return True

    def _learn_choice(self, here: int, place: int) -> bool:
        members = self._members[here]
        known = self._steps.known(self._key("growing", members))
        if known is None:
            return False
        after = self._number_of(members | {known[0].dependent.variable(place)})
        self._table.choices[self._table.sets[here, FIRST_CHOICE] + place, NEXT] = after
        return True

    def _learn_shrinking(self, here: int) -> bool:
        members, after, n_asked = self._members[here], here, 0
        if members and self._problem.allows(len(members) - 1):
            known = self._steps.known(self._key("shrinking", members))
            if known is None:
                return False
            step, n_asked = known
            if step.redundant is not None:
                after = self._number_of(members - {step.redundant.x})
        self._table.sets[here, SHRUNK], self._table.sets[here, N_SHRINKING] = after, n_asked
        return True

    def _learn_ending(self, here: int) -> bool:
        members = self._members[here]
        if members not in self._found:
            return False
        self._table.sets[here, BOUNDARY] = len(self._boundaries)
        self._boundaries.append(self._found[members])
        return True

    def _key(self, what: str, members: frozenset[int]) -> tuple[str, float, frozenset[int]]:
        return what, self._problem.alpha, members

    def _number_of(self, members: frozenset[int]) -> int:
        """Return the row of a set, a new one if it has none."""
        number = self._numbers.setdefault(members, len(self._members))
        if number == len(self._members):
            self._members.append(members)
            self._table = self._table._replace(sets=_with_room_for(self._table.sets, number + 1))
            self._table.sets[number] = UNKNOWN
        return number


def _with_room_for(rows: IntArray, n: int) -> IntArray:
    """Return the rows, or, if there are not so many, as many again and more."""
    if n <= len(rows):
        return rows
    larger = np.empty((2 * n + 64, rows.shape[1]), dtype=np.int64)
    larger[: len(rows)] = rows
    return larger


def _room_for(n_variables: int) -> RunRoom:
    return RunRoom(
        np.empty(N_WORDS, dtype=np.uint64),
        np.empty(N_POOL, dtype=np.uint64),
        np.zeros(n_variables, dtype=np.uint8),
        np.empty(_MOST_ROUNDS, dtype=np.int64),
    )


@cache
def _draws_as_numpy() -> bool:
    """Whether NumPy draws as the kernel does; it does not promise that it always will."""
    seeds, n, n_drawn, n_ends = np.arange(8), 37, 29, 1_000
    sets = np.zeros((2 + n_ends, N_FIELDS), dtype=np.int64)
    sets[:, SHRUNK] = sets[:, BOUNDARY] = np.arange(len(sets))
    sets[:2, N_CHOICES], sets[:2, N_DRAWN], sets[:2, FIRST_CHOICE] = (
        (n, n_ends),
        (n_drawn, 2),
        (0, n),
    )
    choices = np.ones((n + n_ends, N_CHOICE_FIELDS), dtype=np.int64)
    choices[:, STRENGTH] = [*range(n), *range(n_ends)]
    choices[n:, NEXT] = np.arange(2, len(sets))
    ends = np.empty((len(seeds), N_END_FIELDS), dtype=np.int64)
    n_made = make_runs(SetTable(sets, choices), _room_for(n_ends), seeds, 0, ends)

    def end(seed: int) -> int:
        generator = np.random.default_rng(seed)
        generator.choice(n, n_drawn, replace=False)
        return 2 + int(generator.choice(n_ends, 2, replace=False).min())

    drawn: list[int] = ends[:n_made, END].tolist()
    return drawn == list(map(end, seeds.tolist()))
