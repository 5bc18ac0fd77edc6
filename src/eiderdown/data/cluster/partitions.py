"""A table whose rows are on the workers of a cluster, where they stay between two questions."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, TypeVar

from eiderdown.data.cluster.questions import Held, Question, in_pieces, runs
from eiderdown.data.cluster.workers import Workforce
from eiderdown.data.dataset import Dataset
from eiderdown.data.pace import Pace
from eiderdown.data.partitions import Partitions

R = TypeVar("R")

_SECONDS_OF_PIECE: Final = 2.0  # for which a worker may say nothing


class HeldRows:
    """Some rows of a table in a worker's memory; the scheduler is told how large they are."""

    __slots__ = ("data",)

    def __init__(self, data: Dataset) -> None:
        self.data = data

    def __sizeof__(self) -> int:
        return 64 + sum(block.nbytes for block in self.data.held)

    def __reduce__(self) -> tuple[Any, ...]:
        return HeldRows, (self.data,)


class ClusterPartitions(Partitions):
    """Parts that the workers of a cluster hold, consecutive ones on the same worker.

    Parameters
    ----------
    workforce : Workforce
        The workers.
    parts : sequence of Held
        How each part, as :class:`HeldRows`, is made on a worker, and how many rows it has.
    fingerprint : str
        A digest of the cells, or of where they come from.
    """

    def __init__(self, workforce: Workforce, parts: Sequence[Held], fingerprint: str) -> None:
        self._workforce, self._parts = workforce, [part for part in parts if part.n_rows]
        self.n_rows, self.fingerprint = sum(part.n_rows for part in parts), fingerprint
        self.shards: dict[bytes, Any] = {}  # see ``ColumnShards``
        self._n_pieces = 1
        unplaced = [part for part in self._parts if part.future is None]
        workforce.hold(unplaced)

    def make_all(self) -> None:
        """Wait until all parts are there; what they were made of can be forgotten then."""
        for _ in self.map(_nothing):
            pass

    def futures(self) -> list[Any]:
        """Return the parts themselves, as :class:`HeldRows`, wherever they are now."""
        return [part.future for part in self.parts]

    @property
    def parts(self) -> list[Held]:
        """The parts, all of them made or in the making."""
        self._workforce.settle(self._parts)
        return self._parts

    @property
    def are_held(self) -> bool:
        """Whether no part was let go."""
        return all(part.future is not None for part in self._parts)

    def let_go(self) -> None:
        """Let workers forget the parts; they are made again when somebody asks."""
        for part in self._parts:
            part.future = None

    @property
    def workforce(self) -> Workforce:
        """The workers."""
        return self._workforce

    def map(self, work: Callable[[Dataset], R], n_jobs: int | None = None) -> Iterator[R]:  # noqa: ARG002
        """See :meth:`Partitions.map`; the work is done where the parts are."""
        self._workforce.settle(self._parts)
        on_rows = functools.partial(_answer, work)
        questions = [Question(i, [part], on_rows) for i, part in enumerate(self._parts)]
        early: dict[int, R] = {}
        following = 0
        for i, answer in self._workforce.ask(questions, Pace(self.n_rows)):
            early[i] = answer
            while following in early:
                yield early.pop(following)
                following += 1

    def reduce(
        self,
        work: Callable[[Dataset], R],
        merge: Callable[[R, R], R],
        n_jobs: int | None = None,  # noqa: ARG002  the workers have threads of their own
    ) -> R:
        """See :meth:`Partitions.reduce`; as a rule only one answer of each worker comes back.

        Where the last question took long, each worker answers in several pieces, so that it can be
        said how far it is, and less is lost with a worker.
        """
        self._workforce.settle(self._parts)
        on_run: Callable[..., R] = functools.partial(_merged_answer, work, merge)
        pieces = in_pieces(runs(self._parts), self._n_pieces)
        questions = [Question(first, parts, on_run) for first, parts in pieces]
        began = time.monotonic()
        answers: dict[int, R] = dict(self._workforce.ask(questions, Pace(self.n_rows)))
        self._n_pieces = 1 + int((time.monotonic() - began) / _SECONDS_OF_PIECE)
        return functools.reduce(merge, (answers[first] for first in sorted(answers)))


def _nothing(_: Dataset) -> None:
    return None


def _answer(work: Callable[[Dataset], R], part: HeldRows) -> R:
    return work(part.data)


def _merged_answer(work: Callable[[Dataset], R], merge: Callable[[R, R], R], *parts: HeldRows) -> R:
    """Do some work on consecutive parts, with all threads of this worker, and merge the answers."""
    n_threads = min(_threads_of_worker(), len(parts))
    if n_threads == 1:
        return functools.reduce(merge, (work(part.data) for part in parts))
    with ThreadPoolExecutor(n_threads) as threads:
        return functools.reduce(merge, threads.map(work, [part.data for part in parts]))


def _threads_of_worker() -> int:
    from distributed import get_worker

    return int(get_worker().state.nthreads)
