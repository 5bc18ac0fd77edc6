"""The best move is the one that a look at every candidate edge finds, ties included."""

from __future__ import annotations

import numpy as np
import pytest
from exact_scores import RandomScore
from hypothesis import given
from hypothesis import strategies as st

from eiderdown.progress import Trace
from eiderdown.structure.climbing.moves import ADD, DELETE, REVERSE, best_move, is_legal
from eiderdown.structure.climbing.search_state import SearchState, Strategy
from examples import examples


class WholeScore(RandomScore):
    """A random score of whole numbers: many moves gain the same."""

    def _local(self, child, parents):
        return float(round(2.0 * super()._local(child, parents)))


def edges_after(graph, kind, edge):
    """Tell which candidate edges the graph has that a move leads to."""
    present = graph.edges.present.copy()
    present[edge] = kind == ADD
    if kind == REVERSE:
        present[graph.edges.reverse[edge]] = True
    return present.tobytes()


def naive_best_move(graph, seen):
    """Look at every move to a graph that was not seen; the edge left alone for longest wins."""
    found = []
    for edge in range(len(graph.edges.parent)):
        for kind in (ADD, DELETE, REVERSE):
            if is_legal(graph, kind, edge) and edges_after(graph, kind, edge) not in seen:
                gain = graph.edges.gain[edge]
                if kind == REVERSE:
                    gain += graph.edges.gain[graph.edges.reverse[edge]]
                found.append((-gain, graph.edges.changed_at[edge], kind, edge))
    return min(found, default=None)


@pytest.mark.parametrize("score_class", [RandomScore, WholeScore])
@examples(16)
@given(n=st.integers(2, 7), seed=st.integers(0, 10_000), tabu_length=st.sampled_from([0, 3, 100]))
def test_best_move_is_that_of_all_moves(score_class, n, seed, tabu_length):
    score = score_class([f"v{i}" for i in range(n)], seed)
    nodes = np.arange(n)
    state = SearchState(score, dict.fromkeys(range(n), nodes), tabu_length=tabu_length)
    seen = []
    for _ in range(25):
        graph = state._graph
        expected = naive_best_move(graph, seen[-tabu_length:] if tabu_length else ())
        found = best_move(graph, state.tolerance)
        if expected is None:
            assert found.edge == -1
            return
        assert (found.kind, found.edge) == expected[2:]
        assert found.gain == -expected[0]
        seen.append(graph.edges.present.tobytes())
        state.go_up(Strategy(patience=15), Trace(), most_moves=1)
