"""IAMB: exact with an oracle, and true to its description on answers written by hand."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from fake_tests import UNDECIDED, WrittenTest, answers
from hypothesis import given
from hypothesis import strategies as st

from eiderdown.boundary import TestProblem
from eiderdown.boundary.iamb import iamb
from eiderdown.graphs import DAG, random_dag
from eiderdown.independence import Allows, CachedTest, OracleTest
from eiderdown.progress import Cancelled, Trace
from examples import examples


def run(test, target="t", *, alpha=0.01, max_given=None, without=()):
    """Run IAMB on names; return the names of the members in order, and all that was found."""
    index = test.names.index
    out = {index(target), *map(index, without)}
    candidates = np.array([i for i in range(test.n_variables) if i not in out])
    found = iamb(TestProblem(test, index(target), candidates, alpha, max_given))
    return [test.names[x] for x in found.members], found


@pytest.mark.no_cover
@pytest.mark.parametrize("n_nodes", [3, 4, 5, 6, 7, 8])
@pytest.mark.parametrize("edge_probability", [0.2, 0.4, 0.65])
@pytest.mark.parametrize("n_graphs", [12, pytest.param(60, marks=pytest.mark.slow)])
def test_iamb_recovers_every_boundary_given_the_oracle(n_nodes, edge_probability, n_graphs):
    generator = np.random.default_rng(n_nodes)
    for _ in range(n_graphs):  # 18 parametrisations: 216 graphs, 1,080 in the slow set
        dag = random_dag(n_nodes, edge_probability=edge_probability, random_state=generator)
        oracle = OracleTest(dag)
        for node in dag.nodes:
            members, found = run(oracle, node)
            assert set(members) == dag.markov_boundary(node), (dag.edges, node)
            assert {dag.nodes[x] for x in found.members} == set(members)


@pytest.mark.no_cover
@examples(24)
@given(seed=st.integers(0, 10_000), order=st.permutations(range(7)))
def test_the_order_of_the_columns_does_not_matter(seed, order):
    dag = random_dag(7, edge_probability=0.4, random_state=seed)
    moved = DAG([dag.nodes[i] for i in order], dag.edges)
    for node in dag.nodes:
        assert run(OracleTest(dag), node)[0] == run(OracleTest(moved), node)[0]


FALSE_MEMBER_FIRST = answers(
    a=-4, b=-4, x=-9, a_given_x=-5, b_given_x=-4, b_given_ax=-6, a_given_bx=-7, x_given_ab=-1,
    a_given_b=-8, b_given_a=-7,
)  # fmt: skip


def test_a_false_member_that_came_first_is_removed_with_its_evidence():
    members, found = run(WrittenTest(["t", "a", "b", "x", "n"], FALSE_MEMBER_FIRST))
    assert members == ["a", "b"]
    assert {x: result.log_p for x, result in found.members.items()} == {1: -8.0, 2: -7.0}
    assert found.members[1].given == (2,)
    assert list(found.removed) == [3]
    assert (found.removed[3].given, found.removed[3].log_p) == ((1, 2), -1.0)
    assert found.outside.x.tolist() == [3, 4]
    assert set(found.outside.given) == {(1, 2)}


def test_the_strongest_comes_in_first_and_ties_go_by_name():
    written = answers(
        b=-9, a=-9, c=-20, a_given_c=-9, b_given_c=-9, b_given_ac=-9, c_given_ab=-9,
        a_given_bc=-9,
    )  # fmt: skip
    assert run(WrittenTest(["t", "b", "a", "c"], written))[0] == ["c", "a", "b"]


def test_a_removed_variable_may_come_back():
    written = answers(
        a=-8, x=-9, a_given_x=-8, b_given_x=-9, a_given_bx=-9,  # in come x, b and a
        x_given_ab=-1, b_given_ax=-2, b_given_a=-1, a_given_b=-9,  # out go x and then b
        x_given_a=-9,  # and without b, x is wanted after all
    )  # fmt: skip
    test = WrittenTest(["t", "a", "b", "x"], written)
    members, found = run(test)
    assert members == ["a", "x"]
    assert [test.names[i] for i in found.members] == ["a", "x"]
    assert [test.names[i] for i in found.removed] == ["b"]


def test_answers_that_go_in_circles_end():
    # Given nothing x comes in, given x so does y; then either looks redundant given the other.
    written = answers(x=-9, y_given_x=-9, x_given_y=0, y=0)
    members, found = run(WrittenTest(["t", "x", "y"], written))
    assert set(members) <= {"x", "y"}
    assert {["t", "x", "y"][i] for i in found.members} == set(members)


def test_a_long_circle_of_contradictions_ends():
    class Contrary(WrittenTest):
        """Says dependent when asked from outside and independent when asked inside."""

        def _sweep(self, candidates, target, given):
            batch = super()._sweep(candidates, target, given)
            batch.log_p[:] = -9.0 if len(candidates) > 1 else -0.1
            return batch

    names = ["t", *"abcdefg"]
    members, found = run(Contrary(names, answers()))
    assert {names[i] for i in found.members} == set(members)


@pytest.mark.parametrize("max_given", [0, 1, 2, 3])
def test_no_test_conditions_on_more_than_max_given(max_given):
    names = ["t", *"abcdef"]
    test = WrittenTest(names, defaultdict(lambda: -9.0))
    members, _ = run(test, max_given=max_given)
    assert max(map(len, test.asked)) == max_given
    assert len(members) == max_given + 1


def test_an_undecided_test_admits_nobody():
    members, found = run(WrittenTest(["t", "a", "b"], answers(a=UNDECIDED, b=UNDECIDED)))
    assert members == []
    assert (found.outside.allows == Allows.NOTHING).all()


def test_an_undecided_test_does_not_hide_a_decided_one():
    written = answers(a=UNDECIDED, b=-9, a_given_b=UNDECIDED)
    assert run(WrittenTest(["t", "a", "b"], written))[0] == ["b"]


def test_an_undecided_test_removes_nobody():
    written = answers(a=-9, b_given_a=-9, a_given_b=UNDECIDED, b=0.0)
    test = WrittenTest(["t", "a", "b"], written, tempting=-0.1)
    members, found = run(test)
    assert members == ["a", "b"]
    assert found.members[1].allows == Allows.BOTH  # the test by which it came in
    assert found.unconfirmed == {1}


def test_only_candidates_are_looked_at():
    dag = DAG.from_string("a->t, b->a, c")
    members, found = run(OracleTest(dag), without=["a"])
    assert members == ["b"]
    assert [dag.nodes[x] for x in found.outside.x] == ["c"]


def test_without_candidates_the_boundary_is_empty():
    members, found = run(OracleTest(DAG.from_string("a->t")), without=["a"])
    assert members == []
    assert found.outside is None


def test_the_second_round_asks_nothing_new():
    dag = DAG.from_string("a->t, t->c, s->c, n")
    recorded = CachedTest(OracleTest(dag))
    run(recorded)
    n_growing = 4 + 3 + 2 + 1  # the last sweep finds only n outside, which stays there
    assert recorded.counts.n_tests == n_growing + 3 - 1  # the last to come in was just tested
    assert recorded.counts.n_repeated > 0


def test_a_cancelled_search_returns_what_it_had_found():
    class Impatient(Trace):
        def progressed(self, phase, n):
            raise Cancelled

    oracle = OracleTest(DAG.from_string("a->t, b->t"))
    target = oracle.names.index("t")
    candidates = np.delete(np.arange(3), target)
    found = iamb(TestProblem(oracle, target, candidates, 0.01, trace=Impatient()))
    assert [oracle.names[x] for x in found.members] == ["a"]
    assert not found.complete
