"""Bit sets of ancestors agree with networkx through any sequence of changes."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eiderdown.structure.climbing.ancestors import is_ancestor
from eiderdown.structure.climbing.moves import ADD, DELETE, REVERSE, is_legal, make_move
from eiderdown.structure.climbing.moving_graph import empty_graph
from examples import examples


class Board:
    """A graph in arrays beside the same graph in networkx."""

    def __init__(self, n_nodes, *, with_bits, tabu_length=0):
        everyone = np.arange(n_nodes)
        self.n_nodes = n_nodes
        self.arrays = empty_graph(
            [np.delete(everyone, i) for i in everyone],
            np.full(n_nodes, n_nodes),
            tabu_length=tabu_length,
            with_bits=with_bits,
        )
        self.edges = self.arrays.edges
        self.graph = nx.DiGraph()
        self.graph.add_nodes_from(range(n_nodes))

    def after(self, kind, edge):
        """What networkx makes of a move; None if it is none."""
        edge = int(self.edges.parent[edge]), int(self.edges.child[edge])
        if self.graph.has_edge(*edge) == (kind == ADD):
            return None
        changed = self.graph.copy()
        if kind != ADD:
            changed.remove_edge(*edge)
        if kind != DELETE:
            changed.add_edge(*(edge if kind == ADD else edge[::-1]))
        return changed if nx.is_directed_acyclic_graph(changed) else None

    def is_legal(self, kind, edge):
        return bool(is_legal(self.arrays, kind, edge))

    def make(self, kind, edge):
        self.graph = self.after(kind, edge)
        make_move(self.arrays, kind, edge)

    def ancestors(self):
        return {
            b: {
                a
                for a in range(self.n_nodes)
                if is_ancestor(self.arrays.ancestors, self.arrays.families, a, b)
            }
            for b in range(self.n_nodes)
        }


@pytest.mark.parametrize("with_bits", [True, False])
@examples(24)
@given(
    n_nodes=st.integers(2, 7),
    moves=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 41)), max_size=40),
)
def test_ancestors_and_legal_moves_are_those_of_networkx(with_bits, n_nodes, moves):
    board = Board(n_nodes, with_bits=with_bits)
    for kind, drawn in moves:
        edge = drawn % len(board.edges.parent)
        expected = board.after(kind, edge)
        assert board.is_legal(kind, edge) == (expected is not None)
        if expected is None:
            continue
        board.make(kind, edge)
        assert set(board.graph.edges) == {
            (int(p), int(c))
            for p, c, there in zip(
                board.edges.parent, board.edges.child, board.edges.present, strict=True
            )
            if there
        }
        assert board.ancestors() == {b: nx.ancestors(board.graph, b) for b in board.graph}


def test_more_than_a_word_of_nodes_is_kept_apart():
    board = Board(130, with_bits=True)
    in_a_row = [(i, i + 1) for i in range(129)]
    for parent, child in in_a_row:
        board.make(ADD, edge_of(board, parent, child))
    assert board.ancestors()[129] == set(range(129))
    board.make(REVERSE, edge_of(board, 64, 65))
    assert board.ancestors() == {b: nx.ancestors(board.graph, b) for b in board.graph}
    board.make(DELETE, edge_of(board, 100, 101))
    assert board.ancestors() == {b: nx.ancestors(board.graph, b) for b in board.graph}


def edge_of(board, parent, child):
    here = (board.edges.parent == parent) & (board.edges.child == child)
    return int(np.flatnonzero(here)[0])


def test_a_reverse_is_the_same_pair_the_other_way_round():
    edges = empty_graph([np.array([1, 2]), np.array([0]), np.array([1])], np.full(3, 3)).edges
    pairs = list(zip(edges.parent.tolist(), edges.child.tolist(), strict=True))
    assert pairs == [(1, 0), (2, 0), (0, 1), (1, 2)]
    assert edges.reverse.tolist() == [2, -1, 0, -1]


def test_no_candidate_edges_at_all_is_a_layout():
    graph = empty_graph([np.array([], dtype=np.int64)] * 3, np.full(3, 3))
    assert len(graph.edges.parent) == 0
    assert graph.families.n_parents.tolist() == [0, 0, 0]
