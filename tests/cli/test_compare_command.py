"""``eiderdown compare`` says what the library says."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from command_line import run

from eiderdown import SelectorComparison, compare_selectors
from eiderdown.api.selectors import SELECTORS

QUICK = ("--folds", "2", "--degrees", "1,2", "--Cs", "1", "--selectors", "none, rfe_50")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    X = np.random.default_rng(0).integers(0, 2, size=(120, 6))
    path = tmp_path_factory.mktemp("data") / "table.csv"
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(6)])
    frame.assign(id=np.arange(120.0), y=X[:, 1] ^ X[:, 4]).to_csv(path, index=False)
    return path


def rows_of(result):
    return [
        (row.name, [(t.variables, t.score, t.degree, t.C) for t in row.trials], row.problem)
        for row in result
    ]


def test_comparison_is_that_of_the_library_and_can_be_shown_again(table, tmp_path):
    path = tmp_path / "compared.json"
    said = run(
        *("compare", table, "--target", "y", "--exclude", "id", "--seed", "3", "--out", path),
        *QUICK,
    )
    assert said.exit_code == 0
    direct = compare_selectors(
        table,
        target="y",
        selectors=["none", "rfe_50"],
        exclude=["id"],
        folds=2,
        degrees=[1, 2],
        Cs=[1.0],
        random_state=3,
    )
    saved = SelectorComparison.load(path)
    assert rows_of(saved) == rows_of(direct)
    assert saved.run.options == direct.run.options
    assert said.stdout.startswith("Selectors of columns for 'y', out of 6\n")
    assert run("show", path).stdout == said.stdout


def test_json_test_share_balance_and_limit_reach_the_library(table):
    words = (
        "--test-share",
        "0.25",
        "--class-weight",
        "balanced",
        "--max-seconds-each",
        "30",
        "--json",
    )
    said = run("compare", table, "--target", "y", *QUICK, *words, "--json")
    options = SelectorComparison.from_json(said.stdout).run.options
    assert options["folds"] is None
    assert (options["test_share"], options["max_seconds_each"]) == (0.25, 30.0)
    assert options["class_weight"] == "balanced"
    assert json.loads(said.stdout)["n_splits"] == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--degrees", "1,x"), "degrees must be"),
        (("--degrees", "1.5"), "degrees must be"),
        (("--Cs", "cheap"), "Cs must be"),
        (("--selectors", "rfe_5"), "did you mean 'rfe_50' or "),
        (("--out", "nowhere/x.json"), "There is no folder 'nowhere'"),
    ],
)
def test_bad_words_are_told_in_one_sentence(table, words, sentence):
    said = run("compare", table, "--target", "y", *words)
    assert said.exit_code == 2
    assert said.stderr.startswith("error: ")
    assert sentence in said.stderr


def test_every_selector_is_listed():
    said = run("selectors", columns=200)
    first_words = [line.split()[0] for line in said.stdout.splitlines()[2:]]
    assert first_words == list(SELECTORS.names)


def test_warnings_about_the_table_are_printed_once_and_not_for_every_selector(table, tmp_path):
    named = tmp_path / "named.csv"
    pd.read_csv(table).assign(id=[f"p{i}" for i in range(120)]).to_csv(named, index=False)
    words = ("--selectors", "none,iamb", "--folds", "2", "--degrees", "1", "--Cs", "1")
    said = run("compare", named, "--target", "y", *words, "--quiet")
    assert said.exit_code == 0
    digits = re.compile(r"^warning: ([a-z_, ]+: )?|'[^']*'|\d+")
    sorts = [digits.sub("", line) for line in said.stderr.splitlines()]
    assert len(sorts) == len(set(sorts))
    assert "Left out because they number or name the rows: 'id'" in said.stderr
