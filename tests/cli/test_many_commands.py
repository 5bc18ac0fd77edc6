"""``eiderdown parents-children``, ``boundaries``, ``all`` and ``algorithms``."""

import json

import numpy as np
import pandas as pd
import pytest
from command_line import run

from eiderdown import (
    AllBoundaries,
    Boundaries,
    MarkovBoundary,
    ParentsChildren,
    find_all_boundaries,
    find_boundaries,
    find_boundary,
    find_parents_children,
    networks,
)
from eiderdown.api import boundary as all_boundaries
from eiderdown.boundary import ALGORITHMS, BOUNDARY_ALGORITHMS, KIAMB, MMPC
from eiderdown.structure import NETWORK_ALGORITHMS, REGION_ALGORITHMS


@pytest.fixture(scope="module")
def asia_csv(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "asia.csv"
    networks.load("asia").sample(2_000, random_state=0).to_pandas().to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def copies_csv(tmp_path_factory):
    coin = np.random.default_rng(0).integers(0, 2, 200)
    path = tmp_path_factory.mktemp("data") / "copies.csv"
    pd.DataFrame({"coin": coin, "photo": coin, "copy": coin}).to_csv(path, index=False)
    return path


@pytest.mark.parametrize("algorithm", BOUNDARY_ALGORITHMS.names)
def test_find_takes_every_registered_algorithm(asia_csv, algorithm):
    said = run("find", asia_csv, "--target", "dysp", "--algorithm", algorithm, "--json")
    assert said.exit_code == 0
    seed = 0 if BOUNDARY_ALGORITHMS[algorithm].random else None
    direct = find_boundary(asia_csv, target="dysp", algorithm=algorithm, random_state=seed)
    found = MarkovBoundary.from_json(said.stdout)
    assert found.members == direct.members
    assert found.run.random_state == seed


def test_required_columns_settings_and_seed_reach_the_search(asia_csv):
    words = ("--require", "asia", "--set", "fraction=0.25", "--seed", "3", "--algorithm", "kiamb")
    found = MarkovBoundary.from_json(
        run("find", asia_csv, "--target", "dysp", "--json", *words).stdout
    )
    assert "asia" in found.members
    assert found.run.options["fraction"] == 0.25
    assert found.run.random_state == 3


def test_parents_and_children_are_those_of_the_library_and_can_be_shown_again(asia_csv, tmp_path):
    path = tmp_path / "smoke.json"
    said = run(
        "parents-children",
        asia_csv,
        "--target",
        "smoke",
        "--set",
        "symmetry=none",
        "--algorithm",
        "mmpc",
        "--out",
        path,
    )
    direct = find_parents_children(asia_csv, target="smoke", algorithm=MMPC(symmetry="none"))
    saved = ParentsChildren.load(path)
    assert (saved.members, saved.run.options) == (direct.members, direct.run.options)
    assert said.stdout.startswith("Parents and children of 'smoke': ")
    assert run("show", path).stdout == said.stdout


def test_boundaries_are_those_of_the_library_and_can_be_shown_again(copies_csv, tmp_path):
    path, picture = tmp_path / "coin.json", tmp_path / "coin.png"
    words = ("--runs", "12", "--set", "fraction=0", "--seed", "1", "--folds", "4")
    said = run(
        "boundaries", copies_csv, "--target", "coin", *words, "--out", path, "--plot", picture
    )
    assert said.exit_code == 0
    direct = find_boundaries(
        copies_csv, target="coin", runs=12, algorithm=KIAMB(fraction=0.0), random_state=1, cv=4
    )
    saved = Boundaries.load(path)
    assert [(i.members, i.n_runs, i.accuracy) for i in saved] == [
        (i.members, i.n_runs, i.accuracy) for i in direct
    ]
    assert saved.run.options == direct.run.options
    assert said.stdout.startswith("2 distinct boundaries of 'coin' in 12 runs\n")
    assert "Stand for each other: copy, photo." in said.stdout
    assert run("show", path).stdout == said.stdout
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_boundaries_as_json_and_without_accuracy(copies_csv):
    said = run(
        "boundaries", copies_csv, "--target", "coin", "--runs", "3", "--folds", "none", "--json"
    )
    assert all(item.accuracy is None for item in Boundaries.from_json(said.stdout))


def test_boundaries_are_measured_on_test_data(copies_csv):
    said = run(
        "boundaries", copies_csv, "--target", "coin", "--runs", "3", "--test-data", copies_csv
    )
    assert "Accuracy: naive Bayes, 200 rows of test data." in said.stdout


def test_all_prints_one_line_for_each_target(asia_csv, tmp_path):
    path = tmp_path / "all.json"
    said = run("all", asia_csv, "--algorithm", "get_pc", "--out", path)
    direct = find_all_boundaries(asia_csv, algorithm="get_pc")
    lines = {line.split()[0]: line.split(maxsplit=2) for line in said.stdout.splitlines()}
    for target, result in direct.items():
        assert lines[target][1] == str(len(result.members))
        assert lines[target][2:] == ([", ".join(result.members)] if result.members else [])
    assert AllBoundaries.load(path).skeleton() == direct.skeleton()
    assert run("show", path).stdout == said.stdout


def test_all_may_be_some_and_json(asia_csv):
    said = run("all", asia_csv, "--target", "lung", "--target", "tub", "--json")
    assert list(AllBoundaries.from_json(said.stdout)) == ["lung", "tub"]


def test_interrupted_all_exits_with_130(asia_csv, monkeypatch):
    real, made = all_boundaries.run_search, []

    def interrupted(*arguments, **options):
        made.append(real(*arguments, **options))
        if len(made) == 3:
            object.__setattr__(made[-1], "complete", False)
        return made[-1]

    monkeypatch.setattr(all_boundaries, "run_search", interrupted)
    said = run("all", asia_csv)
    assert said.exit_code == 130
    assert said.stdout.splitlines()[-1].startswith("2 targets")
    assert "warning: Interrupted: 2 of 8 targets are done." in said.stderr


def test_algorithms_lists_every_search_and_says_all_about_one():
    table = run("algorithms").stdout
    listed = {line.split()[0] for line in table.splitlines() if line.split()}
    names = [*ALGORITHMS.names, *REGION_ALGORITHMS.names, *NETWORK_ALGORITHMS.names]
    assert set(names) <= listed
    about = run("algorithms", "kiamb").stdout
    assert ALGORITHMS["kiamb"].paper in about
    assert "--set fraction=0.8: " in about
    records = json.loads(run("algorithms", "--json").stdout)
    assert [record["name"] for record in records] == names
    assert "mmhc finds the directed graph of a table." in run("algorithms", "mmhc").stdout
    assert "gpc finds the CPDAG around a column." in run("algorithms", "gpc").stdout
    assert "iamb finds the Markov boundary of a column." in run("algorithms", "iamb").stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["find", "--algorithm", "kiamb", "--set", "fraction"], "--set 'fraction' gives no value"),
        (["find", "--algorithm", "kiamb", "--set", "fraction=x"], "fraction must be float"),
        (["find", "--algorithm", "mmmb", "--set", "symmetry=xor"], "symmetry must be one of"),
        (["find", "--set", "fraction=1"], "--set is about a named algorithm"),
        (["find", "--algorithm", "kiamb", "--seed", "-1"], "random_state must be at least 0"),
        (["boundaries", "--seed", "-1"], "random_state must be at least 0"),
        (["find", "--require", "Dysp"], "no column 'Dysp'; did you mean 'dysp'"),
        (["parents-children", "--algorithm", "pcbm"], "There is no algorithm 'pcbm'"),
        (["boundaries", "--algorithm", "iamb"], "'iamb' makes no random choices"),
        (["boundaries", "--plot", "p.bmp"], "Cannot draw into 'p.bmp'; give a name in .png"),
        (["boundaries", "--plot", "nowhere/p.png"], "There is no folder 'nowhere'"),
        (["boundaries", "--plot", "."], "'.' is a folder; give --plot the name"),
        (["boundaries", "--test-data", "none.csv"], "There is no file 'none.csv'"),
        (["all", "--algorithm", "mmp"], "There is no algorithm 'mmp'; did you mean 'mmpc'"),
        (["algorithms", "kiambb"], "There is no algorithm 'kiambb'; did you mean 'kiamb'"),
    ],
)
def test_bad_input_gets_one_sentence_and_exit_code_2(asia_csv, words, sentence):
    command, *rest = words
    about = {"algorithms": [], "all": [asia_csv]}.get(command, [asia_csv, "--target", "dysp"])
    said = run(command, *about, *rest)
    assert said.exit_code == 2
    assert said.stdout == ""
    assert sentence in said.stderr
    assert said.stderr.startswith("error: ")
    assert said.stderr.count("\n") == 1


def test_advice_about_text_columns_is_possible(asia_csv, tmp_path):
    said = run("find", asia_csv, "--target", "dysp", "--test", "fisher_z")
    assert "use the test 'wilks', which takes both, or exclude them." in said.stderr
    assert run("find", asia_csv, "--target", "dysp", "--test", "wilks").exit_code == 0
    path = tmp_path / "integers.csv"
    pd.DataFrame(np.random.default_rng(0).integers(0, 3, (50, 3)), columns=list("abc")).to_csv(
        path, index=False
    )
    said = run("find", path, "--target", "a", "--test", "fisher_z")
    assert said.stderr == (
        "warning: Used as numbers, because the test asked for is for numbers: 'a', 'b', 'c'.\n"
    )
