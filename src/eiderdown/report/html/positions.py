"""Where the boxes of a graph stand: around a target, or in layers from causes to effects."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from eiderdown.report.html.view import Edge, Node, label_of
from eiderdown.report.layers import Link
from eiderdown.report.layout import BOX_HEIGHT, Point, lay_out

_HEIGHT = 34.0  # of a box, in pixels
_LETTER, _WIDE_LETTER, _PADDING = 7.4, 9.4, 26.0
_PER_INCH = _HEIGHT / BOX_HEIGHT
_ASPECT = 1.75  # rings are wider than high, as boxes are
_NARROW_ASPECTS = (0.75, 0.6, 0.45, 0.35)  # on phones they are not
_GAP = 22.0
_OUTER = 1.65  # how much further out spouses stand than what they share with the target


def width_of(name: str) -> float:
    """Return the width of a box for a name."""
    label = label_of(name)
    wide = sum(letter.isupper() or ord(letter) > 0x2E80 for letter in label)
    return _PADDING + _WIDE_LETTER * wide + _LETTER * max(3 - wide, len(label) - wide)


def around(nodes: Sequence[Node], partners: Mapping[str, str]) -> tuple[Node, ...]:
    """Place nodes around the first of them, and spouses further out, behind what they share.

    Parameters
    ----------
    nodes : sequence of Node
        The one in the middle, then the others, clockwise from the top.
    partners : mapping of str to str
        Spouses, each with the node behind which it stands.

    Examples
    --------
    >>> found = around([Node("t", "target"), Node("a", "member"), Node("b", "member")], {})
    >>> [(round(node.x), node.y < 0) for node in found]
    [(0, False), (0, True), (0, False)]
    """
    angles = _angles([node.name for node in nodes[1:]], partners)
    widths = [width_of(node.name) for node in nodes]
    far = {node.name for node in nodes if partners.get(node.name) in angles}
    spokes = [(angles[node.name], _OUTER if node.name in far else 1.0) for node in nodes[1:]]
    wide = _ring(spokes, widths, _ASPECT)
    narrow = min(
        (_ring(spokes, widths, aspect) for aspect in _NARROW_ASPECTS),
        key=lambda centres: _extent(centres, widths),
    )
    return tuple(
        replace(node, x=x, y=y, width=width, narrow=other)
        for node, width, (x, y), other in zip(nodes, widths, wide, narrow, strict=True)
    )


def _ring(
    spokes: Sequence[tuple[float, float]], widths: Sequence[float], aspect: float
) -> list[Point]:
    """Return the middle and the ends of spokes, so far out that no boxes overlap."""
    radius = 90.0
    while True:
        ends = [
            (aspect * radius * reach * math.sin(angle), -radius * reach * math.cos(angle))
            for angle, reach in spokes
        ]
        centres = [(round(x, 1), round(y, 1)) for x, y in [(0.0, 0.0), *ends]]
        if not _overlap(centres, widths):
            return centres
        radius *= 1.06


def _extent(centres: Sequence[Point], widths: Sequence[float]) -> float:
    """Return how wide a drawing is; height counts little where pages are narrow."""
    reach = max(abs(x) + width / 2 for (x, _), width in zip(centres, widths, strict=True))
    return reach + 0.2 * max(abs(y) for _, y in centres)


def _angles(names: Sequence[str], partners: Mapping[str, str]) -> dict[str, float]:
    """Give each its own angle: rings evenly, and spouses within the sector of their partner."""
    ring = [name for name in names if partners.get(name) not in names]
    sector = 2.0 * math.pi / max(1, len(ring))
    angles = {name: place * sector for place, name in enumerate(ring)}
    behind: dict[str, list[str]] = {}
    for name in names:
        if name not in angles:
            partner = partners[name]
            behind.setdefault(partner if partner in angles else ring[0], []).append(name)
    for partner, spouses in behind.items():
        step = min(0.5, sector / (len(spouses) + 1))
        for place, name in enumerate(spouses):
            angles[name] = angles[partner] + step * (place - (len(spouses) - 1) / 2)
    return angles


def _overlap(centres: Sequence[Point], widths: Sequence[float]) -> bool:
    return any(
        abs(centres[one][0] - centres[other][0]) < (widths[one] + widths[other]) / 2 + _GAP
        and abs(centres[one][1] - centres[other][1]) < _HEIGHT + _GAP
        for one in range(len(centres))
        for other in range(one)
    )


def layered(
    nodes: Sequence[Node], edges: Sequence[Edge]
) -> tuple[tuple[Node, ...], tuple[Edge, ...]]:
    """Place nodes in layers, causes above effects, by :mod:`eiderdown.report.layout`.

    Examples
    --------
    >>> nodes, edges = layered([Node("b", ""), Node("a", "")], [Edge(1, 0, directed=True)])
    >>> nodes[1].y < nodes[0].y
    True
    """
    widths = [width_of(node.name) for node in nodes]
    links = [Link(edge.source, edge.target, edge.directed) for edge in edges]
    found = lay_out([width / _PER_INCH for width in widths], links)
    placed = tuple(
        replace(node, x=round(x * _PER_INCH, 1), y=round(-y * _PER_INCH, 1), width=width)
        for node, width, (x, y) in zip(nodes, widths, found.centres, strict=True)
    )
    bent = tuple(
        replace(edge, bends=_bends(route, placed[edge.source], placed[edge.target]))
        for edge, route in zip(edges, found.routes, strict=True)
    )
    return placed, bent


def _bends(route: Sequence[Point], source: Node, target: Node) -> tuple[tuple[float, float], ...]:
    """Return the points between the ends of a route, relative to the line from source to target."""
    points = [(x * _PER_INCH, -y * _PER_INCH) for x, y in route[1:-1]]
    if source.y > target.y:  # routes go from top to bottom
        points.reverse()
    dx, dy = target.x - source.x, target.y - source.y
    squared = dx * dx + dy * dy
    if not squared:
        return ()
    length = math.sqrt(squared)
    return tuple(
        (
            round(((x - source.x) * dx + (y - source.y) * dy) / squared, 4),
            round(((y - source.y) * dx - (x - source.x) * dy) / length, 1),
        )
        for x, y in points
    )
