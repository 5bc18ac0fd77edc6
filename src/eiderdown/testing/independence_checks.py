"""The exam for a test of independence: answers, batch shapes, and errors on known tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Final, TypeAlias

import numpy as np

from eiderdown.data import Dataset
from eiderdown.errors import TargetAmongCandidatesError
from eiderdown.graphs import DAG
from eiderdown.independence import (
    Allows,
    IndependenceBatch,
    IndependenceResult,
    IndependenceTest,
    Question,
)
from eiderdown.testing.samples import (
    KNOWN_DAG,
    TableKind,
    four_rows,
    hub_and_pairs,
    require,
    sampled,
)

MakeTest: TypeAlias = Callable[[Dataset], IndependenceTest]

N_ROWS: Final = 600
_CLOSE = 1e-9
_SUBSET_ALPHAS = (1e-6, 0.05)
_N_NULL_PAIRS = 200


def check_independence_test(
    make_test: MakeTest,
    *,
    kind: TableKind,
    alpha: float = 0.05,
    max_rejections: float = 0.12,
    random_state: int = 0,
) -> None:
    """Check that a test of independence keeps every promise that searches rely on.

    It must keep the names; give finite, typed answers with ``log_p <= 0``; be deterministic and
    symmetric; refuse a variable that appears twice in a question; answer sweeps and the other
    batch shapes as it answers single questions; not depend on the order of rows or columns; see
    strong dependences; not reject true independences, marginal or conditional, much more often
    than ``alpha``; and decide nothing on four rows.

    Parameters
    ----------
    make_test : callable
        Makes the test for a :class:`eiderdown.Dataset`.
    kind : {"discrete", "continuous"}
        The kind of columns the test is for; the check samples its own tables.
    alpha : float, default=0.05
        Category at which power and false rejections are judged.
    max_rejections : float, default=0.12
        Largest tolerated share of false rejections among 200 true independences.
    random_state : int, default=0
        Seed of the tables.

    Raises
    ------
    AssertionError
        With a sentence that says what was violated.

    Examples
    --------
    >>> from eiderdown.independence import GSquareTest
    >>> check_independence_test(GSquareTest, kind="discrete")
    """
    exam = Exam(make_test, kind, alpha, random_state)
    check_names(exam)
    check_fields(exam)
    check_disjointness(exam)
    check_determinism(exam)
    check_symmetry(exam)
    check_sweep(exam)
    check_pairs(exam)
    check_each_given_rest(exam)
    check_max_p_over_subsets(exam)
    check_column_order(exam)
    check_row_order(exam)
    check_power(exam)
    check_false_rejections(exam, max_rejections)
    check_four_rows(exam)


@dataclass(frozen=True)
class Exam:
    """A test under examination, on a table sampled from a known graph."""

    make_test: MakeTest
    kind: TableKind
    alpha: float
    random_state: int

    @cached_property
    def data(self) -> Dataset:
        """The table."""
        return sampled(KNOWN_DAG, self.kind, N_ROWS, self.random_state)

    @cached_property
    def test(self) -> IndependenceTest:
        """The test of that table."""
        return self.make_test(self.data)

    @property
    def questions(self) -> list[Question]:
        """Every pair given nothing, one and two of the others."""
        n = self.data.n_columns
        asked: list[Question] = []
        for x, y in combinations(range(n), 2):
            others = [z for z in range(n) if z not in (x, y)]
            asked += [(x, y, []), (y, x, others[:1]), (x, y, others[-2:])]
        return asked

    def about(self, x: str, y: str, *given: str) -> Question:
        """Turn a question about names into one about columns."""
        index = self.data.names.index
        return index(x), index(y), [index(z) for z in given]

    def say(self, question: Question) -> str:
        """Write a question with names."""
        x, y, given = question
        conditions = ", ".join(self.data.names[z] for z in given) or "nothing"
        return f"{self.data.names[x]} and {self.data.names[y]} given {conditions}"

    def check_answer(self, question: Question, result: IndependenceResult) -> None:
        """Require finite, typed fields that repeat the question."""
        said = f"the answer about {self.say(question)}"
        for name in ("statistic", "dof", "log_p", "effect"):
            value = getattr(result, name)
            require(
                isinstance(value, float) and math.isfinite(value),
                f"{name} must be a finite float, but {said} has {value!r}.",
            )
        require(result.log_p <= 0.0, f"log_p must not be above 0, but {said} has {result.log_p}.")
        require(result.dof >= 0.0, f"dof must not be negative, but {said} has {result.dof}.")
        require(isinstance(result.allows, Allows), f"allows must be one of Allows in {said}.")
        require(
            isinstance(result.n_used, int) and result.n_used >= 0, f"n_used is wrong in {said}."
        )
        x, y, given = question
        require(
            (result.x, result.y, set(result.given)) == (x, y, set(given)),
            f"An answer must repeat its question, but {said} is labelled x={result.x}, "
            f"y={result.y}, given={result.given}.",
        )


def same_answer(ours: IndependenceResult, theirs: IndependenceResult) -> bool:
    """Tell whether two answers agree up to rounding."""
    numbers = ("statistic", "dof", "log_p", "effect")
    return ours.allows == theirs.allows and all(
        math.isclose(getattr(ours, n), getattr(theirs, n), rel_tol=_CLOSE, abs_tol=_CLOSE)
        for n in numbers
    )


# --- single answers: typed, finite, symmetric, and the same whatever must not matter -------------


def check_names(exam: Exam) -> None:
    """Require the table's names."""
    require(
        exam.test.names == exam.data.names,
        f"The test must keep the table's names {exam.data.names}, not call its variables "
        f"{exam.test.names}.",
    )


