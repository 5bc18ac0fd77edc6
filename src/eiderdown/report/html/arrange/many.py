"""The pages of several boundaries of one column, and of boundaries of many columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from eiderdown.report.html.arrange.framing import framed
from eiderdown.report.html.arrange.local import graph_blocks
from eiderdown.report.html.cells import name, names, number, share, shown_first, text
from eiderdown.report.html.view import (
    Block,
    Cell,
    Heading,
    Page,
    Section,
    Table,
    Words,
)
from eiderdown.report.text import counted
from eiderdown.results import AllBoundaries, AlternativeBoundary, Boundaries, Replacement

MOST_ALTERNATIVES = 50
"""Boundaries that are listed one by one; substitutions say the same of thousands."""


def arrange_boundaries(result: Boundaries) -> Page:
    """Arrange multiplicity: what stands for each member, and the most frequent boundaries."""
    first = result.alternatives[0] if result.alternatives else None
    drawn = () if first is None else tuple(graph_blocks(first.boundary))
    words = (Words(("The boundary that most runs found.",)),) if drawn else ()
    return framed(
        result,
        what="Markov boundaries of",
        subject=result.target,
        question=(
            f"Is there more than one smallest set of columns that makes all others irrelevant to "
            f"{result.target!r}? Repeated searches with random choices look for them."
        ),
        answer=_answer(result),
        figures=(("distinct", f"{len(result):,}"), ("runs", f"{result.n_runs:,}")),
        sections=(
            Section("graph", "Most frequent boundary", (*words, *drawn)),
            Section("substitutions", "What can stand for each member", tuple(_instead(result))),
            Section("frequency", "How often a column is a member", tuple(_frequency(result))),
            Section("boundaries", "Boundaries", tuple(_alternatives(result))),
        ),
    )


def _answer(result: Boundaries) -> str:
    if not result.alternatives:
        return f"No boundary of {result.target!r} was found."
    if len(result) == 1:
        return f"All {result.n_runs:,} runs found the same boundary of {result.target!r}."
    always = sum(n == result.n_runs for n in result.member_counts.values())
    return (
        f"{len(result):,} distinct boundaries of {result.target!r} in {result.n_runs:,} runs; "
        f"{counted(always, 'column')} {'is' if always == 1 else 'are'} in all of them."
    )


def _instead(result: Boundaries) -> Iterator[Block]:
    """Say for each member of the most frequent boundary what stood for it, and how often."""
    if len(result) < 2:
        return
    members = result.alternatives[0].members
    stands = _substitutions(result)
    counts = result.member_counts
    headings = (
        Heading("Member", "name"),
        Heading("In runs", "number", "Share of the runs in which it is a member."),
        Heading("Substitutes", "number"),
        Heading("What can stand for it", "name", "Columns, the most frequent first."),
    )
    rows = tuple(
        (
            name(member, strong=True),
            share(counts.get(member, 0) / result.n_runs),
            number(len(stands.get(member, {})), "d"),
            names(f"{other} ({n:,})" for other, n in _first(stands.get(member, {}))),
        )
        for member in members
    )
    yield Words(
        (
            "With a member replaced by what stands for it, one boundary becomes another; in "
            "brackets, how often. A member without substitutes cannot be replaced.",
        )
    )
    yield Table("Substitutions per member", headings, rows)
    together = [item for item in result.replacements if len(item.those) > 1]
    if together:
        yield _one_for_several(together)


def _one_for_several(replacements: list[Replacement]) -> Table:
    shown, n_left_out = shown_first(replacements)
    rows = tuple(
        (name(item.these[0]), names(item.those), number(item.n_pairs, ",")) for item in shown
    )
    headings = (
        Heading("Column", "name"),
        Heading("Stands for, together", "name"),
        Heading("Pairs of boundaries", "number"),
    )
    return Table("One for several", headings, rows, n_left_out)


def _substitutions(result: Boundaries) -> Mapping[str, Mapping[str, int]]:
    """Return what stands for each member; results of older versions hold it pair by pair."""
    known = getattr(result, "substitutions", None)
    if known:
        return {item.member: item.by for item in known}
    stands: dict[str, Counter[str]] = {}
    for item in result.replacements:
        if len(item.these) == len(item.those) == 1:
            one, other = item.these[0], item.those[0]
            stands.setdefault(one, Counter())[other] += item.n_pairs
            stands.setdefault(other, Counter())[one] += item.n_pairs
    return stands


def _first(found: Mapping[str, int], most: int = 20) -> list[tuple[str, int]]:
    return sorted(found.items(), key=lambda item: (-item[1], item[0]))[:most]


def _frequency(result: Boundaries) -> Iterator[Block]:
    counts, n_left_out = shown_first(list(result.member_counts.items()))
    if counts:
        headings = (
            Heading("Column", "name"),
            Heading("Runs", "number"),
            Heading("Share", "number"),
        )
        rows = tuple((name(x), number(n, ","), share(n / result.n_runs)) for x, n in counts)
        yield Table("Members by number of runs", headings, rows, n_left_out)


def _alternatives(result: Boundaries) -> Iterator[Block]:
    if not result.alternatives:
        return
    accuracy = result.alternatives[0].accuracy
    measures: tuple[str, ...] = ()
    if accuracy is not None:
        measures = ("R2",) if accuracy.balanced is None else ("Accuracy", "Balanced")
    headings = (
        Heading("Runs", "number"),
        Heading("Share", "number"),
        Heading("Size", "number"),
        *(Heading(measure, "number") for measure in measures),
        Heading("Members", "name"),
    )
    listed = result.alternatives[:MOST_ALTERNATIVES]
    rows = tuple(_alternative(item, result.n_runs, len(measures)) for item in listed)
    if result.predicted_by is not None:
        yield Words((f"Accuracy: {result.predicted_by}.",))
    yield Table("The most frequent boundaries", headings, rows, len(result) - len(listed))


def _alternative(item: AlternativeBoundary, n_runs: int, n_measures: int) -> tuple[Cell, ...]:
    found = item.accuracy
    scores = () if found is None else (found.score, found.balanced)
    known = [number(score, ".3f") for score in scores if score is not None][:n_measures]
    known += [number(None)] * (n_measures - len(known))
    return (
        number(item.n_runs, ","),
        share(item.n_runs / n_runs),
        number(len(item.members), "d"),
        *known,
        names(item.members),
    )


def arrange_all(result: AllBoundaries) -> Page:
    """Arrange the boundaries of many columns: a row for each."""
    of_boundaries = all(found.what == "boundary" for found in result.values())
    what = "Markov boundaries of" if of_boundaries else "Parents and children of"
    n_members = sum(len(found.members) for found in result.values())
    headings = (
        Heading("Column", "name"),
        Heading("Members", "number"),
        Heading("Which", "name"),
        Heading("Tests", "number"),
        Heading("Remarks"),
    )
    found, n_left_out = shown_first(list(result.values()))
    rows = tuple(
        (
            name(one.target, strong=True),
            number(len(one.members), "d"),
            names(one.members),
            number(one.run.n_tests, ","),
            text(" ".join(one.warnings)),
        )
        for one in found
    )
    return framed(
        result,
        what=what,
        subject=counted(len(result), "column"),
        question="Which columns make all others irrelevant to each column?"
        if of_boundaries
        else "Which columns are parents or children of each column?",
        answer=f"{counted(len(result), 'column')} with {counted(n_members, 'member')} in all.",
        figures=(("targets", f"{len(result):,}"), ("members", f"{n_members:,}")),
        sections=(
            Section("boundaries", "All columns", (Table(what, headings, rows, n_left_out),)),
        ),
    )
