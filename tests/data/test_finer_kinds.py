"""Categories in order and counts: declared, recognised, kept, and refused where they cannot be."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from eiderdown import Dataset, Kind
from eiderdown.data.discretise import discretise
from eiderdown.data.impute import imputed_tables
from eiderdown.data.missing import without_missing
from eiderdown.errors import ColumnKindError, OptionError

SIZES = pd.Categorical(["mid", "low", "high", "mid"], ["low", "mid", "high"], ordered=True)


def kinds_of(data: Dataset) -> list[str]:
    return [data.kind(i).value for i in range(data.n_columns)]


def test_the_order_of_an_ordered_categorical_is_taken():
    frame = pd.DataFrame({"size": SIZES, "name": SIZES.as_unordered(), "n": [1, 2, 1, 2]})
    data = Dataset.of(frame)
    assert kinds_of(data) == ["ordered", "discrete", "discrete"]
    assert data.categories(0) == ("low", "mid", "high")
    assert kinds_of(Dataset.of(pa.Table.from_pandas(frame))) == kinds_of(data)


def test_an_enum_of_polars_says_nothing_about_order():
    series = pl.Series(["b", "a", "b"], dtype=pl.Enum(["b", "a"]))
    assert kinds_of(Dataset.of(pl.DataFrame({"x": series}))) == ["discrete"]


def test_a_plain_category_may_be_asked_for():
    data = Dataset.of(pd.DataFrame({"size": SIZES}), kinds={"size": "category"})
    assert kinds_of(data) == ["discrete"]


@pytest.mark.parametrize("make", [Dataset.of, Dataset.from_columns])
def test_kinds_are_declared(make):
    table = {"grade": [3, 1, 2, 1], "visits": [0, 4, 2, 0], "size": ["mid", "low", "high", None]}
    data = make(table, kinds={"grade": "ordered", "visits": "count", "size": "low < mid < high"})
    assert kinds_of(data) == ["ordered", "count", "ordered"]
    assert data.categories(0) == (1, 2, 3)
    assert data.values(1).tolist() == [0.0, 4.0, 2.0, 0.0]
    assert data.categories(2) == ("low", "mid", "high")
    assert data.codes(2).tolist() == [1, 0, 2, 3]


def test_declared_on_a_file(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("size,visits\nlow,1\nhigh,12\nmid,0\nlow,3\n")
    data = Dataset.of(path, kinds={"size": "low<mid<high", "visit*": "count"})
    assert kinds_of(data) == ["ordered", "count"]
    assert data.codes(0).tolist() == [0, 2, 1, 0]


def test_finer_kinds_go_with_the_columns():
    table = {"size": SIZES, "visits": [0, 4, 2, 0], "x": [0.5, 1.5, None, 2.5]}
    data = Dataset.from_columns(table, kinds={"visits": "count"})
    wanted = {"size": Kind.ORDERED, "visits": Kind.COUNT, "x": Kind.CONTINUOUS}
    for changed in (
        data.select(["visits", "size"]),
        data.drop(["x"]),
        data.take([0, 1, 2]),
        data.with_columns({"more": ["a", "b", "c", "d"]}),
        Dataset.from_columns({"more": ["a", "b", "c", "d"]}).beside(data),
        pickle.loads(pickle.dumps(data)),
        imputed_tables(data, n_tables=1)[0],
    ):
        for name, kind in wanted.items():
            if name in changed.names:
                assert changed.kind(changed.index(name)) is kind


def test_a_column_that_was_changed_loses_its_finer_kind():
    data = Dataset.from_columns({"visits": [0, 4, 2, 0]}, kinds={"visits": "count"})
    assert kinds_of(discretise(data, {"visits": np.array([1.0])})) == ["discrete"]
    gaps = Dataset.from_columns(
        {"size": pd.Categorical.from_codes([0, 1, -1, 2], dtype=SIZES.dtype)}
    )
    assert kinds_of(gaps) == ["ordered"]
    assert kinds_of(without_missing(gaps, None, (), "level")[0]) == ["discrete"]


def test_an_order_goes_to_other_libraries_and_back():
    data = Dataset.from_columns({"size": SIZES, "grade": [3, 1, 2, 1]}, kinds={"grade": "ordered"})
    for table in (data.to_pandas(), data.to_arrow()):
        assert kinds_of(Dataset.of(table)) == ["ordered", "ordered"]
        assert Dataset.of(table).fingerprint == data.fingerprint
    plain = Dataset.from_columns({"size": SIZES.as_unordered(), "grade": [3, 1, 2, 1]})
    assert plain.fingerprint != data.fingerprint


@pytest.mark.parametrize(
    ("column", "kind", "message"),
    [
        (["low", "high"], "ordered", "nothing says in which order; give the order as its kind"),
        (["low", "high", "mid"], "low < high", "must name each of its categories once.*'mid'"),
        (["low", "high"], "low < high < low", "names a category twice"),
        ([1.5, 2.5], "1.5 < 2.5", "holds numbers, which have an order"),
        ([0.5, 2.0], "count", "cannot be counts"),
        ([-1, 2], "count", "cannot be counts"),
    ],
)
def test_impossible_kinds_are_refused_with_a_way_out(column, kind, message):
    with pytest.raises(ColumnKindError, match=message):
        Dataset.from_columns({"x": column}, kinds={"x": kind})
    with pytest.raises(ColumnKindError, match=message):
        Dataset.of({"x": column}, kinds={"x": kind})


def test_unknown_kinds_are_refused():
    with pytest.raises(OptionError, match="'category', 'ordered', 'number', 'count' or 'date'"):
        Dataset.of({"x": [1, 2]}, kinds={"x": "ordinal"})
