"""One command at a time, in a thread of its own, so that the page stays responsive meanwhile.

Numbers of progress are written by the thread and read by whoever streams them; a second command
meanwhile is refused.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from eiderdown.errors import EiderdownError, OptionError
from eiderdown.progress import Cancellation, Cancelled, Trace, watched
from eiderdown.results.result import withheld_warnings


class BusyError(OptionError):
    """A command came while another was at work."""


class ToldTrace(Trace):
    """Keeps the last progress, for others to read."""

    def __init__(self, cancellation: Cancellation | None = None) -> None:
        super().__init__(cancellation)
        self.phase, self.n = "starting", 0

    def progressed(self, phase: str, n: int) -> None:
        """Note how far it is; raise ``Cancelled`` if the work is to stop."""
        super().progressed(phase, n)
        self.phase, self.n = phase, n


@dataclass
class Job:
    """A command at work.

    Attributes
    ----------
    trace : ToldTrace
        How far it is.
    started : float
        When it began, by a clock that never goes back.
    answer : object
        What came of it.
    problem : str
        Why nothing came of it, in a sentence; empty if something did.
    asked_to_stop, done : Event
        Set when somebody cancels it, and when it is over.
    """

    trace: ToldTrace = field(default_factory=ToldTrace)
    started: float = field(default_factory=time.monotonic)
    answer: Any = None
    problem: str = ""
    asked_to_stop: threading.Event = field(default_factory=threading.Event)
    done: threading.Event = field(default_factory=threading.Event)

    @property
    def seconds(self) -> float:
        """How long it has been at work."""
        return time.monotonic() - self.started


class Worker:
    """Does one piece of work at a time.

    Parameters
    ----------
    time_limit : float or None
        Seconds that one may take.
    """

    def __init__(self, time_limit: float | None = None) -> None:
        self._time_limit = time_limit
        self._lock = threading.Lock()
        self._job: Job | None = None

    @property
    def busy(self) -> bool:
        """Whether something is at work."""
        job = self._job
        return job is not None and not job.done.is_set()

    def start(self, work: Callable[[Trace], Any]) -> Job:
        """Begin a piece of work; what is at work already is not disturbed."""
        with self._lock:
            if self.busy:
                raise BusyError("Another search is at work; wait for it, or cancel it.")
            job = self._job = Job()
        threading.Thread(target=self._run, args=(job, work), daemon=True).start()
        return job

    def cancel(self) -> bool:
        """Ask what is at work to stop; say whether anything was."""
        job = self._job
        if job is None or job.done.is_set():
            return False
        job.asked_to_stop.set()
        job.trace.cancel()
        return True

    def _run(self, job: Job, work: Callable[[Trace], Any]) -> None:
        limit = self._time_limit
        try:
            with withheld_warnings(), watched("", progress=False, time_limit=limit) as inner:
                job.trace.cancellation = inner.cancellation
                if job.asked_to_stop.is_set():  # before there was anything to cancel
                    job.trace.cancel()
                job.answer = work(job.trace)
        except Cancelled:
            job.problem = "Cancelled; nothing was changed."
        except EiderdownError as problem:
            job.problem = str(problem)
        except BaseException:
            job.problem = "Something went wrong inside Eiderdown; the terminal says what."
            raise
        finally:
            job.done.set()
