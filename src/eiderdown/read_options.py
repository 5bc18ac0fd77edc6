"""How tables are read: the options of :meth:`eiderdown.Dataset.of` and of every command."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Literal, TypeAlias

from eiderdown.options import ExcludeOptions, KindOptions, Names, Option

DateForm: TypeAlias = Literal["days", "parts"]


class ReadOptions(ExcludeOptions, KindOptions, total=False):
    """How a table is read; what is None is guessed, and the guess is said."""

    columns: Annotated[
        Names | None, Option("columns to read; None for all", default=None, metavar="COLUMN")
    ]
    na: Annotated[
        Collection[str] | None,
        Option(
            "texts that stand for missing cells, beside empty ones; None for the usual ones, such "
            "as NA and ?",
            default=None,
            metavar="TEXT",
        ),
    ]
    dates: Annotated[
        DateForm,
        Option(
            "what dates become: days since 1970, or year, month and weekday as columns of their "
            "own",
            default="days",
        ),
    ]
    day_first: Annotated[
        bool | None,
        Option("whether 1/2/2020 is in February; None to go by the other dates", default=None),
    ]
    delimiter: Annotated[
        str | None,
        Option(
            "what stands between the cells of a line: a character, 'tab' or 'space'; None to guess",
            default=None,
            metavar="TEXT",
        ),
    ]
    decimal: Annotated[
        Literal[".", ","] | None, Option("decimal point or comma; None to guess", default=None)
    ]
    thousands: Annotated[
        str | None,
        Option(
            "what groups the digits of numbers, such as ','; None to guess",
            default=None,
            metavar="TEXT",
        ),
    ]
    encoding: Annotated[
        str | None,
        Option("encoding of the text, such as latin-1; None to guess", default=None),
    ]
    header: Annotated[
        bool | None,
        Option("whether the first line holds the names of the columns; None to guess", None),
    ]
    sheet: Annotated[
        str | None, Option("sheet of an Excel workbook; None for the first", default=None)
    ]
