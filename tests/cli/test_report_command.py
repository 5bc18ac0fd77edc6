"""``--report`` of the verbs, and ``eiderdown report`` for saved results."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import run

from eiderdown import networks
from eiderdown.cli.app import VERBS
from eiderdown.options import options_of
from eiderdown.results import load_result

OLD = Path(__file__).parents[1] / "results" / "files_of_0_1"


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "asia.csv"
    assert run("sample", "asia", "--rows", 1000, "--out", path).exit_code == 0
    return path


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_every_verb_takes_a_report(verb):
    assert options_of(verb.extras)["report"].option.metavar == "FILE.html"


def test_a_search_saves_reports_and_prints(table, tmp_path):
    words = ("find", table, "dysp", "--out", tmp_path / "r.json", "--report", tmp_path / "r.html")
    found = run(*words)
    assert found.exit_code == 0
    assert "Markov boundary of 'dysp'" in found.stdout
    assert f"The report is in {tmp_path / 'r.html'}" in found.stderr
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    for member in load_result(tmp_path / "r.json").members:
        assert member in page
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.html", "r.json"]


def test_quiet_says_nothing_and_json_stays_json(table, tmp_path):
    words = ("find", table, "dysp", "--json", "--quiet", "--report", tmp_path / "r.html")
    found = run(*words)
    assert "report" not in found.stderr
    assert found.stdout.startswith("{")
    assert (tmp_path / "r.html").exists()


def test_a_network_has_a_report_beside_its_other_files(table, tmp_path):
    words = ("network", table, "--quiet", "--report", tmp_path / "n.html", "--export")
    assert run(*words, tmp_path / "n.dot").exit_code == 0
    assert {path.name for path in tmp_path.iterdir()} == {"n.html", "n.dot"}
    page = (tmp_path / "n.html").read_text(encoding="utf-8")
    assert all(name in page for name in networks.load("asia").dag.nodes)


@pytest.mark.parametrize(
    ("report", "sentence"),
    [
        ("nowhere/r.html", "There is no folder"),
        ("r.json", "--out and --report name the same file; give each a name of its own."),
    ],
)
def test_a_report_that_cannot_be_is_refused_before_any_work(table, tmp_path, report, sentence):
    words = ("find", table, "dysp", "--out", tmp_path / "r.json", "--report", tmp_path / report)
    found = run(*words)
    assert found.exit_code == 2
    assert sentence in found.stderr.replace("\n", " ")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", ["boundary", "confidence", "comparison"])
def test_a_saved_result_of_any_kind_becomes_a_page(kind, tmp_path):
    saved = tmp_path / f"{kind}.json"
    saved.write_bytes((OLD / f"{kind}.json").read_bytes())
    found = run("report", saved)
    assert found.exit_code == 0
    assert found.stdout.replace("\n", "") == f"Wrote the report to {tmp_path / kind}.html"
    elsewhere = tmp_path / "elsewhere.html"
    assert run("report", saved, "--out", elsewhere).exit_code == 0
    assert elsewhere.read_bytes() == (tmp_path / f"{kind}.html").read_bytes()


def test_what_is_no_result_is_refused(tmp_path):
    other = tmp_path / "other.json"
    other.write_text("{}")
    found = run("report", other)
    assert found.exit_code == 2
    assert "not the JSON of a result" in found.stderr.replace("\n", " ")
    assert run("report", other, "--out", other).exit_code == 2
    assert other.read_text() == "{}"
    assert list(tmp_path.iterdir()) == [other]
