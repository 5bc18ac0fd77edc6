"""Types of options: which values fit them, how texts are read as them, and what they are called."""

from __future__ import annotations

import inspect
import math
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

REQUIRED: Final = inspect.Parameter.empty
"""The default of an option that has none."""

_WORDS: Final[Mapping[Any, Mapping[str, Any]]] = {
    NoneType: {"none": None},
    bool: {"true": True, "yes": True, "false": False, "no": False},
}


def kinds_of(hint: Any) -> tuple[Any, ...]:
    """Return the alternatives of a type, None last."""
    if get_origin(hint) is Annotated:
        return kinds_of(get_args(hint)[0])
    if get_origin(hint) in (Union, UnionType):
        kinds = [kind for part in get_args(hint) for kind in kinds_of(part)]
        return tuple(sorted(kinds, key=lambda kind: kind is NoneType))
    return (hint,)


def is_collection(kind: Any) -> bool:
    """Say whether a type is one of collections."""
    return get_origin(kind) in (Collection, Sequence, tuple, list)


def fit(kind: Any, value: Any) -> tuple[bool, Any]:
    """Say whether a value is of a type, and return it in that type."""
    if kind in (int, float):
        return _fit_number(kind, value)
    if is_collection(kind):
        return _fit_items(get_args(kind)[0], value)
    if get_origin(kind) is Literal:
        return isinstance(value, str) and value in get_args(kind), value
    if kind in (bool, str, NoneType):
        return type(value) is kind, value
    if kind is Path:
        return isinstance(value, str | Path), Path(value) if isinstance(value, str) else value
    return get_origin(kind) is not Mapping or isinstance(value, Mapping), value


def _fit_number(kind: type, value: Any) -> tuple[bool, Any]:
    whole = hasattr(value, "__index__") and not isinstance(value, bool)
    if kind is int:
        return whole, int(value) if whole else value
    real = whole or isinstance(value, float)
    return real and not math.isnan(float(value)), float(value) if real else value


def _fit_items(kind: Any, value: Any) -> tuple[bool, Any]:
    if isinstance(value, str | bytes | Mapping) or not hasattr(value, "__iter__"):
        return False, value
    items = [fit(kind, item) for item in value]
    return all(fits for fits, _ in items), tuple(item for _, item in items)


def read_text(kind: Any, text: str) -> Any:
    """Read a text as a value of a type; REQUIRED where it is none."""
    if kind in _WORDS:
        return _WORDS[kind].get(text.lower(), REQUIRED)
    if kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            return REQUIRED
    if get_origin(kind) is Literal:
        return text if text in get_args(kind) else REQUIRED
    if is_collection(kind):
        items = [read_text(get_args(kind)[0], part.strip()) for part in text.split(",")]
        return REQUIRED if REQUIRED in items else tuple(items)
    return Path(text) if kind is Path else text


def type_name(kind: Any) -> str:
    """Return a type as docstrings and messages write it."""
    if kind is NoneType:
        return "None"
    if get_origin(kind) is Literal:
        return f"one of {', '.join(map(repr, get_args(kind)))}"
    if is_collection(kind):
        items = get_args(kind)[0]
        return f"collection of {'label' if items is Any else type_name(items)}"
    if get_origin(kind) is not None:
        return str(getattr(get_origin(kind), "__name__", kind)).lower()
    return str(getattr(kind, "__name__", kind))
