"""Write docs/experiments.md from experiments/results/*.json.

Run it after an experiment. The same results give the same text, and
``tests/docs/test_documentation.py`` fails when the page does not match them. Usage::

    python tools/render_experiments.py
"""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "experiments" / "results"
PAGE = ROOT / "docs" / "experiments.md"
_PICTURES = runpy.run_path(str(Path(__file__).with_name("record_pictures.py")))
HARNESS = runpy.run_path(str(ROOT / "experiments" / "harness.py"))
PAPERS = runpy.run_path(str(ROOT / "tools" / "paper_table.py"))

TARGETS = {
    "brown2009_fsmb": "experiment-fsmb",
    "brown2009_manipulation": "experiment-manipulation",
    "brown2009_real": "experiment-real",
    "brown2009_regions": "experiment-regions",
    "brown2009_rfe": "experiment-rfe",
    "brown2009_weights": "experiment-weights",
    "calibration": "experiment-calibration",
    "challenge": "experiment-challenge",
    "false_discoveries": "experiment-false-discoveries",
    "lantz2007": "experiment-lantz",
    "mixed_kinds": "experiment-mixed",
    "pena2004_alarm": "experiment-confidence-alarm",
    "pena2004_leukaemia": "experiment-confidence-leukaemia",
    "pena2004_leukaemia_widths": "experiment-confidence-widths",
    "pena2007_table6": "experiment-table6",
    "pena2007_thrombin": "experiment-thrombin",
    "prediction": "experiment-prediction",
    "symmetry": "experiment-symmetry",
    "tsamardinos2003": "experiment-tsamardinos",
    "tsamardinos2003_mmpc": "experiment-mmpc",
}

OWN_PAGES = ("accuracy",)
"""Experiments that have a page of their own."""

OPENING = """# Experiments

This page is written by `tools/render_experiments.py` from the files in `experiments/results`; do
not edit it by hand. Each experiment repeats one of a paper; the paper's numbers stand beside ours,
and where ours are worse than was aimed at it says so. Networks come with the library. Thrombin,
DOROTHEA, leukaemia, REGED, MARTI and CINA do not: set `EIDERDOWN_DATA` to the folder that holds
them.

## Five papers, table by table

What each table and figure came to by the paper's own definition, what differs from it and why, by
which command it is repeated, and the minutes that took. "shown" are numbers that stand beside the
paper's without a claim to be met; "not run" is what nobody has repeated here yet.
"""


def records() -> list[dict[str, Any]]:
    """Read the results, by name."""
    paths = (path for path in sorted(RESULTS.glob("*.json")) if path.stem not in OWN_PAGES)
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths]


def page(results: list[dict[str, Any]]) -> str:
    """Return the page on all experiments."""
    by_name = {record["name"]: record for record in results}
    table = PAPERS["paper_table"](by_name, TARGETS)
    return "\n".join([OPENING, f"{table}\n", *map(section, results)])


def section(record: dict[str, Any]) -> str:
    """Return what is told of one experiment."""
    params = "; ".join(f"{name}: {_written(value)}" for name, value in record["params"].items())
    versions = ", ".join(f"{name} {number}" for name, number in record["versions"].items())
    parts = [
        f"## {record['title']}",
        f"After {record['paper']}. Repeat it with `make {TARGETS[record['name']]}` "
        f"({record['seconds'] / 60:.0f} minutes here).",
        *([] if record["complete"] else ["**Interrupted: not all of it was run.**"]),
        f"- {params}\n- {versions}",
        *(_table(record["name"], table) for table in record["tables"]),
        *record["notes"],
    ]
    return "\n\n".join(parts) + "\n"


def _table(name: str, table: dict[str, Any]) -> str:
    """Return a table, and the picture that stands below it if there is one."""
    shown: str = HARNESS["markdown"](HARNESS["Table"](**table))
    picture = _PICTURES["PICTURES"].get(name)
    if picture is None or not table["title"].startswith(picture.below):
        return shown
    return f"{shown}\n\n{picture.markdown()}"


def _written(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {item}" for name, item in value.items())
    return str(value)


def main() -> None:
    """Write the page, and draw its pictures."""
    _PICTURES["main"]()
    PAGE.write_text(page(records()), encoding="utf-8")


if __name__ == "__main__":
    main()
