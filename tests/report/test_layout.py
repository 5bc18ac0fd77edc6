"""A layout keeps boxes apart, edges off boxes, and heads below tails."""

from __future__ import annotations

from itertools import combinations, pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import isotonic_regression

from eiderdown.graphs import random_dag
from eiderdown.report.layers import Link, depths, downward, uncrossed
from eiderdown.report.layout import BOX_HEIGHT, lay_out, nearest_rising
from examples import examples

SETTINGS = examples(20)


@st.composite
def graphs(draw, max_nodes=14):
    """Box widths and links, with cycles, pairs joined twice and edges without direction."""
    n = draw(st.integers(1, max_nodes))
    widths = draw(st.lists(st.floats(0.2, 2.0), min_size=n, max_size=n))
    nodes = st.integers(0, n - 1)
    pairs = st.tuples(nodes, nodes, st.booleans()).filter(lambda link: link[0] != link[1])
    links = draw(st.lists(pairs, max_size=0 if n == 1 else 25))
    return widths, [Link(*link) for link in links]


def of_dag(n_nodes, probability, seed):
    dag = random_dag(n_nodes, edge_probability=probability, random_state=seed)
    links = [Link(i, j) for i, heads in enumerate(dag.child_indices) for j in heads]
    return [0.4 + 0.1 * (i % 7) for i in range(n_nodes)], links


def check_boxes(widths, found):
    for (a, (x, y)), (b, (u, v)) in combinations(enumerate(found.centres), 2):
        beside = abs(x - u) >= (widths[a] + widths[b]) / 2 + 0.1
        assert beside or abs(y - v) >= BOX_HEIGHT + 0.1
    for width, (x, y) in zip(widths, found.centres, strict=True):
        assert x - width / 2 >= -1e-9
        assert x + width / 2 <= found.width + 1e-9
        assert y - BOX_HEIGHT / 2 >= -found.height - 1e-9
        assert y + BOX_HEIGHT / 2 <= 1e-9


def points_on(route):
    """Sample an edge as it is drawn: curves that start and end upright, and lines between."""
    t = np.linspace(0, 1, 200)[:, None]
    for i, (start, end) in enumerate(pairwise(map(np.array, route))):
        middle = (start[1] + end[1]) / 2
        if i % 2:
            yield from start + (end - start) * t
        else:
            control, other = np.array([start[0], middle]), np.array([end[0], middle])
            yield from (
                (1 - t) ** 3 * start
                + 3 * (1 - t) ** 2 * t * control
                + 3 * (1 - t) * t**2 * other
                + t**3 * end
            )


def check_routes(widths, links, found):
    centres = np.array(found.centres)
    halves = np.column_stack([np.array(widths) / 2, np.full(len(widths), BOX_HEIGHT / 2)])
    for link, route in zip(links, found.routes, strict=True):
        for node, end in ((link.tail, route[0]), (link.head, route[-1])):
            gap = np.abs(np.array(end) - centres[node]) - halves[node]
            assert gap[0] < 0
            assert gap[1] == pytest.approx(0.0, abs=1e-9)
        for point in points_on(route):
            inside = np.all(np.abs(point - centres) < halves - 1e-6, axis=1)
            assert not inside.any()


@pytest.mark.no_cover
@SETTINGS
@given(graphs())
def test_boxes_do_not_touch_and_edges_go_around_them(graph):
    widths, links = graph
    found = lay_out(widths, links)
    check_boxes(widths, found)
    check_routes(widths, links, found)


@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("n_nodes", "probability"),
    [
        (40, 0.06),
        pytest.param(100, 0.025, marks=pytest.mark.slow),
        pytest.param(60, 0.12, marks=pytest.mark.slow),
    ],
)
def test_graphs_of_the_size_of_real_ones_are_laid_out_just_as_well(n_nodes, probability):
    widths, links = of_dag(n_nodes, probability, seed=4)
    found = lay_out(widths, links)
    check_boxes(widths, found)
    check_routes(widths, links, found)
    heights = [y for _, y in found.centres]
    assert all(heights[link.tail] > heights[link.head] for link in links)


@SETTINGS
@given(graphs())
def test_edges_go_down_but_for_those_that_close_a_cycle(graph):
    widths, links = graph
    down = downward(len(widths), links)
    flat = [(a, b) if falls else (b, a) for (a, b, _), falls in zip(links, down, strict=True)]
    assert nx.is_directed_acyclic_graph(nx.DiGraph(flat))
    directed = nx.DiGraph([(a, b) for a, b, has_direction in links if has_direction])
    if nx.is_directed_acyclic_graph(directed):
        assert all(falls for link, falls in zip(links, down, strict=True) if link.directed)


@SETTINGS
@given(st.integers(0, 10_000))
def test_layers_are_no_longer_than_those_of_longest_paths(seed):
    dag = random_dag(12, edge_probability=0.25, random_state=seed)
    pairs = [(i, j) for i, heads in enumerate(dag.child_indices) for j in heads]
    depth = depths(12, pairs)
    assert all(depth[upper] < depth[lower] for upper, lower in pairs)
    longest = {}
    for layer, nodes in enumerate(nx.topological_generations(dag.to_networkx())):
        longest.update(dict.fromkeys((dag.index(node) for node in nodes), layer))
    lengths = [sum(d[low] - d[up] for up, low in pairs) for d in (depth, longest)]
    assert lengths[0] <= lengths[1]


@SETTINGS
@given(st.lists(st.tuples(st.floats(-9, 9), st.floats(0.1, 5)), min_size=1, max_size=12))
def test_numbers_that_never_fall_are_those_of_isotonic_regression(items):
    values, weights = zip(*items, strict=True)
    expected = isotonic_regression(values, sample_weight=weights)
    assert nearest_rising(values, weights) == pytest.approx(expected.tolist())


@SETTINGS
@given(st.permutations(range(6)), st.permutations(range(6, 12)))
def test_edges_that_need_not_cross_do_not(upper, lower):
    below = tuple((i + 6,) for i in range(6)) + ((),) * 6
    above = ((),) * 6 + tuple((i,) for i in range(6))
    top, bottom = uncrossed([list(upper), list(lower)], above, below)
    assert [node + 6 for node in top] == bottom


def test_a_wide_layer_is_wrapped():
    star = lay_out([1.0] * 61, [Link(0, i) for i in range(1, 61)])
    assert star.width < 20
    assert len({y for _, y in star.centres}) > 3
    check_routes([1.0] * 61, [Link(0, i) for i in range(1, 61)], star)


def test_parts_that_do_not_hang_together_stand_side_by_side():
    pairs = [Link(2 * i, 2 * i + 1) for i in range(12)]
    found = lay_out([0.5] * 24, pairs)
    assert found.width > 3
    assert found.height < found.width
    check_boxes([0.5] * 24, found)


def test_edges_at_one_side_of_a_box_do_not_end_in_one_point():
    found = lay_out([1.0] * 4, [Link(0, 3), Link(1, 3), Link(2, 3), Link(2, 3, False)])
    ends = sorted(route[-1][0] for route in found.routes)
    assert all(b - a > 0.05 for a, b in pairwise(ends))
