from __future__ import annotations

import subprocess
import sys

import networkx as nx
import pytest
from graph_strategies import dags, pdags
from hypothesis import given, settings

from eiderdown.errors import GraphError
from eiderdown.graphs import DAG, PDAG, Skeleton


@given(dags())
@settings(max_examples=40, deadline=None, derandomize=True)
def test_dag_round_trip_keeps_the_node_order(dag):
    back = DAG.from_networkx(dag.to_networkx())
    assert back == dag
    assert back.nodes == dag.nodes


@given(pdags())
@settings(max_examples=40, deadline=None, derandomize=True)
def test_pdag_and_skeleton_round_trip(pdag):
    assert PDAG.from_networkx(pdag.to_networkx()) == pdag
    assert Skeleton.from_networkx(pdag.skeleton().to_networkx()) == pdag.skeleton()


def test_undirected_edge_becomes_two_opposite_edges():
    graph = PDAG.from_string("A->B--C").to_networkx()
    assert set(graph.edges) == {("A", "B"), ("B", "C"), ("C", "B")}


@pytest.mark.parametrize(
    ("graph_class", "wrong", "wanted"),
    [
        (DAG, nx.Graph(), "DiGraph"),
        (PDAG, nx.Graph(), "DiGraph"),
        (Skeleton, nx.DiGraph(), "Graph"),
        (DAG, nx.MultiDiGraph(), "DiGraph"),
    ],
)
def test_graph_of_the_wrong_directedness_is_refused(graph_class, wrong, wanted):
    with pytest.raises(GraphError, match=f"networkx {wanted} is needed"):
        graph_class.from_networkx(wrong)


def test_nodes_that_are_not_strings_are_refused_by_name():
    with pytest.raises(GraphError, match="node 0"):
        DAG.from_networkx(nx.path_graph(3, create_using=nx.DiGraph))


def test_importing_graphs_does_not_import_networkx():
    code = "import sys, eiderdown.graphs; sys.exit('networkx' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
