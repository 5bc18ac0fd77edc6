"""Results of many targets, and several boundaries of one, in the terminal."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from eiderdown.report.text import say
from eiderdown.results import (
    AllBoundaries,
    AlternativeBoundary,
    Boundaries,
    Replacement,
)

N_SHOWN = 20
"""How many boundaries and replacements are shown; the result itself holds all."""


def render_all(result: AllBoundaries, console: Console) -> None:
    """Print one line for each target: its name, how many members, and who they are."""
    width = max((len(target) for target in result), default=0)
    for target, found in result.items():
        say(console, f"{target:{width}}  {len(found.members):3}  {', '.join(found.members)}")
    n_members = sum(len(found.members) for found in result.values())
    n_tests = sum(found.run.n_tests for found in result.values())
    seconds = sum(found.run.seconds for found in result.values())
    say(
        console,
        f"{len(result):,} targets with {n_members:,} members in all; {n_tests:,} tests ran in "
        f"{seconds:.2f} seconds.",
    )


def boundaries_table(result: Boundaries) -> Table:
    """Make a table of the distinct boundaries: runs, share, size, accuracy, members."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    headings = ["runs", "share", "size"]
    first = result.alternatives[0].accuracy if result.alternatives else None
    if first is not None:
        headings += ["R2"] if first.balanced is None else ["accuracy", "balanced"]
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("members")
    for item in result.alternatives[:N_SHOWN]:
        share = f"{item.n_runs / result.n_runs:.0%}"
        cells = [str(item.n_runs), share, str(len(item.members)), *_accuracies(item)]
        cells += [""] * (len(headings) - len(cells))
        table.add_row(*cells, Text(", ".join(item.members) or "-"))
    return table


def render_boundaries(result: Boundaries, console: Console) -> None:
    """Print the distinct boundaries of a variable and what stands for what in them.

    Parameters
    ----------
    result : Boundaries
        What was found. Its warnings are left to the caller.
    console : rich.console.Console
        Where to print.
    """
    n = len(result)
    interrupted = "" if result.complete else " (interrupted)"
    distinct = "1 boundary" if n == 1 else f"{n:,} distinct boundaries"
    say(console, f"{distinct} of {result.target!r} in {result.n_runs:,} runs{interrupted}")
    if n:
        console.print(boundaries_table(result))
    if n > N_SHOWN:
        say(console, f"... and {n - N_SHOWN:,} more, each found less often or as often.")
    if result.predicted_by is not None:
        say(console, f"Accuracy: {result.predicted_by}.")
    for group in result.interchangeable:
        say(console, f"Stand for each other: {', '.join(group)}.")
    for item in [r for r in result.replacements if len(r.those) > 1][:N_SHOWN]:
        say(console, _in_words(item))
    run = result.run
    say(
        console,
        f"{run.algorithm}: {run.n_tests:,} tests ran and {run.n_repeated:,} were remembered, in "
        f"{run.seconds:.2f} seconds on {run.n_rows:,} rows x {run.n_columns:,} columns.",
    )


def _accuracies(item: AlternativeBoundary) -> list[str]:
    if item.accuracy is None:
        return []
    scores = (item.accuracy.score, item.accuracy.balanced)
    return [f"{score:.3f}" for score in scores if score is not None]


def _in_words(item: Replacement) -> str:
    return f"{item.these[0]} stands for {', '.join(item.those)} together."
