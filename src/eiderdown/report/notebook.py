"""A result in a notebook: a heading and sentences, the first rows of its table, the rest to open.

The page around it may be light or dark: colours are inherited, or grey that is half transparent.
There are no scripts, whatever a column is called is text, and the size does not grow with the
result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from eiderdown.report.drawing import pictures_of
from eiderdown.report.frames import MainTable, Sort, main_table
from eiderdown.report.names import listed, name
from eiderdown.report.sentences import findings
from eiderdown.report.summary import doubts, headline, run_of
from eiderdown.report.text import counted, forgotten
from eiderdown.results import LocalResult, Result, Run
from eiderdown.results.evidence import p_text
from eiderdown.terminal import visible

if TYPE_CHECKING:
    from jinja2 import Template

N_FIRST, N_MORE = 8, 20
"""How many rows are shown at once, and how many when more are asked for."""

_N_SENTENCES, _N_OPTIONS, _LONGEST_CODE = 6, 20, 1_500
_NUMBERS: frozenset[Sort] = frozenset({"number", "share", "count", "log_p", "p"})
_HIDDEN = frozenset({"log_p", "statistic", "dof", "n_used"})  # for want of room
_HEADS = {
    "p_value": "p",
    "n_runs": "runs",
    "n_rows": "rows",
    "n_distinct": "distinct",
    "n_edges": "edges",
    "n_variables": "columns",
    "in_model": "in model",
    "best_score": "best score",
    "beyond_chance": "beyond chance",
    "standard_error": "standard error",
    "cause_tests": "Y cause",
    "effect_tests": "Y effect",
}
_WORDS = {"not_admitted": "outside"}


@dataclass(frozen=True)
class _Cell:
    text: str
    number: bool = False
    share: int | None = None


@dataclass(frozen=True)
class _Row:
    cells: tuple[_Cell, ...]
    strong: bool


@dataclass(frozen=True)
class _Shown:
    """What the template shows; all of it short."""

    title: str
    findings: Sequence[str]
    doubts: Sequence[str]
    heads: Sequence[_Cell]
    first: Sequence[_Row]
    more: Sequence[_Row]
    of_rows: str
    n_left_out: int
    provenance: Sequence[tuple[str, str]]
    code: str
    methods: Sequence[str]

    @property
    def left_out(self) -> str:
        return f"{self.n_left_out:,} more"


def fragment(result: Result) -> str:
    """Return a piece of HTML for a notebook.

    Examples
    --------
    >>> from eiderdown import find_boundary, networks
    >>> found = find_boundary(networks.load("asia").sample(5_000, random_state=0), target="dysp")
    >>> "<td>bronc</td>" in found._repr_html_()
    True
    """
    return _template().render(shown=_arranged(result))


@cache
def _template() -> Template:
    from jinja2 import Environment

    text = files("eiderdown.report").joinpath("notebook.html").read_text(encoding="utf-8")
    return Environment(autoescape=True).from_string(text)


def _arranged(result: Result) -> _Shown:
    table = main_table(result)
    heads, rows = _filled(table)
    run = run_of(result)
    return _Shown(
        title=headline(result),
        findings=findings(result)[:_N_SENTENCES],
        doubts=doubts(result),
        heads=heads,
        first=rows[:N_FIRST],
        more=rows[N_FIRST:],
        of_rows=counted(len(table.rows), table.of),
        n_left_out=len(table.rows) - len(rows),
        provenance=[] if run is None else _provenance(run),
        code=_code(run),
        methods=_methods(result),
    )


def _methods(result: Result) -> list[str]:
    """Return what else can be asked of a result, as code."""
    found = [".summary()", ".to_frame()", '.report("page.html")']
    if isinstance(result, LocalResult):
        found.append('.why("a column")')
    return found + [f'.plot("{picture}")' for picture in pictures_of(result)]


def _filled(table: MainTable) -> tuple[list[_Cell], list[_Row]]:
    """Return the headings and the first rows, without columns in which nothing stands."""
    rows = table.rows[: N_FIRST + N_MORE]
    columns = {}
    for place, (heading, sort) in enumerate(table.columns.items()):
        cells = [_cell(sort, row[place]) for row in rows]
        if heading not in _HIDDEN and any(cell.text for cell in cells):
            columns[heading] = (sort, cells)
    heads = [
        _Cell(name(_HEADS.get(heading, heading)), sort in _NUMBERS)
        for heading, (sort, _) in columns.items()
    ]
    across = zip(*(cells for _, cells in columns.values()), strict=True)
    at = list(table.columns).index("decision") if "decision" in table.columns else None
    kept = [at is not None and row[at] == "kept" for row in rows]
    return heads, [_Row(cells, strong) for cells, strong in zip(across, kept, strict=True)]


def _cell(sort: Sort, value: Any) -> _Cell:
    if value is None:
        return _Cell("", sort in _NUMBERS)
    if sort == "share":
        return _Cell(f"{value:.0%}", True, round(100 * min(1.0, max(0.0, value))))
    if isinstance(value, float) and sort == "text":  # a prediction
        return _Cell(f"{value:,.5g}", True)
    return _Cell(_WRITTEN[sort](value), sort in _NUMBERS)


_WRITTEN: Mapping[Sort, Callable[[Any], str]] = {
    "text": lambda value: name(_WORDS.get(value, str(value))),
    "names": lambda names: name(listed(names, 3)) if names else "",
    "number": lambda value: f"{value:,.4g}",
    "count": lambda value: f"{value:,}",
    "truth": lambda value: "yes" if value else "",
    "log_p": p_text,
    "p": p_text,
}


def _provenance(run: Run) -> list[tuple[str, str]]:
    facts: list[tuple[str, object]] = [
        ("algorithm", run.algorithm),
        ("table", f"{run.n_rows:,} rows x {run.n_columns:,} columns"),
        ("tests", f"{run.n_tests:,}, of which {run.n_skipped:,} could not say{forgotten(run)}"),
        ("seconds", f"{run.seconds:.2f}"),
        ("version", run.versions.get("eiderdown", "")),
        *sorted(run.options.items())[:_N_OPTIONS],
    ]
    if run.random_state is not None:
        facts.append(("random_state", run.random_state))
    return [(name(heading), name(str(value), 100)) for heading, value in facts if value != ""]


def _code(run: Run | None) -> str:
    """Return the Python code that repeats a run, where it is known."""
    if run is None or run.call is None:
        return ""
    code = visible(run.call.code(), lines=True)
    return code if len(code) <= _LONGEST_CODE else ""
