"""A boundary as the significance level moves, in the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from eiderdown.report.text import cell, counted, cut_off, effort, say, table_of
from eiderdown.results import BoundaryPath

N_SHOWN = 40
"""How many columns are shown; the result itself holds all."""

_LONGEST_NAME = 16


def path_table(result: BoundaryPath) -> Table:
    """Make a table: a row for each column that is in at some level, a mark where it is in."""
    table = table_of(["column"], [f"{alpha:g}" for alpha in result.alphas])
    for name in result.columns[:N_SHOWN]:
        marks = ["x" if is_in else "." for is_in in result.levels_of(name)]
        table.add_row(cell(cut_off(name, _LONGEST_NAME)), *marks)
    return table


def render_path(result: BoundaryPath, console: Console) -> None:
    """Print at which levels each column is in."""
    interrupted = "" if result.complete else " (interrupted: the levels so far)"
    levels = counted(len(result.alphas), "significance level")
    say(console, f"Markov boundary of {result.target!r} at {levels}{interrupted}")
    if result.columns:
        console.print(path_table(result))
    else:
        say(console, "It is empty at each of them.")
    n_more = len(result.columns) - N_SHOWN
    if n_more > 0:
        say(console, f"and {counted(n_more, 'more column')}")
    sizes = ", ".join(str(len(members)) for members in result.members)
    say(console, f"Members at each level: {sizes}.")
    say(
        console, f"{result.run.algorithm}: {result.run.n_tests:,} tests ran in {effort(result.run)}"
    )
