"""Does the data fit this graph? The independences that it implies, tested, the worst first.

For two columns that the graph does not join it implies independence given some of the parents of
the later one: as few as still separate the two in the graph, because a test given fewer sees more.
Undirected edges get some direction without a new v-structure, for all graphs of a class imply the
same.

A graph that was grown in part implies less: columns that are not grown may have edges that nobody
has looked for. So only those independences count that hold whatever is between such columns, and
the others are counted as open (:func:`holds_whatever_grows`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

from eiderdown.api.local import evidence_of
from eiderdown.errors import GraphError
from eiderdown.explorer.graph import ShownGraph
from eiderdown.explorer.neighbourhoods import Judge
from eiderdown.explorer.state import State
from eiderdown.graphs import DAG, PDAG
from eiderdown.independence import IndependenceResult
from eiderdown.progress import Trace
from eiderdown.results import Evidence

Independence: TypeAlias = tuple[str, str, tuple[str, ...]]
"""Two columns, and a set given which they are independent in a graph."""


@dataclass(frozen=True)
class Tested:
    """One implied independence and what the data say of it.

    Attributes
    ----------
    x, y : str
        The two columns.
    given : tuple of str
        What is held fixed.
    test : Evidence
        The test of them.
    answer : str
        "fits" (independent), "does not fit" (dependent), or "cannot say".
    holm_log_p : float
        The logarithm of its p-value, adjusted by Holm for the number of tests.
    """

    x: str
    y: str
    given: tuple[str, ...]
    test: Evidence
    answer: str
    holm_log_p: float


@dataclass(frozen=True)
class Fit:
    """How the data fit a graph.

    Attributes
    ----------
    tested : tuple of Tested
        Every implied independence, the worst first.
    alpha : float
        Significance level.
    n_against : int
        Tests that do not fit, each at level alpha.
    n_by_chance : float
        How many of those chance alone would give, at the most, if the graph were true.
    n_certain : int
        Those that still do not fit after Holm's correction for all tests.
    n_unsaid : int
        Tests that cannot say.
    n_open : int
        Pairs without an edge of which the graph implies nothing before more columns are grown.
    """

    tested: tuple[Tested, ...]
    alpha: float
    n_against: int
    n_by_chance: float
    n_certain: int
    n_unsaid: int
    n_open: int

    @property
    def verdict(self) -> str:
        """Say in a sentence or two how it stands."""
        n = len(self.tested)
        if n == 0:
            return "This graph implies no independence yet; grow more of its columns first."
        if self.n_against == 0:
            return f"None of {n} implied independences is refuted at alpha {self.alpha:g}."
        said = (
            f"{self.n_against} of {n} implied independences do not fit at alpha {self.alpha:g}; "
            f"by chance alone it would be about {self.n_by_chance:.2g}."
        )
        left = f"{self.n_certain} still do not" if self.n_certain else "none is left"
        return f"{said} After Holm's correction for {n} tests {left}."


def implied_independences(graph: PDAG, grown: frozenset[str]) -> Iterator[Independence | None]:
    """Yield for every pair that is not joined a small set that separates it; None if that is open.

    Examples
    --------
    >>> chain = PDAG.from_string("A--B--C")
    >>> list(implied_independences(chain, frozenset("ABC")))
    [('A', 'C', ('B',))]
    >>> list(implied_independences(chain, frozenset("B")))
    [None]
    """
    dag = some_dag(graph)
    place = {name: i for i, name in enumerate(dag.topological_order)}
    for x, y in combinations(sorted(dag.nodes), 2):
        if y in dag.adjacent(x):
            continue
        earlier, later = sorted((x, y), key=place.__getitem__)
        sets = (_fewest(dag, earlier, later), tuple(sorted(dag.parents(x) | dag.parents(y))))
        firm = (given for given in sets if holds_whatever_grows(graph, dag, grown, (x, y, given)))
        given = next(firm, None)
        yield None if given is None else (x, y, given)


def _fewest(dag: DAG, earlier: str, later: str) -> tuple[str, ...]:
    """Drop parents of the later column while the others still separate the two."""
    given = sorted(dag.parents(later))
    for z in tuple(given):
        fewer = [other for other in given if other != z]
        if dag.d_separated(earlier, later, fewer):
            given = fewer
    return tuple(given)


def holds_whatever_grows(graph: PDAG, dag: DAG, grown: frozenset[str], asked: Independence) -> bool:
    """Say whether a separation stays one, whatever edges there are between columns not grown.

    Paths are followed as for d-separation. One that comes to a column that is not grown may go on
    from there to any other such column, unless the column is given and its edge leads out of it,
    for then it is no collider and ends the path. An undirected edge of such a column may have
    either direction.

    Examples
    --------
    >>> graph = PDAG.from_string("A->B<-C")
    >>> asked = ("A", "C", ())
    >>> holds_whatever_grows(graph, graph.to_dag(), frozenset("ABC"), asked)
    True
    >>> holds_whatever_grows(graph, graph.to_dag(), frozenset("AC"), asked)
    False
    """
    x, y, given = asked
    unseen = set(dag.nodes) - grown
    pending = [(x, False)]
    seen = set(pending)
    while pending:
        node, along = pending.pop()
        heads, tails = dag.children(node), dag.parents(node)
        lines = graph.undirected_neighbours(node)
        loose = lines if node in unseen else lines & unseen
        following = [(z, True) for z in heads | loose] if node not in given else []
        if along == (node in given):
            following += [(z, False) for z in tails | loose]
        if node in unseen and (node not in given or along or loose):
            following += [(z, way) for z in unseen for way in (True, False)]
        fresh = [step for step in following if step not in seen]
        seen.update(fresh)
        pending += fresh
    return not {(y, True), (y, False)} & seen


def some_dag(graph: PDAG) -> DAG:
    """Return a directed graph of the class; where tests contradict each other, one with its edges.

    Examples
    --------
    >>> some_dag(PDAG.from_string("A--B, B--C, C--D, D--A"))
    DAG.from_string('A->B, A->D, B->C, C->D')
    """
    try:
        return graph.to_dag()
    except GraphError:
        place = {
            name: i for i, name in enumerate(DAG(graph.nodes, graph.directed).topological_order)
        }
        ordered = [sorted(pair, key=place.__getitem__) for pair in graph.undirected]
        return DAG(graph.nodes, [*graph.directed, *((a, b) for a, b in ordered)])


def tested_fit(state: State, shown: ShownGraph, judge: Judge, trace: Trace) -> Fit:
    """Test what a graph implies."""
    found: list[tuple[str, str, tuple[str, ...], IndependenceResult]] = []
    n_open = 0
    for implied in implied_independences(shown.pdag, frozenset(state.grown)):
        trace.progressed("testing", len(found))
        if implied is None:
            n_open += 1
            continue
        x, y, given = implied
        result = judge.test.test(judge.index(x), judge.index(y), [judge.index(z) for z in given])
        found.append((x, y, given, result))
    found.sort(key=lambda row: (not row[3].dependent(1.0), row[3].log_p, row[0], row[1]))
    answers = {"independent": "fits", "dependent": "does not fit", "cannot say": "cannot say"}
    sayable = [row[3].log_p for row in found if row[3].dependent(1.0)]
    corrected = _holm(sayable) + [0.0] * (len(found) - len(sayable))
    tested = tuple(
        Tested(
            x,
            y,
            given,
            evidence_of(judge.prepared.data.names, result, "kept"),
            answers[result.answer(state.alpha)],
            log_p,
        )
        for (x, y, given, result), log_p in zip(found, corrected, strict=True)
    )
    against = [row for row in tested if row.answer == "does not fit"]
    unsaid = sum(row.answer == "cannot say" for row in tested)
    return Fit(
        tested=tested,
        alpha=state.alpha,
        n_against=len(against),
        n_by_chance=state.alpha * (len(tested) - unsaid),
        n_certain=sum(row.holm_log_p < math.log(state.alpha) for row in against),
        n_unsaid=unsaid,
        n_open=n_open,
    )


def _holm(log_p: list[float]) -> list[float]:
    """Adjust logarithms of p-values, smallest first, for their number (Holm 1979)."""
    adjusted, highest = [], -math.inf
    for i, value in enumerate(log_p):
        highest = max(highest, min(0.0, value + math.log(len(log_p) - i)))
        adjusted.append(highest)
    return adjusted
