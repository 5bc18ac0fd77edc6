"""``eiderdown network`` and ``eiderdown region``."""

import json

import numpy as np
import pandas as pd
import pytest
from command_line import run

from eiderdown import (
    LearnedNetwork,
    LearnedRegion,
    export,
    learn_network,
    learn_region,
    networks,
)
from eiderdown.independence import CHI_SQUARE
from eiderdown.scores import BDEU
from eiderdown.structure import NETWORK_ALGORITHMS


@pytest.fixture(scope="module")
def asia_csv(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "asia.csv"
    networks.load("asia").sample(4_000, random_state=0).to_pandas().to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def mixed_csv(tmp_path_factory):
    rng = np.random.default_rng(0)
    a = rng.normal(size=500)
    columns = {"a": a, "b": a + rng.normal(size=500), "c": (a > 0).astype(int)}
    path = tmp_path_factory.mktemp("data") / "mixed.csv"
    pd.DataFrame(columns).to_csv(path, index=False)
    return path


def test_a_table_lists_the_edges_and_how_the_search_went(asia_csv):
    said = run("network", asia_csv, "--algorithm", "hill_climbing", "--quiet")
    direct = learn_network(asia_csv, algorithm="hill_climbing")
    lines = said.stdout.splitlines()
    assert said.exit_code == 0
    assert said.stderr == ""
    assert lines[0] == f"Directed graph: 8 columns and {len(direct.edges)} edges"
    for edge in direct.edges:
        assert any(line.startswith(f"{edge} ") for line in lines)
    assert "4,000 rows x 8 columns" in lines[-1]


def test_json_is_all_there_is_on_stdout(asia_csv):
    said = run("network", asia_csv, "--json")
    assert LearnedNetwork.from_json(said.stdout).edges == learn_network(asia_csv).edges


def test_out_saves_what_show_prints_again(asia_csv, tmp_path):
    path = tmp_path / "network.json"
    found = run("network", asia_csv, "--algorithm", "pc_stable", "--out", path)
    assert run("show", path).stdout == found.stdout


def test_a_region_is_that_of_the_library(asia_csv):
    said = run("region", asia_csv, "--target", "either", "--depth", "2", "--json")
    direct = learn_region(asia_csv, target="either", depth=2)
    found = LearnedRegion.from_json(said.stdout)
    assert (found.nodes, found.edges, found.depth) == (direct.nodes, direct.edges, 2)
    shown = run("region", asia_csv, "--target", "either", "--depth", "2").stdout
    assert shown.startswith("Directed graph within 2 steps of 'either': ")


def test_options_reach_the_search(asia_csv, tmp_path):
    (tmp_path / "known.toml").write_text('forbidden = [["lung", "smoke"]]')
    said = run(
        *("network", asia_csv, "--json", "--algorithm", "mmhc", "--alpha", "0.2"),
        *(
            "--max-given",
            "1",
            "--exclude",
            "xray",
            "--test",
            "chi_square",
            "--test-set",
            "dof=nominal",
        ),
        *("--score", "bdeu", "--score-set", "equivalent_sample_size=3"),
        *("--set", "patience=3", "--knowledge", tmp_path / "known.toml"),
        *("--jobs", "1", "--quiet"),
    )
    direct = learn_network(
        asia_csv,
        algorithm=NETWORK_ALGORITHMS["mmhc"](patience=3),
        alpha=0.2,
        max_given=1,
        exclude=["xray"],
        test=CHI_SQUARE(dof="nominal"),
        score=BDEU(equivalent_sample_size=3.0),
        knowledge={"forbidden": [["lung", "smoke"]]},
    )
    found = LearnedNetwork.from_json(said.stdout)
    assert found.edges == direct.edges
    assert found.run.options == json.loads(json.dumps(direct.run.options))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("net.dot", []),
        ("net.graphml", []),
        ("net.bif", []),
        ("net.bif", ["--prior", "2"]),
        ("net.dagitty", []),
        ("net.bnlearn", []),
        ("net.tetrad", []),
        ("net.csv", []),
        ("net.csv", ["--format", "causal_learn"]),
    ],
)
def test_an_exported_graph_reads_back(asia_csv, tmp_path, name, words):
    said = run(
        *("network", asia_csv, "--algorithm", "hill_climbing"),
        *("--export", tmp_path / name, *words, "--json"),
    )
    assert said.exit_code == 0
    form = words[1] if words[:1] == ["--format"] else None
    back = export.read_graph(tmp_path / name, form=form)
    assert back == LearnedNetwork.from_json(said.stdout).graph