def check_fields(exam: Exam) -> None:
    """Require well-formed answers to all questions."""
    for question in exam.questions:
        exam.check_answer(question, exam.test.test(*question))


def check_disjointness(exam: Exam) -> None:
    """Require that a variable appears once in a question."""
    for x, y, given in ((0, 0, []), (0, 1, [0]), (0, 1, [2, 1])):
        try:
            exam.test.test(x, y, given)
        except TargetAmongCandidatesError:
            continue
        require(
            False,
            "A variable that appears twice in a question must raise TargetAmongCandidatesError, "
            f"but {exam.say((x, y, given))} was answered.",
        )


def check_determinism(exam: Exam) -> None:
    """Require the same answer to the same question."""
    other = exam.make_test(exam.data)
    for question in exam.questions:
        first = exam.test.test(*question)
        require(
            first == exam.test.test(*question) == other.test(*question),
            f"The same question must get the same answer, but {exam.say(question)} did not.",
        )


def check_symmetry(exam: Exam) -> None:
    """Require that x and y may change places."""
    for question in exam.questions:
        x, y, given = question
        require(
            same_answer(exam.test.test(x, y, given), exam.test.test(y, x, given)),
            f"The test must be symmetric, but {exam.say(question)} answers differently when the "
            "two change places.",
        )


def check_column_order(exam: Exam) -> None:
    """Require that the order of the columns does not matter."""
    names = exam.data.names[::-1]
    turned = exam.make_test(exam.data.select(names))
    for question in exam.questions:
        x, y, given = question
        last = len(names) - 1
        require(
            same_answer(
                exam.test.test(x, y, given),
                turned.test(last - x, last - y, [last - z for z in given]),
            ),
            f"The order of the columns must not matter, but it does for {exam.say(question)}.",
        )


def check_row_order(exam: Exam) -> None:
    """Require that the order of the rows does not matter."""
    order = np.random.default_rng(exam.random_state).permutation(exam.data.n_rows)
    shuffled = exam.make_test(exam.data.take(order))
    for question in exam.questions:
        require(
            same_answer(exam.test.test(*question), shuffled.test(*question)),
            f"The order of the rows must not matter, but it does for {exam.say(question)}.",
        )


# --- the batch shapes answer what single tests answer ---------------------------------------------


def _compare(
    exam: Exam, shape: str, batch: IndependenceBatch, questions: Sequence[Question]
) -> None:
    """Require that a batch holds the answers to the questions, in their order."""
    require(
        len(batch) == len(questions),
        f"{shape} must answer each of {len(questions)} questions, not {len(batch)}.",
    )
    for question, found in zip(questions, batch, strict=True):
        exam.check_answer(question, found)
        require(
            same_answer(found, exam.test.test(*question)),
            f"{shape} must agree with single tests, but does not about {exam.say(question)}.",
        )


