"""A file that one process has to itself, and that is left in order whatever ends the process.

While a state file is in use a file ``<name>.lock`` beside it says by which process; another process
is refused, and a lock whose process is gone is taken over. SIGTERM ends the program as an exception
does, so that what was finished is written first.
"""

from __future__ import annotations

import signal
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self

from eiderdown.errors import OptionError
from eiderdown.locks import Lock

_TERMINATED = 128 + signal.SIGTERM


class ClaimedFile:
    """The place of a file, if there is one; used in a ``with`` statement it is this process's own.

    Attributes
    ----------
    path : Path or None
        The place.
    problem : str or None
        Why the file could not be written: what was found must not be lost for that.
    what : str
        What the file is called in sentences.
    """

    what: ClassVar[str] = "state file"

    def __init__(self, path: Path | None) -> None:
        if path is not None:
            _require_place(path, self.what)
        self.path = path
        self.problem: str | None = None
        self._lock = None if path is None else Lock(path)
        self._before: Any = None

    def __enter__(self) -> Self:
        if self._lock is not None:
            self._take(self._lock)
            self._clean()
            if _is_left_alone(signal.SIGTERM):
                self._before = signal.signal(signal.SIGTERM, _end)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._lock is not None:
            if self._before is not None:
                signal.signal(signal.SIGTERM, self._before)
            self._lock.release()

    def _take(self, lock: Lock) -> None:
        holder = lock.taken_by()
        if holder is not None:
            raise OptionError(
                f"The {self.what} {str(self.path)!r} is in use by {holder}; wait for it, or name "
                f"another file. If it has ended, delete {str(lock.path)!r}."
            )

    def _clean(self) -> None:
        """Remove what a process that was killed in the middle of writing has left."""
        assert self.path is not None
        left = [*self.path.parent.glob(f".{self.path.name[:40]}.*.part")]
        for part in (self.path.with_name(f"{self.path.name}.part"), *left):
            with suppress(OSError):
                part.unlink(missing_ok=True)

    def _note(self, problem: OSError, what: str) -> None:
        """Remember why the file could not be written, and that ``what`` is not in it."""
        self.problem = (
            f"Cannot write the {self.what} {str(self.path)!r} ({problem.strerror or problem}); "
            f"{what} in the result only."
        )


def _is_left_alone(number: signal.Signals) -> bool:
    """Whether nobody else handles a signal, and we can."""
    in_main = threading.current_thread() is threading.main_thread()
    return in_main and signal.getsignal(number) is signal.SIG_DFL


def _end(_number: int, _frame: Any) -> None:
    """End the program as an exception does, so that what was finished is written first."""
    raise SystemExit(_TERMINATED)


def _require_place(path: Path, what: str) -> None:
    try:
        if path.is_dir():
            raise OptionError(f"{str(path)!r} is a folder; name a file in it as {what}.")
        if path.parent.is_dir():
            return
    except OptionError:
        raise
    except (OSError, ValueError) as problem:
        raise OptionError(f"Cannot use such a {what} ({problem!s:.100}).") from None
    raise OptionError(
        f"There is no folder {str(path.parent)!r} for the {what} {path.name!r}; make it first."
    )
