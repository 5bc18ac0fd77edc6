"""Bad data, by every verb that reads a file: one sentence, exit code 2, and no half of a file."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import run

from eiderdown import memory
from eiderdown.cli.app import VERBS
from eiderdown.options import options_of

QUICK = {
    "boundaries": ("--runs", "2"),
    "interactions": ("--degree", "1", "--C", "1", "--folds", "0"),
    "compare": ("--selectors", "none", "--folds", "2", "--degrees", "1", "--Cs", "1"),
    "causes": ("--resamples", "2"),
    "check": ("--member", "b"),
    "skeleton": ("--to", "edges.arrow"),
    "stability": ("--resamples", "2"),
    "confidence": ("--runs", "2"),
}
ABOUT_ALL = ("all", "network", "skeleton", "stability", "confidence")
"""Verbs that are not about one column, and do without one that says nothing."""

COLUMNS = {"test": ("a", "y"), **dict.fromkeys(ABOUT_ALL, ())}
"""What stands behind the file, where it is not the target."""

N_ROWS = 120


def table(**changed) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    a = rng.integers(0, 3, N_ROWS)
    y = np.where((a > 1) ^ (rng.random(N_ROWS) < 0.1), "yes", "no")
    frame = pd.DataFrame({"a": a, "b": rng.integers(0, 2, N_ROWS), "y": y})
    return frame.assign(**changed)


def csv(frame) -> bytes:
    return frame.to_csv(index=False).encode()


def cut_parquet() -> bytes:
    whole = table().to_parquet(index=False)
    return whole[: len(whole) // 2]


def asked(verb, path, folder):
    """Ask a verb, with every file that it may write; return the answer and what was written."""
    before = set(folder.rglob("*"))
    out = folder / "out"
    out.mkdir(exist_ok=True)
    written = {"out": "r.json", "export": "g.dot", "plot": "p.png", "report": "r.html"}
    known = options_of(verb.extras)
    files = [w for name, f in written.items() if name in known for w in (f"--{name}", out / f)]
    if verb.name == "skeleton":
        files += ["--to", out / f"{Path(path).name}.arrow"]
    new_rows = (folder / "new_rows.csv",) if verb.name == "predict" else ()
    columns = COLUMNS.get(verb.name, ("y",))
    answer = run(verb.name, path, *new_rows, *columns, *QUICK.get(verb.name, ()), *files, "--quiet")
    return answer, [found for found in set(folder.rglob("*")) - before if found.is_file()]


def refused(verb, path, folder, sentence):
    answer, written = asked(verb, path, folder)
    assert answer.exit_code == 2, answer.output
    assert answer.stdout == ""
    last = answer.stderr.splitlines()[-1]
    assert last.startswith("error: ")
    assert last.endswith(".")
    assert sentence in last
    assert all(line.startswith(("error: ", "warning: ")) for line in answer.stderr.splitlines())
    assert written == []


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "new_rows.csv").write_bytes(csv(table().drop(columns="y").head(5)))
    return tmp_path


every_verb = pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)

FILES = {
    "empty.csv": (b"", "The file 'empty.csv' is empty; give a file with a table."),
    "blank.csv": (b"\n\n\n", "The table has no columns"),
    "header.csv": (b"a,b,y\n", "The table has no rows"),
    "noise.csv": (bytes(range(256)) * 20, "cannot be read as CSV: it is not text"),
    "cut.parquet": (cut_parquet, "cannot be read as Parquet: "),
    "letters.parquet": (b"a,b,y\n1,2,3\n", "cannot be read as Parquet: "),
    "broken.csv.gz": (b"a,b,y\n1,2,3\n", "cannot be read as gzip-compressed"),
    "cut.xlsx": (b"PK\x03\x04 and nothing more", "cannot be read as Excel: "),
}


@every_verb
@pytest.mark.parametrize("name", FILES)
def test_a_file_without_a_table(verb, name, folder):
    content, sentence = FILES[name]
    (folder / name).write_bytes(content() if callable(content) else content)
    refused(verb, name, folder, sentence)


@every_verb
def test_no_file_a_folder_and_a_pipe_that_nobody_writes_into(verb, folder):
    refused(verb, "none.csv", folder, "There is no file 'none.csv'; check the path.")
    (folder / "empty").mkdir()
    refused(verb, "empty", folder, "'empty' is a directory without Parquet, Arrow or text files;")
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "pipe.csv")
        refused(verb, "pipe.csv", folder, "is a pipe or a device, which cannot be read twice")


def forbid(monkeypatch, method, name):
    """Let the system refuse what it would refuse anybody but root, who runs tests in containers."""
    real = getattr(Path, method)

    def refusing(path, *args, **kwargs):
        if path.name == name:
            raise PermissionError(13, "Permission denied")
        return real(path, *args, **kwargs)

    monkeypatch.setattr(Path, method, refusing)


@every_verb
@pytest.mark.parametrize("method", ["stat", "open"])
def test_a_folder_or_a_file_that_may_not_be_read(verb, method, folder, monkeypatch):
    (folder / "secret.csv").write_bytes(csv(table()))
    with monkeypatch.context() as system:
        forbid(system, method, "secret.csv")
        answer = run(verb.name, "secret.csv", *("new_rows.csv",) * (verb.name == "predict"),
                     *COLUMNS.get(verb.name, ("y",)), "--out", "r.json")  # fmt: skip
    assert (answer.exit_code, answer.stdout) == (2, "")
    assert answer.stderr == (
        "error: Cannot read 'secret.csv' (Permission denied); check the path.\n"
    )
    assert not (folder / "r.json").exists()


@every_verb
def test_a_target_that_is_not_there_is_constant_or_has_no_value(verb, folder):
    tables = {
        "absent.csv": (table().drop(columns="y"), "The table has no column 'y'; it has 'a', 'b'."),
        "constant.csv": (table(y=1), "Target 'y' has a single value in all 120 rows"),
        "missing.csv": (table(y=np.nan), "Target 'y' has no value in any row"),
    }
    for name, (frame, sentence) in tables.items():
        (folder / name).write_bytes(csv(frame))
        if verb.name not in ABOUT_ALL:
            by_class = name == "constant.csv" and verb.name == "predict"
            refused(verb, name, folder, "the same class of 'y'" if by_class else sentence)
        else:
            answer, _ = asked(verb, name, folder)
            assert answer.exit_code == 0, answer.stderr
            assert name == "absent.csv" or "'y'." in answer.stderr  # what became of the column


@every_verb
def test_a_text_column_of_ten_thousand_values(verb, folder):
    """As target it is refused in a sentence, or answered; beside others it is no obstacle."""
    rng, n = np.random.default_rng(0), 20_000
    names = [f"v{i % 10_000}" for i in range(n)]
    frame = pd.DataFrame({"a": rng.integers(0, 3, n), "b": rng.integers(0, 2, n), "y": names})
    (folder / "texts.csv").write_bytes(csv(frame.head(11_000)))
    answer, written = asked(verb, "texts.csv", folder)
    lines = answer.stderr.splitlines()
    assert all(line.startswith(("error: ", "warning: ")) for line in lines)
    if answer.exit_code != 0:
        assert answer.exit_code == 2
        assert [line[:6] for line in lines].count("error:") == 1
        assert written == []


@every_verb
def test_two_columns_of_one_name_are_told_apart_and_that_is_said(verb, folder):
    (folder / "twice.csv").write_bytes(csv(table()).replace(b"a,b,y", b"b,b,y"))
    columns = {**COLUMNS, "test": ("b", "b.1")}.get(verb.name, ("y",))
    new_rows = ("new_rows.csv",) if verb.name == "predict" else ()
    (folder / "new_rows.csv").write_bytes(b"b,b\n0,1\n1,0\n")
    answer = run(verb.name, "twice.csv", *new_rows, *columns, *QUICK.get(verb.name, ()), "--quiet")
    assert answer.exit_code == 0, answer.stderr
    assert "Renamed, because the name was taken: 'b.1'" in answer.stderr


@every_verb
def test_a_file_that_does_not_fit_into_memory(verb, folder, monkeypatch):
    """2 GB that take no place on the disk; what is free is lowered."""
    monkeypatch.setattr(memory, "free_memory", lambda: 2**30)
    path = folder / "large.csv"
    path.write_bytes(csv(table()) * 400)
    os.truncate(path, 2**31)
    # It is not refused for its size, but packed in batches, which finds a line without an end.
    refused(verb, "large.csv", folder, "large.csv' cannot be read as CSV")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="sets RLIMIT_AS")
def test_two_gigabytes_of_numbers_end_in_an_answer_or_a_sentence(tmp_path):
    import resource
    import subprocess

    path, block = tmp_path / "large.csv", csv(table(b=0.123456789012345)).split(b"\n", 1)[1]
    with path.open("wb") as file:
        file.write(b"a,b,y\n")
        while file.tell() < 2**31:
            file.write(block * 1_000)

    def limited():
        resource.setrlimit(resource.RLIMIT_AS, (8 * 2**30, 8 * 2**30))

    done = subprocess.run(
        [sys.executable, "-m", "eiderdown", "find", path, "y", "--out", tmp_path / "r.json"],
        capture_output=True, text=True, check=False, preexec_fn=limited,
    )  # fmt: skip
    assert done.returncode in (0, 2), done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / "r.json").exists() == (done.returncode == 0)
