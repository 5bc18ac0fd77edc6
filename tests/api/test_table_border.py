"""Verbs take any table and columns by any label, and leave out what says nothing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

import eiderdown
from eiderdown import Dataset, find_boundary
from eiderdown.errors import (
    EiderdownWarning,
    InputError,
    TargetAmongCandidatesError,
    UnknownColumnError,
)

RNG = np.random.default_rng(0)
A = RNG.integers(0, 2, 400)
B = np.where(RNG.random(400) < 0.1, 1 - A, A)
C = RNG.integers(0, 3, 400)


def test_the_target_may_stand_behind_the_table():
    table = {"a": A, "b": B, "c": C}
    assert find_boundary(table, "a").members == ("b",)
    assert find_boundary(table, target="a").members == ("b",)
    assert eiderdown.test(table, "a", "b").answer == "dependent"
    with pytest.raises(TypeError):
        find_boundary(table, "a", "b")


@pytest.mark.parametrize("label", [3, np.int64(3), "3"])
def test_numbers_that_label_columns_are_labels(label):
    frame = pd.DataFrame({1: A, 3: B, "c": C})
    found = find_boundary(frame, label, exclude=["c"])
    assert (found.target, found.members) == ("3", ("1",))
    assert find_boundary(frame, label, required=[1]).members == ("1",)


def test_columns_of_arrays_go_by_their_number():
    array = np.column_stack([A, B, C])
    found = find_boundary(array, 1, exclude=[2])
    assert (found.target, found.members) == ("x1", ("x0",))
    sparse = csr_array(np.column_stack([A, B, C > 1]))
    assert find_boundary(sparse, 0, exclude=[2]).members == ("x1",)


def test_a_lazy_frame_is_collected():
    lazy = pl.DataFrame({"a": A, "b": B}).lazy()
    assert find_boundary(lazy, "a").members == ("b",)


def test_excluded_columns_are_not_even_looked_at(tmp_path):
    bad = [[1]] * 400
    frame = pd.DataFrame({"a": A, "b": B, "bad": bad, "worse": np.inf})
    assert find_boundary(frame, "a", exclude=["bad", "worse"]).members == ("b",)
    assert find_boundary(Dataset.of(frame, exclude=["bad", "worse"]), "a").members == ("b",)
    with pytest.raises(UnknownColumnError, match="'bod'; did you mean 'bad'"):
        find_boundary(frame, "a", exclude=["bod"])
    with pytest.raises(TargetAmongCandidatesError, match="both the target and excluded"):
        find_boundary(frame, "a", exclude=["a"])


def test_what_a_dataset_left_out_may_be_excluded_again():
    data = Dataset.of({"a": A, "b": B, "c": C}, exclude=["c"])
    assert data.left_out == {"c": "it is excluded"}
    assert Dataset.of(data, exclude=["b", "c"]).names == ("a",)
    assert find_boundary(data, "a", exclude=["c"]).members == ("b",)
    with pytest.raises(UnknownColumnError, match="'c' was left out: it is excluded"):
        find_boundary(data, "c")


def test_all_columns_that_cannot_be_used_are_told_at_once():
    frame = pd.DataFrame({"a": A, "lists": [[1]] * 400, "y": B, "sets": [{1}] * 400})
    with pytest.raises(InputError) as raised:
        find_boundary(frame, "a")
    message = str(raised.value)
    assert "'lists'" in message
    assert "--exclude lists --exclude sets (exclude=['lists', 'sets'] in Python)" in message
    assert find_boundary(frame, "a", exclude=["lists", "sets"]).members == ("y",)
    with pytest.raises(InputError, match=r"'b' is of type .*; to leave it out, say --exclude b \("):
        find_boundary({"a": A, "b": np.full(400, 1j)}, "a")


def test_infinite_numbers_are_missing_and_said_to_be():
    numbers = np.where(RNG.random(400) < 0.05, np.inf, A + 0.1 * RNG.normal(size=400))
    data = Dataset.of({"a": A, "b": numbers, "c": [np.nan, *numbers[1:]]})
    assert data.missing(1).tolist() == np.isinf(numbers).tolist()
    assert data.missing(2)[0]
    assert data.notes == ("Infinite numbers were read as missing: 'b', 'c'.",)


def test_tables_of_other_libraries_come_by_arrow():
    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return pa.table({"a": A, "b": B}).__arrow_c_stream__(requested_schema)

    assert find_boundary(Stream(), "a").members == ("b",)


def test_labels_of_frames_stay_as_they_are():
    frame = pd.DataFrame({" a ": A, ("b", 1): B, "c": C})
    assert find_boundary(frame, " a ").members == ("('b', 1)",)
    assert find_boundary(frame, ("b", 1)).members == (" a ",)


def test_row_numbers_and_identifiers_are_left_out_with_a_warning():
    frame = pd.DataFrame({"a": A, "b": B, "n": range(400), "who": [f"p{i}" for i in range(400)]})
    with pytest.warns(EiderdownWarning, match=r"name the rows: 'n', 'who'; .*--kind n=category"):
        found = find_boundary(frame, "a")
    assert found.members == ("b",)
    assert Dataset.of(frame).names == ("a", "b")
    assert Dataset.of(frame, kinds={"n": "number"}).names == ("a", "b", "n")
    assert Dataset.from_columns({"n": range(400)}).names == ("n",)


@pytest.mark.parametrize(
    ("name", "values", "left_out"),
    [
        ("x", np.arange(30), True),
        ("x", np.arange(1, 31), True),
        ("x", np.arange(2, 32), False),
        ("x", np.arange(10), False),  # few rows prove nothing
        ("Unnamed: 0", np.arange(10), True),
        ("Unnamed: 0", np.arange(5, 15), True),
        ("patient_id", np.arange(30)[::-1] * 7, True),
        ("patientID", np.arange(30)[::-1] * 7, True),
        ("account", np.arange(30)[::-1] * 7 + 2**60, True),
        ("income", np.arange(30)[::-1] * 7, False),
        ("paid", np.arange(30)[::-1] * 7, False),
        ("patient_id", np.arange(30) % 7, False),
        ("x", np.arange(30) / 2, False),
    ],
)
def test_which_integers_number_or_name_the_rows(name, values, left_out):
    data = Dataset.of({name: values, "y": np.arange(len(values)) % 2})
    assert (name in data.left_out) == left_out
    assert (name in data.names) != left_out


def test_bins_of_a_discretiser_are_categories():
    from sklearn.preprocessing import KBinsDiscretizer

    numbers = RNG.normal(size=(300, 2))
    bins = KBinsDiscretizer(4, encode="ordinal", quantile_method="averaged_inverted_cdf")
    data = Dataset.of(bins.fit_transform(numbers))
    assert data.n_categories.tolist() == [4, 4]
    assert "0, 1 and so on: 'x0', 'x1'" in data.notes[0]
    hot = KBinsDiscretizer(4, encode="onehot", quantile_method="averaged_inverted_cdf")
    assert Dataset.of(hot.fit_transform(numbers)).n_categories.tolist() == [2] * 8
    assert Dataset.of(bins.transform(numbers), kinds={0: "number"}).n_categories.tolist() == [0, 4]


def test_whole_numbers_of_a_table_that_holds_others_are_no_bins():
    counts = RNG.integers(0, 5, 300).astype(float)
    ages = RNG.integers(20, 80, 300).astype(float)
    both = Dataset.of({"count": counts, "age": ages, "sick": (ages > 50).astype(float)})
    assert both.n_categories.tolist() == [0, 0, 2]
    assert Dataset.of({"count": counts, "size": ages / 7}).n_categories.tolist() == [5, 0]
    assert Dataset.of({"count": counts, "odd": counts * 2}).n_categories.tolist() == [0, 0]


def test_integers_that_became_floats_beside_missing_ones_are_integers_again():
    frame = pd.DataFrame({"grade": [3.0, 5.0, np.nan, 3.0], "size": [1.5, np.nan, 2.0, 2.0]})
    assert Dataset.of(frame).n_categories.tolist() == [2, 0]
    assert Dataset.of(frame).categories(0) == (3, 5)


def test_columns_may_be_excluded_from_searches_around_all():
    data = Dataset.of({"a": A, "b": B, "c": C})
    found = eiderdown.find_all_boundaries(data, exclude=["c"])
    assert set(found) == {"a", "b"}
