"""The way of each edge from box to box, around the others."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import TypeAlias

Point: TypeAlias = tuple[float, float]

BOX_HEIGHT = 0.26
_PORT_GAP = 0.11  # between edges that end at one side of a box
_CLEARANCE = 0.07
_N_STEPS = 200

# A curve that leaves upright and arrives upright: shares of its way down, and to the side.
_TIMES = [step / _N_STEPS for step in range(_N_STEPS + 1)]
_DOWN = [1.5 * t * (1 - t) + t**3 for t in _TIMES]
_ASIDE = [3 * t**2 - 2 * t**3 for t in _TIMES]


class Rows:
    """The boxes of a layout, layer by layer, to ask whether a curve runs into one of them.

    Parameters
    ----------
    layers : sequence of sequence of (float, float)
        (left, right) borders of the boxes of each layer, from left to right.
    heights : sequence of float
        The middle of each layer, falling.
    """

    def __init__(
        self, layers: Sequence[Sequence[tuple[float, float]]], heights: Sequence[float]
    ) -> None:
        self._lefts = [[left for left, _ in layer] for layer in layers]
        self._rights = [[right for _, right in layer] for layer in layers]
        self._depths = [-height for height in heights]

    def clear(self, start: Point, end: Point) -> bool:
        """Tell whether the curve from a point down to another keeps off the boxes between."""
        (x, y), (to_x, to_y) = start, end
        fall, half = y - to_y, BOX_HEIGHT / 2
        first = bisect_left(self._depths, half - y)
        for layer in range(first, bisect_left(self._depths, -to_y - half)):
            above = y + self._depths[layer]
            shares = _aside((above - half) / fall), _aside((above + half) / fall)
            if self._hit(layer, *sorted(x + (to_x - x) * share for share in shares)):
                return False
        return True

    def _hit(self, layer: int, left: float, right: float) -> bool:
        box = bisect_left(self._rights[layer], left - _CLEARANCE)
        return box < len(self._lefts[layer]) and self._lefts[layer][box] < right + _CLEARANCE


def _aside(down: float) -> float:
    """Return how far to the side a curve has gone after a share of its way down."""
    step = min(max(bisect_left(_DOWN, down), 1), _N_STEPS)
    part = (down - _DOWN[step - 1]) / (_DOWN[step] - _DOWN[step - 1])
    return _ASIDE[step - 1] + (_ASIDE[step] - _ASIDE[step - 1]) * part


def shortened(route: Sequence[Point], rows: Rows) -> list[Point]:
    """Leave out the waypoints of an edge where a single curve gets past the boxes.

    Parameters
    ----------
    route : sequence of (float, float)
        Points in pairs, from top to bottom: a curve joins the two of a pair, and between pairs the
        edge goes straight down past the boxes of a layer.
    rows : Rows
        The boxes.
    """
    found = [route[0]]
    start = 0
    while start < len(route):
        ends = range(len(route) - 1, start + 1, -2)
        end = next((i for i in ends if rows.clear(route[start], route[i])), start + 1)
        found += route[end : end + 2]
        start = end + 1
    return found


def ports(
    ends: Sequence[tuple[int, float]], xs: Sequence[float], widths: Sequence[float]
) -> list[float]:
    """Spread the edges that end at one side of a box, in the order in which they come.

    Parameters
    ----------
    ends : sequence of (int, float)
        For each edge the node at its end, and how far to the right it comes from.
    xs, widths : sequence of float
        Centre and width of each node.
    """
    by_node: dict[int, list[int]] = {}
    for edge in sorted(range(len(ends)), key=lambda i: (ends[i][1], i)):
        by_node.setdefault(ends[edge][0], []).append(edge)
    found = [0.0] * len(ends)
    for node, edges in by_node.items():
        room = min(0.8 * widths[node], _PORT_GAP * (len(edges) - 1))
        for i, edge in enumerate(edges):
            found[edge] = xs[node] + (room * (i / (len(edges) - 1) - 0.5) if room else 0.0)
    return found
