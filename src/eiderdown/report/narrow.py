"""A cell of a table that says it shorter where there is no room to say it in full."""

from __future__ import annotations

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.text import Text


class Fitting:
    """A text with a shorter way to say the same; what still does not fit is cut off.

    Parameters
    ----------
    full : str
        What to say where there is room.
    short : str or None
        What to say otherwise; None to cut the full text off.

    Examples
    --------
    >>> from rich.console import Console
    >>> Console(width=10).print(Fitting("six names, one by one", "6 others"))
    6 others
    """

    def __init__(self, full: str, short: str | None = None) -> None:
        self._full = full
        self._short = full if short is None else short

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        text = self._full if cell_len(self._full) <= options.max_width else self._short
        yield Text(text, no_wrap=True, overflow="ellipsis")

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        needed = cell_len(self._short) if self._short != self._full else 1
        return Measurement(min(needed, options.max_width), cell_len(self._full)).with_maximum(
            options.max_width
        )
