"""Names of columns in sentences: they may hold anything, be of any length, and be thousands."""

from __future__ import annotations

from collections.abc import Sequence

from eiderdown.report.text import cut_off
from eiderdown.terminal import visible

N_IN_A_LINE, N_IN_LINES = 4, 12
"""How many names a line lists, and how many a sentence of its own."""

_LONGEST_NAME, _LONGEST_SENTENCE = 40, 300


def name(text: str, most: int = _LONGEST_NAME) -> str:
    r"""Write a name that may hold anything: what would be obeyed is escaped, what is long is cut.

    Examples
    --------
    >>> print(name("age\x1b[2J\n"), name("x" * 50))
    age\x1b[2J\n xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
    """
    return cut_off(visible(text[: most + 1]), most)


def quoted(text: str) -> str:
    """Write a name in quotes."""
    return f"'{name(text)}'"


def sentence(text: str) -> str:
    """Write a sentence in which names may stand."""
    return name(text, _LONGEST_SENTENCE)


def listed(names: Sequence[str], most: int = N_IN_LINES) -> str:
    """List names, the first of them if there are many.

    Examples
    --------
    >>> listed(["a", "b", "c"], 2), listed([])
    ('a, b and 1 more', 'none')
    """
    shown = ", ".join(name(item) for item in names[:most]) or "none"
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


def in_brackets(names: Sequence[str]) -> str:
    """List the first names in brackets, after a space; nothing where there are none."""
    return f" ({listed(names, N_IN_A_LINE)})" if names else ""
