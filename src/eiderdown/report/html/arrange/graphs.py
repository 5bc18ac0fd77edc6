"""The pages of networks and regions, and of how often edges come back."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from eiderdown.graphs import DAG, PDAG
from eiderdown.report.html.arrange.framing import framed
from eiderdown.report.html.cells import (
    TEST_HEADINGS,
    evidence_cells,
    evidence_facts,
    name,
    number,
    share,
    shown_first,
    text,
)
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
    Threshold,
    Words,
)
from eiderdown.report.text import counted
from eiderdown.results import EdgeFrequency, EdgeStability, LearnedEdge, LearnedGraph, LearnedRegion

MOST_DRAWN = 120
"""Columns in a picture; of more, those are drawn that are nearest to the busiest one."""

_MOST_ALONE = 100
_ROLES = {
    "target": "the centre of the region",
    "member": "in the Markov boundary of the centre",
    "node": "a column",
}


def arrange_graph(result: LearnedGraph) -> Page:
    """Arrange a network or a region."""
    target = result.target if isinstance(result, LearnedRegion) else None
    where = "" if target is None else f" of {target!r}"
    score = () if result.score is None else (("score", f"{result.score:,.1f}"),)
    return framed(
        result,
        what="Network" if target is None else "Region around",
        subject=f"of {counted(len(result.nodes), 'column')}" if target is None else target,
        question=(
            "Which columns depend on each other directly, and in which direction?"
            if target is None
            else f"What does the network look like near {target!r}, without learning the rest?"
        ),
        answer=_answer(result, where),
        figures=(
            ("edges", f"{len(result.edges):,}"),
            *score,
        ),
        sections=(
            Section("graph", "Graph", tuple(_drawn(result, target))),
            Section("evidence", "Evidence for each edge", tuple(_edge_table(result))),
        ),
    )


def _answer(result: LearnedGraph, where: str) -> str:
    what = "A CPDAG" if result.is_cpdag else "A directed graph"
    near = ""
    if isinstance(result, LearnedRegion):
        near = f" within {counted(result.depth, 'step')}{where}"
    compelled = sum(edge.compelled for edge in result.edges)
    size = f"{counted(len(result.nodes), 'column')} and {counted(len(result.edges), 'edge')}"
    return f"{what}{near}: {size}, {compelled:,} of them with a compelled direction."


def _drawn(result: LearnedGraph, target: str | None) -> Iterator[Block]:
    if result.edges:
        yield from _picture(result, target)
    else:
        yield Words(("No two columns were found to depend on each other directly.",))
    joined = {end for edge in result.edges for end in (edge.left, edge.right)}
    alone = sorted(set(result.nodes) - joined)
    if alone:
        more = f" and {len(alone) - _MOST_ALONE:,} more" if len(alone) > _MOST_ALONE else ""
        yield Words((f"Without edges: {', '.join(alone[:_MOST_ALONE])}{more}.",))


def _picture(result: LearnedGraph, target: str | None) -> Iterator[Block]:
    kept = nearest(result.graph, target)
    members = result.boundary(target) if target is not None else frozenset()
    nodes = [
        Node(x, "target" if x == target else "member" if x in members else "node") for x in kept
    ]
    place = {x: i for i, x in enumerate(kept)}
    edges = [
        Edge(place[e.left], place[e.right], e.directed, facts=_edge_facts(e))
        for e in result.edges
        if e.left in place and e.right in place
    ]
    placed, bent = layered(nodes, edges)
    used = {node.role for node in placed} if target is not None else set()
    legend = tuple((role, meaning) for role, meaning in _ROLES.items() if role in used)
    if len(kept) == MOST_DRAWN:
        yield Words((_part(len(kept), len(result.nodes)),))
    yield Graph(placed, bent, f"Graph of {counted(len(kept), 'column')}", legend)


def _part(n_drawn: int, n_all: int) -> str:
    return (
        f"Drawn are {n_drawn:,} of {n_all:,} columns: those nearest to the one with the most "
        "edges. The table has all edges."
    )


def nearest(graph: DAG | PDAG, target: str | None) -> list[str]:
    """Return the nodes to draw: those with edges, if they are many those nearest to one of them."""
    joined = [node for node in sorted(graph.nodes) if graph.adjacent(node) or node == target]
    if len(joined) <= MOST_DRAWN:
        return joined
    busiest = max(joined, key=lambda node: len(graph.adjacent(node)))  # the first of equals
    found = [target or busiest]
    seen = set(found)
    for node in found:
        for other in sorted(graph.adjacent(node) - seen)[: MOST_DRAWN - len(found)]:
            seen.add(other)
            found.append(other)
        if len(found) >= MOST_DRAWN:
            break
    return sorted(found)


def _edge_facts(edge: LearnedEdge) -> tuple[tuple[str, str], ...]:
    facts = [("direction", "compelled" if edge.compelled else "free")]
    if edge.ends is not None:
        facts.append((f"hidden causes: {edge.marks}", edge.meaning))
    if edge.gain is not None:
        facts.append(("gain of the score", f"{edge.gain:,.1f}"))
    return (*facts, *evidence_facts(edge.test)) if edge.test is not None else tuple(facts)


def _edge_table(result: LearnedGraph) -> Iterator[Block]:
    if not result.edges:
        return
    tested = any(edge.test is not None for edge in result.edges)
    scored = any(edge.gain is not None for edge in result.edges)
    marked = any(edge.ends is not None for edge in result.edges)
    headings = (
        Heading("From", "name"),
        Heading("To", "name"),
        Heading("Direction", "text", "Compelled if all graphs of the same class have it."),
        *((Heading("Gain", "number", "How much the score falls without it."),) if scored else ()),
        *(_MARK_HEADINGS if marked else ()),
        *(TEST_HEADINGS if tested else ()),
    )
    edges, n_left_out = shown_first(sorted(result.edges, key=_strength))
    rows = tuple(
        (
            name(edge.left),
            name(edge.right),
            text(_direction(edge)),
            *((number(edge.gain, ",.1f"),) if scored else ()),
            *((text(edge.marks), text(edge.meaning)) if marked else ()),
            *(evidence_cells(edge.test) if tested else ()),
        )
        for edge in edges
    )
    yield Table("Edges, the strongest evidence first", headings, rows, n_left_out)


_MARK_HEADINGS = (
    Heading("Marks", "text", "From the first column to the second, if hidden causes may be."),
    Heading("Meaning", "text", "What the marks say about causes, direct or not."),
)


def _direction(edge: LearnedEdge) -> str:
    if not edge.directed:
        return "none"
    return "compelled" if edge.compelled else "free"


def _strength(edge: LearnedEdge) -> tuple[float, float, str]:
    if edge.test is not None:
        return (edge.test.log_p, -abs(edge.test.statistic), str(edge))
    return (0.0 if edge.gain is None else -edge.gain, 0.0, str(edge))


def arrange_stability(result: EdgeStability) -> Page:
    """Arrange how often edges came back."""
    often = sum(edge.adjacent >= 0.5 for edge in result.edges)
    headings = (
        Heading("One", "name"),
        Heading("Other", "name"),
        Heading("Joined", "number", "Share of the resamples in which they were joined."),
        Heading("Forward", "number", "With an arrow from the one to the other."),
        Heading("Backward", "number"),
        Heading("Undirected", "number"),
    )
    edges, n_left_out = shown_first(result.edges)
    table = Table("Edges by frequency", headings, tuple(map(_frequency_row, edges)), n_left_out)
    return framed(
        result,
        what="Stability of edges",
        subject=f"over {counted(result.n_resamples, 'resample')}",
        question="Which edges come back when the graph is learned again from resampled rows?",
        answer=(
            f"{often:,} of {counted(len(result.edges), 'edge')} came back in at least half of "
            f"{counted(result.n_resamples, 'resample')}."
        ),
        figures=(("edges", f"{len(result.edges):,}"), ("resamples", f"{result.n_resamples:,}")),
        sections=(
            Section("graph", "Edges that come back", tuple(_stable_graph(result))),
            Section("evidence", "Frequencies", (table,) if result.edges else ()),
        ),
    )


def _stable_graph(result: EdgeStability) -> Iterator[Block]:
    if not result.edges:
        yield Words(("No edge was found in any resample.",))
        return
    yield Words((f"Rows drawn: {result.resampled_by}.",))
    nodes = _busy([(edge.left, edge.right) for edge in result.edges], MOST_DRAWN)
    place = {node: i for i, node in enumerate(nodes)}
    shown = [e for e in result.edges if e.left in place and e.right in place]
    yield Threshold(
        thresholded([Node(node, "node") for node in nodes], [_stable(e, place) for e in shown]),
        start=0.5,
        measure="Share of the resamples",
    )


def _stable(edge: EdgeFrequency, place: dict[str, int]) -> Edge:
    direction = edge.directed(majority=0.5)
    left, right = direction if direction is not None else (edge.left, edge.right)
    facts = (
        ("joined", f"{edge.adjacent:.0%}"),
        (f"{edge.left} → {edge.right}", f"{edge.forward:.0%}"),
        (f"{edge.right} → {edge.left}", f"{edge.backward:.0%}"),
    )
    return Edge(place[left], place[right], direction is not None, share=edge.adjacent, facts=facts)


def _busy(pairs: Sequence[tuple[str, str]], most: int) -> list[str]:
    """Return the nodes of the first pairs, as many as can be drawn."""
    found: dict[str, None] = {}
    for pair in pairs:
        if len(found.keys() | set(pair)) <= most:
            found.update(dict.fromkeys(pair))
    return sorted(found)


def thresholded(
    nodes: Sequence[Node], edges: Sequence[Edge], least: float = 0.5, label: str = "Graph"
) -> Graph:
    """Place the nodes by the edges that are rather sure; other edges go straight."""
    sure = [place for place, edge in enumerate(edges) if edge.share >= least]
    placed, bent = layered(nodes, _once([edges[place] for place in sure]))
    routes = {(edge.source, edge.target): edge for edge in bent}
    drawn = [routes.get((edge.source, edge.target)) for edge in edges]
    return Graph(
        placed,
        tuple(
            Edge(**{**vars(edge), "bends": () if route is None else route.bends})
            for edge, route in zip(edges, drawn, strict=True)
        ),
        label,
    )


def _once(edges: Collection[Edge]) -> list[Edge]:
    """Keep one edge of each pair of nodes, the first."""
    seen: set[frozenset[int]] = set()
    kept = []
    for edge in edges:
        pair = frozenset((edge.source, edge.target))
        if pair not in seen:
            seen.add(pair)
            kept.append(edge)
    return kept


def _frequency_row(edge: EdgeFrequency) -> tuple[Cell, ...]:
    shares = (edge.adjacent, edge.forward, edge.backward, edge.undirected)
    return (name(edge.left), name(edge.right), *map(share, shares))
