"""Stores on disk: used again, packed anew, gone on from, and never half."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import eiderdown
from eiderdown import Dataset
from eiderdown.data.packing import pack, part_files
from eiderdown.data.packing.store import Store, packed
from eiderdown.data.packing.stores import remove_stores, stores
from eiderdown.errors import UnreadableFileError, UnwritableFileError
from eiderdown.options import options_of
from eiderdown.progress import Cancelled, Trace
from eiderdown.shared_options import ReadOptions

OPTIONS = {name: option.default for name, option in options_of(ReadOptions).items()}
N_ROWS = 1000


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(pack, "MOST_ROWS", 100)
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "table.parquet"
    write_source(path)
    return path


def write_source(path: Path, seed: int = 0) -> None:
    rng = np.random.default_rng(seed)
    late = rng.integers(2, 5, N_ROWS)
    late[-1] = 1  # so that every part is written again
    words = np.array(["no", "yes", "maybe"])[rng.integers(0, 3, N_ROWS)]
    table = pa.table({"late": late, "word": words, "x": rng.normal(size=N_ROWS)})
    parquet.write_table(table, path, row_group_size=70)


class StopsAfter(Trace):
    """Is cancelled when so many rows have been read."""

    def __init__(self, n_rows: int) -> None:
        super().__init__()
        self._n_rows, self.first = n_rows, None

    def progressed(self, phase: str, n: int) -> None:
        if phase.startswith("packing"):
            self.first = n if self.first is None else self.first
            if n >= self._n_rows:
                raise Cancelled


def same(left: Dataset, right: Dataset) -> bool:
    return left.in_memory().fingerprint == right.fingerprint and left.notes == right.notes


def test_a_store_is_used_again(source, tmp_path, monkeypatch):
    first = packed(source, OPTIONS, where=tmp_path / "stores")
    monkeypatch.setattr(pack.Packer, "pack", None)
    again = packed(source, OPTIONS, where=tmp_path / "stores")
    assert same(again, Dataset.of(source))
    assert again.fingerprint == first.fingerprint


def test_a_changed_source_is_packed_anew_and_the_old_store_goes(source, tmp_path):
    first = packed(source, OPTIONS, where=tmp_path / "stores")
    write_source(source, seed=1)
    again = packed(source, OPTIONS, where=tmp_path / "stores")
    assert same(again, Dataset.of(source))
    assert again.fingerprint != first.fingerprint
    assert len(stores(tmp_path / "stores")) == 1


def test_other_ways_of_reading_have_stores_of_their_own(source, tmp_path):
    packed(source, OPTIONS, where=tmp_path / "stores")
    packed(source, {**OPTIONS, "exclude": ("x",)}, where=tmp_path / "stores")
    assert sorted(entry.n_columns for entry in stores(tmp_path / "stores")) == [2, 3]


@pytest.mark.parametrize(("n_rows", "n_packed"), [(150, 200), (555, 500), (900, 900)])
def test_packing_goes_on_where_it_was_cancelled(source, tmp_path, n_rows, n_packed):
    stopping = StopsAfter(n_rows)
    with pytest.raises(Cancelled):
        packed(source, OPTIONS, where=tmp_path / "stores", trace=stopping)
    assert stores(tmp_path / "stores") == ()
    going_on = StopsAfter(10**9)
    stored = packed(source, OPTIONS, where=tmp_path / "stores", trace=going_on)
    assert going_on.first == n_packed
    assert same(stored, Dataset.of(source))


def test_what_was_begun_for_other_rows_is_not_gone_on_with(source, tmp_path):
    with pytest.raises(Cancelled):
        packed(source, OPTIONS, where=tmp_path / "stores", trace=StopsAfter(500))
    write_source(source, seed=1)
    begins = StopsAfter(10**9)
    stored = packed(source, OPTIONS, where=tmp_path / "stores", trace=begins)
    assert begins.first == 0
    assert same(stored, Dataset.of(source))


_KILLED = """
import os, sys
from pathlib import Path
from eiderdown.data.packing import pack
from eiderdown.data.packing.store import packed
from eiderdown.options import options_of
from eiderdown.progress import Trace
from eiderdown.shared_options import ReadOptions

class Slow(Trace):
    def progressed(self, phase, n):
        if n >= 400:
            print("here", flush=True)
            import time
            time.sleep(60)

