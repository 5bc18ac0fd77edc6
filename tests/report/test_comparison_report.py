"""Compared selectors in the terminal, as a frame, and through JSON."""

import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from test_text_report import RUN

from eiderdown.report import render
from eiderdown.results import ComparedSelector, SelectorComparison, Trial, load_result
from examples import examples

TRIALS = (
    Trial(4, ("a", "b", "c", "d"), 0.75, 2, 10.0, 1.5),
    Trial(5, None, 0.85, 1, 0.1, 2.5),
)
EXAMPLE = SelectorComparison(
    target="income",
    measure="AUC",
    n_variables=40,
    n_splits=2,
    tested_on="2 folds",
    selectors=(
        ComparedSelector("rfe_50", "Halves.", TRIALS),
        ComparedSelector("iamb", "A search.", TRIALS[:1], "stopped after 1 of 2 splits."),
        ComparedSelector("snail", "Slow.", (), "took more than 5 seconds."),
    ),
    run=RUN,
)


def printed(result):
    stream = io.StringIO()
    render(result, Console(file=stream, width=80))
    return stream.getvalue().splitlines()


def test_rows_show_columns_percentage_score_error_and_seconds():
    lines = printed(EXAMPLE)
    assert all(fact in lines[0] for fact in ("'income'", "40"))
    assert lines[1].split() == ["selector", "variables", "%", "AUC", "+-", "seconds"]
    assert lines[3].split() == ["rfe_50", "4.5", "11.2", "0.800", "0.050", "2.00"]
    assert lines[4].split() == ["iamb", "4", "10", "0.750", "-", "1.50"]
    assert lines[5].split() == ["snail", "-", "-", "-", "-", "-"]


def test_reasons_why_something_is_missing_are_printed():
    lines = printed(EXAMPLE)
    assert "iamb: stopped after 1 of 2 splits." in lines
    assert "snail: took more than 5 seconds." in lines
    assert not any(line.startswith("rfe_50:") for line in lines)


def test_interrupted_comparison_says_so():
    assert "(interrupted" in printed(replace(EXAMPLE, complete=False))[0]
    nothing = printed(replace(EXAMPLE, selectors=(), complete=False))
    assert not any("seconds" in line.split() for line in nothing[:-1])


def test_frame_has_the_same_numbers():
    frame = EXAMPLE.to_frame().set_index("selector")
    assert frame.loc["rfe_50", "AUC"] == pytest.approx(0.8)
    assert frame.loc["rfe_50", "percentage"] == pytest.approx(11.25)
    assert frame["n_variables"].isna().tolist() == [False, False, True]
    assert EXAMPLE["iamb"].problem == frame.loc["iamb", "problem"]


NUMBERS = st.floats(-1e12, 1e12)
SECONDS = st.floats(0.0, 1e12)
NAMES = st.text(max_size=8)
ROWS = st.builds(
    ComparedSelector,
    NAMES,
    NAMES,
    st.lists(
        st.builds(
            Trial,
            st.integers(0, 10**6),
            st.none() | st.lists(NAMES, max_size=3).map(tuple),
            NUMBERS,
            st.none() | st.integers(1, 9),
            st.none() | NUMBERS,
            SECONDS,
        ),
        max_size=3,
    ).map(tuple),
    st.none() | NAMES,
)


@examples(20)
@given(st.lists(ROWS, max_size=3).map(tuple), st.booleans())
def test_comparison_comes_back_from_json_unchanged(rows, complete):
    result = replace(EXAMPLE, selectors=rows, complete=complete, warnings=("a",))
    assert SelectorComparison.from_json(result.to_json()) == result


def test_saved_comparison_is_loaded_as_one(tmp_path):
    EXAMPLE.save(tmp_path / "c.json")
    assert load_result(tmp_path / "c.json") == EXAMPLE
