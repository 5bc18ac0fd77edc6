"""The graph of an exploration as a result, like that of ``learn_region``."""

from __future__ import annotations

from eiderdown.explorer.graph import ShownGraph
from eiderdown.explorer.neighbourhoods import Judge
from eiderdown.explorer.state import State
from eiderdown.knowledge import Knowledge
from eiderdown.results import LearnedEdge, LearnedRegion, Run


def learned_region(
    state: State, shown: ShownGraph, judge: Judge, knowledge: Knowledge, notes: tuple[str, ...]
) -> LearnedRegion:
    """Return a graph with its evidence, how it was found, and what to know about it.

    Parameters
    ----------
    state : State
        What was decided.
    shown : ShownGraph
        The graph.
    judge : Judge
        The test behind it.
    knowledge : Knowledge
        What was known before, and the marks.
    notes : tuple of str
        What to know about the table.
    """
    said = {
        "alpha": state.alpha,
        "agreement": state.agreement,
        **judge.test.description,
        "grown": list(state.grown),
    }
    if knowledge != Knowledge():
        said["knowledge"] = knowledge.to_dict()
    searches = [judge.found[state.alpha, name] for name in state.grown]
    return LearnedRegion(
        nodes=shown.nodes,
        edges=tuple(
            LearnedEdge(e.left, e.right, e.directed, compelled=e.directed, test=e.test)
            for e in shown.edges
        ),
        is_cpdag=True,
        run=Run.of(
            "explorer",
            judge.prepared.source,
            said,
            counts=[judge.test.counts],
            seconds=sum(result.run.seconds for result in searches),
        ),
        separating_sets=_ordered_pairs(shown),
        warnings=(*notes, *judge.test.notes, *shown.notes),
        target=state.target,
        depth=_depth(shown, state.target),
    )


def _ordered_pairs(shown: ShownGraph) -> dict[tuple[str, str], tuple[str, ...]]:
    place = {name: i for i, name in enumerate(shown.nodes)}
    joined = {edge.pair for edge in shown.edges}
    found = {}
    for (x, y), given in shown.separating:
        if {x, y} not in joined and {x, y} <= place.keys():
            first, second = sorted((x, y), key=place.__getitem__)
            found[first, second] = given
    return found


def _depth(shown: ShownGraph, target: str) -> int:
    """Return how many steps from the target the graph reaches."""
    depth, ring, seen = 0, {target}, {target}
    pdag = shown.pdag
    while ring := set[str]().union(*(pdag.adjacent(x) for x in ring)) - seen:
        seen |= ring
        depth += 1
    return depth
