"""Results survive JSON unchanged, and what is no result is refused with a sentence."""

from __future__ import annotations

import copy
import json
import math
import pickle
import warnings
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eiderdown import find_all_boundaries, find_boundary, networks
from eiderdown.errors import EiderdownWarning, ResultFormatError, UnreadableFileError
from eiderdown.results import (
    Accuracy,
    AllBoundaries,
    AlternativeBoundary,
    Boundaries,
    EdgeStability,
    Evidence,
    FeatureConfidence,
    Interactions,
    LearnedNetwork,
    LearnedRegion,
    MarkovBoundary,
    OptimaBySize,
    ParentsChildren,
    Replacement,
    Run,
    SelectorComparison,
    issue_warnings,
    load_result,
    withheld_warnings,
)
from examples import examples

OLD_FILES = sorted((Path(__file__).parent / "files_of_0_1").glob("*.json"))
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
COUNTS = st.integers(0, 10**9)
SECONDS = st.floats(0.0, 1e12)
NAMES = st.text(max_size=12)
OPTIONS = st.dictionaries(NAMES, st.none() | st.booleans() | COUNTS | NUMBERS | NAMES, max_size=4)

EVIDENCE = st.builds(
    Evidence,
    variable=NAMES,
    decision=st.sampled_from(["kept", "removed", "not_admitted"]),
    given=st.lists(NAMES, max_size=3).map(tuple),
    statistic=NUMBERS,
    dof=NUMBERS,
    log_p=st.floats(-1e9, 0.0),
    n_used=COUNTS,
    effect=NUMBERS,
    allows=st.sampled_from(["both", "dependence", "nothing", "function"]),
)
RUNS = st.builds(
    Run,
    algorithm=NAMES,
    options=OPTIONS,
    n_tests=COUNTS,
    n_repeated=COUNTS,
    n_skipped=COUNTS,
    seconds=SECONDS,
    n_rows=COUNTS,
    n_columns=COUNTS,
    fingerprint=NAMES,
    random_state=st.none() | COUNTS,
    versions=st.dictionaries(NAMES, NAMES, max_size=3),
)
BOUNDARIES = st.builds(
    MarkovBoundary,
    target=NAMES,
    members=st.lists(NAMES, max_size=4).map(tuple),
    evidence=st.lists(EVIDENCE, max_size=4).map(tuple),
    run=RUNS,
    parents_children=st.none() | st.lists(NAMES, max_size=3).map(tuple),
    spouses=st.dictionaries(NAMES, NAMES, max_size=2),
    warnings=st.lists(NAMES, max_size=2).map(tuple),
    complete=st.booleans(),
)
PARENTS_CHILDREN = st.builds(
    ParentsChildren,
    target=NAMES,
    members=st.lists(NAMES, max_size=2).map(tuple),
    evidence=st.just(()),
    run=RUNS,
)
SEVERAL = st.builds(
    Boundaries,
    target=NAMES,
    alternatives=st.lists(
        st.builds(
            AlternativeBoundary,
            boundary=BOUNDARIES,
            n_runs=st.integers(1, 1000),
            accuracy=st.none() | st.builds(Accuracy, NUMBERS, st.none() | NUMBERS),
        ),
        max_size=3,
    ).map(tuple),
    n_runs=st.integers(1000, 10**9),
    replacements=st.lists(
        st.builds(Replacement, st.tuples(NAMES), st.tuples(NAMES, NAMES), COUNTS), max_size=2
    ).map(tuple),
    interchangeable=st.lists(st.tuples(NAMES, NAMES), max_size=2).map(tuple),
    run=RUNS,
    predicted_by=st.none() | NAMES,
    warnings=st.lists(NAMES, max_size=2).map(tuple),
    complete=st.booleans(),
)
ALL = st.builds(
    lambda results, complete: AllBoundaries({r.target: r for r in results}, ("a",), complete),
    st.lists(BOUNDARIES | PARENTS_CHILDREN, max_size=3),
    st.booleans(),
)
EXAMPLE = MarkovBoundary(
    target="t",
    members=("a",),
    evidence=(
        Evidence("a", "kept", ("b",), 9.0, 1.0, -4.5, 100, 0.1, "dependence"),
        Evidence("b", "removed", ("a",), 0.1, 1.0, -0.1, 100, 0.0),
    ),
    run=Run("iamb", {"alpha": 0.01}, 3, 1, 0, 0.5, 100, 3, "abc", None, {"numpy": "2"}),
)


@examples(32)
@given(boundary=BOUNDARIES)
def test_a_result_comes_back_from_json_unchanged(boundary):
    assert MarkovBoundary.from_json(boundary.to_json()) == boundary


