"""The pages of a boundary as alpha moves, and of what changed between two results."""

from __future__ import annotations

from collections.abc import Iterator

from eiderdown.report.html.arrange.framing import framed
from eiderdown.report.html.cells import name, names, number, shown_first, text
from eiderdown.report.html.view import Block, Heading, Page, Section, Steps, Table, Words
from eiderdown.report.text import counted
from eiderdown.results import BoundaryPath, ResultChanges

_MOST_COLUMNS = 200


def arrange_path(result: BoundaryPath) -> Page:
    """Arrange a boundary at several significance levels: a row for each column."""
    columns = result.columns
    always = sum(all(result.levels_of(column)) for column in columns)
    sizes = [len(members) for members in result.members]
    answer = f"No column is a member of the boundary of {result.target!r} at any level."
    if columns:
        answer = (
            f"{counted(len(columns), 'column')} {'is' if len(columns) == 1 else 'are'} in the "
            f"boundary of {result.target!r} at some level, {always:,} at all of them."
        )
    return framed(
        result,
        what="Markov boundary, as alpha moves, of",
        subject=result.target,
        question=(
            f"Which columns make all others irrelevant to {result.target!r} if one asks for more "
            "evidence, or for less?"
        ),
        answer=answer,
        figures=(
            ("levels", str(len(result.alphas))),
            ("least members", str(min(sizes, default=0))),
            ("most members", str(max(sizes, default=0))),
        ),
        sections=(
            Section("path", "Members by alpha", tuple(_path(result))),
            Section("boundaries", "Boundary at each level", (_levels(result),)),
        ),
    )


def _path(result: BoundaryPath) -> Iterator[Block]:
    shown = result.columns[:_MOST_COLUMNS]
    if not shown:
        return
    yield Words(
        (
            "A dot is a level at which the column is a member. Columns that are there from the "
            "left on have the strongest evidence.",
        )
    )
    rows = tuple((column, result.levels_of(column)) for column in shown)
    yield Steps("Membership by significance level", tuple(f"{a:g}" for a in result.alphas), rows)
    if left := len(result.columns) - len(shown):
        yield Words((f"{counted(left, 'column')} more in the saved result.",))


def _levels(result: BoundaryPath) -> Table:
    headings = (
        Heading("Alpha", "number"),
        Heading("Members", "number"),
        Heading("Which", "name"),
    )
    rows = tuple(
        (number(alpha, "g"), number(len(members), "d"), names(members))
        for alpha, members in zip(result.alphas, result.members, strict=True)
    )
    return Table("Boundaries", headings, rows)


def arrange_changes(result: ResultChanges) -> Page:
    """Arrange what entered, what left and what changed, and why."""
    kind = result.compared.replace("_", " ").replace("markov", "Markov")
    return framed(
        result,
        what="What changed:",
        subject=result.target or kind,
        question=f"What is not the same in two results of the kind “{kind}”, and why?",
        answer=_said(result),
        figures=(
            ("entered", str(len(result.of_sort("entered")))),
            ("left", str(len(result.of_sort("left")))),
            ("changed", str(len(result.of_sort("changed")))),
            ("the same", f"{result.n_same:,}"),
        ),
        sections=(
            Section("reasons", "Why", _reasons(result)),
            Section("evidence", "Changes", tuple(_changes(result))),
        ),
    )


def _said(result: ResultChanges) -> str:
    if not result.changes:
        return f"Nothing changed; all {result.n_same:,} are the same."
    return f"{counted(len(result.changes), 'change')}, {result.n_same:,} the same."


def _reasons(result: ResultChanges) -> tuple[Block, ...]:
    return (Words(tuple(result.reasons), is_list=True),) if result.reasons else ()


def _changes(result: ResultChanges) -> Iterator[Block]:
    if not result.changes:
        return
    headings = (
        Heading("What", "name"),
        Heading("Change"),
        Heading("Before"),
        Heading("After"),
        Heading("Why"),
    )
    changes, n_left_out = shown_first(result.changes)
    rows = tuple(
        (
            name(change.what, strong=True),
            text(change.sort, "accent" if change.sort == "entered" else ""),
            text(change.before),
            text(change.after),
            text(change.why),
        )
        for change in changes
    )
    yield Table("What is not the same", headings, rows, n_left_out)
