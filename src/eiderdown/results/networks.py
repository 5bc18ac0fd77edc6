"""What a search for a network, or for the region around a variable, found."""

from __future__ import annotations

from collections.abc import Collection, ItemsView, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from eiderdown.graphs import DAG, PDAG
from eiderdown.graphs.ancestral import Mark, drawn, said
from eiderdown.results.codec import STORED_IF_ANY, of_plain, stored_as, stored_by
from eiderdown.results.evidence import Evidence
from eiderdown.results.result import Result, Run

if TYPE_CHECKING:
    import networkx

Graph = TypeVar("Graph", bound="LearnedGraph")


@dataclass(frozen=True)
class LearnedEdge:
    """One edge and what speaks for it.

    Attributes
    ----------
    left, right : str
        The nodes; an edge with a direction goes from left to right.
    directed : bool
        Whether it has a direction.
    compelled : bool
        Whether every graph that says the same about independence has this direction, too.
    gain : float or None
        By how much the score would fall without it, where a score decided.
    test : Evidence or None
        The weakest test of left against right that it survived, where tests decided.
    ends : pair of {"arrow", "circle", "tail"}, or None
        The marks at left and at right if hidden variables may be causes, where they were asked for:
        "arrow" at one that does not cause the other, "tail" at one that does, "circle" where
        either may be.
    """

    left: str
    right: str
    directed: bool = True
    compelled: bool = False
    gain: float | None = None
    test: Evidence | None = None
    ends: tuple[Mark, Mark] | None = field(default=None, metadata=STORED_IF_ANY)

    @property
    def marks(self) -> str:
        """The marks as they are drawn, such as ``o->``; empty where they were not asked for."""
        return "" if self.ends is None else drawn(self.ends)

    @property
    def meaning(self) -> str:
        """What the marks say about causes; empty where they were not asked for."""
        return "" if self.ends is None else said(self.left, self.ends, self.right)

    def __str__(self) -> str:
        return f"{self.left} {'->' if self.directed else '--'} {self.right}"


@dataclass(frozen=True, kw_only=True)
class LearnedGraph(Result):
    """A graph that was learned from a table, with the evidence for each edge.

    Attributes
    ----------
    nodes : tuple of str
        The columns in the graph.
    edges : tuple of LearnedEdge
        The edges, in the order of the nodes.
    is_cpdag : bool
        Whether the graph stands for a class of directed graphs.
    score : float or None
        Score of the graph, where the search has one.
    n_scores : int
        Local scores computed.
    separating_sets : mapping of (str, str) to tuple of str
        For pairs without an edge, a set given which they were independent, where the search knows
        one; the earlier node comes first.
    run, warnings, complete
        See :class:`Result`.
    """

    nodes: tuple[str, ...]
    edges: tuple[LearnedEdge, ...]
    is_cpdag: bool = field(metadata=stored_as("is_pattern"))
    run: Run
    score: float | None = None
    n_scores: int = 0
    separating_sets: Mapping[tuple[str, str], tuple[str, ...]] = field(
        default_factory=dict,
        metadata=stored_by(
            lambda sets, _: _write_separating_sets(sets),
            lambda plain, _: _read_separating_sets(plain),
        ),
    )
    warnings: tuple[str, ...] = ()
    complete: bool = True

    def refuse_contradictions(self) -> None:
        """Refuse edges that make no graph of the nodes; separating sets may reach beyond them."""
        _ = self.graph  # which refuses them

    @cached_property
    def graph(self) -> DAG | PDAG:
        """The graph: a DAG, or a PDAG if it is a CPDAG."""
        if self.is_cpdag:
            return self.cpdag
        return DAG(self.nodes, [(edge.left, edge.right) for edge in self.edges])

    @cached_property
    def cpdag(self) -> PDAG:
        """The graph with the directions that are compelled, and no others."""
        return PDAG(
            self.nodes,
            directed=[(edge.left, edge.right) for edge in self.edges if edge.compelled],
            undirected=[(edge.left, edge.right) for edge in self.edges if not edge.compelled],
        )

    def boundary(self, target: str) -> frozenset[str]:
        """Return the Markov boundary of a node, as the graph has it."""
        return markov_boundary(self.graph, target)

    def region(self, target: str, depth: int) -> LearnedRegion:
        """Return the part within some steps of a node, directions ignored, with its evidence.

        Parameters
        ----------
        target : str
            The centre of the region.
        depth : int
            0 gives the node alone, 1 its adjacent nodes as well, and so on.
        """
        kept = frozenset(self.graph.region(target, depth).nodes)
        return _cut(self, kept, LearnedRegion, target=target, depth=depth)

    def edge(self, left: str, right: str) -> LearnedEdge | None:
        """Return the edge between two nodes, whichever way it goes, or None."""
        self.graph.indices([left, right])
        return self._by_pair.get(frozenset((left, right)))

    def separating_set(self, x: str, y: str) -> tuple[str, ...] | None:
        """Return a set given which two nodes were independent, or None if none is known."""
        first, second = sorted(self.graph.indices([x, y]))
        return self.separating_sets.get((self.nodes[first], self.nodes[second]))

    def to_networkx(self) -> networkx.DiGraph:
        """Return a ``networkx.DiGraph``; an undirected edge becomes a pair of opposite ones."""
        return self.graph.to_networkx()

    @cached_property
    def _by_pair(self) -> dict[frozenset[str], LearnedEdge]:
        return {frozenset((edge.left, edge.right)): edge for edge in self.edges}


