"""A Markov boundary as a table in the terminal."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from eiderdown.results import Evidence, MarkovBoundary

N_MISSES = 5
"""How many of the nearest misses are shown; the result itself holds more."""

_LONGEST_NAME = 20  # leaves room for some of the conditioning set in 80 columns
_DECISIONS = {"kept": "kept", "removed": "removed", "not_admitted": "outside"}


def boundary_table(result: MarkovBoundary, truth: Collection[str] | None = None) -> Table:
    """Make a table of the members, the removed variables and the nearest misses.

    Parameters
    ----------
    result : MarkovBoundary
        What was found.
    truth : collection of str or None
        The true boundary, where it is known; adds a column that says who is in it.

    Returns
    -------
    rich.table.Table
        One row for each decisive test. In a narrow terminal the conditioning sets give way.
    """
    table = Table(box=SIMPLE_HEAD, padding=0, show_edge=False)
    table.add_column("variable", no_wrap=True, max_width=_LONGEST_NAME)
    table.add_column("decision", no_wrap=True)
    table.add_column("given")
    for heading in ("statistic", "dof", "p", "effect"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("reliable", no_wrap=True)
    if truth is not None:
        table.add_column("in truth", no_wrap=True)
    for item in _shown(result):
        extra = [] if truth is None else [_yes_or_no(item.variable in truth)]
        table.add_row(*_cells(item), *extra)
    return table


def render_boundary(
    result: MarkovBoundary, console: Console, truth: Collection[str] | None = None
) -> None:
    """Print a boundary: its members, the evidence, and how the search went.

    Parameters
    ----------
    result : MarkovBoundary
        What was found. Its warnings are left to the caller.
    console : rich.console.Console
        Where to print.
    truth : collection of str or None
        The true boundary, where it is known.

    Examples
    --------
    >>> from eiderdown import find_boundary, networks
    >>> data = networks.load("asia").sample(5_000, random_state=0)
    >>> render_boundary(find_boundary(data, target="dysp"), Console())  # doctest: +ELLIPSIS
    Markov boundary of 'dysp': 2 members...
    """
    _say(console, _headline(result))
    if result.evidence:
        console.print(boundary_table(result, truth))
    if truth is not None:
        _say(console, _against(result, truth))
    _say(console, _how_it_went(result))


def _shown(result: MarkovBoundary) -> Iterable[Evidence]:
    yield from result.evidence_with("kept")
    yield from result.evidence_with("removed")
    yield from result.evidence_with("not_admitted")[:N_MISSES]


def _cells(item: Evidence) -> tuple[Text, ...]:
    return (
        Text(item.variable, style="bold" if item.decision == "kept" else ""),
        Text(_DECISIONS[item.decision]),
        # This column may shrink, but its text must be cut short and not folded.
        Text(", ".join(item.given) or "-", no_wrap=True, overflow="ellipsis"),
        Text(f"{item.statistic:,.1f}"),
        Text(f"{item.dof:g}"),
        Text(item.p_text),
        Text(f"{item.effect:.3f}"),
        _yes_or_no(item.reliable),
    )


def _yes_or_no(fact: bool) -> Text:
    return Text("yes") if fact else Text("no", style="yellow")


def _headline(result: MarkovBoundary) -> str:
    n = len(result.members)
    size = "empty" if n == 0 else "1 member" if n == 1 else f"{n} members"
    interrupted = "" if result.complete else " (interrupted: the best so far)"
    return f"Markov boundary of {result.target!r}: {size}{interrupted}"


def _against(result: MarkovBoundary, truth: Collection[str]) -> str:
    found = set(result.members) & set(truth)
    missed = sorted(set(truth) - found)
    wrong = sorted(set(result.members) - found)
    return (
        f"Found {len(found)} of the {len(truth)} true members; "
        f"missed: {', '.join(missed) or 'none'}; not in truth: {', '.join(wrong) or 'none'}."
    )


def _how_it_went(result: MarkovBoundary) -> str:
    run = result.run
    return (
        f"{run.algorithm}: {run.n_tests:,} tests ran, {run.n_skipped:,} of them skipped as "
        f"unreliable, in {run.seconds:.2f} seconds on {run.n_rows:,} rows x "
        f"{run.n_columns:,} columns."
    )


def _say(console: Console, line: str) -> None:
    console.print(Text(line), soft_wrap=True)
