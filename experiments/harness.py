"""What all experiments share: where the data is, progress, tables, and the record of a run.

An experiment is a script that makes tables. They are printed, and saved with everything needed to
make them again as ``experiments/results/<name>.json``; ``tools/render_experiments.py`` turns those
files into docs/experiments.md. Ctrl-C (or SIGTERM) saves what is done, and the record says that it
is not all.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import signal
import sys
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from eiderdown.errors import EiderdownWarning

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "experiments" / "results"
DATA = Path(os.environ.get("EIDERDOWN_DATA", ROOT.parent / "shared" / "data"))

Cell = str | int | float | bool | None


@dataclass
class Table:
    """A table of results: a row is a sequence of cells, None where there is nothing to tell."""

    title: str
    columns: Sequence[str]
    rows: list[Sequence[Cell]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass
class Record:
    """What an experiment leaves behind."""

    name: str
    title: str
    paper: str
    params: Mapping[str, Any]
    tables: list[Table] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    complete: bool = True
    seconds: float = 0.0
    drawn: dict[str, Any] = field(default_factory=dict)
    """Points that a picture shows and no table."""

    def table(self, title: str, columns: Sequence[str]) -> Table:
        """Begin a new table."""
        table = Table(title, columns)
        self.tables.append(table)
        return table


def quick_wanted(description: str | None) -> bool:
    """Read the command line: ``--quick`` runs a small part, to see that everything works."""
    parser = argparse.ArgumentParser(description=(description or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a small part; nothing is saved")
    return bool(parser.parse_args().quick)


class Stopped(BaseException):
    """The user stops the experiment.

    Not KeyboardInterrupt: a search answers that with the best so far, which is no result here.
    """


def _stop(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise Stopped


@contextmanager
def recording(record: Record, *, quick: bool) -> Iterator[Record]:
    """Run an experiment, print its tables and save them, even if it is interrupted."""
    started = time.perf_counter()
    for interruption in (signal.SIGINT, signal.SIGTERM):  # a shell's background jobs ignore SIGINT
        signal.signal(interruption, _stop)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EiderdownWarning)
            yield record
    except Stopped:
        record.complete = False
        say("Interrupted; what is done is kept.")
    record.seconds = round(record.seconds + time.perf_counter() - started, 1)
    print("\n\n".join([*map(markdown, record.tables), *record.notes]))
    if quick:
        say("A quick look is not saved.")
        return
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{record.name}.json"
    path.write_text(document(record), encoding="utf-8")
    say(f"Saved to {path}; tools/render_experiments.py writes docs/experiments.md from it.")


def document(record: Record) -> str:
    """Return a record as JSON, with the versions that made it."""
    used = ("eiderdown", "numpy", "scipy", "numba", "scikit-learn")
    versions = {"python": platform.python_version(), **{name: version(name) for name in used}}
    saved = asdict(record) | {"versions": versions}
    if not record.drawn:
        del saved["drawn"]
    return json.dumps(saved, indent=1) + "\n"


def say(text: str) -> None:
    """Tell the user on stderr what is going on."""
    print(text, file=sys.stderr, flush=True)


def data_file(name: str) -> Path:
    """Find a file of real data, or stop with a line that says where it should be."""
    path = DATA / name
    if not path.exists():
        raise SystemExit(
            f"{path} is not there; set EIDERDOWN_DATA to the folder that holds {name}."
        )
    return path


def verdict(met: bool) -> str:
    """Call a missed aim missed."""
    return "met" if met else "missed"


def markdown(table: Table) -> str:
    """Return a table, its title and its notes as Markdown."""
    lines = [f"**{table.title}**", "", _row(table.columns), "|" + "---|" * len(table.columns)]
    lines += [
        _row([shown(cell, name) for name, cell in zip(table.columns, cells, strict=True)])
        for cells in table.rows
    ]
    for note in table.notes:
        lines += ["", note]
    return "\n".join(lines)


def shown(cell: Cell, column: str = "") -> str:
    """Write a cell for people: two decimals, or two significant digits of a time."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return f"{cell:,}"
    if isinstance(cell, float):
        if "seconds" in column:
            return f"{cell:.2g}" if abs(cell) < 10 else f"{cell:,.0f}"
        return f"{cell:,.2f}"
    return cell


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
