"""Files are read, or refused in one sentence with their path."""

from __future__ import annotations

import gzip

import numpy as np
import pandas as pd
import pytest

from eiderdown.data import Dataset
from eiderdown.errors import (
    DuplicateNamesError,
    TooFewRowsError,
    UnknownColumnError,
    UnreadableFileError,
)

CSV = "sex,age,n\nf,31.5,1\nm,40,2\nf,28,1\n"


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(CSV)
    return path


def expected():
    return Dataset.from_columns({"sex": ["f", "m", "f"], "age": [31.5, 40, 28], "n": [1, 2, 1]})


def test_csv_tsv_and_gzip_hold_the_same_table(tmp_path, csv):
    (tmp_path / "table.tsv").write_text(CSV.replace(",", "\t"))
    with gzip.open(tmp_path / "table.csv.gz", "wt") as file:
        file.write(CSV)
    paths = [csv, str(csv), tmp_path / "table.tsv", tmp_path / "table.csv.gz"]
    assert {Dataset.of(path).fingerprint for path in paths} == {expected().fingerprint}


def test_only_the_named_columns_are_read_in_their_order(tmp_path, csv):
    parquet = tmp_path / "table.parquet"
    pd.read_csv(csv).to_parquet(parquet)
    for data in (
        Dataset.from_csv(csv, columns=["n", "sex"]),
        Dataset.from_parquet(parquet, columns=["n", "sex"]),
    ):
        assert data.fingerprint == expected().select(["n", "sex"]).fingerprint
    with pytest.raises(UnknownColumnError, match="no column 'agee'; did you mean 'age'"):
        Dataset.from_csv(csv, columns=["agee"])
    with pytest.raises(UnknownColumnError, match="'agee'"):
        Dataset.from_parquet(parquet, columns=["agee"])
    with pytest.raises(DuplicateNamesError, match="'n'"):
        Dataset.from_csv(csv, columns=["n", "n"])


def test_kinds_reach_the_columns_of_a_file(csv):
    assert Dataset.from_csv(csv, kinds={"age": "discrete"}).categories(1) == (28.0, 31.5, 40.0)
    assert Dataset.of(csv, kinds={"n": "continuous"}).n_categories.tolist() == [2, 0, 0]


def test_parquet_keeps_categories_with_unseen_levels_and_order(tmp_path):
    text = pd.Categorical(["z", "a", "z"], categories=["z", "unseen", "a"])
    data = Dataset.from_columns({"text": text, "number": [0.5, 1.5, 2.5]})
    path = tmp_path / "table.parquet"
    data.to_pandas().to_parquet(path)
    back = Dataset.of(path)
    assert back.categories(0) == ("z", "unseen", "a")
    assert back.fingerprint == data.fingerprint


def test_parquet_of_many_row_groups_is_one_table(tmp_path):
    frame = pd.DataFrame({"c": pd.Categorical(list("abcdef") * 10), "n": np.arange(60) / 2})
    path = tmp_path / "table.parquet"
    frame.to_parquet(path, row_group_size=7)
    assert Dataset.of(path).fingerprint == Dataset.of(frame).fingerprint


@pytest.mark.parametrize("hole", ["NA", "", "NaN", "null"])
@pytest.mark.parametrize("column", [0, 1])
def test_empty_and_na_cells_of_a_csv_are_missing(tmp_path, hole, column):
    row = ["f", "2.5"]
    row[column] = hole
    path = tmp_path / "table.csv"
    path.write_text(f"sex,age\nm,1.5\n{','.join(row)}\n")
    data = Dataset.of(path)
    assert data.has_missing.tolist() == [column == 0, column == 1]
    assert data.missing(column).tolist() == [False, True]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("ragged.csv", b"a,b\n1,2\n3\n", "cannot be read as CSV: .*Expected 2 columns"),
        ("empty.csv", b"", "is empty"),
        ("binary.csv", bytes(range(256)) * 20, "cannot be read as CSV"),
        ("text.parquet", b"a,b\n1,2\n", "cannot be read as Parquet"),
        ("broken.csv.gz", b"a,b\n1,2\n", "cannot be read as gzip-compressed"),
        ("table.xls", b"PK", "Excel format of before 2007; save it as .xlsx"),
        ("table.odd", bytes(range(256)), "unknown suffix and is no text; give a .csv"),
        ("text.feather", b"a,b\n1,2\n", "cannot be read as Arrow"),
        ("text.jsonl", b"a,b\n1,2\n", "cannot be read as JSON"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_in_one_sentence(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(UnreadableFileError, match=message) as raised:
        Dataset.of(path)
    assert str(path) in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_path_that_is_no_file_is_refused(tmp_path):
    with pytest.raises(UnreadableFileError, match=r"There is no file .*nothing.csv"):
        Dataset.of(tmp_path / "nothing.csv")
    (tmp_path / "folder.parquet").mkdir()
    with pytest.raises(UnreadableFileError, match=r"folder.parquet' is a directory"):
        Dataset.of(tmp_path / "folder.parquet")


def test_duplicate_names_in_a_header_are_made_unique(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b,a\n1,2,3\n")
    assert Dataset.of(path).names == ("a", "b", "a.1")
    assert Dataset.from_csv(path, columns=["a.1"]).categories(0) == (3,)


def test_a_header_without_rows_is_refused(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b\n")
    with pytest.raises(TooFewRowsError, match="no rows"):
        Dataset.of(path)


def test_words_for_missing_are_text_in_quotes_and_missing_without(tmp_path):
    path = tmp_path / "categories.csv"
    path.write_text('a,b\n"None",1\n"NA",2\n"x",3\n')
    assert Dataset.of(path).categories(0) == ("NA", "None", "x")
    path.write_text('a,b\nNone,1\n"NA",2\n"x",3\n')
    data = Dataset.of(path)
    assert data.categories(0) == ("NA", "x")
    assert data.missing(0).tolist() == [True, False, False]


def test_cell_of_nothing_but_quotes_is_missing(tmp_path):
    path = tmp_path / "quoted.csv"
    path.write_text('"a","b"\n"y","1"\n"","3"\n"x","2"\n')
    data = Dataset.of(path)
    assert data.categories(0) == ("x", "y")
    assert data.codes(0).tolist() == [1, 2, 0]
    assert data.has_missing.tolist() == [True, False]


@pytest.mark.parametrize(("asked", "meant"), [("SEX", "sex"), ("Age", "age")])
def test_suggestion_for_a_mistyped_column_ignores_case(csv, asked, meant):
    with pytest.raises(UnknownColumnError, match=f"no column '{asked}'; did you mean '{meant}'"):
        Dataset.of(csv).index(asked)
