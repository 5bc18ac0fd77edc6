"""The tables of the record of ``accuracy.py``, all made from its lines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from accuracy_lines import Measurements, TableKey, with_rows
from accuracy_searches import DEFAULT, OLD_DEFAULT
from accuracy_tables import ROWS, SEEDS, Part, kind_of, networks_of, origin, sample
from accuracy_verdicts import COLUMNS as VERDICT_COLUMNS
from accuracy_verdicts import GRAPH_RIVAL, fill_verdicts
from harness import RESULTS, Cell, Record

TITLES = {
    "boundary": "Markov boundaries",
    "parents_children": "parents and children",
    "graph": "graphs (CPDAGs)",
}
COMPARED_WITH = {"boundary": OLD_DEFAULT, "parents_children": DEFAULT, "graph": GRAPH_RIVAL}
DETAILS = {
    "boundary": ("f1", "precision", "recall", "distance", "seconds"),
    "parents_children": ("f1", "precision", "recall", "distance", "seconds"),
    "graph": ("f1", "adjacency", "arrowheads", "shd", "seconds"),
}
FEW_CATEGORIES = 5
ROW_BANDS = ((200, "up to 200"), (1_000, "500 to 1,000"), (10**9, "5,000 and more"))
BANDS_OF_COLUMNS = ((50, "up to 50"), (150, "51 to 150"), (10**9, "more than 150"))


@dataclass
class AccuracyRecord(Record):
    """A record with every cell that was measured, as lines of text with commas.

    ``parts`` tells of each part by which code it was measured, what the defaults were, and whether
    all of it was.
    """

    line_columns: Sequence[str] = ()
    lines: list[str] = field(default_factory=list)
    parts: dict[str, dict[str, Any]] = field(default_factory=dict)

    def keep_other_part(self, part: Part) -> None:
        """Take over what an earlier run stored of the other part."""
        path = RESULTS / f"{self.name}.json"
        stored = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        lines: list[str] = stored.get("lines", [])
        self.lines += [line for line in lines if not line.startswith(f"{part},")]
        self.parts |= {name: of for name, of in stored.get("parts", {}).items() if name != part}


def fill(record: AccuracyRecord) -> None:
    """Make all tables from the lines, judging first."""
    parts: tuple[Part, ...] = ("judging", "development")
    for part in parts:
        measured = Measurements(record.lines, part)
        if not measured:
            continue
        verdicts = record.table(f"Verdicts ({part})", VERDICT_COLUMNS)
        fill_verdicts(verdicts, measured)
        for question in TITLES:
            _fill_choice(record, measured, part, question)
        for question in TITLES:
            _fill_by_rows(record, measured, part, question)
            _fill_details(record, measured, part, question)
        _fill_by_network(record, measured, part)
        _fill_problems(record, measured, part)
        _fill_networks(record, measured, part)


def core(measured: Measurements, question: str) -> set[TableKey]:
    """Return the tables that the default and what it is compared with have finished."""
    return measured.tables(question, DEFAULT, COMPARED_WITH[question])


def _fill_by_rows(record: Record, measured: Measurements, part: str, question: str) -> None:
    """Mean F1 at each number of rows, of every search."""
    tables, base = core(measured, question), COMPARED_WITH[question]
    rows = [n for n in ROWS if with_rows(tables, n)]
    if not rows:
        return
    title = f"Mean F1 at each number of rows: {TITLES[question]} ({part})"
    table = record.table(title, ("search", *(f"{n:,}" for n in rows)))
    for search in _ordered(measured, question, tables):
        cells = [_mean_cell(measured, question, search, with_rows(tables, n)) for n in rows]
        if any(cells):
            table.rows.append((search, *cells))
    counts = ", ".join(f"{len(with_rows(tables, n))} at {n:,} rows" for n in rows)
    table.notes.append(
        f"Tables: {counts}. A search that finished fewer stands as its difference from {base} "
        f"on those (+0.020 on 5)."
    )


def _mean_cell(
    measured: Measurements, question: str, search: str, tables: set[TableKey]
) -> str | None:
    own = measured.tables(question, search) & tables
    if not own:
        return None
    if own == tables:
        return f"{measured.mean(question, search, own):.3f}"
    base = COMPARED_WITH[question]
    difference = measured.mean(question, search, own) - measured.mean(question, base, own)
    return f"{difference:+.3f} on {len(own)}"


def _ordered(measured: Measurements, question: str, tables: set[TableKey]) -> list[str]:
    """Return the searches, the default first, then the best by their lead over the base."""
    base = COMPARED_WITH[question]

    def lead(search: str) -> float:
        own = measured.tables(question, search) & tables
        if not own:
            return -1.0
        return measured.mean(question, search, own) - measured.mean(question, base, own)

    return sorted(measured.searches(question), key=lambda s: (s != DEFAULT, -lead(s), s))


def _fill_details(record: Record, measured: Measurements, part: str, question: str) -> None:
    """All measures, over all numbers of rows."""
    tables = core(measured, question)
    if not tables:
        return
    names = DETAILS[question]
    shown = [*names[:-1], "CPU seconds" if question == "graph" else "CPU seconds a target"]
    title = f"All measures, means over all rows: {TITLES[question]} ({part})"
    table = record.table(title, ("search", "tables", *shown))
    for search in _ordered(measured, question, tables):
        own = measured.tables(question, search) & tables
        if own:
            means = [measured.mean(question, search, own, name) for name in names]
            cells = [
                f"{x:.3f}" if name != "shd" else f"{x:.1f}"
                for name, x in zip(names, means, strict=True)
            ]
            table.rows.append((search, len(own), *cells[:-1], f"{means[-1]:.2g}"))
    table.notes.append("Searches with fewer tables can be compared with each other only.")


def _fill_by_network(record: Record, measured: Measurements, part: str) -> None:
    """Show the default's boundary F1 in each network, and its lead over the old default."""
    tables = core(measured, "boundary")
    rows = [n for n in ROWS if with_rows(tables, n)]
    table = record.table(
        f"Default's boundary F1 in each network, and its difference from {OLD_DEFAULT} ({part})",
        ("network", *(f"{n:,}" for n in rows)),
    )
    for network in networks_of("judging"):
        own = {t for t in tables if t[0] == network}
        if own:
            cells = [_lead_cell(measured, with_rows(own, n)) for n in rows]
            table.rows.append((network, *cells))


