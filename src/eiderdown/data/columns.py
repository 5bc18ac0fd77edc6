"""Columns by name: names that are checked once and looked up, and the two kinds of column."""

from __future__ import annotations

import difflib
import enum
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from eiderdown.arrays import IntArray, frozen
from eiderdown.errors import (
    DuplicateNamesError,
    InputError,
    OptionError,
    UnknownColumnError,
    listed,
)


def checked_names(names: Iterable[object]) -> tuple[str, ...]:
    """Return the names as text, or raise if two are the same or there are none.

    Examples
    --------
    >>> checked_names(["age", 7])
    ('age', '7')
    """
    texts = tuple(name if type(name) is str else str(name) for name in names)
    if not texts:
        raise InputError("The table has no columns; give it at least one.")
    if len(set(texts)) < len(texts):
        twice = [name for name, count in Counter(texts).items() if count > 1]
        raise DuplicateNamesError(
            f"More than one column is called {listed(twice)}; give every column its own name."
        )
    return texts


class NameIndex:
    """Positions of names, as sorted hashes: 16 bytes for each name, whatever its length.

    Examples
    --------
    >>> NameIndex(("age", "height")).position("height")
    1
    """

    __slots__ = ("_hashes", "_names", "_order")

    def __init__(self, names: Sequence[str]) -> None:
        hashes = np.fromiter(map(hash, names), np.int64, len(names))
        self._names = names
        self._order: IntArray = frozen(np.argsort(hashes, kind="stable"))
        self._hashes: IntArray = frozen(hashes[self._order])

    @property
    def nbytes(self) -> int:
        """Bytes of the index, without the names."""
        return self._hashes.nbytes + self._order.nbytes

    def position(self, name: str) -> int:
        """Return the position of a name, or raise with the names closest to it."""
        key = hash(name)
        start = int(np.searchsorted(self._hashes, key, side="left"))
        stop = int(np.searchsorted(self._hashes, key, side="right"))
        for position in self._order[start:stop].tolist():
            if self._names[position] == name:
                return int(position)
        raise UnknownColumnError(self._unknown(name))

    def _unknown(self, name: str) -> str:
        by_folded: dict[str, list[str]] = {}
        for known in self._names:
            by_folded.setdefault(known.casefold(), []).append(known)
        folded = difflib.get_close_matches(str(name).casefold(), by_folded, n=3)
        close = [known for fold in folded for known in by_folded[fold]]
        way_out = f"did you mean {listed(close)}?" if close else f"it has {listed(self._names)}."
        return f"The table has no column {name!r}; {way_out}"


class Kind(enum.Enum):
    """What a column holds: one of a few categories, or a number on a scale."""

    DISCRETE = "discrete"
    CONTINUOUS = "continuous"


Kinds: TypeAlias = Mapping[str, Kind | str]


def resolved_kinds(kinds: Kinds | None, names: Sequence[str]) -> dict[str, Kind]:
    """Return the given kinds as members of `Kind`, or raise if a name or kind is unknown.

    Examples
    --------
    >>> resolved_kinds({"age": "continuous"}, ["age", "sex"])
    {'age': <Kind.CONTINUOUS: 'continuous'>}
    """
    if not kinds:
        return {}
    index = NameIndex(names)
    resolved = {}
    for name, kind in kinds.items():
        index.position(name)
        try:
            resolved[name] = Kind(kind)
        except ValueError:
            raise OptionError(
                f"The kind of column {name!r} must be 'discrete' or 'continuous', not {kind!r}."
            ) from None
    return resolved
