"""The two kinds of column, and what a user may say about them."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from eiderdown.data.names import NameIndex
from eiderdown.errors import OptionError


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
