"""Parts of a table that workers hold, and questions about some of them."""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Packed(Generic[T]):
    """Something that is sent in one piece, made bytes once, however many it is sent to.

    Dask sends every array by itself, however small: what has some for each column of a wide table
    takes seconds. Columns are much alike, so that a tenth of the bytes will do.
    """

    def __init__(self, content: T) -> None:
        whole = pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL)
        self._bytes = zlib.compress(whole, level=1)

    def unpacked(self) -> T:
        """Make it again."""
        content: T = pickle.loads(zlib.decompress(self._bytes))
        return content


@dataclass(eq=False)
class Held:
    """Something that a worker holds, and how it is made.

    Attributes
    ----------
    make : callable or None
        Makes it on a worker; None for something that is here, and sent as it is.
    args : tuple
        What ``make`` takes; delayed values and futures among them are computed first. What is large
        and neither is better a part of ``make``: Dask looks through all that it holds. A function
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


def homes_of(n_rows: Sequence[int], threads: dict[str, int]) -> list[str]:
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


def runs(parts: Sequence[Held]) -> list[tuple[int, list[Held]]]:
    """Put consecutive parts of the same worker together, each run with its first part's number."""
    found: list[tuple[int, list[Held]]] = []
    for i, part in enumerate(parts):
        if found and found[-1][1][-1].home == part.home:
            found[-1][1].append(part)
        else:
            found.append((i, [part]))
    return found


def in_pieces(found: Sequence[tuple[int, list[Held]]], n_each: int) -> list[tuple[int, list[Held]]]:
    """Cut each run of parts into so many shorter ones, as far as it has parts.

    Examples
    --------
    >>> [(first, len(parts)) for first, parts in in_pieces([(0, [None] * 5), (5, [None])], 2)]
    [(0, 3), (3, 2), (5, 1)]
    """
    pieces = []
    for first, parts in found:
        size = -(-len(parts) // max(1, n_each))
        pieces += [(first + at, parts[at : at + size]) for at in range(0, len(parts), size)]
    return pieces
