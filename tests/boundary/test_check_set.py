"""With an oracle, a set passes the check if and only if it is the boundary, and is mended to it."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from searching import random_dags
from table_oracle import TableOracle

from eiderdown.boundary import TestProblem
from eiderdown.boundary.check import check_set
from eiderdown.graphs import DAG
from eiderdown.independence import OracleTest
from eiderdown.progress import Cancelled, Trace

ALPHA = 0.01


def problem_of(dag, test, target, **more):
    t = test.names.index(target)
    others = np.array([i for i in range(test.n_variables) if i != t])
    return TestProblem(test, t, others, ALPHA, **more)


def named(test, xs):
    return {test.names[x] for x in xs}


def checked(dag, test, target, members):
    return check_set(problem_of(dag, test, target), [test.names.index(name) for name in members])


def passes(found):
    dependent = found.outside.dependent(ALPHA).any()
    return not dependent and not found.members.independent(ALPHA).any()


@pytest.mark.no_cover
@pytest.mark.parametrize("n_nodes", [3, 4, 5, 6])
def test_of_all_sets_the_boundary_alone_passes_and_all_others_are_mended_to_it(n_nodes):
    for dag in random_dags({n_nodes: 8 if n_nodes < 6 else 3}, seed=n_nodes):
        test = TableOracle(dag)
        for target in dag.nodes:
            truth = set(dag.markov_boundary(target))
            others = [name for name in dag.nodes if name != target]
            for size in range(len(others) + 1):
                for members in combinations(others, size):
                    found = checked(dag, test, target, members)
                    assert passes(found) == (set(members) == truth), (dag.edges, target, members)
                    assert named(test, found.found.members) == truth


@pytest.mark.no_cover
def test_a_larger_set_is_redundant_in_exactly_what_it_has_too_much():
    for dag in random_dags({6: 20}, seed=60):
        test = TableOracle(dag)
        for target in dag.nodes:
            truth = set(dag.markov_boundary(target))
            everyone = [name for name in dag.nodes if name != target]
            found = checked(dag, test, target, everyone)
            redundant = found.members.x[found.members.independent(ALPHA)]
            assert named(test, redundant) == set(everyone) - truth
            assert found.added == []
            assert len(found.outside) == 0


def test_additions_come_with_the_test_that_brought_them():
    dag = DAG.from_string("A->T, T->C, S->C, C->D")
    test = OracleTest(dag)
    found = checked(dag, test, "T", ["A"])
    assert [test.names[result.x] for result in found.added] == ["C", "S"]
    assert [named(test, result.given) for result in found.added] == [{"A"}, {"A", "C"}]


def test_what_still_depends_is_all_of_it_and_not_only_what_is_added():
    dag = DAG.from_string("A->T, T->C, S->C, C->D")
    test = OracleTest(dag)
    found = checked(dag, test, "T", ["A"])
    assert named(test, found.outside.x[found.outside.dependent(ALPHA)]) == {"C", "D"}


def test_cancelled_it_keeps_the_tests_of_the_set():
    class Impatient(Trace):
        def progressed(self, phase, n):
            raise Cancelled

    dag = DAG.from_string("A->T, T->C")
    test = OracleTest(dag)
    found = check_set(problem_of(dag, test, "T", trace=Impatient()), [])
    assert not found.found.complete
    assert found.outside.dependent(ALPHA).all()
