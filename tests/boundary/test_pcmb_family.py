"""Boundaries from parents, children and spouses: known flaws, corrections, evidence and thrift."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from searching import DAG_A, DAG_B, Spy, random_dags, registered, run
from table_oracle import TableOracle

from eiderdown import Dataset, networks
from eiderdown.errors import OptionError
from eiderdown.graphs import DAG
from eiderdown.independence import CachedTest, GSquareTest, OracleTest
from eiderdown.testing import check_boundary_search
from examples import examples

SEARCHES = [
    ("pcmb", {}),
    ("kpcmb", {"fraction": 0.5}),
    ("mmmb", {}),
    ("hiton_mb", {}),
    ("hiton_mb", {"interleaving": "semi"}),
    ("ipc_mb", {}),
    ("bamb", {}),
]
BASE = [("mmmb", {"symmetry": "none"}), ("hiton_mb", {"symmetry": "none"})]

every_search = pytest.mark.parametrize(("name", "options"), SEARCHES)
few_graphs_or_more = pytest.mark.parametrize(
    "n_graphs", [6, pytest.param(60, marks=pytest.mark.slow)]
)

# Y is near the spouse V of B only: who checks the spouses of A without V takes Y for one.
SPOUSE_OF_ANOTHER_CHILD = "T->A, S->A, S->Y, T->B, B->Y, V->B, V->Y"


@pytest.mark.no_cover
@every_search
def test_searches_keep_the_promises_of_boundary_searches(name, options):
    check_boundary_search(registered(name).with_params(options).run, n_graphs=4, random_state=7)


@pytest.mark.no_cover
@pytest.mark.parametrize(("name", "options"), BASE)
def test_base_searches_keep_all_promises_but_exactness(name, options):
    search = registered(name).with_params(options).run
    check_boundary_search(search, exact=False, n_graphs=4, random_state=7)


def test_base_mmmb_adds_a_variable_for_a_child_it_is_not_adjacent_to():
    oracle = OracleTest(DAG.from_string(DAG_B))
    answer = run("mmmb", oracle, "T", params={"symmetry": "none"}, max_given=5)
    assert answer.members == {"Q", "S", "R", "P"}


def test_base_hiton_mb_drops_a_spouse_that_a_neighbour_separates():
    oracle = OracleTest(DAG.from_string(DAG_B))
    answer = run("hiton_mb", oracle, "T", params={"symmetry": "none"}, max_given=5)
    assert answer.members == {"Q", "S"}


def test_base_hiton_mb_drops_a_spouse_for_a_child_it_does_not_share():
    oracle = OracleTest(DAG.from_string("T->A, T->B, S->B"))
    answer = run("hiton_mb", oracle, "T", params={"symmetry": "none"}, max_given=5)
    assert answer.members == {"A", "B"}


@every_search
@pytest.mark.parametrize("graph", [DAG_A, DAG_B, SPOUSE_OF_ANOTHER_CHILD])
def test_corrected_searches_are_right_where_others_are_not(graph, name, options):
    dag = DAG.from_string(graph)
    answer = run(name, OracleTest(dag), "T", params=options, max_given=7)
    assert answer.members == dag.markov_boundary("T")


@pytest.mark.no_cover
@every_search
@few_graphs_or_more
def test_spouses_are_told_apart_with_a_child_they_share(name, options, n_graphs):
    for dag in random_dags({6: n_graphs}, seed=8):
        oracle = TableOracle(dag)
        for node in dag.nodes:
            answer = run(name, oracle, node, params=options, max_given=6)
            assert answer.parents_children | set(answer.spouses) == answer.members
            assert not answer.parents_children & set(answer.spouses)
            if name != "bamb":  # it may take a spouse that is a descendant for a child
                assert answer.parents_children == dag.parents_children(node)
            for spouse, child in answer.spouses.items():
                shown = answer.found.members[dag.index(spouse)]
                assert dag.index(child) in shown.given
                assert not dag.d_separated(spouse, node, [dag.nodes[z] for z in shown.given])
                if name != "bamb":
                    assert child in dag.children(node) & dag.children(spouse)


@pytest.mark.no_cover
@every_search
@few_graphs_or_more
def test_everyone_outside_is_separated_by_the_set_that_is_told(name, options, n_graphs):
    for dag in random_dags({6: n_graphs}, seed=9):
        oracle = TableOracle(dag)
        for node in dag.nodes:
            answer = run(name, oracle, node, params=options, max_given=6)
            assert set(answer.separating_sets) == set(dag.nodes) - answer.members - {node}
            for other, test in answer.separating_sets.items():
                assert dag.d_separated(other, node, [dag.nodes[z] for z in test.given])


@pytest.fixture(scope="module")
def alarm():
    names = [
        "HR", "CO", "CATECHOL", "STROKEVOLUME", "BP", "TPR", "HRBP", "HREKG", "HRSAT",
        "ERRCAUTER", "HYPOVOLEMIA", "LVFAILURE",
    ]  # fmt: skip
    return networks.load("alarm").sample(800, random_state=3).select(names)


@every_search
def test_no_test_is_computed_twice(name, options, alarm):
    for target in ("HR", "CO"):
        spy = Spy(GSquareTest(alarm, n_jobs=1))
        recorded = CachedTest(spy)
        run(name, recorded, target, params=options)
        made = Counter((frozenset((r.x, r.y)), frozenset(r.given)) for r in spy.answers)
        assert made.most_common(1)[0][1] == 1
        assert recorded.counts.n_tests == len(made)
        assert recorded.counts.n_repeated > 0


@every_search
@examples(5)
@given(order=st.permutations(range(12)), n_jobs=st.sampled_from([1, 2, 3]))
def test_neither_order_of_columns_nor_workers_matter(name, options, order, n_jobs, alarm):
    moved = alarm.select([alarm.names[i] for i in order])
    for target in ("HR", "CO"):
        ours = run(name, CachedTest(GSquareTest(alarm, n_jobs=1)), target, params=options)
        theirs = run(name, CachedTest(GSquareTest(moved, n_jobs=n_jobs)), target, params=options)
        assert (ours.members, ours.spouses) == (theirs.members, theirs.spouses)


@every_search
def test_required_members_are_in_the_answer_and_excluded_ones_are_not(name, options):
    oracle = OracleTest(DAG.from_string("A->T, T->C, S->C, N"))
    answer = run(name, oracle, "T", params=options, required=["N"], without=["A"])
    assert answer.members == {"C", "S", "N"}


@every_search
def test_a_limit_of_one_set_size_keeps_the_spouse_of_a_marginally_independent_pair(name, options):
    oracle = OracleTest(DAG.from_string("T->C, S->C"))
    assert run(name, oracle, "T", params=options, max_given=1).members == {"C", "S"}
    assert run(name, oracle, "T", params=options, max_given=0).members == {"C"}


def test_kpcmb_keeps_one_copy_of_the_target_and_each_has_its_chance():
    copied = np.random.default_rng(0).integers(0, 2, size=300)
    data = Dataset.from_columns({"T": copied, "X": copied, "Y": copied})
    test = CachedTest(GSquareTest(data, n_jobs=1))
    found = {
        frozenset(run("kpcmb", test, "T", seed=seed, params={"fraction": 0.0}).members)
        for seed in range(20)
    }
    assert found == {frozenset("X"), frozenset("Y")}


@pytest.mark.parametrize("fraction", [-0.1, 1.5])
def test_kpcmb_refuses_a_share_outside_0_to_1(fraction):
    oracle = OracleTest(DAG.from_string("A->T"))
    with pytest.raises(OptionError, match=r"fraction must be from 0 to 1"):
        run("kpcmb", oracle, "T", params={"fraction": fraction})
