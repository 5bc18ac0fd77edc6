"""The tests of every column outside a result, so that it can say of any why it is not a member.

Two sweeps, of which the search has made most already: each column alone, and each given the
members. Where the search itself separated a column by another set, that test decides if the one
given the members does not find independence; in a search for parents and children it comes first,
because given a common child spouses are dependent.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from eiderdown.api.near_copies import compared
from eiderdown.arrays import BoolArray, FloatArray, IntArray
from eiderdown.boundary import Found
from eiderdown.data.prepare import Prepared
from eiderdown.data.screen import EXCLUDED
from eiderdown.independence import Allows, CachedTest, IndependenceBatch
from eiderdown.independence.batch import ALLOWS, EFFECT, LOG_P, N_VALUES
from eiderdown.results import ColumnScreen, LocalResult

MOST_COMPARED: Final = 10
"""How many of the columns outside, the strongest ones alone, are compared with the members."""


def screened(
    problem: Prepared, test: CachedTest, found: Found, result: LocalResult, max_given: int | None
) -> ColumnScreen:
    """Test every column outside.

    Parameters
    ----------
    problem : Prepared
        The table and its target.
    test : CachedTest
        The test of the search, which remembers its answers.
    found : Found
        What was found.
    result : LocalResult
        The same, with names.
    max_given : int or None
        Largest conditioning set that was asked for.
    """
    assert problem.target is not None
    options, names = result.run.options, problem.data.names
    everyone = test.sweep(problem.candidates, problem.target)  # remembered from the search
    outside = np.flatnonzero(~np.isin(everyone.x, list(found.members)))
    alone = everyone.take(outside[np.argsort(test.name_rank[everyone.x[outside]])])
    tests = _DecisiveTests(alone, float(options.get("level", options["alpha"])))
    searched = [*found.separated, IndependenceBatch.of(list(found.removed.values()))]
    given_members = _given_members(test, found, alone, max_given)
    if result.what == "boundary":
        tests.prefer(searched)
        tests.prefer(given_members)
    else:
        tests.prefer(given_members)
        tests.prefer(searched)
    sets, given = tests.sets_by_name(names)
    return ColumnScreen.of(
        result.target,
        tests.level,
        [names[x] for x in alone.x],
        sets,
        {
            "alone_log_p": alone.log_p,
            "alone_effect": alone.effect,
            "alone_allows": alone.allows,
            "log_p": tests.values[:, LOG_P],
            "effect": tests.values[:, EFFECT],
            "given": given,
            "allows": tests.values[:, ALLOWS],
        },
        dict(_copies(problem, test, found, everyone)),
        _left_out(problem),
    )


@dataclass
class _DecisiveTests:
    """For each column outside the test that decides; at first the one alone."""

    alone: IndependenceBatch
    level: float
    values: FloatArray = field(init=False)
    given: IntArray = field(init=False)
    sets: dict[tuple[int, ...], int] = field(default_factory=lambda: {(): 0})

    def __post_init__(self) -> None:
        self.values = self.alone.values.copy()
        self.given = np.zeros(len(self.alone), np.int64)
        self._order = np.argsort(self.alone.x)

    def prefer(self, batches: Iterable[IndependenceBatch]) -> None:
        """Take tests of another sort, but for those that say less than the ones at hand."""
        values, given = np.full((len(self.alone), N_VALUES), np.nan), self.given.copy()
        for batch in batches:
            where, positions = self._positions(batch.x)
            values[positions] = batch.values[where]
            given[positions] = self._numbers(batch.given)[where]
        known = ~np.isnan(values[:, LOG_P])
        settled = (self.given > 0) & self._independent(self.values)
        better = known & (self._independent(values) | ~settled)
        self.values[better], self.given[better] = values[better], given[better]

    def sets_by_name(self, names: Sequence[str]) -> tuple[list[tuple[str, ...]], IntArray]:
        """Return the conditioning sets in the order of their names, and which each test has."""
        is_used = np.bincount(self.given, minlength=len(self.sets)) > 0
        named = [tuple(names[z] for z in given) for given in self.sets]
        order = sorted(np.flatnonzero(is_used).tolist(), key=named.__getitem__)
        rank = np.zeros(len(named), np.int64)
        rank[order] = np.arange(len(order))
        return [named[i] for i in order], rank[self.given]

    def _independent(self, values: FloatArray) -> BoolArray:
        found: BoolArray = (values[:, ALLOWS] == Allows.BOTH) & (
            values[:, LOG_P] > math.log(self.level)
        )
        return found

    def _numbers(self, given: Sequence[tuple[int, ...]]) -> IntArray:
        """Return a number for each conditioning set; those of a sweep are one and the same."""
        first = next(iter(given), ())
        different = [first] if len(set(map(id, given))) < 2 else given
        numbers = [self.sets.setdefault(one, len(self.sets)) for one in different]
        return np.full(len(given), numbers[0]) if len(numbers) == 1 else np.array(numbers, int)

    def _positions(self, x: IntArray) -> tuple[BoolArray, IntArray]:
        """Return which of some columns are outside, and where."""
        in_order = self.alone.x[self._order]
        places = np.minimum(np.searchsorted(in_order, x), max(len(in_order) - 1, 0))
        where = in_order[places] == x if len(in_order) else np.zeros(len(x), np.bool_)
        return where, self._order[places[where]] if len(in_order) else places[:0]


def _given_members(
    test: CachedTest, found: Found, alone: IndependenceBatch, max_given: int | None
) -> Iterator[IndependenceBatch]:
    """Return the tests given all members, from the search if it ended with them."""
    members = tuple(found.members)
    if not members or not len(alone) or (max_given is not None and len(members) > max_given):
        return
    last = found.outside
    if last is not None and len(last) == len(alone) and set(last.given[0]) == set(members):
        yield last
    else:
        # Not of the cached test: what a search has computed does not depend on being explained.
        yield test.inner.sweep(alone.x, int(alone.y[0]), members)


def _copies(
    problem: Prepared, test: CachedTest, found: Found, everyone: IndependenceBatch
) -> Iterator[tuple[str, str]]:
    """Compare the strongest columns outside with the members, and with what separated them.

    The columns for which members stood in the search are copies, too. Near-copies have about the
    same effect, so that only such pairs are looked at row by row.
    """
    names = problem.data.names
    few = everyone.strongest_few(test.name_rank, MOST_COMPARED + len(found.members))
    ranked = everyone.x[few]
    strongest = [x for x in ranked.tolist() if x not in found.members][:MOST_COMPARED]
    separators = found.given_of(strongest)
    others_of = {x: {*found.members, *separators.get(x, ())} - {x} for x in strongest}
    effects = _effects(everyone, set(strongest).union(*others_of.values()))
    for x in strongest:
        others = sorted(others_of[x], key=names.__getitem__)
        alike = (z for z in others if min(effects[x], effects[z]) > max(effects[x], effects[z]) / 2)
        near = next((z for z in alike if compared(problem.data, x, z) is not None), None)
        if near is not None:
            yield names[x], names[near]
    for member in found.members:  # at last, because these are more than near
        yield from ((names[x], names[member]) for x in found.copies.get(member, ()))


def _effects(batch: IndependenceBatch, columns: set[int]) -> dict[int, float]:
    """Return the effects of some columns; 0 where there is no test."""
    where = np.flatnonzero(np.isin(batch.x, list(columns)))
    found = dict(zip(batch.x[where].tolist(), np.abs(batch.effect[where]).tolist(), strict=True))
    return {x: found.get(x, 0.0) for x in columns}


def _left_out(problem: Prepared) -> dict[str, tuple[str, ...]]:
    """Return the columns that took no part, by the reason."""
    by_reason: dict[str, list[str]] = {}
    for name, reason in problem.source.left_out.items():
        by_reason.setdefault(reason, []).append(name)
    took_part = np.zeros(problem.data.n_columns, np.bool_)
    took_part[problem.columns] = True
    absent = [problem.data.names[i] for i in np.flatnonzero(~took_part)]
    if absent:
        constant = set(problem.source.select(absent).constant_columns())
        flat = "it has a single value, or none"
        by_reason.setdefault(flat, []).extend(name for name in absent if name in constant)
        by_reason.setdefault(EXCLUDED, []).extend(name for name in absent if name not in constant)
    return {reason: tuple(sorted(names)) for reason, names in by_reason.items() if names}
