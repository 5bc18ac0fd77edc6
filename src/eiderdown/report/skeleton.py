"""A skeleton whose edges went to a file, in the terminal."""

from __future__ import annotations

from rich.console import Console

from eiderdown.report.sentences import findings
from eiderdown.report.text import counted, effort, forgotten, say, table_of
from eiderdown.results import LearnedSkeleton

N_DEGREES = 12
"""How many numbers of edges are shown, the smallest first; the result itself holds all."""


def render_skeleton(result: LearnedSkeleton, console: Console) -> None:
    """Print how many edges there are, where they are, and how many each column has."""
    interrupted = "" if result.complete else " (interrupted)"
    columns = counted(result.n_finished, "column")
    say(console, f"{counted(result.n_edges, 'edge')} among {columns}{interrupted}")
    for sentence in findings(result):
        say(console, sentence)
    table = table_of((), ("edges of a column", "columns"))
    for degree, n_columns in enumerate(result.degree_counts[:N_DEGREES]):
        table.add_row(str(degree), f"{n_columns:,}")
    if len(result.degree_counts) > N_DEGREES:
        table.add_row("more", f"{sum(result.degree_counts[N_DEGREES:]):,}")
    if result.degree_counts:
        console.print(table)
    run = result.run
    say(
        console,
        f"{run.algorithm}: {counted(run.n_tests, 'test')} ran{forgotten(run)}, in {effort(run)}",
    )
