"""Texts become the numbers, dates and missing cells that they stand for."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eiderdown.data import Dataset
from eiderdown.data.dates import Ambiguous, dates_of
from eiderdown.data.texts import is_number, numbers_of
from eiderdown.errors import ColumnKindError

N = 40
Y = [i % 2 for i in range(N)]


def csv_of(tmp_path, cells, **options) -> Dataset:
    """Write cells as a CSV file, each in quotes where it has to be, and read it."""
    path = tmp_path / "table.csv"
    pd.DataFrame({"c": cells, "y": Y[: len(cells)]}).to_csv(path, index=False)
    return Dataset.of(path, **options)


# --- numbers -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["1,234", "12", "5,678,901"], [1234, 12, 5678901]),
        (["1.234,5", "12", "0,25"], [1234.5, 12, 0.25]),
        (["1,234.5", "12", "0.25"], [1234.5, 12, 0.25]),
        (["1 234", "12", "5 678"], [1234, 12, 5678]),
        (["1\u00a0234", "12"], [1234, 12]),
        (["1'234", "12"], [1234, 12]),
        (["12%", "7.5 %"], [12, 7.5]),
        (["$1,200", "-$3", "€ 5"], [1200, -3, 5]),
        (["1e3", "-2.5E-1", "+4"], [1000, -0.25, 4]),
        (["\u22121.5", "2.5"], [-1.5, 2.5]),
        (["(1,200)", "($5)", "7"], [-1200, -5, 7]),
        (["0,123", "1,500"], [0.123, 1.5]),  # no group begins with zero
        (["12,34", "1,234"], [12.34, 1.234]),
        (["1,23,456", "5"], [np.nan, 5]),
        (["abc", "1-2", "", "."], [np.nan] * 4),
    ],
)
def test_numbers_are_read_as_people_write_them(texts, values):
    np.testing.assert_array_equal(numbers_of(texts, None, None)[0], values)


def test_what_is_open_goes_by_the_rest_of_the_file_or_is_told():
    assert numbers_of(["1,234"], None, None, usual=",")[0].tolist() == [1.234]
    assert numbers_of(["1.234"], None, None, usual=",")[0].tolist() == [1234.0]
    assert numbers_of(["1.234"], None, None)[0].tolist() == [1.234]
    assert numbers_of(["1,234"], ",", None)[0].tolist() == [1.234]
    assert numbers_of(["1,234"], None, ",")[0].tolist() == [1234.0]


@given(st.integers(-(10**12), 10**12), st.sampled_from(",.'_ "), st.integers(0, 99))
def test_grouped_digits_are_the_number(whole, group, cents):
    decimal = "." if group == "," else ","
    text = f"{whole:,}".replace(",", group) + f"{decimal}{cents:02d}"
    (value,), written_whole = numbers_of([text], None, None)
    expected = float(f"{whole}.{cents:02d}")
    assert value == expected
    assert not written_whole
    assert is_number(text, decimal)


def test_thousands_percent_and_currency_in_a_file_are_numbers(tmp_path):
    data = csv_of(tmp_path, [f"{1000 + 37 * i:,}" for i in range(N)])
    assert data.values(0).tolist() == [1000 + 37 * i for i in range(N)]
    assert "Numbers with grouped digits, commas or units: 'c'." in data.notes
    assert csv_of(tmp_path, [f"{i % 5}%" for i in range(N)]).categories(0) == (0, 1, 2, 3, 4)
    assert csv_of(tmp_path, [f"$ {i}.50" for i in range(N)]).values(0)[3] == 3.5


# --- texts among numbers -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "mark", ["?", "-", ".", "NA", "N/A", "NULL", "missing", "unknown", "n/a?", "", " ", "Unknown"]
)
@pytest.mark.parametrize("numbers", [[i / 3 for i in range(N)], [i % 4 for i in range(N)]])
def test_words_for_nothing_among_numbers_are_missing(tmp_path, mark, numbers):
    data = csv_of(tmp_path, [mark, *numbers[1:]])
    assert data.missing(0).tolist() == [True] + [False] * (N - 1)
    assert data.is_discrete[0] == isinstance(numbers[0], int)


def test_a_number_for_missing_is_one_only_if_told(tmp_path):
    cells = [-999, *[i / 3 for i in range(1, N)]]
    assert not csv_of(tmp_path, cells).has_missing[0]
    assert csv_of(tmp_path, cells, na=["-999.0"]).missing(0).sum() == 1


@pytest.mark.parametrize(
    ("texts", "missing"),
    [
        (["a", "b", "?"], "?"),
        (["a", "b", "-"], "-"),
        (["a", "b", "."], "."),
        (["+", "-", "+"], None),
        (["a", "-", "a"], None),  # one of two categories
        (["a", "missing", "b"], None),
        (["a", "unknown", "b"], None),
    ],
)
def test_signs_among_texts_are_missing_where_they_can_be_nothing_else(tmp_path, texts, missing):
    cells = (texts * N)[:N]
    for data in (csv_of(tmp_path, cells), Dataset.of({"c": cells, "y": Y})):
        seen = tuple(sorted({text for text in texts if text != missing}))
        assert data.categories(0) == seen
        assert data.has_missing[0] == (missing is not None)
    kept = csv_of(tmp_path, cells, na=[])
    assert kept.categories(0) == tuple(sorted(set(texts)))


def test_few_texts_among_many_numbers_are_missing_and_told(tmp_path):
    cells = [">90", *[str(i / 3) for i in range(1, N)]]
    data = csv_of(tmp_path, cells)
    assert data.missing(0).sum() == 1
    assert "but for cells such as '>90' (1 in all)" in data.notes[0]
    assert "--kind c=category" in data.notes[0]
    assert not csv_of(tmp_path, cells, kinds={"c": "category"}).has_missing[0]


def test_many_texts_or_few_numbers_are_categories(tmp_path):
    grades = (["1", "2", "3+"] * N)[:N]
    assert csv_of(tmp_path, grades).categories(0) == ("1", "2", "3+")
    told = csv_of(tmp_path, grades, kinds={"c": "number"})
    assert told.missing(0).sum() == grades.count("3+")
    assert "such as '3+'" in told.notes[0]
    with pytest.raises(ColumnKindError, match="'c' holds text"):
        csv_of(tmp_path, ["a", "b"], kinds={"c": "number"})


def test_a_mix_in_a_frame_is_read_like_one_in_a_file():
    frame = pd.DataFrame({"c": ["n/a?", *[i / 3 for i in range(1, N)]], "y": Y})
    assert Dataset.of(frame).missing(0).tolist() == [True] + [False] * (N - 1)
    few = pd.DataFrame({"c": ["low", 1, 2, 3] * 10, "y": Y})
    assert Dataset.of(few).categories(0) == ("1", "2", "3", "low")
    with pytest.raises(ColumnKindError, match="mixed"):
        Dataset.from_columns({"c": few["c"]})  # exactly what is given, or nothing


def test_texts_of_a_frame_stay_texts_where_they_are_few():
    codes = (["007", "123"] * N)[:N]
    assert Dataset.of(pd.DataFrame({"c": codes})).categories(0) == ("007", "123")
    many = Dataset.of(pd.DataFrame({"c": [str(i * 1.5) for i in range(N)]}))
    assert many.values(0)[2] == 3.0


def test_white_space_around_texts_is_none_of_them(tmp_path):
    data = csv_of(tmp_path, ([" a", "a", "b "] * N)[:N])
    assert data.categories(0) == ("a", "b")


def test_integers_of_many_values_are_categories_where_that_is_told(tmp_path):
    cells = [(7 * i) % 30 for i in range(N)]
    assert not csv_of(tmp_path, cells).is_discrete[0]
    assert csv_of(tmp_path, cells, kinds={"c": "category"}).n_categories[0] == 30
    assert csv_of(tmp_path, cells, kinds={"*": "category"}).n_categories.tolist() == [30, 2]
    both = csv_of(tmp_path, cells, kinds={"c": "number", "*": "category"})
    assert both.n_categories.tolist() == [0, 2]


# --- dates ---------------------------------------------------------------------------------------

DAYS = [datetime.date(2019, 12, 20) + datetime.timedelta(days=i) for i in range(N)]
EPOCH = [(day - datetime.date(1970, 1, 1)).days for day in DAYS]


@pytest.mark.parametrize(
    "form",
    [
        *("%Y-%m-%d", "%Y/%m/%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d-%m-%y", "%d %b %Y"),
        *(
            "%b-%d-%Y",
            "%b %d, %Y",
            "%B %d, %Y",
            "%d-%b-%y",
            "%Y-%m-%dT%H:%M:%S",
            "%m/%d/%Y %I:%M %p",
        ),
    ],
)
def test_dates_in_many_forms_are_days(tmp_path, form):
    texts = [datetime.datetime(d.year, d.month, d.day).strftime(form) for d in DAYS]
    for data in (csv_of(tmp_path, texts), Dataset.of(pd.DataFrame({"c": texts, "y": Y}))):
        assert data.values(0).tolist() == EPOCH
        assert data.notes == ("Dates became days since 1970: 'c'.",)


def test_missing_dates_are_missing(tmp_path):
    texts = ["?", *[day.strftime("%d/%m/%Y") for day in DAYS[1:]]]
    data = csv_of(tmp_path, texts)
    assert data.missing(0).tolist() == [True] + [False] * (N - 1)
    assert data.values(0)[1:].tolist() == EPOCH[1:]


def test_times_of_day_and_zones_count():
    moments = dates_of(["2020-01-01 06:00", "2020-01-01T12:00:30Z", "2020-01-01 12:00+02:00"], None)
    hours = (moments - np.datetime64("2020-01-01")) / np.timedelta64(1, "h")
    assert hours.tolist() == [6.0, 12 + 30 / 3600, 10.0]


def test_dates_whose_day_and_month_cannot_be_told_apart_are_left_out(tmp_path):
    texts = [f"{1 + i % 12:02d}/{1 + i // 12:02d}/2020" for i in range(N)]
    with pytest.raises(Ambiguous):
        dates_of(texts, None)
    data = csv_of(tmp_path, texts)
    assert data.names == ("y",)
    assert "--day-first or --no-day-first" in data.notes[0]
    by_day = csv_of(tmp_path, texts, day_first=True).values(0)
    by_month = csv_of(tmp_path, texts, day_first=False).values(0)
    assert by_day[1] - by_day[0] == 1  # the second of January
    assert by_month[1] - by_month[0] == 31  # the first of February


@pytest.mark.parametrize("texts", [["31/13/2020"], ["2020-02-30"], ["1/2/2020", "soon"], []])
def test_what_is_no_date_is_none(texts):
    assert dates_of(texts, None) is None


def test_dates_become_parts_on_request(tmp_path):
    data = csv_of(tmp_path, [day.isoformat() for day in DAYS], dates="parts")
    assert data.names == ("c year", "c month", "c weekday", "y")
    row = DAYS.index(datetime.date(2020, 1, 1))
    values = [data.categories(i)[data.codes(i)[row]] for i in range(3)]
    assert values == [2020, 1, "Wednesday"]
    noon = pd.DataFrame({"c": pd.to_datetime(["2020-01-01 12:00", None, "2020-06-01 00:00"])})
    parts = Dataset.of(noon, dates="parts")
    assert parts.names == ("c year", "c month", "c weekday", "c hour")
    assert all(parts.missing(i).tolist() == [False, True, False] for i in range(4))


def test_dates_are_what_they_are_told_to_be(tmp_path):
    texts = [day.isoformat() for day in DAYS]
    assert csv_of(tmp_path, texts, kinds={"c": "category"}).categories(0)[0] == "2019-12-20"
    assert csv_of(tmp_path, texts, kinds={"c": "number"}).values(0).tolist() == EPOCH
    compact = [int(day.strftime("%Y%m%d")) for day in DAYS]
    assert csv_of(tmp_path, compact).values(0)[0] == compact[0]
    assert csv_of(tmp_path, compact, kinds={"c": "date"}).values(0).tolist() == EPOCH
    with pytest.raises(ColumnKindError, match="'c' cannot be read as dates"):
        csv_of(tmp_path, ["a", "b"], kinds={"c": "date"})


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"c": pd.to_datetime(DAYS)}),
        pl.DataFrame({"c": DAYS}),
        pa.table({"c": DAYS}),
        {"c": DAYS},
        pd.DataFrame({"c": DAYS}),
    ],
)
def test_dates_of_frames_are_days(table):
    data = Dataset.of(table)
    assert data.values(0).tolist() == EPOCH
    assert data.notes == ("Dates became days since 1970: 'c'.",)
