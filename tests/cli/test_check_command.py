"""``eiderdown check``: is it a boundary?"""

import pytest
from command_line import run

from eiderdown import BoundaryCheck, check_boundary, networks


@pytest.fixture(scope="module")
def asia_csv(tmp_path_factory):
    path = tmp_path_factory.mktemp("check") / "asia.csv"
    networks.load("asia").sample(2_000, random_state=0).to_pandas().to_csv(path, index=False)
    return path


def test_command_prints_the_answer_of_the_verb(asia_csv, tmp_path):
    words = ("check", asia_csv, "--target", "dysp", "--member", "bronc")
    said = run(*words, "--out", tmp_path / "check.json", columns=200)
    assert said.exit_code == 0
    found = BoundaryCheck.load(tmp_path / "check.json")
    direct = check_boundary(asia_csv, "dysp", members=["bronc"])
    assert (found.answer, found.dependent, found.added) == (
        direct.answer,
        direct.dependent,
        direct.added,
    )
    first, second = said.stdout.splitlines()[:2]
    assert first == "Is 'bronc' the Markov boundary of 'dysp'?"
    assert second == direct.sentence
    assert "A boundary from there: bronc, either." in said.stdout
    assert run("show", tmp_path / "check.json", columns=200).stdout == said.stdout


def test_no_members_is_a_sentence_and_exit_code_2(asia_csv):
    said = run("check", asia_csv, "dysp")
    assert said.exit_code == 2
    assert "members" in said.stderr