def test_the_prior_reaches_the_tables(asia_csv, tmp_path):
    tables = []
    for prior in ("0", "1000000"):
        words = ("--export", tmp_path / "net.bif", "--prior", prior)
        run("network", asia_csv, "--algorithm", "hill_climbing", *words)
        tables.append(networks.read_bif(tmp_path / "net.bif").table("asia"))
    assert abs(tables[0] - 0.5).max() > 0.4
    assert abs(tables[1] - 0.5).max() < 0.01


def test_tables_of_columns_that_were_cut_are_about_the_cut_ones(mixed_csv, tmp_path):
    words = ("--algorithm", "hill_climbing", "--export", tmp_path / "net.bif")
    said = run("region", mixed_csv, "--target", "b", "--export", tmp_path / "net.bif")
    assert said.exit_code == 0
    assert "warning: Cut into 3 categories" in said.stderr
    assert len(networks.read_bif(tmp_path / "net.bif").states("b")) == 3
    assert run("network", mixed_csv, *words).exit_code == 0


def test_a_picture_is_drawn(asia_csv, tmp_path):
    said = run("network", asia_csv, "--plot", tmp_path / "net.png")
    assert said.exit_code == 0
    assert (tmp_path / "net.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--algorithm", "mmhk"], "There is no algorithm 'mmhk'; did you mean 'mmhc'"),
        (["--score", "bdue"], "did you mean 'bdeu'"),
        (["--score-set", "parameters=nominal"], "--score-set is about a named score"),
        (["--score", "bdeu", "--score-set", "prior=1"], "'bdeu' has no option 'prior'"),
        (["--score", "bdeu", "--score-set", "prior"], "gives no value"),
        (["--knowledge", "none.json"], "Cannot read 'none.json'"),
        (["--export", "net.xyz"], "'net.xyz' does not say which format"),
        (["--export", "net.dot", "--format", "dott"], "There is no format 'dott'"),
        (["--export", "nowhere/net.dot"], "There is no folder 'nowhere'"),
        (["--export", "."], "'.' is a folder; give --export the name of a file"),
        (["--plot", "net.bmp"], "Cannot draw into 'net.bmp'"),
        (["--out", "nowhere/net.json"], "There is no folder 'nowhere'"),
        (["--exclude", "cough"], "no column 'cough'"),
    ],
)
def test_bad_input_gets_one_sentence_and_exit_code_2(asia_csv, words, sentence):
    said = run("network", asia_csv, *words)
    assert said.exit_code == 2
    assert said.stdout == ""
    assert said.stderr.startswith("error: ")
    assert sentence in said.stderr
    assert said.stderr.count("\n") == 1


def test_a_graph_that_cannot_be_exported_is_saved_and_printed_nevertheless(asia_csv, tmp_path):
    kept = tmp_path / "net.json"
    words = ("--algorithm", "pc_confirmed", "--export", tmp_path / "net.bnlearn", "--out", kept)
    said = run("network", asia_csv, *words)
    assert said.exit_code == 2
    assert "this graph is a PDAG" in said.stderr
    assert "edges" in said.stdout
    assert [path.name for path in tmp_path.iterdir() if path != asia_csv] == ["net.json"]
    assert LearnedNetwork.load(kept).is_cpdag


def test_a_depth_below_one_is_refused(asia_csv):
    said = run("region", asia_csv, "--target", "dysp", "--depth", "0")
    assert said.exit_code == 2
    assert "depth must be at least 1" in said.stderr


def test_hidden_causes_mark_the_edges_of_a_region(asia_csv):
    words = ("region", asia_csv, "--target", "either", "--depth", "2", "--hidden-causes")
    shown = run(*words).stdout
    assert "either --> xray" in shown
    assert "either causes xray" in shown
    direct = learn_region(asia_csv, target="either", depth=2, hidden_causes=True)
    said = json.loads(run(*words, "--json").stdout)
    assert said["edges"] == json.loads(json.dumps(direct.to_dict()["edges"]))
