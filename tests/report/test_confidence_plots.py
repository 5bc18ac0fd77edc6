"""Pictures of confidence: the trade-off curves, and optima against rows."""

import pytest
from confidence_examples import BOUNDARIES, OPTIMA, RESULT
from matplotlib.colors import to_hex

from eiderdown.errors import OptionError
from eiderdown.report import plot_optima, plot_trade_off


def test_every_group_has_its_curve_of_false_positives_over_false_negatives():
    figure = plot_trade_off(RESULT)
    for axes, group in zip(figure.axes, ("edges", "paths", "boundaries"), strict=True):
        curve = RESULT.curve(group)
        line = axes.lines[0]
        assert line.get_xdata().tolist() == [point.false_negatives for point in curve]
        assert line.get_ydata().tolist() == [point.false_positives for point in curve]
        assert (axes.get_xlabel(), axes.get_ylabel()) == ("false negatives", "false positives")


def test_the_suggested_threshold_has_a_ring_a_bold_number_and_its_errors():
    axes = plot_trade_off(RESULT).axes[0]
    ring = axes.lines[1]
    assert (list(ring.get_xdata()), list(ring.get_ydata())) == ([1], [0])
    bold = [text.get_text() for text in axes.texts if text.get_weight() == "bold"]
    assert bold == ["0.65"]
    assert all(f in axes.get_title() for f in ("edges", "0 FP", "1 FN", "2 TP", "0.65"))


def test_thresholds_with_the_same_errors_share_a_label():
    labels = [text.get_text() for text in plot_trade_off(RESULT).axes[0].texts]
    assert labels == ["0.65", "0.05-0.25", "0.30-0.50", "0.80-1.00"]


def test_labels_keep_their_distance():
    axes = plot_trade_off(RESULT).axes[1]
    places = [text.xy for text in axes.texts]
    assert len(places) == len(set(places)) > 1


def test_boundaries_have_one_curve():
    (axes,) = plot_trade_off(BOUNDARIES).axes
    assert axes.get_title().startswith("boundaries: ")


def test_optima_are_drawn_as_means_over_a_logarithmic_axis():
    (axes,) = plot_optima(OPTIMA).axes
    (line,) = axes.lines
    assert (line.get_xdata().tolist(), line.get_ydata().tolist()) == ([0.1, 1.0], [70.0, 3.0])
    assert axes.get_xscale() == "log"
    assert [label.get_text() for label in axes.get_xticklabels()] == ["10 %", "100 %"]
    assert axes.collections[0].get_offsets().tolist() == [[0.1, 80], [0.1, 60], [1.0, 3]]
    assert "100 runs" in axes.get_title()
    assert axes.get_legend() is None


def test_several_tables_have_a_curve_and_a_name_each():
    (axes,) = plot_optima({"alarm": OPTIMA, "leukaemia": OPTIMA}).axes
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["alarm", "leukaemia"]
    assert len({to_hex(line.get_color()) for line in axes.lines}) == 2


@pytest.mark.parametrize(("plot", "result"), [(plot_trade_off, RESULT), (plot_optima, OPTIMA)])
def test_pictures_are_written_into_files_of_known_formats(tmp_path, plot, result):
    for suffix in (".png", ".svg"):
        plot(result, tmp_path / f"picture{suffix}")
        assert (tmp_path / f"picture{suffix}").stat().st_size > 1_000
    with pytest.raises(OptionError, match=r"Cannot draw into 'picture\.doc'"):
        plot(result, tmp_path / "picture.doc")
