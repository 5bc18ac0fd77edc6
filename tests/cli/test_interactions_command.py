"""``eiderdown interactions``, and ``eiderdown find --check-interactions``."""

import numpy as np
import pandas as pd
import pytest
from command_line import run

from eiderdown import Interactions, find_interactions
from eiderdown.progress import Cancelled
from eiderdown.progress import Trace as ProgressTrace

LAST = ("--seed", "4", "--json")
FIXED = ("--degree", "2", "--C", "1", "--alpha", "0.0001", "--quiet")


@pytest.fixture(scope="module")
def xor_csv(tmp_path_factory):
    rng = np.random.default_rng(0)
    coins = rng.integers(0, 2, size=(400, 8))
    frame = pd.DataFrame(coins, columns=[f"x{i}" for i in range(8)])
    frame["y"] = np.where(rng.random(400) < 0.9, coins[:, 2] ^ coins[:, 5], coins[:, 0])
    path = tmp_path_factory.mktemp("data") / "xor.csv"
    frame.to_csv(path, index=False)
    return path


def test_table_lists_the_features_and_how_far_to_trust_them(xor_csv):
    result = run("interactions", xor_csv, "--target", "y", *FIXED)
    assert result.exit_code == 0
    assert "2 variables" in result.stdout.splitlines()[0]
    assert "\nx2 * x5 " in result.stdout
    assert "Variables: x2, x5" in result.stdout
    assert "largest weights are proven" in result.stdout
    assert result.stderr == ""


def test_json_is_what_the_library_finds(xor_csv):
    words = ("--monomials", "7", "--method", "heur2", "--max-built", "9", "--folds", "3")
    more = ("--algorithm", "iamb", "--max-given", "1", "--require", "x0", "--exclude", "x1")
    rest = ("--coding", "zero_one", "--class-weight", "balanced", "--strict", "--test", "fisher_z")
    result = run("interactions", xor_csv, "--target", "y", *FIXED, *words, *more, *rest, *LAST)
    found = Interactions.from_json(result.stdout)
    with pytest.warns(match="proven"):
        direct = find_interactions(
            xor_csv,
            target="y",
            degree=2,
            C=1.0,
            alpha=0.0001,
            strict=True,
            n_monomials=7,
            method="heur2",
            max_built=9,
            folds=3,
            algorithm="iamb",
            max_given=1,
            required=["x0"],
            exclude=["x1"],
            coding="zero_one",
            class_weight="balanced",
            test="fisher_z",
            random_state=4,
        )
    assert found.monomials == direct.monomials
    assert found.svm == direct.svm
    assert found.run.options == direct.run.options


def test_out_saves_what_show_prints_again(xor_csv, tmp_path):
    path = tmp_path / "y.json"
    found = run(
        "interactions", xor_csv, "--target", "y", *FIXED, "--max-built", "12", "--out", path
    )
    shown = run("show", path)
    assert shown.exit_code == 0
    assert shown.stdout == found.stdout
    assert shown.stderr == found.stderr
    assert shown.stderr.startswith("warning: Only the first ")


def test_max_built_reaches_the_search(xor_csv):
    words = ("interactions", xor_csv, "--target", "y", *FIXED, "--json", "--max-built")
    assert Interactions.from_json(run(*words, "9").stdout).run.options["max_built"] == 9


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--target", "z"], "The table has no column 'z'"),
        (["--target", "y", "--degree", "0"], "degree must be at least 1"),
        (["--target", "y", "--C", "-1"], "C must be"),
        (["--target", "y", "--monomials", "0"], "n_monomials must be at least 1"),
        (["--target", "y", "--folds", "0"], "Without folds nothing can be chosen"),
        (["--target", "y", "--out", "nowhere/r.json"], "There is no folder 'nowhere'"),
    ],
)
def test_bad_input_gets_one_sentence_and_exit_code_2(xor_csv, words, sentence):
    result = run("interactions", xor_csv, *words)
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1


def test_ctrl_c_prints_what_there_is_and_exits_with_130(xor_csv, monkeypatch):
    def progressed(self, step, n_done):
        if step == "measuring how well they predict":
            raise Cancelled

    monkeypatch.setattr(ProgressTrace, "progressed", progressed)
    result = run("interactions", xor_csv, "--target", "y", *FIXED)
    assert result.exit_code == 130
    assert "2 variables (interrupted" in result.stdout
    assert "warning: Interrupted while measuring" in result.stderr


def test_find_warns_of_interactions_when_asked(xor_csv):
    plain = run("find", xor_csv, "--target", "y", "--quiet")
    assert plain.stderr == ""
    checked = run("find", xor_csv, "--target", "y", "--check-interactions", "--quiet")
    assert checked.exit_code == 0
    assert "with a column outside is x2 * x5" in checked.stderr
    assert checked.stderr.count("warning:") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--approximate", "sample", "--max-rows", "200"), "a sample of about 200 of 400 rows"),
        (("--approximate", "nystroem", "--n-landmarks", "60"), "sums over 60 of 400 rows"),
    ],
)
def test_fewer_rows_for_the_svm_are_said_and_recorded(xor_csv, words, said):
    result = run("interactions", xor_csv, "--target", "y", *FIXED, *words, "--json")
    found = Interactions.from_json(result.stdout)
    assert found.variables == ("x2", "x5")
    assert any(said in warning for warning in found.warnings)
    assert found.run.options["approximate"] == words[1]
