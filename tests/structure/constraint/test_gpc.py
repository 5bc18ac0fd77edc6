"""AlgorithmGPC: the pattern of a region, as far as the region and one ring more can tell."""

from __future__ import annotations

import numpy as np
import pytest
from constraint_searches import asked, named, random_dags
from hypothesis import given
from hypothesis import strategies as st

from eiderdown import networks
from eiderdown.errors import KnowledgeError
from eiderdown.graphs import DAG, PDAG, random_dag
from eiderdown.independence import GSquareTest, OracleTest
from eiderdown.knowledge import Knowledge
from eiderdown.progress import Cancelled, Trace
from eiderdown.structure.constraint.gpc import gpc
from examples import examples


def learned(test, target, depth, **options):
    return named(gpc(asked(test, target=target, depth=depth, **options)), test.names)


def what_can_be_told(dag, target, depth):
    """Close the v-structures within the region and one ring more under Meek's rules, then cut."""
    seen = dag.region(target, depth + 1)
    colliding = {
        edge
        for a, child, b in dag.v_structures()
        if {a, child, b} <= set(seen.nodes)
        for edge in ((a, child), (b, child))
    }
    free = [edge for edge in seen.edges if edge not in colliding]
    return PDAG(seen.nodes, colliding, free).apply_meek_rules().region(target, depth)


@given(dag=random_dags(max_nodes=9), depth=st.integers(1, 3), choice=st.integers(0, 8))
@examples(24)
def test_with_the_oracle_it_finds_all_that_the_region_and_one_ring_more_can_tell(
    dag, depth, choice
):
    target = dag.nodes[choice % dag.n_nodes]
    found = learned(OracleTest(dag), target, depth, max_given=dag.n_nodes)
    assert found == what_can_be_told(dag, target, depth)


@given(seed=st.integers(0, 2**32 - 1), depth=st.integers(1, 2))
@examples(12)
def test_every_direction_it_finds_is_one_of_the_whole_pattern(seed, depth):
    dag = random_dag(25, expected_degree=2.0, max_parents=3, random_state=seed)
    truth = dag.to_cpdag().region("v0", depth)
    found = learned(OracleTest(dag), "v0", depth, max_given=3)
    assert found.skeleton() == truth.skeleton()
    assert set(found.directed) <= set(truth.directed)


def test_neighbours_from_either_side_are_more_than_the_true_ones():
    oracle = OracleTest(DAG.from_string("T->Q, P->Q, Q->S, P->S"))
    for target in ("T", "P"):  # in the region itself, and on its last ring
        problem = asked(oracle, target=target, depth=2, max_given=4)
        both, either = (
            named(gpc(problem, symmetry=symmetry), oracle.names).skeleton().edges
            for symmetry in ("and", "or")
        )
        assert set(map(frozenset, either)) - set(map(frozenset, both)) == {frozenset("ST")}


def test_directions_that_only_the_rest_of_the_graph_tells_stay_open():
    dag = DAG.from_string("A->B<-C, B->D->E->F->G")
    oracle = OracleTest(dag)
    assert learned(oracle, "G", 1) == PDAG.from_string("F--G")
    assert dag.to_cpdag().region("G", 1) == PDAG.from_string("F->G")
    # With one more ring the collider in B comes into view.
    assert learned(oracle, "G", 4) == dag.to_cpdag().region("G", 4)


def test_outermost_ring_shows_colliders_and_is_pruned():
    oracle = OracleTest(DAG.from_string("T->A<-S, S->R"))
    assert learned(oracle, "T", 1) == PDAG.from_string("T->A")


def test_on_data_the_region_is_near_the_truth():
    alarm = networks.load("alarm")
    test = GSquareTest(alarm.sample(5_000, random_state=0))
    found = learned(test, "LVEDVOLUME", 2)
    assert found == alarm.dag.to_cpdag().region("LVEDVOLUME", 2)
    assert found.n_edges == 7


def test_order_of_columns_decides_nothing():
    data = networks.load("alarm").sample(300, random_state=1)
    answers = []
    for names in (data.names, data.names[::-1], np.random.default_rng(0).permutation(data.names)):
        test = GSquareTest(data.select(list(names)))
        found = gpc(asked(test, alpha=0.05, target="CATECHOL", depth=2))
        answers.append((named(found, test.names), sorted(found.notes)))
    assert answers[0] == answers[1] == answers[2]
    assert answers[0][0].directed


def test_edges_have_evidence_and_separating_sets_separate():
    test = GSquareTest(networks.load("alarm").sample(1_000, random_state=0))
    found = gpc(asked(test, target="CATECHOL", depth=2))
    assert set(found.edge_evidence) == {*found.directed, *found.undirected}
    assert all(evidence.dependent(0.01) for evidence in found.edge_evidence.values())
    assert found.separating_sets
    for pair, separating in found.separating_sets.items():
        assert test.test(*sorted(pair), separating).independent(0.01)
        assert pair <= set(found.nodes)


def test_knowledge_joins_parts_and_directs():
    oracle = OracleTest(DAG.from_string("A->B->C->D, E"))
    known = Knowledge(
        required=[("E", "C")], forbidden=[("A", "B"), ("B", "A")], tiers=[["B"], ["C"]]
    )
    found = learned(oracle, "C", 1, known=known)
    assert found == PDAG.from_string("B->C, E->C, C->D")
    known.check(found)


def test_required_edge_between_two_nodes_of_the_last_ring_is_there():
    oracle = OracleTest(DAG.from_string("B<-A->C"))
    known = Knowledge(required=[("B", "C")])
    found = gpc(asked(oracle, target="A", depth=1, known=known))
    assert ("B", "C") in named(found, oracle.names).directed


def test_limit_on_parents_is_refused():
    with pytest.raises(KnowledgeError, match="'gpc' cannot limit"):
        learned(OracleTest(DAG.from_string("A->B")), "A", 1, known=Knowledge(max_parents=2))


def test_interrupted_it_returns_the_rings_so_far_without_directions():
    class Impatient(Trace):
        def progressed(self, phase, n_members):
            if phase == "looking around" and n_members == 4:
                raise Cancelled

    oracle = OracleTest(DAG.from_string("T->A<-S, S->R<-Q"))
    found = gpc(asked(oracle, target="T", depth=2, trace=Impatient()))
    assert not found.complete
    assert found.directed == ()
    assert named(found, oracle.names) == PDAG.from_string("T--A--S")
