"""Searches for parents and children: known flaws, corrections, evidence and limits."""

from __future__ import annotations

import numpy as np
import pytest
from fake_tests import UNDECIDED, WrittenTest, answers
from hypothesis import given
from hypothesis import strategies as st
from searching import DAG_A, Spy, random_dags, run
from table_oracle import TableOracle

from eiderdown import networks
from eiderdown.boundary import TestProblem
from eiderdown.boundary.known_sets import KnownSets
from eiderdown.errors import OptionError
from eiderdown.graphs import DAG
from eiderdown.independence import CachedTest, GSquareTest, OracleTest
from examples import examples

SEARCHES = [
    ("get_pc", {}),
    ("mmpc", {}),
    ("mmpc", {"symmetry": "none"}),
    ("hiton_pc", {}),
    ("hiton_pc", {"interleaving": "semi"}),
    ("hiton_pc", {"symmetry": "none"}),
]
CORRECTED = [search for search in SEARCHES if search[1].get("symmetry", "and") == "and"]
BASE = [search for search in SEARCHES if search not in CORRECTED]

every_search = pytest.mark.parametrize(("name", "options"), SEARCHES)
few_graphs_or_more = pytest.mark.parametrize(
    "n_graphs", [6, pytest.param(60, marks=pytest.mark.slow)]
)

SMALLEST_FLAW = "T->Q, P->Q, Q->S, P->S"


@pytest.fixture(scope="module")
def alarm():
    """A dozen columns of Alarm that hang together."""
    names = [
        "HR", "CO", "CATECHOL", "STROKEVOLUME", "BP", "TPR", "HRBP", "HREKG", "HRSAT",
        "ERRCAUTER", "HYPOVOLEMIA", "LVFAILURE",
    ]  # fmt: skip
    return networks.load("alarm").sample(800, random_state=3).select(names)


@pytest.mark.parametrize("graph", [DAG_A, SMALLEST_FLAW])
@pytest.mark.parametrize(("name", "options"), BASE)
def test_base_searches_take_a_descendant_for_a_child(graph, name, options):
    oracle = OracleTest(DAG.from_string(graph))
    assert run(name, oracle, "T", params=options, max_given=5).members == {"Q", "S"}


@pytest.mark.parametrize("graph", [DAG_A, SMALLEST_FLAW])
@pytest.mark.parametrize(("name", "options"), CORRECTED)
def test_corrected_searches_do_not_and_tell_what_separates_it(graph, name, options):
    dag = DAG.from_string(graph)
    answer = run(name, OracleTest(dag), "T", params=options, max_given=5)
    assert answer.members == answer.parents_children == {"Q"}
    reason = answer.separating_sets["S"]
    assert dag.d_separated("S", "T", [dag.nodes[z] for z in reason.given])


@pytest.mark.no_cover
@every_search
@few_graphs_or_more
def test_everyone_outside_is_separated_by_the_set_that_is_told(name, options, n_graphs):
    for dag in random_dags({6: n_graphs}, seed=4):
        oracle = TableOracle(dag)
        for node in dag.nodes:
            answer = run(name, oracle, node, params=options, max_given=6)
            assert set(answer.separating_sets) == set(dag.nodes) - answer.members - {node}
            for other, test in answer.separating_sets.items():
                assert (dag.nodes[test.x], dag.nodes[test.y]) == (other, node)
                assert dag.d_separated(other, node, [dag.nodes[z] for z in test.given])


@every_search
def test_a_member_is_told_with_the_weakest_test_it_survived(name, options, alarm):
    for target in ("HR", "CO", "BP"):
        spy = Spy(GSquareTest(alarm, n_jobs=1))
        answer = run(name, spy, target, params=options)
        assert len(answer.members) >= 2
        for x, evidence in answer.found.members.items():
            made = [
                r for r in spy.answers if (r.x, r.y) == (x, alarm.index(target)) and r.allows > 0
            ]
            assert evidence.log_p == max(r.log_p for r in made)
            assert evidence.dependent(0.01)


@every_search
@examples(6)
@given(order=st.permutations(range(12)), n_jobs=st.sampled_from([1, 2, 3]))
def test_neither_order_of_columns_nor_workers_matter(name, options, order, n_jobs, alarm):
    moved = alarm.select([alarm.names[i] for i in order])
    for target in ("HR", "CO"):
        ours = run(name, CachedTest(GSquareTest(alarm, n_jobs=1)), target, params=options)
        theirs = run(name, CachedTest(GSquareTest(moved, n_jobs=n_jobs)), target, params=options)
        assert ours.members == theirs.members
        assert told(ours) == told(theirs)


def told(answer):
    return {
        answer.names[x]: (r.log_p, sorted(answer.names[z] for z in r.given))
        for x, r in answer.found.members.items()
    }


@every_search
def test_known_sets_of_parents_and_children_give_the_same_answer_and_evidence(name, options, alarm):
    test, known = CachedTest(GSquareTest(alarm, n_jobs=1)), KnownSets()
    for _ in range(2):
        for target in alarm.names:
            alone = run(name, test, target, params=options)
            shared = run(name, test, target, params=options, known=known)
            assert told(alone) == told(shared)
            assert set(alone.separating_sets) == set(shared.separating_sets)


