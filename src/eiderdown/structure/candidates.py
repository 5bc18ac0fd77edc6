"""Who may be a parent of whom: neighbours by max-min, corrected by symmetry and by knowledge."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.boundary import Found, TestProblem
from eiderdown.boundary.mmmb import mmpc_bar
from eiderdown.boundary.parents_children import ParentsChildrenSets
from eiderdown.structure.adjacencies import joinable
from eiderdown.structure.search import StructureSearch


class Candidates:
    """Neighbours of variables, each searched for once, when it is asked for.

    X and Y are neighbours if each is found around the other (the corrected MMPC) and knowledge
    allows an edge between them, or if knowledge requires one.

    Parameters
    ----------
    search : StructureSearch
        The question; it needs a test.
    among : sequence of int or None
        The variables that take part; None for all.
    """

    def __init__(self, search: StructureSearch, *, among: Sequence[int] | None = None) -> None:
        everyone = np.arange(search.n_variables) if among is None else np.array(sorted(among))
        self._search = search
        self._around = ParentsChildrenSets(
            TestProblem(
                search.the_test,
                int(everyone[0]),
                everyone[1:],
                search.alpha,
                search.max_given,
                trace=search.trace,
                generator=search.generator,
            ),
            _mmpc_bar_frugal,
        )
        self._required: defaultdict[int, set[int]] = defaultdict(set)
        for parent, child in () if search.knowledge is None else search.knowledge.required_edges():
            if among is None or {parent, child} <= set(among):
                self._required[parent].add(child)
                self._required[child].add(parent)

    def of(self, x: int) -> list[int]:
        """Return the neighbours of a variable, in order."""
        return self._known(x, self._around.corrected(x))

    def between(self, nodes: Iterable[int]) -> dict[int, IntArray]:
        """Return for each of some variables those of its neighbours that are among them."""
        chosen = set(nodes)
        found = {}
        for x in sorted(chosen):
            mutual = [
                y
                for y in self._around.uncorrected(x).members
                if y in chosen and x in self._around.uncorrected(y).members
            ]
            neighbours = [y for y in self._known(x, mutual) if y in chosen]
            found[x] = np.array(neighbours, dtype=np.int64)
        return found

    def separating_sets(self, nodes: Iterable[int]) -> dict[frozenset[int], tuple[int, ...]]:
        """Return for pairs of some variables what separated them, if anything did."""
        in_order, test = sorted(nodes), self._search.the_test
        found: dict[frozenset[int], tuple[int, ...]] = {}
        for k, x in enumerate(in_order):
            batch = test.sweep(in_order[k + 1 :], x)
            apart = batch.x[batch.independent(self._search.alpha)].tolist()
            found.update(dict.fromkeys((frozenset((x, y)) for y in apart), ()))
        for x in in_order:
            for batch in self._around.uncorrected(x).separated:
                for position in np.flatnonzero(np.isin(batch.x, in_order)).tolist():
                    pair = frozenset((x, int(batch.x[position])))
                    found.setdefault(pair, batch.given[position])
        return found

    def _known(self, x: int, neighbours: list[int]) -> list[int]:
        """Leave out neighbours that knowledge forbids, and add those that it requires."""
        found = np.array(neighbours, dtype=np.int64)
        if self._search.knowledge is not None:
            found = found[joinable(self._search.knowledge, x, found)]
        return sorted({*found.tolist(), *self._required[x]})


def _mmpc_bar_frugal(problem: TestProblem, found: Found) -> None:
    """Run MMPC-bar, and forget whom the empty set separated: of many variables, nearly all."""
    mmpc_bar(problem, found)
    found.separated = [batch for batch in found.separated if batch.given[0]]
