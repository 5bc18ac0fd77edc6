"""Parts of a graph that do not hang together, packed like words on lines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from eiderdown.graphs.separation import reached_from
from eiderdown.report.layout.component import GAP, Layout, lay_out_component
from eiderdown.report.layout.layers import Link
from eiderdown.report.layout.routes import Point

_PART_GAP = 0.45
_ASPECT = 1.6
_NARROWEST = 5.0


@dataclass(frozen=True)
class _Part:
    """Nodes that hang together, their edges, and their layout by themselves."""

    nodes: tuple[int, ...]
    edges: tuple[int, ...]
    layout: Layout

    def moved(self, x: float, y: float) -> tuple[list[Point], list[tuple[Point, ...]]]:
        """Return centres and routes with the top left corner elsewhere."""
        centres = [(x + a, y + b) for a, b in self.layout.centres]
        routes = [tuple((x + a, y + b) for a, b in route) for route in self.layout.routes]
        return centres, routes


def lay_out(widths: Sequence[float], links: Sequence[Link]) -> Layout:
    """Lay out a graph; nodes without edges stand in rows at the bottom.

    Parameters
    ----------
    widths : sequence of float
        Width of each node's box.
    links : sequence of Link
        The edges, the most important first.

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
    room = _room(joined)
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


def _room(parts: Sequence[_Part]) -> float:
    """Return how wide lines may be for the whole to be somewhat wider than high."""
    layouts = [part.layout for part in parts]
    area = sum((one.width + _PART_GAP) * (one.height + _PART_GAP) for one in layouts)
    return max([_NARROWEST, math.sqrt(_ASPECT * area), *(one.width for one in layouts)])


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
    for part, corner in zip(parts, corners, strict=True):
        its_centres, its_routes = part.moved(*corner)
        centres.update(zip(part.nodes, its_centres, strict=True))
        routes.update(zip(part.edges, its_routes, strict=True))
    ends = [x + part.layout.width for part, (x, _) in zip(parts, corners, strict=True)]
    return Layout(
        centres=tuple(centres[node] for node in sorted(centres)),
        routes=tuple(routes[edge] for edge in sorted(routes)),
        width=max(ends, default=0.0),
        height=-bottom,
    )
