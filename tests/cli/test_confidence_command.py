"""``eiderdown confidence``: the tables, the files and the words for bad input."""

from __future__ import annotations

import json

import pytest
from command_line import run

from eiderdown import FeatureConfidence, networks


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("tables") / "asia.csv"
    networks.load("asia").sample(500, random_state=0).to_pandas().to_csv(path, index=False)
    return path


def confidence(*words):
    return run("confidence", *words, "--quiet")


@pytest.mark.no_cover
def test_tables_say_what_the_optima_agree_on(table):
    answer = confidence(table, "--runs", 400, "--k", 0.3)
    assert answer.exit_code == 0
    assert answer.stderr == ""
    lines = answer.stdout.splitlines()
    assert lines[0].startswith("kes: 400 runs found ")
    assert lines[1].split() == ["features", "threshold", "TP", "FP", "FN"]
    assert [line.split()[0] for line in lines[3:6]] == ["edges", "paths", "boundaries"]
    assert any(line.startswith("tub -> either") for line in lines)


def test_target_and_threshold_are_what_the_answer_is_about(table):
    answer = confidence(table, "--runs", 400, "--k", 0.3, "--target", "dysp", "--threshold", 0.9)
    assert "Markov boundary of 'dysp' at a confidence of 0.90: bronc" in answer.stdout
    assert " 0.90 " in answer.stdout.splitlines()[3]


def test_doubts_go_to_stderr_and_json_to_stdout(table, tmp_path):
    saved = tmp_path / "found.json"
    answer = confidence(table, "--runs", 20, "--json", "--out", saved, "--weighting", "runs")
    found = FeatureConfidence.from_dict(json.loads(answer.stdout))
    assert FeatureConfidence.load(saved) == found
    assert answer.stderr.startswith("warning: There are only 20 runs")
    assert "kes: 20 runs found" in run("show", saved).stdout


def test_state_is_gone_on_from(table, tmp_path):
    state = tmp_path / "state.json"
    assert confidence(table, "--runs", 20, "--state", state).exit_code == 0
    answer = confidence(table, "--runs", 60, "--state", state, "--json")
    whole = confidence(table, "--runs", 60, "--json")
    assert json.loads(answer.stdout)["models"] == json.loads(whole.stdout)["models"]
    assert FeatureConfidence.load(state).n_runs == 60
    refused = confidence(table, "--runs", 60, "--state", state, "--k", 0.5)
    assert refused.exit_code == 2
    assert "were made with k=0.8, not 0.5" in refused.stderr


def test_resamples_and_boundaries_with_options_of_their_searches(table):
    answer = confidence(
        table, "--source", "resamples", "--algorithm", "gpc", "--target", "dysp", "--depth", 1,
        "--runs", 2, "--alpha", 0.05, "--method", "subsample", "--share", 0.8, "--json",
    )  # fmt: skip
    found = FeatureConfidence.from_dict(json.loads(answer.stdout))
    assert (found.source, found.run.algorithm, found.n_runs) == ("resamples", "gpc", 2)
    assert (found.run.options["alpha"], found.run.options["share"]) == (0.05, 0.8)
    answer = confidence(
        table, "--source", "boundaries", "--target", "dysp", "--runs", 10,
        "--algorithm", "kiamb", "--set", "fraction=0.2",
        "--test", "g_square", "--test-set", "reliability=always", "--exclude", "asia", "--json",
    )  # fmt: skip
    found = FeatureConfidence.from_dict(json.loads(answer.stdout))
    assert found.run.options["fraction"] == 0.2
    assert found.run.options["reliability"] == "always"
    assert "asia" not in found.nodes


