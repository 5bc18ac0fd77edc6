"""What was found around one variable or around many, and several boundaries, in the terminal."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from rich.console import Console
from rich.table import Table
from rich.text import Text

from eiderdown.report.predictive_columns import render_prediction
from eiderdown.report.sentences import reservations
from eiderdown.report.text import (
    Fitting,
    cell,
    counted,
    effort,
    forgotten,
    say,
    table_of,
    yes_or_no,
)
from eiderdown.results import (
    AllBoundaries,
    Boundaries,
    Evidence,
    IndependenceAnswer,
    LocalResult,
    MarkovBoundary,
    ParentsChildren,
    Run,
)

N_MISSES = 5
"""How many of the nearest misses are shown; the result itself holds more."""

N_SHOWN = 20
"""How many boundaries and replacements are shown; the result itself holds all."""

_MOST_FOLDED = 4  # names of a conditioning set that are folded where they do not fit
_DECISIONS = {"kept": "kept", "removed": "removed", "not_admitted": "outside"}


def boundary_table(result: LocalResult, truth: Collection[str] | None = None) -> Table:
    """Make a table of the members, the removed variables and the nearest misses.

    There is a row for each decisive test, with roles where the search knows them, a column for the
    answers if any test cannot say, and one that says who is true where that is known. In a narrow
    terminal texts are folded, and in a very narrow one statistics give way.
    """
    with_roles = result.parents_children is not None and not isinstance(result, ParentsChildren)
    texts = ("variable", "decision", *(("role",) if with_roles else ()), "given")
    numbers = ("statistic", "dof", "p", "effect")
    table = table_of(texts, numbers, dispensable=("dof", "statistic"), padding=0)
    options = result.run.options
    level = options.get("level", options.get("alpha", 1.0))
    answers = [item.answer(level) for item in _shown(result)]
    with_doubts = "cannot say" in answers
    if with_doubts:
        table.add_column("answer")
    if truth is not None:
        table.add_column("in truth")
    for item, answer in zip(_shown(result), answers, strict=True):
        roles = [_role(item, result)] if with_roles else []
        extra = [cell(answer)] if with_doubts else []
        extra += [] if truth is None else [yes_or_no(item.variable in truth)]
        name = cell(item.variable, style="bold" if item.decision == "kept" else "")
        decision = cell(_DECISIONS[item.decision])
        table.add_row(name, decision, *roles, _given(item, result), *_numbers(item), *extra)
    return table


def render_local(
    result: LocalResult, console: Console, truth: Collection[str] | None = None
) -> None:
    """Print what was found around a variable: members, evidence, and how the search went.

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
    for reservation in reservations(result):
        say(console, reservation)
    if isinstance(result, MarkovBoundary):
        render_prediction(result, console)
    run = result.run
    say(
        console,
        f"{run.algorithm}: {counted(run.n_tests, 'test')} ran, {run.n_skipped:,} of them could not "
        f"say{forgotten(run)}, in "
        f"{effort(run)}",
    )


def _shown(result: LocalResult) -> Iterable[Evidence]:
    yield from result.evidence_with("kept")
    yield from result.evidence_with("removed")
    yield from result.evidence_with("not_admitted")[:N_MISSES]


def _role(item: Evidence, result: LocalResult) -> Fitting:
    if item.decision != "kept":
        return Fitting("")
    if item.variable in result.spouses:
        return Fitting(f"spouse via {result.spouses[item.variable]}")
    if item.variable in (result.parents_children or ()):
        return Fitting("parent or child", "adjacent")
    return Fitting("unknown")


def _given(item: Evidence, result: LocalResult) -> Fitting:
    names = ", ".join(item.given) or "-"
    members, given = set(result.members), set(item.given)
    if len(given) > 1 and given == members:
        return Fitting(names, f"all {len(given)}")
    if len(given) > 1 and item.variable in members and given == members - {item.variable}:
        return Fitting(names, f"{len(given)} others")
    if len(given) > _MOST_FOLDED:
        first = item.given[: _MOST_FOLDED - 1]
        return Fitting(names, f"{', '.join(first)} and {len(given) - len(first)} more")
    return Fitting(names)


