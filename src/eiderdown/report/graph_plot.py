"""Pictures of graphs: what was learned, and the edges one can be sure of; as files and on axes.

Matplotlib is imported when the first one is drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from eiderdown.errors import OptionError
from eiderdown.graphs import PDAG
from eiderdown.graphs.metrics import FeatureGroup
from eiderdown.report.graph_boxes import (
    COLOURS,
    MEMBER_FILL,
    STYLES,
    TARGET_FILL,
    Line,
    Verdict,
    draw_boxes,
)
from eiderdown.report.plots import figure_of, finished
from eiderdown.report.star import draw_star
from eiderdown.results import (
    AllBoundaries,
    EdgeStability,
    FeatureConfidence,
    LearnedGraph,
    LearnedRegion,
    LocalResult,
    Orientation,
)
from eiderdown.results.graph_features import check_threshold, passes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

N_AROUND = 30
"""How many members stand around a target; the rest is a number below it."""

_THINNEST, _WIDEST, _BOLD = 0.5, 1.7, 3.0  # widths of lines, in points
_MOST_ALONE = 100  # columns without edges; more of them are a number in the title


def plot_graph(learned: LearnedGraph, path: str | Path | None = None) -> Figure:
    """Draw a learned graph, parents above children; undirected edges have no arrowhead.

    Parameters
    ----------
    learned : LearnedGraph
        What was learned. The target of a region is coloured.
    path : str, Path or None
        The .png, .svg or .pdf file to write, if any.

    Returns
    -------
    matplotlib.figure.Figure
        The picture, for those who want to change it.
    """
    return finished(figure_of(draw_learned(learned)), path)


def plot_confident_graph(
    result: FeatureConfidence,
    path: str | Path | None = None,
    *,
    threshold: float | None = None,
    strong: float = 0.95,
    target: str | None = None,
) -> Figure:
    """Draw the edges that pass a threshold, and those of the best model that do not.

    Lines are solid for edges in the model, dashed for edges that are not in it, and dotted for
    edges of the model that do not pass. The wider a line, the more confident the edge; bold ones
    have a confidence of at least ``strong``. Models that are boundaries have lines to
    their members instead of edges. Columns without edges stand at the bottom, unless they are many.

    Parameters
    ----------
    result : FeatureConfidence
        What :func:`eiderdown.measure_confidence` measured.
    path : str, Path or None
        The .png, .svg or .pdf file to write, if any.
    threshold : float or None
        Least confidence; None for the one that is suggested.
    strong : float
        Least confidence of a bold line.
    target : str or None
        A column to colour, with its Markov boundary at the threshold; None for the one that was
        asked about, if any.

    Returns
    -------
    matplotlib.figure.Figure
        The picture, for those who want to change it.
    """
    axes = draw_confident(result, threshold=threshold, strong=strong, target=target)
    return finished(figure_of(axes), path)


# --- on axes -------------------------------------------------------------------------------------


def draw_learned(learned: LearnedGraph, ax: Axes | None = None) -> Axes:
    """Draw a learned graph; the target of a region is coloured."""
    fills = {learned.target: TARGET_FILL} if isinstance(learned, LearnedRegion) else {}
    lines = [Line(edge.left, edge.right, edge.directed) for edge in learned.edges]
    return draw_boxes(sorted(learned.nodes), lines, fills, ax)


def draw_local(found: LocalResult, ax: Axes | None = None) -> Axes:
    """Draw a target with its members around it; a spouse points to the child that they share."""
    shown = found.members[:N_AROUND]
    children = {child for spouse, child in found.spouses.items() if spouse in shown}
    spouses = {x: child for x, child in found.spouses.items() if x in shown and child in shown}
    joined = [member for member in shown if member not in spouses]
    lines = [Line(found.target, member, member in children) for member in joined]
    lines += [Line(spouse, child, True) for spouse, child in spouses.items()]
    fills = {**dict.fromkeys(shown, MEMBER_FILL), found.target: TARGET_FILL}
    axes = draw_star(found.target, _beside_children(joined, spouses), lines, fills, ax)
    if len(found.members) > N_AROUND:
        _note(axes, f"the strongest {N_AROUND} of {len(found.members):,} members")
    return axes


def draw_consensus(
    result: EdgeStability, ax: Axes | None = None, *, threshold: float = 0.5
) -> Axes:
    """Draw the edges that came back in at least this share of the resamples."""
    graph = result.consensus(threshold=threshold)
    widths = {
        frozenset((edge.left, edge.right)): _width(edge.adjacent, 0.95) for edge in result.edges
    }
    return draw_pdag(graph, {}, ax, widths)


def draw_orientation(result: Orientation, ax: Axes | None = None) -> Axes:
    """Draw the region around a target with the directions that are more likely than not."""
    adjacent = dict.fromkeys((role.name for role in result.neighbours), MEMBER_FILL)
    return draw_pdag(result.graph, {**adjacent, result.target: TARGET_FILL}, ax)


def draw_pdag(
    graph: PDAG,
    fills: dict[str, str],
    ax: Axes | None = None,
    widths: dict[frozenset[str], float] | None = None,
) -> Axes:
    """Draw the edges of a graph, and the columns that have some."""
    edges = [*((x, y, True) for x, y in graph.directed)]
    edges += [(x, y, False) for x, y in graph.undirected]
    known = widths or {}
    lines = [Line(x, y, way, known.get(frozenset((x, y)), 1.0)) for x, y, way in edges]
    names = _shown(graph.nodes, lines, next(iter(fills), None))
    return draw_boxes(names, lines, fills, ax)


def draw_boundaries(result: AllBoundaries, ax: Axes | None = None) -> Axes:
    """Draw every target with its members: solid if both found each other, dashed if one did."""
    found = {frozenset((x, member)) for x in result for member in result[x].members}
    pairs = sorted(tuple(sorted(pair)) for pair in found)
    lines = []
    for x, y in pairs:
        sides = [x in result and y in result[x].members, y in result and x in result[y].members]
        lines.append(Line(x, y, False, verdict="TP" if all(sides) else "FP"))
    return draw_boxes(sorted({*result, *(x for pair in pairs for x in pair)}), lines, {}, ax)


def draw_confident(
    result: FeatureConfidence,
    ax: Axes | None = None,
    *,
    threshold: float | None = None,
    strong: float = 0.95,
    target: str | None = None,
) -> Axes:
    """Draw the edges that pass a threshold, with a title and a legend."""
    if not 0.0 < strong <= 1.0:
        raise OptionError(f"strong must be above 0 and at most 1, not {strong}.")
    group: FeatureGroup = "edges" if "edges" in result.groups else "boundaries"
    least = result.suggested_threshold(group) if threshold is None else threshold
    lines = _lines(result, group, least, strong)
    target = result.target if target is None else target
    names = _shown(result.nodes, lines, target)
    fills = {}
    if target is not None:
        members = dict.fromkeys(result.boundary(target, threshold), MEMBER_FILL)
        fills = {**members, target: TARGET_FILL}
    axes = draw_boxes(names, lines, fills, ax, legend=True)
    title = _title(result, group, least, n_left_out=len(result.nodes) - len(names))
    meanings = _meanings(result, group, least, strong)
    if ax is None:
        figure = figure_of(axes)
        figure.suptitle(title, fontsize=10, y=1.0 - 0.15 / figure.get_figheight())
        figure.legend(handles=meanings, loc="lower center", ncols=3, fontsize=8, frameon=False)
    else:
        axes.set_title(title, fontsize=10)
        axes.legend(
            handles=meanings,
            loc="upper center",
            bbox_to_anchor=(0.5, 0.0),
            ncols=2,
            fontsize=7,
            frameon=False,
        )
    return axes


def _beside_children(joined: Sequence[str], spouses: dict[str, str]) -> list[str]:
    """Order members so that spouses stand next to the child that they share with the target."""
    return [
        name
        for member in joined
        for name in (member, *(x for x, child in spouses.items() if child == member))
    ]


def _note(axes: Axes, text: str) -> None:
    axes.text(0.5, 0.0, text, transform=axes.transAxes, ha="center", va="bottom", fontsize=8)


# --- the graph of confident edges ----------------------------------------------------------------


def _lines(
    result: FeatureConfidence, group: FeatureGroup, threshold: float, strong: float
) -> list[Line]:
    """Return what to draw: what passes, the most confident first, then what is missed."""
    check_threshold(threshold)
    found = []
    for feature in result.of_group(group):
        confident = passes(feature.confidence, threshold)
        if confident or feature.in_model:
            verdict: Verdict = "FN" if not confident else "TP" if feature.in_model else "FP"
            width = _width(feature.confidence, strong)
            line = Line(feature.left, feature.right, feature.kind == "directed", width, verdict)
            found.append((not confident, -feature.confidence, feature.left, feature.right, line))
    return [line for *_, line in sorted(found, key=lambda item: item[:4])]


def _shown(nodes: Sequence[str], lines: Iterable[Line], target: str | None) -> list[str]:
    """Return the columns to draw, in the order of their names."""
    joined = {name for line in lines for name in (line.tail, line.head)}
    if len(nodes) - len(joined) <= _MOST_ALONE:
        return sorted(nodes)
    return sorted(joined if target is None else joined | {target})


def _width(confidence: float, strong: float) -> float:
    if passes(confidence, strong):
        return _BOLD
    return _THINNEST + (_WIDEST - _THINNEST) * confidence


def _meanings(
    result: FeatureConfidence, group: FeatureGroup, threshold: float, strong: float
) -> list[Line2D]:
    """Return what the lines mean, for a legend."""
    from matplotlib.lines import Line2D

    model = "the best model" if result.reference == "best model" else "the known graph"
    errors = result.counts_at(group, threshold)
    meanings: dict[Verdict, str] = {
        "TP": f"confident and in {model}: {errors.true_positives:,}",
        "FP": f"confident, not in {model}: {errors.false_positives:,}",
        "FN": f"in {model}, not confident: {errors.false_negatives:,}",
    }
    lines = [
        Line2D([], [], color=COLOURS[verdict], linestyle=STYLES[verdict], label=meaning)
        for verdict, meaning in meanings.items()
    ]
    widths = {f"confidence {threshold:.2f}": threshold} if threshold < strong else {}
    widths[f"confidence {strong:.2f} or more"] = 1.0
    lines += [
        Line2D([], [], color="black", linewidth=_width(confidence, strong), label=label)
        for label, confidence in widths.items()
    ]
    return lines


def _title(
    result: FeatureConfidence, group: FeatureGroup, threshold: float, *, n_left_out: int
) -> str:
    what = "Edges" if group == "edges" else "Members of boundaries"
    title = (
        f"{what} with a confidence of at least {threshold:.2f} in {result.n_distinct:,} distinct "
        f"models of {result.n_runs:,} runs"
    )
    if n_left_out:
        title += f"\n({n_left_out:,} columns without any are left out)"
    return title
