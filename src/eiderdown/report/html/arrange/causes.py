"""The page of causes and effects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from eiderdown.report.html.arrange.framing import framed
from eiderdown.report.html.cells import name, names, number, share, shown_first, text
from eiderdown.report.html.positions import layered
from eiderdown.report.html.view import (
    Block,
    Cell,
    Edge,
    Graph,
    Heading,
    Node,
    Page,
    Section,
    Table,
    Words,
)
from eiderdown.report.text import counted
from eiderdown.results import NeighbourRole, Orientation

_ROLES = {
    "target": "the column in question",
    "cause": "more likely a cause than not",
    "effect": "more likely an effect than not",
    "undecided": "adjacent, but the data do not say in which direction",
    "spouse": "another cause of an effect",
    "other": "a column further away",
}
_MOST_DRAWN = 80


def arrange_orientation(result: Orientation) -> Page:
    """Arrange which neighbours are causes and which effects."""
    return framed(
        result,
        what="Causes and effects of",
        subject=result.target,
        question=(
            f"Which columns that nothing separates from {result.target!r} are its causes, and "
            "which its effects?"
        ),
        answer=_answer(result),
        figures=(
            ("causes", str(len(result.causes))),
            ("effects", str(len(result.effects))),
            ("undecided", str(len(result.undecided))),
        ),
        sections=(
            Section("graph", "Around the target", tuple(orientation_blocks(result))),
            Section("y-tests", "Y-tests", tuple(_y_tests(result))),
        ),
    )


def _answer(result: Orientation) -> str:
    if not result.neighbours:
        return f"Nothing was found to depend on {result.target!r}."
    counts = (
        counted(len(result.causes), "cause"),
        counted(len(result.effects), "effect"),
        f"{len(result.undecided)} undecided",
    )
    return f"{counts[0]}, {counts[1]} and {counts[2]} around {result.target!r}."


def orientation_blocks(result: Orientation) -> Iterator[Block]:
    """Draw the region, and say why each neighbour is what it is."""
    roles = {role.name: role.role for role in result.neighbours}
    drawn = [node for node in result.graph.nodes if _is_near(node, result)][:_MOST_DRAWN]
    if len(drawn) > 1:
        yield _graph(result, drawn, roles)
    if result.neighbours:
        headings = (
            Heading("Column", "name"),
            Heading("Is"),
            Heading("Cause", "number"),
            Heading("Effect", "number"),
            Heading("Undecided", "number"),
            Heading("Y cause", "number", "Y-tests that make it a cause without hidden cause."),
            Heading("Y effect", "number", "Y-tests that make it an effect."),
            Heading("Why"),
        )
        neighbours, n_left_out = shown_first(result.neighbours)
        rows = tuple(map(_role_row, neighbours))
        yield Table("Roles of the neighbours", headings, rows, n_left_out)
    if result.spouses:
        yield _spouses(result)


def _spouses(result: Orientation) -> Table:
    headings = (
        Heading("Spouse", "name"),
        Heading("Through", "name"),
        Heading("Probability", "number"),
        Heading("Why"),
    )
    spouses, n_left_out = shown_first(result.spouses)
    rows = tuple(
        (name(item.name), names(item.children), share(item.probability), text(item.why))
        for item in spouses
    )
    return Table("Other causes of its effects", headings, rows, n_left_out)


def _is_near(node: str, result: Orientation) -> bool:
    spouses = {item.name for item in result.spouses}
    return (
        node == result.target
        or node in spouses
        or result.neighbour(node) is not None
        or bool(result.graph.adjacent(node))
    )


def _graph(result: Orientation, drawn: list[str], roles: Mapping[str, str]) -> Graph:
    place = {node: i for i, node in enumerate(drawn)}
    spouses = {item.name: item for item in result.spouses}
    nodes = []
    for node in drawn:
        role = roles.get(node, "spouse" if node in spouses else "other")
        neighbour = result.neighbour(node)
        facts = () if neighbour is None else _shares(neighbour)
        if node in spouses:
            facts += (("spouse through", ", ".join(spouses[node].children)),)
        nodes.append(Node(node, "target" if node == result.target else role, facts=facts))
    edges = [
        Edge(place[a], place[b], directed)
        for directed, pairs in ((True, result.graph.directed), (False, result.graph.undirected))
        for a, b in pairs
        if a in place and b in place
    ]
    placed, bent = layered(nodes, edges)
    used = {node.role for node in placed}
    legend = tuple((role, meaning) for role, meaning in _ROLES.items() if role in used)
    return Graph(placed, bent, f"Causes and effects around {result.target}", legend)


def _shares(role: NeighbourRole) -> tuple[tuple[str, str], ...]:
    facts = (
        ("cause", f"{role.cause:.0%}"),
        ("effect", f"{role.effect:.0%}"),
        ("undecided", f"{role.undecided:.0%}"),
    )
    return (*facts, ("why", role.why)) if role.why else facts


def _role_row(role: NeighbourRole) -> tuple[Cell, ...]:
    return (
        name(role.name, strong=True),
        text(role.role),
        share(role.cause),
        share(role.effect),
        share(role.undecided),
        number(role.parent_tests, "d"),
        number(role.child_tests, "d"),
        text(role.why),
    )


def _y_tests(result: Orientation) -> Iterator[Block]:
    if not result.y_structures:
        return
    yield Words(
        (
            "Four columns show a direction without assuming that nothing is hidden: two collide in "
            "a third, which separates them from a fourth.",
        )
    )
    headings = (
        Heading("Collide", "name"),
        Heading("In", "name"),
        Heading("Causes", "name"),
        Heading("p-score", "number", "Least p-value of the independences; larger is safer."),
    )
    found, n_left_out = shown_first(result.y_structures)
    rows = tuple((names((y.a, y.b)), name(y.c), name(y.d), number(y.p_score, ".2f")) for y in found)
    yield Table("Y-tests that were passed", headings, rows, n_left_out)
