"""Progress on stderr, for whatever takes more than a second."""

from __future__ import annotations

import sys
import threading
from types import TracebackType
from typing import TextIO

from eiderdown.local import Trace

_PATIENCE = 1.0  # seconds of silence before anything is shown


class ProgressTrace(Trace):
    """Shows one changing line while a search runs; says nothing about quick ones.

    Parameters
    ----------
    what : str
        What is being done.
    shown : bool
        Whether to show anything at all.
    counted : str
        What the numbers count.
    stream : TextIO or None
        Where to; stderr by default.
    """

    def __init__(
        self, what: str, *, shown: bool, counted: str = "members", stream: TextIO | None = None
    ) -> None:
        self._what = what
        self._counted = counted
        self._stream = stream or sys.stderr
        self._step = "preparing (the first run also compiles the counting kernels)"
        self._speaking = False
        self._lock = threading.Lock()
        self._timer = threading.Timer(_PATIENCE, self._begin) if shown else None

    def __enter__(self) -> ProgressTrace:
        if self._timer is not None:
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
        with self._lock:
            if self._speaking:
                self._speaking = False
                if self._stream.isatty():
                    self._stream.write("\n")
                    self._stream.flush()

    def progressed(self, phase: str, n_members: int) -> None:
        """Show the phase and how many members there are."""
        with self._lock:
            self._step = f"{phase}, {n_members} {self._counted}"
            self._show()

    def _begin(self) -> None:
        with self._lock:
            self._speaking = True
            self._show()

    def _show(self) -> None:
        if self._speaking:
            line = f"{self._what}: {self._step}"
            start, end = ("\r\x1b[2K", "") if self._stream.isatty() else ("", "\n")
            self._stream.write(f"{start}{line}{end}")
            self._stream.flush()
