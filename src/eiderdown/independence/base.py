"""The interface of every test of independence, with the four batch shapes searches ask for.

    sweep               each x against one target given one set        (forward steps)
    each_given_rest     each member of a set given the others          (backward steps)
    max_p_over_subsets  each x over all subsets of a pool, stopping    (parents and children)
                        early where one separates
    pairs               a list of questions                            (the rest)

A test of your own needs one method, ``_sweep``; the other shapes follow from it and may be
overridden where something faster exists. ``eiderdown.testing.check_independence_test`` examines it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from math import comb, inf
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np

from eiderdown.arrays import IntArray, frozen
from eiderdown.errors import OptionError, TargetAmongCandidatesError
from eiderdown.independence.batch import (
    N_VALUES,
    IndependenceBatch,
    IndependenceResult,
)
from eiderdown.independence.kernels.cache import ResultTable
from eiderdown.option_types import shown
from eiderdown.options import Option
from eiderdown.progress import Trace, stop_if_cancelled

if TYPE_CHECKING:
    from eiderdown.independence.kernels.subsets import Columns, Judging
    from eiderdown.independence.levels import CompiledLevels

Question: TypeAlias = tuple[int, int, Sequence[int]]

ReliabilityRule: TypeAlias = Annotated[
    Literal["rows_per_stratum", "rows_per_dof", "rows_per_cell", "always"],
    Option("what the rows are compared with to trust a test"),
]
"""The small-sample policy of tests that are not calibrated: with how many rows one counts.

One with fewer allows nothing; it is counted, and neither admits nor removes a variable.

