"""The second of two chains of restarts: in a thread of its own, or after the first.

Which it is changes nothing but the time: a part of a chain follows from the parts before it.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, Self, TypeVar

from eiderdown.progress import Cancellation, carried

_Part = TypeVar("_Part")
_Reached = TypeVar("_Reached")


class SecondChain(Generic[_Part, _Reached]):
    """Begins parts of a chain, and tells what they reached.

    Parameters
    ----------
    go : callable
        Goes through a part.
    cancellation : Cancellation
        Ends the chain, and nothing else.
    in_thread : bool
        Whether it has a thread of its own.
    """

    def __init__(
        self, go: Callable[[_Part], _Reached], cancellation: Cancellation, *, in_thread: bool
    ) -> None:
        self._go, self._cancellation = carried(go), cancellation
        self._pool = ThreadPoolExecutor(1) if in_thread else None
        self._begun: Future[_Reached] | Callable[[], _Reached]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._cancellation.cancel()
        if self._pool is not None:
            self._pool.shutdown()

    def begin(self, part: _Part) -> None:
        """Begin with a part; of a chain without a thread, only make a note of it."""
        if self._pool is None:
            self._begun = lambda: self._go(part)
        else:
            self._begun = self._pool.submit(self._go, part)

    def reached(self, *, cancelled: bool) -> _Reached:
        """Return what the part reached, or how far it came if the search was cancelled."""
        if cancelled:
            self._cancellation.cancel()
        return self._begun.result() if isinstance(self._begun, Future) else self._begun()
