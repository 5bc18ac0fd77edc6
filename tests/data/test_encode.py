"""Kinds are inferred, categories ordered, and bad cells refused with the column named."""

from __future__ import annotations

import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from eiderdown.data import Dataset, Kind
from eiderdown.data.encode import MAX_CATEGORIES, MAX_INTEGER_CATEGORIES
from eiderdown.errors import (
    ColumnKindError,
    InputError,
    NonFiniteError,
    OptionError,
    TooFewRowsError,
    TooManyCategoriesError,
    UnknownColumnError,
)


def one(values, **options) -> Dataset:
    return Dataset.from_columns({"c": values}, **options)


@pytest.mark.parametrize(
    ("values", "categories", "codes"),
    [
        (["b", "a", "b"], ("a", "b"), [1, 0, 1]),
        (np.array(["b", "a", "b"]), ("a", "b"), [1, 0, 1]),
        ([True, True], (False, True), [1, 1]),
        (np.array([5, -3, 5], np.int8), (-3, 5), [1, 0, 1]),
        (np.array([2**63 + 5, 7], np.uint64), (7, 2**63 + 5), [1, 0]),
        ([10**12, 1], (1, 10**12), [1, 0]),
        (pd.Series(["b", "a"], dtype="object"), ("a", "b"), [1, 0]),
        (pd.Series([3, 1], dtype="Int64"), (1, 3), [1, 0]),
        (pd.Series([True, False], dtype="boolean"), (False, True), [1, 0]),
        (pd.Series([3, 1], dtype="int64[pyarrow]"), (1, 3), [1, 0]),
        (pd.Series([0, 1], dtype="Sparse[int64]"), (0, 1), [0, 1]),
        (pd.Categorical(["z", "a"], categories=["z", "q", "a"]), ("z", "q", "a"), [0, 2]),
        (pd.Categorical([2, 1], categories=[2, 1, 0]), (2, 1, 0), [0, 1]),
        (pl.Series(["b", "a"]), ("a", "b"), [1, 0]),
        (pl.Series(["b", "a"], dtype=pl.Enum(["b", "q", "a"])), ("b", "q", "a"), [0, 2]),
        (pl.Series(["b", "a"], dtype=pl.Categorical), ("a", "b"), [1, 0]),
        (pa.array(["b", "a"]), ("a", "b"), [1, 0]),
        (pa.array(["b", "a"]).dictionary_encode(), ("b", "a"), [0, 1]),
        (pa.chunked_array([["b", "a"], ["a", "c"]]).dictionary_encode(), ("b", "a", "c"), None),
    ],
)
def test_discrete_columns_get_levels_in_order_with_python_types(values, categories, codes):
    data = one(values)
    assert data.kind(0) is Kind.DISCRETE
    assert data.categories(0) == categories
    assert [type(level) for level in data.categories(0)] == [type(level) for level in categories]
    assert data.codes(0).tolist() == ([0, 1, 1, 2] if codes is None else codes)


@pytest.mark.parametrize(
    "values",
    [
        np.array([1.0, 2.0]),
        np.array([1.0, 2.0], np.float32),
        [1, 2.0],
        pd.Series([1.0, 2.0], dtype="Float64"),
        pl.Series([1.0, 2.0]),
        pa.array([1.0, 2.0]),
    ],
)
def test_floats_are_continuous_even_if_whole(values):
    data = one(values)
    assert data.kind(0) is Kind.CONTINUOUS
    assert data.categories(0) == ()
    assert data.values(0).tolist() == [1.0, 2.0]


def test_integers_are_discrete_up_to_the_documented_number_of_levels():
    few, many = np.arange(MAX_INTEGER_CATEGORIES), np.arange(MAX_INTEGER_CATEGORIES + 1)
    assert one(few).kind(0) is Kind.DISCRETE
    assert one(few * 1000).kind(0) is Kind.DISCRETE
    assert one(many).kind(0) is Kind.CONTINUOUS
    assert one(many * 1000).kind(0) is Kind.CONTINUOUS


