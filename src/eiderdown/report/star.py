"""A target in the middle of its members: directions are known of spouses and their children alone.

Matplotlib is imported when the first one is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from eiderdown.report.graph_boxes import (
    COLOURS,
    STYLES,
    Line,
    axes_around,
    box_width,
    draw_node,
    label_of,
)
from eiderdown.report.layout import BOX_HEIGHT, Layout, Point

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import FancyBboxPatch

_GAP = 0.16  # inches between boxes
_LEAST_WIDTH, _LEAST_HEIGHT = 1.35, 0.8  # half axes of the ellipse, in inches


def draw_star(
    centre: str,
    around: Sequence[str],
    lines: Sequence[Line],
    fills: Mapping[str, str],
    ax: Axes | None = None,
) -> Axes:
    """Draw a box in the middle, others on an ellipse around it, and straight lines between them."""
    names = [centre, *around]
    widths = [box_width(label_of(name)) for name in names]
    layout = _ellipse(widths)
    axes, scale = axes_around(layout, ax)
    boxes = {
        name: draw_node(
            axes, label_of(name), width, place, fill=fills.get(name, "white"), scale=scale
        )
        for name, width, place in zip(names, widths, layout.centres, strict=True)
    }
    places = dict(zip(names, layout.centres, strict=True))
    for line in lines:
        _draw_straight(axes, line, places, boxes, scale)
    return axes


def _ellipse(widths: Sequence[float]) -> Layout:
    """Place the first box in the middle and the others around it, so that none overlap."""
    n = len(widths) - 1
    widest = max(widths[1:], default=0.0)
    # Two neighbours on a circle of radius 1 are this far apart; how much of that is to the side
    # and how much upwards changes along the ellipse, so 4/5 and 1/5 of its square are counted on.
    chord = 2 * math.sin(math.pi / max(n, 3))
    half_width = max(
        _LEAST_WIDTH, widths[0] / 2 + widest / 2 + 0.5, (widest + _GAP) / chord / 0.894
    )
    half_height = max(_LEAST_HEIGHT, (BOX_HEIGHT + _GAP) / chord / 0.447)
    width, height = 2 * half_width + widest, 2 * half_height + BOX_HEIGHT
    middle = (width / 2, -height / 2)
    centres: list[Point] = [middle]
    for i in range(n):
        angle = math.pi / 2 - i * 2 * math.pi / n
        x, y = half_width * math.cos(angle), half_height * math.sin(angle)
        centres.append((middle[0] + x, middle[1] + y))
    return Layout(tuple(centres), (), width, height)


def _draw_straight(
    axes: Axes,
    line: Line,
    places: Mapping[str, Point],
    boxes: Mapping[str, FancyBboxPatch],
    scale: float,
) -> None:
    from matplotlib.patches import FancyArrowPatch

    axes.add_patch(
        FancyArrowPatch(
            posA=places[line.tail],
            posB=places[line.head],
            patchA=boxes[line.tail],
            patchB=boxes[line.head],
            shrinkA=0.0,
            shrinkB=0.0,
            arrowstyle="-|>" if line.directed else "-",
            mutation_scale=scale * (6.0 + 1.5 * line.width),
            linewidth=scale * line.width,
            linestyle=STYLES[line.verdict],
            color=COLOURS[line.verdict],
            zorder=2,
        )
    )
