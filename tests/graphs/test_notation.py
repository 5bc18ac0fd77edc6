from __future__ import annotations

import pytest
from graph_strategies import dags, pdags
from hypothesis import given, settings

from eiderdown.errors import GraphError
from eiderdown.graphs import DAG, PDAG, Skeleton
from eiderdown.graphs.notation import format_graph


def test_chains_spaces_and_backward_arrows_are_read():
    assert DAG.from_string(" A -> B<-C ,D ") == DAG(list("ABCD"), [("A", "B"), ("C", "B")])


def test_nodes_come_in_order_of_appearance():
    assert DAG.from_string("B->A, C, A->D").nodes == ("B", "A", "C", "D")


def test_single_hyphens_and_inner_spaces_belong_to_names():
    assert DAG.from_string("blood-pressure->heart rate").nodes == ("blood-pressure", "heart rate")


@given(dags())
@settings(max_examples=50, deadline=None, derandomize=True)
def test_dag_text_round_trip(dag):
    assert DAG.from_string(format_graph(dag.nodes, dag.marked_edges())) == dag


@given(pdags())
@settings(max_examples=50, deadline=None, derandomize=True)
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
