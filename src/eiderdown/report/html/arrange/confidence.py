"""The pages of confidence in edges, paths and boundaries, and of optima by sample size."""

from __future__ import annotations

from collections.abc import Iterator

from eiderdown.graphs.metrics import FeatureGroup
from eiderdown.report.html.arrange.framing import framed
from eiderdown.report.html.arrange.graphs import MOST_DRAWN, thresholded
from eiderdown.report.html.cells import name, number, share, shown_first, text
from eiderdown.report.html.positions import around
from eiderdown.report.html.view import (
    Block,
    Cell,
    Edge,
    ErrorCurve,
    Graph,
    Heading,
    Node,
    Page,
    Section,
    Table,
    Threshold,
    Words,
)
from eiderdown.report.text import counted
from eiderdown.results import FeatureConfidence, FoundModel, GraphFeature, OptimaBySize

_MOST_MODELS = 50
_MOST_EDGES = 1_500
_KINDS = {
    "directed": "edge →",
    "undirected": "edge \N{EN DASH}",
    "path": "path ⇒",
    "boundary": "boundary",
}


def arrange_confidence(result: FeatureConfidence) -> Page:
    """Arrange how sure one can be, with a slider over thresholds."""
    group = main_group(result)
    start = result.suggested_threshold(group)
    passing = sum(feature.confidence >= start - 1e-9 for feature in result.of_group(group))
    what = "members" if group == "boundaries" else "edges"
    of = "" if result.target is None else f" around {result.target!r}"
    return framed(
        result,
        what="Confidence in" if result.target is None else "Confidence around",
        subject=f"a graph of {counted(len(result.nodes), 'column')}"
        if result.target is None
        else result.target,
        question=f"How sure can one be of edges, directed paths and Markov boundaries{of}?",
        answer=(
            f"{passing:,} {what} reach a confidence of {start:g} or more; "
            f"{counted(result.n_distinct, 'distinct model')} in {counted(result.n_runs, 'run')}."
        ),
        figures=(
            ("models", f"{result.n_distinct:,}"),
            ("runs", f"{result.n_runs:,}"),
            ("suggested threshold", f"{start:g}"),
        ),
        sections=(
            Section("graph", "Edges by confidence", tuple(_slider(result, group, start))),
            Section("evidence", "Confidence in each feature", tuple(_features(result))),
            Section("models", "Models", (_models(result),)),
        ),
    )


def main_group(result: FeatureConfidence) -> FeatureGroup:
    """Return what the graph shows: edges, or boundaries where models are boundaries."""
    return "edges" if "edges" in result.groups else "boundaries"


def _slider(result: FeatureConfidence, group: FeatureGroup, start: float) -> Iterator[Block]:
    features = sorted(
        result.of_group(group), key=lambda f: (-f.confidence, f.kind, f.left, f.right)
    )
    if not features:
        yield Words(("No model has an edge.",))
        return
    reference = "the best model" if result.reference == "best model" else "the given graph"
    yield Words(
        (
            "Move the threshold: lines are what at least that share of the models has. Solid lines "
            f"are in {reference}, dashed ones are not. The curve counts false positives (that "
            "pass and are not in it) and false negatives (that are in it and do not pass).",
        )
    )
    drawn = _nodes(features, result.target)
    place = {node: i for i, node in enumerate(drawn)}
    inside = [f for f in features if f.left in place and f.right in place][:_MOST_EDGES]
    edges = [_edge(feature, place) for feature in inside]
    nodes = [Node(node, "target" if node == result.target else "node") for node in drawn]
    if group == "boundaries" and result.target is not None:
        graph = Graph(around(nodes, {}), tuple(edges), "Members by confidence")
    else:
        graph = thresholded(nodes, edges, min(start, 0.5), "Edges by confidence")
    curves = tuple(_curve(result, one) for one in result.groups)
    yield Threshold(graph, start, "Confidence", curves, reference)
    if len(drawn) < len(result.nodes) and len(drawn) >= MOST_DRAWN:
        yield Words((f"Drawn are the {len(drawn):,} columns of the surest edges.",))


