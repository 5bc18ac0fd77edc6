"""Processes forked off this one, for work of which much is Python.

Kernels run without Python's lock, all else holds it, so that threads share out kernels only. A
forked process has a lock of its own. It begins with everything that is here: tables (no page of
which is copied until somebody writes to it), compiled kernels, functions that could not be pickled.
Forking takes some milliseconds; what comes back is pickled.

A fork copies the thread that asks for it and no other, so a lock that another one holds stays
locked in the new process for ever. Therefore only the main thread forks; what compiles is held
meanwhile (:func:`held_while_forking`); pools of threads are not used in a forked process
(:func:`is_forked`), nor is anything that prints or talks to others. Who waits for an answer should
be ready to do without it. Where there is no safe fork (macOS, Windows, another thread, beside a
client of Dask), callers use threads.
"""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

_Item = TypeVar("_Item")
_Outcome = TypeVar("_Outcome")

_DIES_WITH_PARENT = 1  # of prctl(2)

_state = {"is_forked": False}


class _Lock(Protocol):
    def acquire(self) -> bool: ...
    def release(self) -> None: ...


def is_forked() -> bool:
    """Whether this is a process of :class:`ForkedWorker`, in which no threads are to be woken."""
    return _state["is_forked"]


def can_fork() -> bool:
    """Whether this thread may fork processes.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(1) as pool:
    ...     pool.submit(can_fork).result()
    False
    """
    in_main_thread = threading.current_thread() is threading.main_thread()
    return sys.platform == "linux" and in_main_thread and not is_forked() and not _has_dask_client()


def _has_dask_client() -> bool:
    """Whether there is a client of Dask, whose threads talk to a scheduler."""
    kind = getattr(sys.modules.get("distributed"), "Client", None)
    return any(client.status != "closed" for client in getattr(kind, "_instances", ()))


def held_while_forking(lock: _Lock) -> None:
    """Let forks wait until nobody holds a lock, so that it is free in the new process."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(
            before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release
        )


@contextmanager
def uncollected() -> Iterator[None]:
    """Leave what there is now out of garbage collections, beside forked processes.

    A collection writes to every object that it looks at, so that all pages would be copied, which
    can take a tenth of a second.
    """
    if gc.get_freeze_count():  # somebody did so before, and may mean it to last
        yield
        return
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


class WorkerLostError(Exception):
    """A forked process gave no answer: it was killed, or what it had cannot be pickled."""


class ForkedWorker(Generic[_Item, _Outcome]):
    """A process that calls a function on items, one at a time, with what was known at the fork.

    Call it from one thread at a time; it waits without Python's lock. What the function changes in
    the process stays there. Leave its context to end the process, whatever it does at the time.

    Parameters
    ----------
    function : callable
        What to call; items and outcomes are pickled, it is not.

    Examples
    --------
    >>> if can_fork():
    ...     with ForkedWorker(lambda number: number**2) as squared:
    ...         assert squared(3) == 9
    """

    def __init__(self, function: Callable[[_Item], _Outcome]) -> None:
        from multiprocessing import Pipe  # which every start would take milliseconds for

        self._ours, theirs = Pipe()
        self._calling, self._ending, parent = threading.Lock(), threading.Lock(), os.getpid()
        with _no_signals(), warnings.catch_warnings():
            # Python 3.12 warns of locks that other threads hold; see above for why none matters.
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = _fork()
            if pid == 0:
                try:
                    self._ours.close()
                    _settle(parent)
                    _serve(function, theirs)
                finally:
                    os._exit(0)  # without what is done at the end of the process that forked
        self._pid = pid or 0
        theirs.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __call__(self, item: _Item) -> _Outcome:
        """Return the outcome, or raise what the function raised."""
        with self._calling:
            self.begin(item)
            return self.outcome()

    def begin(self, item: _Item) -> None:
        """Let the process call the function, and do not wait for the outcome."""
        try:
            self._ours.send(item)
        except Exception as lost:  # pickling can end in any
            raise WorkerLostError from lost

    def is_done(self, seconds: float = 0.0) -> bool:
        """Wait so long, at most, and tell whether the outcome is there, or the process lost."""
        return self._ours.poll(seconds)

    def outcome(self) -> _Outcome:
        """Wait for what was begun; return the outcome, or raise what the function raised."""
        try:
            outcome, problem = self._ours.recv()
        except Exception as lost:  # unpickling can end in any
            raise WorkerLostError from lost
        if problem is not None:
            raise problem
        return outcome  # type: ignore[no-any-return]

    def end(self) -> None:
        """End the process without waiting until it is gone, which takes it milliseconds.

        Whoever waits for an outcome sees :class:`WorkerLostError`.
        """
        with self._ending:
            if self._pid:
                with suppress(ProcessLookupError):  # gone, where SIGCHLD is ignored
                    os.kill(self._pid, signal.SIGKILL)

    def close(self) -> None:
        """End the process, and wait until it is gone."""
        self.end()
        with self._ending:
            pid, self._pid = self._pid, 0
        if pid:
            with suppress(ChildProcessError):  # nobody to wait for, where SIGCHLD is ignored
                os.waitpid(pid, 0)
        with self._calling:  # not while somebody reads, who sees the end by now
            self._ours.close()


def _fork() -> int | None:
    """Return the number of a new process, or 0 in it; None if the system allows none."""
    try:
        return os.fork()
    except OSError:  # no memory, or too many processes
        return None


@contextmanager
def _no_signals() -> Iterator[None]:
    """Let signals wait, so that no handler of this process runs in a new one."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _settle(parent: int) -> None:
    """Make this process one that works for another: silent, and gone when that one is."""
    _state["is_forked"] = True
    gc.freeze()  # collecting what was there before the fork would copy its pages
    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever forked is told, and ends this
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    ctypes.CDLL(None).prctl(_DIES_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:  # it was gone before
        os._exit(0)


def _serve(function: Callable[[Any], Any], items: Connection) -> None:
    """Answer until nobody asks any more, or an answer cannot be sent."""
    while True:
        items.send(_answer(function, items.recv()))


def _answer(function: Callable[[Any], Any], item: Any) -> tuple[Any, BaseException | None]:
    try:
        return function(item), None
    except BaseException as problem:  # whoever asked is to see it
        return None, problem
