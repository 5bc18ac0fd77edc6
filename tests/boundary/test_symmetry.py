"""Parents and children found from both sides, from either, or from the target's alone."""

from __future__ import annotations

import numpy as np
import pytest
from searching import DAG_A, Spy, random_dags, registered, run
from table_oracle import TableOracle

from eiderdown import find_all_boundaries, networks
from eiderdown.boundary import MMPC, TestProblem, parents_children
from eiderdown.boundary.known_sets import KnownSets
from eiderdown.errors import OptionError
from eiderdown.graphs import DAG
from eiderdown.independence import CachedTest, GSquareTest, OracleTest
from eiderdown.progress import Cancelled, Trace

SYMMETRIES = ("and", "none", "or")
NEIGHBOURS = ("get_pc", "mmpc", "hiton_pc")
BOUNDARIES = ("pcmb", "mmmb", "hiton_mb", "ipc_mb")

every_search = pytest.mark.parametrize("name", [*NEIGHBOURS, *BOUNDARIES])


@pytest.fixture(scope="module")
def alarm():
    """A dozen columns of Alarm that hang together, of few rows: "and" and "or" differ."""
    names = [
        "HR", "CO", "CATECHOL", "STROKEVOLUME", "BP", "TPR", "HRBP", "HREKG", "HRSAT",
        "ERRCAUTER", "HYPOVOLEMIA", "LVFAILURE",
    ]  # fmt: skip
    return networks.load("alarm").sample(300, random_state=3).select(names)


def found(name, test, target, symmetry, **options):
    return run(name, test, target, params={"symmetry": symmetry}, **options)


@pytest.mark.no_cover
@pytest.mark.parametrize("name", NEIGHBOURS)
def test_with_an_oracle_all_hold_the_truth_and_only_and_is_it(name):
    wrong = 0
    for dag in random_dags({4: 10, 5: 6}, seed=11):
        oracle = TableOracle(dag)
        for node in dag.nodes:
            both, target_s, either = (
                found(name, oracle, node, symmetry, max_given=6).members for symmetry in SYMMETRIES
            )
            assert dag.parents_children(node) == both <= target_s <= either
            wrong += either != both
    assert wrong > 0


@pytest.mark.no_cover
@every_search
def test_in_polytrees_every_symmetry_is_exact(name):
    generator = np.random.default_rng(5)
    for n_nodes in (4, 5):
        for _ in range(2):
            names = [f"v{i}" for i in range(n_nodes)]
            pairs = [(names[int(generator.integers(i))], names[i]) for i in range(1, n_nodes)]
            edges = [pair if generator.random() < 0.5 else pair[::-1] for pair in pairs]
            dag = DAG(names, edges)
            truth = dag.parents_children if name in NEIGHBOURS else dag.markov_boundary
            for symmetry in SYMMETRIES:
                if (name, symmetry) == ("hiton_mb", "none"):
                    continue  # the rule of 2003 drops spouses in trees, too
                for node in names:
                    members = found(name, TableOracle(dag), node, symmetry, max_given=6).members
                    assert members == truth(node), (dag.edges, node, symmetry)


@every_search
def test_or_keeps_the_descendant_of_the_published_flaw_from_either_end(name):
    oracle = OracleTest(DAG.from_string(DAG_A))
    assert "S" in found(name, oracle, "T", "or", max_given=5).members
    assert "S" not in found(name, oracle, "T", "and", max_given=5).members
    assert "T" in found(name, oracle, "S", "or", max_given=5).parents_children
    assert "T" not in found(name, oracle, "S", "none", max_given=5).parents_children


def test_a_spouse_from_either_side_may_be_the_parent_of_no_child():
    dag = DAG.from_string("A->C, A->D, B->C, C->D, T->D")
    spouses = {
        symmetry: set(
            run("pcmb", OracleTest(dag), "T", params={"spouse_symmetry": symmetry}).spouses
        )
        for symmetry in SYMMETRIES
    }
    assert spouses == {"and": {"A", "C"}, "none": {"A", "C"}, "or": {"A", "B", "C"}}


@pytest.mark.parametrize("name", ["get_pc", "hiton_pc", "pcmb"])
def test_or_is_symmetric_and_its_members_depend_on_the_target(name, alarm):
    test, known = CachedTest(GSquareTest(alarm, n_jobs=1)), KnownSets()
    around = {}
    for target in alarm.names:
        answer = found(name, test, target, "or", known=known)
        around[target] = answer.parents_children
        assert answer.members == found(name, test, target, "or").members
        for x, evidence in answer.found.members.items():
            assert (evidence.x, evidence.y) == (x, alarm.index(target))
            assert evidence.dependent(0.01)
    assert all(x in around[y] for x in around for y in around[x])
    both = {target: found(name, test, target, "and").parents_children for target in alarm.names}
    assert all(both[target] <= around[target] for target in around)
    assert both != around


@pytest.mark.parametrize("name", ["get_pc", "pcmb"])
def test_the_order_of_columns_does_not_matter_to_or(name, alarm):
    moved = alarm.select(sorted(alarm.names, key=lambda x: x[::-1]))
    for target in ("HR", "CO", "BP"):
        ours = found(name, GSquareTest(alarm, n_jobs=1), target, "or")
        theirs = found(name, GSquareTest(moved, n_jobs=1), target, "or")
        assert told(ours) == told(theirs)


def told(answer):
    return {
        answer.names[x]: (r.log_p, sorted(answer.names[z] for z in r.given))
        for x, r in answer.found.members.items()
    }


def test_who_is_independent_given_nothing_is_not_asked():
    spy = Spy(OracleTest(DAG.from_string("A->T, B->A, N->M")))
    assert found("get_pc", spy, "T", "or").members == {"A"}
    assert {spy.names[r.y] for r in spy.answers} == {"T", "B"}


def test_of_very_many_only_the_most_dependent_are_asked(monkeypatch, alarm):
    test = CachedTest(GSquareTest(alarm, n_jobs=1))
    all_asked = {t: found("get_pc", test, t, "or").members for t in alarm.names}
    monkeypatch.setattr(parents_children, "MOST_ASKED", 0)
    none_asked = {t: found("get_pc", test, t, "or").members for t in alarm.names}
    assert none_asked == {t: found("get_pc", test, t, "none").members for t in alarm.names}
    assert none_asked != all_asked


def test_a_search_from_either_side_that_is_cancelled_keeps_what_it_has(alarm):
    class Impatient(Trace):
        def progressed(self, phase, n):
            if phase == "looking around" and n > 1:
                raise Cancelled

    test = CachedTest(GSquareTest(alarm, n_jobs=1))
    others = np.arange(1, alarm.n_columns)
    problem = TestProblem(test, 0, others, 0.01, trace=Impatient())
    answer = registered("get_pc")(symmetry="or").run(problem)
    assert not answer.complete
    assert answer.members


def test_a_skeleton_joins_what_both_sides_found_or_either():
    dag = DAG.from_string("T->Q, P->Q, Q->S, P->S")
    names = sorted(dag.nodes)
    data = networks.random_network(dag, random_state=0).sample(50, random_state=0).select(names)
    every = find_all_boundaries(
        data, algorithm=MMPC(symmetry="none"), test=lambda _: OracleTest(DAG(names, dag.edges))
    )
    truth, both, either = (
        {frozenset(edge) for edge in skeleton.edges}
        for skeleton in (dag.skeleton(), every.skeleton(), every.skeleton("or"))
    )
    assert both == truth
    assert either - truth == {frozenset("ST")}
    with pytest.raises(OptionError, match="'and' or 'or', not 'none'"):
        every.skeleton("none")
