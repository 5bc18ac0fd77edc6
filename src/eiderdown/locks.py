"""A file that says which process uses another; one whose process is gone is taken over."""

from __future__ import annotations

import json
import os
import platform
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

_UNWRITTEN = 10.0  # seconds that a process may take from making its lock to signing it


class Lock:
    """Says which process uses a file or a folder, in ``<name>.lock`` beside it."""

    def __init__(self, path: Path) -> None:
        self.path = path.with_name(f"{path.name}.lock")
        self._taken = False

    def taken_by(self) -> str | None:
        """Sign the lock; return None, or which process has signed it before."""
        for _ in range(3):
            try:
                handle = os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
            except FileExistsError:
                holder = self._holder()
                if holder is not None:
                    return holder
                with suppress(OSError):
                    self.path.unlink(missing_ok=True)
                continue
            except OSError:
                return None  # where no lock can be made no file can be written, which is said later
            try:
                os.write(handle, json.dumps(_this_process()).encode())
            finally:
                os.close(handle)
            self._taken = True
            return None
        return "another process"

    def release(self) -> None:
        """Remove the lock, if it is ours."""
        if self._taken:
            self._taken = False
            with suppress(OSError):
                self.path.unlink(missing_ok=True)

    def _holder(self) -> str | None:
        """Say which process uses the file; None if it has ended."""
        try:
            signed = json.loads(self.path.read_text(encoding="utf-8"))
            pid, host, started = int(signed["pid"]), str(signed["host"]), signed["started"]
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError):
            with suppress(OSError):
                if time.time() - self.path.stat().st_mtime > _UNWRITTEN:
                    return None
            return "another process"
        if host != platform.node():
            return f"process {pid} on {host!r}"
        return f"process {pid}" if _is_alive(pid, started) else None


def _this_process() -> dict[str, Any]:
    pid = os.getpid()
    return {"pid": pid, "host": platform.node(), "started": _started(pid)}


def _started(pid: int) -> str | None:
    """Return when a process began, where the system tells: numbers are used again."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return None


def _is_alive(pid: int, started: Any) -> bool:
    if os.name == "nt":
        return True  # to ask there would be to end it; a lock left behind is deleted by hand
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    now = _started(pid)
    return now is None or started is None or now == started
