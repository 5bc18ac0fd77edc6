"""Files of every format hold the same table."""

from __future__ import annotations

import datetime
import gzip
import json
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, ipc, parquet

from eiderdown.data import Dataset
from eiderdown.data.files import excel_table
from eiderdown.errors import OptionError, UnknownColumnError, UnreadableFileError

COLUMNS = {"sex": ["f", "m", None, "f"], "age": [31.5, 40.25, 28.0, None], "n": [1, 2, 1, 1]}
TABLE = pa.table(COLUMNS)


def as_stream(path: Path) -> None:
    with ipc.new_stream(path, TABLE.schema) as writer:
        writer.write_table(TABLE)


def as_lines(path: Path) -> None:
    path.write_text("\n".join(json.dumps(row) for row in TABLE.to_pylist()))


WRITERS = {
    "table.parquet": lambda path: parquet.write_table(TABLE, path),
    "table.feather": lambda path: feather.write_feather(TABLE, path),
    "table.arrow": lambda path: feather.write_feather(TABLE, path, compression="uncompressed"),
    "table.arrows": as_stream,
    "table.jsonl": as_lines,
    "table.ndjson": as_lines,
    "table.json": lambda path: path.write_text(json.dumps(TABLE.to_pylist())),
    "table.txt": lambda path: TABLE.to_pandas().to_csv(path, index=False, sep="\t"),
    "table": lambda path: TABLE.to_pandas().to_csv(path, index=False),
    "parquet": lambda path: parquet.write_table(TABLE, path),
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_holds_the_same_table(tmp_path, name):
    WRITERS[name](tmp_path / name)
    expected = Dataset.from_columns(COLUMNS)
    assert Dataset.of(tmp_path / name).fingerprint == expected.fingerprint
    some = Dataset.of(str(tmp_path / name), columns=["n", "sex"])
    assert some.fingerprint == expected.select(["n", "sex"]).fingerprint
    without = Dataset.of(tmp_path / name, exclude=["age"])
    assert without.names == ("sex", "n")
    assert without.left_out == {"age": "it is excluded"}
    with pytest.raises(UnknownColumnError, match="'agee'; did you mean 'age'"):
        Dataset.of(tmp_path / name, exclude=["agee"])


@pytest.mark.parametrize("name", ["table.parquet", "table.jsonl", "table.feather"])
def test_any_format_may_be_compressed(tmp_path, name):
    WRITERS[name](tmp_path / name)
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress((tmp_path / name).read_bytes()))
    assert Dataset.of(packed).fingerprint == Dataset.from_columns(COLUMNS).fingerprint


def test_names_given_twice_are_told_apart_in_every_format(tmp_path):
    twice = pa.Table.from_arrays([pa.array([1, 2]), pa.array([3, 4])], names=["a", "a"])
    parquet.write_table(twice, tmp_path / "twice.parquet")
    assert Dataset.of(tmp_path / "twice.parquet").names == ("a", "a.1")
    assert Dataset.of(tmp_path / "twice.parquet", exclude=["a"]).names == ("a.1",)


def test_records_of_records_are_refused_until_they_are_excluded(tmp_path):
    path = tmp_path / "table.jsonl"
    path.write_text('{"a": 1, "b": {"c": 2}}\n{"a": 2, "b": {"c": 3}}\n')
    with pytest.raises(ValueError, match="'b' is of type struct"):
        Dataset.of(path)
    assert Dataset.of(path, exclude=["b"]).names == ("a",)


def test_a_sheet_becomes_a_table_with_types(tmp_path):
    rows = [
        ("sex", "when", None, "mixed"),
        ("f", datetime.datetime(2020, 1, 1), 1.5, 3),
        (None, datetime.datetime(2020, 1, 2), 2.5, "three"),
    ]
    table = excel_table(tmp_path / "book.xlsx", rows, list)
    assert table.column_names == ["sex", "when", "Unnamed: 2", "mixed"]
    data = Dataset.of(table)
    assert data.values(1).tolist() == [18262.0, 18263.0]
    assert data.categories(3) == ("3", "three")
    with pytest.raises(UnreadableFileError, match="is empty"):
        excel_table(tmp_path / "book.xlsx", [], list)


def test_a_workbook_needs_openpyxl(tmp_path, monkeypatch):
    monkeypatch.setattr("eiderdown.data.files.find_spec", lambda name: None)
    path = tmp_path / "book.xlsx"
    path.write_bytes(b"PK")
    with pytest.raises(UnreadableFileError, match=r"needs openpyxl: pip install 'eiderdown\[excel"):
        Dataset.of(path)


def test_a_workbook_is_read(tmp_path):
    pytest.importorskip("openpyxl", reason="an extra of Eiderdown's")
    path = tmp_path / "book.xlsx"
    with pd.ExcelWriter(path) as writer:
        TABLE.to_pandas().to_excel(writer, sheet_name="first", index=False)
        pd.DataFrame({"b": [1, 2, 1]}).to_excel(writer, sheet_name="second", index=False)
    expected = Dataset.from_columns(COLUMNS)
    assert Dataset.of(path).fingerprint == expected.fingerprint
    assert Dataset.of(path, sheet="second").names == ("b",)
    with pytest.raises(OptionError, match="no sheet 'third'; the workbook has"):
        Dataset.of(path, sheet="third")
