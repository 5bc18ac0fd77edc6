"""Every kind of result shows itself: short, whole, harmless, and in numbers that are its own."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from dataclasses import dataclass, replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from result_examples import (
    ANSWER,
    CHANGES,
    EXAMPLES,
    FILES,
    ORIENTATION,
    PATH,
    PREDICTIONS,
    SPOUSES,
)
from test_text_report import RUN, evidence, result

from eiderdown.errors import OptionError
from eiderdown.report.drawing import PICTURES, pictures_of
from eiderdown.report.graph_plot import N_AROUND
from eiderdown.report.notebook import N_FIRST, N_MORE
from eiderdown.results import (
    AllBoundaries,
    Boundaries,
    FeatureConfidence,
    LearnedNetwork,
    LocalResult,
    MarkovBoundary,
    Result,
)
from eiderdown.results.result import _KINDS
from eiderdown.results.screen import NUMBERS, ColumnScreen

HOSTILE = "<script>alert('x')</script>\x1b[2J\u202e\n$\\frac{1}{0}$ \"q\" & " + "x" * 200
BY_NAME = sorted(EXAMPLES)

every_kind = pytest.mark.parametrize("name", BY_NAME)


class Reader(HTMLParser):
    """Reads a fragment: the tags, and the text; tags must be closed in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open, self.tags, self.text = [], [], []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.append(tag)
        assert not [name for name, _ in attrs if name.startswith("on")]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def hostile(name: str) -> Result:
    """An example in which every text that could be a column's name is a hostile one."""
    found = EXAMPLES[name]
    record = json.loads(found.to_json())
    fixed = {"format", "kind", "decision", "measure", "task", "answer", "weighting", "reference"}
    fixed |= {"compared", "sort", "source", "is", "reliable", "stopped", "method"}

    def changed(value, key=""):
        if isinstance(value, dict):
            kept = key in ("options", "versions")
            return {k: v if kept else changed(v, k) for k, v in value.items()}
        if isinstance(value, list):
            return [changed(item, key) for item in value]
        return f"{value}{HOSTILE}" if isinstance(value, str) and key not in fixed else value

    record = {k: v if k == "run" else changed(v, k) for k, v in record.items()}
    for holder in (record, record.get("used", {})):
        for mapping in ("spouses", "nodes", "probabilities", "reasons"):
            if isinstance(holder.get(mapping), dict):
                holder[mapping] = {f"{k}{HOSTILE}": v for k, v in holder[mapping].items()}
    return type(found).from_dict(record)


def wide(n_members: int) -> MarkovBoundary:
    names = [f"gene_{i:06}_{'x' * 60}" for i in range(n_members)]
    items = [evidence(x, given=tuple(n for n in names if n != x)) for x in names]
    run = replace(RUN, n_columns=139_351)
    outside = [f"outside_{i}_{'y' * 60}" for i in range(run.n_columns - n_members - 1)]
    zeros = np.zeros(len(outside))
    screen = ColumnScreen.of("income", 0.01, outside, [()], dict.fromkeys(NUMBERS, zeros))
    doubt = tuple("A warning that goes on and on. " * 50 for _ in range(100))
    likely = dict.fromkeys(names, 0.5)
    return result(*items, run=run, warnings=doubt, probabilities=likely, screen=screen)


def missing_numbers(found: Result) -> set[str]:
    """Which pictures a result has no numbers for."""
    if not isinstance(found, LocalResult):
        return set()
    return ({"prediction"} if getattr(found, "prediction", None) is None else set()) | (
        set() if found.probabilities else {"probabilities"}
    )


BIG = wide(1_000)


def test_there_is_an_example_of_every_kind():
    shown = {f"eiderdown.{item.kind}" for item in EXAMPLES.values()}
    assert set(_KINDS) - {"eiderdown.result"} == shown


# --- in a line, and in a few ----------------------------------------------------------------------


@every_kind
def test_a_result_is_one_short_line_that_names_its_class(name):
    found = EXAMPLES[name]
    assert repr(found).startswith(f"<{type(found).__name__}")
    assert repr(found).endswith(">")
    assert len(repr(found)) < 300
    assert repr(found).isprintable()


@every_kind
def test_what_is_printed_is_a_few_lines_and_says_what_to_doubt(name):
    found = replace(EXAMPLES[name], warnings=("Something is odd.",), complete=False)
    text = found.summary()
    assert 2 <= len(text.split("\n")) <= 20
    assert "Something is odd." in text
    assert "nterrupted" in text
    assert "interrupted" in repr(found)
    assert len(str(found)) < 3_000