def check_sweep(exam: Exam) -> None:
    """Require that sweeps agree with single tests, in order."""
    for target in range(exam.data.n_columns):
        others = [v for v in range(exam.data.n_columns) if v != target]
        for n_given in (0, 1, 2):
            given, xs = others[:n_given], others[:n_given:-1]
            asked: list[Question] = [(x, target, given) for x in xs]
            _compare(exam, "sweep", exam.test.sweep(xs, target, given), asked)
    require(len(exam.test.sweep([], 0, [1])) == 0, "A sweep over nobody must be an empty batch.")


def check_pairs(exam: Exam) -> None:
    """Require that lists of questions agree with single tests."""
    _compare(exam, "pairs", exam.test.pairs(exam.questions), exam.questions)


def check_each_given_rest(exam: Exam) -> None:
    """Require that backward steps agree with single tests."""
    asked: list[Question] = [(1, 0, [3, 2, 4]), (3, 0, [1, 2, 4]), (2, 0, [1, 3, 4])]
    batch = exam.test.each_given_rest([1, 3, 2], 0, always=[4])
    _compare(exam, "each_given_rest", batch, asked)


def check_max_p_over_subsets(exam: Exam) -> None:
    """Require that the search over subsets agrees with its definition."""
    candidates, pool, always = [1, 5], [1, 2, 4], (3,)
    for alpha in _SUBSET_ALPHAS:
        batch = exam.test.max_p_over_subsets(
            candidates, 0, pool, alpha=alpha, max_given=3, always=always
        )
        asked: list[Question] = [
            (x, 0, _weakest_subset(exam, x, pool, always, alpha)) for x in candidates
        ]
        _compare(exam, "max_p_over_subsets", batch, asked)


def _weakest_subset(
    exam: Exam, x: int, pool: list[int], always: tuple[int, ...], alpha: float
) -> list[int]:
    """Find by single tests the set that the definition of ``max_p_over_subsets`` asks for."""
    names = exam.data.names
    others = sorted((z for z in pool if z != x), key=names.__getitem__)
    best, best_log_p = list(always), -math.inf
    for size in range(3):
        for subset in combinations(others, size):
            found = exam.test.test(x, 0, [*always, *subset])
            if found.decided(alpha) and found.log_p > best_log_p:
                best, best_log_p = [*always, *subset], found.log_p
            if found.independent(alpha):
                return best
    return best


# --- right and wrong rejections on tables with a known truth --------------------------------------


def check_power(exam: Exam) -> None:
    """Require that strong dependences are seen."""
    for question in (exam.about("A", "B"), exam.about("A", "C"), exam.about("C", "D", "E")):
        result = exam.test.test(*question)
        require(
            result.dependent(exam.alpha),
            f"With {N_ROWS} rows the test must see the strong dependence of {exam.say(question)}, "
            f"but its log_p is {result.log_p:.3g} (allows: {result.allows.name}).",
        )


def check_false_rejections(exam: Exam, max_rejections: float) -> None:
    """Require that true independences are seldom rejected, given the hub and given nothing."""
    star = hub_and_pairs(_N_NULL_PAIRS)
    _require_few(exam, star, ["hub"], max_rejections)
    _require_few(exam, star.without_edges_into(star.nodes), [], max_rejections)


def _require_few(exam: Exam, dag: DAG, given: list[str], max_rejections: float) -> None:
    data = sampled(dag, exam.kind, N_ROWS, exam.random_state)
    conditions = [data.index(z) for z in given]
    questions: list[Question] = [
        (data.index(f"x{i}"), data.index(f"y{i}"), conditions) for i in range(_N_NULL_PAIRS)
    ]
    share = float(np.mean(exam.make_test(data).pairs(questions).dependent(exam.alpha)))
    which = "conditional" if given else "marginal"
    require(
        share <= max_rejections,
        f"At level {exam.alpha} the test rejects {share:.0%} of {len(questions)} true {which} "
        f"independences; at most {max_rejections:.0%} are tolerated.",
    )


def check_four_rows(exam: Exam) -> None:
    """Require that four rows decide nothing, however well two columns agree on them."""
    few = exam.make_test(four_rows(exam.kind))
    for given in ([], [2], [2, 3]):
        result = few.test(0, 1, given)
        require(
            math.isfinite(result.log_p) and math.isfinite(result.statistic),
            f"Answers must be finite, but on four rows given {len(given)} variables log_p is "
            f"{result.log_p} and the statistic {result.statistic}.",
        )
        require(
            not result.dependent(exam.alpha),
            f"Four rows decide nothing, but the test rejects an independence given {len(given)} "
            "variables on them; let such tests allow NOTHING.",
        )
