"""Rounds of a search among classes, several at once in threads.

Where a round ends follows from where it begins, so that it does not matter who does it, and none is
done twice. All share one memory of gains; what is known in the end is counted, and not how often
somebody asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Condition, Lock
from typing import NamedTuple, Self

from eiderdown.arrays import WordArray
from eiderdown.forked import is_forked
from eiderdown.handovers import quick_handovers
from eiderdown.progress import carried
from eiderdown.statistics.cost import Workers
from eiderdown.structure.equivalence.cpdag import NEIGHBOURS, PARENTS
from eiderdown.structure.equivalence.search import EquivalenceSearch
from eiderdown.work_sharing import Turns, nobody_waits


class Place(NamedTuple):
    """A class that was reached, and how a search goes on from there.

    ``step`` names what comes next, None nothing, and ``seed`` where its random numbers come from.
    The rest is about the round that ended here: how many classes it passed, and whether it was
    cancelled.
    """

    step: str | None
    edges: WordArray
    score: float
    seed: int
    n_steps: int = 0
    complete: bool = True

    @property
    def key(self) -> bytes:
        """What decides where the next round ends."""
        of_class = self.edges[[PARENTS, NEIGHBOURS]].tobytes()
        return b"%s %d " % (str(self.step).encode(), self.seed) + of_class


class Rounds:
    """Does rounds until nothing comes next.

    Parameters
    ----------
    go : callable
        Does one, in whatever thread, and tells what comes next.
    search : EquivalenceSearch
        Whose memory rounds share, and whose score counts what they compute.
    n_jobs : int or None
        How many may be done at once.
    """

    def __init__(
        self, go: Callable[[Place], Place], search: EquivalenceSearch, *, n_jobs: int | None
    ) -> None:
        self._go, self._search = go, search
        self._n_others = 0 if is_forked() else Workers(n_jobs).n_jobs - 1
        self._n_before = search.score.counts.n_computed - _n_known(search)
        self._latest: list[Place] = []
        self._ends: dict[bytes, Place] = {}  # of rounds, by where they began
        self._waiting: dict[bytes, list[int]] = {}  # for the end of a round
        self._ready: list[bytes] = []  # rounds that nobody has begun
        self._n_begun = 0  # rounds that somebody does
        self._changed = Condition()
        self._meanwhile = ExitStack()
        self.n_steps, self.complete = 0, True

    def __enter__(self) -> Self:
        if self._n_others:
            if self._meanwhile.enter_context(nobody_waits(indeed=True)):
                self._search.gains.lock = Turns(self._n_others)
            self._meanwhile.enter_context(quick_handovers())
            pool = ThreadPoolExecutor(self._n_others)
            self._pool = self._meanwhile.enter_context(pool)
        return self

    def __exit__(self, *_: object) -> None:
        self._search.gains.lock = Lock()
        self._meanwhile.close()
        self._search.score.recount(self._n_before + _n_known(self._search))

    def ends_of(self, places: Sequence[Place]) -> list[Place]:
        """Go on from each place until nothing comes next, or the search is cancelled."""
        self._latest = list(places)
        for number in range(len(places)):
            self._arrive(number)
        n_others = min(self._n_others, len(self._ready) - 1)
        others = [self._pool.submit(carried(self._work)) for _ in range(n_others)]
        self._work()
        for other in others:
            other.result()
        return self._latest

    def _work(self) -> None:
        """Do rounds until none is left that anybody does, or the search is cancelled."""
        while (key := self._begin()) is not None:
            end = None
            try:
                end = self._go(self._place(key))
            finally:
                with self._changed:
                    self._n_begun -= 1
                    self._take(key, end)
                    self._changed.notify_all()

    def _begin(self) -> bytes | None:
        """Wait for a round to do; None if none will come."""
        with self._changed:
            while self.complete and self._n_begun and not self._ready:
                self._changed.wait()
            if not self.complete or not self._ready:
                return None
            self._n_begun += 1
            # The best first: most rounds come after it, each after the one before.
            first = max(self._ready, key=lambda key: self._place(key).score)
            self._ready.remove(first)
            return first

    def _place(self, key: bytes) -> Place:
        """Return where a round begins."""
        return self._latest[self._waiting[key][0]]

    def _arrive(self, number: int) -> None:
        """Go on as far as ends are known, and ask for the next round."""
        place = self._latest[number]
        while place.step is not None and place.key in self._ends:
            place = self._ends[place.key]
        self._latest[number] = place
        if place.step is not None:
            if place.key not in self._waiting:
                self._ready.append(place.key)
            self._waiting.setdefault(place.key, []).append(number)

    def _take(self, key: bytes, place: Place | None) -> None:
        """Note where a round ended; None if it failed."""
        self.complete = self.complete and place is not None and place.complete
        if place is not None:
            self._ends[key] = place
            self.n_steps += place.n_steps
            for number in self._waiting.pop(key):
                self._latest[number] = place
                self._arrive(number)


def _n_known(search: EquivalenceSearch) -> int:
    """Count what a search has computed: rows of gains and what is in them, scores of families."""
    return search.gains.n_known + len(search.scores)
