"""From a state and the searches behind it to a graph: edges, directions, and why.

Edges: the parents and children of grown columns. Where both ends are grown and only one found the
other, the edge is *in doubt* and no part of the graph, unless the state asks for one end only.
Marks come last: what is impossible goes, what is known comes in.

Directions: those of marks, then v-structures, each confirmed by a test, then what follows by Meek's
rules (:mod:`eiderdown.structure.constraint.orientation`). A v-structure needs a set that separates
its ends, which proves that they are not adjacent though neither may be grown; where no set does,
nothing is concluded. So with tests that make no mistakes every direction shown is one on which all
graphs that fit agree, and once every column is grown all of these are shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypedDict

from eiderdown.api.local import evidence_of
from eiderdown.errors import listed
from eiderdown.explorer.neighbourhoods import Judge
from eiderdown.explorer.state import State
from eiderdown.graphs import PDAG
from eiderdown.independence import IndependenceResult
from eiderdown.knowledge import ColumnKnowledge, Edge, Knowledge
from eiderdown.progress import Trace
from eiderdown.results import Evidence, ParentsChildren
from eiderdown.structure.constraint.adjacencies import Adjacencies
from eiderdown.structure.constraint.orientation import Colliders, find_colliders, orient
from eiderdown.structure.constraint.pc_stable import with_small_sets
from eiderdown.structure.problem import StructureFound, StructureProblem


@dataclass(frozen=True)
class ShownEdge:
    """An edge, or one in doubt, with its evidence.

    Attributes
    ----------
    left, right : str
        Its columns; a direction goes from left to right.
    directed : bool
        Whether it has a direction.
    in_doubt : bool
        Whether only one of two grown columns found the other, so that it is no part of the graph.
    test : Evidence
        The weakest test that it survived.
    alone : Evidence
        The test of its columns given nothing.
    found_from, missed_from : tuple of str
        Its grown columns that found the other, and those that did not.
    votes : mapping of str to float
        By grown column, the share of votes for the other, where the search votes.
    why : str
        Why it has this direction, or none.
    """

    left: str
    right: str
    directed: bool
    in_doubt: bool
    test: Evidence
    alone: Evidence
    found_from: tuple[str, ...]
    missed_from: tuple[str, ...]
    votes: tuple[tuple[str, float], ...]
    why: str

    @property
    def pair(self) -> frozenset[str]:
        """Its columns."""
        return frozenset((self.left, self.right))


@dataclass(frozen=True)
class ShownGraph:
    """A graph as it stands in an exploration.

    Attributes
    ----------
    nodes : tuple of str
        The target first, then by name.
    edges, doubts : tuple of ShownEdge
        The edges, and those that are in doubt.
    separating : tuple of ((str, str), tuple of str)
        What separates columns that have no edge, where a set was looked for and found.
    notes : tuple of str
        What to know about it, in sentences.
    """

    nodes: tuple[str, ...]
    edges: tuple[ShownEdge, ...]
    doubts: tuple[ShownEdge, ...]
    separating: tuple[tuple[Edge, tuple[str, ...]], ...]
    notes: tuple[str, ...]

    @property
    def pdag(self) -> PDAG:
        """The graph alone."""
        return PDAG(
            self.nodes,
            directed=[(e.left, e.right) for e in self.edges if e.directed],
            undirected=[(e.left, e.right) for e in self.edges if not e.directed],
        )


def shown_graph(state: State, judge: Judge, before: Knowledge, trace: Trace) -> ShownGraph:
    """Search around every grown column, and put the graph together.

    Parameters
    ----------
    state : State
        What was decided.
    judge : Judge
        The test that the state names.
    before : Knowledge
        What was known before the exploration.
    trace : Trace
        Is told of progress, and cancels.
    """
    knowledge = state.knowledge(before)
    judge.index(state.target)
    sets = {}
    for n, name in enumerate(state.grown):
        trace.progressed("growing", n)
        sets[name] = judge.around(name, state.alpha, trace)
    trace.progressed("directing", len(sets))
    return _Drawing(state, judge, knowledge, sets).finished()


class _Sides(TypedDict):
    """What is known of a pair from either side."""

    alone: Evidence
    found_from: tuple[str, ...]
    missed_from: tuple[str, ...]
    votes: tuple[tuple[str, float], ...]


class _Drawing:
    """The graph while it is put together; columns are numbers."""

    def __init__(
        self, state: State, judge: Judge, knowledge: Knowledge, sets: dict[str, ParentsChildren]
    ) -> None:
        self._state, self._judge, self._sets = state, judge, sets
        self._names, self._test = judge.prepared.data.names, judge.test
        self._knowledge = knowledge
        self._found_from: dict[frozenset[str], list[str]] = {}
        for name, result in sets.items():
            for member in result.members:
                self._found_from.setdefault(frozenset((name, member)), []).append(name)

    def finished(self) -> ShownGraph:
        kept = [pair for pair in self._found_from if self._is_kept(pair)]
        required = [frozenset(edge) for edge in self._knowledge.required if self._near(edge)]
        doubtful = [p for p in self._found_from if p not in kept and p not in required]
        doubtful = [pair for pair in doubtful if self._may_be(pair)]
        graph = self._adjacencies({*kept, *required})
        columns = self._column_knowledge()
        problem = with_small_sets(self._problem(columns))
        colliders = find_colliders(problem, graph, "standard", confirmed=True)
        found = orient(problem, graph, colliders)
        reasons = _Reasons(self._knowledge, self._names, colliders, found)
        nodes = sorted({self._names[x] for x in found.nodes}.union(*doubtful))
        first = self._state.target
        return ShownGraph(
            nodes=(first, *(name for name in nodes if name != first)),
            edges=tuple(self._edges(found, reasons)),
            doubts=tuple(sorted(map(self._doubt, doubtful), key=lambda e: (e.left, e.right))),
            separating=tuple(self._separating(found)),
            notes=(*found.notes, *self._reservations()),
        )

    def _is_kept(self, pair: frozenset[str]) -> bool:
        grown = [name for name in pair if name in self._sets]
        enough = 1 if self._state.agreement == "or" else len(grown)
        return len(self._found_from[pair]) >= enough and self._may_be(pair)

    def _may_be(self, pair: frozenset[str]) -> bool:
        a, b = pair
        return self._knowledge.allows(a, b) or self._knowledge.allows(b, a)

    def _near(self, edge: Edge) -> bool:
        """Whether a required edge is marked here, or touches what is shown."""
        shown = {self._state.target, *self._sets}.union(*self._found_from)
        return edge in self._state.known or bool(shown.intersection(edge))

    def _adjacencies(self, pairs: Iterable[frozenset[str]]) -> Adjacencies:
        index, ordered = self._judge.index, sorted(sorted(pair) for pair in pairs)
        nodes = {self._state.target, *self._sets}.union(*ordered)
        graph = Adjacencies.of(sorted(index(name) for name in nodes))
        for a, b in ordered:
            for result in self._tests(a, b):
                graph.add_edge(result, self._state.alpha)
        return graph

    def _tests(self, a: str, b: str) -> Iterator[IndependenceResult]:
        """Yield the decisive test from each side that found the other; else the one alone."""
        index = self._judge.index
        from_side = self._found_from.get(frozenset((a, b)), ())
        for name in from_side:
            other = b if name == a else a
            given = self._evidence(name, other).given
            yield self._test.test(index(other), index(name), [index(z) for z in given])
        if not from_side:
            yield self._test.test(index(a), index(b))

    def _evidence(self, name: str, member: str) -> Evidence:
        kept = self._sets[name].evidence
        return next(e for e in kept if e.variable == member and e.decision == "kept")

    def _column_knowledge(self) -> ColumnKnowledge | None:
        return self._knowledge.of_columns(self._names) if self._knowledge != Knowledge() else None

    def _problem(self, knowledge: ColumnKnowledge | None) -> StructureProblem:
        return StructureProblem(
            n_variables=len(self._names),
            test=self._test,
            alpha=self._state.alpha,
            max_given=self._judge.options["max_given"],
            knowledge=knowledge,
        )

    def _edges(self, found: StructureFound, reasons: _Reasons) -> Iterable[ShownEdge]:
        for x, y in found.directed:
            yield self._edge(x, y, found, True, reasons.of_direction(x, y))
        for x, y in found.undirected:
            yield self._edge(x, y, found, False, reasons.of_none())

    def _edge(self, x: int, y: int, found: StructureFound, directed: bool, why: str) -> ShownEdge:
        survived = found.edge_evidence[x, y]
        assert not isinstance(survived, float)
        return ShownEdge(
            left=self._names[x],
            right=self._names[y],
            directed=directed,
            in_doubt=False,
            test=evidence_of(self._names, survived, "kept"),
            why=why,
            **self._sides(self._names[x], self._names[y]),
        )

    def _doubt(self, pair: frozenset[str]) -> ShownEdge:
        a, b = sorted(pair)
        survived = replace(next(self._tests(a, b)), x=self._judge.index(a), y=self._judge.index(b))
        (found,) = self._found_from[pair]
        (missed,) = pair - {found}
        return ShownEdge(
            left=a,
            right=b,
            directed=False,
            in_doubt=True,
            test=evidence_of(self._names, survived, "kept"),
            why=f"In doubt: {found!r} finds {missed!r} among its parents and children, but "
            f"{missed!r} does not find {found!r}, so it is not part of the graph.",
            **self._sides(a, b),
        )

    def _sides(self, a: str, b: str) -> _Sides:
        """Return what is known from each side of a pair."""
        found = self._found_from.get(frozenset((a, b)), [])
        grown = [name for name in (a, b) if name in self._sets]
        shares = [(name, self._sets[name].probabilities) for name in grown]
        other = {a: b, b: a}
        alone = self._test.test(self._judge.index(a), self._judge.index(b))
        return {
            "alone": evidence_of(self._names, alone, "kept"),
            "found_from": tuple(name for name in grown if name in found),
            "missed_from": tuple(name for name in grown if name not in found),
            "votes": tuple((n, s[other[n]]) for n, s in shares if other[n] in s),
        }

    def _separating(self, found: StructureFound) -> Iterable[tuple[Edge, tuple[str, ...]]]:
        for pair, given in sorted(found.separating_sets.items(), key=lambda item: sorted(item[0])):
            x, y = sorted(pair)
            yield (self._names[x], self._names[y]), tuple(self._names[z] for z in given)

    def _reservations(self) -> Iterable[str]:
        """Yield in which ways the searches claim less than it seems."""
        said = {*self._judge.prepared.warnings, *self._test.notes}
        for name, result in self._sets.items():
            for sentence in result.warnings:
                if sentence not in said:
                    yield f"Growing {name!r}: {sentence}"


class _Reasons:
    """Why edges have their directions."""

    def __init__(
        self,
        knowledge: Knowledge,
        names: tuple[str, ...],
        colliders: Colliders,
        found: StructureFound,
    ) -> None:
        self._knowledge, self._names = knowledge, names
        directed = set(found.directed)
        self._ends: dict[tuple[int, int], tuple[int, tuple[int, ...]]] = {}
        for a, middle, b in colliders.colliders:
            if {(a, middle), (b, middle)} <= directed:
                given = found.separating_sets.get(frozenset((a, b)), ())
                self._ends.setdefault((a, middle), (b, given))
                self._ends.setdefault((b, middle), (a, given))

    def of_direction(self, x: int, y: int) -> str:
        """Say why x -> y."""
        tail, head = self._names[x], self._names[y]
        if (tail, head) in self._knowledge.required:
            return "You marked this edge as known."
        if not self._knowledge.allows(head, tail):
            return "What you marked leaves this direction only."
        if (x, y) in self._ends:
            other, given = self._ends[x, y]
            held = listed([self._names[z] for z in given]) if given else "nothing"
            return (
                f"A v-structure: {tail!r} and {self._names[other]!r} are independent given {held}, "
                f"and dependent as soon as {head!r} is given, too; so both point to {head!r}."
            )
        return "It follows from other directions: the reverse would make a cycle or a v-structure."

    def of_none(self) -> str:
        """Say why there is no direction."""
        return "The tests so far fit both directions; growing what is near may decide, or a mark."
