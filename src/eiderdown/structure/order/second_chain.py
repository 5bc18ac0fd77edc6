"""The second of two chains of restarts: in a process of its own where that pays, else in this one.

Which it is changes nothing but the time: a part of a chain follows from the parts before it. A
chain that was lost with its process is gone through again here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Self, TypeVar

from eiderdown.forked import ForkedWorker, WorkerLostError, can_fork
from eiderdown.statistics.cost import Workers
from eiderdown.structure.order.answers import Answers, Pipes
from eiderdown.structure.problem import StructureProblem

_Part = TypeVar("_Part")
_Reached = TypeVar("_Reached")

_LOOK_EVERY = 0.05  # seconds, at Ctrl-C and the clock
_WAIT_WHEN_CANCELLED = 0.2  # seconds, for a process that looks at the same clock


class SecondChain(Generic[_Part, _Reached]):
    """Begins parts of a chain, and tells what they reached.

    Parameters
    ----------
    go : callable
        Goes through a part; parts and what it returns are pickled.
    answers : Answers
        What both chains share.
    problem : StructureProblem
        The question; its number of jobs says whether there may be another process.
    forks : bool
        Whether another process pays.
    """

    def __init__(
        self,
        go: Callable[[_Part], _Reached],
        answers: Answers,
        problem: StructureProblem,
        *,
        forks: bool,
    ) -> None:
        self._go, self._answers, self._trace = go, answers, problem.trace
        self._left: list[_Part] = []  # parts that were not gone through in this process
        self._worker: ForkedWorker[_Part, _Reached] | None = None
        self._pipes: Pipes | None = None
        if forks and can_fork() and Workers(problem.n_jobs).n_jobs > 1:
            pipes = self._pipes = Pipes()

            def go_there(part: _Part) -> _Reached:
                answers.connect(pipes.there)
                return go(part)

            self._worker = ForkedWorker(go_there)
            answers.connect(pipes.here)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end_process()

    def begin(self, part: _Part) -> None:
        """Begin with a part; of a chain in this process, only make a note of it."""
        self._left.append(part)
        if self._worker is not None:
            try:
                self._worker.begin(part)
            except WorkerLostError:
                self._end_process()

    def reached(self, *, cancelled: bool) -> _Reached | None:
        """Return what the part reached; None if the search was cancelled before it was done."""
        if self._worker is not None:
            try:
                return self._reached_there(self._worker, cancelled=cancelled)
            except WorkerLostError:
                self._end_process()
        found = None
        while self._left and not cancelled:
            found = self._go(self._left.pop(0))
        return found

    def _reached_there(
        self, worker: ForkedWorker[_Part, _Reached], *, cancelled: bool
    ) -> _Reached | None:
        if cancelled and not worker.is_done(_WAIT_WHEN_CANCELLED):
            return None
        while not worker.is_done(_LOOK_EVERY):
            cancellation = self._trace.cancellation
            if cancellation is not None and cancellation.cancelled:
                return self._reached_there(worker, cancelled=True)
        return worker.outcome()

    def _end_process(self) -> None:
        if self._worker is not None:
            self._worker.close()
            self._worker = None
        if self._pipes is not None:
            self._answers.disconnect()
            self._pipes.close()
            self._pipes = None
