"""Results of every kind at the widths of terminals: texts fold, and nothing is cut off."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from eiderdown.report import render
from eiderdown.report.text import FoldingTable, cell, counted
from eiderdown.results import load_result

RESULTS = sorted((Path(__file__).parents[1] / "results" / "files_of_0_1").glob("*.json*"))


def printed(something, width):
    stream = io.StringIO()
    console = Console(file=stream, width=width)
    if isinstance(something, FoldingTable):
        console.print(something)
    else:
        render(something, console)
    return stream.getvalue()


def test_there_are_results_to_print():
    assert len(RESULTS) > 5


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.name)
def test_every_kind_of_result(path):
    result = load_result(path)
    for width in (60, 80, 120):
        text = printed(result, width)
        assert "…" not in text
        rules = [line for line in text.splitlines() if line.startswith("──")]
        assert all(len(rule) <= width for rule in rules)


@pytest.mark.parametrize("width", [20, 30, 60])
def test_names_can_be_put_together_again(width):
    name = "the_temperature_of_the_engine_in_kelvin"
    table = FoldingTable()
    table.add_column("column")
    table.add_column("p", justify="right")
    table.add_row(cell(name), "1.5e-12")
    lines = printed(table, width).splitlines()
    assert max(map(len, lines)) <= width
    assert "".join(line.replace("1.5e-12", "").strip() for line in lines[2:]) == name


def test_numbers_are_never_folded():
    table = FoldingTable(dispensable=("statistic",))
    for heading in ("statistic", "p"):
        table.add_column(heading, justify="right")
    table.add_row("1,234,567.8", "1.5e-1234")
    assert "1,234,567.8" in printed(table, 24)
    assert "1,234,567.8" not in printed(table, 18)  # left out, and not cut
    assert "1.5e-1234" in printed(table, 18)


def test_one_of_something_has_no_plural():
    assert [counted(n, "true member") for n in (0, 1, 1_000)] == [
        "0 true members",
        "1 true member",
        "1,000 true members",
    ]