@dataclass(frozen=True, kw_only=True)
class LearnedNetwork(LearnedGraph):
    """The whole network of a table; see :class:`LearnedGraph`."""

    kind = "learned_network"


@dataclass(frozen=True, kw_only=True)
class LearnedRegion(LearnedGraph):
    """The part of a network around one column; see :class:`LearnedGraph`.

    Attributes
    ----------
    target : str
        The centre.
    depth : int
        How many steps from the target it reaches.
    """

    kind = "learned_region"

    target: str
    depth: int

    def refuse_contradictions(self) -> None:
        """Refuse a centre that is not in the region, too."""
        super().refuse_contradictions()
        self.graph.index(self.target)


def markov_boundary(graph: DAG | PDAG, target: str) -> frozenset[str]:
    """Return the Markov boundary of a node: the same in every graph of a CPDAG's class.

    Examples
    --------
    >>> sorted(markov_boundary(PDAG.from_string("A--T, T->B, C->B, B->D"), "T"))
    ['A', 'B', 'C']
    """
    # In a CPDAG, a node and its spouse collide in their child, so both edges are directed.
    spouses = (graph.parents(child) for child in graph.children(target))
    return graph.adjacent(target).union(*spouses) - {target}


def _cut(found: LearnedGraph, kept: Collection[str], kind: type[Graph], **more: Any) -> Graph:
    """Keep some nodes and what is between them."""
    shared = {name: getattr(found, name) for name in LearnedGraph.__dataclass_fields__}
    shared["nodes"] = tuple(node for node in found.nodes if node in kept)
    shared["edges"] = tuple(e for e in found.edges if e.left in kept and e.right in kept)
    shared["separating_sets"] = {
        (x, y): given for (x, y), given in found.separating_sets.items() if x in kept and y in kept
    }
    return kind(**shared, **more)


class NamedSets(Mapping[tuple[str, str], tuple[str, ...]]):
    """What separated pairs of nodes; a pair gets its names when somebody looks at it.

    Parameters
    ----------
    names : sequence of str
        The name of every node.
    sets : mapping of frozenset of int to tuple of int
        By the numbers of two nodes, those of what separated them.
    """

    def __init__(
        self, names: Sequence[str], sets: Mapping[frozenset[int], tuple[int, ...]]
    ) -> None:
        self._names, self._sets = names, sets

    def __getitem__(self, pair: tuple[str, str]) -> tuple[str, ...]:
        x, y = (self._numbers[name] for name in pair)
        if x >= y:
            raise KeyError(pair)
        return self._named(self._sets[frozenset((x, y))])

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter([pair for pair, _ in self.items()])

    def __len__(self) -> int:
        return len(self._sets)

    def __repr__(self) -> str:
        return repr(dict(self.items()))

    def items(self) -> ItemsView[tuple[str, str], tuple[str, ...]]:
        """Return all pairs, each with its set."""
        names = self._names
        return {
            (names[x], names[y]) if x < y else (names[y], names[x]): self._named(given)
            for (x, y), given in self._sets.items()
        }.items()

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self._names)}

    def _named(self, given: tuple[int, ...]) -> tuple[str, ...]:
        return tuple([self._names[z] for z in given]) if given else ()


def _write_separating_sets(sets: Mapping[tuple[str, str], tuple[str, ...]]) -> list[dict[str, Any]]:
    """Write each set once: most pairs of a sparse network share the empty one."""
    groups: dict[tuple[str, ...], list[list[str]]] = {}
    for pair, given in sets.items():
        groups.setdefault(given, []).append(list(pair))
    return [{"given": list(given), "pairs": pairs} for given, pairs in groups.items()]


def _read_separating_sets(
    plain: list[dict[str, Any]],
) -> dict[tuple[str, str], tuple[str, ...]]:
    found = {}
    for group in plain:
        given = of_plain(tuple[str, ...], group["given"])
        found.update(dict.fromkeys(of_plain(tuple[tuple[str, str], ...], group["pairs"]), given))
    return found
