"""How far to the right nodes stand, and the way of each edge from box to box, around the others."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from eiderdown.report.layers import Layers

Point: TypeAlias = tuple[float, float]

BOX_HEIGHT = 0.26
_PORT_GAP = 0.11  # between edges that end at one side of a box
_CLEARANCE = 0.07
_N_STEPS = 200

# A curve that leaves upright and arrives upright: shares of its way down, and to the side.
_TIMES = [step / _N_STEPS for step in range(_N_STEPS + 1)]
_DOWN = [1.5 * t * (1 - t) + t**3 for t in _TIMES]
_ASIDE = [3 * t**2 - 2 * t**3 for t in _TIMES]

_N_SWEEPS, _N_ONE_WAY = 150, 20


def straightened(
    layers: Layers, widths: Sequence[float], pulls: Sequence[Mapping[int, float]]
) -> list[float]:
    """Return the centre of each node, in the order of its layer and without overlaps.

    Examples
    --------
    >>> straightened([[0], [1, 2]], [1.0, 1.0, 1.0], [{1: 1, 2: 1}, {0: 1}, {0: 1}])
    [0.5, 0.0, 1.0]
    """
    centres = [0.0] * len(widths)
    for layer in layers:
        for node, place in zip(layer, _steps(layer, widths), strict=True):
            centres[node] = place
    layer_of = {node: depth for depth, layer in enumerate(layers) for node in layer}
    for sweep in range(_N_SWEEPS):
        # Sweeps that look one way bring nodes near their place, the others keep them there.
        sides = (-1, 1) if sweep >= _N_ONE_WAY else (-1,) if sweep % 2 == 0 else (1,)
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            _align(layer, centres, widths, pulls, layer_of, sides)
    leftmost = min(centres)
    return [centre - leftmost for centre in centres]


def _align(
    layer: Sequence[int],
    centres: list[float],
    widths: Sequence[float],
    pulls: Sequence[Mapping[int, float]],
    layer_of: Mapping[int, int],
    sides: tuple[int, ...],
) -> None:
    """Move a layer's nodes to the mean of those that pull at them, as near as order allows."""
    wanted, strengths = [], []
    for node in layer:
        pull = {
            other: strength
            for other, strength in pulls[node].items()
            if layer_of[other] - layer_of[node] in sides
        }
        strength = sum(pull.values())
        mean = sum(centres[other] * pull[other] for other in pull) / strength if pull else 0.0
        wanted.append(mean if pull else centres[node])
        strengths.append(strength if pull else 0.1)
    steps = _steps(layer, widths)
    shifts = [want - step for want, step in zip(wanted, steps, strict=True)]
    for node, shift, step in zip(layer, nearest_rising(shifts, strengths), steps, strict=True):
        centres[node] = shift + step


def _steps(layer: Sequence[int], widths: Sequence[float]) -> list[float]:
    """Return the centres of nodes that stand as close as they may."""
    places: list[float] = []
    for i, node in enumerate(layer):
        apart = (widths[layer[i - 1]] + widths[node]) / 2 if i else 0.0
        places.append(places[-1] + apart if i else 0.0)
    return places


def nearest_rising(values: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return the numbers nearest to some, in weighted squares, that never fall.

    For a handful of numbers this is many times quicker than scikit-learn's isotonic regression.

    Examples
    --------
    >>> nearest_rising([1.0, 5.0, 3.0], [1.0, 1.0, 3.0])
    [1.0, 3.5, 3.5]
    """
    blocks: list[tuple[float, float, int]] = []
    for value, weight in zip(values, weights, strict=True):
        mean, mass, size = value, weight, 1
        while blocks and blocks[-1][0] > mean:
            earlier, its_mass, its_size = blocks.pop()
            mean = (earlier * its_mass + mean * mass) / (its_mass + mass)
            mass, size = mass + its_mass, size + its_size
        blocks.append((mean, mass, size))
    return [mean for mean, _, size in blocks for _ in range(size)]


class Rows:
    """The boxes of a layout, layer by layer, to ask whether a curve runs into one of them."""

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
    """Leave out the waypoints of an edge where a single curve gets past the boxes."""
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
    """Spread the edges, as (node, where they come from), that end at one side of a box."""
    by_node: dict[int, list[int]] = {}
    for edge in sorted(range(len(ends)), key=lambda i: (ends[i][1], i)):
        by_node.setdefault(ends[edge][0], []).append(edge)
    found = [0.0] * len(ends)
    for node, edges in by_node.items():
        room = min(0.8 * widths[node], _PORT_GAP * (len(edges) - 1))
        for i, edge in enumerate(edges):
            found[edge] = xs[node] + (room * (i / (len(edges) - 1) - 0.5) if room else 0.0)
    return found
