"""Help: every command explains itself, fits into a terminal, and its examples run."""

from __future__ import annotations

import shlex

import numpy as np
import pandas as pd
import pytest
from command_line import run

from eiderdown import __version__
from eiderdown.cli.app import OTHERS, VERBS

EXAMPLES = {
    **{verb.name: verb.examples for verb in VERBS},
    **{other.function.__name__: other.examples for other in OTHERS},
}
PANELS = ("Ask about columns", "Learn networks", "How sure", "Look at what was found")

QUICKER = {"--runs": "4", "--resamples": "3", "--folds": "2"}
"""Fewer repetitions than an example asks for, so that the tests do not take minutes."""

NARROWER = {
    "interactions": ("--degree", "2", "--C", "1", "--folds", "0"),
    "compare": ("--degrees", "1", "--Cs", "1"),
    "predict": ("--resamples", "2", "--cv", "2"),
}
"""What spares a test the choice among many SVMs."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Make the files that the examples name."""
    folder, rng, n = tmp_path_factory.mktemp("examples"), np.random.default_rng(5), 120
    sex, age = rng.integers(0, 2, n), rng.integers(20, 80, n)
    dose = sex + (rng.random(n) < 0.2)
    y = np.where((dose > 0) ^ (rng.random(n) < 0.1), "yes", "no")
    table = pd.DataFrame({"sex": sex, "age": age, "dose": dose, "y": y})
    table.to_csv(folder / "data.csv", index=False)
    table.head(20).drop(columns="y").to_csv(folder / "new_rows.csv", index=False)
    for name in ("y.json", "later.json"):
        assert run("find", folder / "data.csv", "y", "--out", folder / name).exit_code == 0
    return folder


def _quicker(words):
    pairs = zip([None, *words], words, strict=False)
    return [QUICKER.get(before, word) if word.isdecimal() else word for before, word in pairs]


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_run(folder, monkeypatch, name):
    monkeypatch.chdir(folder)
    assert EXAMPLES[name], "a command without an example"
    for line in EXAMPLES[name]:
        program, *words = _quicker(shlex.split(line))
        assert program == "eiderdown"
        assert words[0] == name
        answer = run(*words, *NARROWER.get(name, ()))
        assert answer.exit_code == 0, f"{line}: {answer.stderr}"
        assert answer.stdout


@pytest.mark.parametrize("name", EXAMPLES)
def test_help_shows_the_examples_a_line_each_and_cuts_nothing(name):
    said = run(name, "--help").stdout
    lines = [line.strip() for line in said.splitlines()]
    assert set(EXAMPLES[name]) < set(lines)
    assert "…" not in said
    assert max(map(len, said.splitlines())) <= 80


def test_without_words_the_commands_are_listed_in_parts():
    answer = run()
    said = answer.stdout + answer.stderr
    places = [said.index(panel) for panel in PANELS]
    assert places == sorted(places)
    for name in EXAMPLES:
        assert f" {name} " in said


def test_versions_are_those_of_eiderdown_python_and_the_libraries():
    lines = run("--versions").stdout.splitlines()
    assert lines[0] == f"eiderdown {__version__}"
    names = [line.split()[0] for line in lines]
    assert {"python", "numpy", "numba", "scikit-learn", "pyarrow"} < set(names)
    assert all(len(line.split()) == 2 for line in lines)
