"""Dates, as tables hold them and as people write them, and the numbers they become."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import BoolArray, IntArray
from eiderdown.data.encode import RawCategories, RawColumn, RawNumbers
from eiderdown.shared_options import DateForm

_DAY: Final = np.timedelta64(1, "D") / np.timedelta64(1, "us")
_WEEKDAYS: Final = (
    *("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"),
    *("Saturday", "Sunday"),
)
_MONTHS: Final = "jan feb mar apr may jun jul aug sep oct nov dec"  # four letters each

_TIME = (
    r"(?:[T ,]+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d+)?)?"
    r"\s*(?P<half>[AaPp])?\.?[Mm]?\.?\s*(?:Z|(?P<zone>[+-]\d{2}):?(?P<zone_minute>\d{2}))?)?"
)
_YEAR_FIRST = re.compile(
    rf"(?P<year>\d{{4}})(?P<sign>[-/.])(?P<month>\d{{1,2}})(?:(?P=sign)(?P<day>\d{{1,2}}))?{_TIME}"
)
_YEAR_LAST = re.compile(
    rf"(?P<first>\d{{1,2}})(?P<sign>[-/.])(?P<second_>\d{{1,2}})(?P=sign)"
    rf"(?P<year>\d{{4}}|\d{{2}}){_TIME}"
)
_IN_WORDS = re.compile(
    rf"(?:(?P<day>\d{{1,2}})[-/ .]*(?P<word>[A-Za-z]{{3,9}})[-/ .,]*|"
    rf"(?P<word_>[A-Za-z]{{3,9}})[-/ .]*(?P<day_>\d{{1,2}})[-/ .,]+)"
    rf"(?P<year>\d{{4}}|\d{{2}}){_TIME}"
)


@dataclass(frozen=True, eq=False)
class RawDates:
    """Points in time, in microseconds, NaT where missing; ``rows`` is that of `RawNumbers`."""

    values: NDArray[np.datetime64]
    rows: IntArray | None = None

    def __len__(self) -> int:
        return len(self.values)

    @property
    def missing(self) -> BoolArray | None:
        """Where they are missing, None if nowhere."""
        missing = np.isnat(self.values)
        return missing if missing.any() else None

    def days(self) -> RawNumbers:
        """Return days since 1970."""
        return RawNumbers(
            np.where(np.isnat(self.values), np.nan, self.values.astype(np.int64) / _DAY),
            self.missing,
            self.rows,
        )

    def categories(self) -> RawCategories:
        """Return each date as a category of its own."""
        found, codes = np.unique(self.values[~np.isnat(self.values)], return_inverse=True)
        spread = np.full(len(self), -1)
        spread[~np.isnat(self.values)] = codes
        days = found.astype("datetime64[D]")
        texts = tuple(map(str, days if np.array_equal(found, days) else found))
        return RawCategories(spread, texts, declared=False, rows=self.rows)

    def parts(self) -> dict[str, RawColumn]:
        """Return year, month and weekday, and the hour where there are any."""
        missing = self.missing
        known = (
            self.values
            if missing is None
            else np.where(missing, np.datetime64(0, "us"), self.values)
        )
        months = known.astype("datetime64[M]").astype(np.int64)
        days = known.astype("datetime64[D]").astype(np.int64)
        weekday = (days + 3) % 7
        parts: dict[str, RawColumn] = {
            "year": RawNumbers(months // 12 + 1970, missing, self.rows),
            "month": RawNumbers(months % 12 + 1, missing, self.rows),
            "weekday": RawCategories(
                weekday if missing is None else np.where(missing, -1, weekday),
                _WEEKDAYS,
                declared=False,
                rows=self.rows,
            ),
        }
        hours = (known - known.astype("datetime64[D]")) / np.timedelta64(1, "h")
        if hours.any():
            parts["hour"] = RawNumbers(hours, missing, self.rows)
        return parts


AnyRaw: TypeAlias = RawColumn | RawDates
"""What the column of a table may be before dates become numbers."""


def raw_times(values: NDArray[Any]) -> AnyRaw:
    """Return an array of datetimes as raw dates, one of durations as days."""
    if values.dtype.kind == "M":
        return RawDates(values.astype("datetime64[us]"))
    missing = np.isnat(values)
    days = values.astype("timedelta64[us]").astype(np.int64) / _DAY
    return RawNumbers(np.where(missing, np.nan, days), missing if missing.any() else None)


def undated(name: str, column: RawDates, form: DateForm) -> dict[str, RawColumn]:
    """Return the columns of numbers that one of dates becomes, by name."""
    if form == "days":
        return {name: column.days()}
    return {f"{name} {part}": values for part, values in column.parts().items()}


class Ambiguous(Exception):  # noqa: N818  nothing went wrong
    """It is not clear whether the day or the month comes first."""


def compact_dates(numbers: NDArray[Any]) -> RawDates | None:
    """Read integers such as 20200131 as dates, or return None."""
    texts = [f"{number:08d}" for number in numbers.tolist()]
    written = [f"{text[:4]}-{text[4:6]}-{text[6:]}" for text in texts if len(text) == 8]
    dates = dates_of(written, None) if len(written) == len(texts) else None
    return None if dates is None else RawDates(dates)


def looks_like_date(text: str) -> bool:
    """Say whether a text has the form of a date."""
    return any(pattern.fullmatch(text) for pattern in (_YEAR_FIRST, _YEAR_LAST, _IN_WORDS))


def dates_of(texts: Sequence[str], day_first: bool | None) -> NDArray[np.datetime64] | None:
    """Read texts as dates, or return None if they are not all dates in one form.

    Raises `Ambiguous` where day and month could be exchanged in all of them.

    Examples
    --------
    >>> dates_of(["31/12/1999", "1/2/2000"], None).astype("datetime64[D]")
    array(['1999-12-31', '2000-02-01'], dtype='datetime64[D]')
    >>> dates_of(["yesterday", "1/2/2000"], None)
    """
    for pattern in (_YEAR_FIRST, _YEAR_LAST, _IN_WORDS):
        if texts and pattern.fullmatch(texts[0]):
            matches = [pattern.fullmatch(text) for text in texts]
            found = [match for match in matches if match is not None]
            if len(found) < len(texts):
                return None
            by_day = pattern is not _YEAR_LAST or _day_first(found, day_first)
            try:
                return np.array([_moment(match, by_day=by_day) for match in found])
            except ValueError:
                return None
    return None


def _day_first(matches: Sequence[re.Match[str]], given: bool | None) -> bool:
    largest_first = max(int(match["first"]) for match in matches)
    largest_second = max(int(match["second_"]) for match in matches)
    if largest_first > 12 or largest_second > 12:
        return largest_first > 12
    if given is None:
        if matches[0]["sign"] != ".":
            raise Ambiguous
        return True
    return given


def _month(word: str) -> int:
    """Return the number of a month, given its name or the beginning of it, in English."""
    return _MONTHS.index(word[:3].lower()) // 4 + 1


def _moment(match: re.Match[str], *, by_day: bool) -> np.datetime64:
    parts = match.groupdict()
    year = int(parts["year"])
    if len(parts["year"]) == 2:
        year += 2000 if year < 69 else 1900
    if "first" in parts:
        day, month = int(parts["first"]), int(parts["second_"])
        day, month = (day, month) if by_day else (month, day)
    elif "word" in parts:
        day = int(parts["day"] or parts["day_"])
        month = _month(parts["word"] or parts["word_"])
    else:
        month, day = int(parts["month"]), int(parts["day"] or 1)
    moment = np.datetime64(f"{year:04d}-{month:02d}-{day:02d}", "us")
    if parts["hour"] is None:
        return moment
    hour = int(parts["hour"])
    if parts["half"]:
        hour = hour % 12 + (12 if parts["half"] in "pP" else 0)
    seconds = hour * 3600 + int(parts["minute"]) * 60 + int(parts["second"] or 0)
    if parts["zone"]:
        zone = int(parts["zone"]) * 3600
        seconds -= zone + (1 if zone >= 0 else -1) * int(parts["zone_minute"]) * 60
    return moment + np.timedelta64(seconds, "s")