pack.MOST_ROWS, pack._PAUSE = 100, 0.0
options = {name: option.default for name, option in options_of(ReadOptions).items()}
packed(Path(sys.argv[1]), options, where=Path(sys.argv[2]), trace=Slow())
"""


def test_a_killed_process_leaves_no_half_store_and_no_lock_that_holds(source, tmp_path):
    place = tmp_path / "stores"
    process = subprocess.Popen(
        [sys.executable, "-c", _KILLED, str(source), str(place)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline().strip() == "here"
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert stores(place) == ()
    assert list(place.glob("*.lock"))
    going_on = StopsAfter(10**9)
    stored = packed(source, OPTIONS, where=place, trace=going_on)
    assert going_on.first >= 100
    assert same(stored, Dataset.of(source))
    assert not list(place.glob("*.lock"))


def test_a_second_process_waits_for_the_first_and_uses_its_store(source, tmp_path):
    code = _KILLED.replace("time.sleep(60)", "time.sleep(0.2)")
    place = tmp_path / "stores"
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(source), str(place)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline().strip() == "here"
    listening = StopsAfter(10**9)
    stored = packed(source, OPTIONS, where=place, trace=listening)
    assert listening.first is None
    process.communicate()
    assert process.returncode == 0
    assert same(stored, Dataset.of(source))


@pytest.mark.parametrize("name", ["table.json", "000003.json", "000003.cells"])
@pytest.mark.parametrize("how", ["cut", "gone"])
def test_a_damaged_store_is_packed_anew(source, tmp_path, name, how):
    stored = packed(source, OPTIONS, where=tmp_path / "stores")
    path = Path(stored.partitions.parts[0].folder) / name
    if how == "cut":
        path.write_bytes(path.read_bytes()[:50])
    else:
        path.unlink()
    assert same(packed(source, OPTIONS, where=tmp_path / "stores"), Dataset.of(source))


def test_a_store_that_is_damaged_while_it_is_used_says_so(source, tmp_path):
    stored = packed(source, OPTIONS, where=tmp_path / "stores")
    (Path(stored.partitions.parts[0].folder) / "000003.cells").unlink()
    with pytest.raises(UnreadableFileError, match=r"is damaged; remove it .* and read the table"):
        stored.values(2)


def test_a_full_disk_is_said_in_one_sentence(source, tmp_path, monkeypatch):
    def full(*_):
        raise UnwritableFileError("Cannot write '000000.cells' (No space left on device); choose.")

    monkeypatch.setattr(part_files, "replacing", full)
    with pytest.raises(UnwritableFileError, match="No space left"):
        packed(source, OPTIONS, where=tmp_path / "stores")
    assert stores(tmp_path / "stores") == ()


def test_stores_are_listed_and_removed(source, tmp_path, monkeypatch):
    place = tmp_path / "stores"
    monkeypatch.setenv("EIDERDOWN_STORE", str(place))
    packed(source, OPTIONS)
    (entry,) = eiderdown.stores()
    assert (entry.source, entry.n_rows, entry.n_columns) == (str(source), N_ROWS, 3)
    assert entry.n_bytes > N_ROWS * 10
    assert abs(entry.packed_at - time.time()) < 600
    assert remove_stores("another.parquet") == 0
    assert eiderdown.remove_stores(source) == 1
    assert stores() == ()
    packed(source, OPTIONS)
    (place / "mine").mkdir()
    assert remove_stores("all") == 1
    assert [path.name for path in place.iterdir()] == ["mine"]


def test_parts_let_go_of_their_pages(source, tmp_path):
    stored = packed(source, OPTIONS, where=tmp_path / "stores")
    store = Store.of(stored.partitions.parts[0].folder)
    assert store.n_parts == len(stored.partitions.parts) == 10
    part = stored.partitions.parts[0]
    with part.opened() as data:
        total = float(data.values(2).sum())
    assert total == pytest.approx(Dataset.of(source).values(2)[:100].sum())


def test_texts_of_several_files_declare_no_categories(tmp_path):
    """They are sorted, and columns of names are left out, as in one file."""
    table = pa.table(
        {"size": ["b", "a"] * 20, "name": [f"n{i}" for i in range(40)], "x": [1, 2] * 20}
    )
    parquet.write_table(table.slice(0, 20), tmp_path / "1.parquet")
    parquet.write_table(table.slice(20), tmp_path / "2.parquet")
    several, whole = Dataset.of(tmp_path), Dataset.of(table)
    assert several.categories(0) == ("a", "b")
    assert several.left_out == whole.left_out
    assert several.fingerprint == whole.fingerprint
