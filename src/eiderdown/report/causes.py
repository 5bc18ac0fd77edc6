"""Causes and effects of a column, in the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from eiderdown.report.text import cell, counted, effort, say, table_of
from eiderdown.results import Orientation

N_SHOWN = 5
"""How many Y-tests are shown; the result itself holds all."""


def roles_table(result: Orientation) -> Table:
    """Make a table of the neighbours, in their order, with the shares and the Y-tests."""
    table = table_of(("column", "is"), ("cause", "effect", "undecided", "Y cause", "Y effect"))
    for role in result.neighbours:
        shares = (f"{share:.0%}" for share in (role.cause, role.effect, role.undecided))
        tests = (str(role.parent_tests or ""), str(role.child_tests or ""))
        table.add_row(cell(role.name), cell(role.role), *shares, *tests)
    return table


def render_orientation(result: Orientation, console: Console) -> None:
    """Print causes and effects, why, spouses and Y-tests, and how they were found."""
    interrupted = "" if result.complete else " (interrupted: of the searches so far)"
    counts = [
        counted(len(result.causes), "cause"),
        counted(len(result.effects), "effect"),
        f"{len(result.undecided)} undecided",
    ]
    say(console, f"Around {result.target!r}: {', '.join(counts)}{interrupted}")
    if result.neighbours:
        console.print(roles_table(result))
    for role in result.neighbours:
        say(console, f"{role.name}: {role.why}")
    for spouse in result.spouses:
        say(console, f"{spouse.name} (spouse, {spouse.probability:.0%}): {spouse.why}")
    for found in result.y_structures[:N_SHOWN]:
        say(console, f"Y-test: {found} (p-score {found.p_score:.2f})")
    if len(result.y_structures) > N_SHOWN:
        say(console, f"... and {counted(len(result.y_structures) - N_SHOWN, 'more Y-test')}.")
    say(console, f"{result.engine}; {effort(result.run)}")
