"""Pictures of graphs: what was learned, and the edges one can be sure of.

Matplotlib is imported when the first one is drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from eiderdown.errors import OptionError
from eiderdown.graphs.metrics import FeatureGroup
from eiderdown.report.layers import Link
from eiderdown.report.layout import BOX_HEIGHT, Layout, Point, lay_out
from eiderdown.report.plots import finished
from eiderdown.report.text import cut_off
from eiderdown.results import FeatureConfidence, LearnedGraph, LearnedRegion
from eiderdown.results.graph_features import check_threshold, passes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.path import Path as Curve

Verdict: TypeAlias = Literal["TP", "FP", "FN"]
LineStyle: TypeAlias = Literal["-", "--", ":"]

_COLOURS: dict[Verdict, str] = {"TP": "#35587f", "FP": "#c0563a", "FN": "#9a9a9a"}
_STYLES: dict[Verdict, LineStyle] = {"TP": "-", "FP": "--", "FN": ":"}
_BOX_COLOUR = "#4c6a92"
_TARGET_FILL, _MEMBER_FILL = "#f2b8a5", "#fbe7df"
_THINNEST, _WIDEST, _BOLD = 0.5, 1.7, 3.0  # widths of lines, in points
_FONT_SIZE = 8.0
_LONGEST_NAME = 24
_MARGIN, _HEAD, _FOOT, _LEGEND_WIDTH = 0.25, 0.35, 0.55, 7.5  # inches
_LARGEST = 60.0  # inches; what would be larger is drawn on a smaller scale
_MOST_ALONE = 100  # columns without edges; more of them are a number in the title


@dataclass(frozen=True)
class _Line:
    """An edge to draw, from tail to head."""

    tail: str
    head: str
    directed: bool
    width: float = 1.0
    verdict: Verdict = "TP"


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
    fills = {learned.target: _TARGET_FILL} if isinstance(learned, LearnedRegion) else {}
    lines = [_Line(edge.left, edge.right, edge.directed) for edge in learned.edges]
    return finished(_drawn(sorted(learned.nodes), lines, fills), path)


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
    if not 0.0 < strong <= 1.0:
        raise OptionError(f"strong must be above 0 and at most 1, not {strong}.")
    group: FeatureGroup = "edges" if "edges" in result.groups else "boundaries"
    least = result.suggested_threshold(group) if threshold is None else threshold
    lines = _lines(result, group, least, strong)
    target = result.target if target is None else target
    names = _shown(result.nodes, lines, target)
    fills = {}
    if target is not None:
        members = dict.fromkeys(result.boundary(target, threshold), _MEMBER_FILL)
        fills = {**members, target: _TARGET_FILL}
    figure = _drawn(names, lines, fills, legend=True)
    _explain(figure, result, group, least, strong)
    _entitle(figure, result, group, least, n_left_out=len(result.nodes) - len(names))
    return finished(figure, path)


# --- what both pictures share --------------------------------------------------------------------


def _drawn(
    names: Sequence[str],
    lines: Sequence[_Line],
    fills: Mapping[str, str],
    *,
    legend: bool = False,
) -> Figure:
    """Draw boxes for columns and lines for edges, with room for a title and a legend if wanted."""
    from matplotlib.figure import Figure

    place = {name: i for i, name in enumerate(names)}
    widths = [_text_width(cut_off(name, _LONGEST_NAME)) + 0.14 for name in names]
    layout = lay_out(widths, [Link(place[e.tail], place[e.head], e.directed) for e in lines])
    figure = Figure()
    axes, scale = _canvas(figure, layout, legend=legend)
    for line, route in zip(lines, layout.routes, strict=True):
        _draw_line(axes, line, route, scale)
    for name, width, centre in zip(names, widths, layout.centres, strict=True):
        _draw_node(axes, name, width, centre, fill=fills.get(name, "white"), scale=scale)
    return figure


def _text_width(text: str) -> float:
    """Return how many inches a name takes."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    size = FontProperties(size=_FONT_SIZE)
    width, _, _ = text_to_path.get_text_width_height_descent(text, size, ismath=False)
    return float(width) / 72


def _canvas(figure: Figure, layout: Layout, *, legend: bool) -> tuple[Axes, float]:
    """Make axes in inches around a layout, and return the scale at which they are drawn."""
    head, foot, narrowest = (_HEAD, _FOOT, _LEGEND_WIDTH) if legend else (0.0, 0.0, 0.0)
    width = max(narrowest, layout.width + 2 * _MARGIN)
    height = layout.height + 2 * _MARGIN + head + foot
    scale = min(1.0, _LARGEST / max(width, height))
    figure.set_size_inches(scale * width, scale * height)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    left = (layout.width - width) / 2
    axes.set_xlim(left, left + width)
    axes.set_ylim(_MARGIN + head - height, _MARGIN + head)
    return axes, scale


