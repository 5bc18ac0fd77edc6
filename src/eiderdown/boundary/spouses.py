"""Spouses: variables that are separated from the target until a shared child is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from eiderdown.boundary.parents_children import ParentsChildrenSets
from eiderdown.boundary.problem import Found, TestProblem
from eiderdown.independence import IndependenceResult

Proof: TypeAlias = tuple[IndependenceResult, int]
"""A test in which a spouse depends on the target, and the child that makes it so."""

Rule: TypeAlias = Callable[[TestProblem, IndependenceResult, Sequence[int]], Proof | None]
"""Looks for a proof, given the test that separated X from the target and possible children."""


def add_spouses(
    problem: TestProblem, found: Found, sets: ParentsChildrenSets, *, mutual: bool = True
) -> None:
    """Find parents and children, and add X near one of them, Y, if dep(T; X | Sep[X] u {Y}).

    Sep[X] is what separated X from the target. With ``mutual`` Y must also be near X; else X may be
    a descendant of Y, but then it does not pass the test.
    """
    adjacent = sets.corrected(problem.target)
    found.parents_children = tuple(adjacent)
    near = {y: sets.corrected(y) if mutual else list(sets.uncorrected(y).members) for y in adjacent}
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
    for x in sorted(candidates, key=problem.test.name_rank.__getitem__):
        separation = sets.separation(problem.target, x)
        proof = None if separation is None else rule(problem, separation, children[x])
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
