"""The layout of a graph that hangs together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from eiderdown.report.layout.chains import Chains, chained
from eiderdown.report.layout.coordinates import straightened
from eiderdown.report.layout.layers import Link, depths, downward
from eiderdown.report.layout.order import Layers
from eiderdown.report.layout.routes import BOX_HEIGHT, Point, Rows, ports, shortened

GAP = 0.16  # between boxes side by side
_ASPECT = 1.7  # how much wider than high a large graph should be
_ROW_HEIGHT = 0.85
_NARROWEST = 5.0  # layers up to this width are never wrapped


@dataclass(frozen=True)
class Layout:
    """Where nodes and edges are drawn.

    Attributes
    ----------
    centres : tuple of (float, float)
        The middle of each node's box.
    routes : tuple of tuple of (float, float)
        For each edge points in pairs, from tail to head: a curve joins the two of a pair, and
        between pairs it goes straight on past the boxes of a layer.
    width, height : float
        Size of the whole, whose top left corner is (0, 0); all y are negative.
    """

    centres: tuple[Point, ...]
    routes: tuple[tuple[Point, ...], ...]
    width: float
    height: float


def lay_out_component(widths: Sequence[float], links: Sequence[Link]) -> Layout:
    """Lay out a graph in layers, so that it is not much wider than high.

    Parameters
    ----------
    widths : sequence of float
        Width of each node's box.
    links : sequence of Link
        The edges, the most important first.
    """
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
    """Split layers that are too wide; neighbours go to different rows, so edges fit between.

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
