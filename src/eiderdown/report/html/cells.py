"""Numbers, names and tests as cells of a table and as facts of a box."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from eiderdown.report.html.view import Cell, Heading
from eiderdown.results import Evidence

MOST_ROWS = 2_000
"""Rows of a table in a page; the result itself holds all."""

NOTHING = "\N{EN DASH}"
_Row = TypeVar("_Row")

TEST_HEADINGS = (
    Heading("Given", "name", "The columns that were held fixed in the decisive test."),
    Heading("p", "number", "How often chance alone gives as much dependence."),
    Heading("Effect", "number", "How strong the dependence is, from 0 to 1."),
    Heading("Statistic", "number", "What the test computes."),
    Heading("Dof", "number", "Degrees of freedom of the test."),
    Heading("Rows", "number", "Rows that the test used."),
)


def shown_first(rows: Sequence[_Row]) -> tuple[Sequence[_Row], int]:
    """Return the rows that a page has room for, and how many it leaves out."""
    return rows[:MOST_ROWS], max(0, len(rows) - MOST_ROWS)


def name(text: str, *, strong: bool = False) -> Cell:
    """Write the name of a column."""
    return Cell((text,), order=text.casefold(), mark="strong" if strong else "")


def names(texts: Iterable[str]) -> Cell:
    """Write names of columns; fewer come first."""
    listed = tuple(texts)
    return Cell(listed or NOTHING, order=len(listed))


def text(shown: str, mark: str = "") -> Cell:
    """Write a text."""
    return Cell(shown, mark=mark)


def number(value: float | None, form: str = ",.4g") -> Cell:
    """Write a number, or nothing where there is none."""
    if value is None or not math.isfinite(value):
        return Cell(NOTHING, order=math.inf)
    return Cell(format(value, form), order=value)


def share(value: float | None) -> Cell:
    """Write a share with its bar."""
    if value is None:
        return Cell(NOTHING, order=-1.0)
    return Cell(f"{value:.0%}", order=value, share=min(1.0, max(0.0, value)))


def p_value(item: Evidence) -> Cell:
    """Write the p-value of a test, however small; sorted by its logarithm."""
    return Cell(item.p_text, order=item.log_p)


def evidence_cells(item: Evidence | None) -> tuple[Cell, ...]:
    """Write the decisive test, under :data:`TEST_HEADINGS`."""
    if item is None:
        return (Cell(NOTHING, order=math.inf),) * len(TEST_HEADINGS)
    return (
        names(item.given),
        p_value(item),
        number(item.effect, ".3f"),
        number(item.statistic, ",.1f"),
        number(round(item.dof, 1), "g"),
        number(item.n_used, ","),
    )


def evidence_facts(item: Evidence) -> tuple[tuple[str, str], ...]:
    """Write the decisive test as facts."""
    return (
        ("given", ", ".join(item.given) or "nothing"),
        ("p", item.p_text),
        ("effect", f"{item.effect:.3f}"),
        ("rows used", f"{item.n_used:,}"),
    )


def plain_text(value: Any) -> str:
    """Write an option's value for people."""
    if isinstance(value, list | tuple):
        return ", ".join(map(plain_text, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, dict):
        return ", ".join(f"{key}: {plain_text(item)}" for key, item in value.items()) or "none"
    return "none" if value is None else str(value)