@examples(20)
@given(result=SEVERAL | ALL | PARENTS_CHILDREN)
def test_results_of_other_kinds_come_back_from_json_unchanged(result):
    assert type(result).from_json(result.to_json()) == result


@pytest.mark.parametrize(
    "result",
    [
        EXAMPLE,
        ParentsChildren("t", ("a",), EXAMPLE.evidence, EXAMPLE.run, ("a",)),
        AllBoundaries({"t": EXAMPLE}),
        Boundaries("t", (AlternativeBoundary(EXAMPLE, 3),), 3, (), (), EXAMPLE.run),
    ],
)
def test_load_result_reads_every_kind(tmp_path, result):
    result.save(tmp_path / "result.json")
    loaded = load_result(tmp_path / "result.json")
    assert type(loaded) is type(result)
    assert loaded == result


@pytest.mark.parametrize("path", OLD_FILES, ids=lambda path: path.stem)
def test_files_of_0_1_are_read_and_written_again_byte_for_byte(path):
    # Never edit these files: a field that is renamed says stored_as(...) with its old name.
    assert load_result(path).to_json() + "\n" == path.read_text(encoding="utf-8")


def test_files_of_0_1_are_there_for_every_kind():
    kinds = {type(load_result(path)) for path in OLD_FILES}
    assert kinds == {
        AllBoundaries,
        Boundaries,
        EdgeStability,
        FeatureConfidence,
        Interactions,
        LearnedNetwork,
        LearnedRegion,
        MarkovBoundary,
        OptimaBySize,
        ParentsChildren,
        SelectorComparison,
    }


@pytest.mark.parametrize(
    ("field", "value", "complaint"),
    [
        ("members", "a", r"'a' should be of type list"),
        ("complete", 1, r"1 should be of type bool"),
        ("target", None, r"None should be of type str"),
        ("evidence", [{"variable": "a"}], r"no field 'decision'"),
        ("run", {"algorithm": "iamb", "speed": 3}, r"unknown field 'speed'"),
    ],
)
def test_a_field_of_the_wrong_type_is_named(field, value, complaint):
    record = json.loads(EXAMPLE.to_json()) | {field: value}
    with pytest.raises(ResultFormatError, match=complaint):
        MarkovBoundary.from_json(json.dumps(record))


@pytest.mark.parametrize("text", ["a,b\n1,2\n", "[1]", "{}", '{"format": "recipe"}'])
def test_file_that_holds_no_result_is_named_without_the_words_of_the_parser(tmp_path, text):
    path = tmp_path / "table.csv"
    path.write_text(text)
    for read in (load_result, MarkovBoundary.load):
        with pytest.raises(ResultFormatError, match=r"In '.*table\.csv': This") as told:
            read(path)
        assert "char 0" not in str(told.value)


def test_members_are_counted_over_all_runs():
    def found(*members):
        return MarkovBoundary("t", members, (), EXAMPLE.run)

    alternatives = (
        AlternativeBoundary(found("a", "b"), 3),
        AlternativeBoundary(found("b", "c"), 2),
    )
    several = Boundaries("t", alternatives, 5, (), (), EXAMPLE.run)
    assert list(several.member_counts.items()) == [("b", 5), ("a", 3), ("c", 2)]
    assert len(several) == 2
    assert several[1].members == ("b", "c")
    assert [item.n_runs for item in several] == [3, 2]


def test_a_result_comes_back_from_a_file_unchanged(tmp_path):
    path = tmp_path / "boundary.json"
    EXAMPLE.save(path)
    assert MarkovBoundary.load(path) == EXAMPLE
    assert MarkovBoundary.load(str(path)) == EXAMPLE


@pytest.mark.parametrize(
    "text", ["", "{", "null", "5", "[]", '"text"', "{}", '{"format": "eiderdown.markov_boundary"}']
)
def test_other_texts_are_refused(text):
    with pytest.raises(ResultFormatError, match=r"(?i)not the JSON of a Markov boundary"):
        MarkovBoundary.from_json(text)


@pytest.mark.parametrize("field", ["target", "members", "evidence", "run"])
def test_a_result_without_a_field_is_refused(field):
    record = json.loads(EXAMPLE.to_json())
    del record[field]
    with pytest.raises(ResultFormatError, match=field):
        MarkovBoundary.from_json(json.dumps(record))


def test_a_result_with_an_unknown_field_is_refused():
    record = json.loads(EXAMPLE.to_json()) | {"colour": "red"}
    with pytest.raises(ResultFormatError, match="colour"):
        MarkovBoundary.from_json(json.dumps(record))