def test_options_of_the_score_and_of_the_network(table, tmp_path):
    known = tmp_path / "known.json"
    known.write_text(json.dumps({"tiers": [["smoke"], ["lung", "bronc"]]}))
    answer = confidence(
        table, "--runs", 5, "--score", "bdeu", "--score-set", "equivalent_sample_size=4",
        "--knowledge", known, "--max-parents", 2, "--seed", 3, "--json",
    )  # fmt: skip
    found = FeatureConfidence.from_dict(json.loads(answer.stdout))
    assert found.run.options["equivalent_sample_size"] == 4.0
    assert found.run.options["max_parents"] == 2
    assert found.run.random_state == 3
    assert found.confidence_of("directed", "bronc", "smoke") == 0.0


def test_pictures_are_drawn(table, tmp_path):
    curves, graph, optima = (tmp_path / name for name in ("curves.svg", "graph.png", "optima.pdf"))
    answer = confidence(
        table, "--runs", 20, "--plot-curves", curves, "--plot-graph", graph, "--target", "dysp",
        "--shares", "0.6,1", "--repeats", 2, "--plot-optima", optima, "--threshold", 0.4,
        "--exclude", "asia", "--exclude", "tub",
    )  # fmt: skip
    assert answer.exit_code == 0
    assert curves.read_text().startswith("<?xml")
    assert graph.read_bytes().startswith(b"\x89PNG")
    assert optima.read_bytes().startswith(b"%PDF")
    assert "Distinct models that kes finds, by share of the rows" in answer.stdout
    assert "60 %" in answer.stdout


def test_with_json_the_counts_of_optima_are_only_drawn(table, tmp_path):
    optima = tmp_path / "optima.png"
    answer = confidence(
        table, "--runs", 5, "--json", "--plot-optima", optima, "--shares", "1",
    )  # fmt: skip
    assert FeatureConfidence.from_dict(json.loads(answer.stdout)).n_runs == 5
    assert optima.exists()


def test_interrupted_it_prints_the_runs_so_far_and_says_so(table, monkeypatch):
    from eiderdown.confidence import optima
    from eiderdown.progress import Cancelled

    run_kes, n_runs = optima.run_kes, []

    def interrupted(search, **options):
        n_runs.append(1)
        if len(n_runs) > 7:
            raise Cancelled
        return run_kes(search, **options)

    monkeypatch.setattr(optima, "run_kes", interrupted)
    answer = confidence(table, "--runs", 30, "--jobs", 1, "--shares", "1")
    assert answer.exit_code == 130
    assert answer.stdout.startswith("kes: 7 runs (interrupted) found")
    assert "warning: Interrupted: 7 of 30 runs are in." in answer.stderr
    assert "Distinct models" not in answer.stdout


@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--score", "k2"], "The score 'k2' can differ between equivalent graphs"),
        (["--k", "1"], "with k=1 nothing is left to chance"),
        (["--threshold", "1.5"], "threshold must be above 0 and at most 1, not 1.5"),
        (["--target", "smok"], "smok"),
        (["--alpha", "0.05"], "source='kes' has no use for 'alpha'"),
        (["--test", "chi_square"], "source='kes' has no use for 'test'"),
        (["--set", "fraction=0.5"], "--set is about a named algorithm"),
        (["--score-set", "x=1"], "--score-set is about a named score"),
        (["--source", "boundaries"], "is about one column; name it as target"),
        (
            ["--source", "resamples", "--algorithm", "pc_sable"],
            "There is no search for graphs or boundaries 'pc_sable'",
        ),
        (["--source", "resamples", "--shares", "0.5"], "count local optima; leave out --source"),
        (["--shares", "half"], "shares must be"),
        (["--plot-graph", "g.docx"], "Cannot draw into 'g.docx'"),
        (["--plot-curves", "nowhere/c.png"], "There is no folder 'nowhere'"),
        (["--state", "nowhere/s.json"], "There is no folder 'nowhere'"),
    ],
)
def test_bad_input_is_one_sentence(table, words, sentence):
    answer = confidence(table, *words)
    assert answer.exit_code == 2
    assert answer.stderr.startswith("error: ")
    assert sentence in answer.stderr
    assert answer.stdout == ""
