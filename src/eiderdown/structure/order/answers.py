"""What scores answered, for several searches among orders, in one process or in two.

An answer follows from its question alone, so it does not matter who asked first, nor whether it
was heard of in time: the searches find the same either way. Processes tell each other what is new
through pipes that nobody waits for; what does not fit into a pipe is not told.
"""

from __future__ import annotations

import marshal
import os
from collections.abc import Callable
from contextlib import suppress
from struct import Struct
from typing import Any

_LENGTHS = Struct("<II")  # of a question and of its answer
_MOST_AT_ONCE = 4_096  # bytes that a pipe takes whole or not at all (PIPE_BUF of Linux)
_TOLD_FROM = 1_000  # bytes; less is told with what comes next
_ROOM = 1 << 20  # bytes that a pipe of Linux may hold
_SET_ROOM = 1031  # F_SETPIPE_SZ
_NOBODY = -1


class Answers:
    """Answers by question; numbers, tuples and lists of them.

    Examples
    --------
    >>> answers = Answers()
    >>> answers.of((1, 2), lambda: [3.0]), answers.of((1, 2), lambda: [4.0])
    ([3.0], [3.0])
    """

    def __init__(self) -> None:
        self._known: dict[bytes, bytes] = {}
        self._from = self._to = _NOBODY
        self._begun = self._untold = b""  # what was heard and told of in part

    def of(self, question: Any, compute: Callable[[], Any]) -> Any:
        """Return an answer, and compute it if nobody has."""
        key = marshal.dumps(question)
        known = self._known.get(key)
        if known is None and self._from != _NOBODY:
            self._listen()
            known = self._known.get(key)
        if known is not None:
            return marshal.loads(known)
        found = compute()
        self._known[key] = said = marshal.dumps(found)
        if self._to != _NOBODY:
            self._tell(key, said)
        return found

    def connect(self, ends: tuple[int, int]) -> None:
        """From now on listen to another process, and tell it what is new."""
        self._from, self._to = ends

    def disconnect(self) -> None:
        """Listen to nobody any more."""
        self._from = self._to = _NOBODY

    def _tell(self, key: bytes, answer: bytes) -> None:
        said = _LENGTHS.pack(len(key), len(answer)) + key + answer
        if len(said) + len(self._untold) <= _MOST_AT_ONCE:
            self._untold += said
        if len(self._untold) >= _TOLD_FROM:
            try:
                os.write(self._to, self._untold)
            except BlockingIOError:
                pass  # the pipe is full
            except OSError:
                self._to = _NOBODY  # the other one has ended
            self._untold = b""

    def _listen(self) -> None:
        try:
            more = os.read(self._from, _ROOM)
        except BlockingIOError:
            return  # nothing is new
        if not more:
            self._from = _NOBODY  # the other one has ended
        heard = self._begun + more
        at = 0
        while len(heard) >= at + _LENGTHS.size:
            of_key, of_answer = _LENGTHS.unpack_from(heard, at)
            start = at + _LENGTHS.size
            end = start + of_key + of_answer
            if len(heard) < end:
                break
            self._known[heard[start : start + of_key]] = heard[start + of_key : end]
            at = end
        self._begun = heard[at:]


class Pipes:
    """Two pipes between two processes: to read from and to write to, here and there."""

    def __init__(self) -> None:
        import fcntl  # only where there are forks

        (from_there, to_here), (from_here, to_there) = os.pipe(), os.pipe()
        self.here, self.there = (from_there, to_there), (from_here, to_here)
        for end in (*self.here, *self.there):
            os.set_blocking(end, False)
        for end in (to_here, to_there):
            with suppress(OSError):  # a user may be allowed less
                fcntl.fcntl(end, _SET_ROOM, _ROOM)

    def close(self) -> None:
        """Close all ends that this process has."""
        for end in (*self.here, *self.there):
            os.close(end)
