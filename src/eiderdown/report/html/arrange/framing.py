"""What the page of every result has: what was asked, the data, how it came about, how to repeat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from eiderdown.report.html.cells import name as name_cell
from eiderdown.report.html.cells import number, plain_text, share
from eiderdown.report.html.cells import text as text_cell
from eiderdown.report.html.view import Block, Code, Facts, Heading, Page, Section, Table, Words
from eiderdown.report.text import counted
from eiderdown.results import Result, Run

_SAID_ELSEWHERE = ("alpha", "why", "chosen", "test")
_MOST_LISTED = 50


def run_of(result: Any) -> Run | None:
    """Return how a result came about; of many results, how the first of them did."""
    run = getattr(result, "run", None)
    if run is None:
        inner = getattr(result, "results", {})
        run = next((found.run for found in inner.values()), None)
    return run if isinstance(run, Run) else None


def framed(
    result: Result,
    *,
    what: str,
    subject: str,
    question: str,
    answer: str,
    figures: Sequence[tuple[str, str]],
    sections: Sequence[Section],
) -> Page:
    """Put what every page has around the sections of one kind of result."""
    run = run_of(result)
    return Page(
        what=what,
        subject=subject,
        answer=answer,
        figures=(*figures, *_effort(run)),
        warnings=result.warnings,
        complete=result.complete,
        sections=(
            *(section for section in sections if section.blocks),
            Section("asked", "What was asked", tuple(_asked(question, run))),
            Section("data", "The data", tuple(_data(run))),
            Section("repeat", "Repeat it", tuple(_repeat(run))),
            Section("provenance", "Provenance", tuple(_provenance(run))),
        ),
    )


def _effort(run: Run | None) -> Iterator[tuple[str, str]]:
    if run is None:
        return
    if run.n_rows:
        yield "rows", f"{run.n_rows:,}"
        yield "columns", f"{run.n_columns:,}"
    if run.n_tests:
        yield "tests", f"{run.n_tests:,}"
    yield "seconds", f"{run.seconds:,.2f}"


def _asked(question: str, run: Run | None) -> Iterator[Block]:
    yield Words((question,))
    if run is None:
        return
    options = run.options
    items = [("Algorithm", run.algorithm)]
    if "chosen" in options:
        items.append(("Why this algorithm", plain_text(options["chosen"])))
    if "test" in options:
        items.append(("Test", plain_text(options["test"])))
    if "why" in options:
        items.append(("Why this test", plain_text(options["why"])))
    if "alpha" in options:
        items.append(("Significance level (alpha)", plain_text(options["alpha"])))
    if run.random_state is not None:
        items.append(("Seed", str(run.random_state)))
    items += [
        (name.replace("_", " "), plain_text(value))
        for name, value in options.items()
        if name not in _SAID_ELSEWHERE and value is not None
    ]
    yield Facts(tuple(items))


def _data(run: Run | None) -> Iterator[Block]:
    if run is None or not (run.n_rows or run.n_columns):
        yield Words(("The result says nothing of the table it came from.",))
        return
    table = getattr(run, "table", None)
    if table is None:
        size = f"{counted(run.n_rows, 'row')} and {counted(run.n_columns, 'column')}"
        yield Words((f"A table of {size}; the result holds no further summary of it.",))
        return
    kinds = ", ".join(f"{n:,} {kind}" for kind, n in table.kinds.items()) or "not recorded"
    n_cells = table.n_rows * table.n_columns
    missing = f"{table.n_missing:,} of {n_cells:,} cells" if table.n_missing else "none"
    source = [("Source", str(table.source))] if table.source else []
    yield Facts(
        (
            *source,
            ("Rows", f"{table.n_rows:,}"),
            ("Columns", f"{table.n_columns:,}"),
            ("Kinds of columns", kinds),
            ("Missing values", missing),
        )
    )
    yield from _target(table.target, table.n_rows)
    if table.missing:
        yield _missing(table)
    if table.left_out:
        yield _left_out(table.left_out)
    if table.notes:
        yield Words(tuple(table.notes), is_list=True)


def _target(target: Any, n_rows: int) -> Iterator[Block]:
    if target is None:
        return
    items = [("Target", target.name), ("Kind of the target", target.kind)]
    if target.n_missing:
        items.append(("Missing in the target", f"{target.n_missing:,}"))
    if target.quantiles:
        places = ", ".join(f"{value:.4g}" for value in target.quantiles)
        items.append(("Quantiles of the target", places))
    yield Facts(tuple(items))
    if target.levels:
        rows = tuple(
            (text_cell(str(level)), number(n, ","), share(n / n_rows if n_rows else None))
            for level, n in target.levels.items()
        )
        headings = (Heading("Category"), Heading("Rows", "number"), Heading("Share", "number"))
        yield Table(f"Categories of {target.name}", headings, rows)


def _missing(table: Any) -> Block:
    rows = tuple(
        (name_cell(name), number(n, ","), share(n / table.n_rows if table.n_rows else None))
        for name, n in list(table.missing.items())[:_MOST_LISTED]
    )
    headings = (
        Heading("Column", "name"),
        Heading("Missing", "number"),
        Heading("Share", "number"),
    )
    return Table("Columns with most missing values", headings, rows)


def _left_out(reasons: Mapping[str, str]) -> Block:
    rows = tuple((name_cell(name), text_cell(why)) for name, why in reasons.items())
    return Table("Columns that were left out", (Heading("Column", "name"), Heading("Why")), rows)


def _repeat(run: Run | None) -> Iterator[Block]:
    call = getattr(run, "call", None)
    if call is None:
        yield Words(
            (
                "This result does not hold the call that made it; results of newer versions do. "
                "What was asked, above, has its algorithm and options.",
            )
        )
        return
    command = call.command()
    if command:  # what was in memory only, no command can be about
        yield Code("Command", command)
    yield Code("Python", call.code())


def _provenance(run: Run | None) -> Iterator[Block]:
    if run is None:
        yield Words(("The result holds no record of its run.",))
        return
    items = [
        ("Fingerprint of the table", run.fingerprint or "none"),
        ("Tests computed", f"{run.n_tests:,}"),
        ("Answered from memory", f"{run.n_repeated:,}"),
        ("With insufficient data", f"{run.n_skipped:,}"),
        *([("Forgotten to make room", f"{run.n_evicted:,}")] if run.n_evicted else []),
        ("Seconds", f"{run.seconds:,.2f}"),
    ]
    items += [(f"Version of {name}", version) for name, version in run.versions.items()]
    yield Facts(tuple(items))
