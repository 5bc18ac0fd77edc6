"""Single answers: typed, finite, symmetric, and the same whatever must not matter."""

from __future__ import annotations

import numpy as np

from eiderdown.errors import TargetAmongCandidatesError
from eiderdown.testing.exam import Exam, same_answer
from eiderdown.testing.requirement import require


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
