"""What an exploration gives to others: graphs in other programs' formats, JSON, code, a report."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from eiderdown.errors import OptionError
from eiderdown.explorer.session import Session
from eiderdown.export import FORMATS
from eiderdown.graphs import DAG


@dataclass(frozen=True)
class Exported:
    """A file: its name, its text, and what kind of text that is."""

    name: str
    text: str
    media: str = "text/plain"


def export_names() -> tuple[str, ...]:
    """Return what can be exported: a session, code, a result, a report, and formats of graphs.

    Examples
    --------
    >>> export_names()[:4]
    ('session', 'code', 'result', 'report')
    """
    return ("session", "code", "result", "report", *(f.name for f in FORMATS if not f.needs_data))


def exported(session: Session, form: str) -> Exported:
    """Return the file of one form."""
    stem = f"eiderdown-{_plain_name(session.state.target)}"
    if form == "session":
        return Exported(f"{stem}.session.json", session.to_json() + "\n", "application/json")
    if form == "code":
        return Exported(f"{stem}.py", session.code(), "text/x-python")
    if form == "result":
        return Exported(f"{stem}.json", session.result().to_json() + "\n", "application/json")
    if form == "report":
        return Exported(f"{stem}.html", _report(session), "text/html")
    if form not in export_names():
        raise OptionError(f"There is no export {form!r}; there is {', '.join(export_names())}.")
    chosen: Any = FORMATS[form]
    suffix = chosen.suffixes[0] if chosen.suffixes else f".{form}"
    graph = session.graph.pdag
    return Exported(
        f"{stem}{suffix}",
        chosen.run(graph if graph.undirected else DAG(graph.nodes, graph.directed)),
    )


def _plain_name(name: str) -> str:
    """Return what of a column's name may stand in the name of a file."""
    return re.sub(r"[^A-Za-z0-9]+", "-", name)[:40].strip("-") or "graph"


def _report(session: Session) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        resolve_name("eiderdown.report.html:write_report")(session.result(), path)
        return path.read_text(encoding="utf-8")
