"""The page of what was found around one column, and of one question of independence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from eiderdown.report.html.arrange.framing import framed
from eiderdown.report.html.arrange.predicting import prediction_blocks
from eiderdown.report.html.arrange.why_not import why_not
from eiderdown.report.html.cells import (
    TEST_HEADINGS,
    evidence_cells,
    evidence_facts,
    name,
    names,
    share,
    shown_first,
    text,
)
from eiderdown.report.html.positions import around
from eiderdown.report.html.view import (
    Block,
    Cell,
    Edge,
    Facts,
    Graph,
    Heading,
    Node,
    Page,
    Section,
    Table,
    Words,
)
from eiderdown.report.text import counted
from eiderdown.results import Evidence, IndependenceAnswer, LocalResult, MarkovBoundary

MOST_DRAWN = 60
"""Members in the graph; more of them cannot be read, and stand in the table."""

_DECISIONS = {"kept": "member", "removed": "removed", "not_admitted": "outside"}
_ROLES = {
    "target": "the column in question",
    "adjacent": "parent or child: no other columns separate it from the target",
    "spouse": "another parent of a child of the target",
    "member": "member, role unknown",
}


def arrange_local(result: LocalResult) -> Page:
    """Arrange a boundary, or parents and children."""
    is_boundary = isinstance(result, MarkovBoundary)
    title = "Markov boundary" if is_boundary else "Parents and children"
    prediction = tuple(prediction_blocks(result)) if isinstance(result, MarkovBoundary) else ()
    return framed(
        result,
        what=f"{title} of",
        subject=result.target,
        question=_question(result),
        answer=_answer(result),
        figures=(("members" if len(result.members) != 1 else "member", str(len(result.members))),),
        sections=(
            Section("graph", title, tuple(graph_blocks(result))),
            Section("evidence", "Evidence", tuple(_evidence(result))),
            Section("why-not", "Why not this column?", why_not(result)),
            Section("prediction", "How well it predicts", prediction),
        ),
    )


def _question(result: LocalResult) -> str:
    if isinstance(result, MarkovBoundary):
        return (
            f"Which columns make all others irrelevant to {result.target!r}? Once the members of "
            "its Markov boundary are known, no other column says more about it."
        )
    return (
        f"Which columns are parents or children of {result.target!r}? No set of other columns "
        "makes them independent of it."
    )


def _answer(result: LocalResult) -> str:
    target, n = result.target, len(result.members)
    others = max(0, result.run.n_columns - 1)
    if not n:
        return f"No column was found to depend on {target!r}."
    if not isinstance(result, MarkovBoundary):
        of = f" of {others:,} columns" if others else ""
        verb = "is a parent or child" if n == 1 else "are parents or children"
        return f"{n:,}{of} {verb} of {target!r}."
    verb = "makes" if n == 1 else "make"
    of = f" of {others:,} columns" if others else counted(n, " column")[len(str(n)) :]
    return f"{n:,}{of} {verb} all others irrelevant to {target!r}."


def role_of(variable: str, result: LocalResult) -> str:
    """Say in a word what a member is."""
    if variable in result.spouses:
        return "spouse"
    if result.what != "boundary" or variable in (result.parents_children or ()):
        return "adjacent"
    return "member"


def graph_blocks(result: LocalResult) -> Iterator[Block]:
    """Draw the target in the middle, members around it, and spouses behind their child."""
    if not result.members:
        return
    drawn = result.members[:MOST_DRAWN]
    tests = {item.variable: item for item in result.evidence if item.decision == "kept"}
    members = [
        Node(variable, role_of(variable, result), facts=_facts(variable, result, tests))
        for variable in drawn
    ]
    partners = {name: child for name, child in result.spouses.items() if child in drawn}
    nodes = around([Node(result.target, "target"), *members], partners)
    roles = {node.role for node in nodes}
    yield Graph(
        nodes,
        tuple(_edges([node.name for node in nodes], result, partners)),
        f"Graph of {result.target} and its {counted(len(drawn), 'member')}",
        tuple((role, meaning) for role, meaning in _ROLES.items() if role in roles),
    )
    if left := len(result.members) - len(drawn):
        yield Words((f"{counted(left, 'member')} with weaker evidence in the table only.",))


def _facts(
    variable: str, result: LocalResult, tests: dict[str, Evidence]
) -> tuple[tuple[str, str], ...]:
    facts = [("role", _role_in_words(variable, result))]
    if variable in result.probabilities:
        facts.append(("probability", f"{result.probabilities[variable]:.0%}"))
    if variable in tests:
        facts += evidence_facts(tests[variable])
    return tuple(facts)


def _role_in_words(variable: str, result: LocalResult) -> str:
    if variable in result.spouses:
        return f"spouse via {result.spouses[variable]}"
    return {"adjacent": "parent or child", "member": "member, role unknown"}[
        role_of(variable, result)
    ]


def _edges(names: Sequence[str], result: LocalResult, partners: dict[str, str]) -> Iterator[Edge]:
    place = {name: i for i, name in enumerate(names)}
    children = set(partners.values())  # what a spouse shares with the target is its child
    for variable in names[1:]:
        certain = result.probabilities.get(variable, 1.0)
        if variable in partners:
            yield Edge(place[variable], place[partners[variable]], directed=True, share=certain)
        else:
            known = role_of(variable, result) == "adjacent"
            style: Literal["solid", "dashed"] = "solid" if known else "dashed"
            yield Edge(0, place[variable], variable in children, style, certain)


def _evidence(result: LocalResult) -> Iterator[Block]:
    if not result.evidence:
        return
    with_roles = result.parents_children is not None and isinstance(result, MarkovBoundary)
    with_chance = bool(result.probabilities)
    options = result.run.options
    level = float(options.get("level", options.get("alpha", 1.0)))
    headings = (
        Heading("Column", "name"),
        Heading("Decision", "text", "Member, removed again, or never admitted."),
        *((Heading("Role"),) if with_roles else ()),
        *((Heading("Probability", "number"),) if with_chance else ()),
        *TEST_HEADINGS[:3],
        Heading("Test says", "text", f"At significance level {level:g}."),
        *TEST_HEADINGS[3:],
    )
    items, n_left_out = shown_first(result.evidence)
    rows = tuple(
        _row(item, result, level, with_roles=with_roles, with_chance=with_chance) for item in items
    )
    yield Words(
        (
            "The decisive test of each member, of each column that was removed again, and of the "
            "nearest misses. A small p speaks for dependence that the columns under “Given” do "
            "not explain.",
        )
    )
    yield Table("Decisive tests", headings, rows, n_left_out)


def _row(
    item: Evidence, result: LocalResult, level: float, *, with_roles: bool, with_chance: bool
) -> tuple[Cell, ...]:
    kept = item.decision == "kept"
    role = _role_in_words(item.variable, result) if kept else ""
    return (
        name(item.variable, strong=kept),
        text(_DECISIONS[item.decision], "accent" if kept else ""),
        *((text(role),) if with_roles else ()),
        *((share(result.probabilities.get(item.variable, 0.0)),) if with_chance else ()),
        _given(item, result),
        *evidence_cells(item)[1:3],
        text(item.answer(level)),
        *evidence_cells(item)[3:],
    )


def _given(item: Evidence, result: LocalResult) -> Cell:
    """Write the conditioning set: in words where it is all members, or all others."""
    given, others = set(item.given), set(result.members) - {item.variable}
    if len(given) > 2 and given == others:
        which = "other members" if item.decision == "kept" else "members"
        return Cell(f"the {len(given)} {which}", order=len(given))
    return names(item.given)


def arrange_answer(result: IndependenceAnswer) -> Page:
    """Arrange the answer to one question of independence."""
    given = f" given {', '.join(map(repr, result.given))}" if result.given else ""
    family = result.run.options.get("family")
    facts = Facts(
        (
            ("Test", result.test if family is None else f"{result.test} ({family})"),
            ("Why this test", result.chosen),
            ("Statistic", f"{result.statistic:,.4g}"),
            ("Degrees of freedom", f"{round(result.dof, 1):g}"),
            ("p", result.p_text),
            ("Effect", f"{result.effect:.3g}"),
            ("Rows used", f"{result.n_used:,} of {result.run.n_rows:,}"),
        )
    )
    words = (Words((result.reason,)),) if result.reason else ()
    return framed(
        result,
        what="Independence of",
        subject=f"{result.x} and {result.y}",
        question=f"Are {result.x!r} and {result.y!r} independent{given}?",
        answer=f"{result.x!r} and {result.y!r}{given}: {result.answer} (p {result.p_text}).",
        figures=(("answer", result.answer), ("p", result.p_text)),
        sections=(Section("evidence", "Evidence", (*words, facts)),),
    )
