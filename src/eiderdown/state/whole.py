"""A state file that holds one result, which grows: it is written anew every few seconds.

It is written once more whatever ends the work: its last step, a time limit, Ctrl-C, SIGTERM or an
error. It is written beside its place and then renamed (:mod:`eiderdown.files`), so that even
SIGKILL leaves the file of some seconds ago.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from eiderdown.state.lock import ClaimedFile

PAUSE = 5.0
"""Seconds between two writings of a state file."""

_FIRST_PAUSE = 1.0


class Saved(Protocol):
    """A result that can write itself."""

    def save(self, path: Path) -> None: ...  # noqa: D102


class StateFile(ClaimedFile):
    """Keeps the work so far in a file, if there is one, and writes it every ``pause`` seconds.

    Used in a ``with`` statement it has the file to itself. ``problem`` says why it could not be
    written.
    """

    def __init__(self, path: Path | None, *, pause: float = PAUSE) -> None:
        super().__init__(path)
        self._pause = pause
        self._next_time = time.monotonic() + min(pause, _FIRST_PAUSE)

    def keep(self, result: Callable[[], Saved]) -> None:
        """Write the work so far, if it is time for that."""
        started = time.monotonic()
        if self.path is None or started < self._next_time:
            return
        self.write(result())
        ended = time.monotonic()
        self._next_time = ended + max(self._pause, 10.0 * (ended - started))

    def write(self, result: Saved) -> None:
        """Write the work so far."""
        if self.path is None:
            return
        try:
            result.save(self.path)
            self.problem = None
        except OSError as problem:
            self._note(problem, "the runs are")
