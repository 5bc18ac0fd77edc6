"""Checks of what a user states, each with one clear sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

from eiderdown.errors import KnowledgeError

Edge: TypeAlias = tuple[str, str]


def _is_list(given: object, length: int | None = None) -> bool:
    is_list = isinstance(given, Sequence) and not isinstance(given, str)
    return is_list and (length is None or len(given) == length)  # type: ignore[arg-type]


def checked_tiers(tiers: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Return the tiers as tuples; no column may be in two."""
    if not _is_list(tiers) or not all(map(_is_list, tiers)):
        raise KnowledgeError(f"tiers must be lists of column names in a list, not {tiers!r}.")
    names = [name for tier in tiers for name in tier]
    for name in names:
        if not isinstance(name, str):
            raise KnowledgeError(f"tiers must hold column names, not {name!r}.")
    for name, n_uses in Counter(names).items():
        if n_uses > 1:
            raise KnowledgeError(f"Column {name!r} is in two tiers; leave it in one.")
    return tuple(map(tuple, tiers))


def checked_edges(option: str, edges: Sequence[Sequence[str]]) -> tuple[Edge, ...]:
    """Return the edges as pairs, each once."""
    if not _is_list(edges):
        raise KnowledgeError(f"{option} must be a list of pairs, not {edges!r}.")
    for edge in edges:
        if not _is_list(edge, 2) or not all(isinstance(name, str) for name in edge):
            raise KnowledgeError(
                f"{option} must be a list of pairs such as ('parent', 'child'), but holds {edge!r}."
            )
    return tuple(dict.fromkeys((parent, child) for parent, child in edges))


def check_max_parents(most: int | None) -> None:
    """Refuse anything but None and numbers from 0 on."""
    if most is not None and (isinstance(most, bool) or not isinstance(most, int) or most < 0):
        raise KnowledgeError(f"max_parents must be None or an integer from 0 on, not {most!r}.")
