"""Whatever is given for an option ends in an answer or in one sentence, and never in a traceback.

``odd_options`` lists every declared option and every odd value. Here a seeded sample is tried; the
whole product is a slow test.
"""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from odd_options import USUAL, Case, attempt, cases, places, tiny
from typer.main import get_command
from typer.testing import CliRunner

import eiderdown
from eiderdown.cli.app import VERBS, app
from eiderdown.errors import OptionError
from eiderdown.options import options_of

pytestmark = pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")

N_SAMPLED = 2_000

SLOW_OWNERS = ("compare_selectors", "CausalPredictor", "predict", "find_interactions")
"""Whose usual call takes a tenth of a second or more; the sample has fewer of them."""

FILES = ("data", "new_rows", "test_data", "knowledge", "state", "resume")
PATHS = ("surrogate", "null_character", "escape", "long_text", "long_path", "unprintable")
"""Options that take paths, and odd paths, which the tests of files are about."""


def _is_ours(case: Case) -> bool:
    return not (case.option in FILES and case.value in PATHS)


def _sampled() -> list[Case]:
    draw = random.Random(15)
    every = [case for case in cases() if _is_ours(case)]
    quick = [case for case in every if case.owner not in SLOW_OWNERS]
    slow = [case for case in every if case.owner in SLOW_OWNERS]
    return draw.sample(quick, N_SAMPLED) + draw.sample(slow, 20)


def _failures(some: list[Case]) -> list[str]:
    return [problem for problem in map(attempt, some) if problem is not None]


def test_every_option_that_is_declared_is_tried():
    tried = {(owner, option) for owner, option, _ in places()}
    for name in eiderdown.api.__all__:
        verb = getattr(eiderdown.api, name)
        if hasattr(verb, "declared_options"):
            assert {(name, option) for option in options_of(verb)} <= tried
    assert len(tried) > 500


def test_a_sample_of_odd_values_ends_in_answers_and_sentences():
    assert _failures(_sampled()) == []


@pytest.mark.slow
@pytest.mark.parametrize("owner", sorted({owner for owner, _, _ in places()}))
def test_every_odd_value_of_every_option_ends_in_an_answer_or_a_sentence(owner):
    assert _failures([c for c in cases() if c.owner == owner and _is_ours(c)]) == []


@pytest.mark.slow
def test_the_usual_calls_succeed():
    for owner, option, call in places():
        assert call(USUAL) is not None, (owner, option)


# --- the examples of the issue -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"alpha": "0.05"}, r"alpha must be float, not '0\.05'"),
        ({"alpha": np.array([0.05])}, r"alpha must be float, not array\(\[0\.05\]\)"),
        ({"alpha": 10**400}, "alpha must be float, not 1000"),
        ({"exclude": "a"}, r"exclude must be collection of label, not 'a'\. One of them alone"),
        ({"required": b"a"}, "required must be collection of label, not b'a'"),
        ({"max_given": 10**30}, "max_given must be int or None"),
        ({"random_state": "0"}, "random_state must be int or None"),
        ({"random_state": np.random.default_rng(0)}, "random_state must be int or None"),
        ({"algorithm": np.array(["iamb"])}, "algorithm must be str or algorithm"),
        ({"column_groups": {"g": 1}}, "column_groups must map"),
        ({"sample_weight": np.ones(3)}, "sample_weight has 3 values but the table has 40 rows"),
        ({"sample_weight": {}}, "The table has no column"),
        ({"test": lambda data: None}, "must return an IndependenceTest"),
        ({"kinds": {"a": 7}}, "The kind of column 'a' must be"),
    ],
)
def test_odd_options_are_refused_by_name(given, sentence):
    with pytest.raises(eiderdown.EiderdownError, match=sentence):
        eiderdown.find_boundary(tiny("discrete"), "t", progress=False, **given)