def test_a_line_has_target_members_algorithm_and_table():
    assert repr(SPOUSES) == (
        "<MarkovBoundary of 'income': 3 members (age, job, sex); iamb, 5,000 rows x 37 columns>"
    )
    nothing = result(members=())
    assert "of 'income': empty;" in repr(nothing)
    assert "1 member (age);" in repr(result(evidence("age")))


def test_a_summary_has_roles_strength_misses_and_reservations():
    lines = SPOUSES.summary().split("\n")
    assert lines[1:] == [
        "Parents or children: age, job.",
        "Spouses: sex via job.",
        "Strongest: age (p 1e-1000). Weakest: sex (p 1.2e-4), at alpha 0.01.",
        "Nearest miss: rent (p 0.368) given age.",
        "By iamb: 1,234 tests, 7.89 seconds on 5,000 rows x 37 columns.",
        "Insufficient data to be sure of: sex.",
        "Less likely members: sex (60%).",
        "Warning: With few rows, beware.",
    ]


def test_an_answer_still_prints_as_it_did():
    assert str(ANSWER).startswith("'x' and 'y' given 'z': dependent (alpha 0.01)")
    assert repr(ANSWER).startswith("<IndependenceAnswer: 'x' and 'y' given z: dependent")


def test_a_class_of_ones_own_has_a_short_line_too():
    @dataclass(frozen=True)
    class Mine(MarkovBoundary):
        more: tuple[int, ...] = tuple(range(1_000))

    mine = Mine("t", ("a",), (evidence("a"),), RUN)
    assert repr(mine) == "<Mine of 't': 1 member (a); iamb, 5,000 rows x 37 columns>"


def test_a_result_of_thousands_stays_short():
    assert len(repr(BIG)) < 400
    assert "1,000 members" in repr(BIG)
    assert "and 996 more" in repr(BIG)
    assert "139,351 columns" in repr(BIG)
    assert len(BIG.summary()) < 5_000
    assert len(BIG._repr_html_()) < 50_000


@every_kind
def test_hostile_names_are_text_everywhere(name):
    found = hostile(name)
    for text in (repr(found), found.summary()):
        assert text.replace("\n", "").isprintable()
    assert len(repr(found)) < 600
    html = found._repr_html_()
    assert len(html) < 50_000
    read = Reader(html)
    assert "script" not in read.tags
    assert "\x1b" not in html
    assert "\u202e" not in html
    for what in pictures_of(found):
        if what not in missing_numbers(found):
            found.plot(what).figure.draw_without_rendering()  # which reads all texts


# --- in a notebook --------------------------------------------------------------------------------


@every_kind
def test_a_fragment_is_compact_collapsible_and_without_scripts(name):
    html = EXAMPLES[name]._repr_html_()
    read = Reader(html)
    assert {"details", "summary", "p"} <= set(read.tags)
    assert not {"script", "iframe", "img", "link"} & set(read.tags)
    assert "http" not in html
    assert EXAMPLES[name].summary().split("\n")[0] in read.text


def test_rows_that_are_not_shown_at_once_can_be_opened_and_the_rest_is_counted():
    read = Reader(BIG._repr_html_())
    assert "1,000 decisive tests" in read.text
    assert f"{N_MORE} more" in read.text
    assert f"and {1_000 - N_FIRST - N_MORE:,} more in " in "".join(read.text)
    assert read.tags.count("tr") >= N_FIRST + N_MORE


def test_columns_without_anything_are_left_out():
    assert "probability" not in Reader(result(evidence("a"))._repr_html_()).text
    assert "probability" in Reader(SPOUSES._repr_html_()).text


def test_members_stand_out_from_what_was_left_out():
    html = SPOUSES._repr_html_()
    assert '<tr class="strong"><td>age</td>' in html.replace("\n", "")
    assert "<tr><td>rent</td>" in html.replace("\n", "")


# --- for pandas -----------------------------------------------------------------------------------


@every_kind
def test_a_frame_has_a_row_for_each_thing_and_types_that_do_not_depend_on_the_rows(name):
    frame = EXAMPLES[name].to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) > 0
    for column, dtype in frame.dtypes.items():
        if column in ("statistic", "p_value", "log_p", "effect", "gain", "share", "confidence"):
            assert dtype == "float64"


