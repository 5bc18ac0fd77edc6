"""Consensus: a vote of tests and scores among the columns near the target. Eiderdown's own.

Tests run out of rows where strata are thin; scores take too many edges on one table and too few on
another. Where they err they err differently, so a vote errs less than each:

    1. tests          IAMB among all columns
    2. candidates     what lenient tests leave within two steps of the target, and what IAMB found
    3. graphs         classes of graphs among the candidates (GES), by one score and, where IAMB and
                      the first class disagree, by a second
    4. probabilities  the share of these votes that have a column in the boundary, or next to the
                      target; a test that is strong enough to stand among many more columns counts
                      for as much as two votes
    5. members        columns whose share is above a threshold (where that would be more than half
                      of all columns, only those that tests found; where all graphs are by one
                      score, none of theirs that is independent given the others); their evidence
                      is the test of each given the others, or where that cannot say, the weakest
                      given few of them

With tests and scores that make no mistakes it is exact under faithfulness: the candidates hold all
parents and children of the target and of its children, so that every search finds the boundary.

The idea of reading probabilities off several models is that of Pena, Kocka & Nielsen (2004).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, TypeAlias

from eiderdown.boundary.iamb import iamb
from eiderdown.boundary.problem import (
    MARKOV_BOUNDARY,
    PARENTS_AND_CHILDREN,
    Found,
    TestProblem,
    best_so_far,
    shared_level,
)
from eiderdown.options import Option
from eiderdown.progress import Cancelled
from eiderdown.registry import Algorithm

LENIENT = 0.1
"""Significance level, at least, by which candidates are chosen."""

MOST_NEAR = 60
"""How many of the columns that depend on a variable are looked at more closely."""

MOST_KEPT = 15
"""How many of these become candidates."""

MOST_CANDIDATES = 50
"""From how many on no farther ones are taken, so that graphs stay small in any table."""

SEPARATORS = (1, 4)
"""Given how many of the strongest, each alone, the others must still depend; in two steps."""

STRONG = 1.0
"""A test is strong if its p-value is below this times the significance level, by all columns."""

MOST_ELECTED = 10
"""More members than this, and than half of the columns, show that scores do not fit the table."""

N_VOTES = 3
"""Searches that vote, if all have to."""

N_GIVEN = 2
"""Of how many others the sets are by which members are tested if the whole rest is too much."""

Threshold: TypeAlias = Annotated[
    float, Option("share of the votes above which a column is a member", between=(0, 1))
]


def consensus(problem: TestProblem, *, threshold: Threshold = 0.5) -> Found:
    """Find a Markov boundary by a vote of tests and scores.

    Parameters
    ----------
    problem : TestProblem
        The question; it must be able to learn graphs.
    threshold : float
        Members are in a larger share of the boundaries than this.
    """
    with best_so_far(problem) as found:
        votes = _Votes.of(problem, found, threshold)
        shares, adjacency = votes.shares(), votes.adjacency()
        chosen = votes.elected(problem, shares, threshold)
        found.parents_children = tuple(x for x in chosen if adjacency[x] > threshold)
        found.spouses.update(votes.spouses_among(chosen, found.parents_children))
        _explain(problem, found, chosen)
        found.probabilities.update(shares)
        found.adjacency.update(adjacency)
    return found


def consensus_pc(problem: TestProblem, *, threshold: Threshold = 0.5) -> Found:
    """Find parents and children by the same vote: who is next to the target in most graphs.

    Tests do not tell parents and children from spouses, so IAMB votes for all that it found.

    Parameters
    ----------
    problem : TestProblem
        The question; it must be able to learn graphs.
    threshold : float
        Members are next to the target in a larger share of the votes than this.
    """
    with best_so_far(problem) as found:
        votes = _Votes.of(problem, found, threshold)
        adjacency = votes.adjacency()
        _explain(problem, found, votes.elected(problem, adjacency, threshold))
        found.probabilities.update(adjacency)
    return found


@dataclass(frozen=True)
class _Graph:
    """What a graph says about the target: who is next to it, and spouses, each by a child."""

    adjacent: frozenset[int]
    spouses: Mapping[int, int]

    @classmethod
    def of(cls, parents: Mapping[int, Sequence[int]], target: int) -> _Graph:
        children = sorted(x for x, family in parents.items() if target in family)
        adjacent = frozenset([*parents[target], *children])
        spouses = {p: x for x in reversed(children) for p in parents[x]}
        return cls(adjacent, {p: x for p, x in spouses.items() if p not in {*adjacent, target}})

    @property
    def boundary(self) -> frozenset[int]:
        return self.adjacent.union(self.spouses)


@dataclass(frozen=True)
class _Votes:
    """Steps 1 to 4: what each search found around the target."""

    near: Sequence[int]
    tested: frozenset[int]
    strong: frozenset[int]
    required: frozenset[int]
    graphs: Sequence[_Graph]
    scores: frozenset[str]

    @classmethod
    def of(cls, problem: TestProblem, found: Found, threshold: float) -> _Votes:
        # 1. Tests. Should the time end from now on, what they found is the best so far.
        tested = iamb(replace(problem, trace=problem.trace.silent()))
        found.members.update(tested.members)
        found.unconfirmed, found.outside = tested.unconfirmed, tested.outside
        if not tested.complete:
            raise Cancelled
        bound = shared_level(problem.alpha, len(problem.candidates) / STRONG)
        strong = [x for x, test in tested.members.items() if test.dependent(bound)]
        # 2. Candidates.
        both = _within_two_steps(problem).union(tested.members)
        # Of copies the one that tests found comes first, and else the first by name.
        rank = problem.tie_rank
        near = sorted(both, key=lambda x: (x not in tested.members, rank[x]))
        problem.trace.progressed("voting", len(near))
        # 3. Graphs, until no vote that is still to come can change a majority.
        sure = frozenset(strong), frozenset(problem.required)
        votes = cls(near, frozenset(tested.members), *sure, [], frozenset())
        graphs, scores = [], set()
        for score, parents in problem.graphs_among([problem.target, *near]):
            graphs.append(_Graph.of(parents, problem.target))
            scores.add(score)
            problem.trace.progressed("voting", len(near))
            disputed = (votes.tested ^ graphs[-1].boundary) - votes.strong - votes.required
            if not disputed and 1 <= threshold * N_VOTES < N_VOTES - 1:
                break
        return replace(votes, graphs=graphs, scores=frozenset(scores))

    def shares(self) -> dict[int, float]:
        """4. Probabilities: in which share of the votes each column is in the boundary."""
        return {
            x: self._share(x, [x in graph.boundary for graph in self.graphs]) for x in self.near
        }

    def adjacency(self) -> dict[int, float]:
        """Return in which share of the votes each column is a parent or child."""
        return {
            x: self._share(x, [x in graph.adjacent for graph in self.graphs]) for x in self.near
        }

    def elected(
        self, problem: TestProblem, shares: Mapping[int, float], threshold: float
    ) -> list[int]:
        """5. Return the members: who has more votes than the threshold.

        Graphs that join more than half of a table say that their scores do not fit it, as those of
        numbers that bend do not. Then only those are members whom tests have found as well.
        """
        members = [x for x, share in shares.items() if share > threshold]
        if len(members) > max(MOST_ELECTED, len(problem.candidates) / 2):
            return [x for x in members if x in self.tested or x in self.required]
        return self._confirmed(problem, members)

    def _confirmed(self, problem: TestProblem, members: list[int]) -> list[int]:
        """Leave out whom tests say to be independent, if all graphs err in the same way.

        Graphs by one score, with other prices of an edge, are one opinion and not two. Where its
        model does not fit they elect the same columns, the more the rows the more of them.
        """
        if len(self.scores) != 1 or not problem.allows(len(members) - 1):
            return members
        only_graphs = set(members) - self.tested - self.required
        if not only_graphs:
            return members
        tests = problem.test.each_given_rest(members, problem.target)
        lenient = max(LENIENT, problem.alpha)
        refuted = only_graphs.intersection(tests.x[tests.independent(lenient)].tolist())
        return [x for x in members if x not in refuted]

    def _share(self, x: int, in_graphs: Sequence[bool]) -> float:
        if x in self.required:
            return 1.0
        share = ((x in self.tested) + sum(in_graphs)) / (1 + len(self.graphs))
        is_spouse = not any(in_graphs) and any(x in graph.boundary for graph in self.graphs)
        return share if x not in self.strong or is_spouse else max(share, 2 / N_VOTES)

    def spouses_among(
        self, members: Sequence[int], adjacent: Sequence[int]
    ) -> Iterator[tuple[int, int]]:
        """Return members that are not next to the target, each with a child by which they came."""
        for x in set(members).difference(adjacent):
            by = [graph.spouses[x] for graph in self.graphs if x in graph.spouses]
            yield from [(x, child) for child in by if child in adjacent][:1]


def _within_two_steps(problem: TestProblem) -> set[int]:
    """Return the candidates near the target, and those near each of them, the nearest first."""
    allowed = set(problem.candidates.tolist())
    first = _near(problem)
    around = [_near(problem.at(x)) for x in first]
    chosen = allowed.intersection(first)
    for rank in range(MOST_KEPT):
        ranked = {near[rank] for near in around if rank < len(near)}
        if len(chosen) < MOST_CANDIDATES:
            chosen |= allowed.intersection(ranked)
    return chosen


def _near(problem: TestProblem) -> list[int]:
    """Return who depends on the target given nothing and given each of the strongest."""
    alpha = max(LENIENT, problem.alpha)
    key = (_near, alpha, problem.target)
    return list(problem.known.once(key, lambda: _found_near(problem, alpha), problem.test).members)


def _found_near(problem: TestProblem, alpha: float) -> Found:
    test, rank = problem.test, problem.tie_rank
    tests = problem.sweep(problem.candidates, [])
    tests = tests.take(tests.dependent(alpha))
    tests = tests.take(tests.by_strength(rank)[:MOST_NEAR])
    given: list[int] = []
    for n_given in SEPARATORS if problem.allows(1) else ():
        pool = [x for x in tests.x.tolist() if x not in given][:n_given]
        fresh = test.max_p_over_subsets(tests.x, problem.target, pool, alpha=alpha, max_given=1)
        tests = tests.weaker(fresh, alpha)
        tests = tests.take(tests.dependent(alpha))
        tests = tests.take(tests.by_strength(rank))
        given += pool
    strongest = tests.take(tests.by_strength(rank)[:MOST_KEPT])
    return Found(members={result.x: result for result in strongest})


def _explain(problem: TestProblem, found: Found, chosen: Sequence[int]) -> None:
    """5. Make members of the chosen, each with the test that speaks for it."""
    test, target, alpha = problem.test, problem.target, problem.alpha
    few = N_GIVEN if problem.max_given is None else min(N_GIVEN, problem.max_given)
    weakest = test.max_p_over_subsets(chosen, target, chosen, alpha=alpha, max_given=few)
    found.members = {result.x: result for result in weakest}
    if problem.allows(len(chosen) - 1):
        found.keep(test.each_given_rest(chosen, target), alpha)
    found.unconfirmed = {x for x, result in found.members.items() if not result.decided(alpha)}
    if problem.allows(len(chosen)):
        found.outside = problem.sweep(problem.outside(found), list(chosen))
    problem.trace.progressed("voting", len(chosen))


CONSENSUS = Algorithm(
    consensus,
    "A vote of tests and scores among the columns near the target.",
    paper="Eiderdown's own",
    returns=MARKOV_BOUNDARY,
    needs=("test", "score"),
    assumes=("faithfulness",),
    apart=True,
)
CONSENSUS_PC = CONSENSUS.variant(
    consensus_pc,
    "Parents and children by the same vote: next to the target in most graphs.",
    returns=PARENTS_AND_CHILDREN,
)