def _draw_line(axes: Axes, line: _Line, route: Sequence[Point], scale: float) -> None:
    from matplotlib.patches import FancyArrowPatch

    axes.add_patch(
        FancyArrowPatch(
            path=_curve(route),
            arrowstyle="-|>" if line.directed else "-",
            mutation_scale=scale * (6.0 + 1.5 * line.width),
            linewidth=scale * line.width,
            linestyle=_STYLES[line.verdict],
            color=_COLOURS[line.verdict],
            capstyle="butt",
            zorder=1 if line.verdict == "FN" else 2,
        )
    )


def _curve(route: Sequence[Point]) -> Curve:
    """Return a line that is upright wherever it passes a layer."""
    from matplotlib.path import Path as Curve

    points, codes = [route[0]], [Curve.MOVETO]
    for i in range(1, len(route)):
        (x, y), (to_x, to_y) = route[i - 1], route[i]
        if i % 2:
            half = (y + to_y) / 2
            points += [(x, half), (to_x, half), (to_x, to_y)]
            codes += [Curve.CURVE4] * 3
        else:
            points.append((to_x, to_y))
            codes.append(Curve.LINETO)
    return Curve(points, codes)


def _draw_node(
    axes: Axes, name: str, width: float, centre: Point, *, fill: str, scale: float
) -> None:
    from matplotlib.patches import FancyBboxPatch

    x, y = centre
    axes.add_patch(
        FancyBboxPatch(
            (x - width / 2, y - BOX_HEIGHT / 2),
            width,
            BOX_HEIGHT,
            boxstyle="round,pad=0,rounding_size=0.06",
            facecolor=fill,
            edgecolor=_BOX_COLOUR,
            linewidth=scale * 0.8,
            zorder=3,
        )
    )
    text = axes.text(x, y, cut_off(name, _LONGEST_NAME), parse_math=False, zorder=4)
    text.set(ha="center", va="center_baseline", fontsize=scale * _FONT_SIZE)


# --- the graph of confident edges ----------------------------------------------------------------


def _lines(
    result: FeatureConfidence, group: FeatureGroup, threshold: float, strong: float
) -> list[_Line]:
    """Return what to draw: what passes, the most confident first, then what is missed."""
    check_threshold(threshold)
    found = []
    for feature in result.of_group(group):
        confident = passes(feature.confidence, threshold)
        if confident or feature.in_model:
            verdict: Verdict = "FN" if not confident else "TP" if feature.in_model else "FP"
            width = _width(feature.confidence, strong)
            line = _Line(feature.left, feature.right, feature.kind == "directed", width, verdict)
            found.append((not confident, -feature.confidence, feature.left, feature.right, line))
    return [line for *_, line in sorted(found, key=lambda item: item[:4])]


def _shown(nodes: Sequence[str], lines: Iterable[_Line], target: str | None) -> list[str]:
    """Return the columns to draw, in the order of their names."""
    joined = {name for line in lines for name in (line.tail, line.head)}
    if len(nodes) - len(joined) <= _MOST_ALONE:
        return sorted(nodes)
    return sorted(joined if target is None else joined | {target})


def _width(confidence: float, strong: float) -> float:
    if passes(confidence, strong):
        return _BOLD
    return _THINNEST + (_WIDEST - _THINNEST) * confidence


def _explain(
    figure: Figure, result: FeatureConfidence, group: FeatureGroup, threshold: float, strong: float
) -> None:
    """Say below the graph what the lines mean."""
    from matplotlib.lines import Line2D

    model = "the best model" if result.reference == "best model" else "the known graph"
    errors = result.counts_at(group, threshold)
    meanings: dict[Verdict, str] = {
        "TP": f"confident and in {model}: {errors.true_positives:,}",
        "FP": f"confident, not in {model}: {errors.false_positives:,}",
        "FN": f"in {model}, not confident: {errors.false_negatives:,}",
    }
    lines = [
        Line2D([], [], color=_COLOURS[verdict], linestyle=_STYLES[verdict], label=meaning)
        for verdict, meaning in meanings.items()
    ]
    widths = {f"confidence {threshold:.2f}": threshold} if threshold < strong else {}
    widths[f"confidence {strong:.2f} or more"] = 1.0
    lines += [
        Line2D([], [], color="black", linewidth=_width(confidence, strong), label=label)
        for label, confidence in widths.items()
    ]
    figure.legend(handles=lines, loc="lower center", ncols=3, fontsize=8, frameon=False)


def _entitle(
    figure: Figure,
    result: FeatureConfidence,
    group: FeatureGroup,
    threshold: float,
    *,
    n_left_out: int,
) -> None:
    what = "Edges" if group == "edges" else "Members of boundaries"
    title = (
        f"{what} with a confidence of at least {threshold:.2f} in {result.n_distinct:,} distinct "
        f"models of {result.n_runs:,} runs"
    )
    if n_left_out:
        title += f"\n({n_left_out:,} columns without any are left out)"
    figure.suptitle(title, fontsize=10, y=1.0 - 0.15 / figure.get_figheight())
