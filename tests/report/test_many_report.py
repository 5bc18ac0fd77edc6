"""Several boundaries, and boundaries of several targets, in the terminal and as a picture."""

import io
from dataclasses import replace

import pytest
from rich.console import Console
from test_text_report import RUN, evidence, result

from eiderdown.errors import OptionError
from eiderdown.report import plot_multiplicity, render
from eiderdown.report.local import N_SHOWN
from eiderdown.results import Accuracy, AllBoundaries, AlternativeBoundary, Boundaries, Replacement


def several(*found, **changes):
    alternatives = tuple(
        AlternativeBoundary(result(*map(evidence, members)), n_runs, accuracy)
        for members, n_runs, accuracy in found
    )
    n_runs = sum(item.n_runs for item in alternatives)
    whole = Boundaries("income", alternatives, n_runs, (), (), RUN, "naive Bayes, by hand")
    return replace(whole, **changes)


def printed(found, width=80):
    stream = io.StringIO()
    render(found, Console(file=stream, width=width))
    return stream.getvalue()


PAIR = several(
    (("age", "sex"), 15, Accuracy(0.8125, 0.7)),
    (("hat",), 5, Accuracy(0.75, 0.625)),
    replacements=(Replacement(("hat",), ("age", "sex"), 1),),
    interchangeable=(("age", "job"),),
)


def test_rows_show_runs_share_size_accuracy_and_members():
    lines = printed(PAIR).splitlines()
    assert all(fact in lines[0] for fact in ("2 distinct boundaries", "'income'", "20 runs"))
    assert lines[1].split() == ["runs", "share", "size", "accuracy", "balanced", "members"]
    assert lines[3].split() == ["15", "75%", "2", "0.812", "0.700", "age,", "sex"]
    assert lines[4].split() == ["5", "25%", "1", "0.750", "0.625", "hat"]
    told = "\n".join(lines[5:])
    assert all(
        fact in told for fact in ("naive Bayes, by hand", "age, job", "hat stands for age, sex")
    )


def test_continuous_target_shows_r2_and_none_shows_nothing():
    heading = printed(several((("age",), 1, Accuracy(0.5)))).splitlines()[1].split()
    assert heading == ["runs", "share", "size", "R2", "members"]
    heading = printed(several((("age",), 1, None), predicted_by=None)).splitlines()[1].split()
    assert heading == ["runs", "share", "size", "members"]


def test_boundary_whose_accuracy_was_interrupted_leaves_it_empty():
    text = printed(several((("age",), 2, Accuracy(0.5, 0.5)), (("sex",), 1, None), complete=False))
    assert "interrupted" in text
    assert ["1", "33%", "1", "sex"] in [line.split() for line in text.splitlines()]


def test_many_boundaries_are_cut_short_with_their_number():
    text = printed(several(*(((f"v{i}",), 1, None) for i in range(N_SHOWN + 4))))
    assert "and 4 more" in text
    assert f" v{N_SHOWN}" not in text


def test_no_run_at_all_prints_no_table():
    text = printed(several(complete=False, predicted_by=None))
    assert "interrupted" in text.splitlines()[0]
    assert "members" not in text


def test_each_target_has_one_line_however_long():
    names = tuple(f"a_long_name_{i}" for i in range(20))
    found = AllBoundaries({"income": result(*map(evidence, names)), "x": result(target="x")})
    lines = printed(found).splitlines()
    assert lines[0] == f"income   20  {', '.join(names)}"
    assert lines[1].split() == ["x", "0"]
    assert all(fact in lines[2] for fact in ("2 targets", "20 members", "2,468 tests", "15.78"))


@pytest.mark.parametrize(("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml")])
def test_picture_is_written_in_the_format_of_its_name(tmp_path, suffix, start):
    path = tmp_path / f"picture{suffix}"
    plot_multiplicity(PAIR, path)
    assert path.read_bytes().startswith(start)


def test_picture_counts_runs_not_boundaries():
    frequencies, sizes, accuracies = plot_multiplicity(PAIR).axes
    assert [bar.get_width() for bar in frequencies.patches] == [15, 5]
    assert [bar.get_height() for bar in sizes.patches] == [5, 15]
    assert sum(bar.get_height() for bar in accuracies.patches) == 20
    assert accuracies.get_xlabel() == "balanced accuracy"


def test_picture_without_accuracies_has_two_parts():
    assert len(plot_multiplicity(several((("age",), 1, None))).axes) == 2


def test_picture_needs_a_name_that_says_its_format(tmp_path):
    with pytest.raises(OptionError, match=r"'p\.txt'; give a name in \.png"):
        plot_multiplicity(PAIR, tmp_path / "p.txt")
