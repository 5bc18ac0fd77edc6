"""The exam for a test of independence."""

from __future__ import annotations

from eiderdown.testing.answer_checks import (
    check_column_order,
    check_determinism,
    check_disjointness,
    check_fields,
    check_names,
    check_row_order,
    check_symmetry,
)
from eiderdown.testing.error_rate_checks import (
    check_false_rejections,
    check_four_rows,
    check_power,
)
from eiderdown.testing.exam import Exam, MakeTest
from eiderdown.testing.samples import TableKind
from eiderdown.testing.shape_checks import (
    check_each_given_rest,
    check_max_p_over_subsets,
    check_pairs,
    check_sweep,
)


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
