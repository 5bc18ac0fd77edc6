"""Missing values: the same from every source, kept by every way out, told when dealt with."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eiderdown.data import Dataset, FloatBlock, discretise, equal_frequency_cuts, mdl_cuts
from eiderdown.data.encode import MAX_CATEGORIES
from eiderdown.data.missing import require_complete, treated, with_target
from eiderdown.errors import (
    AllMissingColumnError,
    MissingValuesError,
    TooFewRowsError,
    TooManyCategoriesError,
)
from eiderdown.graphs import DAG
from eiderdown.networks import fit_network
from examples import examples

TEXTS = [
    ["b", None, "a"],
    np.array(["b", None, "a"], dtype=object),
    pd.Series(["b", None, "a"], dtype="string"),
    pd.Series(["b", np.nan, "a"], dtype="object"),
    pl.Series(["b", None, "a"]),
    pl.Series(["b", None, "a"], dtype=pl.Categorical),
    pa.array(["b", None, "a"]),
]
DECLARED = [
    pd.Categorical(["b", None, "a"], categories=["a", "b"]),
    pl.Series(["b", None, "a"], dtype=pl.Enum(["a", "b"])),
    pa.DictionaryArray.from_arrays(pa.array([1, None, 0]), ["a", "b"]),
]
INTEGERS = [
    [7, None, 5],
    [7, float("nan"), 5],
    np.ma.array([7, 2, 5], mask=[False, True, False]),
    pd.Series([7, None, 5], dtype="Int64"),
    pd.Series([7, None, 5], dtype="Int8"),
    pd.Series([7, None, 5], dtype="int64[pyarrow]"),
    pl.Series([7, None, 5]),
    pa.array([7, None, 5]),
    pa.chunked_array([[7], [None, 5]]),
]
BOOLEANS = [
    [True, None, False],
    pd.Series([True, None, False], dtype="boolean"),
    pl.Series([True, None, False]),
    pa.array([True, None, False]),
]
FLOATS = [
    [7.5, None, 5.0],
    np.array([7.5, np.nan, 5.0]),
    np.array([7.5, np.nan, 5.0], dtype=np.float32),
    np.ma.array([7.5, 2.0, 5.0], mask=[False, True, False]),
    pd.Series([7.5, None, 5.0]),
    pd.Series([7.5, None, 5.0], dtype="Float64"),
    pl.Series([7.5, None, 5.0]),
    pl.Series([7.5, float("nan"), 5.0]),
    pa.array([7.5, None, 5.0]),
]


def one(values, **options) -> Dataset:
    return Dataset.from_columns({"c": values}, **options)


@pytest.mark.parametrize(
    ("column", "categories"),
    [
        *((column, ("a", "b")) for column in TEXTS + DECLARED),
        *((column, (5, 7)) for column in INTEGERS),
        *((column, (False, True)) for column in BOOLEANS),
    ],
)
def test_missing_categories_get_the_code_behind_the_last(column, categories):
    data = one(column)
    assert data.categories(0) == categories
    assert data.codes(0).tolist() == [1, 2, 0]
    assert data.missing(0).tolist() == [False, True, False]
    assert (data.n_categories.tolist(), data.n_codes.tolist()) == ([2], [3])
    assert data.has_missing.tolist() == [True]


@pytest.mark.parametrize("column", FLOATS)
def test_missing_numbers_are_nan(column):
    data = one(column)
    np.testing.assert_array_equal(data.values(0), [7.5, np.nan, 5.0])
    assert data.missing(0).tolist() == [False, True, False]
    assert (data.n_categories.tolist(), data.n_codes.tolist()) == ([0], [0])


@pytest.mark.parametrize("column", INTEGERS)
def test_integers_with_missing_values_can_be_numbers(column):
    np.testing.assert_array_equal(one(column, kinds={"c": "continuous"}).values(0), [7, np.nan, 5])


def test_floats_with_missing_values_can_be_categories():
    data = one([1.5, np.nan, 0.5, 1.5], kinds={"c": "discrete"})
    assert data.categories(0) == (0.5, 1.5)
    assert data.codes(0).tolist() == [1, 2, 0, 1]


def test_many_integers_with_missing_values_are_numbers():
    data = one([*range(30), None])
    assert not data.is_discrete[0]
    assert np.isnan(data.values(0)[-1])


@pytest.mark.parametrize(
    "empty", [[None] * 3, np.full(3, np.nan), pa.nulls(3), pl.Series([None] * 3)]
)
def test_a_column_of_nothing_is_constant(empty):
    data = Dataset.from_columns({"c": empty, "x": [1, 2, 3]})
    assert data.missing(0).all()
    assert data.constant_columns() == ("c",)
    assert Dataset.of(data.to_pandas()).fingerprint == data.fingerprint


def test_declared_categories_of_which_none_is_seen_stay():
    data = one(pd.Categorical([None, None], categories=["a", "b"]))
    assert data.categories(0) == ("a", "b")
    assert data.codes(0).tolist() == [2, 2]
    assert data.constant_columns() == ("c",)


def test_the_further_code_needs_its_place():
    full = [*range(256), None]
    assert one(full, kinds={"c": "discrete"}).codes(0).dtype == np.uint16
    most = [*range(MAX_CATEGORIES - 1), None]
    assert one(most, kinds={"c": "discrete"}).codes(0)[-1] == MAX_CATEGORIES - 1
    with pytest.raises(TooManyCategoriesError, match=f"{MAX_CATEGORIES + 1:d} categories"):
        one([*range(MAX_CATEGORIES), None], kinds={"c": "discrete"})


CELLS = {
    "text": st.sampled_from(["a", "b", "c", None]),
    "flag": st.sampled_from([True, False, None]),
    "count": st.sampled_from([3, 1, 2, None]),
    "number": st.sampled_from([0.5, -1.0, 2.25, None]),
}
TABLES = st.integers(1, 12).flatmap(
    lambda n: st.fixed_dictionaries(
        {name: st.lists(cells, min_size=n, max_size=n) for name, cells in CELLS.items()}
    )
)


@examples(24)
@given(TABLES)
def test_what_goes_out_comes_back_the_same(columns):
    data = Dataset.from_columns(columns)
    for out in ("to_pandas", "to_arrow", "to_polars"):
        back = Dataset.of(getattr(data, out)())
        assert back.fingerprint == data.fingerprint, out
        assert back.has_missing.tolist() == data.has_missing.tolist()


@examples(24)
@given(TABLES, st.data())
def test_chosen_rows_and_columns_keep_their_missing_values(columns, draw):
    data = Dataset.from_columns(columns)
    rows = draw.draw(st.lists(st.integers(0, data.n_rows - 1), min_size=1, max_size=20))
    names = draw.draw(st.permutations(data.names))[:3]
    chosen = data.take(rows).select(names)
    for i, name in enumerate(names):
        missing = [columns[name][row] is None for row in rows]
        assert chosen.missing(i).tolist() == missing
        assert chosen.has_missing[i] == any(missing)
    assert chosen.complete_rows().tolist() == [
        all(columns[name][row] is not None for name in names) for row in rows
    ]


@examples(24)
@given(TABLES)
def test_a_column_is_constant_if_its_values_are(columns):
    data = Dataset.from_columns(columns)
    constant = [n for n, cells in columns.items() if len({c for c in cells if c is not None}) < 2]
    assert data.constant_columns() == tuple(constant)


def test_the_fingerprint_sees_where_values_are_missing():
    columns = [
        ["a", None, "a"],
        ["a", "a", None],
        ["a", "a", "a"],
        ["a", None, "b"],
        ["a", "b", None],
    ]
    columns += [[1.5, None, 2.5], [1.5, 2.5, None], [True, None, True], [True, False, None]]
    prints = {one(column).fingerprint for column in columns}
    assert len(prints) == len(columns)


def test_nan_is_nan_whatever_its_bytes():
    odd = np.array([1.5, np.nan])
    odd[1:].view(np.uint64)[0] |= np.uint64(1)
    assert one(odd).fingerprint == one([1.5, np.nan]).fingerprint


def test_bit_planes_have_one_for_missing_values():
    data = one(["b", None, "a", "b"])
    planes = data.bit_planes(0)
    assert planes.planes[:, 0].tolist() == [0b1001, 0b0010]


def test_codes_of_minus_one_are_missing():
    data = Dataset.from_codes(
        np.array([[0, -1, 1], [1, 0, 1]]), names=["a", "b"], categories=[("x", "y")] * 2
    )
    assert data.codes(0).tolist() == [0, 2, 1]
    assert data.has_missing.tolist() == [True, False]


def test_cuts_are_those_of_the_values_that_are_there():
    values = [4.0, np.nan, 1.0, 3.0, np.nan, 2.0]
    assert equal_frequency_cuts(values, 2).tolist() == [2.5]
    assert mdl_cuts([*range(8), np.nan], [0, 0, 0, 0, 1, 1, 1, 1, 0]).tolist() == [3.5]
    data = discretise(one(values), {"c": np.array([2.5])})
    assert data.codes(0).tolist() == [1, 2, 0, 1, 2, 0]
    assert data.n_categories.tolist() == [2]


def incomplete() -> Dataset:
    return Dataset.from_columns(
        {
            "y": [0, 1, None, 1],
            "t": ["u", None, "v", "v"],
            "x": [0.5, 1.5, 2.5, np.nan],
            "z": [1, 2, 2, 1],
        }
    )


def test_rows_without_a_target_are_left_out_and_counted():
    data, said = with_target(incomplete(), 0)
    assert data.n_rows == 3
    assert not data.has_missing[0]
    assert said == ("Left out 1 of 4 rows, which have no value of 'y'.",)
    assert with_target(incomplete(), 3)[1] == ()
    with pytest.raises(AllMissingColumnError, match="Target 'c' has no value"):
        with_target(one([None, None]), 0)


def test_the_share_and_the_columns_are_told():
    columns = np.arange(4)
    data, (said,) = treated(incomplete(), columns, "testwise")
    assert data.has_missing.tolist() == [True, True, True, False]
    assert said.startswith(
        "Values are missing in 3 of 4 columns, 19% of all cells: 't' (25%), 'x' (25%), 'y' (25%);"
    )
    assert treated(incomplete(), columns[3:], "error")[1] == ()
    with pytest.raises(MissingValuesError, match=r"missing in 3 of 4 columns.*missing='testwise'"):
        treated(incomplete(), columns, "error")


def test_dropping_leaves_the_complete_rows_of_the_columns_that_take_part():
    data, (said,) = treated(incomplete(), np.array([1, 3]), "drop", reason="an SVM wants it")
    assert data.n_rows == 3
    assert said.endswith("left out the 1 of 4 rows with any, because an SVM wants it.")
    with pytest.raises(TooFewRowsError, match="not one row is complete"):
        treated(Dataset.from_columns({"a": [1, None], "b": [None, 1]}), np.arange(2), "drop")


def test_missing_as_a_category():
    data, (said,) = treated(incomplete(), np.arange(4), "level")
    assert data.categories(0) == ("0", "1", "missing")
    assert data.categories(1) == ("u", "v", "missing")
    assert data.has_missing.tolist() == [False, False, True, False]
    assert data.codes(0).tolist() == incomplete().codes(0).tolist()
    assert "but tests leave out the rows of missing numbers" in said
    clash, _ = treated(one(["missing", None]), np.arange(1), "level")
    assert clash.categories(0) == ("missing", "(missing)")


def test_what_takes_no_missing_values_names_the_columns():
    with pytest.raises(MissingValuesError, match=r"Counting takes no .* 't' \(25%\) has some"):
        require_complete(incomplete(), "Counting", [1, 3])
    require_complete(incomplete(), "Counting", [3])


@pytest.mark.parametrize("continuous", [True, False])
def test_a_network_is_fitted_to_the_complete_rows_of_each_family(continuous):
    generator = np.random.default_rng(0)
    columns = {name: generator.integers(0, 3, 60).astype(object) for name in "abc"}
    for values in columns.values():
        values[generator.random(60) < 0.2] = None
    kinds = dict.fromkeys(columns, "continuous" if continuous else "discrete")
    data = Dataset.from_columns(columns, kinds=kinds)
    fitted = fit_network(DAG.from_string("a->b, c"), data)
    for names in (["a", "b"], ["c"]):
        whole = data.select(names)
        family = fit_network(
            DAG.from_string("a->b" if "a" in names else "c"), whole.take(whole.complete_rows())
        )
        node = names[-1]
        if continuous:
            assert fitted.coefficients(node) == family.coefficients(node)
        else:
            np.testing.assert_array_equal(fitted.table(node), family.table(node))


def test_blocks_of_numbers_say_which_columns_are_incomplete():
    data = Dataset.from_numpy(np.array([[1.5, np.nan], [2.5, 3.5]]))
    (block,) = data.blocks
    assert isinstance(block, FloatBlock)
    assert block.has_missing.tolist() == [False, True]
    assert list(itertools.chain(data.take([1]).has_missing)) == [False, False]