def test_few_integers_far_apart_among_many_rows_are_discrete():
    values = np.tile([0, 10**6, 10**9], 5000)
    assert one(values).categories(0) == (0, 10**6, 10**9)


def test_integers_rare_beyond_the_first_rows_are_still_counted():
    values = np.zeros(10_000, np.int64)
    values[-30:] = np.arange(30) * 100
    assert one(values).kind(0) is Kind.CONTINUOUS


def test_given_kinds_override_inference():
    assert one(np.array([2.5, 0.5, 2.5]), kinds={"c": "discrete"}).categories(0) == (0.5, 2.5)
    assert one([0, 1], kinds={"c": Kind.CONTINUOUS}).values(0).tolist() == [0.0, 1.0]
    assert one([True, False], kinds={"c": "continuous"}).values(0).tolist() == [1.0, 0.0]
    assert one(np.arange(300), kinds={"c": "discrete"}).codes(0).dtype == np.uint16


def test_given_kinds_that_do_not_fit_are_refused():
    with pytest.raises(UnknownColumnError, match="no column 'd'"):
        one([1, 2], kinds={"d": "discrete"})
    with pytest.raises(OptionError, match="'c' must be 'category', 'ordered', 'number'"):
        one([1, 2], kinds={"c": "ordinal"})
    with pytest.raises(ColumnKindError, match="'c' holds text or categories"):
        one(["a", "b"], kinds={"c": "continuous"})


def test_code_dtype_is_the_smallest_that_fits():
    codes = {
        n: one(np.arange(n), kinds={"c": "discrete"}).codes(0) for n in (256, 257, MAX_CATEGORIES)
    }
    assert [c.dtype for c in codes.values()] == [np.uint8, np.uint16, np.uint16]
    assert all((c == np.arange(n)).all() for n, c in codes.items())


def test_more_levels_than_the_maximum_are_refused():
    with pytest.raises(TooManyCategoriesError, match="'c' has 65537 categories"):
        one(np.arange(MAX_CATEGORIES + 1), kinds={"c": "discrete"})


def test_text_with_a_level_for_most_rows_looks_like_an_identifier():
    names = [f"id{i}" for i in range(30)]
    with pytest.raises(
        TooManyCategoriesError, match=r"'c' has 30 categories in 30 rows.*identifier"
    ):
        one(names)
    with pytest.raises(TooManyCategoriesError, match="'c' has 30 categories"):
        one(pd.Categorical(names))
    assert one(names, kinds={"c": "discrete"}).n_categories.tolist() == [30]
    assert one(names[:15] * 2).n_categories.tolist() == [15]
    assert one(names[:19]).n_categories.tolist() == [19]


def test_declared_levels_that_are_not_seen_do_not_count_as_identifier():
    declared = pd.Categorical(["a"] * 30, categories=["a", *(f"id{i}" for i in range(100))])
    assert one(declared).n_categories.tolist() == [101]


def test_infinite_numbers_are_refused_with_the_column():
    with pytest.raises(NonFiniteError, match="'b', 'd'"):
        Dataset.from_columns({"a": [1.0, 2.0], "b": [np.inf, 1.0], "d": [-np.inf, 0.5]})


@pytest.mark.parametrize(
    "odd",
    [
        [b"bytes"],
        [1, "a"],
        [[1, 2]],
        [10**30],
        np.array([1j]),
        pl.Series([[1, 2]]),
        pa.array([b"bytes"]),
    ],
)
def test_columns_of_other_types_are_refused_with_name_and_type(odd):
    with pytest.raises(ColumnKindError, match=r"Column 'c' is of type .*convert it"):
        one(odd)


