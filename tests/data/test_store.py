"""A table that is packed on disk is the table that would be read into memory."""

from __future__ import annotations

import pickle
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import csv, parquet

from eiderdown import Dataset
from eiderdown.data.blocks import CodeBlock, build_bit_planes
from eiderdown.data.notes import notes_about
from eiderdown.data.packing import pack
from eiderdown.data.packing.store import packed
from eiderdown.data.partitioned import PartitionedDataset
from eiderdown.data.partitions import Marginals
from eiderdown.errors import EiderdownError, InputError
from eiderdown.options import options_of
from eiderdown.shared_options import ReadOptions

N_ROWS = 700


def read_options(**given: Any) -> dict[str, Any]:
    return {name: option.default for name, option in options_of(ReadOptions).items()} | given


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pack, "MOST_ROWS", 128)
    monkeypatch.setattr("os.fsync", lambda _: None)  # hundreds of small files


def answer(read: Any) -> tuple[Any, EiderdownError | None]:
    try:
        return read(), None
    except EiderdownError as problem:
        return None, problem


def assert_same(stored: PartitionedDataset, whole: Dataset) -> None:
    assert isinstance(stored, PartitionedDataset)
    assert stored.names == whole.names
    assert stored.notes == whole.notes
    assert notes_about(stored.notes, whole.names[:1]) == notes_about(whole.notes, whole.names[:1])
    assert dict(stored.left_out) == dict(whole.left_out)
    assert stored.n_rows == whole.n_rows
    assert dict(stored.finer) == dict(whole.finer)
    np.testing.assert_array_equal(stored.has_missing, whole.has_missing)
    for i, name in enumerate(whole.names):
        assert stored.kind(i) is whole.kind(i), name
        assert [*map(repr, stored.categories(i))] == [*map(repr, whole.categories(i))], name
        if whole.is_discrete[i]:
            np.testing.assert_array_equal(stored.codes(i), whole.codes(i), name)
            assert stored.codes(i).dtype == whole.codes(i).dtype
        else:
            np.testing.assert_array_equal(stored.values(i), whole.values(i), name)
    assert [type(block) for block in stored.held] == [type(block) for block in whole.held]
    for block, other in zip(stored.held, whole.held, strict=True):
        np.testing.assert_array_equal(block.variables, other.variables)
    expected, known = Marginals.of(whole), stored.known
    for own, other in zip(known.counts, expected.counts, strict=True):
        np.testing.assert_array_equal(own, other)
    np.testing.assert_array_equal(known.least, expected.least)
    np.testing.assert_array_equal(known.greatest, expected.greatest)
    for same in stored.partitions.map(_planes_are_right, 2):
        assert same


def _planes_are_right(part: Dataset) -> bool:
    for number, block in enumerate(part.held):
        if isinstance(block, CodeBlock):
            assert number in part._planes
            stored, built = part.bit_planes(number), build_bit_planes(block)
            np.testing.assert_array_equal(stored.first, built.first)
            np.testing.assert_array_equal(stored.planes, built.planes)
    return True


# --- tables --------------------------------------------------------------------------------------


def some(
    rng: np.random.Generator, values: Any, share_missing: float = 0.0, n: int = N_ROWS
) -> list:
    cells = [values[i] for i in rng.integers(0, len(values), n)]
    missing = rng.random(n) < share_missing
    return [None if no else cell for no, cell in zip(missing, cells, strict=True)]


