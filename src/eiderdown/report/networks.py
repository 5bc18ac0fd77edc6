"""A learned graph, as a table of its edges in the terminal."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from eiderdown.report.narrow import Fitting
from eiderdown.report.text import counted, say
from eiderdown.results import LearnedEdge, LearnedGraph, LearnedRegion

N_EDGES = 40
"""How many edges are shown; the result itself holds all."""


def edge_table(result: LearnedGraph) -> Table:
    """Make a table of the edges, those with the strongest evidence first.

    Parameters
    ----------
    result : LearnedGraph
        What was learned.

    Returns
    -------
    rich.table.Table
        One row for each edge: whether its direction is compelled, and the gain of the score or the
        test that speaks for it.
    """
    shown = sorted(result.edges, key=_strength)[:N_EDGES]
    tested = any(edge.test is not None for edge in shown)
    scored = any(edge.gain is not None for edge in shown)
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    table.add_column("edge", no_wrap=True)
    if not result.is_cpdag:
        table.add_column("direction", no_wrap=True)
    if scored:
        table.add_column("gain", justify="right", no_wrap=True)
    if tested:
        table.add_column("given")
        for heading in ("statistic", "p", "effect"):
            table.add_column(heading, justify="right", no_wrap=True)
    for edge in shown:
        cells: list[Text | Fitting] = [Text(str(edge))]
        if not result.is_cpdag:
            cells.append(Text("compelled" if edge.compelled else "free"))
        cells += [_gain(edge)] if scored else []
        cells += _test(edge) if tested else []
        table.add_row(*cells)
    return table


def render_graph(result: LearnedGraph, console: Console) -> None:
    """Print a learned graph: its edges, their evidence, and how the search went.

    Parameters
    ----------
    result : LearnedGraph
        What was learned. Its warnings are left to the caller.
    console : rich.console.Console
        Where to print.
    """
    say(console, _headline(result))
    if result.edges:
        console.print(edge_table(result))
    if len(result.edges) > N_EDGES:
        say(console, f"... and {len(result.edges) - N_EDGES:,} more, each with less evidence.")
    if result.score is not None:
        say(console, f"Score: {result.score:,.2f}")
    run = result.run
    say(
        console,
        f"{run.algorithm}: {run.n_tests:,} tests and {result.n_scores:,} local scores in "
        f"{run.seconds:.2f} seconds on {run.n_rows:,} rows x {run.n_columns:,} columns.",
    )


def _headline(result: LearnedGraph) -> str:
    what = "Pattern" if result.is_cpdag else "Directed graph"
    where = ""
    if isinstance(result, LearnedRegion):
        where = f" within {counted(result.depth, 'step')} of {result.target!r}"
    size = f"{counted(len(result.nodes), 'column')} and {counted(len(result.edges), 'edge')}"
    interrupted = "" if result.complete else " (interrupted: the best so far)"
    return f"{what}{where}: {size}{interrupted}"


def _strength(edge: LearnedEdge) -> tuple[float, float, str]:
    if edge.test is not None:
        return (edge.test.log_p, -edge.test.statistic, str(edge))
    return (0.0 if edge.gain is None else -edge.gain, 0.0, str(edge))


def _gain(edge: LearnedEdge) -> Text:
    return Text("" if edge.gain is None else f"{edge.gain:,.1f}")


def _test(edge: LearnedEdge) -> list[Text | Fitting]:
    if edge.test is None:
        return [Text("")] * 4
    return [
        Fitting(", ".join(edge.test.given) or "-"),
        Text(f"{edge.test.statistic:,.1f}"),
        Text(edge.test.p_text),
        Text(f"{edge.test.effect:.3f}"),
    ]