@pytest.mark.parametrize(
    "dates",
    [
        [datetime.date(2020, 1, 1), datetime.date(2020, 1, 3), None],
        [datetime.datetime(2020, 1, 1), datetime.datetime(2020, 1, 3), None],
        np.array(["2020-01-01", "2020-01-03", "NaT"], "datetime64[D]"),
        pd.Series(pd.to_datetime(["2020-01-01", "2020-01-03", None])),
        pd.Series(pd.to_datetime(["2020-01-01", "2020-01-03", None], utc=True)),
        pd.Series(pd.PeriodIndex(["2020-01-01", "2020-01-03", "NaT"], freq="D")),
        pd.Series(["2020-01-01", "2020-01-03", None], dtype="date32[pyarrow]"),
        pl.Series([datetime.date(2020, 1, 1), datetime.date(2020, 1, 3), None]),
        pa.array([datetime.datetime(2020, 1, 1), datetime.datetime(2020, 1, 3), None]),
    ],
)
def test_dates_are_days_since_1970(dates):
    np.testing.assert_array_equal(one(dates).values(0), [18262.0, 18264.0, np.nan])


def test_durations_are_days_times_hours_and_decimals_numbers():
    hours = [datetime.timedelta(hours=6), datetime.timedelta(hours=12)]
    for cells in (pd.Series(hours), pa.array(hours), np.array(hours, "timedelta64[s]")):
        assert one(cells).values(0).tolist() == [0.25, 0.5]
    assert one(pa.array([datetime.time(6, 30)])).values(0).tolist() == [6.5]
    for cells in ([decimal.Decimal("1.5")], pa.array([decimal.Decimal("1.5")])):
        assert one(cells).values(0).tolist() == [1.5]


def test_integers_too_large_for_floats_are_refused():
    with pytest.raises(ColumnKindError, match="'c' holds integers too large"):
        one(np.arange(100) + 2**60)


def test_intervals_of_pandas_cut_become_text_levels():
    data = one(pd.cut(pd.Series([1.0, 5.0]), [0, 2, 6]))
    assert data.categories(0) == ("(0, 2]", "(2, 6]")


def test_levels_of_mixed_types_become_text():
    assert one(pd.Categorical([1, "a"], categories=[1, "a"])).categories(0) == ("1", "a")
    with pytest.raises(InputError, match="Two categories of column 'c'"):
        one(pd.Categorical([1, "1"], categories=[1, "1"]))


def test_tables_without_rows_or_columns_are_refused():
    with pytest.raises(InputError, match="no columns"):
        Dataset.from_columns({})
    with pytest.raises(TooFewRowsError, match="no rows"):
        one([])
    with pytest.raises(TooFewRowsError, match="no rows"):
        Dataset.from_pandas(pd.DataFrame({"a": pd.Series([], dtype="str")}))


def test_columns_of_unequal_length_are_refused():
    with pytest.raises(InputError, match="'b' has 1 rows but column 'a' has 2"):
        Dataset.from_columns({"a": [1, 2], "b": [1]})


@pytest.mark.parametrize("odd", ["text", 7, np.zeros((2, 2))])
def test_what_is_no_column_is_refused(odd):
    with pytest.raises(InputError, match="Column 'c'"):
        one(odd)


def test_names_that_are_not_text_become_text():
    frame = pd.DataFrame({0: [1, 2], 1: [2, 1]})
    assert Dataset.from_pandas(frame).names == ("0", "1")
    both = pd.DataFrame([[1, 2]], columns=[0, "0"])
    assert Dataset.from_pandas(both).names == ("0", "0.1")


def test_object_arrays_are_inferred_column_by_column():
    data = Dataset.from_numpy(np.array([[1, "a", 0.5], [2, "b", 1.5]], dtype=object))
    assert [data.kind(i).value for i in range(3)] == ["discrete", "discrete", "continuous"]
    assert Dataset.from_numpy([[1, "a"], [2, "b"]]).categories(0) == (1, 2)