def _numbers(item: Evidence) -> tuple[Text, ...]:
    return (
        cell(f"{item.statistic:,.1f}"),
        cell(f"{round(item.dof, 1):g}"),
        cell(item.p_text),
        cell(f"{item.effect:.3f}"),
    )


def _headline(result: LocalResult) -> str:
    what = "Parents and children" if isinstance(result, ParentsChildren) else "Markov boundary"
    interrupted = "" if result.complete else " (interrupted: the best so far)"
    size = counted(len(result.members), "member") if result.members else "empty"
    return f"{what} of {result.target!r}: {size}{interrupted}"


def _against(result: LocalResult, truth: Collection[str]) -> str:
    found = set(result.members) & set(truth)
    missed = sorted(set(truth) - found)
    wrong = sorted(set(result.members) - found)
    return (
        f"Found {len(found)} of the {counted(len(truth), 'true member')}; "
        f"missed: {', '.join(missed) or 'none'}; not in truth: {', '.join(wrong) or 'none'}."
    )


def render_answer(result: IndependenceAnswer, console: Console) -> None:
    """Print the answer to one question."""
    for line in str(result).split("\n"):
        say(console, line)


def render_all(result: AllBoundaries, console: Console) -> None:
    """Print one line for each target: its name, how many members, and who they are."""
    width = max((len(target) for target in result), default=0)
    for target, found in result.items():
        say(console, f"{target:{width}}  {len(found.members):3}  {', '.join(found.members)}")
    n_members = sum(len(found.members) for found in result.values())
    run = Run.of("", None, {}, counts=(found.run for found in result.values()))
    seconds = sum(found.run.seconds for found in result.values())
    say(
        console,
        f"{counted(len(result), 'target')} with {counted(n_members, 'member')} in all; "
        f"{counted(run.n_tests, 'test')} ran{forgotten(run)} in "
        f"{seconds:.2f} seconds.",
    )


def boundaries_table(result: Boundaries) -> Table:
    """Make a table of the distinct boundaries: runs, share, size, accuracy, members."""
    headings = ["runs", "share", "size"]
    first = result.alternatives[0].accuracy if result.alternatives else None
    if first is not None:
        headings += ["R2"] if first.balanced is None else ["accuracy", "balanced"]
    table = table_of((), headings)
    table.add_column("members")
    for item in result.alternatives[:N_SHOWN]:
        share = f"{item.n_runs / result.n_runs:.0%}"
        cells = [str(item.n_runs), share, str(len(item.members))]
        if item.accuracy is not None:
            scores = (item.accuracy.score, item.accuracy.balanced)
            cells += [f"{score:.3f}" for score in scores if score is not None]
        cells += [""] * (len(headings) - len(cells))
        table.add_row(*cells, cell(", ".join(item.members) or "-"))
    return table


def render_boundaries(result: Boundaries, console: Console) -> None:
    """Print the distinct boundaries of a variable and what stands for what in them."""
    n = len(result)
    interrupted = "" if result.complete else " (interrupted)"
    distinct = counted(n, "boundary" if n == 1 else "distinct boundary")
    runs = counted(result.n_runs, "run")
    say(console, f"{distinct} of {result.target!r} in {runs}{interrupted}")
    if n:
        console.print(boundaries_table(result))
    if n > N_SHOWN:
        say(console, f"... and {n - N_SHOWN:,} more, each found less often or as often.")
    if result.predicted_by is not None:
        say(console, f"Accuracy: {result.predicted_by}.")
    for group in result.interchangeable:
        say(console, f"Stand for each other: {', '.join(group)}.")
    for item in [r for r in result.replacements if len(r.those) > 1][:N_SHOWN]:
        say(console, f"{item.these[0]} stands for {', '.join(item.those)} together.")
    run = result.run
    say(
        console,
        f"{run.algorithm}: {counted(run.n_tests, 'test')} ran and {run.n_repeated:,} were "
        f"remembered{forgotten(run)}, in "
        f"{effort(run)}",
    )
