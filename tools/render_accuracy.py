"""Write docs/accuracy.md and its pictures from experiments/results/accuracy.json.

Run it after ``experiments/accuracy.py``. The same results give the same text, and
``tests/docs/test_documentation.py`` fails when the page does not match them. Usage::

    python tools/render_accuracy.py
"""

from __future__ import annotations

import json
import runpy
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

ROOT = Path(__file__).parents[1]
RECORD = ROOT / "experiments" / "results" / "accuracy.json"
PAGE = ROOT / "docs" / "accuracy.md"
PICTURES = ROOT / "docs" / "pictures"
HARNESS, LINES = (
    SimpleNamespace(**runpy.run_path(str(ROOT / "experiments" / f"{name}.py")))
    for name in ("harness", "accuracy_lines")
)
DRAWING = SimpleNamespace(**runpy.run_path(str(ROOT / "tools" / "accuracy_pictures.py")))
PARTS = ("judging", "development")

OPENING = """# Accuracy

How near the answers come to the truth, at 100 to 20,000 rows: Markov boundaries, parents and
children, and whole graphs, by every search of the library, by the default of each verb (what it
does when no `algorithm` is given), and by other libraries. This page is written by
`tools/render_accuracy.py` from `experiments/results/accuracy.json`; do not edit it by hand.
"""

HOW = """## What was measured, and how

Tables are samples of networks whose graph is known: the bundled reference networks, discrete and
Gaussian, tiled ones, random networks of numbers and categories together, and random networks of
numbers with bent dependences. Searches are built while looking at some of these, so there are two
parts. *Development* tables may be looked at at any time. *Judging* tables are other samples of the
same networks, and other networks; they were run at the end, once. The tables at the end of the page
say of each network which it is.

    make experiment-accuracy MINUTES=30

judges again. Whoever builds a search runs `experiments/accuracy.py --develop`, which has options
for networks, searches, rows and seeds, and goes on where it was when it is started again.
"""

NOT_MEASURED = "Not measured: run `make experiment-accuracy`.\n"
CHOICE = """## The default for each question

What the columns hold, how many there are and how many rows decide which search comes nearest to the
truth. The table has the best of all that were measured, beside the default and IAMB.
"""


def page(record: dict[str, Any] | None) -> str:
    """Return the whole page."""
    if record is None:
        return f"{OPENING}\n{NOT_MEASURED}"
    tables = {table["title"]: HARNESS.Table(**table) for table in record["tables"]}
    part = next(part for part in PARTS if any(f"({part})" in title for title in tables))
    parts = [
        OPENING,
        "## Verdicts\n",
        *_some(tables, "Verdicts"),
        *([_unjudged()] if part == "development" else []),
        CHOICE,
        *_some(tables, "Which search"),
        HOW,
        "\n".join(f"- {note}" for note in record["notes"]) + "\n",
        "\n".join(_said_of_parts(record)) + "\n",
        "## Means\n",
        *_some(tables, "Mean F1"),
        "## All measures\n",
        *_some(tables, "All measures"),
        "## Network by network\n",
        *_some(tables, "Default's boundary"),
        *(_picture(*drawn) for drawn in pictures(record)),
        "## Tables and searches without an answer\n",
        *_some(tables, "Tables"),
        *_some(tables, "Without"),
    ]
    return "\n".join(parts)


def pictures(record: dict[str, Any]) -> list[tuple[str, str, list[Any]]]:
    """Return network, title and curves of each picture; judging where there is any."""
    drawn: dict[str, tuple[str, str, list[Any]]] = {}
    for part in PARTS:
        measured = LINES.Measurements(record["lines"], part)
        for network in sorted({key[0] for key in measured.all_tables()} - set(drawn)):
            lines = DRAWING.curves(measured, network)
            if lines:
                drawn[network] = (network, f"{network} ({part})", lines)
    return [drawn[network] for network in sorted(drawn)]


def _picture(network: str, title: str, _lines: Any) -> str:
    return f"![Boundary F1 against rows: {title}](pictures/{DRAWING.picture_name(network)})\n"


def _some(tables: dict[str, Any], beginning: str) -> list[str]:
    chosen = [table for title, table in tables.items() if title.startswith(beginning)]
    return [HARNESS.markdown(table) + "\n" for table in chosen]


def _unjudged() -> str:
    return (
        "**Nothing is judged yet: all numbers here are of development tables, which those who "
        "built the searches could look at.**\n"
    )


def _said_of_parts(record: dict[str, Any]) -> Iterator[str]:
    """Say how each part was measured."""
    for part, of in sorted(record["parts"].items(), reverse=True):
        defaults = ", ".join(f"{name} `{default}`" for name, default in of["defaults"].items())
        whole = "all of it" if of["all of it"] else "not all of it, for the time was limited"
        yield (
            f"- The last run for {part} took {of['minutes of the last run']:.0f} minutes and made "
            f"{whole}. Defaults were: {defaults}. Fingerprint of the code: {of['code']}."
        )
    yield "- " + ", ".join(f"{name} {number}" for name, number in record["versions"].items()) + "."


def read() -> dict[str, Any] | None:
    """Read the record, if there is one."""
    if not RECORD.exists():
        return None
    stored: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    return stored


def main() -> None:
    """Write the page and the pictures."""
    record = read()
    PAGE.write_text(page(record), encoding="utf-8")
    if record is not None:
        DRAWING.draw_all(pictures(record), PICTURES)


if __name__ == "__main__":
    main()
