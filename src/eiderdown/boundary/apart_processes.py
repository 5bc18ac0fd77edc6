"""Processes that make whole searches, and whoever asks makes others meanwhile.

Targets lie in a pipe, from which each takes the next (:mod:`eiderdown.boundary.claims`). A process
tells what it has found, around its targets and for the sake of others, as soon as it has found it;
here that is looked at between two steps, and what was found here is told to it. Nobody waits to
hear of a set: two may find the same at the same time, which costs time, but what they find and how
many tests that takes is the same.

A process that ends, whatever the reason, is not replaced: what it had begun is made here, and what
goes wrong in it is seen here.
"""

from __future__ import annotations

import os
import pickle
import select
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeAlias

from eiderdown.boundary.apart import ApartSearch, Done
from eiderdown.boundary.claims import Claims
from eiderdown.boundary.known_sets import Key
from eiderdown.boundary.problem import Found
from eiderdown.forked import ForkedWorker, WorkerLostError, uncollected
from eiderdown.independence import CachedTest
from eiderdown.independence.kernels.cache import ResultTable, packed
from eiderdown.progress import Trace

_PATIENCE = 0.05  # seconds to wait before somebody looks at the clock
_NEVER_WAITS = 4_000  # bytes that a pipe takes at once, if it takes any

_Set: TypeAlias = tuple[Key, Found, ResultTable]


class ProcessesApart:
    """Forked processes that search, each with a test of its own, beside whoever asks.

    Parameters
    ----------
    how : ApartSearch
        How to search.
    n_jobs : int
        How many search at a time, whoever asks among them.
    """

    def __init__(self, how: ApartSearch, n_jobs: int) -> None:
        self.n_jobs = n_jobs
        self.uncounted: dict[Key, tuple[Found, ResultTable]] = {}
        self._how, self._targets = how, Claims()
        self._found: dict[Key, Found] = {}
        self._done: dict[int, Done] = {}
        self._meanwhile = ExitStack()  # until all searches end
        self._meanwhile.enter_context(uncollected())
        self._processes: list[_Process] = []
        for _ in range(n_jobs - 1):
            self._processes.append(_Process(self._searching_process))
        self._are_all_there = True
        self._test = how.make_test()

    def put(self, target: int) -> None:
        """Let whoever is idle search around a target, after those before it."""
        self._targets.put(target)

    def finished(self) -> Iterator[Done]:
        """Return searches that are done and were not asked for yet."""
        yield from self._done.values()

    def result(self, target: int, trace: Trace) -> Done:
        """Return a search that was put; while it is not done, make others."""
        self._listen()
        while target not in self._done:
            trace.progressed("searching", 0)
            own = self._targets.take()
            if own is None and not self._are_all_there:
                own = target  # which was lost
            if own is None:
                wait([process.said for process in self._processes], _PATIENCE)
            else:
                self._done[own] = self._how.done(own, self._test, self)
            self._listen()
        return self._done.pop(target)

    def close(self) -> None:
        """End all searches."""
        for process in self._processes:
            process.close()
        self._targets.close()
        self._meanwhile.close()

    def once(self, key: Key, search: Callable[[], Found], test: CachedTest) -> Found:
        """Return what somebody has found before, or search, and tell the others."""
        self._listen()
        if key not in self._found:
            found, tests = test.apart(search)
            self._note((key, found, tests), told_by=None)
        return self._found[key]

    def _listen(self) -> None:
        """Note what processes have said meanwhile."""
        for process in list(self._processes):
            try:
                while process.said.poll():
                    self._hear(process.said.recv(), process)
            except (EOFError, OSError):
                self._processes.remove(process)
                process.close()
                self._are_all_there = False

    def _hear(self, said: _Report | _Set, process: _Process) -> None:
        if isinstance(said, _Report):
            self._done[said.target] = said.done
        else:
            self._note(said, told_by=process)

    def _note(self, one: _Set, told_by: _Process | None) -> None:
        key, found, tests = one
        if key in self._found:
            return
        self._found[key] = found
        self.uncounted[key] = found, tests
        said = pickle.dumps((key, found))
        for process in self._processes:
            if process is not told_by:
                process.tell(said)

    def _searching_process(self, link: _Link) -> None:
        """Search, in a process, until that is ended."""
        test, sets = self._how.make_test(), _SetsOfProcess(link)
        while True:
            target = self._targets.take()
            if target is None:
                self._targets.wait()
                continue
            done = self._how.done(target, test, sets)
            found, said = done.outcome
            outcome = replace(found, trace=Trace()), said
            link.say(_Report(target, Done(outcome, done.asked, packed(done.tests))))


@dataclass(frozen=True)
class _Report:
    """What a process says of a target."""

    target: int
    done: Done


class _Process(ForkedWorker[None, None]):
    """A process that works for itself from the beginning on."""

    def __init__(self, work: Callable[[_Link], None]) -> None:
        self.said, its_end = Pipe(duplex=False)
        heard, self._told = Pipe(duplex=False)

        def work_to_the_end(_: None) -> None:
            try:
                work(_Link(its_end, heard))
            finally:
                os._exit(1)

        super().__init__(work_to_the_end)
        its_end.close()  # so that the end of the process is seen
        heard.close()
        with suppress(WorkerLostError):  # which is seen when nothing is said
            self.begin(None)

    def tell(self, said: bytes) -> None:
        """Tell the process something, unless that would have to be waited for."""
        poll = select.poll()
        poll.register(self._told.fileno(), select.POLLOUT)
        if len(said) <= _NEVER_WAITS and poll.poll(0):
            with suppress(OSError):  # it has ended
                self._told.send_bytes(said)

    def close(self) -> None:
        """End the process."""
        super().close()
        self.said.close()
        self._told.close()


class _Link:
    """The other side of the pipes, in the process."""

    def __init__(self, out: Connection, heard: Connection) -> None:
        self._out, self._heard = out, heard
        self._unsaid: SimpleQueue[Any] = SimpleQueue()
        Thread(target=self._say_all, daemon=True).start()

    def say(self, said: Any) -> None:
        """Say something; a thread waits until it is heard."""
        self._unsaid.put(pickle.dumps(said, protocol=pickle.HIGHEST_PROTOCOL))

    def heard(self) -> Iterator[Any]:
        """Return what was said on the other side meanwhile."""
        while self._heard.poll():
            yield pickle.loads(self._heard.recv_bytes())

    def _say_all(self) -> None:
        while True:
            self._out.send_bytes(self._unsaid.get())


class _SetsOfProcess:
    """What is found once, as a process knows it."""

    def __init__(self, link: _Link) -> None:
        self._link = link
        self._found: dict[Key, Found] = {}

    def once(self, key: Key, search: Callable[[], Found], test: CachedTest) -> Found:
        """Return what somebody has found before, or search, and tell it."""
        self._found.update(self._link.heard())
        if key not in self._found:
            self._found[key], tests = test.apart(search)
            self._link.say((key, self._found[key], packed(tests)))
        return self._found[key]
