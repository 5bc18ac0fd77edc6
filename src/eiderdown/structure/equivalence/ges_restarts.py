"""GES with restarts, which is ours: other starts, turned edges, and edges undone.

The starts are short runs of KES; undoing edges is after A. Nazaret & D. Blei, "Extremely greedy
equivalence search" (UAI 2024). The best classes are improved in rounds. The random numbers of a
round follow from the class where it begins, so that where it ends does, too: classes from which the
same one is reached go on as one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b

import numpy as np

from eiderdown.progress import Cancelled, Trace
from eiderdown.structure.equivalence.ges import (
    ANY_OPERATOR,
    DELETES_TURNS_INSERTS,
    GES,
    START_K,
    two_phases,
)
from eiderdown.structure.equivalence.retries import retry_around_edges
from eiderdown.structure.equivalence.rounds_ahead import (
    Ahead,
    Begin,
    Done,
    Place,
    nobody_ahead,
    rounds_ahead,
)
from eiderdown.structure.equivalence.search import (
    EquivalenceFound,
    EquivalenceSearch,
    Saved,
    SearchState,
)
from eiderdown.structure.problem import StructureFound, StructureProblem

_START, _CLIMB, _AROUND_EDGES, _WITHOUT_EDGES = "start", "climb", "around edges", "without edges"
_ONCE_MORE = "around edges once more"
_CLIMBS = (ANY_OPERATOR, 0.8), (DELETES_TURNS_INSERTS, 1.0)  # around an edge; first KES
_MOST_STARTS, _STARTS_TIMES_NODES = 30, 1_000  # fewer starts where each takes long
_STARTS_PER_KEPT = 6
_FIRST_SHARE = 0.45  # of the starts, while another thread does the rest, which is told again

_AFTER = {_AROUND_EDGES: _WITHOUT_EDGES, _WITHOUT_EDGES: _ONCE_MORE, _ONCE_MORE: None}
"""What comes after a round that brought nothing."""


class _Rounds:
    """Does starts and rounds until nothing comes next, and none twice."""

    def __init__(self, search: EquivalenceSearch, trace: Trace | None, n_steps: int) -> None:
        self._search, self.trace = search, trace or Trace()
        self._ends: dict[bytes, Place] = {}  # of rounds, by where they began
        self.n_steps, self.complete = n_steps, True

    def end_of(self, place: Place, ahead: Ahead = nobody_ahead) -> Place:
        """Go on from a place until nothing comes next, or the search is cancelled.

        What another thread has done ahead is taken over.
        """
        while place.step is not None and self.complete:
            if place.key not in self._ends:
                self._ends[place.key] = self._go(place, ahead)
            place = self._ends[place.key]
        return place

    def ends_of(self, places: Sequence[Place], begin: Begin, first: int) -> list[Place]:
        """Go on from places, one after the other; another thread goes ahead from one of them on."""
        aheads = begin(places, first)
        return [self.end_of(place, ahead) for place, ahead in zip(places, aheads, strict=True)]

    def _go(self, place: Place, ahead: Ahead = nobody_ahead) -> Place:
        """Do a start or a round, unless that was done."""
        done = None
        try:
            done = ahead(place, self.trace, self.n_steps)
            if done is not None:
                self.trace.progressed("searching", self.n_steps + done.n_steps)
        except Cancelled:
            stays = Done(place._replace(step=None), 0, complete=False)
            done = stays if done is None else done._replace(complete=False)
        if done is None:
            done = _do(self._search, place, self.trace, self.n_steps)
        self.n_steps += done.n_steps
        self.complete = done.complete
        return done.end


def _do(search: EquivalenceSearch, place: Place, trace: Trace, n_before: int = 0) -> Done:
    """Do a start or a round; where it is cancelled it tells how far it came."""
    chance = int.from_bytes(blake2b(place.key, digest_size=8).digest(), "little")
    state = SearchState(search, np.random.default_rng(chance), trace)
    state.return_to(Saved(place.edges, place.score))
    state.take_first_dag()  # of the class, wherever it was reached
    state.n_steps, step, complete = n_before, None, True
    try:
        step = None if place.step is None else _done(state, place.step)
    except Cancelled:
        complete = False
    end = Place(step, *state.saved(), place.seed)
    return Done(end, state.n_steps - n_before, complete)


def _done(state: SearchState, step: str) -> str | None:
    """Do what is to come next, and return what comes then."""
    if step == _START:
        state.climb(ANY_OPERATOR, k=START_K)
        return None
    if step == _CLIMB:
        state.climb(DELETES_TURNS_INSERTS)
        return _AROUND_EDGES
    retry = _retry_without_edges if step == _WITHOUT_EDGES else _retry_around_edges
    return _AROUND_EDGES if retry(state) else _AFTER[step]


def run_ges_restarts(
    search: EquivalenceSearch,
    *,
    generator: np.random.Generator | None = None,
    trace: Trace | None = None,
) -> EquivalenceFound:
    """Run GES, and then look for ways out of its optimum and of others."""
    generator = generator or np.random.default_rng(0)
    first = SearchState(search, generator, trace)
    empty = first.saved()
    try:
        # 1. The two phases of GES.
        two_phases(first, k=1.0)
    except Cancelled:
        return first.found(complete=False)
    n_starts = min(_MOST_STARTS, _STARTS_TIMES_NODES // first.n_nodes)
    n_kept = max(1, n_starts // _STARTS_PER_KEPT)
    seed, *seeds = generator.integers(2**63, size=1 + n_starts).tolist()
    rounds = _Rounds(search, trace, first.n_steps)
    # 2. Other starts: climb from the empty graph with chance, Turns included.
    reached = [Place(None, *first.saved(), seed)]
    with rounds_ahead(search, _do, rounds.trace) as begin:
        starts = [Place(_START, *empty, own) for own in seeds]
        reached += rounds.ends_of(starts, begin, int(_FIRST_SHARE * n_starts))
        # 3. From the best of these: undo and climb again, until nothing helps.
        best = sorted(reached, key=lambda place: -place.score)[:n_kept]
        best = [place._replace(step=_CLIMB, seed=seed) for place in best]
        reached += rounds.ends_of(best, begin, 1)
    found = max(reached, key=lambda place: place.score)
    first.return_to(Saved(found.edges, found.score))
    first.n_steps = rounds.n_steps
    return first.found(complete=rounds.complete)


def _retry_around_edges(state: SearchState) -> bool:
    """Take away all edges at both ends of each edge in turn, and climb, first with chance."""
    start = state.score
    if state.is_checked:
        _retry_one_by_one(state)
    else:
        retry_around_edges(state, _CLIMBS)
    return state.score > start


def _retry_one_by_one(state: SearchState) -> None:
    """Do the same in more calls, with a look at each step."""
    for a, b in state.generator.permutation(state.edges()).tolist():
        with _attempt(state):
            state.remove_edges_at(a, b)
            for priority, k in _CLIMBS:
                state.climb(priority, k=k)


def _retry_without_edges(state: SearchState) -> bool:
    """Delete each edge in turn, in every way, forbid it, and climb, until that leads nowhere.

    Nazaret and Blei: an edge that came too early bars the way to better classes, and its loss is
    made up for later.
    """
    start, improved = state.score, True
    while improved:
        improved = False
        deletes = state.deletes()
        for i in range(int(deletes.n[0])):
            with _attempt(state) as enough:
                if state.force(deletes, i):
                    state.climb(DELETES_TURNS_INSERTS)
                improved = state.score > enough
            if improved:
                state.climb(DELETES_TURNS_INSERTS)  # with the edge allowed again
                break
    return state.score > start


@contextmanager
def _attempt(state: SearchState) -> Iterator[float]:
    """Return to where the search was if it ends no higher, or is cancelled on the way.

    Gives the score that is to be exceeded.
    """
    best = state.saved()
    enough = best.score + state.search.tolerance
    try:
        yield enough
    finally:
        state.allow_all()
        if state.score <= enough:
            state.return_to(best)


def ges_restarts(problem: StructureProblem) -> StructureFound:
    """Search all equivalence classes by GES with restarts."""
    search = EquivalenceSearch(problem.the_score, knowledge=problem.knowledge)
    found = run_ges_restarts(search, generator=problem.generator, trace=problem.trace)
    return found.described(problem.the_score)


GES_RESTARTS = GES.variant(
    ges_restarts,
    "GES, then other starts, turned edges, and each edge undone and retried.",
    paper="Eiderdown's own, after Chickering 2002 and Nazaret & Blei 2024",
    random=True,
)
