"""Small damages to the content of files, drawn with a seed: the same seed gives the same damage.

``damaged(content, random)`` changes bytes, as disks, mail programs and editors do; of JSON,
``damaged_json(text, random)`` changes values, which gets past the parser and to whoever trusts what
it reads. Nothing here knows Eiderdown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

NUMERALS = (
    "nan", "NaN", "-inf", "Infinity", "1e999", "-1e400", "1e30", "-1", "-0", "0", "1.5", "0x10",
    "9" * 20, "9" * 400, "9" * 5000, "1e-320", "1_000", "١٢", "½", "", "--1", "1e", "true", "null",
)  # fmt: skip
TEXTS = (
    "\x00", "\x1b[2J\x1b]0;title\x07", "\r", "\n", "\r\n", "\t", "\x85", "\u2028", "\u202e",
    "\ufeff", "[red]", "=1+1", '"', "'", "\\", "\\ud800", "\\u0000", "{", "}", "[", "]", "(", ")",
    ",", ";", "|",
    "//", "/*", "*/", "->", "--", "<->", "&", "<", ">", "&#0;", "<!--", "]]>", "💥", "é" * 300,
    "{" * 2000, "[" * 2000, "(" * 2000, "a" * 100_000, " " * 1000, "\ud800",
)  # fmt: skip
ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 10**6, 10**30, -(10**30), 10**500, 0.5, -0.5, 1e308, -1e308,
    5e-324, float("nan"), float("inf"), "", "a", "\x1b[31m", "\ud800", "\u202e", "x" * 10_000, [],
    [[]], {}, [None], {"a": 1}, [1, 2, 3], ["a", "b"], "unknown", "\x00", "[red]", "nan",
)  # fmt: skip
DEEP = 100_000

_NUMERAL = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORD = re.compile(rb"\w+")


def _place(content: bytes, random: Random) -> int:
    return random.randrange(len(content) + 1)


def _piece(content: bytes, random: Random, most: int = 200) -> tuple[int, int]:
    start = _place(content, random)
    return start, min(len(content), start + random.randint(1, most))


def truncate(content: bytes, random: Random) -> bytes:
    """Lose the end, or the beginning."""
    place = _place(content, random)
    return content[:place] if random.random() < 0.8 else content[place:]


def flip(content: bytes, random: Random) -> bytes:
    """Change some bytes to any others."""
    changed = bytearray(content)
    for _ in range(random.choice((1, 1, 2, 8, 64))):
        if changed:
            changed[random.randrange(len(changed))] = random.randrange(256)
    return bytes(changed)


def insert(content: bytes, random: Random) -> bytes:
    """Put an odd text somewhere."""
    place = _place(content, random)
    odd = random.choice(TEXTS).encode("utf-8", "surrogatepass")
    return content[:place] + odd + content[place:]


def noise(content: bytes, random: Random) -> bytes:
    """Put random bytes somewhere."""
    place = _place(content, random)
    return content[:place] + random.randbytes(random.randint(1, 40)) + content[place:]


def remove(content: bytes, random: Random) -> bytes:
    """Leave out a piece."""
    start, end = _piece(content, random)
    return content[:start] + content[end:]


def duplicate(content: bytes, random: Random) -> bytes:
    """Write a piece twice, or many times."""
    start, end = _piece(content, random)
    return content[:end] + content[start:end] * random.choice((1, 1, 2, 50)) + content[end:]


def move(content: bytes, random: Random) -> bytes:
    """Write a piece at another place."""
    start, end = _piece(content, random)
    piece, rest = content[start:end], content[:start] + content[end:]
    place = _place(rest, random)
    return rest[:place] + piece + rest[place:]


def another_number(content: bytes, random: Random) -> bytes:
    """Put an odd numeral in the place of one that is there."""
    found = list(_NUMERAL.finditer(content))
    if not found:
        return insert(content, random)
    one = random.choice(found)
    return content[: one.start()] + random.choice(NUMERALS).encode() + content[one.end() :]


def another_word(content: bytes, random: Random) -> bytes:
    """Put a word of the file in the place of another."""
    found = list(_WORD.finditer(content))
    if not found:
        return insert(content, random)
    one, other = random.choice(found), random.choice(found)
    return content[: one.start()] + other.group() + content[one.end() :]


def nest(content: bytes, random: Random) -> bytes:
    """Put brackets without end somewhere."""
    place, sign = (
        _place(content, random),
        random.choice((b"[", b"{", b"(", b'{"a":', b"<a>", b"[[")),
    )
    return content[:place] + sign * random.choice((70, 2000, DEEP)) + content[place:]


DAMAGES: tuple[Callable[[bytes, Random], bytes], ...] = (
    truncate, flip, flip, insert, insert, noise, remove, duplicate, move, another_number,
    another_number, another_word, another_word, nest,
)  # fmt: skip


def damaged(content: bytes, random: Random) -> bytes:
    """Damage a content in one way, or in a few."""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        content = random.choice(DAMAGES)(content, random)
    return content


# --- JSON ----------------------------------------------------------------------------------------


def damaged_json(text: str, random: Random) -> bytes:
    """Change one value of a JSON text, or a few, or what they are called."""
    plain = json.loads(text)
    for _ in range(random.choice((1, 1, 2))):
        plain = _damage_value(plain, random)
    return json.dumps(plain).encode()


def _damage_value(plain: Any, random: Random) -> Any:
    holder, key = random.choice(_places(plain) or [(None, None)])
    if holder is None:
        return random.choice(ODD_VALUES)
    way = random.randrange(10)
    if way < 6:
        holder[key] = _odd(holder[key], random)
    elif way == 6:
        del holder[key]
    elif way == 7 and isinstance(holder, dict):
        holder[random.choice((f"{key}s", "", "\x1b", "n_rows"))] = holder.pop(key)
    elif way == 8 and isinstance(holder, list):
        holder.insert(random.randrange(len(holder) + 1), holder[key])
    else:  # one value in the place of another
        other, there = random.choice(_places(plain))
        holder[key] = json.loads(json.dumps(other[there]))
    return plain


def _odd(value: Any, random: Random) -> Any:
    """Return another value, as often as not one of the same type."""
    if random.random() < 0.5:
        kinds: tuple[type, ...] = (int, float) if isinstance(value, int | float) else (type(value),)
        alike = [odd for odd in ODD_VALUES if isinstance(odd, kinds)]
        if alike:
            return random.choice(alike)
    return random.choice(ODD_VALUES)


def _places(plain: Any) -> list[tuple[Any, Any]]:
    """List every place in which a value stands."""
    found: list[tuple[Any, Any]] = []
    open_ = [plain]
    while open_:
        holder = open_.pop()
        if isinstance(holder, dict | list):
            keys = list(holder) if isinstance(holder, dict) else range(len(holder))
            found += [(holder, key) for key in keys]
            open_ += [holder[key] for key in keys]
    return found
