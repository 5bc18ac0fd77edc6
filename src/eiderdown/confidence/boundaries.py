"""Several Markov boundaries of one variable: how often each was found, and what stands for what.

Pena, Nilsson, Bjorkegren & Tegner (2007), section 5: where the intersection property fails, as it
does if columns determine each other, a variable has several boundaries, and a search with random
choices finds them if it is run often enough (theorem 10).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import combinations

from eiderdown.results import MarkovBoundary, Replacement


def distinct_boundaries(found: Iterable[MarkovBoundary]) -> list[tuple[MarkovBoundary, int]]:
    """Return the distinct boundaries with their number of runs, the most frequent first.

    Of runs with the same members the first speaks; ties are in the order of the members' names.
    """
    first: dict[tuple[str, ...], MarkovBoundary] = {}
    counts: Counter[tuple[str, ...]] = Counter()
    for boundary in found:
        members = tuple(sorted(boundary.members))
        first.setdefault(members, boundary)
        counts[members] += 1
    ranked = sorted(first, key=lambda members: (-counts[members], members))
    return [(first[members], counts[members]) for members in ranked]


def replacements(boundaries: Sequence[Collection[str]]) -> tuple[Replacement, ...]:
    """Say which variables stand for which in distinct boundaries of one target.

    Two boundaries that differ in one variable on one side, and in one or more on the other, show a
    replacement, unless some boundary holds both sides.

    Examples
    --------
    >>> replacements([{"a", "x"}, {"a", "y"}])
    (Replacement(these=('x',), those=('y',), n_pairs=1),)
    >>> replacements([{"i1", "i2"}, {"r"}])
    (Replacement(these=('r',), those=('i1', 'i2'), n_pairs=1),)
    """
    sets = [frozenset(boundary) for boundary in boundaries]
    counts: Counter[tuple[tuple[str, ...], tuple[str, ...]]] = Counter()
    for one, other in combinations(sets, 2):
        sides = sorted((sorted(one - other), sorted(other - one)), key=lambda s: (len(s), s))
        if len(sides[0]) == 1:
            counts[tuple(sides[0]), tuple(sides[1])] += 1
    found = [
        Replacement(these, those, n_pairs)
        for (these, those), n_pairs in counts.items()
        if not any(both.issuperset(these + those) for both in sets)
    ]
    return tuple(sorted(found, key=lambda r: (-r.n_pairs, len(r.those), r.these, r.those)))


def interchangeable(found: Iterable[Replacement]) -> tuple[tuple[str, ...], ...]:
    """Join variables that stand for each other one by one, directly or in a chain.

    Examples
    --------
    >>> interchangeable([Replacement(("x",), ("y",), 1), Replacement(("y",), ("z",), 1)])
    (('x', 'y', 'z'),)
    """
    groups: list[set[str]] = []
    for replacement in found:
        if len(replacement.those) == 1:
            joined = {*replacement.these, *replacement.those}
            apart = [group for group in groups if not group & joined]
            groups = [*apart, joined.union(*(group for group in groups if group & joined))]
    return tuple(sorted(tuple(sorted(group)) for group in groups))
