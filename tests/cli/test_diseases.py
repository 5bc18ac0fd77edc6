"""Every command answers files with the diseases of real ones, unedited."""

from __future__ import annotations

import json

import pytest
from command_line import run
from diseases import DISEASES, N_ROWS, clean, write

from eiderdown import Dataset

QUICK = {
    "find": ["--json"],
    "parents-children": ["--json"],
    "boundaries": ["--json", "--runs", "3"],
    "all": ["--json"],
    "interactions": ["--json", "--degree", "2", "--C", "1"],
    "compare": ["--json", "--folds", "2", "--degrees", "1", "--Cs", "1", "--selectors", "none"],
    "region": ["--json"],
    "network": ["--json", "--algorithm", "hill_climbing"],
    "stability": ["--json", "--resamples", "2", "--algorithm", "hill_climbing"],
    "confidence": ["--json", "--runs", "3"],
    "test": ["--json"],
}
TARGETED = {"find", "parents-children", "boundaries", "interactions", "compare", "region"}


@pytest.mark.parametrize("disease", DISEASES)
def test_a_boundary_is_found_whatever_the_disease(tmp_path, disease):
    path = write(tmp_path, disease)
    answer = run("find", path, "y", "--json", "--quiet")
    assert answer.exit_code == 0, answer.stderr
    found = json.loads(answer.stdout)
    assert {"sex", "dose"} <= set(found["members"])
    assert found["run"]["n_rows"] > N_ROWS - 5


@pytest.mark.parametrize("disease", DISEASES)
def test_what_is_read_is_the_table_before_it_fell_ill(tmp_path, disease):
    data, healthy = Dataset.of(write(tmp_path, disease)), Dataset.of(clean())
    assert {"sex", "dose", "y"} <= set(data.names) <= {*_extra(), *healthy.names}
    for name in ("sex", "y"):
        column = data.index(name)
        known = ~data.missing(column)
        assert data.categories(column) == healthy.categories(healthy.index(name))
        codes = healthy.codes(healthy.index(name))
        assert data.codes(column)[known].tolist() == codes[known].tolist()
        assert known.sum() >= N_ROWS - 3
    dose, known = data.values(data.index("dose")), ~data.missing(data.index("dose"))
    ratio = dose[known] / healthy.values(healthy.index("dose"))[known]
    assert known.sum() >= N_ROWS - 3
    assert ratio.max() - ratio.min() < 1e-9


def _extra() -> set[str]:
    return {"visit", "seen", "größe", "bruit été", "dose.1"}


@pytest.mark.parametrize("command", QUICK)
def test_every_command_takes_a_file_with_all_of_them(tmp_path, command):
    path = write(tmp_path, "all at once")
    columns = ["y"] if command in TARGETED else ["dose", "y"] if command == "test" else []
    answer = run(command, path, *columns, *QUICK[command], "--quiet")
    assert answer.exit_code == 0, answer.stderr
    assert json.loads(answer.stdout)["format"].startswith("eiderdown.")
    assert "--delimiter ';' --decimal , --encoding cp1252" in answer.stderr
    # One test speaks only of the columns that it is about.
    said = "number or name the rows: 'Unnamed: 0', 'id'" in answer.stderr
    assert said == (command != "test")
    assert "Read as missing: cells with '?'" in answer.stderr


def test_what_was_guessed_can_be_told(tmp_path):
    path = write(tmp_path, "all at once")
    told = ["--delimiter", ";", "--decimal", ",", "--encoding", "cp1252", "--na", "?", "--header"]
    kinds = ["--kind", "visit=category", "--kind", "sex=category"]
    answer = run("find", path, "y", *told, *kinds, "--exclude", "id", "--exclude", "Unnamed: 0")
    assert answer.exit_code == 0, answer.stderr
    for word in ("--delimiter", "Read as missing", "number or name the rows", "Dates became"):
        assert word not in answer.stderr
    parts = run("find", path, "y", "--dates", "parts", "--json")
    assert "Dates became year, month and weekday: 'visit'" in parts.stderr


def test_the_target_behind_the_file_or_as_an_option(tmp_path):
    path = write(tmp_path, "healthy")
    behind, option = run("find", path, "y"), run("find", path, "--target", "y")
    assert behind.stdout.split("\n")[0] == option.stdout.split("\n")[0]
    assert run("find", path, "y", "--target", "y").exit_code == 0
    two = run("find", path, "y", "--target", "sex")
    assert (
        two.stderr == "error: The target is 'y' behind the file but --target sex; name it once.\n"
    )
    none = run("find", path)
    assert none.stderr == ("error: Name the target: a column, behind the file or with --target.\n")
    assert none.exit_code == 2
