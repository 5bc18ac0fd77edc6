"""``eiderdown stability``: the table, the consensus graph and the words for bad input."""

from __future__ import annotations

import json

import pytest
from command_line import run

from eiderdown import networks
from eiderdown.export import read_graph
from eiderdown.results import EdgeStability


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("tables") / "asia.csv"
    data = networks.load("asia").sample(1_000, random_state=0)
    data.select(["smoke", "bronc", "lung"]).to_pandas().to_csv(path, index=False)
    return path


def test_table_says_how_often_edges_came_back(table):
    answer = run("stability", table, "--algorithm", "pc_confirmed", "--resamples", 5, "--quiet")
    assert answer.exit_code == 0
    lines = answer.stdout.splitlines()
    assert lines[0] == "pc_confirmed on 5 resamples: 2 edges were found at least once."
    assert lines[1].split() == ["left", "right", "joined", "->", "<-", "--"]
    assert lines[3].split() == ["bronc", "smoke", "100%", "0%", "0%", "100%"]
    assert lines[5].startswith("In at least half of the resamples: 2 edges, 0 of them")
    assert "drawn with replacement" in lines[6]


def test_json_result_is_read_back_and_shown_again(table, tmp_path):
    saved = tmp_path / "found.json"
    answer = run(
        "stability", table, "--algorithm", "get_pc", "--target", "bronc", "--resamples", 4,
        "--method", "subsample", "--alpha", 0.05, "--json", "--out", saved, "--quiet",
    )  # fmt: skip
    found = EdgeStability.from_dict(json.loads(answer.stdout))
    assert found.run.options["alpha"] == 0.05
    assert found.run.options["method"] == "subsample"
    assert EdgeStability.load(saved) == found
    assert "get_pc on 4 resamples" in run("show", saved).stdout


def test_consensus_graph_is_exported(table, tmp_path):
    words = ("stability", table, "--algorithm", "pc_confirmed", "--resamples", 4, "--quiet")
    file = tmp_path / "graph.graphml"
    assert run(*words, "--export", file).exit_code == 0
    assert set(read_graph(file).undirected) == {("bronc", "smoke"), ("lung", "smoke")}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--algorithm", "gpc"], "'gpc' searches around a column; name it as target."),
        (["--algorithm", "pc_sable"], "There is no search for graphs"),
        (["--algorithm", "pc_confirmed", "--depth", "2"], "'pc_confirmed' has no option 'depth'"),
        (["--algorithm", "pc_confirmed", "--share", "3"], "share must be above 0 and at most 1"),
        (["--algorithm", "pc_confirmed", "--export", "g.docx"], "docx"),
    ],
)
def test_bad_input_is_one_sentence(table, words, sentence):
    answer = run("stability", table, "--quiet", *words)
    assert answer.exit_code == 2
    assert answer.stderr.startswith("error: ")
    assert sentence in answer.stderr
    assert answer.stdout == ""
