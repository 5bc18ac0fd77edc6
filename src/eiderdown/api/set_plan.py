"""Which nested sets of columns are judged, the same in every fold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from eiderdown.api.nested_columns import NestedColumns

MOST_NUMBERS = 5_000_000
"""Of a table that would fill more numbers, the strongest columns stand for all."""

MOST_CHOSEN = 2_048
"""Larger sets than this are not tried, but for all columns."""

SetOf: TypeAlias = Callable[[NestedColumns], tuple[str, ...]]
"""Takes nested columns and returns some of them."""


@dataclass(frozen=True)
class SetPlan:
    """Which nested sets are judged, the smallest first, the same in every fold."""

    sets: tuple[tuple[str, SetOf], ...]
    n_layers: int
    boundary_at: int

    @property
    def pilots(self) -> list[SetOf]:
        """The boundary, all layers, and all columns."""
        sets = [columns_of for _, columns_of in self.sets]
        return [sets[self.boundary_at], lambda found: found.union(self.n_layers), sets[-1]]

    @classmethod
    def of(
        cls, nested: NestedColumns, n_rows: int, *, choosing: bool, n_required: int = 0
    ) -> SetPlan:
        """Plan layers, between and behind them twice as many columns each time, and all.

        Required columns are the first, and in every set.
        """
        ends = [len(nested.union(depth)) for depth in range(1, len(nested.layers) + 1)] or [0]
        n_all = ends[-1] + len(nested.rest)
        most = max(1, min(n_all, MOST_NUMBERS // n_rows))
        largest = min(0.75 * n_all, MOST_CHOSEN)
        sizes = [n for n in (2**k for k in range(n_all.bit_length())) if n_required <= n <= largest]
        apart = [n for n in sizes if not any(0.75 * end <= n <= 1.25 * end for end in ends)]
        planned = [(ends[0], "boundary", _union(1))]
        if choosing:
            planned += [(end, f"{d} layers", _union(d)) for d, end in enumerate(ends[1:], 2)]
            planned += [(n, f"the first {n:,}", _first(n)) for n in apart]
        planned.sort(key=lambda item: item[:2])
        sets = [(name, columns_of) for _, name, columns_of in planned]
        boundary_at = [name for name, _ in sets].index("boundary")
        name = "all columns" if most == n_all else f"the strongest {most:,}, for all columns"
        return cls((*sets, (name, _first(most))), max(1, len(nested.layers)), boundary_at)


def _first(n_columns: int) -> SetOf:
    return lambda found: found.first(n_columns)


def _union(depth: int) -> SetOf:
    return lambda found: found.union(depth)
