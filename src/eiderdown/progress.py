"""Progress, Ctrl-C and time limits: one trace carries all three.

A search calls ``trace.progressed(phase, n)`` and knows nothing else. Where the user has pressed
Ctrl-C, or a time limit is over, that call raises :class:`Cancelled`; a search that has a best so
far catches it and returns that as incomplete. Public verbs make the trace::

    with watched("Markov boundary of 'HR'", progress=True, time_limit=None) as trace:
        found = algorithm.run(problem)

There, and nowhere else, Ctrl-C becomes ``Cancelled``: the first asks the work to stop where it next
tells its progress, the second interrupts it at once. Time limits need no signal, so they also work
in threads, in notebooks and where SIGINT is ignored.
"""

from __future__ import annotations

import contextvars
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, ParamSpec, TextIO, TypeVar

from eiderdown.errors import OptionError
from eiderdown.terminal import visible

P = ParamSpec("P")
R = TypeVar("R")

_PATIENCE = 1.0  # seconds of silence before anything is shown
_PAUSE_IN_NOTEBOOK = 0.2  # seconds between two lines, each of which is a message to a browser


class Cancelled(KeyboardInterrupt):
    """The user or a time limit has ended the work; raised where progress is told."""


class Cancellation:
    """Whether some work is to stop: because somebody said so, or because its time is over.

    Parameters
    ----------
    time_limit : float or None
        Seconds from now.
    within : Cancellation or None
        Work of which this is a part; when that is to stop, so is this.
    """

    def __init__(self, time_limit: float | None = None, within: Cancellation | None = None) -> None:
        self._deadline = None if time_limit is None else time.monotonic() + time_limit
        self._asked = threading.Event()
        self._within = within

    def cancel(self) -> None:
        """Ask the work to stop."""
        self._asked.set()

    @property
    def out_of_time(self) -> bool:
        """Whether this work's own time is over."""
        return self._deadline is not None and time.monotonic() >= self._deadline

    @property
    def is_part(self) -> bool:
        """Whether this is a part of larger work."""
        return self._within is not None

    @property
    def cancelled(self) -> bool:
        """Whether the work is to stop."""
        return (
            self._asked.is_set()
            or self.out_of_time
            or (self._within is not None and self._within.cancelled)
        )


_CURRENT: contextvars.ContextVar[Cancellation | None] = contextvars.ContextVar(
    "cancellation", default=None
)


_WATCHING: contextvars.ContextVar[Trace | None] = contextvars.ContextVar("watching", default=None)


_QUIET: contextvars.ContextVar[bool] = contextvars.ContextVar("quiet", default=False)


class Trace:
    """What a search tells while it runs; made without arguments it listens to nothing.

    Parameters
    ----------
    cancellation : Cancellation or None
        Says whether to stop.
    """

    def __init__(self, cancellation: Cancellation | None = None) -> None:
        self.cancellation = cancellation

    def progressed(self, phase: str, n: int) -> None:  # noqa: ARG002  for those who show it
        """Tell that a phase made a step and how far it is; raise ``Cancelled`` if it is to stop."""
        if self.cancellation is not None and self.cancellation.cancelled:
            raise Cancelled

    def detailed(self, detail: str) -> None:
        """Tell how far something is that the present step waits for."""

    def cancel(self) -> None:
        """Ask the work to stop, wherever it is done."""
        if self.cancellation is not None:
            self.cancellation.cancel()

    def silent(self) -> Trace:
        """Return a trace for a part of the work: not shown, but cancelled with the whole."""
        return Trace(self.cancellation)


class ShownTrace(Trace):
    """Shows one changing line on stderr while the work runs, which vanishes in the end.

    Quick work shows nothing, and neither does work whose stderr is a pipe or a file: there the
    line could not vanish.
    """

    def __init__(
        self,
        what: str,
        counted: str,
        cancellation: Cancellation | None = None,
        stream: TextIO | None = None,
    ) -> None:
        super().__init__(cancellation)
        self._what, self._counted = what, counted
        self._stream = stream
        self._step, self._detail = "preparing", ""
        self._line: _TerminalLine | _NotebookLine | None = None
        self._lock = threading.Lock()
        self._timer = threading.Timer(_PATIENCE, self._begin)
        self._timer.daemon = True
        self._timer.start()

    def progressed(self, phase: str, n: int) -> None:
        """Show the phase and how far it is."""
        super().progressed(phase, n)
        with self._lock:
            self._step, self._detail = f"{phase}, {_counted(n, self._counted)}", ""
            self._show()

    def detailed(self, detail: str) -> None:
        """Show it behind the step, until the next one."""
        with self._lock:
            self._detail = f" ({detail})" if detail else ""
            self._show()

    def close(self) -> None:
        """Clear the line."""
        self._timer.cancel()
        with self._lock:
            if self._line is not None:
                self._line.clear()
            self._line = None

    def _begin(self) -> None:
        stream = self._stream or sys.stderr
        with self._lock:
            if stream is None:
                return
            if type(stream).__module__.partition(".")[0] == "ipykernel":
                self._line = _NotebookLine(stream)
            elif stream.isatty():
                self._line = _TerminalLine(stream)
            self._show()

    def _show(self) -> None:
        if self._line is not None:
            self._line.show(visible(f"{self._what}: {self._step}{self._detail}"))


