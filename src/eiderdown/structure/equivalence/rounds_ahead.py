"""Rounds that a second thread does ahead of those that are done one after the other.

Where a round ends follows from where it begins, so that somebody else may have done it before its
turn comes. How many gains it computes follows from what was known, too. The second thread has a
memory of gains of its own and writes down what that lacks. When the turn of its round comes, the
first asks its own memory for the same, takes over what the other knows of it, and counts as if it
had done the round itself (:func:`eiderdown.structure.equivalence.scored_filling.retell`).

This is right as long as the second knows no more than the first will know by then. So it takes
rounds in the order of their turns, from some row of rounds on, and the first does by itself what
the second took as part of a later row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from copy import copy
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from eiderdown.arrays import WordArray
from eiderdown.forked import is_forked
from eiderdown.handovers import quick_handovers
from eiderdown.progress import Cancellation, Trace, carried
from eiderdown.scores.kernels import score_sweeps
from eiderdown.structure.equivalence.cpdag import NEIGHBOURS, PARENTS
from eiderdown.structure.equivalence.gain_table import GainsAhead, NotAhead
from eiderdown.structure.equivalence.request_log import N_NOTED, OVERFULL
from eiderdown.structure.equivalence.retries import RETRYING
from eiderdown.structure.equivalence.scored_filling import fill_scored, retell
from eiderdown.structure.equivalence.scored_steps import advance_scoring

if TYPE_CHECKING:
    from eiderdown.scores.compiled import KernelScore
    from eiderdown.structure.equivalence.search import EquivalenceSearch

_KERNELS = score_sweeps, fill_scored, advance_scoring, *RETRYING  # none is compiled for this
_PAUSE = 0.02  # seconds between looks whether a search is cancelled that waits


class Place(NamedTuple):
    """A class that was reached, and how a search goes on from there.

    ``step`` names what comes next, None nothing, and ``seed`` where its random numbers come from.
    """

    step: str | None
    edges: WordArray
    score: float
    seed: int

    @property
    def key(self) -> bytes:
        """What decides where the next round ends."""
        of_class = self.edges[[PARENTS, NEIGHBOURS]].tobytes()
        return b"%s %d " % (str(self.step).encode(), self.seed) + of_class


class Done(NamedTuple):
    """Where a round ended, how many operators it applied, and whether it was done to its end."""

    end: Place
    n_steps: int
    complete: bool


class _Told(NamedTuple):
    """A round that was done ahead, and which part of the log is its own."""

    done: Done
    part: tuple[int, int]


Do: TypeAlias = Callable[["EquivalenceSearch", Place, Trace], Done]
"""Does a round."""


class RoundsAhead:
    """Does rounds in a thread of its own; see the module.

    Parameters
    ----------
    search : EquivalenceSearch
        Of whom rounds are done ahead.
    score : KernelScore
        What computes gains.
    do : callable
        Does a round.
    cancellation : Cancellation
        Ends the rounds, and nothing else.
    """

    def __init__(
        self, search: EquivalenceSearch, score: KernelScore, do: Do, cancellation: Cancellation
    ) -> None:
        self._gains, self._score, self._do = search.gains, score, do
        self._n_forgotten = self._gains.n_forgotten
        self._ahead = GainsAhead(self._gains, score)
        self._search = copy(search)
        self._search.gains, self._search.scores, self._search.described = self._ahead, {}, {}
        self._cancellation = cancellation
        self._lock = Lock()
        self._taken: dict[tuple[int, bytes], Future[_Told | None]] = {}
        self._seen: set[bytes] = set()  # where rounds begin that somebody has done, or does
        self._doing = b"", cancellation  # which round, and what ends it
        self._gains.beside = self._ahead

    def begin(self, pool: ThreadPoolExecutor, rows: Sequence[Place], first: int) -> None:
        """Go along rows of rounds that begin at some places, from one of the rows on."""
        pool.submit(carried(self._go_along), rows, first)

    def end(self) -> None:
        """Let nobody expect anything any more."""
        self._cancellation.cancel()
        self._gains.beside = None

    def _go_along(self, rows: Sequence[Place], first: int) -> None:
        self._gains.n_beside = 1
        try:
            for number in range(first, len(rows)):
                place: Place | None = rows[number]
                while place is not None and place.step is not None:
                    place = self._go(number, place)
        finally:
            self._gains.n_beside = 0  # so that the first has others for its sweeps

    def _go(self, number: int, place: Place) -> Place | None:
        """Do a round unless somebody does; return where it ended, None where a row is left."""
        told: Future[_Told | None] = Future()
        with self._lock:
            if self._cancellation.cancelled or place.key in self._seen:
                return None  # what follows, too, is somebody's already
            self._seen.add(place.key)
            self._taken[number, place.key] = told
            self._doing = place.key, Cancellation(within=self._cancellation)
        try:
            answer = self._told(place, self._doing[1])
        except BaseException as problem:
            told.set_exception(problem)
            raise
        told.set_result(answer)
        return None if answer is None else answer.done.end

    def _told(self, place: Place, cancellation: Cancellation) -> _Told | None:
        """Do a round; None if it cannot be told."""
        log = self._ahead.log
        start = int(log.n[N_NOTED])
        try:
            done = self._do(self._search, place, Trace(cancellation))
        except NotAhead:
            return None
        if log.n[OVERFULL]:
            self._cancellation.cancel()
        if not done.complete or log.n[OVERFULL]:
            return None
        return _Told(done, (start, int(log.n[N_NOTED])))

    def done(self, number: int, place: Place, trace: Trace, n_steps: int) -> Done | None:
        """Return a round of a row if it was taken, and count it; None if it is to be done."""
        with self._lock:
            told = self._taken.get((number, place.key))
            if told is None:
                self._seen.add(place.key)
                doing, cancellation = self._doing
                if doing == place.key:  # in a later row, where it is known by then
                    cancellation.cancel()
                return None
        while True:
            try:
                found = told.result(timeout=_PAUSE)
                break
            except TimeoutError:
                trace.progressed("searching", n_steps)
        if found is None or self._gains.n_forgotten != self._n_forgotten:
            return None
        if not retell(self._gains, self._score, self._ahead.log, found.part):
            self._give_up()
            return None
        return found.done

    def _give_up(self) -> None:
        """Do nothing ahead any more: the other memory may hold more than the first would."""
        self._cancellation.cancel()
        with self._lock:
            self._taken.clear()


Ahead: TypeAlias = Callable[[Place, Trace, int], Done | None]
"""Returns the end of a round of some row if it was done ahead; as :meth:`RoundsAhead.done`."""

Begin: TypeAlias = Callable[[Sequence[Place], int], list[Ahead]]
"""Begins with rounds ahead of rows that begin at some places, from one of them on."""


def nobody_ahead(_place: Place, _trace: Trace, _n_steps: int) -> Done | None:
    """Of rounds that are all done when it is their turn."""
    return None


@contextmanager
def rounds_ahead(search: EquivalenceSearch, do: Do, trace: Trace) -> Iterator[Begin]:
    """Let a second thread do rounds ahead, where there is one that gains by it."""
    score = search.gains.kernel_score
    alone = score is None or score.n_jobs == 1 or is_forked() or search.constraints.orienting
    ready = all(kernel.is_ready for kernel in _KERNELS) and fill_scored.address != 0
    if score is None or alone or not ready:
        yield lambda rows, _first: [nobody_ahead] * len(rows)
        return
    own = Cancellation(within=trace.cancellation)
    ahead = RoundsAhead(search, score, do, own)
    with quick_handovers(), ThreadPoolExecutor(1) as pool:

        def begin(rows: Sequence[Place], first: int) -> list[Ahead]:
            ahead.begin(pool, rows, first)
            return [partial(ahead.done, number) for number in range(len(rows))]

        try:
            yield begin
        finally:
            ahead.end()
