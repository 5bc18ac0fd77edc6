"""Questions to the workers of a cluster: asked where the parts are, and asked again where needed.

    held = workforce.hold(recipes, n_rows)     each part made on a worker, consecutive ones together
    workforce.ask(questions)                   work on parts; answers as they come

A part is held as a task of Dask that anybody can do again, so what was lost with a worker is made
elsewhere. That happens in two ways. Dask itself repeats what it was asked already. Beyond that this
module gives the parts of a worker that is gone, or that takes several times as long as the others,
to other workers: of a lost one its unanswered questions are asked there instead, of a slow one as
well, and the first answer counts. Answers depend on the parts alone, so none of this changes one.
"""

from __future__ import annotations

import queue
import time
import uuid
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median
from threading import RLock
from typing import Any, Final

from eiderdown.data.cluster.connect import lost
from eiderdown.errors import ClusterError
from eiderdown.progress import stop_if_cancelled

SLOW: Final = 5.0
"""How many times the usual seconds per row an answer may take before it is asked elsewhere."""

PATIENCE: Final = 10.0
"""Seconds for which every answer is waited for, however quick the others were."""

SILENCE: Final = 15.0
"""Seconds without a scheduler or workers after which the cluster is taken as lost."""

_MOST_TRIES: Final = 4
_LOOK: Final = 0.05  # seconds between two looks at whether work is to stop
_COUNT_WORKERS: Final = 0.5  # seconds between two looks at who is still there
_FETCH: Final = 30.0  # seconds to fetch an error that is known to be there


@dataclass(eq=False)
class Held:
    """Something that a worker holds, and how it is made.

    Attributes
    ----------
    make : callable or None
        Makes it on a worker; None for something that is here, and sent as it is.
    args : tuple
        What ``make`` takes; delayed values and futures among them are computed first. A function
        says what it takes at the time, where that may have moved.
    n_rows : int
        What work on it is in proportion to.
    home : str
        The worker's address.
    future : distributed.Future or None
        The thing itself.
    """

    make: Callable[..., Any] | None
    args: tuple[Any, ...] | Callable[[], tuple[Any, ...]]
    n_rows: int
    home: str = ""
    future: Any = None


@dataclass(eq=False)
class Question:
    """Work on some consecutive parts, all held by one worker.

    Attributes
    ----------
    first : int
        Number of the first part.
    parts : sequence of Held
        What ``work`` takes, in this order.
    work : callable
        Done on the worker.
    """

    first: int
    parts: Sequence[Held]
    work: Callable[..., Any]
    asked: dict[Any, tuple[str, float]] = field(default_factory=dict)
    n_tries: int = 0

    @property
    def n_rows(self) -> int:
        """Rows of all its parts."""
        return max(1, sum(part.n_rows for part in self.parts))

    @property
    def home(self) -> str:
        """The worker that holds the parts."""
        return self.parts[0].home


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
            time.sleep(_LOOK)
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
        for part, home in zip(parts, _homes([part.n_rows for part in parts], threads), strict=True):
            self._make(part, home)

    def hold_at(self, part: Held, home: str) -> None:
        """Have a part made by one worker."""
        self._make(part, home)

    def settle(self, parts: Sequence[Held]) -> None:
        """Give the parts of workers that are slow or gone to others."""
        with self._lock:
            threads = self.threads()
            strays = [part for part in parts if part.home not in threads or _is_broken(part)]
            homes = _homes([part.n_rows for part in strays], threads) if strays else []
            for part, home in zip(strays, homes, strict=True):
                self._make(part, home)
            self.n_moved += len(strays)

    def _make(self, part: Held, home: str) -> None:
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

    def _submit(self, question: Question) -> Any:
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

    def ask(self, questions: Sequence[Question]) -> Iterator[tuple[int, Any]]:
        """Ask questions and yield the answers as they come, each with the first part's number.

        Where a worker is lost, a question about several of its parts may be answered by several
        answers, about some of them each.
        """
        inquiry = _Inquiry(self, questions)
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


def _homes(n_rows: Sequence[int], threads: dict[str, int]) -> list[str]:
    """Return a worker for each part: runs of consecutive parts, rows in proportion to threads."""
    total, n_threads = max(1, sum(n_rows)), sum(threads.values())
    workers = list(threads)
    ends, so_far = [], 0
    for worker in workers:
        so_far += threads[worker]
        ends.append(total * so_far / n_threads)
    homes, before, place = [], 0, 0
    for n in n_rows:
        middle = before + n / 2
        while place < len(workers) - 1 and middle > ends[place]:
            place += 1
        homes.append(workers[place])
        before += n
    return homes


class _Inquiry:
    """Questions on their way."""

    def __init__(self, workforce: Workforce, questions: Sequence[Question]) -> None:
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
        future = self._workforce._submit(question)
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
                yield question.first, value
        for future in finished[len(values) :]:  # lost with its worker after it was done
            self._ask_again(future)

    def _finished(self) -> list[Any]:
        """Return futures with answers; those without one are asked again, or raise."""
        arrived = []
        try:
            arrived.append(self._done.get(timeout=_LOOK))
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
        time.sleep(_LOOK)  # until the scheduler has noticed who is gone
        self._count_workers()
        if question in self._open and not question.asked:
            home = self._home_for(question)
            for part in question.parts:
                self._workforce._make(part, home)
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
                self._workforce._make(part, home)
            self._workforce.n_moved += len(question.parts)
            self._waiting[home].append(question)

    def _replace(self, worker: str) -> None:
        """Ask other workers what one that is gone has not answered, each a share of it."""
        self._waiting.pop(worker, None)
        for question in self._unanswered_by(worker):
            self._close(question)
            homes = _homes([part.n_rows for part in question.parts], self._threads)
            for part, home in zip(question.parts, homes, strict=True):
                self._workforce._make(part, home)
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


def runs(parts: Sequence[Held]) -> list[tuple[int, list[Held]]]:
    """Put consecutive parts of the same worker together, each run with its first part's number."""
    found: list[tuple[int, list[Held]]] = []
    for i, part in enumerate(parts):
        if found and found[-1][1][-1].home == part.home:
            found[-1][1].append(part)
        else:
            found.append((i, [part]))
    return found


def _is_loss(problem: BaseException | None) -> bool:
    """Say whether an error means that workers or data were lost, and not that work has failed."""
    from concurrent.futures import CancelledError

    from distributed import KilledWorker
    from distributed.comm import CommClosedError

    return isinstance(problem, KilledWorker | CancelledError | CommClosedError | TimeoutError)
