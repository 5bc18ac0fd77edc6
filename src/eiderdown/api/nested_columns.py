"""Nested sets of columns around a target: the boundary, and what stands behind it.

The boundary is found and taken away, and the search is repeated among the columns that are left: a
layer. Where columns say nearly the same, the members of the second layer are those that the first
one hides. Behind the layers come all other columns, those that depend most on the target first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from eiderdown.api.local import ConfiguredSearch, run_search
from eiderdown.arrays import IntArray
from eiderdown.data.prepare import Prepared
from eiderdown.errors import TooFewRowsError
from eiderdown.independence import CachedTest
from eiderdown.progress import Cancelled, Trace
from eiderdown.results import MarkovBoundary, Substitute

_HALF = 0.5
"""Of its effect a column must lose so much, given another, for the two to stand for each other."""


@dataclass(frozen=True)
class NestedColumns:
    """Layers around a target, and the other columns, strongest first.

    Examples
    --------
    >>> nested = NestedColumns((("a", "b"), ("c",)), ("d", "e"))
    >>> nested.union(1), nested.union(9), nested.first(4), nested.first(1)
    (('a', 'b'), ('a', 'b', 'c'), ('a', 'b', 'c', 'd'), ('a',))
    """

    layers: tuple[tuple[str, ...], ...]
    rest: tuple[str, ...]

    def union(self, depth: int) -> tuple[str, ...]:
        """Return the columns of the first layers."""
        return tuple(name for layer in self.layers[:depth] for name in layer)

    def first(self, n_columns: int) -> tuple[str, ...]:
        """Return so many columns: those of the layers, then the strongest others."""
        return (self.union(len(self.layers)) + self.rest)[:n_columns]


@dataclass(frozen=True, eq=False)
class Peeling:
    """What is needed to peel: a table around a target, its test, and a search."""

    prepared: Prepared
    test: CachedTest
    search: ConfiguredSearch
    required: Sequence[str] = ()

    def nested(
        self, n_layers: int, listener: Trace, first: Sequence[str] | None = None
    ) -> NestedColumns:
        """Find, take away, and find again; ``first`` is the boundary, where that is known."""
        layers: list[tuple[str, ...]] = []
        left = self.prepared.candidates
        while len(layers) < n_layers and len(left):
            known = first if not layers else None
            layer = tuple(self._found(left, listener, not layers) if known is None else known)
            if not layer:
                break
            layers.append(self._in_order(layer))
            left = left[~np.isin(left, self._columns(layer))]
        return NestedColumns(tuple(layers), self._strongest_first(left))

    def substitutes(self, layers: Sequence[Sequence[str]]) -> tuple[Substitute, ...]:
        """Say which columns of deeper layers stand for which member of the first."""
        if len(layers) < 2:
            return ()
        members = self._columns(layers[0])
        behind = [(name, depth) for depth, layer in enumerate(layers[1:], 2) for name in layer]
        others = self._columns([name for name, _ in behind])
        left_of_others = np.array([self._left(others, int(x)) for x in members])
        left_of_members = np.array([self._left(members, int(x)) for x in others]).T
        left = np.maximum(left_of_others, left_of_members)
        nearest = left.argmin(axis=0)
        return tuple(
            Substitute(name, layers[0][nearest[i]], depth)
            for i, (name, depth) in enumerate(behind)
            if left[nearest[i], i] <= _HALF
        )

    def _left(self, columns: IntArray, given: int) -> np.ndarray:
        """Return which share of their effect columns keep given another one."""
        assert self.prepared.target is not None
        alone = np.abs(self.test.sweep(columns, self.prepared.target).effect)
        with_it = np.abs(self.test.sweep(columns, self.prepared.target, [given]).effect)
        return np.where(alone > 0.0, with_it / np.where(alone > 0.0, alone, 1.0), 1.0)

    def _found(self, candidates: IntArray, listener: Trace, outermost: bool) -> tuple[str, ...]:
        among = replace(self.prepared, candidates=candidates)
        required = self.required if outermost else ()
        try:
            found = run_search(
                MarkovBoundary, among, self.test, self.search, listener=listener, required=required
            )
        except TooFewRowsError:
            return ()
        if not found.complete:
            raise Cancelled
        return found.members

    def _in_order(self, layer: tuple[str, ...]) -> tuple[str, ...]:
        """Order a layer: required ones, then each time what tells most given those before it."""
        assert self.prepared.target is not None
        names, left = self.prepared.data.names, self._columns(layer).tolist()
        taken = [x for x in self._columns(sorted(self.required)).tolist() if x in left]
        left = [x for x in left if x not in taken]
        while left:
            tests = self.test.sweep(left, self.prepared.target, taken)
            strongest = tests.strongest(self.test.name_rank)
            if strongest is None:  # insufficient data for so many given: the search's order
                break
            taken.append(strongest.x)
            left.remove(strongest.x)
        return tuple(names[column] for column in [*taken, *left])

    def _strongest_first(self, columns: IntArray) -> tuple[str, ...]:
        assert self.prepared.target is not None
        if not len(columns):
            return ()
        tests = self.test.sweep(columns, self.prepared.target)
        names = self.prepared.data.names
        return tuple(names[columns[i]] for i in tests.by_strength(self.test.name_rank))

    def _columns(self, names: Sequence[str]) -> IntArray:
        return np.array([self.prepared.data.index(name) for name in names], dtype=np.int64)
