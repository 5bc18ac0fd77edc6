"""The graph of confident edges: one line for each edge, in the style of what it is."""

from dataclasses import replace

import pytest
from confidence_examples import BOUNDARIES, RESULT, with_edges
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_hex
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from eiderdown.errors import GraphError, OptionError
from eiderdown.report import plot_confident_graph
from examples import examples


def lines(figure):
    return [p for p in figure.axes[0].patches if isinstance(p, FancyArrowPatch)]


def boxes(figure):
    found = [p for p in figure.axes[0].patches if isinstance(p, FancyBboxPatch)]
    names = [text.get_text() for text in figure.axes[0].texts]
    return dict(zip(names, found, strict=True))


def styles(figure):
    return [line.get_linestyle() for line in lines(figure)]


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_edges_are_solid_dashed_or_dotted():
    figure = plot_confident_graph(RESULT, threshold=0.5)
    assert styles(figure) == ["-", "-", "--", ":"]
    assert [text.rpartition(": ")[2] for text in legend(figure)[:3]] == ["2", "1", "1"]
    facts = ("0.50", "4 distinct models", "100 runs")
    assert all(fact in figure.get_suptitle() for fact in facts)


def test_without_a_threshold_the_suggested_one_is_taken():
    assert "at least 0.65" in plot_confident_graph(RESULT).get_suptitle()
    assert styles(plot_confident_graph(RESULT)) == ["-", "-", ":"]


def test_lines_are_the_wider_the_more_confident_and_bold_if_strong():
    chain = [("a", "b", 0.95, True), ("b", "c", 0.9, True), ("c", "d", 0.5, True)]
    strong, sure, fair = [
        e.get_linewidth() for e in lines(plot_confident_graph(with_edges(*chain)))
    ]
    assert strong > 1.5 * sure > 1.5 * fair
    weaker = plot_confident_graph(with_edges(*chain), strong=0.9)
    assert [e.get_linewidth() for e in lines(weaker)] == [strong, strong, fair]
    assert "0.90" in legend(weaker)[-1]


def test_only_directed_edges_have_arrowheads():
    drawn = lines(plot_confident_graph(RESULT, threshold=0.25))
    heads = [type(line.get_arrowstyle()).__name__ for line in drawn]
    assert sorted(heads) == ["Curve"] * 2 + ["CurveFilledB"] * 3


def test_every_column_has_a_box_and_those_without_edges_stand_at_the_bottom():
    figure = plot_confident_graph(RESULT)
    found = boxes(figure)
    assert sorted(found) == sorted(RESULT.nodes)
    heights = {name: box.get_y() for name, box in found.items()}
    assert min(heights, key=heights.get) == "idle"
    assert heights["rain"] == heights["hose"] > heights["wet"] > heights["slip"]


def test_an_arrow_ends_at_the_box_of_its_head():
    figure = plot_confident_graph(with_edges(("b", "a", 1.0, True)))
    (line,), found = lines(figure), boxes(figure)
    outline = line.get_path()
    points = outline.vertices[outline.codes != outline.CLOSEPOLY]
    tail, head = found["b"], found["a"]
    assert points[0].tolist() == pytest.approx([tail.get_x() + tail.get_width() / 2, tail.get_y()])
    tip = points[points[:, 1].argmin()]
    assert tip.tolist() == pytest.approx(
        [head.get_x() + head.get_width() / 2, head.get_y() + head.get_height()], abs=0.05
    )


def test_many_columns_without_edges_are_a_number_in_the_title():
    wide = with_edges(("a", "b", 1.0, True), n_nodes=500)
    figure = plot_confident_graph(wide)
    assert sorted(boxes(figure)) == ["a", "b"]
    assert "498 columns" in figure.get_suptitle()
    assert sorted(boxes(plot_confident_graph(wide, target="z00007"))) == ["a", "b", "z00007"]


def test_a_target_and_its_boundary_are_coloured():
    for figure in (
        plot_confident_graph(RESULT, target="wet"),
        plot_confident_graph(replace(RESULT, target="wet")),
    ):
        fills = {name: to_hex(box.get_facecolor()) for name, box in boxes(figure).items()}
        assert fills["idle"] == "#ffffff"
        assert fills["hose"] == fills["rain"] == fills["slip"]
        assert len(set(fills.values())) == 3


def test_boundaries_are_lines_to_their_members():
    figure = plot_confident_graph(BOUNDARIES, threshold=0.4)
    assert styles(figure) == ["-", "--"]
    assert {type(line.get_arrowstyle()).__name__ for line in lines(figure)} == {"Curve"}
    assert "boundaries" in figure.get_suptitle()


def test_a_result_without_edges_still_has_its_columns():
    figure = plot_confident_graph(replace(RESULT, features=()))
    assert lines(figure) == []
    assert len(boxes(figure)) == 5


def test_names_are_written_as_they_are_unless_long():
    edge = ("price_$_and_$", "a_name_that_goes_on_and_on_without_end", 1.0, True)
    names = list(boxes(plot_confident_graph(with_edges(edge))))
    assert names == ["a_name_that_goes_on_and…", "price_$_and_$"]


def test_a_huge_graph_is_drawn_on_a_smaller_scale():
    chain = [(f"x{i:03}", f"x{i + 1:03}", 1.0, True) for i in range(150)]
    figure = plot_confident_graph(with_edges(*chain))
    assert max(figure.get_size_inches()) == pytest.approx(60.0)
    small = plot_confident_graph(with_edges(*chain[:5]))
    sizes = [f.axes[0].texts[0].get_fontsize() for f in (figure, small)]
    assert sizes[0] < sizes[1]


@pytest.mark.no_cover
@examples(4)
@given(st.permutations(RESULT.nodes))
def test_the_order_of_columns_does_not_matter(nodes):
    usual, turned = (
        plot_confident_graph(replace(RESULT, nodes=tuple(order)), threshold=0.25)
        for order in (RESULT.nodes, nodes)
    )
    for one, other in zip(lines(usual), lines(turned), strict=True):
        assert one.get_path().vertices.tolist() == other.get_path().vertices.tolist()


def test_the_picture_is_written(tmp_path):
    for suffix in (".png", ".svg", ".pdf"):
        plot_confident_graph(RESULT, tmp_path / f"graph{suffix}")
        assert (tmp_path / f"graph{suffix}").stat().st_size > 1_000


def test_what_cannot_be_drawn_is_refused(tmp_path):
    with pytest.raises(OptionError, match=r"Cannot draw into 'graph\.doc'"):
        plot_confident_graph(RESULT, tmp_path / "graph.doc")
    with pytest.raises(OptionError, match="threshold must be above 0"):
        plot_confident_graph(RESULT, threshold=0.0)
    with pytest.raises(OptionError, match="strong must be above 0 and at most 1, not 2"):
        plot_confident_graph(RESULT, strong=2.0)
    with pytest.raises(GraphError, match="no node 'rian'; did you mean 'rain'"):
        plot_confident_graph(RESULT, target="rian")
