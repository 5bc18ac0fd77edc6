"""Regions around every column, joined into one network."""

from __future__ import annotations

import numpy as np
import pytest
from hybrid_searches import exact_search

from eiderdown import learn_network, networks
from eiderdown.errors import KnowledgeError
from eiderdown.graphs import DAG, PDAG, random_dag, structural_hamming_distance
from eiderdown.knowledge import Knowledge
from eiderdown.networks import random_network
from eiderdown.progress import Cancelled, Trace
from eiderdown.structure import JOINED_REGIONS
from eiderdown.structure.hybrid.joined_regions import joined_regions


def exact(dag, seed=1):
    return exact_search(random_network(dag, random_state=seed))


def graph_of(found, names):
    return PDAG(
        names,
        directed=[(names[x], names[y]) for x, y in found.directed],
        undirected=[(names[x], names[y]) for x, y in found.undirected],
    )


@pytest.mark.parametrize("seed", range(40))
def test_with_exact_evidence_the_skeleton_is_the_true_one(seed):
    dag = random_dag(8, edge_probability=0.3, random_state=seed)
    found = graph_of(joined_regions(exact(dag)), dag.nodes)
    assert found.skeleton() == dag.skeleton()


@pytest.mark.parametrize("seed", range(40))
def test_with_exact_evidence_and_regions_that_hold_all_the_class_is_the_true_one(seed):
    dag = random_dag(7, edge_probability=0.35, random_state=seed)
    found = joined_regions(exact(dag), reach=6)
    assert graph_of(found, dag.nodes) == dag.to_cpdag()
    assert found.notes == ()


def test_regions_of_one_step_agree_on_most_classes():
    right = [
        graph_of(joined_regions(exact(dag)), dag.nodes) == dag.to_cpdag()
        for dag in (random_dag(7, edge_probability=0.3, random_state=seed) for seed in range(30))
    ]
    assert sum(right) >= 27


def test_an_edge_that_one_of_its_two_regions_has_is_there_with_its_evidence():
    data = networks.load("alarm").sample(1_000, random_state=0)
    network = learn_network(data, algorithm="joined_regions")
    assert network.is_cpdag
    assert network.run.algorithm == "joined_regions"
    assert network.run.options["reach"] == 1
    assert all(edge.gain is not None for edge in network.edges)
    missing = {pair for pair in network.separating_sets if network.edge(*pair) is not None}
    assert missing == set()


def test_the_joined_network_is_about_as_near_as_the_whole_search():
    alarm = networks.load("alarm")
    data, true = alarm.sample(5_000, random_state=0), alarm.dag.to_cpdag()
    joined, whole = (
        learn_network(data, algorithm=search).cpdag for search in ("joined_regions", "mmhc")
    )
    distances = [_distance(found, true) for found in (joined, whole)]
    assert distances[0] <= distances[1] + 2


def _distance(found, true):
    nodes = true.nodes
    ordered = PDAG(nodes, directed=found.directed, undirected=found.undirected)
    return structural_hamming_distance(ordered, true)


@pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")
def test_the_order_of_the_columns_and_the_number_of_threads_do_not_matter():
    data = networks.load("child").sample(800, random_state=1)
    shuffled = data.select(np.random.default_rng(2).permutation(data.names).tolist())
    found = [
        learn_network(table, algorithm="joined_regions", n_jobs=n_jobs).cpdag
        for table, n_jobs in ((data, 1), (shuffled, 1), (data, 2))
    ]
    kept = [
        (set(graph.directed), {frozenset(edge) for edge in graph.undirected}) for graph in found
    ]
    assert kept[0] == kept[1] == kept[2]


def test_knowledge_is_kept():
    data = networks.load("asia").sample(2_000, random_state=0)
    known = Knowledge(
        tiers=[["asia", "smoke"], ["tub", "lung", "bronc", "either"], ["xray", "dysp"]],
        required=[("asia", "tub")],
        forbidden=[("lung", "either"), ("either", "lung")],
    )
    network = learn_network(data, algorithm="joined_regions", knowledge=known)
    assert str(network.edge("asia", "tub")) == "asia -> tub"
    assert network.edge("lung", "either") is None
    with pytest.raises(KnowledgeError, match="max_parents"):
        learn_network(data, algorithm="joined_regions", knowledge=Knowledge(max_parents=2))


def test_a_cancelled_search_shows_the_regions_so_far():
    dag = DAG.from_string("A->C<-B, C->D->E")

    class Ending(Trace):
        def progressed(self, phase, n):
            if phase == "joining regions" and n == 2:
                raise Cancelled

    network = random_network(dag, random_state=0)
    found = joined_regions(exact_search(network, trace=Ending()))
    whole = joined_regions(exact_search(network))
    assert not found.complete
    assert whole.complete
    joined = [{frozenset(e) for e in (*f.directed, *f.undirected)} for f in (found, whole)]
    assert joined[0] < joined[1]


def test_a_table_without_dependences_has_no_edges():
    generator = np.random.default_rng(0)
    table = {name: generator.integers(0, 2, 300).astype(str) for name in "abc"}
    assert learn_network(table, algorithm=JOINED_REGIONS(reach=2)).edges == ()
