"""Records as plain values, and back: lists, dictionaries, texts, numbers, truths and None.

A dataclass becomes a dictionary of its fields, tuples become lists, and mappings keep their keys.
Reading goes by the hints, so that a new field needs nothing but its annotation. A field whose name
in files is another one, or that is written in a shape of its own, says so::

    C: float = field(metadata=stored_as("cost"))
    models: tuple[FoundModel, ...] = field(metadata=stored_by(write_models, read_models))

Anybody may have touched a file. Reading therefore checks the type of every value, the range of
numbers (those that count, ``n_...``, are not negative; a record says of others what they may be, in
``limits``), and then asks the record whether its parts go together, by ``refuse_contradictions``.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from math import inf
from types import NoneType, UnionType
from typing import Any, Final, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

Limits: TypeAlias = Mapping[str, tuple[float, float]]
"""The least and the largest value of fields, by their names."""

SHARE: Final = (-1e-6, 1 + 1e-6)
"""Limits of a share or a probability, rounding allowed for."""

LOG_P: Final = (-inf, 1e-6)
"""Limits of the logarithm of a p-value."""

Plain = Any  # lists, dictionaries, texts, numbers, truths and None

_NAME, _WRITE, _READ = "stored_as", "stored_write", "stored_read"

STORED_IF_ANY: Mapping[str, Any] = {"stored_if_any": True}
"""Says of a field that came later that it stands in files only if it holds something."""


def stored_as(name: str) -> dict[str, Any]:
    """Say under which name a field stands in files, if not its own."""
    return {_NAME: name}


def stored_by(
    write: Callable[[Any, Any], Plain], read: Callable[[Plain, Mapping[str, Any]], Any]
) -> dict[str, Any]:
    """Say how a field is written and read that does not go by its type."""
    return {_WRITE: write, _READ: read}


def to_plain(value: Any) -> Plain:
    """Write a record, or anything that records hold, as plain values."""
    if hasattr(value, "to_dict"):  # a result within a result says of what kind it is
        return value.to_dict()
    if is_dataclass(value):
        return plain_fields(value)
    if isinstance(value, Mapping):
        return {key: to_plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [to_plain(item) for item in value]
    return value


def plain_fields(record: Any) -> dict[str, Plain]:
    """Write the fields of a record as plain values."""
    written = {}
    for item in fields(record):
        value, write = getattr(record, item.name), item.metadata.get(_WRITE)
        if not value and STORED_IF_ANY.items() <= item.metadata.items():
            continue
        written[_name_of(item)] = to_plain(value) if write is None else write(value, record)
    return written


def of_plain(hint: Any, plain: Plain) -> Any:
    """Read a value of a type.

    Examples
    --------
    >>> of_plain(tuple[int, ...] | None, [1, 2])
    (1, 2)
    >>> of_plain(Literal["kept", "removed"], "lost")
    Traceback (most recent call last):
    ValueError: 'lost' is none of 'kept', 'removed'
    """
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any or (plain is None and NoneType in inner):
        return plain
    if origin in (Union, UnionType):
        (only,) = (kind for kind in inner if kind is not NoneType)
        return of_plain(only, plain)
    if origin is not None:
        return _container(origin, inner, plain)
    if hasattr(hint, "from_dict"):
        return hint.from_dict(_checked(dict, plain))
    if is_dataclass(hint):
        return read_record(hint, _checked(dict, plain))
    return _checked(hint, plain)


def read_record(kind: Any, plain: Mapping[str, Plain]) -> Any:
    """Read a record, whose parts must go together."""
    record = kind(**read_fields(kind, plain))
    refuse = getattr(record, "refuse_contradictions", None)
    if refuse is not None:
        refuse()
    return record


def read_fields(kind: Any, plain: Mapping[str, Plain]) -> dict[str, Any]:
    """Read the fields of a record; those with a default may be missing, unknown ones may not be."""
    hints, known = _hints(kind), {_name_of(item): item for item in fields(kind)}
    unknown = [name for name in plain if name not in known]
    if unknown:
        raise ValueError(f"it has an unknown field {reprlib.repr(unknown[0])}")
    found: dict[str, Any] = {}
    for name, item in known.items():
        if name in plain:
            read = item.metadata.get(_READ)
            hint, value = hints[item.name], plain[name]
            found[item.name] = of_plain(hint, value) if read is None else read(value, found)
            _check_range(kind, item.name, found[item.name])
        elif item.default is MISSING and item.default_factory is MISSING:
            raise ValueError(f"it has no field {name!r}")
    return found


def _check_range(kind: Any, name: str, value: Any) -> None:
    """Refuse a number that cannot be; ``limits`` of the record has the least and the largest."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    never_negative = name.startswith("n_") or name == "seconds"
    least, most = getattr(kind, "limits", {}).get(name, (0 if never_negative else -inf, inf))
    if not least <= value <= most:
        raise ValueError(f"{name} cannot be {reprlib.repr(value)}")


def _container(origin: Any, inner: tuple[Any, ...], plain: Plain) -> Any:
    """Read a literal, a mapping or a tuple."""
    if origin is Literal:
        if isinstance(plain, list | dict) or plain not in inner:
            shown = reprlib.repr(plain)
            raise ValueError(f"{shown} is none of {', '.join(map(repr, inner))}")
        return plain
    if origin is not tuple:
        return {key: of_plain(inner[1], item) for key, item in _checked(dict, plain).items()}
    items = _checked(list, plain)
    if inner[1:] == (...,) and set(map(type, items)) <= _PLAIN_TYPES.get(inner[0], set()):
        return tuple(items)  # of columns of numbers there may be millions
    kinds = (inner[0],) * len(items) if inner[1:] == (...,) else inner
    if len(kinds) != len(items):
        raise ValueError(f"{reprlib.repr(items)} should have {len(kinds)} parts")
    return tuple(of_plain(kind, item) for kind, item in zip(kinds, items, strict=True))


_PLAIN_TYPES: Final[dict[Any, set[type]]] = {int: {int}, float: {int, float}, str: {str}}


def _checked(kind: type, plain: Plain) -> Any:
    """Refuse what is not of a plain type; whole numbers will do for others."""
    wanted = (int, float) if kind is float else kind
    if not isinstance(plain, wanted) or (isinstance(plain, bool) and kind is not bool):
        shown = type(plain).__name__ if isinstance(plain, list | dict) else plain
        raise ValueError(f"{reprlib.repr(shown)} should be of type {kind.__name__}")
    return plain


def _name_of(item: Field[Any]) -> str:
    return str(item.metadata.get(_NAME, item.name))


_hints = cache(get_type_hints)
