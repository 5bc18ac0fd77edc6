"""Where to draw the nodes and edges of a graph: in layers, edges around boxes, after Sugiyama.

Nodes get layers and an order within them (:mod:`eiderdown.report.layers`), then are moved sideways
to where their edges are straight, and edges find their way around boxes. Components are laid out by
themselves and packed like text. Lengths are inches, y grows upwards.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TypeAlias

from eiderdown.graphs.separation import reached_from
from eiderdown.report.layers import Chains, Layers, Link, chained, depths, downward

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
    apart = ((widths[left] + widths[right]) / 2 for left, right in pairwise(layer))
    return list(accumulate(apart, initial=0.0))


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
            left, right = sorted(x + (to_x - x) * share for share in shares)
            box = bisect_left(self._rights[layer], left - _CLEARANCE)
            lefts = self._lefts[layer]
            if box < len(lefts) and lefts[box] < right + _CLEARANCE:
                return False
        return True


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


GAP = 0.16  # between boxes side by side
_ASPECT = 1.7  # how much wider than high a large graph should be
_ROW_HEIGHT = 0.85
_NARROWEST = 5.0  # layers and lines up to this width are never wrapped
_PART_GAP = 0.45
_PAGE_ASPECT = 1.6


@dataclass(frozen=True)
class Layout:
    """Where nodes and edges are drawn."""

    centres: tuple[Point, ...]
    # From tail to head points in pairs: a curve joins the two of a pair, and between pairs it goes
    # straight on past the boxes of a layer.
    routes: tuple[tuple[Point, ...], ...]
    width: float
    height: float  # the top left corner is (0, 0), and all y are negative


def lay_out_component(widths: Sequence[float], links: Sequence[Link]) -> Layout:
    """Lay out a graph in layers, so that it is not much wider than high."""
    room = [width + GAP for width in widths]
    down = downward(len(widths), links)
    ends = [(a, b) if falls else (b, a) for (a, b, _), falls in zip(links, down, strict=True)]
    depth = depths(len(widths), ends)
    graph = chained(room, ends, depth)
    layers = graph.ordered()
    rows, places = _wrapped(layers, room)
    if any(rows[node] != depth[node] for node in rows):
        graph = chained(room, ends, [rows[node] for node in range(len(widths))])
        layers = graph.ordered(places)
    xs = straightened(layers, graph.widths, _pulls(graph))
    return _placed(graph, layers, xs, widths, down)


def _wrapped(layers: Layers, room: Sequence[float]) -> tuple[dict[int, int], dict[int, float]]:
    """Split layers that are too wide; boxes side by side go to different rows, with room for edges.

    Returns the new layer of each node, and how far to the right it was in the old one.
    """
    limit = max(_NARROWEST, math.sqrt(_ASPECT * _ROW_HEIGHT * sum(room)))
    rows, places, top = {}, {}, 0
    for layer in layers:
        nodes = [node for node in layer if node < len(room)]
        n_rows = max(1, math.ceil(sum(room[node] for node in nodes) / limit))
        for i, node in enumerate(nodes):
            rows[node] = top + i % n_rows
        places.update({node: (i + 0.5) / len(layer) for i, node in enumerate(layer)})
        top += n_rows
    return rows, {node: places[node] for node in rows}


def _pulls(graph: Chains) -> list[dict[int, float]]:
    pulls: list[dict[int, float]] = [{} for _ in graph.widths]
    for a, b in graph.steps:
        # A long edge should be upright where it passes boxes.
        strength = (8.0, 2.0, 1.0)[graph.is_box(a) + graph.is_box(b)]
        pulls[a][b] = pulls[a].get(b, 0.0) + strength
        pulls[b][a] = pulls[b].get(a, 0.0) + strength
    return pulls


def _placed(
    graph: Chains,
    layers: Layers,
    xs: Sequence[float],
    widths: Sequence[float],
    down: Sequence[bool],
) -> Layout:
    """Return the layout for nodes that know their layer and how far to the right they stand."""
    left = min(x - room / 2 for x, room in zip(xs, graph.widths, strict=True))
    xs = [x - left - GAP / 2 for x in xs]
    heights = _heights(graph, len(layers), xs)
    centres = tuple((xs[i], heights[graph.depth[i]]) for i in range(graph.n_boxes))
    boxes = {i: (xs[i] - width / 2, xs[i] + width / 2) for i, width in enumerate(widths)}
    rows = Rows([[boxes[i] for i in layer if i in boxes] for layer in layers], heights)
    routes = [shortened(route, rows) for route in _routes(graph, xs, heights, widths)]
    return Layout(
        centres=centres,
        routes=tuple(
            tuple(route if falls else reversed(route))
            for route, falls in zip(routes, down, strict=True)
        ),
        width=max(x + room / 2 for x, room in zip(xs, graph.widths, strict=True)) - GAP / 2,
        height=BOX_HEIGHT / 2 - heights[-1],
    )


def _heights(graph: Chains, n_layers: int, xs: Sequence[float]) -> list[float]:
    """Give edges that go far to the side more room to fall."""
    widest = [0.0] * n_layers
    for a, b in graph.steps:
        widest[graph.depth[b]] = max(widest[graph.depth[b]], abs(xs[a] - xs[b]))
    heights = [-BOX_HEIGHT / 2]
    for reach in widest[1:]:
        heights.append(heights[-1] - BOX_HEIGHT - min(0.9, 0.32 + 0.09 * reach))
    return heights


def _routes(
    graph: Chains, xs: Sequence[float], heights: Sequence[float], widths: Sequence[float]
) -> list[list[Point]]:
    """Return the way of each edge through all its waypoints, from top to bottom."""
    starts = ports([(chain[0], xs[chain[1]]) for chain in graph.chains], xs, widths)
    ends = ports([(chain[-1], xs[chain[-2]]) for chain in graph.chains], xs, widths)
    half = BOX_HEIGHT / 2
    routes = []
    for chain, start, end in zip(graph.chains, starts, ends, strict=True):
        route = [(start, heights[graph.depth[chain[0]]] - half)]
        for node in chain[1:-1]:
            y = heights[graph.depth[node]]
            route += [(xs[node], y + half), (xs[node], y - half)]
        routes.append([*route, (end, heights[graph.depth[chain[-1]]] + half)])
    return routes


@dataclass(frozen=True)
class _Part:
    """Nodes that hang together, their edges, and their layout by themselves."""

    nodes: tuple[int, ...]
    edges: tuple[int, ...]
    layout: Layout


def lay_out(widths: Sequence[float], links: Sequence[Link]) -> Layout:
    """Lay out a graph; links come the most important first, widths are those of the boxes.

    Nodes without edges stand in rows at the bottom.

    Examples
    --------
    >>> found = lay_out([1.0, 1.0, 1.0], [Link(2, 1)])
    >>> heights = [y for _, y in found.centres]
    >>> heights[2] > heights[1] > heights[0]
    True
    """
    parts = _parts(widths, links)
    joined = [part for part in parts if part.edges]
    alone = [part for part in parts if not part.edges]
    # How wide lines may be for the whole to be somewhat wider than high.
    layouts = [part.layout for part in joined]
    area = sum((one.width + _PART_GAP) * (one.height + _PART_GAP) for one in layouts)
    room = max([_NARROWEST, math.sqrt(_PAGE_ASPECT * area), *(one.width for one in layouts)])
    corners, bottom = _shelved(joined, room, gap=_PART_GAP, top=0.0)
    top = bottom - _PART_GAP if joined else 0.0
    more, bottom = _shelved(alone, room, gap=GAP, top=top) if alone else ([], bottom)
    return _together([*joined, *alone], [*corners, *more], bottom)


def _parts(widths: Sequence[float], links: Sequence[Link]) -> list[_Part]:
    """Return what hangs together, the largest first."""
    near: list[set[int]] = [set() for _ in widths]
    for tail, head, _ in links:
        near[tail].add(head)
        near[head].add(tail)
    groups = {tuple(sorted(reached_from([node], near))) for node in range(len(widths))}
    found = []
    for nodes in sorted(groups, key=lambda group: (-len(group), group)):
        place = {node: i for i, node in enumerate(nodes)}
        edges = tuple(i for i, link in enumerate(links) if link.tail in place)
        inside = [
            Link(place[tail], place[head], directed)
            for tail, head, directed in (links[edge] for edge in edges)
        ]
        layout = lay_out_component([widths[node] for node in nodes], inside)
        found.append(_Part(nodes, edges, layout))
    return found


def _shelved(
    parts: Sequence[_Part], room: float, *, gap: float, top: float
) -> tuple[list[Point], float]:
    """Return the top left corners of parts, line by line, and where the last line ends."""
    corners: list[Point] = []
    x, y, lowest = 0.0, top, top
    for part in parts:
        if x > 0.0 and x + part.layout.width > room:
            x, y = 0.0, lowest - gap
        corners.append((x, y))
        lowest = min(lowest, y - part.layout.height)
        x += part.layout.width + gap
    return corners, lowest


def _together(parts: Sequence[_Part], corners: Sequence[Point], bottom: float) -> Layout:
    centres: dict[int, Point] = {}
    routes: dict[int, tuple[Point, ...]] = {}
    for part, (x, y) in zip(parts, corners, strict=True):
        for node, (a, b) in zip(part.nodes, part.layout.centres, strict=True):
            centres[node] = (x + a, y + b)
        for edge, route in zip(part.edges, part.layout.routes, strict=True):
            routes[edge] = tuple((x + a, y + b) for a, b in route)
    ends = [x + part.layout.width for part, (x, _) in zip(parts, corners, strict=True)]
    return Layout(
        centres=tuple(centres[node] for node in sorted(centres)),
        routes=tuple(routes[edge] for edge in sorted(routes)),
        width=max(ends, default=0.0),
        height=-bottom,
    )