def _late(rng: np.random.Generator, cells: list, value: Any) -> list:
    cells = list(cells)
    cells[int(rng.integers(len(cells) // 2, len(cells)))] = value
    return cells


def columns(seed: int) -> dict[str, pa.Array]:
    """Return columns of every kind, some with surprises near the end."""
    rng = np.random.default_rng(seed)
    gap = float(rng.choice([0.0, 0.0, 0.05, 0.9]))
    n, words = N_ROWS, ["b", "a", "", " c", "c", "NA", "?", "-"]
    stamps = np.datetime64("2020-01-01", "us") + rng.integers(0, 400, n) * np.timedelta64(1, "h")
    first = int(rng.choice([0, 1, 5]))
    found: dict[str, pa.Array] = {
        "bytes": pa.array(some(rng, [0, 1, 2], gap), pa.int8()),
        "ints": pa.array(some(rng, [-3, 7, 4_000_000], gap), pa.int64()),
        "late": pa.array(_late(rng, some(rng, [3, 4], gap), 1), pa.int32()),
        "late missing": pa.array(_late(rng, some(rng, [3, 4]), None), pa.int32()),
        "wide": pa.array(some(rng, range(0, 90_000, 7), gap), pa.uint32()),
        "twenty": pa.array(some(rng, range(20), gap), pa.uint8()),
        "grows": pa.array([i // 30 for i in range(n)], pa.int16()),
        "id": pa.array(rng.permutation(n) * 3 + 10**6),
        "rows": pa.array(np.arange(first, first + n)),
        "large": pa.array(some(rng, [2**60, 2**60 + 1], gap)),
        "truth": pa.array(some(rng, [True, False], gap)),
        "floats": pa.array(some(rng, rng.normal(size=300).tolist(), gap)),
        "single": pa.array(some(rng, [0.5, 1.5], gap), pa.float32()),
        "whole": pa.array(some(rng, [0.0, 1.0, 2.0], gap)),
        "classes": pa.array(some(rng, [0.0, 1.0])),
        "late half": pa.array(_late(rng, some(rng, [0.0, 1.0, 5.0], gap), 0.5)),
        "many whole": pa.array(some(rng, [float(x) for x in range(60)])),
        "late many": pa.array([1.0] * 400 + [float(x) for x in range(n - 400)]),
        "infinite": pa.array(_late(rng, some(rng, rng.normal(size=9).tolist()), float("inf"))),
        "texts": pa.array(some(rng, words, gap)),
        "late text": pa.array(_late(rng, some(rng, ["x", "z"], gap), "a")),
        "numerals": pa.array(some(rng, [f"{x / 7:.3f} %" for x in range(50)], gap)),
        "odd numerals": pa.array(_late(rng, some(rng, [f"{x}" for x in range(50)]), "many")),
        "names": pa.array([f"n{i}" for i in rng.permutation(n)]),
        "half names": pa.array(some(rng, [f"n{i}" for i in range(n // 4)], gap)),
        "dates": pa.array(stamps),
        "days": pa.array(stamps.astype("datetime64[D]")),
        "written": pa.array(some(rng, ["2020-01-31", "2021-12-01", "1999-07-04"], gap)),
        "nothing": pa.nulls(n),
        "no texts": pa.nulls(n, pa.string()),
        "no numbers": pa.nulls(n, pa.float64()),
        "declared": pa.DictionaryArray.from_arrays(
            pa.array(some(rng, [2, 0], gap), pa.int8()), ["u", "never", "t"]
        ),
        "ordered": pa.DictionaryArray.from_arrays(
            pa.array(some(rng, [1, 0], gap), pa.int16()), [10, 5], ordered=True
        ),
        "constant": pa.array([1] * n),
        "lasting": pa.array(rng.integers(0, 900, n), pa.duration("s")),
        "price": pa.array(some(rng, [1.5, 2.25], gap), pa.float64()).cast(pa.decimal128(8, 2)),
    }
    return found


CHOICES = (
    {},
    {"dates": "parts"},
    {"kinds": {"ints": "number", "floats": "category", "dates": "category", "id": "number"}},
    {"kinds": {"texts": "category", "numerals": "category", "rows": "count", "truth": "number"}},
    {"exclude": ("texts", "id")},
    {"na": ("x", "b")},
)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    seed=st.integers(0, 2**32 - 1),
    chosen=st.lists(st.sampled_from(sorted(columns(0))), min_size=1, max_size=12, unique=True),
    choice=st.sampled_from(CHOICES),
    group=st.sampled_from([64, 150, 1000]),
)
def test_packed_parquet_is_what_is_read_into_memory(tmp_path_factory, seed, chosen, choice, group):
    folder = tmp_path_factory.mktemp("table")
    all_columns = columns(seed)
    names = [*dict.fromkeys([*chosen, *(choice.get("kinds") or {}), *choice.get("exclude", ())])]
    table = pa.table({name: all_columns[name] for name in names})
    path = folder / "table.parquet"
    parquet.write_table(table, path, row_group_size=group)
    options = read_options(**choice)
    whole, problem = answer(lambda: Dataset.of(path, **choice))
    stored, other = answer(lambda: packed(path, options, where=folder / "stores"))
    assert str(problem) == str(other)
    if whole is not None:
        assert_same(stored, whole)


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    seed=st.integers(0, 2**32 - 1),
    chosen=st.lists(st.sampled_from(sorted(columns(0))), min_size=1, max_size=8, unique=True),
    cuts=st.lists(st.integers(1, N_ROWS - 1), max_size=3, unique=True),
)
def test_packed_text_files_are_what_one_file_is(tmp_path_factory, seed, chosen, cuts):
    folder = tmp_path_factory.mktemp("table")
    table = pa.table({name: _written(columns(seed)[name]) for name in [*chosen, "classes"]})
    csv.write_csv(table, folder / "whole.csv")
    (folder / "parts").mkdir()
    for i, (start, stop) in enumerate(pairwise([0, *sorted(cuts), N_ROWS])):
        csv.write_csv(table.slice(start, stop - start), folder / "parts" / f"{i}.csv")
    whole, problem = answer(lambda: Dataset.of(folder / "whole.csv"))
    for source in (folder / "whole.csv", folder / "parts"):
        stored, other = answer(lambda s=source: packed(s, read_options(), where=folder / "stores"))
        assert str(problem) == str(other)
        if whole is not None:
            assert_same(stored, whole)


def _written(column: pa.Array) -> pa.Array:
    if pa.types.is_dictionary(column.type):
        return column.dictionary_decode()
    return column.cast(pa.int64()) if pa.types.is_duration(column.type) else column


# --- where tables are ----------------------------------------------------------------------------


def small_table(n: int = 300) -> pa.Table:
    rng = np.random.default_rng(1)
    return pa.table(
        {
            "y": rng.integers(0, 3, n),
            "word": np.array(["no", "yes"])[rng.integers(0, 2, n)],
            "x": rng.normal(size=n),
        }
    )


@pytest.fixture
def hive(tmp_path: Path) -> Path:
    table = small_table()
    for year in (2020, 2021):
        for name in ("a", "b"):
            folder = tmp_path / "hive" / f"year={year}" / f"half={name}"
            folder.mkdir(parents=True)
            at = (year - 2020) * 150 + (name == "b") * 75
            parquet.write_table(table.slice(at, 75), folder / "0.parquet", row_group_size=20)
    (tmp_path / "hive" / "_SUCCESS").touch()
    return tmp_path / "hive"


def test_folders_of_hive_are_columns_in_memory_and_packed(hive, tmp_path):
    whole = Dataset.of(hive)
    assert whole.names == ("y", "word", "x", "year", "half")
    assert whole.categories(3) == (2020, 2021)
    assert whole.categories(4) == ("a", "b")
    assert_same(packed(hive, read_options(), where=tmp_path / "stores"), whole)


def test_globs_lists_and_addresses_name_the_same_rows(hive, tmp_path):
    paths = sorted(hive.rglob("*.parquet"))
    whole = Dataset.of(hive)
    for source in (str(hive / "**" / "*.parquet"), paths, [*map(str, paths)], hive.as_uri()):
        assert Dataset.of(source).fingerprint == whole.fingerprint
        assert_same(packed(source, read_options(), where=tmp_path / "stores"), whole)


def test_only_wanted_columns_are_packed(hive, tmp_path):
    choice = {"columns": ("half", "y", "x"), "exclude": ("x",)}
    stored = packed(hive, read_options(**choice), where=tmp_path)
    assert_same(stored, Dataset.of(hive, **choice))
    assert stored.names == ("half", "y")


def test_files_that_differ_are_named(hive, tmp_path):
    other = small_table().rename_columns(["y", "word", "z"])
    parquet.write_table(other, hive / "year=2021" / "half=b" / "1.parquet")
    with pytest.raises(InputError, match=r"columns of '.*1\.parquet' differ .* 'z'"):
        packed(hive, read_options(), where=tmp_path)
    for name, text in (("1.csv", "a,b\n1,2\n"), ("2.csv", "a,c\n1,2\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"columns of '.*2\.csv' differ .* it has 'c'"):
        Dataset.of(str(tmp_path / "*.csv"))


def test_a_table_that_takes_more_than_memory_is_packed(tmp_path):
    path = tmp_path / "table.parquet"
    parquet.write_table(small_table(3000), path)
    stored = Dataset.of(path, memory="30kB", store=tmp_path / "stores")
    assert isinstance(stored, PartitionedDataset)
    assert stored.origin.path == str(path)
    assert stored.partitions.budget == 30 * 1024
    assert not isinstance(Dataset.of(path, memory="2GB"), PartitionedDataset)
    assert_same(stored, Dataset.of(path))


def test_results_of_work_come_in_the_order_of_the_rows(tmp_path):
    path = tmp_path / "table.parquet"
    parquet.write_table(small_table(3000), path)
    whole = Dataset.of(path)
    stored = packed(path, read_options(), where=tmp_path / "stores")
    for n_jobs in (None, 1, 2, 5):
        found = np.concatenate(list(stored.partitions.map(_x, n_jobs)))
        np.testing.assert_array_equal(found, whole.values(2))


def _x(part: Dataset) -> Any:
    return part.values(2).copy()


def test_a_part_is_opened_by_whoever_is_told_its_path(tmp_path):
    path = tmp_path / "table.parquet"
    parquet.write_table(small_table(), path)
    stored = packed(path, read_options(), where=tmp_path / "stores")
    code = (
        "import pickle, sys; part = pickle.loads(bytes.fromhex(sys.argv[1]));\n"
        "with part.opened() as data: print(data.n_rows, data.names)"
    )
    sent = pickle.dumps(stored.partitions.parts[1]).hex()
    told = subprocess.run(
        [sys.executable, "-c", code, sent], capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() == "128 ('y', 'word', 'x')"


# --- many different texts ------------------------------------------------------------------------


def test_more_texts_than_are_kept_are_identifiers_or_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("eiderdown.data.packing.seen.MOST_TEXTS", 300)
    path = tmp_path / "table.parquet"
    table = small_table(1000).append_column("name", pa.array([f"n{i}" for i in range(1000)]))
    parquet.write_table(table, path)
    assert_same(packed(path, read_options(), where=tmp_path / "stores"), Dataset.of(path))
    texts = [f"n{i % 400}" for i in range(1000)]
    parquet.write_table(table.set_column(3, "name", pa.array(texts)), path)
    with pytest.raises(EiderdownError, match=r"Column 'name' has more than .* different texts"):
        packed(path, read_options(), where=tmp_path / "stores")