class _TerminalLine:
    """A line in a terminal, with a sign that the program is alive."""

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console

        self._console = Console(file=stream, highlight=False, markup=False)
        self._status = self._console.status("")
        self._status.start()

    def show(self, text: str) -> None:
        from rich.text import Text

        line = Text(text)
        line.truncate(max(1, self._console.width - 3), overflow="ellipsis")  # beside the sign
        self._status.update(line)

    def clear(self) -> None:
        self._status.stop()


class _NotebookLine:
    """A line below a notebook's cell, which the next one overwrites."""

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._width, self._next_time = stream, 0, 0.0

    def show(self, text: str) -> None:
        if time.monotonic() >= self._next_time:
            self._next_time = time.monotonic() + _PAUSE_IN_NOTEBOOK
            self._write(text)

    def clear(self) -> None:
        self._write("")
        self._stream.write("\r")

    def _write(self, text: str) -> None:
        self._stream.write(f"\r{text.ljust(self._width)}")
        self._stream.flush()
        self._width = len(text)


def _counted(n: int, things: str) -> str:
    """Say how many steps there were; one of them has no plural."""
    noun, space, rest = things.partition(" ")
    return f"{n:,} {noun.removesuffix('s') if n == 1 else noun}{space}{rest}"


@contextmanager
def watched(
    what: str,
    *,
    progress: bool = True,
    counted: str = "members",
    time_limit: float | None = None,
) -> Iterator[Trace]:
    """Watch a piece of work: show its progress, and stop it on Ctrl-C or when its time is over.

    Parameters
    ----------
    what : str
        What is being done.
    progress : bool
        Whether to show it.
    counted : str
        What the numbers count.
    time_limit : float or None
        Seconds after which the work is cancelled.

    Raises
    ------
    OptionError
        When the time limit is over and nothing of the work is left to return.
    """
    cancellation = Cancellation(time_limit, within=_CURRENT.get())
    token = _CURRENT.set(cancellation)
    shown = progress and not _QUIET.get()
    trace = ShownTrace(what, counted, cancellation) if shown else Trace(cancellation)
    watching = _WATCHING.set(trace)
    try:
        with _interrupts_as(cancellation):
            yield trace
    except Cancelled:
        if time_limit is None or not cancellation.out_of_time or cancellation.is_part:
            raise
        raise OptionError(
            f"The time limit of {time_limit:g} seconds was over before there was anything to show; "
            "allow more."
        ) from None
    finally:
        if isinstance(trace, ShownTrace):
            trace.close()
        _WATCHING.reset(watching)
        _CURRENT.reset(token)


@contextmanager
def within_limits(*, progress: bool, time_limit: float | None) -> Iterator[None]:
    """Hold work that knows nothing of a verb's options, such as reading its table, to them."""
    quiet = _QUIET.set(not progress)
    try:
        with watched("", progress=False, time_limit=time_limit):
            yield
    finally:
        _QUIET.reset(quiet)


@contextmanager
def _interrupts_as(cancellation: Cancellation) -> Iterator[None]:
    """Turn the first Ctrl-C into a cancellation, in the main thread and where nobody else does."""
    ours = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    if not ours:
        yield
        return

    def stop(_number: int, _frame: Any) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        cancellation.cancel()

    signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def carried(function: Callable[P, R]) -> Callable[P, R]:
    """Return a function that runs as if it were here: in a thread, cancelled with this work."""
    context = contextvars.copy_context()

    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        return context.copy().run(function, *args, **kwargs)

    return run


def unseen(function: Callable[P, R]) -> Callable[P, R]:
    """Return a function that runs as if it were here, but shows nothing: in a forked process."""

    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        quiet, watching = _QUIET.set(True), _WATCHING.set(None)
        try:
            return function(*args, **kwargs)
        finally:
            _WATCHING.reset(watching)
            _QUIET.reset(quiet)

    return run


def stop_if_cancelled() -> None:
    """Raise ``Cancelled`` if the work of which this is a part is to stop."""
    current = _CURRENT.get()
    if current is not None and current.cancelled:
        raise Cancelled


def tell_detail(detail: str) -> None:
    """Tell whoever watches the work of which this is a part how far it is within a step."""
    watching = _WATCHING.get()
    if watching is not None:
        watching.detailed(detail)


def abandon() -> NoReturn:
    """End work that has nothing to show: cancelled within larger work, else interrupted."""
    if _CURRENT.get() is not None:
        raise Cancelled
    raise KeyboardInterrupt
