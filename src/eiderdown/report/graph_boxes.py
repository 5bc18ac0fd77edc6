"""A graph on axes: a box for each column, a line for each edge, parents above children.

The layout is in inches (:mod:`eiderdown.report.layout`). New axes get the size that it needs; on
given axes it is drawn as large as it fits. Matplotlib is imported when the first one is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from eiderdown.report.layers import Link
from eiderdown.report.layout import BOX_HEIGHT, Layout, Point, lay_out
from eiderdown.report.text import cut_off
from eiderdown.terminal import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import FancyBboxPatch
    from matplotlib.path import Path as Curve

Verdict: TypeAlias = Literal["TP", "FP", "FN"]
LineStyle: TypeAlias = Literal["-", "--", ":"]

COLOURS: dict[Verdict, str] = {"TP": "#35587f", "FP": "#c0563a", "FN": "#9a9a9a"}
STYLES: dict[Verdict, LineStyle] = {"TP": "-", "FP": "--", "FN": ":"}
TARGET_FILL, MEMBER_FILL = "#f2b8a5", "#fbe7df"

_BOX_COLOUR = "#4c6a92"
_FONT_SIZE = 8.0
_LONGEST_NAME = 24
_MARGIN, _HEAD, _FOOT, _LEGEND_WIDTH = 0.25, 0.35, 0.55, 7.5  # inches
_LARGEST = 60.0  # inches; what would be larger is drawn on a smaller scale


@dataclass(frozen=True)
class Line:
    """An edge to draw, from tail to head."""

    tail: str
    head: str
    directed: bool
    width: float = 1.0
    verdict: Verdict = "TP"


def draw_boxes(
    names: Sequence[str],
    lines: Sequence[Line],
    fills: Mapping[str, str],
    ax: Axes | None = None,
    *,
    legend: bool = False,
) -> Axes:
    """Draw boxes for columns and lines for edges.

    Parameters
    ----------
    names : sequence of str
        The columns.
    lines : sequence of Line
        The edges between them.
    fills : mapping of str to str
        Colours of boxes that are not white.
    ax : matplotlib axes or None
        Where to draw; None for axes that fill a figure of the size that the graph needs.
    legend : bool
        Whether a new figure has room for a title and a legend.
    """
    place = {name: i for i, name in enumerate(names)}
    labels = [label_of(name) for name in names]
    widths = [box_width(label) for label in labels]
    layout = lay_out(widths, [Link(place[e.tail], place[e.head], e.directed) for e in lines])
    axes, scale = axes_around(layout, ax, legend=legend)
    for line, route in zip(lines, layout.routes, strict=True):
        _draw_line(axes, line, route, scale)
    for name, label, width, centre in zip(names, labels, widths, layout.centres, strict=True):
        draw_node(axes, label, width, centre, fill=fills.get(name, "white"), scale=scale)
    return axes


def label_of(name: str) -> str:
    """Write a name as it stands in a box."""
    return cut_off(visible(name), _LONGEST_NAME)


def box_width(label: str) -> float:
    """Return how many inches a box takes."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    size = FontProperties(size=_FONT_SIZE)
    width, _, _ = text_to_path.get_text_width_height_descent(label, size, ismath=False)
    return float(width) / 72 + 0.14


def axes_around(layout: Layout, ax: Axes | None, *, legend: bool = False) -> tuple[Axes, float]:
    """Return axes without a frame around a layout, and the scale at which it is drawn."""
    axes, scale = _canvas(layout, legend=legend) if ax is None else (ax, _fit(ax, layout))
    axes.set_axis_off()
    return axes, scale


def _canvas(layout: Layout, *, legend: bool) -> tuple[Axes, float]:
    """Make axes in inches around a layout, and return the scale at which they are drawn."""
    from eiderdown.report.canvas import whole_figure

    head, foot, narrowest = (_HEAD, _FOOT, _LEGEND_WIDTH) if legend else (0.0, 0.0, 0.0)
    width = max(narrowest, layout.width + 2 * _MARGIN)
    height = layout.height + 2 * _MARGIN + head + foot
    scale = min(1.0, _LARGEST / max(width, height))
    axes = whole_figure(scale * width, scale * height)
    left = (layout.width - width) / 2
    axes.set_xlim(left, left + width)
    axes.set_ylim(_MARGIN + head - height, _MARGIN + head)
    return axes, scale


def _fit(axes: Axes, layout: Layout) -> float:
    """Put a layout in the middle of given axes, and return the scale at which it fits."""
    from eiderdown.report.canvas import inches_of

    width, height = inches_of(axes)
    scale = min(1.0, width / (layout.width + 2 * _MARGIN), height / (layout.height + 2 * _MARGIN))
    left, top = (layout.width - width / scale) / 2, (height / scale - layout.height) / 2
    axes.set_xlim(left, left + width / scale)
    axes.set_ylim(top - height / scale, top)
    return scale


def _draw_line(axes: Axes, line: Line, route: Sequence[Point], scale: float) -> None:
    from matplotlib.patches import FancyArrowPatch

    axes.add_patch(
        FancyArrowPatch(
            path=_curve(route),
            arrowstyle="-|>" if line.directed else "-",
            mutation_scale=scale * (6.0 + 1.5 * line.width),
            linewidth=scale * line.width,
            linestyle=STYLES[line.verdict],
            color=COLOURS[line.verdict],
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


def draw_node(
    axes: Axes, label: str, width: float, centre: Point, *, fill: str, scale: float
) -> FancyBboxPatch:
    """Draw the box of one column."""
    from matplotlib.patches import FancyBboxPatch

    x, y = centre
    box = FancyBboxPatch(
        (x - width / 2, y - BOX_HEIGHT / 2),
        width,
        BOX_HEIGHT,
        boxstyle="round,pad=0,rounding_size=0.06",
        facecolor=fill,
        edgecolor=_BOX_COLOUR,
        linewidth=scale * 0.8,
        zorder=3,
    )
    axes.add_patch(box)
    text = axes.text(x, y, label, parse_math=False, zorder=4)
    text.set(ha="center", va="center_baseline", fontsize=scale * _FONT_SIZE)
    return box
