"""Progress on stderr, for whatever takes more than a second."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import TextIO

from eiderdown.boundary.trace import Trace

_PATIENCE = 1.0  # seconds of silence before anything is shown
_PAUSE_ON_TERMINAL = 0.1  # seconds between two changes of the line
_PAUSE_IN_LOG = 10.0  # seconds between two lines where they pile up


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
        self._shown_step = ""
        self._next_time = 0.0
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
                if self._step != self._shown_step:
                    self._next_time = 0.0
                    self._show()
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
        now = time.monotonic()
        if not self._speaking or now < self._next_time:
            return
        on_terminal = self._stream.isatty()
        self._next_time = now + (_PAUSE_ON_TERMINAL if on_terminal else _PAUSE_IN_LOG)
        start, end = ("\r\x1b[2K", "") if on_terminal else ("", "\n")
        self._stream.write(f"{start}{self._what}: {self._step}{end}")
        self._shown_step = self._step
        self._stream.flush()
