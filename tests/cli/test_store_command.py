"""The command that lists and removes packed tables, and --memory of the others."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from typer.testing import CliRunner

from eiderdown.cli.app import app


@pytest.fixture
def parts(tmp_path, monkeypatch):
    monkeypatch.setenv("EIDERDOWN_STORE", str(tmp_path / "stores"))
    rng = np.random.default_rng(0)
    folder = tmp_path / "parts"
    folder.mkdir()
    for i in range(2):
        x = rng.integers(0, 2, 2000)
        table = pa.table({"x": x, "y": x ^ (rng.random(2000) < 0.1), "z": rng.integers(0, 3, 2000)})
        parquet.write_table(table, folder / f"{i}.parquet")
    return folder


def run(*words):
    answer = CliRunner().invoke(app, [str(word) for word in words])
    assert answer.exit_code == 0, answer.output
    return answer.stdout


def test_a_folder_is_packed_for_a_verb_and_listed_and_removed(parts):
    packed = json.loads(run("find", parts, "y", "--memory", "50kB", "--json"))
    whole = json.loads(run("find", parts, "y", "--json"))
    assert packed["evidence"] == whole["evidence"]
    assert packed["run"]["call"]["source"] == str(parts)
    (entry,) = json.loads(run("store", "--json"))
    assert (entry["source"], entry["n_rows"], entry["n_columns"]) == (str(parts), 4000, 3)
    assert f"  {parts}: 4,000 rows, 3 columns, " in run("store")
    assert run("store", "--remove", parts) == "Removed: 1.\n"
    assert json.loads(run("store", "--json")) == []
    assert run("store", "--remove", "all") == "Removed: 0.\n"


def test_memory_that_is_none_is_refused(parts):
    answer = CliRunner().invoke(app, ["find", str(parts), "y", "--memory", "much"])
    assert answer.exit_code == 2
    assert "memory must be amount of memory such as '2GB' or None, not 'much'." in answer.stderr
