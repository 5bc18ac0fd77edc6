"""JSON of files that anybody may have touched, read strictly.

What Python reads but no program of ours wrote is refused: names given twice (of which one would
win without a word), numbers that are none (NaN, Infinity) or that are absurd, half characters, and
lists within lists without end.
"""

from __future__ import annotations

import json
import math
from typing import Any, Final

DEEPEST: Final = 60
"""Levels of lists and records within each other; our own have ten at the most."""

LARGEST_WHOLE: Final = 10**40
"""The largest whole number; seeds may have more than 64 bits, counts never have."""


def plain_json(text: str) -> Any:
    """Read JSON, or raise a ``ValueError`` that says in half a sentence what is wrong with it.

    Examples
    --------
    >>> plain_json('{"a": [1, 2.5]}')
    {'a': [1, 2.5]}
    >>> plain_json('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ValueError: it gives 'a' twice
    >>> plain_json("[1, NaN]")
    Traceback (most recent call last):
    ValueError: it holds NaN, which is no number
    """
    try:
        plain = json.loads(text, object_pairs_hook=_record, parse_constant=_no_number)
    except RecursionError:
        raise _too_deep() from None
    _refuse_odd(plain)
    return plain


def _record(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"it gives {twice[:100]!r} twice")
    return record


def _no_number(word: str) -> Any:
    raise ValueError(f"it holds {word}, which is no number")


def _too_deep() -> ValueError:
    return ValueError(f"it has more than {DEEPEST} lists or records within each other")


def _refuse_odd(plain: Any) -> None:
    """Look through all values, level by level."""
    level, depth = [plain], 0
    while level:
        depth += 1
        if depth > DEEPEST:
            raise _too_deep()
        inner: list[Any] = []
        for value in level:
            if isinstance(value, list):
                inner.extend(value)
            elif isinstance(value, dict):
                inner.extend(value)
                inner.extend(value.values())
            else:
                _refuse_odd_value(value)
        level = inner


def _refuse_odd_value(value: Any) -> None:
    if isinstance(value, str):
        if not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
            raise ValueError(f"the text {value[:100]!r} holds half a character")
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError("it holds a number that is too large")
    elif isinstance(value, int) and abs(value) > LARGEST_WHOLE:
        raise ValueError("it holds a whole number that is too large")
