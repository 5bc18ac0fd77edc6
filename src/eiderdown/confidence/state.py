"""The file in which runs are kept while they are made: nothing that was finished is lost.

A state file is a saved FeatureConfidence. It is written every few seconds, and once more whatever
ends the runs: their number, a time limit, Ctrl-C, SIGTERM or an error. It is written beside its
place and then renamed (:mod:`eiderdown.files`), so that even SIGKILL leaves the file of some
seconds ago. While it is in use a file ``<name>.lock`` beside it says by which process; another
process is refused, and a lock whose process is gone is taken over.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias

from eiderdown.errors import OptionError
from eiderdown.locks import Lock
from eiderdown.results import FeatureConfidence

SavedRuns: TypeAlias = FeatureConfidence | str | Path

PAUSE = 5.0
"""Seconds between two writings of a state file."""

_FIRST_PAUSE = 1.0
_TERMINATED = 128 + signal.SIGTERM


class StateFile:
    """Keeps the runs so far in a file, if there is one, and writes it every ``pause`` seconds.

    Used in a ``with`` statement it has the file to itself. ``problem`` says why it could not be
    written: the runs must not be lost for that.
    """

    def __init__(self, path: Path | None, *, pause: float = PAUSE) -> None:
        if path is not None:
            _require_place(path)
        self.path = path
        self.problem: str | None = None
        self._pause = pause
        self._next_time = time.monotonic() + min(pause, _FIRST_PAUSE)
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
                f"The state file {str(self.path)!r} is in use by {holder}; wait for it, or name "
                f"another file. If it has ended, delete {str(lock.path)!r}."
            )

    def earlier(self) -> FeatureConfidence | None:
        """Read what the file holds, if it is there."""
        if self.path is None or not self.path.exists():
            return None
        return FeatureConfidence.load(self.path)

    def keep(self, result: Callable[[], FeatureConfidence]) -> None:
        """Write the runs so far, if it is time for that."""
        started = time.monotonic()
        if self.path is None or started < self._next_time:
            return
        self.write(result())
        ended = time.monotonic()
        self._next_time = ended + max(self._pause, 10.0 * (ended - started))

    def write(self, result: FeatureConfidence) -> None:
        """Write the runs."""
        if self.path is None:
            return
        try:
            result.save(self.path)
            self.problem = None
        except OSError as problem:
            self.problem = (
                f"Cannot write the state file {str(self.path)!r} ({problem.strerror or problem}); "
                "the runs are in the result only."
            )

    def _clean(self) -> None:
        """Remove what a process that was killed in the middle of writing has left."""
        assert self.path is not None
        left = [*self.path.parent.glob(f".{self.path.name[:40]}.*.part")]
        for part in (self.path.with_name(f"{self.path.name}.part"), *left):
            with suppress(OSError):
                part.unlink(missing_ok=True)


def _is_left_alone(number: signal.Signals) -> bool:
    """Whether nobody else handles a signal, and we can."""
    in_main = threading.current_thread() is threading.main_thread()
    return in_main and signal.getsignal(number) is signal.SIG_DFL


def _end(_number: int, _frame: Any) -> None:
    """End the program as an exception does, so that what was finished is written first."""
    raise SystemExit(_TERMINATED)


def _require_place(path: Path) -> None:
    try:
        if path.is_dir():
            raise OptionError(f"{str(path)!r} is a folder; name a file in it as state.")
        if path.parent.is_dir():
            return
    except OptionError:
        raise
    except (OSError, ValueError) as problem:
        raise OptionError(f"Cannot use such a state file ({problem!s:.100}).") from None
    raise OptionError(
        f"There is no folder {str(path.parent)!r} for the state file {path.name!r}; make it first."
    )


def read_saved(resume: SavedRuns | None, state: StateFile) -> FeatureConfidence | None:
    """Return the runs to go on from, wherever they are, or None."""
    kept = state.earlier()
    if resume is None:
        return kept
    if kept is not None:
        raise OptionError(
            f"Both resume and the state file {str(state.path)!r} hold earlier runs; give one of "
            "the two."
        )
    return resume if isinstance(resume, FeatureConfidence) else FeatureConfidence.load(resume)
