"""The next items of an iterator, made in a thread of their own while the last one is worked on."""

from __future__ import annotations

from collections.abc import Iterator
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import Any, Final, TypeVar

T = TypeVar("T")

_END: Final = object()
_PAUSE: Final = 0.1  # seconds between two looks whether nobody wants more


def read_ahead(items: Iterator[T], n_ahead: int) -> Iterator[T]:
    """Yield the items of an iterator, up to so many of which are made before they are asked for.

    Examples
    --------
    >>> list(read_ahead(iter("abc"), 1))
    ['a', 'b', 'c']
    """
    made: Queue[Any] = Queue(n_ahead)
    unwanted = Event()
    thread = Thread(target=_make, args=(items, made, unwanted), daemon=True)
    thread.start()
    try:
        while True:
            item, problem = made.get()
            if problem is not None:
                raise problem
            if item is _END:
                return
            yield item
    finally:
        unwanted.set()
        while thread.is_alive():
            try:
                made.get(timeout=_PAUSE)  # it may wait for room
            except Empty:
                continue


def _make(items: Iterator[T], made: Queue[Any], unwanted: Event) -> None:
    try:
        for item in items:
            if not _put(made, (item, None), unwanted):
                return
        _put(made, (_END, None), unwanted)
    except BaseException as problem:  # which whoever asks for the next item is to see
        _put(made, (None, problem), unwanted)


def _put(made: Queue[Any], item: Any, unwanted: Event) -> bool:
    while not unwanted.is_set():
        try:
            made.put(item, timeout=_PAUSE)
        except Full:
            continue
        return True
    return False
