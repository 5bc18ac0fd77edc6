"""Numbers as people write them: decimal comma, grouped digits, per cent, currencies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np

from eiderdown.arrays import FloatArray

GROUPING: Final = ",.'\u2019 \u00a0\u202f_"
"""What may stand between groups of three digits."""

_UNITS = re.compile(r"^([+-]?)[$€£¥]?\s*(.*?)\s*[%$€£¥]?$")
_MINUS = str.maketrans("\u2212\u2013", "--")  # as typesetters write it


@cache
def _pattern(decimal: str, grouping: str) -> re.Pattern[str]:
    point, group = re.escape(decimal), f"[{re.escape(grouping)}]"
    grouped = rf"\d{{1,3}}(?:{group}\d{{3}})+(?:{point}\d*)?"
    plain = rf"(?:\d+{point}?\d*|{point}\d+)(?:[eE][+-]?\d+)?"
    return re.compile(rf"[+-]?(?:{grouped}|{plain})")


def is_number(text: str, decimal: str, thousands: str | None = None) -> bool:
    """Say whether a text is a number, with its digits grouped or not.

    Examples
    --------
    >>> is_number("1.234,5", ","), is_number("1.234,5", "."), is_number("\u221212 %", ".")
    (True, False, True)
    """
    if not any(map(str.isdigit, text)):
        return False
    grouping = (thousands or GROUPING).replace(decimal, "")
    if _pattern(decimal, grouping).fullmatch(text):
        return True
    sign, digits = _without_units(text)
    return bool(digits) and _pattern(decimal, grouping).fullmatch(sign + digits) is not None


def numbers_of(
    texts: Sequence[str], decimal: str | None, thousands: str | None, usual: str = "."
) -> tuple[FloatArray, bool]:
    """Read texts as numbers, NaN where one is none, and say whether all are written as integers.

    What is not given is guessed from all of them; ``usual`` is the decimal sign where that leaves
    it open.

    Examples
    --------
    >>> numbers_of(["1,234", "56", "7,890", "many"], None, None)
    (array([1234.,   56., 7890.,   nan]), True)
    >>> numbers_of(["1,234", "56", "7,8", "many"], None, None)
    (array([ 1.234, 56.   ,  7.8  ,    nan]), False)
    """
    point = decimal or _decimal_of(texts, usual)
    grouping = (thousands or GROUPING).replace(point, "")
    pattern, drop = _pattern(point, grouping), str.maketrans("", "", grouping)
    values, whole = np.full(len(texts), np.nan), True
    for i, text in enumerate(texts):
        digits = text
        if pattern.fullmatch(text) is None:
            digits = "".join(_without_units(text))
            if pattern.fullmatch(digits) is None:
                continue
        values[i] = float(digits.translate(drop).replace(point, "."))
        whole = whole and point not in digits and abs(values[i]) < 2**53
    return values, bool(whole)


def _without_units(text: str) -> tuple[str, str]:
    match = _UNITS.match(text.translate(_MINUS))
    assert match is not None
    if match[2].startswith("(") and match[2].endswith(")"):  # as accountants write debts
        return "-", match[2][1:-1].lstrip("$€£¥ ")
    return match[1], match[2]


def _decimal_of(texts: Sequence[str], usual: str) -> str:
    """Guess the decimal sign of a column."""
    grouped = False
    for text in map("".join, map(_without_units, texts)):
        comma, point = text.rfind(","), text.rfind(".")
        if comma >= 0 and point >= 0:
            return "," if comma > point else "."
        sign = "," if comma >= 0 else "." if point >= 0 else ""
        if sign and is_number(text, sign, thousands=GROUPING[2:]):
            if re.fullmatch(rf"[+-]?[1-9]\d{{0,2}}({re.escape(sign)}\d{{3}})+", text) is None:
                return sign
            grouped = grouped or sign != usual
    return "." if grouped and usual == "." else usual
