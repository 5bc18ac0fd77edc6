"""Bit sets of ancestors agree with networkx through any sequence of changes."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from eiderdown.structure.moves import ADD, DELETE, REVERSE, is_legal, make_move
from eiderdown.structure.places import no_tabu, places_of
from eiderdown.structure.reachability import is_ancestor, no_paths
from hypothesis import given, settings
from hypothesis import strategies as st


class Board:
    """A graph in arrays beside the same graph in networkx."""

    def __init__(self, n_nodes, *, with_bits, tabu_length=0):
        everyone = np.arange(n_nodes)
        self.n_nodes = n_nodes
        room = np.full(n_nodes, n_nodes)
        self.places, self.families = places_of([np.delete(everyone, i) for i in everyone], room)
        self.paths = no_paths(n_nodes, with_bits=with_bits)
        self.tabu = no_tabu(tabu_length)
        self.graph = nx.DiGraph()
        self.graph.add_nodes_from(range(n_nodes))

    def after(self, kind, place):
        """What networkx makes of a move; None if it is none."""
        edge = int(self.places.parent[place]), int(self.places.child[place])
        if self.graph.has_edge(*edge) == (kind == ADD):
            return None
        changed = self.graph.copy()
        if kind != ADD:
            changed.remove_edge(*edge)
        if kind != DELETE:
            changed.add_edge(*(edge if kind == ADD else edge[::-1]))
        return changed if nx.is_directed_acyclic_graph(changed) else None

    def is_legal(self, kind, place):
        return bool(is_legal(self.places, self.families, self.paths, kind, place))

    def make(self, kind, place):
        self.graph = self.after(kind, place)
        make_move(self.places, self.families, self.paths, self.tabu, kind, place)

    def ancestors(self):
        return {
            b: {a for a in range(self.n_nodes) if is_ancestor(self.paths, self.families, a, b)}
            for b in range(self.n_nodes)
        }


@pytest.mark.parametrize("with_bits", [True, False])
@settings(max_examples=60, deadline=None)
@given(
    n_nodes=st.integers(2, 7),
    moves=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 41)), max_size=40),
)
def test_ancestors_and_legal_moves_are_those_of_networkx(with_bits, n_nodes, moves):
    board = Board(n_nodes, with_bits=with_bits)
    for kind, drawn in moves:
        place = drawn % len(board.places.parent)
        expected = board.after(kind, place)
        assert board.is_legal(kind, place) == (expected is not None)
        if expected is None:
            continue
        board.make(kind, place)
        assert set(board.graph.edges) == {
            (int(p), int(c))
            for p, c, there in zip(
                board.places.parent, board.places.child, board.places.present, strict=True
            )
            if there
        }
        assert board.ancestors() == {b: nx.ancestors(board.graph, b) for b in board.graph}


def test_more_than_a_word_of_nodes_is_kept_apart():
    board = Board(130, with_bits=True)
    in_a_row = [(i, i + 1) for i in range(129)]
    for parent, child in in_a_row:
        board.make(ADD, place_of(board, parent, child))
    assert board.ancestors()[129] == set(range(129))
    board.make(REVERSE, place_of(board, 64, 65))
    assert board.ancestors() == {b: nx.ancestors(board.graph, b) for b in board.graph}
    board.make(DELETE, place_of(board, 100, 101))
    assert board.ancestors() == {b: nx.ancestors(board.graph, b) for b in board.graph}


def place_of(board, parent, child):
    here = (board.places.parent == parent) & (board.places.child == child)
    return int(np.flatnonzero(here)[0])


def test_twins_are_the_same_pair_the_other_way_round():
    places, _ = places_of([np.array([1, 2]), np.array([0]), np.array([1])], np.full(3, 3))
    pairs = list(zip(places.parent.tolist(), places.child.tolist(), strict=True))
    assert pairs == [(1, 0), (2, 0), (0, 1), (1, 2)]
    assert places.twin.tolist() == [2, -1, 0, -1]


def test_no_places_at_all_is_a_layout():
    places, families = places_of([np.array([], dtype=np.int64)] * 3, np.full(3, 3))
    assert len(places.parent) == 0
    assert families.n_parents.tolist() == [0, 0, 0]
