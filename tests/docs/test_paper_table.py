"""The table of the five papers says what the saved records say, and leaves none of them out."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOL = runpy.run_path(str(ROOT / "tools" / "render_experiments.py"))
PAPERS = TOOL["PAPERS"]
RECORDS = {record["name"]: record for record in TOOL["records"]()}
LINES = [line for lines in PAPERS["PAPERS"].values() for line in lines]
OF_THE_PAPERS = (
    "brown2009_",
    "challenge",
    "lantz2007",
    "pena2004_",
    "pena2007_",
    "tsamardinos2003",
)


def record_of(*rows, notes=()):
    columns = ["rows", "rule", "within"]
    return {"tables": [{"title": "Alarm, 37", "columns": columns, "rows": rows, "notes": notes}]}


def test_every_experiment_on_one_of_the_papers_has_a_line():
    named = {line.record for line in LINES} - {None}
    assert {name for name in RECORDS if name.startswith(OF_THE_PAPERS)} == named


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.item)
def test_every_verdict_can_be_read_from_its_record(line):
    verdict = line.verdict
    if line.record is not None and not isinstance(verdict, str):
        verdict = verdict(RECORDS[line.record])
        assert verdict.startswith(("met", "missed"))
        assert " 0 of 0" not in verdict
    assert verdict


def test_cells_are_counted_and_one_miss_is_a_miss():
    record = record_of([100, "a", "met"], [200, "a", "under 5 s: missed"], [300, "b", None])
    assert PAPERS["cells"]("Alarm", "within")(record) == "missed: 1 of 2 cells"
    assert PAPERS["cells"]("Alarm", "within", only=100)(record) == "met: 1 of 1 cells"


def test_notes_are_read_by_their_pattern():
    record = {"tables": [], "notes": ["Better in 3 of 4 cells: missed."]}
    assert PAPERS["noted"](r"Better in (.*): (met|missed)")(record) == "missed: 3 of 4 cells"
    assert PAPERS["noted"](r"Worse in (.*): (met|missed)")(record) == "not run"


def test_the_page_opens_with_the_table():
    page = TOOL["PAGE"].read_text(encoding="utf-8")
    assert page.index("## Five papers, table by table") < page.index(RECORDS["challenge"]["title"])
    assert "| not run |" in page
