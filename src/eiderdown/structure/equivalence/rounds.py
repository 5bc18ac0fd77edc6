"""Rounds of a search among classes, done in this process and, where that pays, in another one.

Where a round ends follows from where it begins, so that it does not matter who does it, and none is
done twice. Each process has a memory of gains of its own; in the end what both know is counted
once, as if there were one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Thread
from typing import NamedTuple, Self

import numpy as np

from eiderdown.arrays import WordArray
from eiderdown.forked import ForkedWorker, WorkerLostError, can_fork
from eiderdown.progress import Trace, unseen
from eiderdown.statistics.cost import Workers
from eiderdown.structure.equivalence.cpdag import NEIGHBOURS, PARENTS
from eiderdown.structure.equivalence.gain_table import Family
from eiderdown.structure.equivalence.search import EquivalenceSearch
from eiderdown.work_sharing import nobody_waits

_LOOK_EVERY = 0.05  # seconds, at Ctrl-C and the clock
_AHEAD = 2  # that the other process has to do


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


class Known(NamedTuple):
    """What a search has computed: gains by the hash of their row, and scores of families."""

    hashes: WordArray
    marks: WordArray
    scores: dict[Family, float]

    @classmethod
    def by(cls, search: EquivalenceSearch) -> Known:
        """Tell what a search knows."""
        return cls(*search.gains.known(), search.scores)

    def with_other(self, other: Known) -> Known:
        """Join what two processes know."""
        hashes, place = np.unique(np.append(self.hashes, other.hashes), return_inverse=True)
        marks = np.zeros((len(hashes), self.marks.shape[1]), dtype=np.uint64)
        np.bitwise_or.at(marks, place, np.concatenate([self.marks, other.marks]))
        return Known(hashes, marks, self.scores | other.scores)

    def __len__(self) -> int:
        bits = np.unpackbits(self.marks.view(np.uint8))
        return len(self.hashes) + int(np.count_nonzero(bits)) + len(self.scores)


class Rounds:
    """Does rounds until nothing comes next.

    Parameters
    ----------
    go : callable
        Does one, and tells what comes next; places are pickled.
    search : EquivalenceSearch
        What both processes know at first, and whose score counts what they compute.
    n_jobs : int or None
        Whether there may be another process.
    trace : Trace or None
        Says whether to stop.
    """

    def __init__(
        self,
        go: Callable[[Place], Place],
        search: EquivalenceSearch,
        *,
        n_jobs: int | None,
        trace: Trace | None,
    ) -> None:
        self._go, self._search, self._trace = go, search, trace or Trace()
        self._n_before = search.score.counts.n_computed - len(Known.by(search))
        self._latest: list[Place] = []
        self._ends: dict[bytes, Place] = {}  # of rounds, by where they began
        self._waiting: dict[bytes, list[int]] = {}  # for the end of a round
        self._ready: deque[bytes] = deque()  # rounds that nobody has begun
        self._there: deque[list[bytes]] = deque()  # those that the other process has to do
        self._worker: ForkedWorker[list[Place], list[Place] | Known] | None = None
        if can_fork() and Workers(n_jobs).n_jobs > 1:
            self._worker = ForkedWorker(unseen(self._go_there))
        self.n_steps, self.complete = 0, True

    def _go_there(self, places: list[Place]) -> list[Place] | Known:
        return [self._go(place) for place in places] if places else Known.by(self._search)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        known = Known.by(self._search)
        if self._worker is not None:
            with suppress(WorkerLostError):
                other = self._worker([]) if self.complete else None
                if isinstance(other, Known):
                    self._search.scores.update(other.scores)
                    known = known.with_other(other)
            self._worker.end()
            Thread(target=self._worker.close, daemon=True).start()  # waits until it is gone
        self._search.score.recount(self._n_before + len(known))

    def ends_of(self, places: Sequence[Place], *, at_once: int = 1) -> list[Place]:
        """Go on from each place until nothing comes next, or the search is cancelled.

        So many are given to the other process at once.
        """
        self._latest = list(places)
        for number in range(len(places)):
            self._arrive(number)
        with nobody_waits(self._worker is not None):
            while self.complete and self._waiting:
                while self._worker and len(self._there) < _AHEAD and len(self._ready) > at_once:
                    self._begin_there([self._ready.popleft() for _ in range(at_once)])
                if self._ready:
                    key = self._ready.popleft()
                    self._take([key], [self._go(self._place(key))])
                else:
                    self._await_other()
                self._collect()
        return self._latest

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

    def _place(self, key: bytes) -> Place:
        """Return where a round begins."""
        return self._latest[self._waiting[key][0]]

    def _take(self, keys: list[bytes], places: list[Place]) -> None:
        """Note where some rounds ended."""
        for key, place in zip(keys, places, strict=True):
            self._ends[key] = place
            self.n_steps += place.n_steps
            self.complete = self.complete and place.complete
            for number in self._waiting.pop(key):
                self._latest[number] = place
                self._arrive(number)

    def _begin_there(self, keys: list[bytes]) -> None:
        assert self._worker is not None
        self._there.append(keys)
        try:
            self._worker.begin([self._place(key) for key in keys])
        except WorkerLostError:
            self._do_without()

    def _await_other(self) -> None:
        """Wait until the other process has done something, or the search is cancelled."""
        assert self._worker is not None
        cancellation = self._trace.cancellation
        while self.complete and not self._worker.is_done(_LOOK_EVERY):
            self.complete = cancellation is None or not cancellation.cancelled

    def _collect(self) -> None:
        """Take what the other process has done."""
        while self._worker is not None and self._there and self._worker.is_done():
            try:
                places = self._worker.outcome()
            except WorkerLostError:
                self._do_without()
            else:
                assert not isinstance(places, Known)
                self._take(self._there.popleft(), places)

    def _do_without(self) -> None:
        """Do here what was lost with the other process."""
        assert self._worker is not None
        self._worker.close()
        self._worker = None
        while self._there:
            self._ready.extend(self._there.popleft())
