"""The machinery that all searches for parents and children share.

    OpenCandidates   candidates that no subset tried so far separates from the target, each with its
                     weakest test
    Neighbourhood    what such a search leaves behind: members with their weakest tests, and who was
                     separated by what
    Neighbourhoods   those of many targets, each searched once, corrected by symmetry (Pena et al.
                     2007): X is a neighbour of T only if T is one of X

A candidate that was separated once never returns. Subsets with the newest member are the only new
ones of a step, and all candidates try all of them in one batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from eiderdown.arrays import BoolArray
from eiderdown.boundary.search import LocalSearch
from eiderdown.independence import IndependenceBatch, IndependenceResult


@dataclass
class Neighbourhood:
    """What a search for parents and children of one target leaves behind."""

    target: int
    members: dict[int, IndependenceResult] = field(default_factory=dict)
    separated: list[IndependenceBatch] = field(default_factory=list)

    def separation(self, x: int) -> IndependenceResult | None:
        """Return the test that separated x from the target, if any."""
        for batch in reversed(self.separated):
            positions = np.flatnonzero(batch.x == x)
            if len(positions):
                return batch[int(positions[0])]
        return None

    def separating_sets(self) -> dict[int, tuple[int, ...]]:
        """Return for every variable that was separated from the target what separated it."""
        batches = self.separated
        return {x: z for b in batches for x, z in zip(b.x.tolist(), b.given, strict=True)}

    def weakest(self) -> IndependenceBatch:
        """Return the weakest test that each member has survived."""
        return IndependenceBatch.of(list(self.members.values()))


@dataclass(frozen=True)
class OpenCandidates:
    """Candidates still open, each with the weakest test that it survived."""

    search: LocalSearch
    found: Neighbourhood
    tests: IndependenceBatch

    @classmethod
    def of(cls, search: LocalSearch, found: Neighbourhood) -> OpenCandidates:
        """Try the empty set and those of required members; who has no reliable test is left out.

        The candidates are in the order of their dependence on the target given nothing.
        """
        free = search.candidates[~np.isin(search.candidates, search.required)]
        tests = search.sweep(free, [])
        told = cls(search, found, tests)._dropping(tests.independent(search.alpha))
        if not tests.reliable.all():
            search.trace.not_admitted(tests)
        left = told.tests.take(told.tests.reliable)
        open_ = cls(search, found, left.take(left.by_strength(search.test.name_rank)))
        for n, x in enumerate(search.required, start=1):
            open_ = open_.tried(x, search.required[:n])
        return open_

    def first(self) -> IndependenceResult | None:
        """Return the candidate that depended most on the target given nothing."""
        return self.tests[0] if len(self.tests) else None

    def strongest(self) -> IndependenceResult | None:
        """Return the candidate whose weakest test is the strongest; None if nobody is left."""
        return self.tests.strongest(self.search.test.name_rank)

    def strongest_first(self) -> Iterator[IndependenceResult]:
        """Go through the candidates by the strength of their weakest tests."""
        return (self.tests[int(i)] for i in self.tests.by_strength(self.search.test.name_rank))

    def without(self, x: int) -> OpenCandidates:
        """Take one candidate out."""
        return OpenCandidates(self.search, self.found, self.tests.take(self.tests.x != x))

    def tried(self, newest: int, members: Iterable[int]) -> OpenCandidates:
        """Try all subsets of the members that hold the newest; drop whom one separates."""
        pool = [z for z in members if z != newest]
        limit = self.search.max_subset_of(len(pool))
        return self.tried_up_to(limit, pool, always=(newest,))

    def tried_up_to(
        self, max_given: int, pool: Sequence[int], always: Sequence[int] = ()
    ) -> OpenCandidates:
        """Try all subsets of a pool up to a size; drop whom one separates."""
        search = self.search
        if len(self.tests) == 0 or max_given < len(always):
            return self
        fresh = search.test.max_p_over_subsets(
            self.tests.x,
            search.target,
            pool,
            alpha=search.alpha,
            max_given=max_given,
            always=always,
        )
        weakest = OpenCandidates(search, self.found, self.tests.weaker(fresh))
        return weakest._dropping(weakest.tests.independent(search.alpha))

    def _dropping(self, gone: BoolArray) -> OpenCandidates:
        if not gone.any():
            return self
        dropped = self.tests.take(gone)
        self.found.separated.append(dropped)
        self.search.trace.separated(dropped)
        return OpenCandidates(self.search, self.found, self.tests.take(~gone))


def admit(search: LocalSearch, found: Neighbourhood, result: IndependenceResult) -> None:
    """Make a candidate a member."""
    found.members[result.x] = result
    search.trace.admitted(result)
    search.trace.progressed("growing", len(found.members))


def start(search: LocalSearch) -> Neighbourhood:
    """Begin with the required members; their evidence is the test given nothing."""
    found = Neighbourhood(search.target)
    if search.required:
        for result in search.sweep(np.array(search.required), []):
            admit(search, found, result)
    return found


def neighbourhood(
    search: LocalSearch,
    choose: Callable[[OpenCandidates], IndependenceResult | None],
    *,
    interleaved: bool,
) -> Neighbourhood:
    """Add one candidate after the other, and remove members that turn out to be separable.

    Parameters
    ----------
    search : LocalSearch
        The question.
    choose : callable
        Which of the open candidates comes in next.
    interleaved : bool
        Whether members are removed after every addition, or only in the end.
    """
    found = start(search)
    open_ = OpenCandidates.of(search, found)
    while (best := choose(open_)) is not None:
        admit(search, found, best)
        if interleaved:
            prune(search, found, newest=best.x)
        open_ = open_.without(best.x).tried(best.x, found.members)
    if not interleaved:
        prune(search, found)
    return found


def prune(
    search: LocalSearch,
    found: Neighbourhood,
    *,
    newest: int | None = None,
    also: Iterable[int] = (),
) -> None:
    """Remove every member that some subset of the others separates from the target.

    With ``newest`` only subsets that hold it are tried, which are the new ones for all but itself.
    Subsets may hold variables of ``also``, which are no members.
    """
    members = list(found.members)
    tested = [x for x in members if x != newest and x not in search.required]
    if not tested or (newest is not None and search.max_subset < 1):
        return
    tests = search.test.max_p_over_subsets(
        tested,
        search.target,
        [z for z in dict.fromkeys([*members, *also]) if z != newest],
        alpha=search.alpha,
        max_given=search.max_subset_of(len(members)),
        always=() if newest is None else (newest,),
    )
    for result in tests:
        if result.independent(search.alpha):
            drop(search, found, result)
        elif result.reliable and not _is_weaker(found.members[result.x], result):
            found.members[result.x] = result


def drop(search: LocalSearch, found: Neighbourhood, result: IndependenceResult) -> None:
    """Remove a member for good."""
    del found.members[result.x]
    found.separated.append(IndependenceBatch.of([result]))
    search.trace.removed(result)
    search.trace.progressed("shrinking", len(found.members))


def _is_weaker(one: IndependenceResult, other: IndependenceResult) -> bool:
    return one.reliable and one.log_p >= other.log_p


class Neighbourhoods:
    """Neighbourhoods of many targets, each searched once.

    Parameters
    ----------
    search : LocalSearch
        The question about the first target.
    find : callable
        The (uncorrected) search for parents and children.
    """

    def __init__(self, search: LocalSearch, find: Callable[[LocalSearch], Neighbourhood]) -> None:
        self._search = search
        self._find = find
        # A search with options of its own (a partial) may answer differently next time.
        self._name = getattr(find, "__name__", None)
        self._known: dict[int, Neighbourhood] = {}

    def of(self, target: int) -> Neighbourhood:
        """Return the uncorrected neighbourhood of a variable."""
        if target not in self._known:
            self._known[target] = self._recalled(target) or self._searched(target)
            self._search.trace.progressed("looking around", len(self._known))
        return self._known[target]

    def _searched(self, target: int) -> Neighbourhood:
        search = self._search
        here = search if target == search.target else search.at(target)
        found = self._find(here)
        # Members may have survived weaker tests since they came in.
        here.trace.kept(found.weakest())
        if self._name is not None and not search.required:
            search.known[self._name, target] = found
        return found

    def _recalled(self, target: int) -> Neighbourhood | None:
        """Return what an earlier search found, and tell the trace what it would have heard."""
        if self._name is None or self._search.required:
            return None
        found: Neighbourhood | None = self._search.known.get((self._name, target))
        if found is not None and target == self._search.target:
            for result in found.members.values():
                self._search.trace.admitted(result)
            for batch in found.separated:
                self._search.trace.separated(batch)
        return found

    def neighbours(self, target: int, *, symmetric: bool) -> list[int]:
        """Return the neighbours of a variable; if symmetric, those that have it among theirs.

        For DAG (a) of the design notes symmetry removes the descendant that every uncorrected
        search takes for a child.
        """
        members = list(self.of(target).members)
        if not symmetric:
            return members
        required = self._search.required if target == self._search.target else ()
        kept = [x for x in members if x in required or target in self.of(x).members]
        if target == self._search.target:
            for x in set(members) - set(kept):
                reason = self.separation(target, x) or self.of(target).members[x]
                self._search.trace.removed(reason)
        return kept

    def separation(self, target: int, x: int) -> IndependenceResult | None:
        """Return the test that separated x from the target, found from either side."""
        found = self.of(target).separation(x)
        if found is None and x in self._known:
            found = self._known[x].separation(target)
        return None if found is None else replace(found, x=x, y=target)
