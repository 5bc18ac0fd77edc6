"""The page of a skeleton whose edges went to a file."""

from __future__ import annotations

from eiderdown.report.html.arrange.framing import framed
from eiderdown.report.html.cells import number, shown_first
from eiderdown.report.html.view import Heading, Page, Section, Table, Words
from eiderdown.report.sentences import findings
from eiderdown.report.text import counted
from eiderdown.results import LearnedSkeleton


def arrange_skeleton(result: LearnedSkeleton) -> Page:
    """Arrange how many edges there are, where they are, and how many each column has."""
    degrees, n_left_out = shown_first(tuple(enumerate(result.degree_counts)))
    rows = tuple((number(degree, ","), number(n, ",")) for degree, n in degrees)
    headings = (Heading("Edges", "number"), Heading("Columns with so many", "number"))
    table = (Table("Columns by edges", headings, rows, n_left_out),) if rows else ()
    return framed(
        result,
        what="Skeleton",
        subject=f"of {counted(result.n_targets, 'column')}",
        question="Which columns are adjacent, whatever others are given?",
        answer=(
            f"{counted(result.n_edges, 'pair')} found each other, among "
            f"{counted(result.n_finished, 'column')}."
        ),
        figures=(
            ("edges", f"{result.n_edges:,}"),
            ("columns done", f"{result.n_finished:,}"),
            ("found from one side only", f"{result.n_one_sided:,}"),
        ),
        sections=(
            Section("file", "Where the edges are", (Words(tuple(findings(result))),)),
            Section("degrees", "Edges of a column", table),
        ),
    )
