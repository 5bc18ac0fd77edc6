"""Work within a kernel, shared with threads that wait inside compiled code.

    @kernel("void(const(float64[::1]), float64[::1], int64)")
    def _halve(numbers, halves, i):
        halves[i] = numbers[i] / 2.0

    @kernel("void(int64[::1], const(float64[::1]), float64[::1])")
    def halve_all(board, numbers, halves):
        share(board, numbers.shape[0], _halve, (numbers, halves))

    with waiting_threads(n_jobs) as board:
        halve_all(board, numbers, halves)

To wake a thread of a pool takes some 50 microseconds, more than most steps of a search take, and so
does handing over Python's lock. Threads that wait here are inside a kernel, without that lock, and
look at a word of memory, the *ticket* on a *board*. Whoever shares work writes there where its code
and its arguments are and how many items there are; then everybody takes items until none is left.
That costs less than a microsecond, so that items of a few microseconds are worth sharing.

Items do not depend on each other and write to places of their own, so answers do not depend on who
does what. The thread that shares work does items, too, and waits for nothing but those that others
have taken. So nothing hangs if nobody waits, or in a forked process, where nobody does.

A thread without work looks for it for about a millisecond, then between naps, and sleeps after some
20 milliseconds, still in compiled code: the next who has work wakes it, and lets it begin on
another core (:mod:`eiderdown.cores`). Where the system has no semaphore for that (macOS, Windows)
it leaves, and another one is called.
"""

from __future__ import annotations

import _thread
import atexit
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, get_native_id
from typing import Any

import numpy as np

from eiderdown.arrays import IntArray, apart
from eiderdown.cores import begin_elsewhere, without_signals
from eiderdown.forked import held_while_forking, is_forked
from eiderdown.instructions import (
    add_to_word,
    instruction,
    nap,
    pause,
    read_word,
    sleep_until_woken,
    step_back,
    wake_one,
    write_word,
)
from eiderdown.kernel_addresses import call_at, entry
from eiderdown.kernels import Kernel, kernel

MOST_THREADS = 8
"""That do the items of one kernel, the one that shares them included."""

# Words of a board; those that different threads write are on cache lines of their own.
_TICKET = 0  # number of the job, of its items, and of the next item: 15, 24 and 24 bits
_N_DONE, _N_FAILED = 16, 17
_CODE, _ARGUMENTS = 32, 33  # addresses
N_OTHERS = 34  # who may take items
_N_WAITING = 48
_CLOSED = 56  # whether nobody is to wait any more
_N_ASLEEP, _N_CALLED = 64, 65  # how many sleep, and how many of these are to wake
_SEMAPHORE = 72
_N_WORDS = 80

_N_BITS = 24
_MOST_ITEMS = (1 << _N_BITS) - 1
_MOST_JOBS = (1 << 15) - 1

_N_LOOKS, _N_NAPS = 30_000, 200
_MOST_HELPED = 2_000  # jobs, until somebody looks whether Ctrl-C was pressed
_FAREWELL = 1.0  # seconds at most that a process waits for its threads when it ends
_NAP = 50  # microseconds, to which the system adds about as many


@kernel("void(int64[::1])", inner=True)
def _take_items(board):
    """Do items until all are taken."""
    while True:
        ticket = read_word(board, _TICKET)
        if (ticket & _MOST_ITEMS) >= ((ticket >> _N_BITS) & _MOST_ITEMS):
            return
        ticket = add_to_word(board, _TICKET, 1)  # of a later job, perhaps, which is as good
        item = ticket & _MOST_ITEMS
        if item >= ((ticket >> _N_BITS) & _MOST_ITEMS):
            return
        if call_at(board[_CODE], board[_ARGUMENTS], item) != 0:
            add_to_word(board, _N_FAILED, 1)
        add_to_word(board, _N_DONE, 1)


@kernel("int64(int64[::1])", inner=True)
def n_others(board):
    """Return how many others may take items, now or when a thread that was called has come."""
    return read_word(board, N_OTHERS)


@kernel("int64(int64[::1])", inner=True)
def n_jobs_posted(board):
    """Return how often work was posted, up to 32,767."""
    return board[_TICKET] >> (2 * _N_BITS)


