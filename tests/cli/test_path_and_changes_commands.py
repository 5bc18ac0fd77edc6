"""``eiderdown path`` and ``eiderdown changes``."""

from __future__ import annotations

import json

import pytest
from command_line import run

from eiderdown import BoundaryPath, ResultChanges, networks


@pytest.fixture(scope="module")
def asia_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("path") / "asia.csv"
    networks.load("asia").sample(1_000, random_state=0).to_pandas().to_csv(path, index=False)
    return path


def test_a_path_is_printed_and_given_as_json(asia_file):
    words = ("path", asia_file, "--target", "dysp", "--alphas", "1e-6,0.05", "--algorithm", "iamb")
    printed = run(*words)
    assert printed.exit_code == 0
    assert "Markov boundary of 'dysp' at 2 significance levels" in printed.stdout
    rows = [line.split() for line in printed.stdout.splitlines()]
    assert ["bronc", "x", "x"] in rows
    found = BoundaryPath.from_json(run(*words, "--json").stdout)
    assert found.alphas == (1e-6, 0.05)


def test_changes_between_two_files(asia_file, tmp_path):
    files = [tmp_path / name for name in ("strict.json", "lenient.json")]
    for path, alpha in zip(files, ("1e-40", "0.01"), strict=True):
        done = run(
            "find", asia_file, "dysp", "--algorithm", "iamb", "--alpha", alpha, "--out", path
        )
        assert done.exit_code == 0
    printed = run("changes", *files)
    assert printed.exit_code == 0
    assert "entered: either" in printed.stdout
    assert "Why: alpha was 1e-40 and is 0.01" in printed.stdout
    out = tmp_path / "changes.json"
    as_json = run("changes", *files, "--json", "--out", out)
    assert json.loads(as_json.stdout) == json.loads(out.read_text())
    assert ResultChanges.load(out).reasons == ("alpha was 1e-40 and is 0.01",)
    shown = run("show", out)
    assert "entered: either" in shown.stdout


def test_what_cannot_be_compared_ends_with_a_sentence(tmp_path):
    gone = run("changes", tmp_path / "a.json", tmp_path / "b.json")
    assert gone.exit_code == 2
    assert "a.json" in gone.stderr
