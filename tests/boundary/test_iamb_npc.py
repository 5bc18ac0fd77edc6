"""IAMBnPC and inter-IAMBnPC, and the PC algorithm among a few variables that they shrink by."""

from __future__ import annotations

import numpy as np
import pytest
from fake_tests import UNDECIDED, WrittenTest, answers
from searching import Spy, random_dags, run, wrong_answers

from eiderdown.boundary import iamb_npc, inter_iamb_npc
from eiderdown.boundary.iamb_npc import pc_among
from eiderdown.graphs import DAG
from eiderdown.independence import GSquareTest, OracleTest
from eiderdown.networks import load
from eiderdown.testing import check_boundary_search

BOTH = ["iamb_npc", "inter_iamb_npc"]
PARENTS_OF_TWO = "P->T, Q->T, R->T, S->T, P->C, Q->C, R->C, S->C"
MISLEADING = "T->A, S->A, S->B, C->B"


@pytest.mark.no_cover
@pytest.mark.parametrize("algorithm", BOTH)
def test_every_boundary_of_60_graphs_is_exact_given_the_oracle(algorithm):
    """60 graphs of 3 to 8 nodes for each of the two; the slow set has more."""
    sizes = {3: 14, 4: 20, 5: 16, 6: 8, 7: 1, 8: 1}
    for dag in random_dags(sizes, seed=BOTH.index(algorithm)):
        assert wrong_answers(algorithm, OracleTest(dag), dag.markov_boundary) == {}, dag.edges


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", BOTH)
def test_every_boundary_of_2020_graphs_is_exact_given_the_oracle(algorithm):
    """2,000 graphs of 3 to 8 nodes and 20 of 9 and 10."""
    sizes = {3: 300, 4: 400, 5: 500, 6: 400, 7: 300, 8: 100, 9: 12, 10: 8}
    for dag in random_dags(sizes, seed=10 + BOTH.index(algorithm)):
        assert wrong_answers(algorithm, OracleTest(dag), dag.markov_boundary) == {}, dag.edges


@pytest.mark.no_cover
@pytest.mark.parametrize("search", [iamb_npc, inter_iamb_npc], ids=BOTH)
def test_the_two_conform(search):
    check_boundary_search(search, n_graphs=8)


@pytest.mark.parametrize("algorithm", BOTH)
def test_spouses_are_told_from_neighbours_with_the_child_they_share(algorithm):
    oracle = OracleTest(DAG.from_string("P->T, T->C, S->C, C->D"))
    answer = run(algorithm, oracle, "T")
    assert answer.parents_children == {"P", "C"}
    assert answer.spouses == {"S": "C"}
    proof = answer.found.members[oracle.names.index("S")]
    assert [oracle.names[z] for z in proof.given] == ["C"]
    assert proof.dependent(0.01)


@pytest.mark.parametrize("algorithm", BOTH)
def test_a_variable_that_needs_four_others_stays_unless_so_many_may_be_given(algorithm):
    oracle = OracleTest(DAG.from_string(PARENTS_OF_TWO))
    assert run(algorithm, oracle, "T").members == set("CPQRS")
    assert run(algorithm, oracle, "T", max_given=4).members == set("PQRS")


def test_inter_iamb_npc_goes_on_where_shrinking_in_between_brings_it_back():
    # Given A and B, C looks dependent; among T, A, B, C alone PC cannot know that S is behind it.
    oracle = OracleTest(DAG.from_string(MISLEADING))
    answer = run("inter_iamb_npc", oracle, "T")
    assert answer.members == {"A", "S"}
    assert answer.separating_sets["C"].independent(0.01)


def test_small_sets_remove_where_iamb_has_too_few_rows():
    # Given both others every test is undecided, so IAMB must keep x; given a alone x is idle.
    written = answers(
        x=-20, a_given_x=-9, b_given_ax=-9, a=-9, b=-9, x_given_a=0, a_given_bx=UNDECIDED,
        x_given_ab=UNDECIDED, b_given_a=-9, a_given_b=-9, b_given_x=-9,
        x_given_b=-9,
    )  # fmt: skip
    names = ["t", "a", "b", "x"]
    assert run("iamb", TwoSided(names, written), "t").members == {"a", "b", "x"}
    answer = run("iamb_npc", TwoSided(names, written), "t")
    assert answer.members == {"a", "b"}
    assert answer.separating_sets["x"].given == (1,)


class TwoSided(WrittenTest):
    """Answers about t as written, from either side; the others depend on a, and only on a."""

    def _sweep(self, candidates, target, given):
        if self.names[target] == "t":
            return super()._sweep(candidates, target, given)
        batch = super()._sweep(candidates, target, given)
        for i, x in enumerate(candidates):
            if self.names[x] == "t":
                mirrored = super()._sweep(np.array([target]), x, given)
                batch.values[i] = mirrored.values[0]
            else:
                batch.log_p[i] = -9.0 if "a" in (self.names[x], self.names[target]) else 0.0
        return batch


@pytest.mark.parametrize("algorithm", BOTH)
def test_a_required_member_that_is_separated_stays_with_the_test_that_says_so(algorithm):
    oracle = OracleTest(DAG.from_string("A->T, B->A"))
    answer = run(algorithm, oracle, "T", required=["B"])
    assert answer.members == {"A", "B"}
    assert answer.parents_children == {"A"}
    assert answer.found.members[oracle.names.index("B")].independent(0.01)


@pytest.mark.parametrize("algorithm", BOTH)
def test_the_order_of_the_columns_does_not_matter(algorithm):
    data = load("asia").sample(1_000, random_state=5)
    ours, theirs = (
        [run(algorithm, GSquareTest(table, n_jobs=1), node).members for node in data.names]
        for table in (data, data.select(data.names[::-1]))
    )
    assert ours == theirs


def test_pc_among_all_variables_finds_the_skeleton_and_the_v_structures():
    for dag in random_dags({4: 30, 6: 30}, seed=4):
        nodes = dag.nodes
        graph = pc_among(OracleTest(dag), range(len(nodes)), alpha=0.01, max_given=len(nodes))
        for x, node in enumerate(nodes):
            assert {nodes[y] for y in graph.adjacent[x]} == dag.parents_children(node)
        shown = {
            (frozenset((nodes[x], nodes[y])), nodes[c])
            for x in range(len(nodes))
            for y in range(x)
            for c in graph.colliders(x, y)
        }
        assert shown == {(frozenset((a, b)), c) for a, c, b in dag.v_structures()}


def test_pc_among_separates_by_the_smallest_sets_first():
    spy = Spy(OracleTest(DAG.from_string("A->B, B->C, D->C")))
    graph = pc_among(spy, range(4), alpha=0.01, max_given=3)
    sizes = [len(result.given) for result in spy.answers]
    assert max(sizes) < 3
    a, b, c = (spy.names.index(name) for name in "ABC")
    assert graph.separation(a, c).given == graph.separation(c, a).given == (b,)
    assert (graph.separation(c, a).x, graph.separation(c, a).y) == (c, a)


def test_pc_among_removes_no_edge_by_an_undecided_test():
    written = answers(a=UNDECIDED, a_given_b=UNDECIDED, b=0.0, b_given_a=0.0)
    graph = pc_among(TwoSided(["t", "a", "b"], written), [0, 1, 2], alpha=0.01, max_given=1)
    assert graph.adjacent == {0: {1}, 1: {0, 2}, 2: {1}}