@kernel("int64(int64[::1], int64, int64, int64)", inner=True)
def _do_items(board, n_items, code, arguments):
    """Do all items, together with whoever waits; return how many of them raised."""
    if n_items < 2 or n_items > _MOST_ITEMS or n_others(board) == 0:
        n_failed = 0
        for item in range(n_items):
            if call_at(code, arguments, item) != 0:
                n_failed += 1
        return n_failed
    board[_CODE], board[_ARGUMENTS] = code, arguments
    board[_N_DONE], board[_N_FAILED] = 0, 0
    job = (n_jobs_posted(board) + 1) & _MOST_JOBS
    write_word(board, _TICKET, (job << (2 * _N_BITS)) | (n_items << _N_BITS))
    _take_items(board)
    n_looks = 0
    while read_word(board, _N_DONE) < n_items:
        pause()
        n_looks += 1
        if n_looks > _N_LOOKS:  # whoever has taken an item may have no core
            step_back()
    return board[_N_FAILED]


@kernel("boolean(int64[::1])", inner=True)
def _sleep(board):
    """Sleep until there is work; False where that is not possible."""
    add_to_word(board, _N_ASLEEP, 1)
    is_woken = sleep_until_woken(board, _SEMAPHORE) == 0
    add_to_word(board, _N_ASLEEP, -1)
    if is_woken:
        add_to_word(board, _N_CALLED, -1)
    return is_woken


@kernel("void(int64[::1], int64)")
def _wake(board, n):
    """Let so many of those who sleep come back."""
    for _ in range(n):
        add_to_word(board, _N_CALLED, 1)
        wake_one(board, _SEMAPHORE)


@kernel("void(int64[::1])")
def _wait_for_work(board):
    """Do items whenever there are some, until all are sent home."""
    add_to_word(board, _N_WAITING, 1)
    n_looks, n_naps = 0, 0
    while read_word(board, _CLOSED) == 0:
        ticket = read_word(board, _TICKET)
        if (ticket & _MOST_ITEMS) < ((ticket >> _N_BITS) & _MOST_ITEMS):
            _take_items(board)
            n_looks, n_naps = 0, 0
        elif n_looks < _N_LOOKS:
            pause()
            n_looks += 1
        elif n_naps < _N_NAPS:
            nap(_NAP)
            n_naps += 1
        elif _sleep(board):
            n_looks, n_naps = 0, 0
        else:
            break
    add_to_word(board, _N_WAITING, -1)


@kernel("int64(int64[::1])")
def _help(board):
    """Do items until all work has ended, or there are none for a while; return of how many jobs."""
    add_to_word(board, N_OTHERS, 1)
    n_jobs = n_looks = 0
    while read_word(board, _CLOSED) == 0 and n_looks < _N_LOOKS and n_jobs < _MOST_HELPED:
        ticket = read_word(board, _TICKET)
        if (ticket & _MOST_ITEMS) < ((ticket >> _N_BITS) & _MOST_ITEMS):
            _take_items(board)
            n_jobs, n_looks = n_jobs + 1, 0
        else:
            pause()
            n_looks += 1
    add_to_word(board, N_OTHERS, -1)
    return n_jobs


def _share_as_python(
    _board: IntArray, n_items: int, item: Callable[..., None], args: tuple[Any, ...]
) -> None:
    for i in range(n_items):
        item(*args, i)


@instruction(_share_as_python)
def share(typing: Any, board: Any, _n_items: Any, item: Any, args: Any) -> tuple[Any, Any]:
    """Call ``item(*args, i)``, a kernel, for each i below the number of items; see the module."""
    from numba import types

    of_item = item.get_call_type(typing, (*args, types.int64), {})
    do_items = _do_items._numba_type_
    of_all = do_items.get_call_type(typing, (board, *[types.int64] * 3), {})

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        from llvmlite import ir
        from numba.core import cgutils

        word = ir.IntType(64)
        items = item.dispatcher.overloads[of_item.args]
        all_items = do_items.dispatcher.overloads[of_all.args]
        context.add_linking_libs([items.library, all_items.library])
        function = entry(context, builder.module, items.fndesc, of_item, signature.args[3])
        place = cgutils.alloca_once_value(builder, values[3])
        addresses = [builder.ptrtoint(one, word) for one in (function, place)]
        n_failed = context.call_internal(
            builder, all_items.fndesc, of_all, [values[0], values[1], *addresses]
        )
        with cgutils.if_unlikely(builder, builder.icmp_signed(">", n_failed, word(0))):
            context.call_conv.return_user_exc(
                builder, IndexError, ("an item of shared work is out of bounds",)
            )
        return context.get_dummy_value()

    return types.void(board, types.int64, item, args), code


