"""What is printed goes where it can: to a pipe that nobody reads any more, or to a full disk.

By the time anything is printed, the files that were asked for are written. A reader that has seen
enough (``| head -1``) is then no error, and a disk that is full is told once, at the end. Letters
that the terminal's encoding does not have are written as escapes.
"""

from __future__ import annotations

import io
import select
import sys
from typing import Literal

from eiderdown.files import reason_of


class Forgiving(io.FileIO):
    """The output of a program; what cannot be written is dropped, and the reason remembered."""

    reason = ""
    _given_up = False

    def write(self, content: object) -> int:
        """Write, or drop everything from now on."""
        n_bytes = memoryview(content).nbytes  # type: ignore[arg-type]
        if self._given_up:
            return n_bytes
        try:
            while (written := super().write(content)) is None:  # type: ignore[arg-type]
                select.select([], [self], [])  # a reader that is slow, where nobody waits for it
            return written
        except BrokenPipeError:
            self._given_up = True
        except OSError as problem:
            self._given_up, self.reason = True, reason_of(problem)
        return n_bytes


def forgive(name: Literal["stdout", "stderr"]) -> Forgiving | None:
    """Put a forgiving stream in the place of a standard one, unless that is something special."""
    stream = getattr(sys, name)
    buffer = getattr(stream, "buffer", None)
    raw = getattr(buffer, "raw", buffer)  # without a buffer of bytes where Python was told so
    if type(raw) is not io.FileIO:
        return None
    forgiving = Forgiving(raw.fileno(), "wb", closefd=False)
    put = io.TextIOWrapper(
        io.BufferedWriter(forgiving),
        encoding=stream.encoding,
        errors="backslashreplace",
        line_buffering=stream.line_buffering or stream.write_through or name == "stderr",
    )
    setattr(sys, name, put)
    return forgiving
