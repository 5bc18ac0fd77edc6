"""``eiderdown networks``, ``eiderdown sample`` and ``eiderdown demo``."""

import numpy as np
import pytest
from command_line import run

from eiderdown import Dataset, MarkovBoundary, networks
from eiderdown.cli.listing import NETWORK, TARGET
from eiderdown.progress import Cancelled


def test_networks_lists_every_network_with_its_size():
    lines = run("networks").stdout.splitlines()
    assert lines[0].split() == ["network", "kind", "nodes", "edges"]
    listed = {line.split()[0]: line.split()[1:] for line in lines if len(line.split()) == 4}
    for name, summary in networks.available().items():
        assert listed[name] == [summary.kind, str(summary.n_nodes), str(summary.n_edges)]


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_sample_writes_the_rows_that_the_library_draws(tmp_path, suffix):
    path = tmp_path / f"asia{suffix}"
    result = run("sample", "asia", "--rows", 300, "--seed", 7, "--out", path)
    assert result.exit_code == 0
    assert result.stdout == f"Wrote 300 rows x 8 columns to {path}\n"
    drawn = networks.load("asia").sample(300, random_state=7)
    assert Dataset.of(path).to_pandas().astype(str).equals(drawn.to_pandas().astype(str))


def test_sample_of_a_gaussian_network_keeps_every_digit(tmp_path):
    path = tmp_path / "ecoli.csv"
    run("sample", "ecoli70", "--rows", 20, "--seed", 1, "--out", path)
    drawn = networks.load("ecoli70").sample(20, random_state=1)
    np.testing.assert_array_equal(Dataset.of(path).to_pandas(), drawn.to_pandas())


def test_parquet_keeps_levels_that_no_row_shows(tmp_path):
    path = tmp_path / "asia.parquet"
    run("sample", "asia", "--rows", 2, "--seed", 0, "--out", path)
    assert Dataset.of(path).n_categories.tolist() == [2] * 8


@pytest.mark.no_cover
@pytest.mark.parametrize(
    "network", [name for name, what in networks.available().items() if what.kind == "discrete"]
)
def test_csv_holds_the_levels_of_every_discrete_network(tmp_path, network):
    path = tmp_path / "sample.csv"
    run("sample", network, "--rows", 15, "--out", path)
    drawn, back = networks.load(network).sample(15, random_state=0), Dataset.of(path)
    assert back.names == drawn.names
    for i in range(drawn.n_columns):
        cells = [str(drawn.categories(i)[code]).lower() for code in drawn.codes(i)]
        found = [str(back.categories(i)[code]).lower() for code in back.codes(i)]
        assert found == cells


def test_mistyped_network_gets_the_suggestion_only(tmp_path):
    said = run("sample", "alram", "--out", tmp_path / "a.csv").stderr
    assert (
        said == "error: There is no reference network named 'alram'; perhaps 'alarm' was meant.\n"
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["assia", "--out", "a.csv"], "no reference network named 'assia'; perhaps 'asia'"),
        (["asia", "--out", "a.xlsx"], "Cannot write 'a.xlsx'; give --out a name in .csv"),
        (["asia", "--out", "nowhere/a.csv"], "There is no folder 'nowhere'"),
        (["asia", "--rows", "-1", "--out", "a.csv"], "n_rows"),
        (["asia", "--seed", "-1", "--out", "a.csv"], "random_state must be a non-negative"),
    ],
)
def test_bad_sample_gets_one_sentence(tmp_path, monkeypatch, words, sentence):
    monkeypatch.chdir(tmp_path)
    result = run("sample", *words)
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")
    assert sentence in result.stderr
    assert not list(tmp_path.iterdir())


def test_demo_shows_the_boundary_beside_the_truth_and_says_where_it_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("demo")
    assert result.exit_code == 0
    path = tmp_path / "eiderdown-report" / f"{NETWORK}-{TARGET}.json"
    saved = MarkovBoundary.load(path)
    truth = networks.load(NETWORK).dag.markov_boundary(TARGET)
    missed = ", ".join(sorted(truth - set(saved.members))) or "none"
    assert f"missed: {missed};" in result.stdout
    rows = [line.split() for line in result.stdout.splitlines() if " kept " in line]
    assert {row[0]: row[-1] for row in rows} == {
        name: "yes" if name in truth else "no" for name in saved.members
    }
    assert f"{saved.run.n_tests:,} tests ran" in result.stdout
    assert f"eiderdown-report/{NETWORK}-{TARGET}.json" in result.stdout
    assert f"eiderdown-report/{NETWORK}-{TARGET}.html" in result.stdout
    assert path.with_suffix(".html").exists()


def test_demo_target_has_parents_children_and_spouses():
    dag = networks.load(NETWORK).dag
    assert dag.parents(TARGET)
    assert dag.children(TARGET)
    assert dag.spouses(TARGET)


def test_interrupted_demo_exits_with_130(tmp_path, monkeypatch):
    def interrupt(*_):
        raise Cancelled

    monkeypatch.setattr("eiderdown.independence.CalibratedChiSquareTest._sweep", interrupt)
    result = run("demo", "--out", tmp_path)
    assert result.exit_code == 130
    assert "empty (interrupted: the best so far)" in result.stdout


def test_demo_that_cannot_write_says_so(tmp_path):
    blocked = tmp_path / "a-file"
    blocked.write_text("")
    result = run("demo", "--out", blocked)
    assert result.exit_code == 2
    assert "error: Cannot make the folder" in result.stderr
    assert "members" in result.stdout
