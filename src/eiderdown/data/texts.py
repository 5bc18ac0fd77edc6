"""Texts that are something else: numbers as people write them, dates, marks of missing cells.

Columns of texts are mended by their distinct values, so that a long column costs no more than a
short one. What is changed beyond doubt is not said; what loses something is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache
from shlex import quote
from typing import Final

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray
from eiderdown.data.dates import (
    Ambiguous,
    AnyRaw,
    RawDates,
    compact_dates,
    dates_of,
    looks_like_date,
)
from eiderdown.data.encode import MAX_INTEGER_CATEGORIES, RawCategories, RawNumbers, n_rows_of
from eiderdown.shared_options import ReadOptions

MISSING_MARKS: Final = (
    *("", "NA", "N/A", "n/a", "NaN", "nan", "NAN", "null", "NULL", "Null", "None", "<NA>"),
    *("#N/A", "#NA", "?"),
)
"""Cells that are missing in any column, where they stand without quotes."""

NUMBER_MARKS: Final = {
    *("", "-", "--", "---", ".", "..", "...", "*", "?", "??", "na", "n/a", "n/a?", "n.a.", "nan"),
    *("nd", "n.d.", "none", "nil", "null", "(null)", "missing", "unknown", "unk", "undefined"),
    *("not available", "not known", "not applicable", "#value!", "#div/0!", "#ref!", "#null!"),
}
"""What says that a number is missing, in lower case; among texts it may be a text."""

GROUPING: Final = ",.'\u2019 \u00a0\u202f_"
"""What may stand between groups of three digits."""

_UNITS = re.compile(r"^([+-]?)[$€£¥]?\s*(.*?)\s*[%$€£¥]?$", re.DOTALL)
_LONGEST_NUMBER = 400  # letters; patterns try many ways, which takes long in long texts
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
    if len(text) > _LONGEST_NUMBER or not any(map(str.isdigit, text)):
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
        if len(text) > _LONGEST_NUMBER:
            continue
        digits = text
        if pattern.fullmatch(text) is None:
            digits = "".join(_without_units(text))
            if pattern.fullmatch(digits) is None:
                continue
        values[i] = float(digits.translate(drop).replace(point, "."))
        whole = whole and point not in digits and abs(values[i]) < 2**53
    return values, bool(whole)


def _without_units(text: str) -> tuple[str, str]:
    match = _UNITS.match(text.translate(_MINUS)) if len(text) <= _LONGEST_NUMBER else None
    if match is None:
        return "", ""
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


MOSTLY: Final = 0.9
"""Share of the rows that must be numbers for the other texts to be taken as missing."""

_PEEK: Final = 200
_PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True)
class Mended:
    """What became of a column.

    Attributes
    ----------
    column : AnyRaw
        Its texts, numbers or dates.
    marks : tuple of str
        Texts that became missing.
    reformed : bool
        Whether it became numbers.
    note : str
        What has to be said of this column alone.
    left_out : str
        Why it is to be left out, if it is.
    """

    column: AnyRaw
    marks: tuple[str, ...] = ()
    reformed: bool = False
    note: str = ""
    left_out: str = ""


def mended(
    name: str, column: RawCategories, kind: str, options: ReadOptions, *, decimal: str, typed: bool
) -> Mended:
    """Turn texts into what they are meant to be.

    Parameters
    ----------
    name : str
        Of the column.
    column : RawCategories
        Its texts.
    kind : str
        What the user said that it is, or "".
    options : ReadOptions
        What the user said about reading.
    decimal : str
        Decimal sign of the rest of the file.
    typed : bool
        Whether another library has distinguished texts from numbers.
    """
    given = options.get("na")
    stripped = _stripped(column, given)
    texts = [str(text) for text in stripped.categories]
    found: Mended | None = None
    if kind in ("", "date"):
        found = _as_dates(name, stripped, options.get("day_first"))
    few = typed and len(texts) <= MAX_INTEGER_CATEGORIES
    if found is None and (kind == "number" or (kind == "" and not few and _worth_reading(texts))):
        values, whole = numbers_of(texts, options.get("decimal"), options.get("thousands"), decimal)
        found = _as_numbers(name, stripped, values, kind, whole=whole)
    if found is None:
        found = Mended(_without_sign(stripped) if given is None else stripped)
    n_left = len(_texts(found.column))
    if given is not None or found.left_out or n_left == len(column.categories):
        return found
    lost = {str(text).strip() for text in column.categories} - {*_texts(found.column), ""}
    return replace(found, marks=tuple(mark for mark in lost if mark.lower() in NUMBER_MARKS))


def _texts(column: AnyRaw) -> tuple[str, ...]:
    return tuple(map(str, column.categories)) if isinstance(column, RawCategories) else ()


def given_dates(column: AnyRaw) -> AnyRaw:
    """Read integers such as 20200131 as the dates that the user says they are."""
    if isinstance(column, RawNumbers) and column.values.dtype.kind in "ui":
        known = column.values if column.missing is None else column.values[~column.missing]
        dates = compact_dates(known)
        if dates is not None:
            spread = np.full(len(column), np.datetime64("NaT"), "datetime64[us]")
            spread[slice(None) if column.missing is None else ~column.missing] = dates.values
            return RawDates(spread, column.rows)
    return column


def _worth_reading(texts: Sequence[str]) -> bool:
    """Say whether some of few texts, or half of a sample of many, are numbers."""
    sample = texts[:: max(1, len(texts) // _PEEK)]
    n_numbers = sum(is_number(text, ".") or is_number(text, ",") for text in sample)
    return n_numbers > (0 if len(texts) <= _PEEK else len(sample) / 2)


def _stripped(column: RawCategories, given: Collection[str] | None) -> RawCategories:
    """Take off white space; make missing what is given, or is a mark beyond doubt.

    Words such as NA reach this place in quotes only, as texts, unless white space hid them.
    """
    texts = [str(text) for text in column.categories]
    clean = [text.strip() for text in texts]
    if given is not None:
        missing = [own == "" or own in given for own in clean]
    else:
        hidden = {own for own, text in zip(clean, texts, strict=True) if own != text}
        marks = {"", "?", *hidden.intersection(MISSING_MARKS)}
        missing = [own in marks for own in clean]
    if clean == texts and not any(missing):
        return column
    return _renamed(column, clean, np.array(missing))


def _without_sign(column: RawCategories) -> RawCategories:
    """Make a lone dash or dot missing, unless other signs show that it is a category."""
    texts = [str(text) for text in column.categories]
    found = [text for text in texts if text in NUMBER_MARKS and not _has_letters(text)]
    if len(found) != 1 or len(texts) < 3 or sum(not _has_letters(text) for text in texts) > 1:
        return column
    return _renamed(column, texts, np.array([text == found[0] for text in texts]))


def _has_letters(text: str) -> bool:
    return any(letter.isalnum() for letter in text)


def _renamed(column: RawCategories, texts: Sequence[str], missing: BoolArray) -> RawCategories:
    """Give categories other texts, of which some may be the same, and make some missing."""
    numbers: dict[str, int] = {}
    code_of = np.full(len(texts) + 1, -1)  # the last is that of code -1
    for i, text in enumerate(texts):
        if not missing[i]:
            code_of[i] = numbers.setdefault(text, len(numbers))
    return replace(column, codes=code_of[column.codes], categories=tuple(numbers))


def _as_dates(name: str, column: RawCategories, day_first: bool | None) -> Mended | None:
    texts = map(str, column.categories)
    if not looks_like_date(next((t for t in texts if t.lower() not in NUMBER_MARKS), "")):
        return None
    known = [str(text) for text in column.categories if str(text).lower() not in NUMBER_MARKS]
    try:
        dates = dates_of(known, day_first)
    except Ambiguous:
        return Mended(
            column,
            note=f"Left out, because its dates could have day or month first: {name!r}; say "
            "--day-first or --no-day-first (day_first=True or False).",
            left_out="its dates could have day or month first; say which by day_first",
        )
    if dates is None:
        return None
    where = {text: i for i, text in enumerate(known)}
    values = np.full(len(column.categories) + 1, np.datetime64("NaT"), "datetime64[us]")
    for i, text in enumerate(column.categories):
        if text in where:
            values[i] = dates[where[str(text)]]
    return Mended(RawDates(values[column.codes], column.rows))


def _as_numbers(
    name: str, column: RawCategories, values: FloatArray, kind: str, *, whole: bool
) -> Mended | None:
    """Take a column as numbers if that is given or nearly all of it is, else return None."""
    is_number = ~np.isnan(values)
    is_mark = np.array([str(text).lower() in NUMBER_MARKS for text in column.categories])
    odd = [str(column.categories[i]) for i in np.flatnonzero(~is_number & ~is_mark)]
    if not is_number.any():
        return None
    if odd and kind != "number":
        known = column.codes >= 0
        rows = None if column.rows is None else column.rows[known]
        counts = np.bincount(column.codes[known], rows, minlength=len(values))
        share = counts[is_number].sum() / counts[is_number | ~is_mark].sum()
        if share < MOSTLY or is_number.sum() <= MAX_INTEGER_CATEGORIES:
            return None
    cells = np.append(values, np.nan)[column.codes]
    missing = np.isnan(cells)
    note = ""
    if odd:
        marked = np.isin(column.codes, [-1, *np.flatnonzero(is_mark)])
        n_odd = n_rows_of(missing, column.rows) - n_rows_of(marked, column.rows)
        note = (
            f"Column {name!r} is numbers but for cells such as {odd[0]!r} ({n_odd:,} in all), "
            f"which were read as missing; --kind {quote(f'{name}=category')} keeps them."
        )
    if whole:
        cells = np.where(missing, 0, cells).astype(np.int64)
    numerals = (str(column.categories[i]) for i in np.flatnonzero(is_number))
    plain = all(map(_PLAIN.fullmatch, numerals))
    numbers = RawNumbers(cells, missing if missing.any() else None, column.rows)
    return Mended(numbers, reformed=not plain, note=note)
