"""Our own tests and searches pass the published exams, and broken ones fail them by name."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from eiderdown.boundary import best_so_far
from eiderdown.boundary.iamb import iamb
from eiderdown.graphs import DAG, random_dag
from eiderdown.independence import (
    CachedTest,
    CalibratedChiSquareTest,
    ChiSquareTest,
    FisherZTest,
    GSquareTest,
    OracleTest,
    StudentTTest,
)
from eiderdown.progress import Trace
from eiderdown.testing import check_boundary_search, check_independence_test, check_oracle_like

DISCRETE = {
    "g_square": GSquareTest,
    "g_square_nominal": partial(GSquareTest, dof="nominal"),
    "chi_square": ChiSquareTest,
    "calibrated": CalibratedChiSquareTest,
    "recorded_calibrated": lambda data: CachedTest(CalibratedChiSquareTest(data)),
    "chi_square_nominal": partial(ChiSquareTest, dof="nominal"),
    "by_cells": partial(GSquareTest, reliability="rows_per_cell"),
    "recorded": lambda data: CachedTest(GSquareTest(data)),
}
CONTINUOUS = {
    "fisher_z": FisherZTest,
    "student_t": StudentTTest,
    "dropping": partial(FisherZTest, collinear="drop"),
    "recorded": lambda data: CachedTest(StudentTTest(data)),
}


@pytest.mark.parametrize("make_test", DISCRETE.values(), ids=DISCRETE)
def test_tests_for_discrete_columns_conform(make_test):
    check_independence_test(make_test, kind="discrete")


@pytest.mark.parametrize("make_test", CONTINUOUS.values(), ids=CONTINUOUS)
def test_tests_for_continuous_columns_conform(make_test):
    check_independence_test(make_test, kind="continuous")


class IgnoresGiven(GSquareTest):
    def _sweep(self, candidates, target, given):
        return replace(super()._sweep(candidates, target, ()), given=(given,) * len(candidates))


class Asymmetric(GSquareTest):
    def _sweep(self, candidates, target, given):
        batch = super()._sweep(candidates, target, given)
        return batch.with_columns(statistic=batch.statistic + (target < candidates))


class SometimesNan(GSquareTest):
    def _sweep(self, candidates, target, given):
        batch = super()._sweep(candidates, target, given)
        return batch.with_columns(log_p=np.where(len(given) == 2, np.nan, batch.log_p))


class PositiveLog(FisherZTest):
    def _sweep(self, candidates, target, given):
        batch = super()._sweep(candidates, target, given)
        return batch.with_columns(log_p=-batch.log_p)


class KnowsItsColumns(GSquareTest):
    def _sweep(self, candidates, target, given):
        batch = super()._sweep(candidates, target, given)
        return batch.with_columns(statistic=batch.statistic + (candidates + target))


class KnowsItsRows(FisherZTest):
    def __init__(self, data):
        super().__init__(
            data.take(np.r_[0:300, 0 : data.n_rows - 300]) if data.n_rows > 300 else data
        )


class AnswersAnything(GSquareTest):
    def _checked(self, xs, target, given):
        return tuple(given)


class Forgetful(GSquareTest):
    def __init__(self, data):
        super().__init__(data)
        self.asked = 0

    def _sweep(self, candidates, target, given):
        self.asked += 1
        batch = super()._sweep(candidates, target, given)
        return batch.with_columns(statistic=batch.statistic + self.asked)


class SweepsBackwards(GSquareTest):
    def _sweep(self, candidates, target, given):
        batch = super()._sweep(np.ascontiguousarray(candidates[::-1]), target, given)
        return replace(batch, x=candidates)


class LosesAMember(GSquareTest):
    def each_given_rest(self, members, target, always=()):
        return super().each_given_rest(members[:-1], target, always)


class StopsTooEarly(GSquareTest):
    def max_p_over_subsets(self, candidates, target, pool, *, alpha, max_given, always=()):
        return self.sweep(candidates, target, always)


class ForgetsPairs(GSquareTest):
    def pairs(self, questions):
        return super().pairs([(x, y, ()) for x, y, _ in questions])


class Blind(GSquareTest):
    def _sweep(self, candidates, target, given):
        batch = super()._sweep(candidates, target, given)
        return batch.with_columns(log_p=batch.log_p * 0.0)


class Jumpy(StudentTTest):
    def _sweep(self, candidates, target, given):
        batch = super()._sweep(candidates, target, given)
        return batch.with_columns(log_p=batch.log_p * 3.0)


class Renames(GSquareTest):
    def __init__(self, data):
        super().__init__(data)
        self.names = tuple(name.lower() for name in self.names)


BROKEN = [
    (IgnoresGiven, "discrete", "strong dependence of C and D given E"),
    (Asymmetric, "discrete", "must be symmetric"),
    (SometimesNan, "discrete", "log_p must be a finite float"),
    (PositiveLog, "continuous", "log_p must not be above 0"),
    (KnowsItsColumns, "discrete", "order of the columns must not matter"),
    (KnowsItsRows, "continuous", "order of the rows must not matter"),
    (AnswersAnything, "discrete", "appears twice in a question must raise"),
    (Forgetful, "discrete", "same question must get the same answer"),
    (SweepsBackwards, "discrete", "sweep must agree with single tests"),
    (LosesAMember, "discrete", "each_given_rest must answer each of 3 questions, not 2"),
    (StopsTooEarly, "discrete", "max_p_over_subsets must agree|repeat its question"),
    (ForgetsPairs, "discrete", "repeat its question"),
    (Blind, "discrete", "must see the strong dependence"),
    (Jumpy, "continuous", "rejects .* true conditional independences"),
    (Renames, "discrete", "must keep the table's names"),
    (partial(GSquareTest, reliability="always"), "discrete", "Four rows decide"),
]


@pytest.mark.parametrize(
    ("make_test", "kind", "violation"),
    BROKEN,
    ids=[getattr(make, "__name__", "TrustsEverything") for make, _, _ in BROKEN],
)
def test_a_broken_test_fails_with_a_sentence(make_test, kind, violation):
    with pytest.raises(AssertionError, match=violation):
        check_independence_test(make_test, kind=kind)


def test_the_oracle_is_oracle_like_in_any_order_of_nodes():
    dag = random_dag(6, edge_probability=0.4, random_state=3)
    turned = DAG(dag.nodes[::-1], dag.edges)
    check_oracle_like(OracleTest(turned), dag)
    check_oracle_like(CachedTest(OracleTest(dag)), dag)


def test_the_oracle_of_another_graph_is_found_out():
    dag = DAG.from_string("A->C, B->C")
    with pytest.raises(AssertionError, match="A and B are independent given nothing"):
        check_oracle_like(OracleTest(DAG.from_string("A->C, B->C, A->B")), dag)
    with pytest.raises(AssertionError, match="A and C are dependent given nothing"):
        check_oracle_like(OracleTest(DAG.from_string("A, B->C")), dag)
    with pytest.raises(AssertionError, match="must be the nodes of the graph"):
        check_oracle_like(OracleTest(DAG.from_string("A->D, B->D")), dag)


@pytest.mark.no_cover
def test_iamb_conforms():
    check_boundary_search(iamb, n_graphs=30)


def test_a_search_that_is_not_exact_may_pass_the_rest():
    def childless(search):
        """Never lets the last candidate in by name, so that boundaries fall short."""
        last = max(search.candidates, key=lambda x: search.test.names[x])
        kept = search.candidates[(search.candidates != last) | np.isin(last, search.required)]
        return iamb(replace(search, candidates=kept))

    check_boundary_search(childless, exact=False, n_graphs=30)
    with pytest.raises(AssertionError, match="With the oracle of the graph"):
        check_boundary_search(childless, n_graphs=30)


def grows_only(search):
    with best_so_far(search) as found:
        for result in search.sweep(search.candidates, []):
            if result.dependent(search.alpha):
                found.admit(result)
    return found


def unfounded(search):
    found = iamb(search)
    tests = search.sweep(search.candidates, [])
    found.members = {r.x: r for r in tests if r.x in found.members}
    return found


def bare(search):
    return tuple(iamb(search).members)


def headstrong(search):
    return iamb(replace(search, trace=Trace()))


def proud(search):
    return replace(iamb(search), complete=True)


def undecided(search):
    found = iamb(search)
    found.removed = dict(found.members)
    return found


def unseparated(search):
    return replace(iamb(search), separated=[search.sweep(search.candidates, [])])


def childless_spouse(search):
    found = iamb(search)
    found.spouses = dict.fromkeys(found.members, search.target)
    return found


def abrupt(search):
    for n in range(9):
        search.trace.progressed("waiting", n)
    return iamb(search)


def column_bound(search):
    """Exact with an oracle, but on data it never looks at the last column."""
    if isinstance(search.test, GSquareTest):
        search = replace(search, candidates=search.candidates[:-1])
    return iamb(search)


def limitless(search):
    return iamb(replace(search, max_given=None))


def uninvited(search):
    everyone = np.delete(np.arange(search.test.n_variables), search.target)
    return iamb(replace(search, candidates=everyone))


def ignorant(search):
    return iamb(replace(search, required=()))


def trusting(search):
    if isinstance(search.test, GSquareTest):
        data = search.test.statistics.data
        search = replace(search, test=GSquareTest(data, reliability="always"))
    return iamb(search)


def lenient(search):
    return iamb(replace(search, alpha=max(search.alpha, 0.2) if search.alpha < 1e-6 else 0.01))


@pytest.mark.parametrize(
    ("search", "violation"),
    [
        (grows_only, "With the oracle of the graph"),
        (unfounded, "Members must depend on the target"),
        (bare, "must return a Found"),
        (headstrong, "must tell its progress"),
        (proud, "was cancelled is not complete"),
        (abrupt, "must return the best so far"),
        (undecided, "Who was removed is no member"),
        (unseparated, "Who is separated must be independent"),
        (childless_spouse, "A spouse and its child must be members"),
        (column_bound, "order of the columns must not matter"),
        (limitless, "With max_given=0 the search conditioned on"),
        (uninvited, "Only candidates may be members"),
        (ignorant, "Required members must be in the answer"),
        (trusting, "must admit nothing"),
        (lenient, "Members must depend on the target|Among independent columns"),
    ],
)
def test_a_broken_search_fails_with_a_sentence(search, violation):
    with pytest.raises(AssertionError, match=violation):
        check_boundary_search(search, n_graphs=30)
