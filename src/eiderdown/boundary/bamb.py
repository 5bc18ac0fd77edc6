"""BAMB: balanced Markov boundary discovery.

Ling, Yu, Wang, Liu, Ding & Wu (2019). Spouses are looked for as soon as a child comes in, and help
at once to separate false children; the target alone is searched around.

Differences from the paper: spouses are checked against all present members, not only those that
came in with the same child; and once more in the end, when all members are known.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from eiderdown.boundary.parents_children import OpenCandidates, remove_separable
from eiderdown.boundary.problem import MARKOV_BOUNDARY, Found, TestProblem, best_so_far
from eiderdown.independence import IndependenceBatch, IndependenceResult
from eiderdown.registry import Algorithm


@dataclass
class _Spouses:
    """Spouses by the child they came in with, each with the weakest test it survived."""

    by_child: dict[int, dict[int, IndependenceResult]] = field(default_factory=dict)
    refused: set[tuple[int, int]] = field(default_factory=set)

    def all(self) -> set[int]:
        return {x for spouses in self.by_child.values() for x in spouses}

    def forget_children_not_in(self, found: Found) -> None:
        """Drop spouses that came in with a child that is a member no more."""
        for child in self.by_child.keys() - found.members.keys():
            del self.by_child[child]


def bamb(problem: TestProblem) -> Found:
    """Find the Markov boundary, parents and children and spouses in turns."""
    with best_so_far(problem) as found:
        spouses, problem = _Spouses(), problem.without_copies(found)
        found.require(problem)
        open_ = OpenCandidates.of(problem, found)
        # Candidates in the order of assoc(X; T | {}).
        while (best := open_.first()) is not None:
            # Step 1: X comes in; members that a subset with X separates go out.
            found.admit(best)
            remove_separable(problem, found, newest=best.x)
            open_ = open_.after(best.x)
            # Step 2: spouses that come with X. Step 3: with their help, more members go out.
            for spouse in _find_spouses(problem, found, spouses, best.x):
                remove_separable(problem, found, newest=spouse, also=spouses.all())
            spouses.forget_children_not_in(found)
        _look_once_more(problem, found, spouses)
        found.keep(IndependenceBatch.of(list(found.members.values())), problem.alpha)
        found.parents_children = tuple(found.members)
        _admit_spouses(problem, found, spouses)
    return found


def _find_spouses(problem: TestProblem, found: Found, spouses: _Spouses, child: int) -> list[int]:
    """Return the new Y with dep(T; Y | Sep[Y] u {X}) that no subset with X separates from T."""
    known = spouses.by_child.setdefault(child, {})
    by_set: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for x, given in found.separating_sets().items():
        if x not in known and (child, x) not in spouses.refused and child not in given:
            by_set[given].append(x)
    new = []
    for given, xs in by_set.items():
        if not problem.allows(len(given) + 1):
            continue
        batch = problem.test.sweep(xs, problem.target, [*given, child])
        for i in batch.dependent(problem.alpha).nonzero()[0]:
            known[int(batch.x[i])] = batch[int(i)]
            new.append(int(batch.x[i]))
    _check_spouses(problem, found, spouses, child)
    return [x for x in new if x in known]


def _check_spouses(problem: TestProblem, found: Found, spouses: _Spouses, child: int) -> None:
    """Refuse Y if ind(T; Y | Z u {X}) for some subset Z of the members."""
    known = spouses.by_child[child]
    if not known or problem.max_subset < 1:
        return
    tests = problem.test.max_p_over_subsets(
        list(known),
        problem.target,
        [z for z in {*found.members, *spouses.all()} if z != child],
        alpha=problem.alpha,
        max_given=problem.max_subset,
        always=(child,),
    )
    for result in tests:
        if result.independent(problem.alpha):
            del known[result.x]
            spouses.refused.add((child, result.x))
        elif result.dependent(problem.alpha):
            known[result.x] = result


def _look_once_more(problem: TestProblem, found: Found, spouses: _Spouses) -> None:
    """Repeat steps 2 and 3 with all members known, until nothing changes."""
    before = None
    while before != (now := (set(found.members), spouses.all())):
        before = now
        for child in list(found.members):
            _find_spouses(problem, found, spouses, child)
        for child in list(found.members):
            _check_spouses(problem, found, spouses, child)
        remove_separable(problem, found, also=spouses.all())
        spouses.forget_children_not_in(found)


def _admit_spouses(problem: TestProblem, found: Found, spouses: _Spouses) -> None:
    """Admit the spouses, each with the child that shows it best."""
    rank = problem.tie_rank
    proofs = [(r, child) for child, known in spouses.by_child.items() for r in known.values()]
    for result, child in sorted(proofs, key=lambda proof: (proof[0].log_p, rank[proof[1]])):
        if result.x not in found.spouses:
            found.spouses[result.x] = child
            found.admit(result, "adding spouses")


BAMB = Algorithm(
    bamb,
    "Adjacent variables and spouses in turns, searching around the target alone.",
    paper="Ling, Yu, Wang, Liu, Ding & Wu 2019",
    returns=MARKOV_BOUNDARY,
    fewer_rows="consensus",
    assumes=("faithfulness",),
)
