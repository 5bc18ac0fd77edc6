"""What all reports in the terminal share: lines, tables, and cells that give way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Column, Table
from rich.text import Text

from eiderdown.results import Run
from eiderdown.terminal import counted, visible

__all__ = [
    "Fitting",
    "FoldingTable",
    "add_numbers",
    "cell",
    "counted",
    "cut_off",
    "effort",
    "say",
    "table_of",
    "yes_or_no",
]


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


def forgotten(run: Run) -> str:
    """Say how many results were forgotten to make room, for the middle of a sentence."""
    return f" ({run.n_evicted:,} results were forgotten to make room)" if run.n_evicted else ""


def effort(run: Run) -> str:
    """Say how long something took, and on how large a table."""
    size = f"{counted(run.n_rows, 'row')} x {counted(run.n_columns, 'column')}"
    return f"{run.seconds:.2f} seconds on {size}."


def table_of(
    texts: Iterable[str],
    numbers: Iterable[str] = (),
    *,
    dispensable: Sequence[str] = (),
    padding: int = 1,
) -> FoldingTable:
    """Make an empty table with columns of text, then columns of numbers."""
    table = FoldingTable(dispensable=dispensable, padding=padding)
    for heading in texts:
        table.add_column(cell(heading))
    add_numbers(table, numbers)
    return table


def add_numbers(table: Table, headings: Iterable[str]) -> None:
    """Add columns of numbers."""
    for heading in headings:
        table.add_column(cell(heading), justify="right")


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
    """A text with a shorter way to say the same; what still does not fit is folded.

    Examples
    --------
    >>> from rich.console import Console
    >>> Console(width=10).print(Fitting("six names, one by one", "6 others"))
    6 others
    """

    def __init__(self, full: str, short: str | None = None) -> None:
        self.full = visible(full)
        self.short = self.full if short is None else visible(short)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        text = self.full if cell_len(self.full) <= options.max_width else self.short
        yield Text(text, overflow="fold")

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        needed = min(_longest_word(self.short), options.max_width)
        return Measurement(needed, cell_len(self.full)).with_maximum(options.max_width)


_FOLDED: Final = (16, 10, 4)
"""Letters from which on words of texts are folded: rather none, and the first that is enough."""


class FoldingTable(Table):
    """A table that cuts nothing off: where it is too wide, texts are folded.

    Numbers stay whole, and their headings are folded between words. Where that is not enough, the
    columns that are named as dispensable are left out, one after the other.

    Parameters
    ----------
    dispensable : sequence of str
        Headings of the columns that a narrow terminal can do without.
    padding : int
        Spaces behind each column, beside the one between two.

    Examples
    --------
    >>> table = FoldingTable()
    >>> table.add_column("column"); table.add_column("p", justify="right")
    >>> table.add_row(cell("temperature_of_the_engine"), "1.5e-12")
    >>> Console(width=24).print(table)  # doctest: +NORMALIZE_WHITESPACE
    column                p
    ────────────────────────
    temperature_of  1.5e-12
    _the_engine
    """

    def __init__(self, *, dispensable: Sequence[str] = (), padding: int = 1) -> None:
        super().__init__(box=SIMPLE_HEAD, padding=(0, padding, 0, 0), show_edge=False)
        self._dispensable, self._behind = dispensable, padding

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from super(FoldingTable, self._fitted(options.max_width)).__rich_console__(
            console, options
        )

    def _fitted(self, width: int) -> FoldingTable:
        """Return a table of the columns that are shown, each with its width."""
        columns, least = self._shown(width)
        free = self._free(width, len(columns))
        widths = _narrowed([_widest(column) for column in columns], least, free)
        fitted = FoldingTable(padding=self._behind)
        for column, letters in zip(columns, widths, strict=True):
            justify = column.justify
            fitted.add_column(column.header, justify=justify, width=letters, overflow="fold")
        for cells in zip(*(list(column.cells) for column in columns), strict=True):
            fitted.add_row(*cells)
        return fitted

    def _shown(self, width: int) -> tuple[list[Column], list[int]]:
        """Return the columns that fit, and how narrow each of them can be."""
        for folded in _FOLDED:
            for n_without in range(len(self._dispensable) + 1):
                without = self._dispensable[:n_without]
                columns = [column for column in self.columns if str(column.header) not in without]
                least = [_narrowest(column, folded) for column in columns]
                if sum(least) <= self._free(width, len(columns)):
                    return columns, least
        return columns, least

    def _free(self, width: int, n_columns: int) -> int:
        """Return how many letters there are beside the spaces between columns."""
        return width - n_columns * (1 + self._behind) + 1


def _narrowed(widths: Sequence[int], least: Sequence[int], free: int) -> list[int]:
    """Make the widest columns narrower until all fit, but none narrower than it can be."""
    found = list(widths)
    while sum(found) > free:
        can = [i for i, width in enumerate(found) if width > least[i]]
        if not can:
            break
        found[max(can, key=lambda i: found[i])] -= 1
    return found


def _widest(column: Column) -> int:
    return max(cell_len(_full(item)) for item in (column.header, *column.cells))


def _narrowest(column: Column, folded: int) -> int:
    """Return how narrow a column can be: words of texts may be folded, numbers may not."""
    longest = max((_longest_word(_short(item)) for item in column.cells), default=0)
    cells = longest if column.justify == "right" else min(longest, folded)
    return max(cells, min(_longest_word(str(column.header)), folded))


def _full(item: object) -> str:
    return item.full if isinstance(item, Fitting) else str(item)


def _short(item: object) -> str:
    return item.short if isinstance(item, Fitting) else str(item)


def _longest_word(text: str) -> int:
    return max(map(cell_len, text.split()), default=0)
