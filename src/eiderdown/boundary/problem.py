"""What every search by tests takes and returns.

A search is a function of a :class:`TestProblem` that returns what it :class:`Found`::

    def iamb(problem: TestProblem) -> Found:
        with best_so_far(problem) as found:
            ...                              # found.admit(result), found.remove(result), ...
        return found

Everything that is known about the answer stands in that record at any time, so a search that is
cancelled returns it as it is, incomplete.

A test has three answers, and all searches use them alike:

    dependent      admits: nobody becomes a member, or an edge, without it
    independent    removes and separates: nobody goes out without it
    cannot say     does neither, whether there are too few rows or one variable is a function of the
                   conditioning set; who was in stays in, who was out stays out

This holds where a target has no noise, too. As soon as the members determine it, nothing is left to
test of anyone outside, so that its boundary ends there. Should a variable have come in by chance
before, nothing is left to test of that one either: it stays, and is reported as unconfirmed. To
remove it would be right for such a target, but where a few thousand rows show no exception to a
dependence that is not quite certain, true members go as well (with that rule GS lost VENTTUBE from
the boundary of VENTLUNG in a sample of Alarm).

Searches over subsets look at copies once (:meth:`TestProblem.without_copies`). Copies cannot be
tested given each other, so that all of them would stay, and be searched around one by one; and
around a member its own copies would be found instead of the target.

Of the tests of one variable over many sets the decided one with the largest p-value counts. Tests
that could not have said anything are counted (``n_skipped``), and a result says whose last test
could not say.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Final, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.boundary.known_sets import KnownSets
from eiderdown.errors import OptionError
from eiderdown.independence import IndependenceBatch, IndependenceResult, IndependenceTest
from eiderdown.options import Option
from eiderdown.progress import Cancelled, Trace

if TYPE_CHECKING:
    from eiderdown.boundary.ahead import SearchAhead
    from eiderdown.boundary.known_steps import KnownSteps
    from eiderdown.boundary.known_steps import Step as AnyStep

Step = TypeVar("Step", bound="AnyStep")

DEFAULT_MAX_GIVEN = 3
"""Largest conditioning set of searches over subsets, whose number grows with its power."""

MARKOV_BOUNDARY: Final = "Markov boundary"
PARENTS_AND_CHILDREN: Final = "parents and children"
"""What searches by tests return."""

Fraction: TypeAlias = Annotated[
    float, Option("K: share of candidates to choose the best from, 0 to 1", between=(0, 1))
]
SYMMETRY: Final = Option(
    "keep X if it and the target are found around each other, if one is found around the other, or "
    "if X is found around the target",
    default="and",
)
Symmetry: TypeAlias = Annotated[Literal["and", "or", "none"], SYMMETRY]
SpouseSymmetry: TypeAlias = Annotated[
    Literal["auto", "and", "or", "none"],
    Option("the same of a spouse and the child it shares; 'auto' goes by symmetry"),
]


class LearnedGraph(NamedTuple):
    """A graph among some variables: the parents of each, and the score by which it was learned."""

    score: str
    parents: Mapping[int, Sequence[int]]


LearnGraphs: TypeAlias = Callable[[Sequence[int]], Iterable[LearnedGraph]]
"""Learns a graph among some variables by each of several scores."""

CROWD = 20
"""A pool with more members than this has thousands of subsets of three: there two must do."""

MULTITUDE = 100
"""One with more members than this has thousands of subsets of two: there one must do."""


@dataclass(frozen=True, eq=False)
class TestProblem:
    """One question to a search: whose boundary, among which candidates, by which test.

    Attributes
    ----------
    test : IndependenceTest
        The evidence.
    target : int
        Whose boundary.
    candidates : IntArray
        Variables that may be in it, the target not among them.
    alpha : float
        Significance level.
    max_given : int or None
        Largest conditioning set; None for no limit, or in searches over subsets for 3, and for 2
        at hubs with more than 20 parents and children, and for 1 at those with more than 100.
    required : tuple of int
        Background knowledge: candidates that are in the answer whatever the tests say.
    trace : Trace
        Is told of progress, and cancels.
    generator : numpy Generator
        Where random choices come from.
    learn_graphs : callable or None
        How graphs are learned among some variables, for searches that need scores as well.
    ties : IntArray or None
        Which variable goes first of several that depend on the target alike: a rank for each; None
        for the order of their names.
    known : KnownSets
        Sets of parents and children found before, by search, significance level and variable;
        problems about many targets of one table share it.
    ahead : SearchAhead or None
        Searches around other targets that threads make before they are asked for.
    steps : KnownSteps or None
        Those of other searches around this target, among the same candidates.
    """

    __test__ = False  # not a class of tests for pytest to collect

    test: IndependenceTest
    target: int
    candidates: IntArray
    alpha: float
    max_given: int | None = None
    required: tuple[int, ...] = ()
    trace: Trace = field(default_factory=Trace)
    generator: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))
    learn_graphs: LearnGraphs | None = None
    ties: IntArray | None = None
    known: KnownSets = field(default_factory=KnownSets)
    ahead: SearchAhead | None = None
    steps: KnownSteps | None = None

    @property
    def tie_rank(self) -> IntArray:
        """By which ties are broken: the smaller first."""
        return self.test.name_rank if self.ties is None else self.ties

    @property
    def max_subset(self) -> int:
        """Largest conditioning set of a search over subsets."""
        return DEFAULT_MAX_GIVEN if self.max_given is None else self.max_given

    def max_subset_of(self, n_pool: int) -> int:
        """Largest conditioning set from a pool of this size: by default less among a crowd."""
        if self.max_given is not None:
            return self.max_given
        return DEFAULT_MAX_GIVEN - (n_pool > CROWD) - (n_pool > MULTITUDE)

    def allows(self, n_given: int) -> bool:
        """Whether a conditioning set may be this large."""
        return self.max_given is None or n_given <= self.max_given

    def outside(self, found: Found) -> IntArray:
        """Candidates that are not members."""
        is_outside = np.ones(self.test.n_variables, dtype=np.bool_)
        is_outside[list(found.members)] = False
        candidates = self.candidates.astype(np.int64, copy=False)  # an empty list makes floats
        return candidates[is_outside[candidates]]

    def step(self, what: str, found: Found, make: Callable[[TestProblem, Found], Step]) -> Step:
        """Make a step that depends on who is a member only, unless it is known."""
        if self.steps is None:
            return make(self, found)
        key = (what, self.alpha, frozenset(found.members))
        return self.steps.step(key, lambda: make(self, found))

    def sweep(self, candidates: IntArray, given: list[int]) -> IndependenceBatch:
        """Test candidates against the target."""
        return self.test.sweep(candidates, self.target, given)

    @cached_property
    def variables(self) -> IntArray:
        """Candidates and target, in order."""
        return np.sort(np.append(self.candidates, self.target))

    def graphs_among(self, variables: Sequence[int]) -> Iterable[LearnedGraph]:
        """Learn graphs among some variables, one by each score."""
        if self.learn_graphs is None:
            raise OptionError("This search needs scores; call it by find_boundary.")
        return self.learn_graphs(variables)

    def without_copies(self, found: Found) -> TestProblem:
        """Ask the same among variables of which no two are copies of each other.

        Of copies the first by :attr:`tie_rank` stands for all, a required one before others;
        ``found`` notes for whom. A target that has copies has nothing but the first of them left to
        find: given that one, nothing is left to test of anybody else.
        """
        classes = self.test.copies()
        if classes is None:
            return self
        free = ~np.isin(self.candidates, self.required)
        in_order = self.candidates[np.lexsort((self.tie_rank[self.candidates], free))]
        _, firsts, numbers = np.unique(classes[in_order], return_index=True, return_inverse=True)
        chosen = in_order[firsts]
        left_out = chosen[numbers] != in_order
        pairs = zip(in_order[left_out].tolist(), chosen[numbers][left_out].tolist(), strict=True)
        for x, first in pairs:
            found.copies.setdefault(first, []).append(x)
        known, of_target = self.known, classes[chosen] == classes[self.target]
        if of_target.any():
            # What is found around others among so few is not what other targets would find.
            known, chosen = KnownSets(), chosen[of_target]
        chosen = np.union1d(chosen, np.array(self.required, dtype=np.int64))
        return replace(self, candidates=chosen, known=known, steps=None)

    def at(self, target: int) -> TestProblem:
        """Ask the same about another variable, in silence and without required members."""
        others = self.variables[self.variables != target]
        silent = self.trace.silent()
        return replace(
            self, target=target, candidates=others, required=(), trace=silent, steps=None
        )


@dataclass
class Found:
    """What a search found, each decision with the test behind it.

    Attributes
    ----------
    members : dict of int to IndependenceResult
        The boundary, or the parents and children, whichever the search is for; each with its
        decisive test, which is the last (in searches over subsets the weakest) that it survived.
    removed : dict of int to IndependenceResult
        Variables that were members and are none any more, each with the test that removed it.
    separated : list of IndependenceBatch
        Tests that ruled candidates out for good.
    outside : IndependenceBatch or None
        The last tests of candidates that did not come in.
    unconfirmed : set of int
        Members whose last test could not say; their decisive test is an earlier one.
    parents_children : tuple of int or None
        Those of the members that are parents or children; None where the search cannot tell.
    spouses : dict of int to int
        Members known to be spouses, each with a child they share with the target.
    probabilities : dict of int to float
        How likely a variable is a member, where the search can tell.
    adjacency : dict of int to float
        How likely it is a parent or child, where a search for the boundary can tell.
    copies : dict of int to list of int
        Variables that stood for others in the search, which are copies of them.
    complete : bool
        False if the search was cancelled and this is the best so far.
    trace : Trace
        Is told as members come and go.
    """

    members: dict[int, IndependenceResult] = field(default_factory=dict)
    removed: dict[int, IndependenceResult] = field(default_factory=dict)
    separated: list[IndependenceBatch] = field(default_factory=list)
    outside: IndependenceBatch | None = None
    unconfirmed: set[int] = field(default_factory=set)
    parents_children: tuple[int, ...] | None = None
    spouses: dict[int, int] = field(default_factory=dict)
    probabilities: dict[int, float] = field(default_factory=dict)
    adjacency: dict[int, float] = field(default_factory=dict)
    copies: dict[int, list[int]] = field(default_factory=dict)
    complete: bool = True
    trace: Trace = field(default_factory=Trace, repr=False, compare=False)

    def require(self, problem: TestProblem) -> None:
        """Admit the required members; their evidence is the test given nothing."""
        if problem.required:
            for result in problem.sweep(np.array(problem.required), []):
                self.admit(result)

    def admit(self, result: IndependenceResult, phase: str = "growing") -> None:
        """Make a variable a member because of a test."""
        self.members[result.x] = result
        self.removed.pop(result.x, None)
        self.trace.progressed(phase, len(self.members))

    def remove(self, result: IndependenceResult) -> None:
        """Make a variable a member no more because of a test."""
        self.members.pop(result.x, None)
        self.removed[result.x] = result
        self.trace.progressed("shrinking", len(self.members))

    def keep(self, tests: Iterable[IndependenceResult], alpha: float) -> None:
        """Note tests that members survived; one that cannot say replaces none that can."""
        for result in tests:
            decided = result.decided(alpha)
            if decided or result.x not in self.members:
                self.members[result.x] = result
            self.unconfirmed.discard(result.x)
            if not decided:
                self.unconfirmed.add(result.x)

    def separation(self, x: int) -> IndependenceResult | None:
        """Return the test that separated x from the target, if any."""
        return self.separations([x]).get(x)

    def separations(self, variables: Collection[int]) -> dict[int, IndependenceResult]:
        """Return of some variables the tests that separated them from the target, if they were."""
        if not variables:
            return {}
        is_asked = np.zeros(max(variables) + 2, dtype=np.bool_)  # the last is of all beyond them
        is_asked[list(variables)] = True
        tests: dict[int, IndependenceResult] = {}
        for batch in reversed(self.separated):  # what came last counts, and of a batch the first
            for i in np.flatnonzero(is_asked.take(batch.x, mode="clip")).tolist():
                x = int(batch.x[i])
                if x not in tests:
                    tests[x] = batch[i]
        return tests

    def given_of(self, variables: Iterable[int]) -> dict[int, tuple[int, ...]]:
        """Return of some variables by which sets they were removed or separated, if they were."""
        asked = list(variables)
        tests = self.separations(asked) | self.removed
        return {x: tests[x].given for x in asked if x in tests}

    def separating_sets(self) -> dict[int, tuple[int, ...]]:
        """Return for every variable that was separated from the target what separated it."""
        batches = self.separated
        return {x: z for b in batches for x, z in zip(b.x.tolist(), b.given, strict=True)}


def random_ties(test: IndependenceTest, seed: int) -> IntArray:
    """Draw an order of the variables by which ties are broken in one search.

    It belongs to the names, so that the same seed breaks ties alike for any order of the columns.

    Examples
    --------
    >>> from eiderdown.graphs import DAG
    >>> from eiderdown.independence import OracleTest
    >>> one, other = (OracleTest(DAG(nodes, [])) for nodes in (["a", "b", "c"], ["c", "b", "a"]))
    >>> random_ties(one, 7).tolist() == random_ties(other, 7).tolist()[::-1]
    True
    """
    # Apart from the generator of a search with random choices, which has the same seed.
    generator = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(1,)))
    drawn: IntArray = generator.permutation(test.n_variables)[test.name_rank]
    return drawn


def shared_level(alpha: float, n_tests: float) -> float:
    """Return the level of each of many tests whose levels add up to alpha (Bonferroni); never 0.

    Examples
    --------
    >>> shared_level(0.05, 10), shared_level(5e-324, 10) > 0
    (0.005, True)
    """
    return max(alpha / max(n_tests, 1), sys.float_info.min)


@contextmanager
def best_so_far(problem: TestProblem) -> Iterator[Found]:
    """Give a search an empty record to fill; if it is cancelled, the record stays as it is by then.

    Examples
    --------
    >>> from eiderdown.graphs import DAG
    >>> from eiderdown.independence import OracleTest
    >>> problem = TestProblem(OracleTest(DAG.from_string("A->T")), 1, np.array([0]), alpha=0.01)
    >>> with best_so_far(problem) as found:
    ...     found.admit(problem.test.test(0, 1))
    ...     raise Cancelled
    >>> list(found.members), found.complete
    ([0], False)
    """
    found = Found(trace=problem.trace)
    try:
        yield found
    except Cancelled:
        found.complete = False
