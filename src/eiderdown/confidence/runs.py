"""Numbered runs of a search: their seeds, what they must share, the boundaries they found.

Pena, Nilsson, Bjorkegren & Tegner (2007), section 5: where the intersection property fails, as it
does if columns determine each other, a variable has several boundaries, and a search with random
choices finds them if it is run often enough (theorem 10).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from eiderdown.errors import OptionError
from eiderdown.results import FeatureConfidence, MarkovBoundary, Replacement, Run

_FEWEST_SEEDS = 1_000  # drawn at once


class RunSeeds(Sequence[int]):
    """A seed for each run, drawn when it is asked for; more runs begin with the seeds of fewer.

    Examples
    --------
    >>> list(RunSeeds(0, 5))[:2] == list(RunSeeds(0, 2))
    True
    >>> RunSeeds(0, 10**15)[1] == RunSeeds(0, 2)[1]
    True
    """

    def __init__(self, seed: int, n_runs: int) -> None:
        self._source, self._n_runs = np.random.SeedSequence(seed), n_runs
        self._drawn: list[int] = []

    def __len__(self) -> int:
        return self._n_runs

    def __getitem__(self, number: Any) -> Any:
        """Return the seed of a run."""
        if not 0 <= number < self._n_runs:
            raise IndexError(number)
        drawn = self._drawn
        if number >= len(drawn):
            n = min(self._n_runs, max(_FEWEST_SEEDS, 2 * (number + 1)))
            drawn = self._drawn = self._source.generate_state(n).tolist()
        return drawn[number]


def check_agreement(earlier: FeatureConfidence, *, run: Run, nodes: tuple[str, ...]) -> None:
    """Refuse to go on from runs that answer another question than the run that begins."""
    if earlier.source != run.algorithm:
        raise _other("come from", "source", earlier.source, run.algorithm)
    if earlier.run.fingerprint != run.fingerprint or earlier.nodes != nodes:
        raise OptionError(
            f"The earlier runs were made on another table ({earlier.run.n_rows:,} rows x "
            f"{len(earlier.nodes):,} columns that take part) than this one ({run.n_rows:,} x "
            f"{len(nodes):,}); give the same rows and columns in the same order, or begin anew."
        )
    for name in {**run.options, **earlier.run.options}:
        before, now = earlier.run.options.get(name), run.options.get(name)
        if name != "runs" and _plain(before) != _plain(now):
            raise _other("were made with", name, before, now)
    if earlier.run.random_state != run.random_state:
        raise _other("were made with", "random_state", earlier.run.random_state, run.random_state)
    if earlier.n_runs + len(earlier.gaps) > run.options["runs"]:
        raise OptionError(
            f"There are {earlier.n_runs:,} earlier runs, but only {run.options['runs']:,} are "
            "wanted; ask for at least as many, or begin anew."
        )


def _other(verb: str, name: str, before: Any, now: Any) -> OptionError:
    return OptionError(
        f"The earlier runs {verb} {name}={before!r}, not {now!r}; give the same {name}, or begin "
        "anew without them."
    )


def _plain(value: Any) -> str:
    """Write a value as JSON does, because earlier ones may have been there and back."""
    return json.dumps(value, sort_keys=True, default=str)


def distinct_boundaries(found: Iterable[MarkovBoundary]) -> list[tuple[MarkovBoundary, int]]:
    """Return the distinct boundaries with their number of runs, the most frequent first.

    Of runs with the same members the first speaks; ties are in the order of the members' names.
    """
    boundaries = list(found)
    first: dict[tuple[str, ...], MarkovBoundary] = {}
    counts: Counter[tuple[str, ...]] = Counter()
    by_id = {id(boundary): boundary for boundary in boundaries}
    for number, n_runs in Counter(map(id, boundaries)).items():  # in the order of the runs
        members = tuple(sorted(by_id[number].members))
        first.setdefault(members, by_id[number])
        counts[members] += n_runs
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