``rows_per_dof``, the published rule, compares the rows with the degrees of freedom (Pena et al.
2007, s. 3.1), and it must be the nominal ones: thin strata cost no adjusted ones, so that a test
with a stratum per row would pass, and find independence where there is nothing left to test. (With
p-values from adjusted and reliability from nominal degrees of freedom,
experiments/pena2007_table6.py meets the paper's numbers on Pigs.) Even so, the thin strata of a
large table inflate G2, by some 20 per cent on Alarm, and with many rows false members come in.
``rows_per_stratum``, the default, therefore applies the same rule within each stratum as well,
leaving out strata that are too thin.
``rows_per_cell`` counts the cells of the whole contingency table (Tsamardinos et al. 2003), and
``always`` trusts every test. For a partial correlation all rules count the regression coefficients
that it rests on.
"""

MinRows: TypeAlias = Annotated[float, Option("how many rows are wanted for each", inside=(0, inf))]


class CountedTable(NamedTuple):
    """Bit planes of a table, how counts become a judged test, and with how many threads."""

    columns: Columns
    judging: Judging
    n_jobs: int


class IndependenceTest(ABC):
    """Answers "is x independent of y given Z?" for integer variables.

    Parameters
    ----------
    names : sequence of str
        Names of the variables; they break ties, so that the order of the columns does not.
    name_rank : IntArray, optional
        The rank of each name among all, if it is known.
    """

    takes_missing: ClassVar[bool] = False
    """Whether it leaves out rows with missing values itself, question by question."""

    goes_by_question: ClassVar[bool] = False
    """Whether an answer depends on the question alone, to the last bit, not on those before it; x
    and y that change places are another question."""

    def __init__(self, names: Sequence[str], name_rank: IntArray | None = None) -> None:
        self.names = tuple(names)
        self.name_rank = ranks_of(self.names) if name_rank is None else name_rank
        self.notes: list[str] = []
        """What the test left out or changed, in sentences for the user; results carry them on."""
        self.why = ""
        """Why it is this test, where nobody asked for it by name."""

    @property
    def n_variables(self) -> int:
        """Number of variables the test knows."""
        return len(self.names)

    @property
    def description(self) -> dict[str, object]:
        """Name and options of the test, for the record of a run."""
        return {"test": type(self).__name__}

    @abstractmethod
    def _sweep(
        self, candidates: IntArray, target: int, given: tuple[int, ...]
    ) -> IndependenceBatch:
        """Test each candidate against the target; arguments are disjoint and in range."""

    def sweep(
        self, candidates: Sequence[int] | IntArray, target: int, given: Sequence[int] = ()
    ) -> IndependenceBatch:
        """Test each candidate against one target given one set, in the candidates' order."""
        xs = np.ascontiguousarray(candidates, dtype=np.int64)
        return self._sweep(xs, int(target), self._checked(xs, int(target), given))

    def test(self, x: int, y: int, given: Sequence[int] = ()) -> IndependenceResult:
        """Test one pair."""
        return self.sweep([x], y, given)[0]

    def each_given_rest(
        self, members: Sequence[int], target: int, always: Sequence[int] = ()
    ) -> IndependenceBatch:
        """Test each member against the target given the other members (and ``always``)."""
        return self.pairs(
            [(x, target, [z for z in members if z != x] + list(always)) for x in members]
        )

    def pairs(self, questions: Sequence[Question]) -> IndependenceBatch:
        """Answer a list of questions (x, y, given)."""
        return IndependenceBatch.of([self.test(x, y, given) for x, y, given in questions])

    def max_p_over_subsets(
        self,
        candidates: Sequence[int] | IntArray,
        target: int,
        pool: Sequence[int],
        *,
        alpha: float,
        max_given: int,
        always: Sequence[int] = (),
    ) -> IndependenceBatch:
        """Find each candidate's decided test with the largest p-value over all subsets of a pool.

        Subsets hold ``always`` and at most ``max_given`` variables in all; a candidate that is
        itself in the pool is not given itself. As soon as a subset separates a candidate from the
        target at significance level ``alpha``, the candidate is done and that test is its answer.
        A candidate without any decided test keeps its first, undecided one.

        Where the work of which this is a part is to stop, it raises ``Cancelled`` on the way.
        """
        xs = np.ascontiguousarray(candidates, dtype=np.int64)
        self._check_subsets(xs, int(target), pool, max_given, always)
        subsets = self._sets_to_try(xs, int(target), pool, max_given, tuple(always))
        values = np.zeros((len(xs), N_VALUES))
        chosen = np.full(len(xs), -1, dtype=np.int64)
        largest = np.full(len(xs), -inf)  # log p of the decided tests
        open_ = np.ones(len(xs), dtype=np.bool_)
        for k, row in enumerate(subsets):
            stop_if_cancelled()
            given = row[row >= 0].tolist()
            asked = np.flatnonzero(open_ & ~np.isin(xs, given))
            batch = self.sweep(xs[asked], target, given)
            weaker = batch.decided(alpha) & (batch.log_p > largest[asked])
            largest[asked[weaker]] = batch.log_p[weaker]
            kept = (chosen[asked] < 0) | weaker
            values[asked[kept]] = batch.values[kept]
            chosen[asked[kept]] = k
            open_[asked[batch.independent(alpha)]] = False
            if not open_.any():
                break
        return IndependenceBatch.of_subsets(xs, target, subsets, chosen, values)

    def make_ready(self, variables: IntArray, trace: Trace) -> None:  # noqa: B027  most keep none
        """Compute what tests of any two of some variables need and keep, if that is the same."""

    def copies(self) -> IntArray | None:
        """Return a number for each variable that copies of each other share; None if none are.

        Copies are variables that the test cannot tell apart, whatever it is asked, so that given
        the one nothing is left to test of the other.
        """
        return None

    def compiled_levels(self, variables: IntArray) -> CompiledLevels | None:  # noqa: ARG002
        """Return what does a level of PC-stable among some variables in compiled code, if any."""
        return None

    def counted_table(self, variables: IntArray) -> CountedTable | None:  # noqa: ARG002
        """Return what compiled searches among some variables count, if tests are counts."""
        return None

    def _sets_to_try(
        self,
        xs: IntArray,  # noqa: ARG002
        target: int,  # noqa: ARG002
        pool: Sequence[int],
        max_given: int,
        always: tuple[int, ...],
    ) -> IntArray:
        """List the sets that may say something; a test may leave out those that it never trusts."""
        return self._subset_rows(pool, max_given, always)

    def _subset_rows(
        self, pool: Sequence[int], max_given: int, always: tuple[int, ...]
    ) -> IntArray:
        """Subsets in the order of names, so that the order of the columns does not matter."""
        free = np.array([z for z in pool if z not in always], dtype=np.int64)
        rows = subset_rows(free[np.argsort(self.name_rank[free])], max_given, always)
        if not always:
            return rows
        rank = np.where(rows >= 0, self.name_rank[rows], self.n_variables)
        return np.take_along_axis(rows, np.argsort(rank, axis=1), axis=1)

    def _check_subsets(
        self,
        xs: IntArray,
        target: int,
        pool: Sequence[int],
        max_given: int,
        always: Sequence[int],
    ) -> None:
        """Refuse a search over subsets that would ask about itself or about nothing."""
        self._checked(xs, target, always)
        self._checked(xs[:0], target, pool)
        if len(always) > max_given:
            raise OptionError(
                f"max_given is {max_given}, but {len(always)} variables are always given; allow at "
                "least that many."
            )

    def _checked_question(self, x: int, y: int, given: Sequence[int]) -> tuple[int, ...]:
        """Do the same as :meth:`_checked` for one question, sooner."""
        conditions = {*given}
        if x == y or x in conditions or y in conditions or min(x, y, *conditions) < 0:
            return self._checked(np.array([x]), y, given)  # which says what is wrong
        if len(conditions) < 2:
            return tuple(conditions)
        return tuple(sorted(conditions, key=self.name_rank.__getitem__))

    def _checked(self, xs: IntArray, target: int, given: Sequence[int]) -> tuple[int, ...]:
        """Put the conditioning set in the order of names and refuse questions about itself."""
        if target < 0 or (len(xs) and xs.min() < 0) or any(z < 0 for z in given):
            raise OptionError("Variables are numbered from 0; a negative number names none.")
        if len(given) == 0 and not np.any(xs == target):
            return ()
        conditions = {int(z) for z in given}
        is_asked = np.zeros(self.n_variables, dtype=np.bool_)
        is_asked[xs] = True
        if target in conditions or is_asked[target] or is_asked[[*conditions]].any():
            repeated = {target, *conditions}.intersection(xs.tolist())
            repeated |= conditions.intersection([target])
            name = self.names[min(repeated)]
            raise TargetAmongCandidatesError(
                f"Variable {name!r} appears twice in one question: candidates, target and "
                "conditioning set must not share a variable."
            )
        return tuple(sorted(conditions, key=self.name_rank.__getitem__))


def ranks_of(names: Sequence[str]) -> IntArray:
    """Return the rank of each name in the order of names.

    Examples
    --------
    >>> ranks_of(["b", "c", "a"])
    array([1, 2, 0])
    """
    rank = np.empty(len(names), dtype=np.int64)
    rank[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(rank))
    return frozen(rank)


def require_test(made: object) -> None:
    """Raise unless what a function of the user's own made is a test."""
    if not isinstance(made, IndependenceTest):
        raise OptionError(
            "A function given as test must return an IndependenceTest, but it returned "
            f"{shown(made)}; see docs/extending.md."
        )


class CompiledTest(IndependenceTest):
    """A test that can search over subsets in one compiled call, with the memory of tests in it."""

    @abstractmethod
    def takes_subsets(self, candidates: IntArray, target: int, subsets: IntArray) -> bool:
        """Whether :meth:`max_p_of_subsets` can do this."""

    @abstractmethod
    def max_p_of_subsets(
        self, candidates: IntArray, target: int, subsets: IntArray, alpha: float, cache: ResultTable
    ) -> IndependenceBatch:
        """Find each candidate's test with the largest p-value over given subsets, compiled.

        Parameters
        ----------
        candidates, target
            As for a sweep.
        subsets : IntArray
            One conditioning set per row, padded with -1.
        alpha : float
            A candidate is done when a subset separates it at this significance level.
        cache : ResultTable
            Tests that were made before are read from here, and new ones written to it.
        """


@lru_cache(maxsize=256)
def _positions(n: int, size: int) -> IntArray:
    """All ways to choose ``size`` of ``n`` positions, in lexicographic order."""
    chosen = np.array(list(combinations(range(n), size)), dtype=np.int64)
    return frozen(chosen.reshape(comb(n, size), size))


def subset_rows(pool: IntArray, max_given: int, always: tuple[int, ...] = ()) -> IntArray:
    """List every subset of the pool, smallest first, together with ``always``.

    Parameters
    ----------
    pool : IntArray
        Variables to choose from, in the order in which they should be tried.
    max_given : int
        Largest size of a conditioning set, ``always`` included.
    always : tuple of int
        Variables that every set holds.

    Returns
    -------
    IntArray of shape (n_subsets, largest size)
        One set per row, padded with -1.

    Examples
    --------
    >>> subset_rows(np.array([4, 7]), 2).tolist()
    [[-1, -1], [4, -1], [7, -1], [4, 7]]
    >>> subset_rows(np.array([4, 7]), 2, always=(5,)).tolist()
    [[5, -1], [5, 4], [5, 7]]
    """
    n_free = max(-1, min(len(pool), max_given - len(always)))
    parts = []
    for size in range(n_free + 1):
        rows = np.full((len(_positions(len(pool), size)), len(always) + n_free), -1, np.int64)
        rows[:, : len(always)] = always
        rows[:, len(always) : len(always) + size] = pool[_positions(len(pool), size)]
        parts.append(rows)
    return np.concatenate(parts) if parts else np.empty((0, len(always)), dtype=np.int64)
