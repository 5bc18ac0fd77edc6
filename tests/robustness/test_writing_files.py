"""Files are there whole or as they were before: full disks, killed programs, two at a time."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from file_formats import OLD_RESULTS
from typer.testing import CliRunner

from eiderdown import export, networks
from eiderdown.cli import app
from eiderdown.errors import EiderdownError, UnwritableFileError
from eiderdown.files import read_text, replacing, write_text
from eiderdown.graphs import DAG
from eiderdown.report.plots import plot_multiplicity
from eiderdown.results import load_result

FULL = OSError(28, "No space left on device")


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_replaced_whole(tmp_path):
    path = tmp_path / "note.txt"
    write_text("first", path)
    write_text("sécond", path)
    assert read_text(path) == "sécond"
    assert names_in(tmp_path) == ["note.txt"]


@pytest.mark.parametrize("where", ["write", "flush", "sync", "rename", "interrupt"])
def test_whatever_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, where):
    path = tmp_path / "note.txt"
    write_text("old", path)

    def fail(*_):
        raise FULL

    if where == "sync":
        monkeypatch.setattr("eiderdown.files.os.fsync", fail)
    if where == "rename":
        monkeypatch.setattr(Path, "replace", fail)
    raised = {"write": FULL, "flush": FULL, "interrupt": KeyboardInterrupt()}.get(where)

    def write():
        with replacing(path) as file:
            file.write(b"half of what")
            if where == "flush":
                file.flush()
            if raised is not None:
                raise raised

    expected = KeyboardInterrupt if where == "interrupt" else UnwritableFileError
    with pytest.raises(expected) as told:
        write()
    assert where == "interrupt" or "note.txt' (No space left on device)" in str(told.value)
    assert path.read_text() == "old"
    assert names_in(tmp_path) == ["note.txt"]


def test_an_error_of_ours_is_an_oserror_and_an_eiderdown_error(tmp_path):
    with pytest.raises(UnwritableFileError) as told:
        write_text("x", tmp_path / "nowhere" / "x.txt")
    assert isinstance(told.value, OSError)
    assert isinstance(told.value, EiderdownError)
    assert told.value.errno == 2
    assert str(told.value).endswith("(No such file or directory); choose another place.")


def test_permissions_stay_and_new_files_get_those_of_the_user(tmp_path):
    kept, new = tmp_path / "kept", tmp_path / "new"
    kept.write_text("old")
    kept.chmod(0o640)
    write_text("x", kept)
    write_text("x", new)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o640
    (tmp_path / "plain").touch()
    assert stat.S_IMODE(new.stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)


def test_links_are_followed(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there" / "note.txt")
    write_text("through", tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert names_in(tmp_path / "there") == ["note.txt"]


def test_pipes_are_written_into(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE)
    write_text("through", pipe)
    assert reader.communicate(timeout=20)[0] == b"through"
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_long_names_are_possible_as_long_as_the_system_has_them(tmp_path):
    write_text("x", tmp_path / ("é" * 127))
    assert names_in(tmp_path) == ["é" * 127]
    with pytest.raises(UnwritableFileError, match="too long"):
        write_text("x", tmp_path / ("x" * 256))
    with pytest.raises(UnwritableFileError, match="null"):
        write_text("x", tmp_path / "a\0b")
    with pytest.raises(UnwritableFileError, match="folder"):
        write_text("x", tmp_path)


def test_half_a_character_is_refused_in_a_sentence(tmp_path):
    with pytest.raises(UnwritableFileError, match=r"holds '\\ud800'"):
        export.write_graph(DAG(["a\ud800", "b"], []), tmp_path / "g.dot")
    assert names_in(tmp_path) == []


@pytest.mark.parametrize(
    "write",
    [
        lambda path: load_result(OLD_RESULTS / "boundary.json").save(path),
        lambda path: export.write_graph(networks.load("asia").dag, path, form="graphml"),
        lambda path: networks.write_bif(networks.load("asia"), path),
        lambda path: plot_multiplicity(load_result(OLD_RESULTS / "boundaries.json"), path),
    ],
    ids=["result", "graph", "bif", "picture"],
)
def test_everything_goes_through_the_one_writer(tmp_path, monkeypatch, write):
    path = tmp_path / "file.png"
    path.write_text("old")

    def fail(*_):
        raise FULL

    monkeypatch.setattr("eiderdown.files.os.fsync", fail)
    with pytest.raises(UnwritableFileError):
        write(path)
    assert path.read_text() == "old"
    assert names_in(tmp_path) == ["file.png"]
    monkeypatch.undo()
    write(path)
    assert path.read_bytes() != b"old"
    assert names_in(tmp_path) == ["file.png"]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_sample_that_does_not_fit_is_not_there(tmp_path, monkeypatch, suffix):
    def fail(*_):
        raise FULL

    monkeypatch.setattr("eiderdown.files.os.fsync", fail)
    path = tmp_path / f"t.{suffix}"
    said = CliRunner().invoke(app, ["sample", "asia", "--out", str(path), "--rows", "20"])
    assert said.exit_code == 2
    assert "No space left on device" in said.stderr
    assert names_in(tmp_path) == []


def test_a_folder_that_is_read_only_is_refused_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setattr("eiderdown.cli.commands.os.access", lambda *_: False)
    words = ["sample", "asia", "--out", str(tmp_path / "t.csv")]
    said = CliRunner().invoke(app, words)
    assert said.exit_code == 2
    assert "Nothing may be written into the folder" in said.stderr
    assert CliRunner().invoke(app, [*words[:3], "/dev/null"]).exit_code == 2  # it has no suffix


WRITER = """
import sys
from eiderdown.results import load_result
results = [load_result(path) for path in sys.argv[2:]]
print("ready", flush=True)
while True:
    for result in results:
        result.save(sys.argv[1])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")
def test_two_that_write_one_file_and_are_killed_leave_a_whole_one(tmp_path):
    path = tmp_path / "r.json"
    names = ["boundary", "all", "network"]
    wanted = {(OLD_RESULTS / f"{name}.json").read_bytes() for name in names}
    words = [sys.executable, "-c", WRITER, str(path)]
    words += [str(OLD_RESULTS / f"{name}.json") for name in names]
    writers = [subprocess.Popen(words, stdout=subprocess.PIPE) for _ in range(2)]
    try:
        for writer in writers:
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"ready\n"
        end = time.monotonic() + 1.0
        seen = set()
        while time.monotonic() < end:
            if path.exists():
                seen.add(path.read_bytes())
    finally:
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
            writer.communicate()
    assert seen <= wanted
    assert path.read_bytes() in wanted
    load_result(path)


SAVE = """
import resource, sys
from eiderdown.results import load_result
from eiderdown.errors import UnwritableFileError
result = load_result(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    result.save(sys.argv[2])
except UnwritableFileError as problem:
    print(problem)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no such limits there")
def test_a_disk_that_is_full_leaves_the_old_result(tmp_path):
    path = tmp_path / "r.json"
    old = (OLD_RESULTS / "boundary.json").read_bytes()
    path.write_bytes(old)
    words = [sys.executable, "-c", SAVE, str(OLD_RESULTS / "all.json"), str(path)]
    said = subprocess.run(words, capture_output=True, text=True, check=True)
    assert "r.json' (File too large); choose another place." in said.stdout
    assert path.read_bytes() == old
    assert names_in(tmp_path) == ["r.json"]
    assert json.loads(old)["version"] == 1
