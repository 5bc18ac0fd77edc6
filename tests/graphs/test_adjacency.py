from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from graph_strategies import dags, pdags
from hypothesis import given, settings
from hypothesis import strategies as st

from eiderdown.errors import DuplicateNamesError, GraphError, OptionError
from eiderdown.graphs import DAG, PDAG, Skeleton

CONVENTIONS = ("row_to_column", "column_to_row")
conventions = st.sampled_from(CONVENTIONS)


@given(dags(), conventions)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_dag_matrix_round_trip(dag, convention):
    matrix = dag.to_adjacency(convention=convention)
    assert DAG.from_adjacency(matrix, nodes=dag.nodes, convention=convention) == dag


@given(dags())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_transposed_matrix_with_the_other_convention_is_the_same_dag(dag):
    matrix = dag.to_adjacency(convention="row_to_column")
    np.testing.assert_array_equal(matrix.T, dag.to_adjacency(convention="column_to_row"))
    assert DAG.from_adjacency(matrix.T, nodes=dag.nodes, convention="column_to_row") == dag


@given(dags())
@settings(max_examples=30, deadline=None, derandomize=True)
def test_row_to_column_is_the_convention_of_networkx(dag):
    expected = nx.to_numpy_array(dag.to_networkx(), nodelist=list(dag.nodes))
    np.testing.assert_array_equal(dag.to_adjacency(convention="row_to_column"), expected)


@given(pdags(), conventions)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_pdag_matrix_round_trip(pdag, convention):
    matrix = pdag.to_adjacency(convention=convention)
    assert PDAG.from_adjacency(matrix, nodes=pdag.nodes, convention=convention) == pdag


def test_undirected_edge_has_a_one_both_ways():
    matrix = PDAG.from_string("A--B, A->C").to_adjacency(convention="column_to_row")
    assert matrix.tolist() == [[0, 1, 0], [1, 0, 0], [1, 0, 0]]


@given(dags())
@settings(max_examples=30, deadline=None, derandomize=True)
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
