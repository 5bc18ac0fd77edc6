"""Texts in CSV files that spreadsheets would take for formulas.

Excel and its kin calculate a cell that begins with ``=``, ``+``, ``-`` or ``@`` (or with a tab or
a return before it), whoever wrote the cell. A text that begins so is written with an apostrophe in
front, as one would type it; numbers stay as they are.
"""

from __future__ import annotations

import re
from typing import Final

_FORMULA: Final = re.compile(r"'*[=+\-@\t\r]")
_NUMBER: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def harmless(text: str) -> str:
    """Return what to write for a text.

    Examples
    --------
    >>> harmless("=1+1"), harmless("-"), harmless("-1.5"), harmless("it's"), harmless("'=1+1")
    ("'=1+1", "'-", '-1.5', "it's", "''=1+1")
    """
    if _FORMULA.match(text) and not _NUMBER.fullmatch(text):
        return f"'{text}"
    return text


def as_meant(cell: str) -> str:
    """Return the text that :func:`harmless` wrote so.

    Examples
    --------
    >>> as_meant("'=1+1"), as_meant("it's"), as_meant("'it'")
    ('=1+1', "it's", "'it'")
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