@pytest.mark.parametrize(("n_rows", "what"), [(15, "outside"), (800, "removed")])
def test_what_is_reported_does_not_depend_on_the_order_of_the_targets(n_rows, what, alarm):
    test, known = CachedTest(GSquareTest(alarm.take(np.arange(n_rows)), n_jobs=1)), KnownSets()
    seen = 0
    for target in alarm.names * 2:
        alone = run("hiton_pc", test, target).found
        shared = run("hiton_pc", test, target, known=known).found
        assert shared.removed == alone.removed
        assert shared.unconfirmed == alone.unconfirmed
        assert (shared.outside is None) == (alone.outside is None)
        seen += bool(getattr(alone, what))
    assert seen > 0


@pytest.mark.no_cover
@every_search
@pytest.mark.parametrize(
    ("max_given", "n_nodes", "n_graphs"),
    [(0, 5, 3), (1, 5, 4), (2, 5, 4), pytest.param(2, 6, 16, marks=pytest.mark.slow)],
)
def test_no_set_is_larger_than_allowed(name, options, max_given, n_nodes, n_graphs):
    for dag in random_dags({n_nodes: n_graphs}, seed=5):
        spy = Spy(OracleTest(dag))
        for node in dag.nodes:
            run(name, spy, node, params=options, max_given=max_given)
        assert max(len(r.given) for r in spy.answers) <= max_given


@every_search
def test_required_members_stay_and_others_are_judged_given_them(name, options):
    oracle = OracleTest(DAG.from_string("A->T, B->A, N"))
    answer = run(name, oracle, "T", params=options, required=["N", "B"])
    assert answer.members == {"A", "B", "N"}
    assert "A" not in run(name, oracle, "B", params=options, without=["A"]).members


@every_search
def test_a_candidate_whose_first_test_is_undecided_stays_out(name, options):
    written = answers(a=UNDECIDED, b=-9, a_given_b=-20, b_given_a=-9)
    uncorrected = {**options, "symmetry": "none"}
    answer = run(name, WrittenTest(["t", "a", "b"], written), "t", params=uncorrected)
    assert "a" not in answer.members


@pytest.mark.parametrize(("name", "options"), BASE)
def test_an_undecided_test_removes_nobody(name, options):
    written = answers(a=-20, b=-9, b_given_a=UNDECIDED, a_given_b=UNDECIDED)
    test = WrittenTest(["t", "a", "b"], written, tempting=-0.1)
    answer = run(name, test, "t", params=options)
    assert answer.members == {"a", "b"}
    assert {r.given for r in answer.found.members.values()} == {()}


WEAK_AT_LAST = answers(
    a=-30, b=-20, c=-40, a_given_c=-25, b_given_c=-15, a_given_bc=-24, a_given_b=-30,
    c_given_a=-9, c_given_b=-40, c_given_ab=-0.5, b_given_a=-20, b_given_ac=-12,
)  # fmt: skip


@pytest.mark.parametrize(("name", "options"), BASE)
def test_a_member_that_later_ones_separate_is_removed(name, options):
    answer = run(name, WrittenTest(["t", "a", "b", "c"], WEAK_AT_LAST), "t", params=options)
    assert answer.members == {"a", "b"}
    assert list(answer.found.removed) == [3]
    assert answer.found.removed[3].given == (1, 2)
    assert answer.found.members[2].log_p == -12.0


def test_full_and_semi_interleaving_make_different_tests():
    dag = DAG.from_string("A->T, B->T, A->X, B->X, X->Y")
    steps = {}
    for kind in ("full", "semi"):
        spy = Spy(OracleTest(dag))
        run("hiton_pc", spy, "T", params={"interleaving": kind, "symmetry": "none"}, max_given=5)
        steps[kind] = len(spy.answers)
    assert steps["full"] != steps["semi"]


def test_an_unknown_interleaving_is_refused_by_name():
    oracle = OracleTest(DAG.from_string("A->T"))
    with pytest.raises(OptionError, match=r"one of 'full', 'semi', not 'half'"):
        run("hiton_pc", oracle, "T", params={"interleaving": "half"})


def test_without_candidates_nothing_is_found():
    oracle = OracleTest(DAG.from_string("A->T"))
    for name, options in SEARCHES:
        assert run(name, oracle, "T", params=options, without=["A"]).members == set()


def test_separated_candidates_never_return():
    dag = DAG.from_string("A->T, B->A, B->C, C->T")
    spy = Spy(OracleTest(dag))
    run("mmpc", spy, "T", params={"symmetry": "none"}, max_given=4)
    first = next(i for i, r in enumerate(spy.answers) if r.x == dag.index("B") and not r.statistic)
    assert dag.index("B") not in {r.x for r in spy.answers[first + 1 :]}
    assert np.all([r.y == dag.index("T") for r in spy.answers])


def test_sets_are_smaller_among_a_crowd_unless_a_limit_is_asked_for():
    oracle = OracleTest(DAG.from_string("a->b"))
    search = TestProblem(oracle, 0, np.array([1]), 0.01)
    sizes = [search.max_subset_of(n) for n in (3, 20, 21, 100, 101, 400)]
    assert sizes == [3, 3, 2, 2, 1, 1]
    asked = TestProblem(oracle, 0, np.array([1]), 0.01, max_given=3)
    assert asked.max_subset_of(400) == 3
