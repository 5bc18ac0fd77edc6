"""A table comes back the same however a text file writes it."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import zipfile
from dataclasses import dataclass

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eiderdown.data import Dataset
from eiderdown.data.sniff import SAMPLE_BYTES, guess_encoding, sniff
from eiderdown.errors import OptionError, UnreadableFileError
from examples import examples

TEXTS = ["red", "gr;een", "bl,ue", 'e"h', "pi|pe", "café", "two words", "5 apples", "a.b"]
CELLS = {
    "colour": st.sampled_from([*TEXTS, None]),
    "größe": st.integers(-99_999, 99_999).map(lambda n: n / 100) | st.none(),
    "count": st.sampled_from([3, 1, 2, 17, None]),
    "sure": st.sampled_from([True, False]),
}
TABLES = st.integers(6, 30).flatmap(
    lambda n: st.fixed_dictionaries(
        {name: st.lists(cells, min_size=n, max_size=n) for name, cells in CELLS.items()}
    )
)


@dataclass(frozen=True)
class Written:
    """How a file is written."""

    delimiter: str
    decimal: str
    encoding: str
    mark: str
    line_end: str
    quoting: int
    preamble: str

    def write(self, columns: dict[str, list]) -> bytes:
        target = io.StringIO()
        writer = csv.writer(
            target,
            delimiter=self.delimiter,
            lineterminator=self.line_end,
            quoting=csv.QUOTE_ALL if self.quoting else csv.QUOTE_MINIMAL,
        )
        writer.writerow(columns)
        for row in zip(*columns.values(), strict=True):
            writer.writerow([self.cell(value) for value in row])
        return (self.preamble + target.getvalue()).encode(self.encoding)

    def cell(self, value: object) -> str:
        if value is None:
            return self.mark
        if isinstance(value, float):
            return f"{value:.2f}".replace(".", self.decimal)
        return str(value)


DIALECTS = st.builds(
    Written,
    delimiter=st.sampled_from([",", ";", "\t", "|", " "]),
    decimal=st.sampled_from([".", ","]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252", "latin-1"]),
    mark=st.sampled_from(["?", "NA", "n/a", ""]),
    line_end=st.sampled_from(["\n", "\r\n"]),
    quoting=st.booleans(),
    preamble=st.sampled_from(["", "# made by hand\n", "# a\n#b\n\n"]),
)


@examples(80)
@given(TABLES, DIALECTS)
def test_any_table_in_any_dialect_comes_back(tmp_path_factory, columns, written):
    if written.quoting and written.mark != "?":
        written = Written(**{**vars(written), "mark": "?"})  # in quotes, NA is a text
    if written.delimiter == " " and written.mark == "":
        written = Written(**{**vars(written), "mark": "NA"})  # white space makes no empty cell
    columns = {name: [*cells, *first_of(name)] for name, cells in columns.items()}
    path = tmp_path_factory.mktemp("dialect") / "table.csv"
    path.write_bytes(written.write(columns))
    data = Dataset.of(path)
    assert data.names == tuple(columns)
    assert data.fingerprint == Dataset.from_columns(columns).fingerprint, data.notes


def first_of(name: str) -> list:
    """Two known cells for each column, so that none is empty or all the same."""
    cells = {
        "colour": ["red", "blue"],
        "größe": [0.25, 7.5],
        "count": [1, 2],
        "sure": [True, False],
    }
    return cells[name]


PLAIN = "sex,age,n\nf,31.5,1\nm,40.25,2\nf,28.0,1\n"
EXPECTED = {"sex": ["f", "m", "f"], "age": [31.5, 40.25, 28.0], "n": [1, 2, 1]}


def read(tmp_path, text, name="table.csv", written_in="utf-8", **options) -> Dataset:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode(written_in))
    return Dataset.of(path, **options)


def same(data: Dataset, columns: dict[str, list] = EXPECTED) -> bool:
    return data.fingerprint == Dataset.from_columns(columns).fingerprint


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (PLAIN, ""),
        ("# by\n# me\n" + PLAIN, ""),
        ("\n\n" + PLAIN, ""),
        (PLAIN.replace("\nm", "\n# a remark, with a comma\nm"), ""),
        ("sep=;\n" + PLAIN.replace(",", ";"), "--delimiter ';'"),
        ("Survey of 2020\n" + PLAIN, "above the table; lines: 1"),
        ("Of us, you and\nthem, in 2020\n\n" + PLAIN, "above the table; lines: 2"),
        (PLAIN.replace("f,28.0,1", '"f","28.0","1"'), ""),
        (PLAIN.replace(",", ", "), ""),
        (PLAIN.replace("sex,age,n", "'sex','age','n'").replace("f,28", "'f',28"), ""),
        (PLAIN.replace(",", "\t"), "--delimiter 'tab'"),
        (PLAIN.replace(",", "   "), "--delimiter 'space'"),
        ("# sex age n\n" + PLAIN.partition("\n")[2].replace(",", " "), "--delimiter 'space'"),
        (PLAIN.replace("\n", "\r"), ""),
    ],
)
def test_oddities_around_a_table_do_no_harm(tmp_path, text, note):
    data = read(tmp_path, text)
    assert same(data)
    assert note in " ".join(data.notes)
    assert bool(data.notes) == bool(note)


def test_cells_that_begin_with_a_hash_are_no_comments(tmp_path):
    data = read(tmp_path, "colour,n\n" + "#ff0000,1\n#00ff00,2\n" * 5)
    assert data.categories(0) == ("#00ff00", "#ff0000")
    assert data.n_rows == 10


def test_a_mark_before_the_first_row_is_no_part_of_it(tmp_path):
    data = read(tmp_path, "1.5,a\n2.5,b\n", written_in="utf-8-sig")
    assert data.values(0).tolist() == [1.5, 2.5]


def test_a_file_without_header_gets_names(tmp_path):
    data = read(tmp_path, PLAIN.partition("\n")[2])
    assert data.names == ("x0", "x1", "x2")
    assert data.n_rows == 3
    assert "--no-header" in data.notes[0]
    letters = "\n".join(["p,x,s", "e,x,y", "e,b,s"] * 5)
    assert read(tmp_path, letters).n_rows == 15
    assert read(tmp_path, letters, header=True).n_rows == 14
    assert read(tmp_path, "a,b\nc,d\n" * 2, header=False).n_rows == 4


def test_years_above_numbers_are_a_header(tmp_path):
    data = read(tmp_path, "land,1990,1991\nA,1.5,2.5\nB,2.5,3.5\n")
    assert data.names == ("land", "1990", "1991")


@pytest.mark.parametrize("row_names", ['"1"', '"a"'])
def test_row_names_without_heading_are_left_out(tmp_path, row_names):
    rows = "".join(f'"{row_names[1]}{i}" "f" {i / 2}\n' for i in range(30))
    data = read(tmp_path, '"sex" "age"\n' + rows)
    assert data.names == ("sex", "age")
    assert data.n_rows == 30


def test_a_delimiter_at_the_end_of_each_row_is_no_column(tmp_path):
    data = read(tmp_path, "a,b\n" + "1,x,\n2,y,\n" * 5)
    assert data.names == ("a", "b")
    assert data.left_out == {"Unnamed: 2": "it has neither a name nor a value"}
    assert data.notes == ()


def test_lines_longer_than_a_sample_are_read(tmp_path):
    names = [f"column_{i:06d}{'_' * 80}" for i in range(SAMPLE_BYTES // 80)]
    rows = [",".join(str((i + j) % 2) for i in range(len(names))) for j in range(3)]
    data = read(tmp_path, ",".join(names) + "\n" + "\n".join(rows) + "\n")
    assert data.names == tuple(names)
    assert data.n_rows == 3


def test_few_rows_of_another_length_are_left_out_with_a_word(tmp_path):
    rows = "".join(f"{i % 3},{i / 2}\n" for i in range(30))
    data = read(tmp_path, "a,b\n" + rows + "1\n")
    assert data.n_rows == 30
    assert "Left out 1 of 31 rows" in data.notes[0]
    with pytest.raises(UnreadableFileError, match="Expected 2 columns"):
        read(tmp_path, "a,b\n1,2\n3\n4\n5,6\n")


def test_line_ends_within_quotes_far_below_are_no_line_ends(tmp_path):
    rows = "".join(f"{i % 3},plain text\n" for i in range(40_000))
    data = read(tmp_path, "a,b\n" + rows + '1,"of two\nlines"\n')
    assert data.n_rows == 40_001
    assert data.categories(1) == ("of two\nlines", "plain text")


def test_latin_letters_far_below_are_found(tmp_path):
    rows = "".join(f"{i % 3},tea\n" for i in range(60_000))
    data = read(tmp_path, "a,b\n" + rows + "1,café\n", written_in="cp1252")
    assert data.categories(1) == ("café", "tea")
    assert "--encoding cp1252" in data.notes[0]
    with pytest.raises(UnreadableFileError, match="not UTF-8 text"):
        Dataset.of(tmp_path / "table.csv", encoding="utf-8")


@pytest.mark.parametrize("suffix", ["gz", "bz2", "xz", "zst", "zip"])
def test_compressed_files_hold_the_same_table(tmp_path, suffix):
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("table.csv", PLAIN)
    content = {
        "gz": gzip.compress(PLAIN.encode()),
        "bz2": bz2.compress(PLAIN.encode()),
        "xz": lzma.compress(PLAIN.encode()),
        "zst": pa.compress(PLAIN.encode(), "zstd", asbytes=True),
        "zip": zipped.getvalue(),
    }
    assert same(read(tmp_path, content[suffix], f"table.csv.{suffix}"))


def test_an_archive_of_several_files_is_refused(tmp_path):
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("a.csv", PLAIN)
        archive.writestr("b.csv", PLAIN)
    with pytest.raises(UnreadableFileError, match="holds 2 files; unpack it"):
        read(tmp_path, zipped.getvalue(), "tables.zip")


def test_what_is_told_is_not_guessed(tmp_path):
    text = "a;b\n1,5;-9\n2,5;3\n"
    assert read(tmp_path, text).values(0).tolist() == [1.5, 2.5]
    assert read(tmp_path, text, delimiter=";", decimal=".", thousands=",").n_rows == 2
    assert read(tmp_path, text, na=["-9"]).has_missing.tolist() == [False, True]
    assert read(tmp_path, "a\tb\n1,5\t2\n", delimiter="tab").names == ("a", "b")
    assert read(tmp_path, "a b\n1 2\n", delimiter=";").names == ("a b",)
    with pytest.raises(OptionError, match="single ASCII character, 'tab' or 'space', not '::'"):
        read(tmp_path, text, delimiter="::")
    with pytest.raises(OptionError, match="no encoding 'klingon'"):
        read(tmp_path, text, encoding="klingon")


@pytest.mark.parametrize(
    ("encoding", "guess"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8-sig"),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("utf-32", "utf-32"),
        ("latin-1", "cp1252"),
    ],
)
def test_encodings_are_recognised(encoding, guess):
    assert guess_encoding("né,è\n1,2\n".encode(encoding)) == guess
    assert guess_encoding(b"\x81\x8d\xff,\n") == "latin-1"


def test_a_character_cut_in_two_by_the_sample_is_no_mistake():
    sample = "a,b\n1,é".encode()[:-1]
    assert sniff(sample, {}, cut=True).encoding == "utf-8"
    assert sniff(sample, {}, cut=False).encoding == "cp1252"
