"""The page of the question whether some columns are a Markov boundary."""

from __future__ import annotations

from collections.abc import Iterator

from eiderdown.report.boundary_check import question_of
from eiderdown.report.html.arrange.framing import framed
from eiderdown.report.html.cells import TEST_HEADINGS, evidence_cells, name, shown_first, text
from eiderdown.report.html.view import Block, Heading, Page, Section, Table, Words
from eiderdown.results import BoundaryCheck, Evidence

_DECISIONS = {"kept": "member", "removed": "redundant", "not_admitted": "outside"}
_HEADINGS = (Heading("Column", "name"), Heading("Is"), Heading("Test says"), *TEST_HEADINGS)


def arrange_check(result: BoundaryCheck) -> Page:
    """Arrange the answer, the tests behind it, and what had to be added."""
    return framed(
        result,
        what="Is it the Markov boundary of",
        subject=result.target,
        question=question_of(result),
        answer=result.sentence,
        figures=(("answer", result.answer), ("members", f"{len(result.members):,}")),
        sections=(
            Section("evidence", "Evidence", tuple(_tests(result, "Tests", result.evidence))),
            Section("added", "What was added", tuple(_added(result))),
        ),
    )


def _tests(result: BoundaryCheck, caption: str, evidence: tuple[Evidence, ...]) -> Iterator[Block]:
    items, n_left_out = shown_first(evidence)
    rows = tuple(
        (
            name(item.variable, strong=item.decision == "kept"),
            text(_DECISIONS[item.decision]),
            text(item.answer(result.alpha)),
            *evidence_cells(item),
        )
        for item in items
    )
    if rows:
        yield Table(caption, _HEADINGS, rows, n_left_out)


def _added(result: BoundaryCheck) -> Iterator[Block]:
    if result.added:
        yield Words(("In this order, until the target depended on nothing more.",))
        yield from _tests(result, "Added", result.added)
