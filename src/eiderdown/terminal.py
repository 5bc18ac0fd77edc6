"""What a terminal is shown: names of columns come from files, and may hold anything."""

from __future__ import annotations

import unicodedata
from typing import Final

_JOINERS: Final = "\u200c\u200d"  # without which Persian, Hindi and some emoji cannot be written


def visible(text: str, *, lines: bool = False) -> str:
    r"""Write what a terminal would obey, or would not show, as escapes.

    These are control characters (of which escape sequences are made), marks that turn the direction
    of writing, other invisible characters, and halves of characters.

    Parameters
    ----------
    text : str
        What is to be shown.
    lines : bool
        Whether line ends are meant as such.

    Examples
    --------
    >>> print(visible("age\x1b[2J"), visible("a\u202eb"), visible("café"))
    age\x1b[2J a\u202eb café
    """
    if text.isprintable():
        return text
    return "".join(
        letter if _is_harmless(letter) or (lines and letter == "\n") else _escaped(letter)
        for letter in text
    )


def counted(n: int, thing: str) -> str:
    """Say how many there are of something.

    Examples
    --------
    >>> counted(1, "edge"), counted(2_000, "edge"), counted(2, "boundary")
    ('1 edge', '2,000 edges', '2 boundaries')
    """
    several = f"{thing[:-1]}ies" if thing.endswith("ary") else f"{thing}s"
    return f"{n:,} {thing if n == 1 else several}"


def _is_harmless(letter: str) -> bool:
    kind = unicodedata.category(letter)
    return kind not in ("Cc", "Cf", "Cs", "Zl", "Zp") or letter in _JOINERS


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")
