"""What differs between two graphs: the consequences of a command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from eiderdown.explorer.graph import ShownEdge, ShownGraph

Kind: TypeAlias = Literal["added", "removed", "doubted", "directed", "undirected", "reversed"]


@dataclass(frozen=True)
class EdgeChange:
    """What became of one edge.

    Attributes
    ----------
    kind : str
        What happened.
    left, right : str
        The edge as it is now, or as it was if it is gone.
    directed : bool
        Whether that has a direction.
    """

    kind: Kind
    left: str
    right: str
    directed: bool


def changes(before: ShownGraph, after: ShownGraph) -> tuple[EdgeChange, ...]:
    """Return what became of the edges, by name."""
    old = {edge.pair: edge for edge in before.edges}
    new = {edge.pair: edge for edge in after.edges}
    doubted = {edge.pair for edge in after.doubts}
    found = []
    for pair in sorted(old.keys() | new.keys(), key=sorted):
        was, now = old.get(pair), new.get(pair)
        edge = now or was
        kind = _kind(was, now)
        if kind == "removed" and pair in doubted:
            kind = "doubted"
        if edge is not None and kind is not None:
            found.append(EdgeChange(kind, edge.left, edge.right, edge.directed))
    return tuple(found)


def _kind(was: ShownEdge | None, now: ShownEdge | None) -> Kind | None:
    if was is None:
        return "added"
    if now is None:
        return "removed"
    if was.directed and now.directed:
        return None if was.left == now.left else "reversed"
    if was.directed != now.directed:
        return "directed" if now.directed else "undirected"
    return None