# --- threads -------------------------------------------------------------------------------------

NOBODY: IntArray = np.zeros(_N_WORDS, dtype=np.int64)
"""The board of whoever shares work with nobody."""

_BOARD: IntArray = apart(np.zeros(_N_WORDS, dtype=np.int64))
_IN_USE = Lock()
held_while_forking(_IN_USE)
_threads = {"n": 0}  # that wait or sleep
_thread_ids: set[int] = set()  # what the system calls them


@contextmanager
def waiting_threads(n_jobs: int, of: Kernel | None = None) -> Iterator[IntArray]:
    """Give a board on which kernels share work with others, so many threads altogether.

    Where it is said of which kernel and that is not compiled, there are no others: what is so small
    that it is done in Python is not worth compiling what they wait in.

    One thread at a time has others; on the board that the rest gets, all is done by who shares it.
    Hold it for one kernel, or a few; whoever holds it longer calls those back that have left.
    """
    alone = n_jobs == 1 or is_forked() or (of is not None and not of.is_ready)
    if alone or not _IN_USE.acquire(blocking=False):
        yield NOBODY
        return
    try:
        _BOARD[N_OTHERS] = min(n_jobs, MOST_THREADS) - 1
        call_back(_BOARD, n_jobs)
        yield _BOARD
    finally:
        _IN_USE.release()


def call_back(board: IntArray, n_jobs: int) -> None:
    """Let there be so many threads at a board that is held; nothing where nobody waits."""
    n_others = min(n_jobs, MOST_THREADS) - 1
    if board is not _BOARD:
        return
    n_asleep = int(board[_N_ASLEEP] - board[_N_CALLED])
    if n_asleep > 0:
        _wake(board, min(n_asleep, n_others - (_threads["n"] - n_asleep)))
        for thread_id in tuple(_thread_ids):
            begin_elsewhere(thread_id)
    if _threads["n"] == 0:
        for one in (_wait_for_work, _wake):
            one.compile()  # in no thread that a fork waits for
    while _threads["n"] < n_others:
        _threads["n"] += 1
        _thread.start_new_thread(_wait, ())


class SharedWork:
    """Work whose kernels share items with threads that happen to wait for its end.

    Attributes
    ----------
    board : IntArray
        What these kernels are given.
    """

    def __init__(self) -> None:
        self.board: IntArray = apart(np.zeros(_N_WORDS, dtype=np.int64))

    def end(self) -> None:
        """Send home who helps."""
        self.board[_CLOSED] = 1

    def help(self) -> bool:
        """Do items until the work ends, or a while; return whether there were any."""
        return bool(_help(self.board))


@contextmanager
def nobody_waits(indeed: bool) -> Iterator[None]:
    """Let kernels share no work, because another process works on the other cores."""
    held = indeed and _IN_USE.acquire(blocking=False)
    try:
        yield
    finally:
        if held:
            _IN_USE.release()


def _wait() -> None:
    number = get_native_id()
    _thread_ids.add(number)
    try:
        with without_signals():
            _wait_for_work(_BOARD)
    finally:
        _thread_ids.discard(number)
        _threads["n"] -= 1


@atexit.register
def _send_home() -> None:
    """Let nobody come back from compiled code to an interpreter that is no more: that may crash."""
    _BOARD[_CLOSED] = 1
    if _BOARD[_N_ASLEEP]:
        _wake(_BOARD, int(_BOARD[_N_ASLEEP]))
    until = time.monotonic() + _FAREWELL
    while _threads["n"] > 0 and not is_forked() and time.monotonic() < until:
        time.sleep(0.0003)


def _forget() -> None:
    """In a forked process nobody waits."""
    _threads["n"] = 0
    _thread_ids.clear()
    _BOARD[:] = 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
