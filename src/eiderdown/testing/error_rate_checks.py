"""Right and wrong rejections on tables with a known truth."""

from __future__ import annotations

import math

import numpy as np

from eiderdown.graphs import DAG
from eiderdown.independence import Question
from eiderdown.testing.exam import N_ROWS, Exam
from eiderdown.testing.requirement import require
from eiderdown.testing.samples import four_rows, hub_and_pairs, sampled

_N_NULL_PAIRS = 200


def check_power(exam: Exam) -> None:
    """Require that strong dependences are seen."""
    for question in (exam.about("A", "B"), exam.about("A", "C"), exam.about("C", "D", "E")):
        result = exam.test.test(*question)
        require(
            result.dependent(exam.alpha),
            f"With {N_ROWS} rows the test must see the strong dependence of {exam.say(question)}, "
            f"but its log_p is {result.log_p:.3g} (reliable: {result.reliable}).",
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
            "variables on them; flag such tests as unreliable.",
        )
