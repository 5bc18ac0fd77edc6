"""Hypothesis strategies for graphs of a few nodes."""

from __future__ import annotations

from itertools import combinations

from hypothesis import strategies as st

from eiderdown.graphs import DAG, PDAG

LETTERS = tuple("ABCDEFG")


@st.composite
def dags(draw, min_nodes=1, max_nodes=7):
    n_nodes = draw(st.integers(min_nodes, max_nodes))
    order = draw(st.permutations(LETTERS[:n_nodes]))
    pairs = list(combinations(order, 2))
    kept = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    return DAG(LETTERS[:n_nodes], [pair for pair, keep in zip(pairs, kept, strict=True) if keep])


@st.composite
def pdags(draw, min_nodes=1, max_nodes=6):
    dag = draw(dags(min_nodes, max_nodes))
    marks = draw(st.lists(st.booleans(), min_size=dag.n_edges, max_size=dag.n_edges))
    marked = list(zip(dag.edges, marks, strict=True))
    return PDAG(
        dag.nodes,
        directed=[edge for edge, keep in marked if keep],
        undirected=[edge for edge, keep in marked if not keep],
    )


@st.composite
def queries(draw):
    """A DAG with two distinct nodes and a conditioning set without them."""
    dag = draw(dags(min_nodes=2))
    x, y, *rest = draw(st.permutations(dag.nodes))
    given = rest[: draw(st.integers(0, len(rest)))]
    return dag, x, y, given
