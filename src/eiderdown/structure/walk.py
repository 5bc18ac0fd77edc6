"""A graph on the move: what each change of it gains, and the best graph it has been.

This module needs compiled code, so :mod:`eiderdown.structure.hill_climbing` imports it late.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.errors import OptionError
from eiderdown.structure.moves import ADD, DELETE, NONE, REVERSE, best_move, is_legal, make_move
from eiderdown.structure.places import no_tabu, places_of
from eiderdown.structure.reachability import no_paths

if TYPE_CHECKING:
    from eiderdown.knowledge import ColumnKnowledge
    from eiderdown.scores import LocalScore

_ROUNDING = 1e-12  # a gain below this share of the score is a rounding error


class Walk:
    """A graph that changes by single moves; its nodes are columns in the order of their names.

    Parameters
    ----------
    score : LocalScore
        What moves gain.
    candidates : mapping of int to IntArray
        The columns that take part, each with those that may be its parents.
    knowledge : ColumnKnowledge or None
        Edges that must or must not be there, and the most parents.
    start : iterable of (int, int)
        Edges (parent, child) of the first graph, besides those that are required.
    max_parents : int or None
        Most parents of any column.
    tabu_length : int
        To how many of the last graphs no best move leads back.

    Attributes
    ----------
    n_nodes : int
        How many columns take part.
    n_moves : int
        How many moves were made.
    best_score : float
        Score of the best graph so far.
    """

    def __init__(
        self,
        score: LocalScore,
        candidates: Mapping[int, IntArray],
        *,
        knowledge: ColumnKnowledge | None = None,
        start: Iterable[tuple[int, int]] = (),
        max_parents: int | None = None,
        tabu_length: int = 0,
    ) -> None:
        self._score = score
        in_order = sorted(candidates, key=score.name_rank.__getitem__)
        self._columns = np.array(in_order, dtype=np.int64)
        self._node_of = np.full(score.n_variables, -1, dtype=np.int64)
        self._node_of[self._columns] = np.arange(len(in_order))
        required = self._required(knowledge)
        edges = list(dict.fromkeys([*required, *start]))
        self._places, self._families = places_of(
            self._possible_parents(candidates, edges, knowledge),
            self._room(max_parents, knowledge),
        )
        self._paths = no_paths(len(in_order))
        self._tabu = no_tabu(tabu_length)
        self._local = [0.0] * len(in_order)
        self._changed = set(range(len(in_order)))
        self._best: dict[int, tuple[int, ...]] = {}
        self.n_nodes = len(in_order)
        self.n_moves = 0
        self.hair = 0.0
        self.best_score = -math.inf
        self._begin(edges, n_required=len(required))

    def step(self, *, more_than: float) -> float | None:
        """Make the best move and return what it gains; make none, if none gains more than that."""
        kind, place, gain = best_move(
            self._places, self._families, self._paths, self._tabu, self.hair
        )
        if kind == NONE or gain <= more_than:
            return None
        self._rescore(self._moved(kind, place))
        return float(gain)

    def note_best(self) -> bool:
        """Remember the present graph if it scores higher than all before; tell whether it does."""
        score = math.fsum(self._local)
        if score <= self.best_score + self.hair:
            return False
        families = {node: self._family(node) for node in self._changed}
        # In one call, so that Ctrl-C finds all of it or nothing.
        self._best.update(families)
        self.best_score = score
        self._changed.clear()
        return True

    def isolate(self, nodes: Iterable[int]) -> None:
        """Go back to the best graph, and take away all edges of some nodes that may go."""
        touched = self._return_to_best()
        places, chosen = self._places, np.zeros(self.n_nodes, dtype=np.bool_)
        chosen[list(nodes)] = True
        held = np.flatnonzero(places.present & ~places.fixed)
        for place in held[chosen[places.child[held]] | chosen[places.parent[held]]].tolist():
            touched.update(self._moved(DELETE, place))
        self._rescore(touched)

    def parents(self) -> tuple[tuple[int, ...], ...]:
        """Return the parents of every column in the best graph."""
        found: list[tuple[int, ...]] = [()] * self._score.n_variables
        for node, family in self._best.items():
            found[int(self._columns[node])] = tuple(sorted(self._columns[list(family)].tolist()))
        return tuple(found)

    def _begin(self, edges: Sequence[tuple[int, int]], *, n_required: int) -> None:
        """Put the first edges in, and score every family."""
        for k, (parent, child) in enumerate(edges):
            place = self._place_of(*self._node_of[[parent, child]].tolist())
            if place < 0 or not is_legal(self._places, self._families, self._paths, ADD, place):
                names = self._score.names
                raise OptionError(
                    f"The first graph cannot have the edge {names[parent]!r} -> {names[child]!r}: "
                    "it closes a cycle, is not allowed, or exceeds max_parents; leave it out."
                )
            self._moved(ADD, place)
            self._places.fixed[place] = k < n_required
        self._rescore(range(self.n_nodes))
        self.hair = _ROUNDING * max(1.0, abs(math.fsum(self._local)))
        self.note_best()

    def _required(self, knowledge: ColumnKnowledge | None) -> list[tuple[int, int]]:
        """List the required edges between columns that take part."""
        edges = () if knowledge is None else knowledge.required_edges()
        return [edge for edge in edges if np.all(self._node_of[list(edge)] >= 0)]

    def _possible_parents(
        self,
        candidates: Mapping[int, IntArray],
        edges: Sequence[tuple[int, int]],
        knowledge: ColumnKnowledge | None,
    ) -> list[IntArray]:
        """List by node the nodes that may be its parents, those of the first graph included."""
        first: dict[int, list[int]] = {}
        for parent, child in edges:
            first.setdefault(child, []).append(parent)
        found = []
        for child in self._columns.tolist():
            xs = np.union1d(candidates[child], first.get(child, [])).astype(np.int64)
            if knowledge is not None:
                xs = xs[knowledge.allowed(child, xs)]
            nodes = self._node_of[xs[xs != child]]
            found.append(np.sort(nodes[nodes >= 0]))
        return found

    def _room(self, max_parents: int | None, knowledge: ColumnKnowledge | None) -> IntArray:
        known = None if knowledge is None else knowledge.max_parents
        limits = [most for most in (max_parents, known) if most is not None]
        return np.full(len(self._columns), min(limits, default=len(self._columns)), dtype=np.int64)

    def _place_of(self, parent: int, child: int) -> int:
        """Find the place of an edge between nodes; -1 if there is none."""
        if min(parent, child) < 0:
            return -1
        low, high = self._places.first[child : child + 2].tolist()
        at = low + int(np.searchsorted(self._places.parent[low:high], parent))
        return at if at < high and self._places.parent[at] == parent else -1

    def _moved(self, kind: int, place: int) -> tuple[int, ...]:
        """Change the graph, and return the nodes whose parents changed."""
        make_move(self._places, self._families, self._paths, self._tabu, kind, place)
        self.n_moves += 1
        child, parent = int(self._places.child[place]), int(self._places.parent[place])
        changed = (child, parent) if kind == REVERSE else (child,)
        self._changed.update(changed)
        return changed

    def _rescore(self, nodes: Iterable[int]) -> None:
        """Score families, and all families that are one parent larger or smaller."""
        score, places = self._score, self._places
        for node in nodes:
            here = slice(*places.first[node : node + 2].tolist())
            child, columns = int(self._columns[node]), self._columns[places.parent[here]]
            present, gain = places.present[here], places.gain[here]
            family = columns[present].tolist()
            self._local[node] = now = score.local(child, family)
            gain[~present] = -np.inf
            if len(family) < places.room[node] and len(family) < len(columns):
                gain[~present] = score.additions(child, family, columns[~present]) - now
            if family:
                gain[present] = score.removals(child, family) - now
            places.order[here] = here.start + np.argsort(-gain)

    def _family(self, node: int) -> tuple[int, ...]:
        start, n_parents = self._families.first[node], self._families.n_parents[node]
        return tuple(self._families.parent[start : start + n_parents].tolist())

    def _return_to_best(self) -> set[int]:
        """Make the best graph the present one; return the nodes whose parents changed."""
        touched = set(self._changed)
        wanted = {self._place_of(p, node) for node in touched for p in self._best[node]}
        held = {self._place_of(p, node) for node in touched for p in self._family(node)}
        for place in sorted(held - wanted):
            self._moved(DELETE, place)
        for place in sorted(wanted - held):
            self._moved(ADD, place)
        self._changed.clear()
        return touched
