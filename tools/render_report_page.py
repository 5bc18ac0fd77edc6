"""Write the numbers of docs/report.md from benchmarks/results/report_page.json.

The same numbers give the same text, and ``tests/docs/test_report_documentation.py`` fails when the
page does not match them. Usage::

    python tools/render_report_page.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
RECORD = ROOT / "benchmarks" / "results" / "report_page.json"
PAGE = ROOT / "docs" / "report.md"
BEGIN = "<!-- rendered by tools/render_report_page.py -->\n"
END = "<!-- end of what is rendered -->\n"
_AIMS = {  # of which measure, how much at most, and what it is shown in
    "bytes": (3_000_000, 1e6, "MB"),
    "paint_milliseconds": (2_000, 1e3, "s"),
    "loaded_milliseconds": (2_000, 1e3, "s"),
    "why_not_milliseconds": (None, 1e3, "s"),
    "slider_milliseconds": (100, 1.0, "ms"),
}


def section(record: dict[str, Any]) -> str:
    """Return the table of what was measured."""
    lines = [
        f"In Chromium {record['chromium']}; medians of five visits.",
        "",
        '| report of | size | first paint | open | first "why not" | slider |',
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, row in record["pages"].items():
        lines.append(f"| {name} | {' | '.join(_judged(row, key) for key in _AIMS)} |")
    aims = "Aims: below 3 MB, painted and open within 2 s, a move of the slider within 100 ms"
    return "\n".join([*lines, "", f"{aims}: {_verdict(record)}.", ""])


def _judged(row: dict[str, float], key: str) -> str:
    _, scale, unit = _AIMS[key]
    return f"{row[key] / scale:.3g} {unit}" if key in row else "-"


def _verdict(record: dict[str, Any]) -> str:
    missed = [
        f"{name} ({key.partition('_')[0]})"
        for name, row in record["pages"].items()
        for key, (most, _, _) in _AIMS.items()
        if most is not None and row.get(key, 0) >= most
    ]
    return f"missed by {', '.join(missed)}" if missed else "met by all"


def with_section(page: str, record: dict[str, Any]) -> str:
    """Return a page whose rendered part is made anew."""
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}{section(record)}{END}{after}"


def main() -> None:
    """Write the page."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    PAGE.write_text(with_section(PAGE.read_text(encoding="utf-8"), record), encoding="utf-8")


if __name__ == "__main__":
    main()
