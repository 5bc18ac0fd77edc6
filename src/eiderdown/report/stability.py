"""How often edges came back, in the terminal."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from eiderdown.report.text import say
from eiderdown.results import EdgeStability

N_SHOWN = 40
"""How many edges are shown; the result itself holds all."""


def stability_table(result: EdgeStability) -> Table:
    """Make a table of the most frequent edges and how often they had which direction."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    for heading in ("left", "right"):
        table.add_column(heading, no_wrap=True)
    for heading in ("joined", "->", "<-", "--"):
        table.add_column(heading, justify="right", no_wrap=True)
    for edge in result.edges[:N_SHOWN]:
        shares = (edge.adjacent, edge.forward, edge.backward, edge.undirected)
        table.add_row(Text(edge.left), Text(edge.right), *(f"{share:.0%}" for share in shares))
    return table


def render_stability(result: EdgeStability, console: Console) -> None:
    """Print how often edges came back.

    Parameters
    ----------
    result : EdgeStability
        What was measured. Its warnings are left to the caller.
    console : rich.console.Console
        Where to print.
    """
    run, interrupted = result.run, "" if result.complete else " (interrupted)"
    say(
        console,
        f"{run.algorithm} on {result.n_resamples:,} resamples{interrupted}: {len(result):,} edges "
        "were found at least once.",
    )
    if result.edges:
        console.print(stability_table(result))
    if len(result) > N_SHOWN:
        say(console, f"... and {len(result) - N_SHOWN:,} more, each found less often or as often.")
    often = result.consensus()
    say(
        console,
        f"In at least half of the resamples: {often.n_edges:,} edges, {len(often.directed):,} of "
        "them mostly with one direction.",
    )
    say(
        console,
        f"Each resample: {result.resampled_by}; {run.seconds:.2f} seconds in all on {run.n_rows:,} "
        f"rows x {run.n_columns:,} columns.",
    )