def test_another_format_and_another_version_are_told_apart():
    record = json.loads(EXAMPLE.to_json())
    with pytest.raises(ResultFormatError, match=r"(?i)something other than a Markov boundary"):
        MarkovBoundary.from_json(json.dumps(record | {"format": "recipe"}))
    with pytest.raises(ResultFormatError, match="version 99, but this Eiderdown reads version"):
        MarkovBoundary.from_json(json.dumps(record | {"version": 99}))


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UnreadableFileError, match=r"nothere\.json"):
        MarkovBoundary.load(tmp_path / "nothere.json")


def test_a_file_that_is_not_text_is_named(tmp_path):
    path = tmp_path / "noise.json"
    path.write_bytes(b"\xff\xfe\x00\x80")
    with pytest.raises(UnreadableFileError, match=r"noise\.json"):
        MarkovBoundary.load(path)


def test_evidence_can_be_had_by_decision():
    assert [item.variable for item in EXAMPLE.evidence_with("kept")] == ["a"]
    assert [item.variable for item in EXAMPLE.evidence_with("removed")] == ["b"]
    assert EXAMPLE.evidence_with("not_admitted") == ()


@pytest.mark.parametrize(
    ("log_p", "text"),
    [
        (0.0, "1"),
        (-0.0, "1"),
        (math.log(0.0123), "0.0123"),
        (math.log(9.96e-5), "1e-4"),
        (math.log(3.2e-7), "3.2e-7"),
        (-1e6, "3.3e-434295"),
    ],
)
def test_p_values_are_readable_however_small(log_p, text):
    assert Evidence("x", "kept", (), 1.0, 1.0, log_p, 9, 0.1).p_text == text


def test_a_p_value_too_small_for_a_float_is_zero_but_its_log_is_not():
    item = Evidence("x", "kept", (), 1.0, 1.0, -1e6, 9, 0.1)
    assert item.p_value == 0.0
    assert item.log_p == -1e6


def test_a_run_sums_counts_and_knows_its_table():
    first = Run("a", {}, 3, 1, 2, 0.5, 100, 7, "abc", 0, {})
    run = Run.of("all", first, {"x": 1}, counts=[first, first], seconds=2.0, random_state=5)
    assert (run.n_tests, run.n_repeated, run.n_skipped) == (6, 2, 4)
    assert (run.n_rows, run.n_columns, run.fingerprint) == (100, 7, "abc")
    assert {"python", "eiderdown", "numpy", "scikit-learn"} <= set(run.versions)
    without = Run.of("all", None, {})
    assert (without.n_rows, without.n_tests, without.random_state) == (0, 0, None)


def test_warnings_name_the_line_that_called_eiderdown():
    table = {"t": [0, 1] * 50, "x": [0, 1] * 50, "same": [1] * 100}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        find_boundary(table, target="t")
    assert {(w.category, w.filename) for w in caught} == {(EiderdownWarning, __file__)}


def test_searches_on_behalf_of_others_keep_their_warnings():
    result = replace(EXAMPLE, warnings=("Something was left out.",))
    with pytest.warns(EiderdownWarning, match="left out"):
        issue_warnings(result)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with withheld_warnings():
            issue_warnings(result)


def test_evidence_is_made_when_somebody_looks_at_it_and_is_the_same_ever_after():
    data = networks.load("asia").sample(300, random_state=0)
    found = find_all_boundaries(data, algorithm="iamb", progress=False)["dysp"]
    made, hidden = [], "evidence" not in vars(found)
    others = [item.name for item in fields(found) if item.name != "evidence"]
    again = type(found).with_evidence_of(
        lambda: made.append(1) or found.evidence, **{name: getattr(found, name) for name in others}
    )
    assert hidden
    assert made == []
    assert again == found
    assert again.evidence is again.evidence
    assert made == [1]
    assert pickle.loads(pickle.dumps(found)) == copy.copy(found) == found
    assert type(found).from_json(found.to_json()) == found
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = found.nonsense
    with pytest.raises(FrozenInstanceError):
        found.evidence = ()


def test_a_result_that_nobody_has_looked_at_is_stored_whole():
    data = networks.load("asia").sample(300, random_state=0)
    kept, looked_at = (find_all_boundaries(data, algorithm="iamb") for _ in range(2))
    evidence = looked_at["dysp"].evidence
    assert pickle.loads(pickle.dumps(kept["dysp"])).evidence == evidence
    assert copy.deepcopy(kept["lung"]).evidence == looked_at["lung"].evidence