def test_the_frame_of_a_boundary_has_the_numbers_of_its_tests():
    frame = SPOUSES.to_frame().set_index("variable")
    assert frame.loc["age", "given"] == ("job", "sex")
    assert frame.loc["job", "p_value"] == pytest.approx(math.exp(-20.0))
    assert frame["decision"].tolist() == ["kept"] * 3 + ["removed", "not_admitted"]
    assert frame["role"].tolist() == [
        "parent or child",
        "parent or child",
        "spouse via job",
        "",
        "",
    ]
    assert frame.loc["sex", "answer"] == "cannot say"
    assert frame["probability"].tolist() == [1.0, 0.95, 0.6, 0.0, 0.1]
    assert frame["n_used"].dtype == "int64"
    assert result().to_frame().dtypes["log_p"] == frame.dtypes["log_p"]


def test_a_p_value_that_is_too_small_for_a_float_is_zero_and_its_logarithm_is_not():
    (row,) = result(evidence("age")).to_frame().itertuples()
    assert row.p_value == 0.0
    assert row.log_p == pytest.approx(-2302.585093)


def test_frames_of_others_have_their_own_numbers():
    roles = ORIENTATION.to_frame().set_index("column")
    assert roles["role"].tolist() == ["cause", "effect", "spouse"]
    assert roles.loc["s", "through"] == ("c",)
    assert math.isnan(roles.loc["s", "cause"])
    shown = PREDICTIONS.to_frame()
    assert shown["probability of low"].tolist() == [0.1, 0.75, 0.4]
    both = EXAMPLES["all"].to_frame()
    assert both["mutual"].dtype == bool
    assert set(both["target"]) <= set(EXAMPLES["all"])


def test_the_edges_of_a_network_come_with_the_strongest_first():
    frame = EXAMPLES["network"].to_frame()
    assert frame["gain"].is_monotonic_decreasing
    assert len(frame) == len(EXAMPLES["network"].edges)


def test_a_path_has_a_column_for_each_alpha_and_the_steadiest_first():
    frame = PATH.to_frame()
    assert frame["variable"].tolist() == ["a", "b", "c"]
    assert frame["at 0.01"].tolist() == [True, True, False]
    assert frame["smallest_alpha"].tolist() == [0.01, 0.001, 0.1]
    assert "At some of the 3: a (2), b (2), c (1)." in PATH.summary()
    axes = PATH.plot()
    assert [text.get_text() for text in axes.get_yticklabels()] == ["a", "b", "c"]
    drawn = [line.get_ydata() for line in axes.lines[1::2]]
    assert [sum(not math.isnan(y) for y in line) for line in drawn] == [
        2,
        2,
        1,
    ]  # NaN where it is outside


def test_changes_are_counted_named_and_explained():
    assert repr(CHANGES).startswith("<ResultChanges of 't': 1 entered, 1 left, 3 the same;")
    assert "Entered: a.\nLeft: b.\nWhy: alpha was 0.01 and is 0.05" in CHANGES.summary()
    assert CHANGES.to_frame()["why"].tolist() == ["alpha rose", ""]
    assert [patch.get_width() for patch in CHANGES.plot().patches] == [1, 1, 0, 3]


def test_all_features_or_those_of_a_group():
    found = EXAMPLES["confidence"]
    assert isinstance(found, FeatureConfidence)
    assert len(found.to_frame()) == sum(len(found.to_frame(group)) for group in found.groups)
    with pytest.raises(OptionError, match="group must be one of"):
        found.to_frame("nodes")


# --- pictures -------------------------------------------------------------------------------------


def test_every_kind_of_result_has_pictures():
    for found in EXAMPLES.values():
        assert pictures_of(found), type(found)
    assert len({id(drawn) for drawn in PICTURES.values()}) == len(PICTURES)


@every_kind
def test_pictures_are_axes_of_their_own_or_given_ones(name):
    found = EXAMPLES[name]
    figure = Figure()
    for what in pictures_of(found):
        given = figure.add_subplot()
        if what in missing_numbers(found):
            with pytest.raises(OptionError, match="find"):
                found.plot(what)
            continue
        axes = found.plot(what)
        assert isinstance(axes, Axes)
        assert axes.figure is not figure
        assert found.plot(what, given) is given
        assert given.has_data() or given.patches or given.texts


def test_nothing_is_left_with_pyplot():
    path = str(FILES / "boundary.json")
    code = f"import sys; from eiderdown.results import load_result; found = load_result({path!r})"
    code += "; repr(found); found.summary(); print(*sys.modules)"
    code += "; found.plot()._repr_png_(); assert 'matplotlib.pyplot' not in sys.modules"
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert not {"matplotlib", "jinja2", "pandas", "numba"} & set(said.stdout.split())