def _lead_cell(measured: Measurements, tables: set[TableKey]) -> str | None:
    if not tables:
        return None
    ours, theirs = (measured.mean("boundary", s, tables) for s in (DEFAULT, OLD_DEFAULT))
    return f"{ours:.2f} ({ours - theirs:+.2f})"


def _fill_choice(record: Record, measured: Measurements, part: str, question: str) -> None:
    """Show the best search for each kind of table, beside the default."""
    title = f"Which search for which table: {TITLES[question]} ({part})"
    columns = ("columns hold", "how many", "rows", "tables", "best", "its F1", "default")
    tables, base = core(measured, question), COMPARED_WITH[question]
    if not tables:
        return
    table = record.table(title, (*columns, *([] if base == DEFAULT else [base])))
    groups: dict[tuple[str, str, str], set[TableKey]] = {}
    for key in sorted(tables):
        group = (*_described(key[0]), _rows_band(key[1]))
        groups.setdefault(group, set()).add(key)
    for group, own in sorted(groups.items(), key=lambda item: _group_order(item[0])):
        best = measured.best(question, measured.searches(question), own)
        assert best is not None  # the default has finished them all
        means = [measured.mean(question, s, own) for s in dict.fromkeys((DEFAULT, base))]
        row: list[Cell] = [*group, len(own), best[0]]
        table.rows.append([*row, *(f"{x:.3f}" for x in (best[1], *means))])
    table.notes.append(
        "The best is chosen with hindsight among all searches that finished every table of the "
        "group; where tables are few, chance has a say in which one it is."
    )


def _rows_band(n_rows: int) -> str:
    return next(text for most, text in ROW_BANDS if n_rows <= most)


def _described(network: str) -> tuple[str, str]:
    kind, n_columns, n_categories = description(network)
    words = {"gaussian": "numbers, linear", "bent": "numbers, bent", "mixed": "both"}
    few = f"up to {FEW_CATEGORIES} categories"
    discrete = few if n_categories <= FEW_CATEGORIES else "more categories"
    return words.get(kind, discrete), next(t for most, t in BANDS_OF_COLUMNS if n_columns <= most)


def _group_order(group: tuple[str, str, str]) -> tuple[int, int, int]:
    kinds = [f"up to {FEW_CATEGORIES} categories", "more categories", "numbers, linear"]
    columns, rows = ([text for _, text in bands] for bands in (BANDS_OF_COLUMNS, ROW_BANDS))
    held, how_many, n_rows = group
    kind = kinds.index(held) if held in kinds else len(kinds) + (held == "both")
    return kind, columns.index(how_many), rows.index(n_rows)


def description(network: str) -> tuple[str, int, int]:
    """Return what the columns hold, their number, and the most categories that one has."""
    one = sample(network, 0, 2)
    discrete = [i for i in range(one.data.n_columns) if one.data.is_discrete[i]]
    most = max((len(one.data.categories(i)) for i in discrete), default=0)
    return kind_of(network), one.data.n_columns, most


def _fill_problems(record: Record, measured: Measurements, part: str) -> None:
    """Say which searches gave no answer, how often and why."""
    if not measured.problems:
        return
    table = record.table(f"Without an answer ({part})", ("search", "cells", "for example"))
    for search in sorted({problem.search for problem in measured.problems}):
        own = [problem for problem in measured.problems if problem.search == search]
        network, n_rows, _ = own[0].table
        example = f"{network}, {n_rows:,} rows: {own[0].what[:100]}"
        table.rows.append((search, len(own), example))


def _fill_networks(record: Record, measured: Measurements, part: Part) -> None:
    """Say which tables were looked at, and how new they are."""
    columns = (
        "network",
        "columns hold",
        "columns",
        "edges",
        "most categories",
        "targets",
        "origin",
    )
    table = record.table(f"Tables ({part})", (*columns, "samples", "seeds"))
    seen = measured.all_tables()
    for network in networks_of(part):
        own = sorted(key for key in seen if key[0] == network)
        if own:
            one = sample(network, SEEDS[part][0], own[0][1])
            kind, n_columns, most = description(network)
            seeds = sorted({seed for _, _, seed in own})
            shown = f"{seeds[0]}" if len(seeds) == 1 else f"{seeds[0]} to {seeds[-1]}"
            sizes = n_columns, one.dag.n_edges, most or None, len(one.targets)
            table.rows.append((network, kind, *sizes, origin(network, part), len(own), shown))
