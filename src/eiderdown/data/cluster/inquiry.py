"""Questions on their way to workers, of which some are slow and some are lost.

Dask itself repeats what it was asked already. Beyond that the parts of a worker that is gone, or
that takes several times as long as the others, are given to other workers: of a lost one its
unanswered questions are asked there instead, of a slow one as well, and the first answer counts.
Answers depend on the parts alone, so none of this changes one.
"""

from __future__ import annotations

import queue
import time
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from eiderdown.data.cluster.questions import Question, homes_of, runs
from eiderdown.data.pace import Pace
from eiderdown.errors import ClusterError
from eiderdown.progress import stop_if_cancelled

if TYPE_CHECKING:
    from eiderdown.data.cluster.workers import Workforce

SLOW: Final = 5.0
"""How many times the usual seconds per row an answer may take before it is asked elsewhere."""

LOOK: Final = 0.05
"""Seconds between two looks at whether work is to stop."""

_MOST_TRIES: Final = 4
_COUNT_WORKERS: Final = 0.5  # seconds between two looks at who is still there
_FETCH: Final = 30.0  # seconds to fetch an error that is known to be there


class Inquiry:
    """Questions on their way.

    Parameters
    ----------
    workforce : Workforce
        Who is asked.
    questions : sequence of Question
        What is asked.
    pace : Pace or None
        Hears of the rows of every answer.
    """

    def __init__(
        self, workforce: Workforce, questions: Sequence[Question], pace: Pace | None = None
    ) -> None:
        self._pace = pace
        self._workforce, self._client = workforce, workforce.client
        self._threads = workforce.threads()
        self._open = set(questions)
        self._waiting: dict[str, deque[Question]] = defaultdict(deque)
        self._of: dict[Any, Question] = {}
        self._done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._last: dict[str, float] = {}
        self._rates: list[float] = []
        self._looked = time.monotonic()
        for question in questions:
            self._waiting[question.home].append(question)

    def answers(self) -> Iterator[tuple[int, Any]]:
        """Ask, and yield the answers."""
        self._ask_waiting()
        while self._open:
            yield from self._arrived()
            self._look_after_workers()
            self._ask_waiting()

    def end(self) -> None:
        """Forget what is still asked."""
        for question in list(self._open):
            self._close(question)

    # Asking

    def _ask_waiting(self) -> None:
        """Keep every thread busy, and one question more on its way to it."""
        asked: dict[str, int] = defaultdict(int)
        for question in self._of.values():
            for worker, _ in question.asked.values():
                asked[worker] += 1
        for worker, waiting in self._waiting.items():
            while waiting and asked[worker] <= self._threads.get(worker, 1):
                question = waiting.popleft()
                if question in self._open:
                    self._ask(question)
                    asked[worker] += 1

    def _ask(self, question: Question) -> None:
        question.n_tries += 1
        if question.n_tries > _MOST_TRIES:
            raise ClusterError(
                f"Workers were lost {_MOST_TRIES} times while they worked on the same rows, "
                "perhaps for want of memory; give them more, or cut the table into smaller parts."
            )
        future = self._workforce.submit(question)
        question.asked[future] = (question.home, time.monotonic())
        self._of[future] = question
        future.add_done_callback(self._done.put)

    # Answers

    def _arrived(self) -> Iterator[tuple[int, Any]]:
        """Wait a moment, and yield what has been answered."""
        finished = self._finished()
        if not finished:
            return
        try:
            values = self._client.gather(finished)
        except Exception as problem:
            if not _is_loss(problem):
                raise
            values = []
        for future, value in zip(finished, values, strict=False):
            question = self._of.pop(future, None)
            if question is not None and question in self._open:
                self._note_time(question, future)
                self._close(question)
                if self._pace is not None:
                    self._pace.passed(question.n_rows)
                yield question.first, value
        for future in finished[len(values) :]:  # lost with its worker after it was done
            self._ask_again(future)

    def _finished(self) -> list[Any]:
        """Return futures with answers; those without one are asked again, or raise."""
        arrived = []
        try:
            arrived.append(self._done.get(timeout=LOOK))
            while True:
                arrived.append(self._done.get_nowait())
        except queue.Empty:
            pass
        finished = []
        for future in arrived:
            if future not in self._of:
                continue
            if future.status == "finished":
                finished.append(future)
            elif future.status == "error" and not _is_loss(future.exception(timeout=_FETCH)):
                future.result(timeout=_FETCH)  # which raises
            else:
                self._ask_again(future)
        return finished

    def _ask_again(self, future: Any) -> None:
        """Ask a question again whose answer was lost, and perhaps the parts with it."""
        question = self._of.pop(future, None)
        if question is not None:
            question.asked.pop(future, None)
        time.sleep(LOOK)  # until the scheduler has noticed who is gone
        self._count_workers()
        if question in self._open and not question.asked:
            home = self._home_for(question)
            for part in question.parts:
                self._workforce.make(part, home)
            self._waiting[home].append(question)

    def _note_time(self, question: Question, future: Any) -> None:
        worker, asked = question.asked[future]
        now = time.monotonic()
        began = max(asked, self._last.get(worker, asked))
        self._rates.append((now - began) / question.n_rows)
        self._last[worker] = now

    def _close(self, question: Question) -> None:
        """Take a question as answered; what else was asked for it is not waited for."""
        self._open.discard(question)
        for future in question.asked:
            self._of.pop(future, None)
            future.release()  # dropping it is not enough: its callback keeps it
        question.asked.clear()

    # Workers

    def _look_after_workers(self) -> None:
        stop_if_cancelled()
        now = time.monotonic()
        if now - self._looked > _COUNT_WORKERS:
            self._count_workers()
        for worker in self._late(now):
            self._workforce.avoid(worker)
            self._threads = self._workforce.threads()
            if worker in self._threads:  # there is nobody else
                return
            self._ask_others_as_well(worker)

    def _count_workers(self) -> None:
        """Notice who is gone, and have others do their work."""
        self._looked = time.monotonic()
        before, self._threads = self._threads, self._workforce.threads()
        for worker in before:
            if worker not in self._threads:
                self._replace(worker)

    def _late(self, now: float) -> set[str]:
        """Return the workers that take much longer than others did."""
        if not self._rates:
            return set()
        usual, late = median(self._rates), set()
        for question in self._open:
            for worker, asked in question.asked.values():
                began = max(asked, self._last.get(worker, asked))
                limit = max(self._workforce.patience, SLOW * usual * question.n_rows)
                if now - began > limit and worker in self._threads and len(question.asked) == 1:
                    late.add(worker)
        return late

    def _ask_others_as_well(self, worker: str) -> None:
        """Ask other workers what a slow one has not answered; its answers still count."""
        self._waiting.pop(worker, None)
        for question in self._unanswered_by(worker):
            home = self._home_for(question)
            for part in question.parts:
                self._workforce.make(part, home)
            self._workforce.n_moved += len(question.parts)
            self._waiting[home].append(question)

    def _replace(self, worker: str) -> None:
        """Ask other workers what one that is gone has not answered, each a share of it."""
        self._waiting.pop(worker, None)
        for question in self._unanswered_by(worker):
            self._close(question)
            homes = homes_of([part.n_rows for part in question.parts], self._threads)
            for part, home in zip(question.parts, homes, strict=True):
                self._workforce.make(part, home)
            self._workforce.n_moved += len(question.parts)
            for first, parts in runs(question.parts):
                piece = Question(question.first + first, parts, question.work)
                piece.n_tries = question.n_tries
                self._open.add(piece)
                self._waiting[piece.home].append(piece)

    def _unanswered_by(self, worker: str) -> list[Question]:
        of_worker = (question for question in self._open if question.home == worker)
        return sorted(of_worker, key=lambda question: question.first)

    def _home_for(self, question: Question) -> str:
        """Return the worker with the fewest questions for its threads."""
        load = dict.fromkeys(self._threads, 0.0)
        for other in self._open:
            if other.home in load and other is not question:
                load[other.home] += other.n_rows / self._threads[other.home]
        return min(load, key=lambda worker: (load[worker], worker))


def _is_loss(problem: BaseException | None) -> bool:
    """Say whether an error means that workers or data were lost, and not that work has failed."""
    from concurrent.futures import CancelledError

    from distributed import KilledWorker
    from distributed.comm import CommClosedError

    return isinstance(problem, KilledWorker | CancelledError | CommClosedError | TimeoutError)
