"""A learned graph, and how often its edges come back, in the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from eiderdown.report.text import Fitting, add_numbers, counted, effort, say, table_of
from eiderdown.results import EdgeStability, LearnedEdge, LearnedGraph, LearnedRegion

N_SHOWN = 40
"""How many edges are shown; the result itself holds all."""


def edge_table(result: LearnedGraph) -> Table:
    """Make a table of the edges, those with the strongest evidence first."""
    shown = sorted(result.edges, key=_strength)[:N_SHOWN]
    tested = any(edge.test is not None for edge in shown)
    scored = any(edge.gain is not None for edge in shown)
    table = table_of(
        ("edge",) if result.is_cpdag else ("edge", "direction"), ("gain",) if scored else ()
    )
    if tested:
        table.add_column("given")
        add_numbers(table, ("statistic", "p", "effect"))
    for edge in shown:
        cells: list[Text | Fitting] = [Text(str(edge))]
        if not result.is_cpdag:
            cells.append(Text("compelled" if edge.compelled else "free"))
        if scored:
            cells.append(Text("" if edge.gain is None else f"{edge.gain:,.1f}"))
        cells += _test(edge) if tested else []
        table.add_row(*cells)
    return table


def render_graph(result: LearnedGraph, console: Console) -> None:
    """Print a learned graph: its edges, their evidence, and how the search went."""
    say(console, _headline(result))
    if result.edges:
        console.print(edge_table(result))
    if len(result.edges) > N_SHOWN:
        say(console, f"... and {len(result.edges) - N_SHOWN:,} more, each with less evidence.")
    if result.score is not None:
        say(console, f"Score: {result.score:,.2f}")
    run = result.run
    say(
        console,
        f"{run.algorithm}: {run.n_tests:,} tests and {result.n_scores:,} local scores in "
        f"{effort(run)}",
    )


def _headline(result: LearnedGraph) -> str:
    what = "CPDAG" if result.is_cpdag else "Directed graph"
    where = ""
    if isinstance(result, LearnedRegion):
        where = f" within {counted(result.depth, 'step')} of {result.target!r}"
    size = f"{counted(len(result.nodes), 'column')} and {counted(len(result.edges), 'edge')}"
    interrupted = "" if result.complete else " (interrupted: the best so far)"
    return f"{what}{where}: {size}{interrupted}"


def _strength(edge: LearnedEdge) -> tuple[float, float, str]:
    if edge.test is not None:
        return (edge.test.log_p, -abs(edge.test.statistic), str(edge))
    return (0.0 if edge.gain is None else -edge.gain, 0.0, str(edge))


def _test(edge: LearnedEdge) -> list[Text | Fitting]:
    if edge.test is None:
        return [Text("")] * 4
    return [
        Fitting(", ".join(edge.test.given) or "-"),
        Text(f"{edge.test.statistic:,.1f}"),
        Text(edge.test.p_text),
        Text(f"{edge.test.effect:.3f}"),
    ]


def stability_table(result: EdgeStability) -> Table:
    """Make a table of the most frequent edges and how often they had which direction."""
    table = table_of(("left", "right"), ("joined", "->", "<-", "--"))
    for edge in result.edges[:N_SHOWN]:
        shares = (edge.adjacent, edge.forward, edge.backward, edge.undirected)
        table.add_row(Text(edge.left), Text(edge.right), *(f"{share:.0%}" for share in shares))
    return table


def render_stability(result: EdgeStability, console: Console) -> None:
    """Print how often edges came back."""
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
        f"Each resample: {result.resampled_by}; in all {effort(run)}",
    )
