"""A learned graph in the terminal and as a picture."""

import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from rich.console import Console
from test_text_report import RUN, evidence

from eiderdown.errors import OptionError
from eiderdown.graphs import PDAG, random_dag
from eiderdown.report import plot_graph, render
from eiderdown.report.networks import N_SHOWN
from eiderdown.results import LearnedEdge, LearnedNetwork, LearnedRegion
from examples import examples


def network(*edges, **changes):
    nodes = tuple(dict.fromkeys(name for edge in edges for name in (edge.left, edge.right)))
    whole = LearnedNetwork(nodes=nodes, edges=edges, is_cpdag=False, run=RUN)
    return replace(whole, **changes)


SCORED = network(
    LearnedEdge("age", "sport", gain=12.25),
    LearnedEdge("job", "income", compelled=True, gain=1234.5),
    LearnedEdge("age", "income", compelled=True, gain=20.0),
    score=-5_000.125,
    n_scores=321,
)
TESTED = network(
    LearnedEdge("age", "sport", directed=False, test=evidence("age")),
    is_cpdag=True,
)


def printed(found, width=80):
    stream = io.StringIO()
    render(found, Console(file=stream, width=width))
    return stream.getvalue()


def test_edges_with_the_largest_gain_come_first():
    lines = printed(SCORED).splitlines()
    assert "4 columns and 3 edges" in lines[0]
    assert lines[1].split() == ["edge", "direction", "gain"]
    assert [line.split() for line in lines[3:6]] == [
        ["job", "->", "income", "compelled", "1,234.5"],
        ["age", "->", "income", "compelled", "20.0"],
        ["age", "->", "sport", "free", "12.2"],
    ]
    assert "-5,000.12" in lines[6]
    assert "321 local scores" in lines[7]


def test_edges_from_tests_show_the_test():
    lines = printed(TESTED).splitlines()
    assert "CPDAG" in lines[0]
    assert lines[1].split() == ["edge", "given", "statistic", "p", "effect"]
    assert lines[3].startswith("age -- sport")
    assert TESTED.edges[0].test.p_text in lines[3]


def test_a_region_names_its_centre():
    fields = {name: getattr(SCORED, name) for name in SCORED.__dataclass_fields__}
    found = LearnedRegion(**fields, target="age", depth=2)
    assert "within 2 steps of 'age'" in printed(found).splitlines()[0]


def test_an_interrupted_search_says_so():
    assert "interrupted" in printed(replace(SCORED, complete=False))


def test_an_empty_graph_has_no_table():
    lines = printed(replace(SCORED, edges=(), score=None)).splitlines()
    assert len(lines) == 2


def test_many_edges_are_cut_off_with_a_number():
    edges = tuple(LearnedEdge(f"x{i}", f"y{i}", gain=float(i)) for i in range(N_SHOWN + 7))
    assert "and 7 more" in printed(network(*edges))


def heights(figure):
    axes = figure.axes[0]
    boxes = [patch for patch in axes.patches if isinstance(patch, FancyBboxPatch)]
    names = [text.get_text() for text in axes.texts]
    return {name: box.get_y() for name, box in zip(names, boxes, strict=True)}


def of_graph(graph):
    edges = [LearnedEdge(a, b, directed=mark == "->") for a, mark, b in graph.marked_edges()]
    return network(*edges, nodes=tuple(graph.nodes), is_cpdag=isinstance(graph, PDAG))


@examples(10)
@given(st.integers(0, 10_000), st.booleans())
def test_children_are_below_their_parents(seed, as_cpdag):
    dag = random_dag(9, edge_probability=0.3, random_state=seed)
    graph = dag.to_cpdag() if as_cpdag else dag
    height = heights(plot_graph(of_graph(graph)))
    assert sorted(height) == sorted(dag.nodes)
    assert all(height[parent] > height[child] for parent, child in graph.directed)


def test_a_cycle_of_undirected_edges_is_drawn_all_the_same():
    square = PDAG.from_string("A--B, B--C, C--D, D--A")
    assert sorted(heights(plot_graph(of_graph(square)))) == ["A", "B", "C", "D"]


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_the_picture_is_written(tmp_path, suffix):
    plot_graph(TESTED, tmp_path / f"graph{suffix}")
    assert (tmp_path / f"graph{suffix}").stat().st_size > 1_000


def test_the_picture_has_every_node_and_edge():
    axes = plot_graph(SCORED).axes[0]
    assert sorted(text.get_text() for text in axes.texts) == sorted(SCORED.nodes)
    lines = [patch for patch in axes.patches if isinstance(patch, FancyArrowPatch)]
    assert len(lines) == len(SCORED.edges)


def test_a_picture_in_an_unknown_format_is_refused(tmp_path):
    with pytest.raises(OptionError, match=r"Cannot draw into 'graph\.doc'"):
        plot_graph(SCORED, tmp_path / "graph.doc")
