"""Whether some columns are a Markov boundary, in the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from eiderdown.report.text import Fitting, add_numbers, cell, cut_off, effort, say, table_of
from eiderdown.results import BoundaryCheck, Evidence

N_OUTSIDE = 5
"""How many columns outside are shown, the strongest first; the result itself holds more."""

N_ADDED = 20
"""How many of the columns that were added are named."""

_LONGEST_NAME = 20
_ROLES = {"kept": "member", "removed": "redundant", "not_admitted": "outside"}


def render_check(result: BoundaryCheck, console: Console) -> None:
    """Print the answer, the tests behind it, and what was added.

    Examples
    --------
    >>> from eiderdown import check_boundary, networks
    >>> data = networks.load("asia").sample(5_000, random_state=0)
    >>> found = check_boundary(data, "dysp", members=["bronc", "either"])
    >>> render_check(found, Console(width=90))  # doctest: +ELLIPSIS
    Are 'bronc', 'either' the Markov boundary of 'dysp'?
    Yes: given them nothing of 5 other columns is left, and each of them matters given the others.
    ...
    """
    say(console, question_of(result))
    say(console, result.sentence)
    if result.evidence:
        console.print(check_table(result))
    if result.added:
        names = [item.variable for item in result.added]
        more = f" and {len(names) - N_ADDED:,} more" if len(names) > N_ADDED else ""
        until = "until nothing depended any more" if result.complete else "so far"
        say(console, f"Added {until}: {', '.join(names[:N_ADDED])}{more}.")
    if result.answer == "no" and result.complete:
        n_more = max(0, len(result.boundary) - N_ADDED)
        more = f" and {n_more:,} more" if n_more else ""
        reached = ", ".join(result.boundary[:N_ADDED]) or "nothing"
        say(console, f"A boundary from there: {reached}{more}.")
    run = result.run
    say(console, f"{run.n_tests:,} tests ran in {effort(run)}")


def check_table(result: BoundaryCheck) -> Table:
    """Make a table of the members and the strongest columns outside, each with its test."""
    table = table_of(("variable", ""), ())
    table.add_column("given")
    add_numbers(table, ("statistic", "dof", "p", "effect"))
    table.add_column("answer", no_wrap=True)
    for item in _shown(result):
        table.add_row(
            cell(cut_off(item.variable, _LONGEST_NAME)),
            cell(_ROLES[item.decision]),
            _given(item, result),
            cell(f"{item.statistic:,.1f}"),
            cell(f"{round(item.dof, 1):g}"),
            cell(item.p_text),
            cell(f"{item.effect:.3f}"),
            cell(item.answer(result.alpha)),
        )
    return table


def _shown(result: BoundaryCheck) -> list[Evidence]:
    of_members = [item for item in result.evidence if item.decision != "not_admitted"]
    outside = [item for item in result.evidence if item.decision == "not_admitted"]
    return of_members + outside[:N_OUTSIDE]


def _given(item: Evidence, result: BoundaryCheck) -> Fitting:
    names = ", ".join(item.given) or "-"
    if len(item.given) < 2:
        return Fitting(names)
    everyone = len(item.given) == len(result.members)
    return Fitting(names, f"all {len(item.given)}" if everyone else f"{len(item.given)} others")


def question_of(result: BoundaryCheck) -> str:
    """Ask what was asked, in words."""
    names = [repr(name) for name in result.members]
    if not names:
        return f"Is the empty set the Markov boundary of {result.target!r}?"
    shown = ", ".join(names[:N_ADDED])
    more = f" and {len(names) - N_ADDED:,} more" if len(names) > N_ADDED else ""
    verb = "Is" if len(names) == 1 else "Are"
    return f"{verb} {shown}{more} the Markov boundary of {result.target!r}?"
