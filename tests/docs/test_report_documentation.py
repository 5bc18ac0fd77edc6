"""The page on reports has the numbers that were measured, and pictures that are small."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]
TOOL = runpy.run_path(str(ROOT / "tools" / "render_report_page.py"))


def test_the_numbers_are_those_that_were_measured():
    page = TOOL["PAGE"].read_text(encoding="utf-8")
    record = json.loads(TOOL["RECORD"].read_text(encoding="utf-8"))
    assert page == TOOL["with_section"](page, record)


def test_a_missed_aim_is_said():
    pages = {"wide": {"bytes": 4e6, "paint_milliseconds": 100.0}}
    said = TOOL["section"]({"chromium": "1", "pages": pages})
    assert "missed by wide (bytes)." in said
    pages["wide"]["bytes"] = 1e6
    assert "met by all." in TOOL["section"]({"chromium": "1", "pages": pages})


def test_pictures_are_small():
    page = TOOL["PAGE"].read_text(encoding="utf-8")
    pictures = [ROOT / "docs" / path for path in re.findall(r"\((pictures/[^)]+)\)", page)]
    assert len(pictures) == 4
    assert [path.name for path in pictures if path.stat().st_size > 150_000] == []
