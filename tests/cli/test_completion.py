"""Shells complete verbs, options, names of entries, and columns of the file on the line."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pandas as pd
import pytest
from typer.testing import CliRunner

from eiderdown.boundary import BOUNDARY_ALGORITHMS
from eiderdown.cli import app
from eiderdown.cli.app import OTHERS, VERBS


def completed(*words, shell="bash"):
    """Return what a shell is offered for the last word."""
    line = " ".join(("eiderdown", *words))
    asked = {
        "bash": {"COMP_WORDS": line, "COMP_CWORD": str(len(words))},
        "zsh": {"_TYPER_COMPLETE_ARGS": line},
        "fish": {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
    }[shell]
    env = {"_EIDERDOWN_COMPLETE": f"complete_{shell}", **asked}
    answer = CliRunner().invoke(app, [], env=env, prog_name="eiderdown")
    return answer.stdout.strip().splitlines()


@pytest.fixture
def table(tmp_path, monkeypatch):
    pd.DataFrame({"age": [1, 2], "aged": [3, 4], "y": ["a", "b"]}).to_csv(
        tmp_path / "table.csv", index=False
    )
    pd.DataFrame({"ape": [1, 2], "y": [1, 2]}).to_parquet(tmp_path / "table.parquet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_commands():
    names = [verb.name for verb in VERBS] + [other.function.__name__ for other in OTHERS]
    assert set(completed("")) >= set(names)
    assert completed("par") == ["parents-children"]


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_options_of_every_verb_though_it_is_built_when_asked_for(verb):
    assert "--json" in completed(verb.name, "--js")
    assert completed(verb.name, "--qu") == ["--quiet"]


def test_names_of_algorithms_tests_scores_and_selectors():
    found = completed("find", "table.csv", "--algorithm", "")
    assert set(found) == {"auto", *BOUNDARY_ALGORITHMS.names}
    assert completed("boundaries", "x.csv", "--algorithm", "k") == ["kiamb", "kpcmb"]
    assert "g_square" in completed("find", "table.csv", "--test", "g")
    assert completed("network", "table.csv", "--score", "bd") == ["bdeu"]
    assert "none,iamb" in completed("compare", "table.csv", "--selectors", "none,ia")


def test_legal_words_and_networks():
    assert completed("find", "table.csv", "--missing", "i") == ["impute"]
    assert completed("sample", "asi") == ["asia"]
    assert {"find", "fbed"} <= set(completed("algorithms", "f"))


def test_columns_of_the_file(table):
    assert completed("find", "table.csv", "--target", "") == ["age", "aged", "y"]
    assert completed("find", "table.csv", "ag") == ["age", "aged"]
    assert completed("find", "table.parquet", "--exclude", "a") == ["ape"]
    assert completed("test", "table.csv", "age", "y", "--given", "ag") == ["age", "aged"]


@pytest.mark.parametrize("path", ["none.csv", "folder", "broken.parquet", "empty.csv"])
def test_a_file_that_cannot_be_read_completes_nothing(table, path):
    (table / "folder").mkdir()
    (table / "broken.parquet").write_bytes(b"PAR1 and nothing more")
    (table / "empty.csv").touch()
    assert completed("find", path, "--target", "") == []


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_are_told_what_names_mean(shell):
    said = "\n".join(completed("find", "table.csv", "--algorithm", "gs", shell=shell))
    assert "gs" in said
    assert "order of their association" in said


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_for_shells(shell):
    done = subprocess.run(
        [sys.executable, "-m", "eiderdown", "--show-completion", shell],
        env={**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "_EIDERDOWN_COMPLETE=complete_" + shell in done.stdout
    if shell == "bash" and shutil.which("bash"):
        subprocess.run(["bash", "-n"], input=done.stdout, text=True, check=True)
