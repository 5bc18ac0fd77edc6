from __future__ import annotations

import subprocess
import sys

import networkx as nx
import numpy as np
import pytest
from graph_strategies import dags, pdags
from hypothesis import given
from hypothesis import strategies as st

from eiderdown.errors import DuplicateNamesError, GraphError, OptionError
from eiderdown.graphs import DAG, PDAG, Skeleton
from eiderdown.graphs.exchange import format_graph
from examples import examples

CONVENTIONS = ("row_to_column", "column_to_row")
conventions = st.sampled_from(CONVENTIONS)


@given(dags(), conventions)
@examples(24)
def test_dag_matrix_round_trip(dag, convention):
    matrix = dag.to_adjacency(convention=convention)
    assert DAG.from_adjacency(matrix, nodes=dag.nodes, convention=convention) == dag


@given(dags())
@examples(24)
def test_transposed_matrix_with_the_other_convention_is_the_same_dag(dag):
    matrix = dag.to_adjacency(convention="row_to_column")
    np.testing.assert_array_equal(matrix.T, dag.to_adjacency(convention="column_to_row"))
    assert DAG.from_adjacency(matrix.T, nodes=dag.nodes, convention="column_to_row") == dag


@given(dags())
@examples(12)
def test_row_to_column_is_the_convention_of_networkx(dag):
    expected = nx.to_numpy_array(dag.to_networkx(), nodelist=list(dag.nodes))
    np.testing.assert_array_equal(dag.to_adjacency(convention="row_to_column"), expected)


@given(pdags(), conventions)
@examples(24)
def test_pdag_matrix_round_trip(pdag, convention):
    matrix = pdag.to_adjacency(convention=convention)
    assert PDAG.from_adjacency(matrix, nodes=pdag.nodes, convention=convention) == pdag


def test_undirected_edge_has_a_one_both_ways():
    matrix = PDAG.from_string("A--B, A->C").to_adjacency(convention="column_to_row")
    assert matrix.tolist() == [[0, 1, 0], [1, 0, 0], [1, 0, 0]]


@given(dags())
@examples(12)
def test_skeleton_matrix_round_trip(dag):
    skeleton = dag.skeleton()
    matrix = skeleton.to_adjacency()
    np.testing.assert_array_equal(matrix, matrix.T)
    assert Skeleton.from_adjacency(matrix, nodes=skeleton.nodes) == skeleton


@pytest.mark.parametrize("graph_class", [DAG, PDAG])
def test_convention_is_required(graph_class):
    with pytest.raises(TypeError, match="convention"):
        graph_class(["A"]).to_adjacency()
    with pytest.raises(TypeError, match="convention"):
        graph_class.from_adjacency([[0]], nodes=["A"])


@pytest.mark.parametrize("graph_class", [DAG, PDAG])
def test_unknown_convention_is_refused(graph_class):
    with pytest.raises(OptionError, match="'rows'"):
        graph_class(["A"]).to_adjacency(convention="rows")
    with pytest.raises(OptionError, match="'rows'"):
        graph_class.from_adjacency([[0]], nodes=["A"], convention="rows")


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[0, 1]], r"shape \(1, 2\)"),
        ([[0, 0.5], [0, 0]], "0.5 at row 'A', column 'B'"),
        ([[0, np.nan], [0, 0]], "nan at row 'A', column 'B'"),
        ([[0, 0], [0, 1]], "'B' to itself"),
        ([[0, 1], [1, 0]], "cycle"),
    ],
)
def test_matrix_that_is_no_dag_is_refused(matrix, message):
    with pytest.raises(GraphError, match=message):
        DAG.from_adjacency(matrix, nodes=["A", "B"], convention="row_to_column")


def test_loop_and_repeated_name_are_refused_for_a_pdag():
    with pytest.raises(GraphError, match="'B' to itself"):
        PDAG.from_adjacency([[0, 0], [0, 1]], nodes=["A", "B"], convention="row_to_column")
    with pytest.raises(DuplicateNamesError, match="'A'"):
        PDAG.from_adjacency([[0, 1], [0, 0]], nodes=["A", "A"], convention="row_to_column")


def test_asymmetric_matrix_is_refused_for_a_skeleton():
    with pytest.raises(GraphError, match="'A' and 'B'"):
        Skeleton.from_adjacency([[0, 1], [0, 0]], nodes=["A", "B"])


@given(dags())
@examples(16)
def test_dag_round_trip_keeps_the_node_order(dag):
    back = DAG.from_networkx(dag.to_networkx())
    assert back == dag
    assert back.nodes == dag.nodes


@given(pdags())
@examples(16)
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


def test_chains_spaces_and_backward_arrows_are_read():
    assert DAG.from_string(" A -> B<-C ,D ") == DAG(list("ABCD"), [("A", "B"), ("C", "B")])


def test_nodes_come_in_order_of_appearance():
    assert DAG.from_string("B->A, C, A->D").nodes == ("B", "A", "C", "D")


def test_single_hyphens_and_inner_spaces_belong_to_names():
    assert DAG.from_string("blood-pressure->heart rate").nodes == ("blood-pressure", "heart rate")


@given(dags())
@examples(20)
def test_dag_text_round_trip(dag):
    assert DAG.from_string(format_graph(dag.nodes, dag.marked_edges())) == dag


@given(pdags())
@examples(20)
def test_pdag_text_round_trip(pdag):
    assert PDAG.from_string(format_graph(pdag.nodes, pdag.marked_edges())) == pdag


@pytest.mark.parametrize("text", ["A->", "->B", "A,,B", "A->->B", ","])
def test_missing_name_is_refused(text):
    with pytest.raises(GraphError, match="lacks a node name"):
        DAG.from_string(text)


def test_wrong_sort_of_edge_is_refused_by_name():
    with pytest.raises(GraphError, match="'A--B'"):
        DAG.from_string("A--B")
    with pytest.raises(GraphError, match="'A->B'"):
        Skeleton.from_string("A->B")
