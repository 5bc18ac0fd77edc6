"""Graphs in the terminal: what was learned, how often it comes back, how sure one can be of it."""

from __future__ import annotations

from itertools import groupby

from rich.console import Console
from rich.table import Table
from rich.text import Text

from eiderdown.graphs.metrics import FeatureKind
from eiderdown.report.ordering import edge_strength
from eiderdown.report.sentences import marks_in_words
from eiderdown.report.text import (
    Fitting,
    add_numbers,
    cell,
    counted,
    effort,
    say,
    table_of,
    yes_or_no,
)
from eiderdown.results import (
    EdgeStability,
    FeatureConfidence,
    FoundModel,
    GraphFeature,
    LearnedEdge,
    LearnedGraph,
    LearnedRegion,
    OptimaBySize,
    OptimaCount,
)

N_SHOWN = 40
"""How many edges are shown; the result itself holds all."""


def edge_table(result: LearnedGraph) -> Table:
    """Make a table of the edges, those with the strongest evidence first."""
    shown = sorted(result.edges, key=edge_strength)[:N_SHOWN]
    tested = any(edge.test is not None for edge in shown)
    scored = any(edge.gain is not None for edge in shown)
    table = table_of(
        ("edge",) if result.is_cpdag else ("edge", "direction"), ("gain",) if scored else ()
    )
    marked = any(edge.ends is not None for edge in shown)
    if marked:
        table.add_column("hidden causes")
    if tested:
        table.add_column("given")
        add_numbers(table, ("statistic", "p", "effect"))
    for edge in shown:
        cells: list[Text | Fitting] = [cell(str(edge))]
        if not result.is_cpdag:
            cells.append(cell("compelled" if edge.compelled else "free"))
        if scored:
            cells.append(cell("" if edge.gain is None else f"{edge.gain:,.1f}"))
        if marked:
            cells.append(Fitting(_marked(edge)))
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
    for line in marks_in_words(result.edges):
        say(console, line)
    if result.score is not None:
        say(console, f"Score: {result.score:,.2f}")
    run = result.run
    say(
        console,
        f"{run.algorithm}: {counted(run.n_tests, 'test')} and "
        f"{counted(result.n_scores, 'local score')} in "
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


def _marked(edge: LearnedEdge) -> str:
    return "" if edge.ends is None else f"{edge.left} {edge.marks} {edge.right}"


def _test(edge: LearnedEdge) -> list[Text | Fitting]:
    if edge.test is None:
        return [cell("")] * 4
    return [
        Fitting(", ".join(edge.test.given) or "-"),
        cell(f"{edge.test.statistic:,.1f}"),
        cell(edge.test.p_text),
        cell(f"{edge.test.effect:.3f}"),
    ]


def stability_table(result: EdgeStability) -> Table:
    """Make a table of the most frequent edges and how often they had which direction."""
    table = table_of(("left", "right"), ("joined", "->", "<-", "--"))
    for edge in result.edges[:N_SHOWN]:
        shares = (edge.adjacent, edge.forward, edge.backward, edge.undirected)
        table.add_row(cell(edge.left), cell(edge.right), *(f"{share:.0%}" for share in shares))
    return table


def render_stability(result: EdgeStability, console: Console) -> None:
    """Print how often edges came back."""
    run, interrupted = result.run, "" if result.complete else " (interrupted)"
    found = f"{counted(len(result), 'edge')} {'was' if len(result) == 1 else 'were'} found"
    resamples = counted(result.n_resamples, "resample")
    say(console, f"{run.algorithm} on {resamples}{interrupted}: {found} at least once.")
    if result.edges:
        console.print(stability_table(result))
    if len(result) > N_SHOWN:
        say(console, f"... and {len(result) - N_SHOWN:,} more, each found less often or as often.")
    often = result.consensus()
    say(
        console,
        f"In at least half of the resamples: {counted(often.n_edges, 'edge')}, "
        f"{len(often.directed):,} of them mostly with one direction.",
    )
    say(
        console,
        f"Each resample: {result.resampled_by}; in all {effort(run)}",
    )


_SHARES_OF = {
    "distinct": "the share of the distinct models that have a feature",
    "runs": "the share of the runs whose model has a feature",
    "score": "the share of the models that have a feature, weighted by exp(score)",
}


def trade_off_table(result: FeatureConfidence, threshold: float | None = None) -> Table:
    """Make a table with a row for each group of features: threshold, and errors at it."""
    table = table_of(("features",), ("threshold", "TP", "FP", "FN"))
    for group in result.groups:
        least = result.suggested_threshold(group) if threshold is None else threshold
        errors = result.counts_at(group, least)
        counts = (errors.true_positives, errors.false_positives, errors.false_negatives)
        table.add_row(group, f"{least:.2f}", *(f"{count:,}" for count in counts))
    return table


def confident_edge_table(result: FeatureConfidence) -> Table:
    """Make a table of the edges, the most confident first."""
    table = table_of(("edge",), ("confidence",))
    table.add_column(_reference_heading(result))
    edges = sorted(result.of_group("edges"), key=lambda f: (-f.confidence, f.left, f.right, f.kind))
    for edge in edges[:N_SHOWN]:
        table.add_row(cell(str(edge)), *_judged(edge))
    return table


def confident_boundary_table(result: FeatureConfidence, target: str) -> Table:
    """Make a table of the members of a column's boundary, the most confident first."""
    with_edges = "edges" in result.groups
    table = table_of(("member",), ("confidence",))
    table.add_column(_reference_heading(result))
    add_numbers(table, ("into target", "out of it", "undirected") if with_edges else ())
    for feature in _members(result, target)[:N_SHOWN]:
        name = feature.right if feature.left == target else feature.left
        ways: tuple[tuple[FeatureKind, str, str], ...] = (
            ("directed", name, target),
            ("directed", target, name),
            ("undirected", target, name),
        )
        edges = [result.confidence_of(*way) for way in ways] if with_edges else []
        table.add_row(cell(name), *_judged(feature), *(f"{share:.3f}" for share in edges))
    return table


def render_confidence(
    result: FeatureConfidence, console: Console, *, threshold: float | None = None
) -> None:
    """Print what repeated searches agree on: errors by group, then edges or members."""
    say(console, _found_by_runs(result))
    console.print(trade_off_table(result, threshold))
    what = "the best model" if result.reference == "best model" else "the graph that is known"
    say(
        console,
        f"TP: in {what} and confident; FP: confident, but not in it; FN: in it, but not confident.",
    )
    if result.target is None:
        edges = result.of_group("edges")
        if edges:
            console.print(confident_edge_table(result))
        if len(edges) > N_SHOWN:
            more = counted(len(edges) - N_SHOWN, "more edge")
            say(console, f"... and {more}, none with more confidence.")
    else:
        _render_boundary(result, console, result.target, threshold)
    say(
        console,
        f"Confidence is {_SHARES_OF[result.weighting]}; {effort(result.run)}",
    )


def _render_boundary(
    result: FeatureConfidence, console: Console, target: str, threshold: float | None
) -> None:
    found = _members(result, target)
    if found:
        console.print(confident_boundary_table(result, target))
    if len(found) > N_SHOWN:
        more = counted(len(found) - N_SHOWN, "more member")
        say(console, f"... and {more}, none with more confidence.")
    least = result.suggested_threshold("boundaries") if threshold is None else threshold
    members = ", ".join(result.boundary(target, least)) or "empty"
    say(console, f"Markov boundary of {target!r} at a confidence of {least:.2f}: {members}")


def _found_by_runs(result: FeatureConfidence) -> str:
    interrupted = "" if result.complete else " (interrupted)"
    models = counted(result.n_distinct, "distinct model")
    return (
        f"{result.source}: {counted(result.n_runs, 'run')}{interrupted} found {models}; the best "
        f"has {_described(result.models[0])}."
    )


def _described(model: FoundModel) -> str:
    if model.boundary is not None:
        size = counted(len(model.boundary), "member")
        return f"{size} and was found by {counted(model.n_runs, 'run')}"
    score = "" if model.score is None else f" and score {model.score:,.2f}"
    return f"{counted(model.n_edges, 'edge')}{score}"


def _reference_heading(result: FeatureConfidence) -> str:
    return "in model" if result.reference == "best model" else "in graph"


def _members(result: FeatureConfidence, target: str) -> list[GraphFeature]:
    found = result.of_group("boundaries")
    return [feature for feature in found if target in (feature.left, feature.right)]


def _judged(feature: GraphFeature) -> tuple[str, Text]:
    return f"{feature.confidence:.3f}", yes_or_no(feature.in_model)


def optima_table(result: OptimaBySize) -> Table:
    """Make a table with a row for each share of the rows: distinct models, runs, edges."""
    headings = ("share", "rows", "samples", "runs", "distinct models", "least", "most", "edges")
    table = table_of((), headings)
    ordered = sorted(result.counts, key=lambda count: (count.share, count.repeat))
    for _, counts in groupby(ordered, key=lambda count: count.share):
        table.add_row(*_cells(list(counts)))
    return table


def render_optima(result: OptimaBySize, console: Console) -> None:
    """Print how many distinct models repeated searches found for each share of the rows."""
    run, interrupted = result.run, "" if result.complete else " (interrupted: the samples so far)"
    say(console, f"Distinct models that {run.algorithm} finds, by share of the rows{interrupted}")
    if result.counts:
        console.print(optima_table(result))
    say(
        console,
        f"Distinct models and edges of the best one are means over the samples; {effort(run)}",
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
