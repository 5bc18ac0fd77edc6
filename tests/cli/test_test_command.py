"""``eiderdown test``: one question on the command line."""

import pytest
from command_line import run

import eiderdown
from eiderdown import IndependenceAnswer, networks


@pytest.fixture(scope="module")
def asia_csv(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "asia.csv"
    networks.load("asia").sample(2_000, random_state=0).to_pandas().to_csv(path, index=False)
    return path


def test_command_prints_the_answer_of_the_verb(asia_csv):
    words = ("test", asia_csv, "smoke", "xray", "--given", "either", "--given", "bronc")
    said = run(*words, columns=200)
    assert said.exit_code == 0
    assert said.stdout.startswith("'smoke' and 'xray' given 'either', 'bronc': ")
    found = IndependenceAnswer.from_json(run(*words, "--json").stdout)
    direct = eiderdown.test(asia_csv, "smoke", "xray", given=["either", "bronc"])
    assert (found.log_p, found.answer, found.given) == (direct.log_p, direct.answer, direct.given)


def test_options_of_the_test_can_be_set(asia_csv):
    said = run(
        "test",
        asia_csv,
        "smoke",
        "xray",
        "--test",
        "g_square",
        "--test-set",
        "dof=nominal",
        "--json",
    )
    assert IndependenceAnswer.from_json(said.stdout).run.options["dof"] == "nominal"


def test_saved_answer_is_shown_again(asia_csv, tmp_path):
    first = run("test", asia_csv, "smoke", "xray", "--out", tmp_path / "answer.json")
    assert run("show", tmp_path / "answer.json").stdout == first.stdout


def test_unknown_column_is_a_sentence_and_exit_code_2(asia_csv):
    said = run("test", asia_csv, "smoke", "nothing")
    assert said.exit_code == 2
    assert "'nothing'" in said.stderr
