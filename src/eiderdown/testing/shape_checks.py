"""The batch shapes answer what single tests answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

from eiderdown.independence import IndependenceBatch, Question
from eiderdown.testing.exam import Exam, same_answer
from eiderdown.testing.requirement import require

_SUBSET_ALPHAS = (1e-6, 0.05)


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
            if found.reliable and found.log_p > best_log_p:
                best, best_log_p = [*always, *subset], found.log_p
            if found.independent(alpha):
                return best
    return best
