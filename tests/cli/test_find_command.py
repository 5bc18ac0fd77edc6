"""``eiderdown find`` and ``eiderdown show``."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from command_line import run

from eiderdown import (
    MarkovBoundary,
    find_boundary,
    networks,
)
from eiderdown.independence import CHI_SQUARE, CalibratedChiSquareTest
from eiderdown.progress import Cancelled


@pytest.fixture(scope="module")
def asia_csv(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "asia.csv"
    frame = networks.load("asia").sample(4_000, random_state=0).to_pandas()
    frame.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def numbers_csv(tmp_path_factory):
    rng = np.random.default_rng(0)
    a, b, hidden = rng.normal(size=(3, 300))
    path = tmp_path_factory.mktemp("data") / "numbers.csv"
    columns = {
        "a": a,
        "b": b,
        "twice_a": 2 * a,
        "y": a + b + hidden,
        "few": rng.integers(0, 9, 300),
    }
    pd.DataFrame(columns).to_csv(path, index=False)
    return path


def same_evidence(left, right):
    return (left.members, left.evidence) == (right.members, right.evidence)


def test_table_lists_the_members_and_how_the_search_went(asia_csv):
    result = run("find", asia_csv, "--target", "dysp", "--quiet")
    assert result.exit_code == 0
    assert result.stdout.startswith("Markov boundary of 'dysp': 2 members\n")
    kept = [line.split()[0] for line in result.stdout.splitlines() if " kept " in line]
    assert kept == list(find_boundary(asia_csv, target="dysp").members)
    assert "of them could not say" in result.stdout
    assert "4,000 rows x 8 columns" in result.stdout
    assert result.stderr == ""


def test_json_is_all_there_is_on_stdout(asia_csv):
    result = run("find", asia_csv, "--target", "dysp", "--json")
    found = MarkovBoundary.from_json(result.stdout)
    assert same_evidence(found, find_boundary(asia_csv, target="dysp"))


def test_out_saves_what_show_prints_again(asia_csv, tmp_path):
    path = tmp_path / "dysp.json"
    found = run("find", asia_csv, "--target", "dysp", "--out", path)
    shown = run("show", path)
    assert shown.exit_code == 0
    assert shown.stdout == found.stdout


def test_options_reach_the_search(asia_csv):
    words = ("--alpha", "0.2", "--max-given", "1", "--exclude", "either", "--exclude", "asia")
    tests = ("--test", "chi_square", "--test-set", "dof=nominal", "--jobs", "1", "--quiet")
    rules = ("--test-set", "reliability=rows_per_cell", "--test-set", "min_rows=3")
    result = run("find", asia_csv, "--target", "dysp", "--json", *words, *tests, *rules)
    direct = find_boundary(
        asia_csv,
        target="dysp",
        alpha=0.2,
        max_given=1,
        exclude=["either", "asia"],
        test=CHI_SQUARE(dof="nominal", reliability="rows_per_cell", min_rows=3.0),
    )
    found = MarkovBoundary.from_json(result.stdout)
    assert same_evidence(found, direct)
    assert found.run.options == direct.run.options


def test_what_is_done_with_collinear_columns_can_be_said(numbers_csv):
    words = ("find", numbers_csv, "--target", "y", "--exclude", "few", "--json")
    dropped, shrunk = run(*words), run(*words, "--test-set", "collinear=shrink")
    for result, manner in ((dropped, "drop"), (shrunk, "shrink")):
        assert result.exit_code == 0
        assert MarkovBoundary.from_json(result.stdout).run.options["collinear"] == manner


def test_kind_of_a_column_can_be_said(numbers_csv):
    words = ("find", numbers_csv, "--target", "y", "--exclude", "twice_a", "--json")
    both, numbers = run(*words), run(*words, "--kind", "few=continuous")
    tests = [
        MarkovBoundary.from_json(found.stdout).run.options["test"] for found in (both, numbers)
    ]
    assert tests == ["WilksTest", "FisherZTest"]


def test_kind_of_a_column_whose_name_holds_an_equals_sign(tmp_path):
    path = tmp_path / "odd.csv"
    rng = np.random.default_rng(0)
    pd.DataFrame({"a=b": rng.normal(size=50), "y": rng.integers(0, 2, 50)}).to_csv(
        path, index=False
    )
    result = run("find", path, "--target", "y", "--kind", "a=b=sideways")
    assert result.stderr == (
        "error: The kind of column 'a=b' must be 'category', 'ordered', 'number', 'count' or "
        "'date', not 'sideways'.\n"
    )


def test_warnings_are_sentences_on_stderr_said_once(numbers_csv, tmp_path):
    path = tmp_path / "y.json"
    words = ("find", numbers_csv, "--target", "few", "--test", "g_square")
    result = run(*words, "--json", "--out", path)
    assert result.stderr.count("warning: Cut into 3 categories of equal frequency") == 1
    assert "EiderdownWarning" not in result.stderr
    assert "warning:" not in result.stdout
    again = run("show", path)
    assert again.stderr == result.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--target", "dsyp"], "The table has no column 'dsyp'; did you mean 'dysp'"),
        (["--target", "dysp", "--alpha", "2"], "alpha must be between 0 and 1, not 2.0"),
        (["--target", "dysp", "--max-given", "-1"], "max_given must be at least 0"),
        (["--target", "dysp", "--algorithm", "ianb"], "no algorithm 'ianb'; did you mean 'iamb'"),
        (["--target", "dysp", "--exclude", "dysp"], "Column 'dysp' is both the target and"),
        (["--target", "dysp", "--exclude", "no"], "The table has no column 'no'"),
        (["--target", "dysp", "--kind", "asia"], "--kind 'asia' gives no value"),
        (["--target", "dysp", "--kind", "asia=odd"], "The kind of column 'asia' must be"),
        (["--target", "dysp", "--test", "g_sqare"], "no test 'g_sqare'; did you mean 'g_square'"),
        (
            ["--target", "dysp", "--test", "g_square", "--test-set", "dof=exact"],
            "dof must be one of 'adjusted'",
        ),
        (["--target", "dysp", "--test-set", "dof"], "--test-set 'dof' gives no value"),
        (
            ["--target", "dysp", "--test", "g_square", "--test-set", "min_rows=0"],
            "min_rows must be above 0",
        ),
        (["--target", "dysp", "--out", "nowhere/r.json"], "There is no folder 'nowhere'"),
        (["--target", "dysp", "--out", "."], "'.' is a folder; give --out the name of a file"),
    ],
)
def test_bad_input_gets_one_sentence_and_exit_code_2(asia_csv, words, sentence):
    result = run("find", asia_csv, *words)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("name", ["missing.csv", "notes.txt"])
def test_bad_path_gets_one_sentence(tmp_path, name):
    (tmp_path / "notes.txt").write_text("hello")
    result = run("find", tmp_path / name, "--target", "y")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")
    assert name in result.stderr


def test_result_that_cannot_be_written_is_printed_and_said(asia_csv, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("eiderdown.files.os.fsync", full)
    result = run("find", asia_csv, "--target", "dysp", "--out", tmp_path / "r.json")
    assert result.exit_code == 2
    assert "2 members" in result.stdout
    assert "r.json' (No space left on device)" in result.stderr
    assert not list(tmp_path.glob("*.json*")) + list(tmp_path.glob(".*"))


def test_ctrl_c_prints_the_best_so_far_and_exits_with_130(asia_csv, monkeypatch):
    sweep, calls = CalibratedChiSquareTest._sweep, []

    def interrupted(self, *question):
        calls.append(question)
        if len(calls) == 2:
            raise Cancelled
        return sweep(self, *question)

    monkeypatch.setattr(CalibratedChiSquareTest, "_sweep", interrupted)
    result = run("find", asia_csv, "--target", "dysp")
    assert result.exit_code == 130
    assert "'dysp': 1 member (interrupted: the best so far)" in result.stdout
    assert "warning: The search was interrupted" in result.stderr


def test_ctrl_c_before_the_search_exits_with_130(asia_csv, monkeypatch):
    def interrupt(*_, **__):
        raise Cancelled

    monkeypatch.setattr("eiderdown.data.Dataset.of", interrupt)
    result = run("find", asia_csv, "--target", "dysp")
    assert result.exit_code == 130
    assert result.stderr == "error: interrupted before there was a result.\n"


def test_unexpected_exception_keeps_its_traceback(asia_csv, monkeypatch):
    def bug(*_, **__):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("eiderdown.data.Dataset.of", bug)
    with pytest.raises(ZeroDivisionError, match="a bug"):
        run("find", asia_csv, "--target", "dysp")


@pytest.mark.parametrize("text", ["{}", "not json", '{"format": "other"}'])
def test_show_refuses_what_is_no_result(tmp_path, text):
    path = tmp_path / "odd.json"
    path.write_text(text)
    result = run("show", path)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"error: In '{path}': This is not the JSON of a result")
    assert run("show", tmp_path / "none.json").stderr.startswith("error: Cannot read")


def test_piped_table_honours_columns_and_is_not_folded(asia_csv):
    piped = subprocess.run(
        [sys.executable, "-m", "eiderdown", "find", asia_csv, "--target", "dysp"],
        env={**os.environ, "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    table = [line for line in piped if " kept " in line or " outside " in line]
    assert all(float(line.split()[-1]) >= 0.0 for line in table)
    assert len(table) == 7
    assert max(map(len, table)) <= 80


def test_error_in_a_process_of_its_own_has_no_traceback(asia_csv):
    finished = subprocess.run(
        [sys.executable, "-m", "eiderdown", "find", asia_csv, "--target", "nobody"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 2
    assert finished.stderr.startswith("error: The table has no column 'nobody'")
    assert "Traceback" not in finished.stderr


def test_goal_of_prediction_shows_the_sets_and_what_was_chosen(numbers_csv, tmp_path):
    path = tmp_path / "y.json"
    words = ("--target", "y", "--goal", "prediction", "--exclude", "few", "--quiet")
    result = run("find", numbers_csv, *words, "--out", path)
    assert "all columns" in result.stdout
    assert "(chosen)" in result.stdout
    found = MarkovBoundary.load(path)
    assert f"Chosen to predict 'y': {', '.join(found.predictors)}." in result.stdout
    assert run("show", path).stdout == result.stdout


def test_check_of_prediction_is_one_line(numbers_csv):
    words = ("--target", "y", "--exclude", "few", "--quiet")
    plain = run("find", numbers_csv, *words).stdout.splitlines()
    checked = run("find", numbers_csv, *words, "--check-prediction").stdout.splitlines()
    more = [line for line in checked if line not in plain[:-1]]
    assert len(more) == 2, "the line, and how long the search took"
    assert "predict 'y' as well as all 3 columns (R2" in more[0]
