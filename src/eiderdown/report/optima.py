"""How many distinct models there are for how many rows, in the terminal."""

from __future__ import annotations

from itertools import groupby

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from eiderdown.report.text import say
from eiderdown.results import OptimaBySize, OptimaCount


def optima_table(result: OptimaBySize) -> Table:
    """Make a table with a row for each share of the rows: distinct models, runs, edges."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    for heading in (
        "share",
        "rows",
        "samples",
        "runs",
        "distinct models",
        "least",
        "most",
        "edges",
    ):
        table.add_column(heading, justify="right", no_wrap=True)
    ordered = sorted(result.counts, key=lambda count: (count.share, count.repeat))
    for _, counts in groupby(ordered, key=lambda count: count.share):
        table.add_row(*_cells(list(counts)))
    return table


def render_optima(result: OptimaBySize, console: Console) -> None:
    """Print how many distinct models repeated searches found for each share of the rows.

    Parameters
    ----------
    result : OptimaBySize
        What was counted. Its warnings are left to the caller.
    console : rich.console.Console
        Where to print.
    """
    run, interrupted = result.run, "" if result.complete else " (interrupted: the samples so far)"
    say(console, f"Distinct models that {run.algorithm} finds, by share of the rows{interrupted}")
    if result.counts:
        console.print(optima_table(result))
    say(
        console,
        "Distinct models and edges of the best one are means over the samples; "
        f"{run.seconds:.2f} seconds on {run.n_rows:,} rows x {run.n_columns:,} columns.",
    )


def _cells(counts: list[OptimaCount]) -> list[str]:
    distinct = [count.n_distinct for count in counts]
    n_edges = [count.n_edges for count in counts]
    return [
        f"{100 * counts[0].share:g} %",
        f"{counts[0].n_rows:,}",
        f"{len(counts):,}",
        f"{counts[0].n_runs:,}",
        f"{sum(distinct) / len(counts):,.1f}",
        f"{min(distinct):,}",
        f"{max(distinct):,}",
        f"{sum(n_edges) / len(counts):,.1f}",
    ]
