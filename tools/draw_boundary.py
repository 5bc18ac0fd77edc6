"""Draw docs/pictures/boundary.svg: the Markov boundary of the heart rate in Alarm, as it was found.

Parents and children stand around the target, spouses behind the child that they share with it, and
lines are as thick as the effect is strong. Usage::

    python tools/draw_boundary.py
"""

from __future__ import annotations

from math import cos, pi, sin
from pathlib import Path
from typing import TypeAlias
from xml.sax.saxutils import escape

from eiderdown import MarkovBoundary, find_boundary, networks

PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "boundary.svg"
WIDTH, HEIGHT = 760, 340
CENTRE = (WIDTH / 2, HEIGHT / 2)
RINGS = {"near": (170, 100), "far": (298, 146)}
COLOURS = {"target": "#00695c", "near": "#00897b", "far": "#b26a00"}
Point: TypeAlias = tuple[float, float]


def positions(boundary: MarkovBoundary) -> dict[str, Point]:
    """Return where each column stands."""
    shared = set(boundary.spouses.values())  # there is room for another to the left and right
    near = sorted(boundary.parents_children, key=lambda name: name not in shared)
    turns = sorted((2 * pi * i / len(near) for i in range(len(near))), key=lambda a: abs(sin(a)))
    angles = dict(zip(near, turns, strict=True))
    angles |= {spouse: angles[child] for spouse, child in boundary.spouses.items()}
    return {boundary.target: CENTRE} | {
        name: _at(angle, "far" if name in boundary.spouses else "near")
        for name, angle in angles.items()
    }


def _at(angle: float, ring: str) -> Point:
    across, down = RINGS[ring]
    return CENTRE[0] + across * cos(angle), CENTRE[1] + down * sin(angle)


def picture(boundary: MarkovBoundary) -> str:
    """Return the drawing."""
    places = positions(boundary)
    effects = {item.variable: abs(item.effect) for item in boundary.evidence_with("kept")}
    ends = dict.fromkeys(boundary.parents_children, boundary.target) | boundary.spouses
    lines = [_line(places[a], places[b], effects[a]) for a, b in ends.items()]
    boxes = [
        _box(name, place, _kind(name, boundary), effects.get(name))
        for name, place in places.items()
    ]
    title = f"Markov boundary of {boundary.target} in Alarm, {boundary.run.n_rows:,} rows"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
            f'font-family="sans-serif" role="img" aria-label="{escape(title)}">',
            f'<rect width="{WIDTH}" height="{HEIGHT}" rx="10" fill="#fafafa"/>',
            f'<text x="20" y="30" font-size="15" fill="#333333">{escape(title)}</text>',
            *lines,
            *boxes,
            *_legend(),
            "</svg>\n",
        ]
    )


def _kind(name: str, boundary: MarkovBoundary) -> str:
    if name == boundary.target:
        return "target"
    return "far" if name in boundary.spouses else "near"


def _line(start: Point, end: Point, effect: float) -> str:
    return (
        f'<line x1="{start[0]:.0f}" y1="{start[1]:.0f}" x2="{end[0]:.0f}" y2="{end[1]:.0f}" '
        f'stroke="#90a4ae" stroke-width="{1 + 7 * effect:.1f}"/>'
    )


def _box(name: str, place: Point, kind: str, effect: float | None) -> str:
    wide = 9.2 * len(name) + 18
    beside = -22 if place[1] < CENTRE[1] - 1 else 27
    shown = "" if effect is None else f"effect {effect:.2f}"
    return (
        f'<rect x="{place[0] - wide / 2:.0f}" y="{place[1] - 16:.0f}" width="{wide:.0f}" '
        f'height="28" rx="14" fill="{COLOURS[kind]}"/>'
        f'<text x="{place[0]:.0f}" y="{place[1] + 3:.0f}" font-size="13" fill="#ffffff" '
        f'text-anchor="middle">{escape(name)}</text>'
        f'<text x="{place[0]:.0f}" y="{place[1] + beside:.0f}" font-size="11" fill="#555555" '
        f'text-anchor="middle">{shown}</text>'
    )


def _legend() -> list[str]:
    words = {"near": "parent or child", "far": "spouse, beside the child that it shares"}
    return [
        f'<circle cx="{28 + 130 * i}" cy="322" r="6" fill="{COLOURS[kind]}"/>'
        f'<text x="{40 + 130 * i}" y="326" font-size="12" fill="#333333">{text}</text>'
        for i, (kind, text) in enumerate(words.items())
    ]


def main() -> None:
    """Draw it anew."""
    alarm = networks.load("alarm").sample(20_000, random_state=1)
    found = find_boundary(alarm, target="HR", algorithm="pcmb")
    PICTURE.write_text(picture(found), encoding="utf-8")


if __name__ == "__main__":
    main()