def _nodes(features: list[GraphFeature], target: str | None) -> list[str]:
    """Return the columns of the surest features, as many as can be drawn, the target first."""
    found: dict[str, None] = {} if target is None else {target: None}
    for feature in features:
        pair = (feature.left, feature.right)
        if len(found.keys() | set(pair)) <= MOST_DRAWN:
            found.update(dict.fromkeys(pair))
    return list(found) if target is not None else sorted(found)


def _edge(feature: GraphFeature, place: dict[str, int]) -> Edge:
    return Edge(
        place[feature.left],
        place[feature.right],
        directed=feature.kind == "directed",
        style="solid" if feature.in_model else "dashed",
        share=feature.confidence,
        facts=(
            ("confidence", f"{feature.confidence:.2f}"),
            ("in the reference", "yes" if feature.in_model else "no"),
        ),
    )


def _curve(result: FeatureConfidence, group: FeatureGroup) -> ErrorCurve:
    points = result.curve(group)
    return ErrorCurve(
        group,
        result.suggested_threshold(group),
        tuple(point.threshold for point in points),
        tuple(point.true_positives + point.false_positives for point in points),
        tuple(point.false_positives for point in points),
        tuple(point.false_negatives for point in points),
    )


def _features(result: FeatureConfidence) -> Iterator[Block]:
    headings = (
        Heading("Feature"),
        Heading("From", "name"),
        Heading("To", "name"),
        Heading("Confidence", "number", "Share of the models that have it."),
        Heading("In the reference"),
    )
    ranked = sorted(result.features, key=lambda f: (f.kind == "path", -f.confidence))
    features, n_left_out = shown_first(ranked)
    if features:
        rows = tuple(map(_feature_row, features))
        yield Table("Features, the most confident first", headings, rows, n_left_out)


def _feature_row(feature: GraphFeature) -> tuple[Cell, ...]:
    return (
        text(_KINDS[feature.kind]),
        name(feature.left),
        name(feature.right),
        share(feature.confidence),
        text("yes" if feature.in_model else "no"),
    )


def _models(result: FeatureConfidence) -> Table:
    headings = (
        Heading("Model", "number"),
        Heading("Runs", "number"),
        Heading("Score", "number"),
        Heading("Edges" if "edges" in result.groups else "Members", "number"),
    )
    models = result.models[:_MOST_MODELS]
    rows = tuple(
        (
            number(place + 1, "d"),
            number(model.n_runs, ","),
            number(model.score, ",.2f"),
            number(_size(model), "d"),
        )
        for place, model in enumerate(models)
    )
    return Table("The best models", headings, rows, result.n_distinct - len(models))


def _size(model: FoundModel) -> int:
    return model.n_edges if model.boundary is None else len(model.boundary)


def arrange_optima(result: OptimaBySize) -> Page:
    """Arrange how many distinct models there are, by share of the rows."""
    means = result.mean_by_share()
    headings = (
        Heading("Share of rows", "number"),
        Heading("Rows", "number"),
        Heading("Sample", "number"),
        Heading("Distinct models", "number"),
        Heading("Runs", "number"),
        Heading("Best score", "number"),
        Heading("Edges", "number"),
    )
    counts, n_left_out = shown_first(result.counts)
    rows = tuple(
        (
            share(count.share),
            number(count.n_rows, ","),
            number(count.repeat + 1, "d"),
            number(count.n_distinct, ","),
            number(count.n_runs, ","),
            number(count.best_score, ",.2f"),
            number(count.n_edges, ","),
        )
        for count in counts
    )
    averages = Table(
        "Mean number of distinct models",
        (Heading("Share of rows", "number"), Heading("Distinct models", "number")),
        tuple((share(part), number(mean, ",.1f")) for part, mean in means.items()),
    )
    ends = list(means.items())
    answer = "No sample was finished."
    if ends:
        (least, few), (most, many) = ends[0], ends[-1]
        answer = (
            f"{few:,.1f} distinct models on average with {least:.0%} of the rows, {many:,.1f} "
            f"with {most:.0%}."
        )
    return framed(
        result,
        what="Local optima",
        subject="by number of rows",
        question="How many distinct models do repeated searches find, as rows become more?",
        answer=answer,
        figures=(("samples", f"{len(result.counts):,}"),),
        sections=(
            Section("means", "By share of the rows", (averages,) if means else ()),
            Section(
                "samples",
                "Each sample",
                (Table("Samples", headings, rows, n_left_out),) if rows else (),
            ),
        ),
    )
