"""Features of graphs against networkx, and the counts that Pena et al. print for Alarm."""

from __future__ import annotations

from itertools import combinations, pairwise

import networkx as nx
import numpy as np
import pytest
from graph_strategies import dags, pdags
from hypothesis import given

from eiderdown import networks
from eiderdown.graphs import DAG, PDAG, random_dag
from eiderdown.graphs.metrics import features_of
from examples import examples

SETTINGS = examples(32)


def pairs(matrix, nodes):
    return {(nodes[i], nodes[j]) for i, j in np.argwhere(matrix).tolist()}


def both_ways(edges):
    return {pair for a, b in edges for pair in ((a, b), (b, a))}


def directed_part(graph):
    found = nx.DiGraph(graph.edges if isinstance(graph, DAG) else graph.directed)
    found.add_nodes_from(graph.nodes)
    return found


@SETTINGS
@given(dags())
def test_a_dag_and_its_essential_graph_have_the_paths_of_the_transitive_closure(dag):
    for graph in (dag, dag.to_cpdag()):
        expected = set(nx.transitive_closure(directed_part(graph)).edges)
        assert pairs(features_of(graph).path, graph.nodes) == expected


@SETTINGS
@given(dags())
def test_boundaries_of_a_dag_are_those_of_its_moral_graph(dag):
    moral = nx.moral_graph(dag.to_networkx())
    assert pairs(features_of(dag).boundary, dag.nodes) == both_ways(moral.edges)


@SETTINGS
@given(dags())
def test_the_essential_graph_has_the_boundaries_of_the_dag(dag):
    of_dag, of_class = features_of(dag), features_of(dag.to_cpdag())
    assert np.array_equal(of_dag.boundary, of_class.boundary)


@SETTINGS
@given(pdags())
def test_edges_and_boundaries_of_any_partly_directed_graph(pdag):
    found = features_of(pdag)
    assert pairs(found.directed, pdag.nodes) == set(pdag.directed)
    assert pairs(found.undirected, pdag.nodes) == both_ways(pdag.undirected)
    married = {
        couple for child in pdag.nodes for couple in combinations(sorted(pdag.parents(child)), 2)
    }
    edges = set(pdag.directed) | set(pdag.undirected)
    assert pairs(found.boundary, pdag.nodes) == both_ways(edges | married)


def test_the_papers_counts_for_alarm_are_those_of_the_essential_graph():
    dag = networks.load("alarm").dag
    of_class, of_dag = features_of(dag.to_cpdag()), features_of(dag)
    n_undirected = int(of_class.undirected.sum()) // 2
    assert int(of_class.directed.sum()) + n_undirected == dag.n_edges == 46
    assert n_undirected == 4
    assert int(of_class.path.sum()) == 196
    assert int(of_dag.path.sum()) == 223
    assert int(of_class.boundary.sum()) // 2 == 65


def test_a_long_chain_reaches_its_end():
    nodes = [f"x{i}" for i in range(500)]
    chain = DAG(nodes, list(pairwise(nodes)))
    assert np.array_equal(features_of(chain).path, np.triu(np.ones((500, 500), dtype=bool), 1))


def test_kinds_are_had_by_name_and_cannot_be_changed():
    found = features_of(random_dag(8, edge_probability=0.4, random_state=1).to_cpdag())
    for kind in ("directed", "undirected", "path", "boundary"):
        assert found.of_kind(kind) is getattr(found, kind)
        with pytest.raises(ValueError, match="read-only"):
            found.of_kind(kind)[0, 0] = True


def test_a_graph_without_edges_has_no_features():
    found = features_of(PDAG(["A", "B"]))
    assert not any(found.of_kind(kind).any() for kind in ("directed", "undirected", "path"))
    assert found.boundary.shape == (2, 2)
    assert not found.boundary.any()