def test_axes_of_their_own_show_themselves_as_large_as_they_are():
    png, size = SPOUSES.plot("evidence")._repr_png_()
    assert png.startswith(b"\x89PNG")
    assert 400 < size["width"] < 1_000


def test_an_unknown_picture_or_option_is_answered_by_those_that_are_known():
    with pytest.raises(OptionError, match=r"one of 'graph', 'evidence', .*, not 'pie'\."):
        SPOUSES.plot("pie")
    with pytest.raises(OptionError, match=r"'evidence' takes no options, not 'colour'\."):
        SPOUSES.plot("evidence", colour="red")
    with pytest.raises(OptionError, match=r"takes 'group', not 'groups'\."):
        EXAMPLES["confidence"].plot("trade_off", groups="edges")
    with pytest.raises(OptionError, match="check_prediction=True"):
        SPOUSES.plot("prediction")


def test_bars_of_evidence_are_as_long_as_the_evidence_and_alpha_is_drawn():
    axes = SPOUSES.plot("evidence")
    labels = [text.get_text() for text in axes.get_yticklabels()]
    lengths = [patch.get_width() for patch in axes.patches]
    assert labels == ["age", "job", "sex", "rent", "city"]
    assert lengths == pytest.approx([-e.log_p / math.log(10) for e in SPOUSES.evidence])
    assert axes.lines[0].get_xdata()[0] == pytest.approx(2.0)
    assert "alpha 0.01" in axes.get_xlabel()


def test_a_boundary_is_drawn_with_spouses_pointing_at_the_shared_child():
    axes = SPOUSES.plot("graph")
    boxes = [patch for patch in axes.patches if isinstance(patch, FancyBboxPatch)]
    lines = [patch for patch in axes.patches if isinstance(patch, FancyArrowPatch)]
    names = [text.get_text() for text in axes.texts]
    assert sorted(names) == ["age", "income", "job", "sex"]
    assert len(boxes) == 4
    heads = [type(line.get_arrowstyle()).__name__ for line in lines]
    assert sorted(heads) == ["Curve", "CurveFilledB", "CurveFilledB"]  # age; income and sex to job


@pytest.mark.parametrize("n", [1, 2, 3, 7, 12, N_AROUND])
def test_boxes_around_a_target_do_not_overlap(n):
    names = [f"a_rather_long_name_{i}" for i in range(n)]
    axes = result(*map(evidence, names)).plot("graph")
    boxes = [patch for patch in axes.patches if isinstance(patch, FancyBboxPatch)]
    assert len(boxes) == n + 1
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            apart = abs(a.get_x() - b.get_x()) >= min(a.get_width(), b.get_width()) - 1e-9
            above = abs(a.get_y() - b.get_y()) >= a.get_height() - 1e-9
            assert apart or above


def test_only_the_strongest_of_thousands_of_members_are_drawn():
    axes = BIG.plot("graph")
    assert sum(isinstance(patch, FancyBboxPatch) for patch in axes.patches) == N_AROUND + 1
    assert any("of 1,000 members" in text.get_text() for text in axes.texts)
    assert len(BIG.plot("evidence").patches) <= N_AROUND


def test_a_graph_fits_into_given_axes():
    axes = Figure(figsize=(3, 2)).add_subplot()
    network = EXAMPLES["network"]
    assert isinstance(network, LearnedNetwork)
    network.plot("graph", axes)
    low, high = axes.get_xlim()
    for patch in axes.patches:
        if isinstance(patch, FancyBboxPatch):
            assert low <= patch.get_x() <= patch.get_x() + patch.get_width() <= high


def test_a_picture_of_nothing_says_so():
    alone = replace(EXAMPLES["boundaries"], replacements=())
    assert [text.get_text() for text in alone.plot("substitutions").texts] == ["none"]


def test_shares_and_counts_of_repeated_searches_are_bars():
    found = EXAMPLES["boundaries"]
    assert isinstance(found, Boundaries)
    axes = found.plot("members")
    counts = list(found.member_counts.values())
    assert [p.get_width() for p in axes.patches] == [n / found.n_runs for n in counts]
    every = EXAMPLES["all"]
    assert isinstance(every, AllBoundaries)
    assert sum(p.get_width() for p in every.plot("sizes").patches) == len(every.to_frame())
