"""Values and types of options: whether one is of the other, how texts are read, how both are shown.

Whatever somebody gives is either of the type, or is not and can be shown in a sentence: nothing in
here raises. Scalars and 0-d arrays of NumPy are what they hold. A text is never taken for a
collection of its letters.
"""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from inspect import Parameter
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from eiderdown.memory import Memory

_WORDS: Final[Mapping[Any, Mapping[str, Any]]] = {
    NoneType: {"none": None},
    bool: {"true": True, "yes": True, "false": False, "no": False},
}

LARGEST: Final = 2**63 - 1
"""The largest whole number that any option takes."""

_LONGEST = 80  # characters of a value in a message


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


def unwrapped(value: Any) -> Any:
    """Return what a scalar or a 0-d array of NumPy holds, and anything else as it is.

    Examples
    --------
    >>> import numpy as np
    >>> unwrapped(np.float32(0.5)), unwrapped(np.array("a")), unwrapped([1])
    (0.5, 'a', [1])
    """
    is_scalar = not isinstance(value, type) and getattr(value, "ndim", None) == 0
    if not is_scalar or not hasattr(value, "item"):
        return value
    held = value.item()
    return value if held is None else held  # what is not a time has no value to hold


def shown(value: Any) -> str:
    """Return a value as messages write it: in one line, and not too long.

    Examples
    --------
    >>> shown("age"), shown("x" * 1_000)[-5:]
    ("'age'", 'x...')
    """
    try:
        text = " ".join(repr(value).split())
    except Exception:  # an object that cannot be written is still to be named
        text = f"something of type {type(value).__name__}"
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def fit(kind: Any, value: Any) -> tuple[bool, Any]:
    """Say whether a value is of a type, and return it in that type."""
    value = unwrapped(value)
    if kind in (int, float):
        return _fit_number(kind, value)
    if is_collection(kind):
        return _fit_items(get_args(kind)[0], value)
    if get_origin(kind) is Literal:
        return isinstance(value, str) and value in get_args(kind), value
    if kind is Path:
        return _fit_path(value)
    if kind is Memory:
        return _fit_memory(value)
    return _is_instance(value, kind), value


def _is_instance(value: Any, kind: Any) -> bool:
    """Say whether a value is of a class, if the type is one that can be looked at."""
    if kind is Any:
        return True
    family = get_origin(kind) or kind
    if family is Callable:
        return callable(value)
    return not isinstance(family, type) or isinstance(value, family)


def _fit_number(kind: type, value: Any) -> tuple[bool, Any]:
    whole = _as_whole(value)
    if whole is not None:
        return abs(whole) <= LARGEST, kind(whole) if abs(whole) <= LARGEST else value
    is_number = kind is float and isinstance(value, float) and not math.isnan(value)
    return is_number, float(value) if is_number else value


def _as_whole(value: Any) -> int | None:
    """Return a whole number as Python's own; None for anything else, truth values too."""
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)
    except Exception:  # TypeError, or whatever an object answers instead
        return None


def _fit_items(kind: Any, value: Any) -> tuple[bool, Any]:
    if isinstance(value, str | bytes | bytearray | memoryview | Mapping):
        return False, value
    try:
        items = [_fit_any(kind, item) for item in value]
    except TypeError:  # cannot be gone through
        return False, value
    return all(fits for fits, _ in items), tuple(item for _, item in items)


def _fit_any(hint: Any, value: Any) -> tuple[bool, Any]:
    """Say whether a value is of one of several types."""
    for kind in kinds_of(hint):
        fits, converted = fit(kind, value)
        if fits:
            return True, converted
    return False, value


def _fit_path(value: Any) -> tuple[bool, Any]:
    if not isinstance(value, str | os.PathLike):
        return False, value
    path = os.fspath(value)
    usable = isinstance(path, str) and path != "" and "\0" not in path
    return usable, Path(path) if usable else value


def _fit_memory(value: Any) -> tuple[bool, Any]:
    whole = _as_whole(value)
    if whole is not None:
        return 0 < whole <= LARGEST, Memory(whole)
    try:
        amount = Memory(value) if isinstance(value, str) else None
    except (ValueError, OverflowError):
        amount = None
    fits = amount is not None and 0 < amount <= LARGEST
    return fits, amount if fits else value


def read_text(kind: Any, text: str) -> Any:
    """Read a text as a value of a type; ``inspect.Parameter.empty`` where it is none."""
    if kind in _WORDS:
        return _WORDS[kind].get(text.lower(), Parameter.empty)
    if kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            return Parameter.empty
    if kind is Memory or get_origin(kind) is Literal:
        fits, value = fit(kind, text)
        return value if fits else Parameter.empty
    if is_collection(kind):
        items = [read_text(get_args(kind)[0], part.strip()) for part in text.split(",")]
        return Parameter.empty if Parameter.empty in items else tuple(items)
    return Path(text) if kind is Path else text


def type_name(kind: Any) -> str:
    """Return a type as docstrings and messages write it."""
    if kind is NoneType:
        return "None"
    if kind is Memory:
        return "amount of memory such as '2GB'"
    if get_origin(kind) is Literal:
        return f"one of {', '.join(map(repr, get_args(kind)))}"
    if is_collection(kind):
        items = get_args(kind)[0]
        names = ["label" if kind is Any else type_name(kind) for kind in kinds_of(items)]
        return f"collection of {' or '.join(names)}"
    if get_origin(kind) is not None:
        return str(getattr(get_origin(kind), "__name__", kind)).lower()
    return str(getattr(kind, "__name__", kind))
