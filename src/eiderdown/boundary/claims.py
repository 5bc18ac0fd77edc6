"""Numbers of work that is left, from which processes take, each number once.

They lie in a pipe, which gives what was put in to whoever reads first, whole and in order.
"""

from __future__ import annotations

import os
import select
from typing import Final

_BYTES: Final = 4  # of a number; thousands of them fit into a pipe


class Claims:
    """Numbers to take; made before a process is forked, both have the same.

    Examples
    --------
    >>> claims = Claims()
    >>> claims.put(7)
    >>> claims.take(), claims.take()
    (7, None)
    >>> claims.close()
    """

    def __init__(self) -> None:
        self._outlet, self._inlet = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._filled = select.poll()
        self._filled.register(self._outlet, select.POLLIN)

    def put(self, number: int) -> None:
        """Put a number behind the others."""
        os.write(self._inlet, number.to_bytes(_BYTES, "little"))

    def take(self) -> int | None:
        """Take the next number; None if there is none."""
        try:
            return int.from_bytes(os.read(self._outlet, _BYTES), "little")
        except BlockingIOError:
            return None

    def wait(self) -> None:
        """Wait until there is a number; somebody else may take it sooner."""
        self._filled.poll()

    def close(self) -> None:
        """Let go of both ends."""
        os.close(self._outlet)
        os.close(self._inlet)
