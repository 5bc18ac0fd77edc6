"""Commands are made from the declarations of verbs, and nothing is said twice."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Any, Literal, Unpack

import pytest
from typer.testing import CliRunner

import eiderdown.api
from eiderdown.cli.app import VERBS
from eiderdown.cli.commands import SETTERS, Command, DeliveryOptions
from eiderdown.errors import OptionError
from eiderdown.options import Option, declared, options_of
from eiderdown.registry import registry_at
from eiderdown.shared_options import RunOptions


class Wanted(RunOptions, total=False):
    share: Annotated[float, Option("share of rows", default=0.5, between=(0, 1))]
    rule: Annotated[Literal["and", "or"], Option("how to combine", default="and")]
    columns: Annotated[Collection[str], Option("columns to use", default=(), flag="--column")]
    sizes: Annotated[Collection[int], Option("sizes to try", default=(1, 2))]
    nested: Annotated[bool, Option("judge twice", default=True)]
    hidden: Annotated[Any, Option("not for the command line", default=None, flag="")]


class Picture(DeliveryOptions, total=False):
    plot: Annotated[Path | None, Option("draw it", default=None)]


@declared
def measure(data: Any, *, target: str, **options: Unpack[Wanted]) -> dict[str, Any]:
    """Measure."""
    return {"rows": data.n_rows, "target": target, **options}


@pytest.fixture
def run(monkeypatch, tmp_path):
    monkeypatch.setattr(eiderdown.api, "measure", measure, raising=False)
    table = tmp_path / "table.csv"
    table.write_text("a,b\n" + "0,1\n1,0\n" * 3)
    outcomes = []
    command = Command("measure", "measure", "Measure it.", extras=Picture, deliver=outcomes.append)

    def called(*words, error=None):
        result = CliRunner().invoke(command.build(), [str(table), *words])
        if error is not None:
            assert isinstance(result.exception, OptionError)
            assert error in str(result.exception)
            return None
        assert result.exit_code == 0, result.output
        return outcomes[-1] if outcomes else result.output

    return called


def test_options_that_are_not_given_have_the_verbs_defaults(run):
    outcome = run("--target", "a")
    assert outcome.result["share"] == 0.5
    assert outcome.result["progress"] is True
    assert outcome.options == {"target": "a"}
    assert outcome.extras == {"json": False, "out": None, "report": None, "plot": None}


def test_texts_are_read_in_the_options_types(run, tmp_path):
    outcome = run(
        *("--target", "a", "--share", "1", "--rule", "or", "--column", "x", "--column", "y=z"),
        *("--sizes", "3,4", "--no-nested", "--quiet", "--seed", "7", "--jobs", "1", "--json"),
        *("--plot", str(tmp_path / "p.png")),
    )
    assert outcome.options == {
        **{"target": "a", "share": 1.0, "rule": "or", "columns": ("x", "y=z"), "sizes": (3, 4)},
        **{"nested": False, "progress": False, "random_state": 7, "n_jobs": 1},
    }
    assert outcome.extras["json"] is True
    assert outcome.extras["plot"] == tmp_path / "p.png"


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--share", "2"], "share must be from 0 to 1"),
        (["--rule", "xor"], "rule must be one of"),
        (["--kind", "a"], "--kind 'a' gives no value"),
        (["--plot", "/no/such/folder/p.png"], "There is no folder"),
        (["--out", "/"], "is a folder; give --out the name of a file"),
    ],
)
def test_bad_words_get_one_sentence_before_any_work(run, words, error):
    run("--target", "a", *words, error=error)


def test_help_shows_every_option_but_hidden_ones(run):
    said = run("--help")
    for word in ("Measure it.", "--share", "share of rows", "0.5", "and|or", "--out", "--plot"):
        assert word.lower() in said.lower()
    assert "--hidden" not in said


@pytest.mark.parametrize("command", VERBS, ids=lambda command: command.name)
def test_every_command_has_every_option_of_its_verb(command):
    said = CliRunner().invoke(command.build(), ["--help"], env={"COLUMNS": "250"}).output
    known = options_of(getattr(eiderdown.api, command.verb))
    for name, option in known.items():
        flag = f"--{name.replace('_', '-')}" if option.option.flag is None else option.option.flag
        assert flag in said
    assert all(SETTERS[name] in said for name in SETTERS if name in known)


@pytest.mark.parametrize("command", VERBS, ids=lambda command: command.name)
def test_algorithms_of_a_command_are_known(command):
    algorithm = options_of(getattr(eiderdown.api, command.verb)).get("algorithm")
    if algorithm is None:
        assert not command.algorithms
    elif algorithm.default is not None:
        assert algorithm.default in ("auto", *registry_at(command.algorithms).names)
