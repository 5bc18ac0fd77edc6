"""What was found around one variable, as a table in the terminal."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from eiderdown.report.narrow import Fitting
from eiderdown.results import Evidence, LocalResult, ParentsChildren

N_MISSES = 5
"""How many of the nearest misses are shown; the result itself holds more."""

_LONGEST_NAME = 20  # leaves room for some of the conditioning set in 80 columns
_LONGEST_WITH_ROLE = 16
_DECISIONS = {"kept": "kept", "removed": "removed", "not_admitted": "outside"}


def boundary_table(result: LocalResult, truth: Collection[str] | None = None) -> Table:
    """Make a table of the members, the removed variables and the nearest misses.

    Parameters
    ----------
    result : LocalResult
        What was found: a boundary, or parents and children.
    truth : collection of str or None
        The true members, where they are known; adds a column that says who is one.

    Returns
    -------
    rich.table.Table
        One row for each decisive test, with the role of each member of a boundary where the search
        knows it, and a column for reliability if any of the tests lacks it. In a narrow terminal
        roles and conditioning sets give way.
    """
    with_roles = result.parents_children is not None and not isinstance(result, ParentsChildren)
    table = Table(box=SIMPLE_HEAD, padding=0, show_edge=False)
    longest = _LONGEST_WITH_ROLE if with_roles else _LONGEST_NAME
    table.add_column("variable", no_wrap=True, max_width=longest)
    table.add_column("decision", no_wrap=True)
    if with_roles:
        table.add_column("role")
    table.add_column("given")
    for heading in ("statistic", "dof", "p", "effect"):
        table.add_column(heading, justify="right", no_wrap=True)
    with_doubts = not all(item.reliable for item in _shown(result))
    if with_doubts:
        table.add_column("reliable", no_wrap=True)
    if truth is not None:
        table.add_column("in truth", no_wrap=True)
    for item in _shown(result):
        roles = [_role(item, result)] if with_roles else []
        extra = [_yes_or_no(item.reliable)] if with_doubts else []
        extra += [] if truth is None else [_yes_or_no(item.variable in truth)]
        table.add_row(*_decision(item), *roles, _given(item, result), *_numbers(item), *extra)
    return table


def render_local(
    result: LocalResult, console: Console, truth: Collection[str] | None = None
) -> None:
    """Print what was found around a variable: members, evidence, and how the search went.

    Parameters
    ----------
    result : LocalResult
        What was found. Its warnings are left to the caller.
    console : rich.console.Console
        Where to print.
    truth : collection of str or None
        The true members, where they are known.

    Examples
    --------
    >>> from eiderdown import find_boundary, networks
    >>> data = networks.load("asia").sample(5_000, random_state=0)
    >>> render_local(find_boundary(data, target="dysp"), Console())  # doctest: +ELLIPSIS
    Markov boundary of 'dysp': 2 members...
    """
    say(console, _headline(result))
    if result.evidence:
        console.print(boundary_table(result, truth))
    if truth is not None:
        say(console, _against(result, truth))
    run = result.run
    say(
        console,
        f"{run.algorithm}: {run.n_tests:,} tests ran, {run.n_skipped:,} of them skipped as "
        f"unreliable, in {run.seconds:.2f} seconds on {run.n_rows:,} rows x "
        f"{run.n_columns:,} columns.",
    )


def say(console: Console, line: str) -> None:
    """Print one line as it is, however long."""
    console.print(Text(line), soft_wrap=True)


def sized(n_members: int) -> str:
    """Say how many members there are."""
    return "empty" if n_members == 0 else "1 member" if n_members == 1 else f"{n_members} members"


def counted(n: int, thing: str) -> str:
    """Say how many there are of something.

    Examples
    --------
    >>> counted(1, "edge"), counted(2_000, "edge")
    ('1 edge', '2,000 edges')
    """
    return f"{n:,} {thing}" if n == 1 else f"{n:,} {thing}s"


def _shown(result: LocalResult) -> Iterable[Evidence]:
    yield from result.evidence_with("kept")
    yield from result.evidence_with("removed")
    yield from result.evidence_with("not_admitted")[:N_MISSES]


def _decision(item: Evidence) -> tuple[Text, Text]:
    name = Text(item.variable, style="bold" if item.decision == "kept" else "")
    return name, Text(_DECISIONS[item.decision])


def _role(item: Evidence, result: LocalResult) -> Fitting:
    if item.decision != "kept":
        return Fitting("")
    if item.variable in result.spouses:
        return Fitting(f"spouse via {result.spouses[item.variable]}", "spouse")
    return Fitting("neighbour" if item.variable in (result.parents_children or ()) else "unknown")


def _given(item: Evidence, result: LocalResult) -> Fitting:
    names = ", ".join(item.given) or "-"
    members, given = set(result.members), set(item.given)
    if len(given) > 1 and given == members:
        return Fitting(names, f"all {len(given)}")
    if len(given) > 1 and item.variable in members and given == members - {item.variable}:
        return Fitting(names, f"{len(given)} others")
    return Fitting(names)


def _numbers(item: Evidence) -> tuple[Text, ...]:
    return (
        Text(f"{item.statistic:,.1f}"),
        Text(f"{item.dof:g}"),
        Text(item.p_text),
        Text(f"{item.effect:.3f}"),
    )


def _yes_or_no(fact: bool) -> Text:
    return Text("yes") if fact else Text("no", style="yellow")


def _headline(result: LocalResult) -> str:
    what = "Parents and children" if isinstance(result, ParentsChildren) else "Markov boundary"
    interrupted = "" if result.complete else " (interrupted: the best so far)"
    return f"{what} of {result.target!r}: {sized(len(result.members))}{interrupted}"


def _against(result: LocalResult, truth: Collection[str]) -> str:
    found = set(result.members) & set(truth)
    missed = sorted(set(truth) - found)
    wrong = sorted(set(result.members) - found)
    return (
        f"Found {len(found)} of the {len(truth)} true members; "
        f"missed: {', '.join(missed) or 'none'}; not in truth: {', '.join(wrong) or 'none'}."
    )
