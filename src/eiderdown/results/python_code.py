"""A call as Python that asks the same: literals, imports, and names for what cannot be written.

Files of results are handed around, and people run the code that is made of them. So nothing in a
file becomes code but literals, and names that are checked: see :func:`require_encoded`.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from eiderdown.results.provenance import Call

_WIDEST: Final = 88
_DEEPEST: Final = 20
_ENTRY: Final = re.compile(r"(eiderdown(?:\.[a-z_]+)+):([A-Z][A-Z0-9_]*)")
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_NUMBERS: Final = ("inf", "-inf", "nan")


def are_names(texts: Iterable[Any]) -> bool:
    """Say whether texts can be names of options."""
    return all(isinstance(text, str) and _NAME.fullmatch(text) for text in texts)


def mark_of(value: Any) -> str:
    """Return the key that says what a mapping stands for; "" for a mapping and all else."""
    is_mapping = isinstance(value, Mapping)
    return next((key for key in value if key in _FITTING), "") if is_mapping else ""


def require_encoded(value: Any, depth: int = 0) -> None:
    """Refuse a value that would become more than literals and names of Eiderdown's own."""
    mark = mark_of(value)
    if depth > _DEEPEST or (mark and not _FITTING[mark](value)):
        raise ValueError(f"an option cannot be {reprlib.repr(value)}")
    for part in _parts(mark, value):
        require_encoded(part, depth + 1)


_FITTING: Final[Mapping[str, Callable[[Mapping[str, Any]], bool]]] = {
    "$entry": lambda value: (
        set(value) == {"$entry", "name", "params"}
        and isinstance(value["name"], str)
        and isinstance(value["$entry"], str)
        and _ENTRY.fullmatch(value["$entry"]) is not None
        and isinstance(value["params"], Mapping)
        and are_names(value["params"])
    ),
    "$table": lambda value: (
        set(value) == {"$table", "reading"}
        and isinstance(value["$table"], str)
        and isinstance(value["reading"], Mapping)
        and are_names(value["reading"])
    ),
    "$items": lambda value: (
        len(value) == 1
        and isinstance(value["$items"], list)
        and all(isinstance(pair, list) and len(pair) == 2 for pair in value["$items"])
    ),
    "$number": lambda value: len(value) == 1 and value["$number"] in _NUMBERS,
    "$placeholder": lambda value: len(value) == 1 and isinstance(value["$placeholder"], str),
}
"""What a mapping must hold that has one of these keys."""


def _parts(mark: str, value: Any) -> Iterable[Any]:
    """Return what a value holds that is encoded itself."""
    if isinstance(value, list):
        return value
    if not isinstance(value, Mapping):
        return ()
    inner = {"$entry": "params", "$table": "reading", "$items": "$items"}.get(mark)
    held = value if inner is None else value[inner]
    return held if isinstance(held, list) else list(held.values())


def code_of(call: Call) -> str:
    """Return Python that asks what a call asked."""
    table = _name_or_literal("data", call)
    given = [table, *(f"{name}={_python(name, value)}" for name, value in call.options.items())]
    lines = ["import eiderdown"]
    lines += sorted({f"from {module} import {name}" for module, name in _entries(call)})
    lines += ["", *comments_of(call), *_called(f"result = eiderdown.{call.verb}", given)]
    return "\n".join(lines)


def comments_of(call: Call) -> list[str]:
    """Say of each name in the code that stands for something in memory what that was."""
    lines = []
    if call.source is None:
        shape = "" if not call.shape else f": {call.shape[0]:,} rows, {call.shape[1]:,} columns"
        lines.append(f"# data: the table that was in memory{shape}")
    for name, value in call.options.items():
        lines += [f"# {name}: {' '.join(text.split())}" for text in _placeholders(value)]
    return lines


def _name_or_literal(name: str, call: Call) -> str:
    if call.source is None:
        return name
    return _python(name, {"$table": call.source, "reading": call.reading})


def _called(function: str, given: list[str]) -> list[str]:
    """Write a call in one line if it fits, else an argument to a line."""
    line = f"{function}({', '.join(given)})"
    if len(line) <= _WIDEST:
        return [line]
    return [f"{function}(", *(f"    {argument}," for argument in given), ")"]


def _python(name: str, value: Any) -> str:
    """Write a value as Python; ``name`` is what it is called if it cannot be written."""
    mark = mark_of(value)
    if mark:
        return _marked(name, mark, value)
    if isinstance(value, str):
        return text_literal(value)
    if isinstance(value, Mapping):
        pairs = (f"{text_literal(key)}: {_python(name, item)}" for key, item in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_python(name, item) for item in value)}]"
    return repr(value)


def _marked(name: str, mark: str, value: Mapping[str, Any]) -> str:
    held = value[mark]
    if mark == "$entry":
        return f"{held.partition(':')[2]}({_keywords(name, value['params'])})"
    if mark == "$table":
        reading = _keywords(name, value["reading"])
        path = text_literal(held)
        return f"eiderdown.Dataset.of({path}, {reading})" if reading else path
    if mark == "$items":
        return f"{{{', '.join(f'{_python(name, k)}: {_python(name, v)}' for k, v in held)}}}"
    return f'float("{held}")' if mark == "$number" else name


def _keywords(name: str, given: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}={_python(name, value)}" for key, value in given.items())


def text_literal(text: str) -> str:
    """Write a text as Python, in double quotes if it holds none.

    Examples
    --------
    >>> print(text_literal("HR"), text_literal('"'))
    "HR" '"'
    """
    literal = repr(text)
    return literal if '"' in literal else f'"{literal[1:-1]}"'


def _entries(call: Call) -> Iterator[tuple[str, str]]:
    """Return the modules and names of what the code must import."""
    for value in _all_parts(list(call.options.values())):
        if mark_of(value) == "$entry":
            module, _, name = value["$entry"].partition(":")
            yield module, name


def _placeholders(value: Any) -> Iterator[str]:
    for part in _all_parts(value):
        if mark_of(part) == "$placeholder":
            yield part["$placeholder"]


def _all_parts(value: Any) -> Iterator[Any]:
    """Return a value and everything within it."""
    yield value
    for part in _parts(mark_of(value), value):
        yield from _all_parts(part)
