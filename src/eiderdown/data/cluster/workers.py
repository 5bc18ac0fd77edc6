"""The workers of a cluster: parts are made where they are held, and questions are asked there.

    workforce.hold(parts)                      each made on a worker, consecutive ones together
    workforce.ask(questions)                   work on parts; answers as they come

A part is held as a task of Dask that anybody can do again, so what was lost with a worker is made
elsewhere.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Sequence
from threading import RLock
from typing import Any, Final

from eiderdown.data.cluster.connect import lost
from eiderdown.data.cluster.inquiry import LOOK, Inquiry
from eiderdown.data.cluster.questions import Held, Question, homes_of
from eiderdown.data.pace import Pace
from eiderdown.progress import stop_if_cancelled

PATIENCE: Final = 10.0
"""Seconds for which every answer is waited for, however quick the others were."""

SILENCE: Final = 15.0
"""Seconds without a scheduler or workers after which the cluster is taken as lost."""


class Workforce:
    """The workers of a cluster, those that are slow or lost aside.

    Parameters
    ----------
    client : distributed.Client
        The way to them.
    patience : float
        Seconds for which every answer is waited for.
    silence : float
        Seconds without a scheduler or workers after which the cluster is taken as lost.
    """

    def __init__(self, client: Any, patience: float = PATIENCE, silence: float = SILENCE) -> None:
        self.client, self.patience, self.silence = client, patience, silence
        self.n_moved = 0
        self._slow: set[str] = set()
        self._lock = RLock()

    def threads(self) -> dict[str, int]:
        """Return how many threads each worker has that is to be asked."""
        deadline = time.monotonic() + self.silence
        while True:
            found = self._nthreads()
            if found:
                break
            if time.monotonic() > deadline:
                raise lost(self.client)
            stop_if_cancelled()
            time.sleep(LOOK)
        quick = {address: n for address, n in found.items() if address not in self._slow}
        if not quick:  # better slow ones than none
            self._slow.clear()
        return dict(sorted((quick or found).items()))

    def _nthreads(self) -> dict[str, int]:
        """Return all workers with their threads; none where the scheduler does not answer."""
        if self.client.status in ("closed", "closing"):
            raise lost(self.client)
        if self.client.status != "running":
            return {}
        try:
            return dict(self.client.nthreads())
        except (OSError, RuntimeError, AttributeError):  # as the connection ended on the way
            return {}

    # Parts

    def hold(self, parts: Sequence[Held]) -> None:
        """Have parts made, consecutive ones by the same worker, in proportion to its threads."""
        threads = self.threads()
        for part, home in zip(
            parts, homes_of([part.n_rows for part in parts], threads), strict=True
        ):
            self.make(part, home)

    def settle(self, parts: Sequence[Held]) -> None:
        """Give the parts of workers that are slow or gone to others; make those let go again."""
        with self._lock:
            threads = self.threads()
            for part in parts:
                if part.future is None and part.home in threads:
                    self.make(part, part.home)
            strays = [part for part in parts if part.home not in threads or _is_broken(part)]
            homes = homes_of([part.n_rows for part in strays], threads) if strays else []
            for part, home in zip(strays, homes, strict=True):
                self.make(part, home)
            self.n_moved += len(strays)

    def make(self, part: Held, home: str) -> None:
        """Have a part made by a worker, or by any other if that is gone when it is the turn."""
        import dask

        part.home = home
        try:
            args = part.args() if callable(part.args) else part.args
            if part.make is None:
                part.future = self._sent(args[0], home)
                return
            make = dask.delayed(part.make, pure=False)
            task = make(*args, dask_key_name=_new_key("part"))
            part.future = self.client.compute(
                task, workers=[home], allow_other_workers=True, optimize_graph=False
            )
        except (OSError, RuntimeError) as problem:
            raise lost(self.client) from problem

    def _sent(self, part: Any, home: str) -> Any:
        try:
            return self.client.scatter(part, workers=[home], hash=False)
        except KeyError:  # it went away at this moment
            return self.client.scatter(part, hash=False)

    def submit(self, question: Question) -> Any:
        """Ask the worker that holds the parts, or any other if that is gone when it is the turn."""
        try:
            return self.client.submit(
                question.work,
                *[part.future for part in question.parts],
                workers=[question.home],
                allow_other_workers=True,
                key=_new_key("answer"),
                pure=False,
            )
        except (OSError, RuntimeError) as problem:
            raise lost(self.client) from problem

    # Questions

    def ask(
        self, questions: Sequence[Question], pace: Pace | None = None
    ) -> Iterator[tuple[int, Any]]:
        """Ask questions and yield the answers as they come, each with the first part's number.

        Where a worker is lost, a question about several of its parts may be answered by several
        answers, about some of them each. ``pace`` hears of the rows of each.
        """
        inquiry = Inquiry(self, questions, pace)
        try:
            yield from inquiry.answers()
        finally:
            inquiry.end()

    def avoid(self, worker: str) -> None:
        """Ask a worker no more."""
        with self._lock:
            self._slow.add(worker)


def _is_broken(part: Held) -> bool:
    """Say whether a part cannot come back by itself, as data that were sent cannot."""
    return part.future is not None and part.future.status in ("cancelled", "lost", "error")


def _new_key(kind: str) -> str:
    return f"eiderdown-{kind}-{uuid.uuid4().hex}"
