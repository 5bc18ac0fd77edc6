"""What all reports in the terminal share: lines, tables, and cells that give way."""

from __future__ import annotations

from collections.abc import Iterable

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from eiderdown.results import Run
from eiderdown.terminal import visible


def say(console: Console, line: str) -> None:
    """Print one line as it is, however long; what a terminal would obey is escaped."""
    console.print(cell(line), soft_wrap=True)


def cell(text: str, style: str = "") -> Text:
    r"""Write a text in which names may stand; nothing in it is obeyed, or taken for a style.

    Examples
    --------
    >>> print(cell("[red]age\x1b[2J"))
    [red]age\x1b[2J
    """
    return Text(visible(text), style=style)


def counted(n: int, thing: str) -> str:
    """Say how many there are of something.

    Examples
    --------
    >>> counted(1, "edge"), counted(2_000, "edge")
    ('1 edge', '2,000 edges')
    """
    return f"{n:,} {thing}" if n == 1 else f"{n:,} {thing}s"


def effort(run: Run) -> str:
    """Say how long something took, and on how large a table."""
    return f"{run.seconds:.2f} seconds on {run.n_rows:,} rows x {run.n_columns:,} columns."


def table_of(texts: Iterable[str], numbers: Iterable[str] = ()) -> Table:
    """Make an empty table with columns of text, then columns of numbers."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    for heading in texts:
        table.add_column(cell(heading), no_wrap=True)
    add_numbers(table, numbers)
    return table


def add_numbers(table: Table, headings: Iterable[str]) -> None:
    """Add columns of numbers."""
    for heading in headings:
        table.add_column(cell(heading), justify="right", no_wrap=True)


def cut_off(name: str, most: int) -> str:
    """Cut a name that is longer than so many letters.

    Examples
    --------
    >>> cut_off("temperature", 5), cut_off("age", 5)
    ('temp…', 'age')
    """
    return name if len(name) <= most else f"{name[: most - 1]}…"


def yes_or_no(fact: bool) -> Text:
    """Write a fact, and mark what is not so."""
    return Text("yes") if fact else Text("no", style="yellow")


class Fitting:
    """A text with a shorter way to say the same; what still does not fit is cut off.

    Examples
    --------
    >>> from rich.console import Console
    >>> Console(width=10).print(Fitting("six names, one by one", "6 others"))
    6 others
    """

    def __init__(self, full: str, short: str | None = None) -> None:
        self._full = visible(full)
        self._short = self._full if short is None else visible(short)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        text = self._full if cell_len(self._full) <= options.max_width else self._short
        yield Text(text, no_wrap=True, overflow="ellipsis")

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        needed = cell_len(self._short) if self._short != self._full else 1
        return Measurement(min(needed, options.max_width), cell_len(self._full)).with_maximum(
            options.max_width
        )