def test_no_targets_are_refused_in_a_sentence():
    with pytest.raises(eiderdown.EiderdownError, match="targets"):
        eiderdown.find_all_boundaries(tiny("discrete"), targets=[], progress=False)


def test_endless_runs_end_with_their_time():
    found = eiderdown.find_boundaries(
        tiny("discrete"), "t", runs=2**62, patience=None, cv=None, time_limit=0.3
    )
    assert found.n_runs < 2**62
    assert not found.complete


def test_more_runs_than_any_number_are_refused():
    with pytest.raises(OptionError, match="runs must be int, not 10000"):
        eiderdown.find_boundaries(tiny("discrete"), "t", runs=10**30)


def test_an_endless_time_limit_is_no_limit():
    found = eiderdown.find_boundary(tiny("discrete"), "t", time_limit=math.inf, progress=False)
    assert found.complete


def test_scalars_and_0d_arrays_of_numpy_are_what_they_hold():
    plain = eiderdown.find_boundary(tiny("discrete"), "t", alpha=0.25, progress=False)
    for alpha in (np.float32(0.25), np.array(0.25), np.float64(0.25)):
        found = eiderdown.find_boundary(
            tiny("discrete"), np.str_("t"), alpha=alpha, algorithm=np.array("iamb"), progress=False
        )
        assert found.members == plain.members
        assert found.run.options["alpha"] == 0.25


# --- the command line ----------------------------------------------------------------------------

ODD_TEXTS = (
    *("", " ", "nan", "inf", "-inf", "1e400", "-1", "0", "1e30", "0.5", "none", "true", "nonsense"),
    *("\x1b[31m", "é" * 30, "a,b", ",", "{}", "[1]", "{'a': 1}", "=", "a=", "=1", "a=1=2"),
    "9" * 40,
)


def _commands() -> list[tuple[str, str]]:
    """Return every (command, flag) that takes a text."""
    found = []
    for verb in VERBS:
        flags = [flag for known in get_command(verb.build()).params for flag in known.opts]
        found += [(verb.name, flag) for flag in flags if flag.startswith("--") and flag != "--help"]
    return found


def _tried(table: str, folder: str, command: str, flag: str, text: str) -> str | None:
    """Run a command with an odd text for a flag; return what went wrong, if anything."""
    names = {"test": ["a", "t"], "predict": [table, "t"], "network": [], "all": [], "stability": []}
    words = names.get(command, ["t"] if command != "confidence" else [])
    quick = [] if flag == "--time-limit" else ["--time-limit", "1"]
    quick = [] if command == "test" else quick
    ran = CliRunner().invoke(app, [command, table, *words, *quick, f"{flag}={text}"])
    problem = ran.exception
    if isinstance(problem, SystemExit | None) and ran.exit_code in (0, 2, 130):
        return None
    return f"eiderdown {command} {flag}={text!r}: exit {ran.exit_code}, {problem!r}"


@pytest.fixture(scope="module")
def table_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("odd") / "table.csv"
    tiny("discrete").to_pandas().to_csv(path, index=False)
    return path


def test_a_sample_of_odd_texts_on_the_command_line(table_file, monkeypatch):
    monkeypatch.chdir(table_file.parent)
    commands = [(c, f) for c, f in _commands() if c not in ("compare", "interactions", "predict")]
    assert len(commands) > 150
    draw = random.Random(15)
    tried = [(*draw.choice(commands), draw.choice(ODD_TEXTS)) for _ in range(70)]
    failures = [_tried(str(table_file), ".", *one) for one in tried]
    assert [failure for failure in failures if failure] == []


@pytest.mark.slow
@pytest.mark.parametrize("text", ODD_TEXTS)
def test_every_odd_text_for_every_flag(table_file, monkeypatch, text):
    monkeypatch.chdir(table_file.parent)
    failures = [_tried(str(table_file), ".", *one, text) for one in _commands()]
    assert [failure for failure in failures if failure] == []
