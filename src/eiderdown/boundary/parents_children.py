"""The machinery that all searches for parents and children, and for spouses by them, share.

    OpenCandidates        candidates that no subset tried so far separates from the target, each
                          with its max-p test: the weakest over those subsets
    remove_separable      the same for members
    ParentsChildrenSets   the sets around many targets, each searched once, and what symmetry makes
                          of them: X is in the set of T and T in that of X, either, or the former
    add_spouses           variables that are separated from the target until a shared child is given

A candidate that was separated once never returns. Subsets with the newest member are the only new
ones of a step, and all candidates try all of them in one batch.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from eiderdown.arrays import BoolArray
from eiderdown.boundary.problem import Found, SpouseSymmetry, Symmetry, TestProblem
from eiderdown.independence import IndependenceBatch, IndependenceResult

FindAdjacent: TypeAlias = Callable[[TestProblem, Found], None]
"""An uncorrected search: it fills a record with parents, children and perhaps some descendants."""

MOST_ASKED = 200
"""Around how many columns that the target lost the target is looked for: the most dependent."""


@dataclass(frozen=True)
class OpenCandidates:
    """Candidates still open, each with the weakest test that it survived."""

    problem: TestProblem
    found: Found
    tests: IndependenceBatch

    @classmethod
    def of(cls, problem: TestProblem, found: Found) -> OpenCandidates:
        """Try the empty set and those of required members; only who depends given nothing is left.

        The candidates are in the order of their dependence on the target given nothing.
        """
        free = problem.candidates[~np.isin(problem.candidates, problem.required)]
        tests = problem.sweep(free, [])
        cls(problem, found, tests)._dropping(tests.independent(problem.alpha))
        if not tests.decided(problem.alpha).all():
            found.outside = tests
        left = tests.take(tests.dependent(problem.alpha))
        open_ = cls(problem, found, left.take(left.by_strength(problem.tie_rank)))
        for n, x in enumerate(problem.required, start=1):
            open_ = open_.tried(x, problem.required[:n])
        return open_

    def first(self) -> IndependenceResult | None:
        """Return the candidate that depended most on the target given nothing."""
        return self.tests[0] if len(self.tests) else None

    def strongest(self) -> IndependenceResult | None:
        """Return the candidate whose weakest test is the strongest; None if none is left."""
        return self.tests.strongest(self.problem.tie_rank)

    def strongest_first(self) -> Iterator[IndependenceResult]:
        """Go through the candidates by the strength of their weakest tests."""
        return (self.tests[int(i)] for i in self.tests.by_strength(self.problem.tie_rank))

    def after(self, newest: int) -> OpenCandidates:
        """Take out who became a member; try all subsets of the members that hold it."""
        left = OpenCandidates(self.problem, self.found, self.tests.take(self.tests.x != newest))
        return left.tried(newest, self.found.members)

    def tried(self, newest: int, members: Iterable[int]) -> OpenCandidates:
        """Try all subsets of the members that hold the newest; drop whom one separates."""
        pool = [z for z in members if z != newest]
        return self.tried_up_to(self.problem.max_subset_of(len(pool)), pool, always=(newest,))

    def tried_up_to(
        self, max_given: int, pool: Sequence[int], always: Sequence[int] = ()
    ) -> OpenCandidates:
        """Try all subsets of a pool up to a size; drop whom one separates."""
        problem = self.problem
        if len(self.tests) == 0 or max_given < len(always):
            return self
        fresh = problem.test.max_p_over_subsets(
            self.tests.x,
            problem.target,
            pool,
            alpha=problem.alpha,
            max_given=max_given,
            always=always,
        )
        weaker = OpenCandidates(problem, self.found, self.tests.weaker(fresh, problem.alpha))
        return weaker._dropping(weaker.tests.independent(problem.alpha))

    def _dropping(self, separated: BoolArray) -> OpenCandidates:
        if not separated.any():
            return self
        self.found.separated.append(self.tests.take(separated))
        return OpenCandidates(self.problem, self.found, self.tests.take(~separated))


def remove_separable(
    problem: TestProblem,
    found: Found,
    *,
    newest: int | None = None,
    also: Iterable[int] = (),
) -> None:
    """Remove for good every member that some subset of the others separates from the target.

    With ``newest`` only subsets that hold it are tried, which are the new ones for all but itself.
    Subsets may hold variables of ``also``, which are no members.
    """
    members = list(found.members)
    tested = [x for x in members if x != newest and x not in problem.required]
    if not tested or (newest is not None and problem.max_subset < 1):
        return
    tests = problem.test.max_p_over_subsets(
        tested,
        problem.target,
        [z for z in dict.fromkeys([*members, *also]) if z != newest],
        alpha=problem.alpha,
        max_given=problem.max_subset_of(len(members)),
        always=() if newest is None else (newest,),
    )
    for result in tests:
        before = found.members[result.x]
        if result.independent(problem.alpha):
            found.separated.append(IndependenceBatch.of([result]))
            found.remove(result)
        elif result.dependent(problem.alpha) and not (
            before.decided(problem.alpha) and before.log_p >= result.log_p
        ):
            found.members[result.x] = result


class ParentsChildrenSets:
    """Parents and children of many variables, each searched once.

    Parameters
    ----------
    problem : TestProblem
        The question about the first target.
    find : callable
        The uncorrected search.
    found : Found, optional
        The record of the whole search, into which the members of the first target go. With one,
        the search is about that target, and copies are looked at once.
    """

    def __init__(
        self, problem: TestProblem, find: FindAdjacent, found: Found | None = None
    ) -> None:
        self._problem = problem if found is None else problem.without_copies(found)
        self._find, self._found = find, Found() if found is None else found
        self._sets: dict[int, Found] = {}

    def uncorrected(self, target: int) -> Found:
        """Return what the search found around a variable, and who was separated by what."""
        if target not in self._sets:
            self._sets[target] = self._recalled(target) or self._searched(target)
            self._problem.trace.progressed("looking around", len(self._sets))
        return self._sets[target]

    def around(self, target: int, symmetry: Symmetry) -> list[int]:
        """Return the parents and children of a variable.

        By "and" they are those that have it among theirs, which removes the descendant that every
        uncorrected search takes for a child in DAG (a) of the design notes. By "or" those come in
        as well that have it among theirs, though the target's own search lost them.
        """
        members = list(self.uncorrected(target).members)
        if symmetry == "and":
            return self._mutual(target, members)
        return members + self._lost(target) if symmetry == "or" else members

    def finds(self, target: int, x: int, symmetry: Symmetry) -> bool:
        """Whether x is in the set of a target; of a few pairs quicker than the whole set."""
        around = self.uncorrected
        if symmetry == "or":
            return x in around(target).members or target in around(x).members
        return x in around(target).members and (symmetry == "none" or target in around(x).members)

    def _mutual(self, target: int, members: list[int]) -> list[int]:
        is_first = target == self._problem.target
        required = self._problem.required if is_first else ()
        kept = [x for x in members if x in required or target in self.uncorrected(x).members]
        if is_first:
            tests = self.uncorrected(target).members
            lost = tests.keys() - set(kept)
            separations = self.separations(target, lost)
            for x in lost:
                self._found.remove(separations.get(x, tests[x]))
        return kept

    def _lost(self, target: int) -> list[int]:
        """Return those that a set separated from the target, but that have it among theirs.

        What the empty set separates it separates from either side, so nobody else need be asked.
        """
        separating = self.uncorrected(target).separating_sets()
        apart = np.array([x for x, given in separating.items() if given], dtype=np.int64)
        alone, rank = self._problem.test.sweep(apart, target), self._problem.tie_rank
        asked = alone.x[alone.by_strength(rank)[:MOST_ASKED]].tolist()
        known = self.uncorrected(target).members
        lost = [x for x in asked if x not in known and target in self.uncorrected(x).members]
        if target == self._problem.target:
            for x in lost:
                self._found.admit(replace(self._sets[x].members[target], x=x, y=target))
        return lost

    def separation(self, target: int, x: int) -> IndependenceResult | None:
        """Return the test that separated x from the target, found from either side."""
        return self.separations(target, [x]).get(x)

    def separations(self, target: int, xs: Collection[int]) -> dict[int, IndependenceResult]:
        """Return the tests that separated some from the target, if they were."""
        tests = self.uncorrected(target).separations(xs)
        for x in xs:
            result = tests.get(x)
            if result is None and x in self._sets:
                result = self._sets[x].separation(target)
            if result is not None and (result.x, result.y) != (x, target):
                tests[x] = replace(result, x=x, y=target)
        return tests

    def _searched(self, target: int) -> Found:
        problem = self._problem
        if target == problem.target:
            here, found = problem, self._found
        else:
            here, found = problem.at(target), Found()
        self._find(here, found)
        found.keep(list(found.members.values()), problem.alpha)
        # The whole search goes on with its record; what was found here stays as it is.
        result = Found()
        _copy(found, result)
        if not problem.required:
            problem.known[self._find, problem.alpha, target] = result
        return result

    def _recalled(self, target: int) -> Found | None:
        """Return what was found for the sake of another target, if anything was."""
        problem, key = self._problem, (self._find, self._problem.alpha, target)
        result = None if problem.required else problem.known.get(key)
        if result is not None and target == problem.target:
            result = problem.known.whole(key, problem.test)
            _copy(result, self._found)
        return result


def _copy(found: Found, into: Found) -> None:
    """Copy the members and every test behind them, so that evidence is the same for any order."""
    into.members.update(found.members)
    into.removed.update(found.removed)
    into.separated.extend(found.separated)
    into.outside = found.outside
    into.unconfirmed.update(found.unconfirmed)


Proof: TypeAlias = tuple[IndependenceResult, int]
"""A test in which a spouse depends on the target, and the child that makes it so."""

Rule: TypeAlias = Callable[[TestProblem, IndependenceResult, Sequence[int]], Proof | None]
"""Looks for a proof, given the test that separated X from the target and possible children."""


def add_spouses(
    problem: TestProblem,
    found: Found,
    sets: ParentsChildrenSets,
    symmetry: Symmetry,
    spouse_symmetry: SpouseSymmetry = "auto",
) -> None:
    """Find parents and children, and add X near one of them, Y, if dep(T; X | Sep[X] u {Y}).

    Sep[X] is what separated X from the target. Who is near Y is a question of symmetry again. By
    "none" X may be a descendant of Y, but then it does not pass the test. "auto" is "and" for
    parents and children by "and"; else "none", which does not search around everyone near Y.
    """
    adjacent = sets.around(problem.target, symmetry)
    found.parents_children = tuple(adjacent)
    if spouse_symmetry == "auto":
        spouse_symmetry = "and" if symmetry == "and" else "none"
    near = {y: sets.around(y, spouse_symmetry) for y in adjacent}
    children = {x: [y for y in adjacent if x in near[y]] for y in adjacent for x in near[y]}
    admit_proven(problem, found, sets, children, some_child)


def add_spouses_uncorrected(
    problem: TestProblem, found: Found, sets: ParentsChildrenSets, rule: Rule
) -> None:
    """Add every X near a member that passes a rule about all members.

    The algorithms of 2003, which did not ask whether two are near each other, nor whether X is
    adjacent to the Y that makes it dependent.
    """
    adjacent = list(sets.uncorrected(problem.target).members)
    found.parents_children = tuple(adjacent)
    near = [x for y in adjacent for x in sets.uncorrected(y).members]
    admit_proven(problem, found, sets, dict.fromkeys(near, adjacent), rule)


def admit_proven(
    problem: TestProblem,
    found: Found,
    sets: ParentsChildrenSets,
    children: dict[int, list[int]],
    rule: Rule,
) -> None:
    """Admit every candidate for which a rule finds a proof with one of its possible children."""
    candidates = children.keys() - {problem.target, *(found.parents_children or ())}
    separations = sets.separations(problem.target, candidates)
    for x in sorted(separations, key=problem.tie_rank.__getitem__):
        proof = rule(problem, separations[x], children[x])
        if proof is not None:
            found.spouses[x] = proof[1]
            found.admit(proof[0], "adding spouses")


def some_child(
    problem: TestProblem, separation: IndependenceResult, children: Sequence[int]
) -> Proof | None:
    """Accept X if some Y has dep(T; X | Sep[X] u {Y})."""
    for y in children:
        result = given_child(problem, separation, y)
        if result is not None and result.dependent(problem.alpha):
            return result, y
    return None


def every_child(
    problem: TestProblem, separation: IndependenceResult, children: Sequence[int]
) -> Proof | None:
    """Accept X unless some Y has ind(T; X | Sep[X] u {Y}), a Y in Sep[X] among them."""
    if set(children) & set(separation.given):
        return None
    proofs = [(result, y) for y in children if (result := given_child(problem, separation, y))]
    if any(result.independent(problem.alpha) for result, _ in proofs):
        return None
    dependent = [proof for proof in proofs if proof[0].dependent(problem.alpha)]
    return max(dependent, key=lambda proof: proof[0].log_p, default=None)


def given_child(
    problem: TestProblem, separation: IndependenceResult, child: int
) -> IndependenceResult | None:
    """Test X against the target given Sep[X] and a child; None if that is no test to make."""
    given = separation.given
    if child in given or not problem.allows(len(given) + 1):
        return None
    return problem.test.test(separation.x, problem.target, [*given, child])
