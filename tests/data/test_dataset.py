"""A dataset is immutable, finds its columns, and gives new datasets."""

from __future__ import annotations

import dataclasses
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from eiderdown.data import CodeBlock, Dataset, FloatBlock
from eiderdown.errors import (
    ColumnKindError,
    DuplicateNamesError,
    InputError,
    TooFewRowsError,
    TooManyCategoriesError,
    UnknownColumnError,
)
from examples import examples


@pytest.fixture
def data():
    return Dataset.from_columns(
        {
            "sex": ["f", "m", "f", "f"],
            "age": [31.5, 40.0, 28.0, 35.0],
            "wide": pd.Categorical.from_codes([0, 299, 5, 0], categories=range(300)),
            "same": [7, 7, 7, 7],
        }
    )


def test_columns_live_where_the_index_says(data):
    assert [type(block) for block in data.blocks] == [CodeBlock, CodeBlock, FloatBlock]
    for i in range(data.n_columns):
        assert data.blocks[data.block_of[i]].variables[data.row_in_block[i]] == i
    assert data.n_categories.tolist() == [2, 0, 300, 1]
    assert data.is_discrete.tolist() == [True, False, True, True]
    assert data.codes(2).tolist() == [0, 299, 5, 0]
    assert (data.n_rows, data.n_columns) == (4, 4)


def test_block_arrays_are_contiguous_after_every_operation(data):
    taken = data.take([3, 0]).select(["wide", "age", "sex"])
    coded = Dataset.from_codes(np.zeros((3, 5), int, "F"), names="abc", categories=[(0, 1)] * 3)
    wider = data.with_columns({"n": [1, 2, 3, 4], "w": np.arange(4) / 2})
    blocks = (*data.blocks, *taken.blocks, *wider.blocks, *coded.blocks)
    for block in blocks:
        cells = block.values if isinstance(block, FloatBlock) else block.codes
        assert cells.flags.c_contiguous
        assert not cells.flags.writeable
        assert (np.diff(block.variables) > 0).all()


def test_attributes_and_arrays_cannot_be_changed(data):
    with pytest.raises(dataclasses.FrozenInstanceError):
        data.names = ("a",)
    for array in (
        data.codes(0),
        data.values(1),
        data.n_categories,
        data.block_of,
        data.row_in_block,
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize("dtype", [np.float64, np.uint8, bool])
def test_later_changes_to_the_original_do_not_show_through(dtype):
    table = np.array([[0, 1], [1, 0], [1, 1]], dtype=dtype)
    single = table[:, 0].copy()
    whole, column = Dataset.of(table), Dataset.from_columns({"c": single})
    codes = np.array([[0, 1]], np.uint8)
    coded = Dataset.from_codes(codes, names=["c"], categories=[(0, 1)])
    before = [d.fingerprint for d in (whole, column, coded)]
    table[:], single[:], codes[:] = 0, 0, 0
    after = [Dataset(d.names, d.blocks, d._categories).fingerprint for d in (whole, column, coded)]
    assert before == after


def test_index_finds_every_name_and_suggests_close_ones(data):
    assert [data.index(name) for name in data.names] == [0, 1, 2, 3]
    with pytest.raises(UnknownColumnError, match="no column 'agee'; did you mean 'age'"):
        data.index("agee")
    with pytest.raises(UnknownColumnError, match="no column 'zzz'; it has 'sex', 'age'"):
        data.index("zzz")


def test_codes_and_values_refuse_the_other_kind(data):
    with pytest.raises(ColumnKindError, match="'age' is continuous"):
        data.codes(1)
    with pytest.raises(ColumnKindError, match="'sex' is discrete"):
        data.values(0)


def test_constant_columns_are_named_whatever_their_form():
    sparse = csr_array(np.array([[0, 1, 1], [0, 1, 0]]))
    extra = {"a": [5, 5], "b": [5, 6], "c": [0.5, 0.5], "d": [0.5, 1.5]}
    assert Dataset.from_sparse(sparse, extra=extra).constant_columns() == ("x0", "x1", "a", "c")


def test_select_drop_and_with_columns_keep_the_cells(data):
    chosen = data.select(["age", "sex"])
    assert chosen.names == ("age", "sex")
    assert chosen.values(0).tolist() == [31.5, 40.0, 28.0, 35.0]
    assert chosen.categories(1) == ("f", "m")
    assert data.drop(["wide", "same"]).names == ("sex", "age")
    more = data.with_columns(
        {"n": [1.0, 2.0, 3.0, 4.0], "k": [1, 2, 1, 2]}, kinds={"n": "discrete"}
    )
    assert more.names == ("sex", "age", "wide", "same", "n", "k")
    assert more.categories(4) == (1.0, 2.0, 3.0, 4.0)
    assert more.select(data.names).fingerprint == data.fingerprint
    assert len(more.blocks) == 3


def test_select_drop_and_with_columns_refuse_what_they_cannot_do(data):
    with pytest.raises(UnknownColumnError, match="'nope'"):
        data.select(["nope"])
    with pytest.raises(UnknownColumnError, match="'nope'"):
        data.drop(["nope"])
    with pytest.raises(DuplicateNamesError, match="'age'"):
        data.select(["age", "age"])
    with pytest.raises(InputError, match="no columns"):
        data.drop(data.names)
    with pytest.raises(DuplicateNamesError, match="'age'"):
        data.with_columns({"age": [1, 2, 3, 4]})
    with pytest.raises(InputError, match="'n' has 2 rows but the table has 4"):
        data.with_columns({"n": [1, 2]})


def test_take_keeps_declared_levels_and_accepts_a_mask(data):
    taken = data.take([2, 2, 0])
    assert taken.n_rows == 3
    assert taken.codes(0).tolist() == [0, 0, 0]
    assert taken.categories(0) == ("f", "m")
    assert taken.values(1).tolist() == [28.0, 28.0, 31.5]
    assert data.take([False, True, False, True]).values(1).tolist() == [40.0, 35.0]


@pytest.mark.parametrize("rows", [[4], [-1], [0.5], [True, False], [[0, 1]], ["a"]])
def test_take_refuses_rows_that_are_not_there(data, rows):
    with pytest.raises(InputError, match=r"[Rr]ow"):
        data.take(rows)


def test_take_refuses_to_leave_no_rows(data):
    with pytest.raises(TooFewRowsError, match="no rows"):
        data.take([])


@examples(20)
@given(st.lists(st.sampled_from([2, 3, 256, 257, 1000]), min_size=1, max_size=5), st.integers(0, 9))
def test_from_codes_gives_the_codes_back(n_categories, seed):
    generator = np.random.default_rng(seed)
    codes = np.stack([generator.integers(0, n, 20) for n in n_categories])
    names = [f"c{i}" for i in range(len(n_categories))]
    data = Dataset.from_codes(codes, names=names, categories=[range(n) for n in n_categories])
    assert data.n_categories.tolist() == n_categories
    for i, n in enumerate(n_categories):
        assert data.codes(i).tolist() == codes[i].tolist()
        assert data.codes(i).dtype == (np.uint8 if n <= 256 else np.uint16)


@pytest.mark.parametrize(
    ("codes", "categories", "message"),
    [
        ([[0, 2]], [("a", "b")], "'c' has codes outside its 2 categories"),
        ([[0, -2]], [("a", "b")], "'c' has codes outside"),
        ([[0, 0]], [()], "'c' has codes outside its 0 categories"),
        ([[0, 1]], [("a", "a")], "Two categories of column 'c'"),
        ([[0, 1]], [("a", "b"), ("a", "b")], "1 names and 2 sets of categories"),
        ([[0.0, 1.0]], [("a", "b")], "two-dimensional array of integers"),
        ([0, 1], [("a", "b")], "two-dimensional array of integers"),
        (np.zeros((1, 0), int), [("a", "b")], "no rows"),
    ],
)
def test_from_codes_refuses_codes_that_do_not_fit(codes, categories, message):
    with pytest.raises(InputError, match=message):
        Dataset.from_codes(np.array(codes), names=["c"], categories=categories)


def test_from_codes_refuses_more_levels_than_the_maximum():
    with pytest.raises(TooManyCategoriesError, match="'c' has 70000 categories"):
        Dataset.from_codes(np.array([[0]]), names=["c"], categories=[range(70_000)])


def test_from_numpy_takes_names_and_checks_them():
    table = np.array([[0.5, 1.5]])
    assert Dataset.from_numpy(table).names == ("x0", "x1")
    assert Dataset.from_numpy(table, names=["a", "b"]).names == ("a", "b")
    with pytest.raises(InputError, match="1 names for 2 columns"):
        Dataset.from_numpy(table, names=["a"])
    with pytest.raises(InputError, match="1 dimensions; a table must have exactly two"):
        Dataset.from_numpy(table[0])
    masked = np.ma.array(table, mask=[[False, True]])
    assert Dataset.from_numpy(masked).has_missing.tolist() == [False, True]


def test_of_takes_every_kind_of_table():
    frame = pd.DataFrame({"a": [1, 2, 2], "b": ["x", "y", "x"]})
    data = Dataset.of(frame)
    tables = [pl.DataFrame({"a": [1, 2, 2], "b": ["x", "y", "x"]}), pa.Table.from_pandas(frame)]
    tables += [pa.RecordBatch.from_pandas(frame), frame.to_dict(orient="list"), data]
    assert {Dataset.of(table).fingerprint for table in tables} == {data.fingerprint}
    assert Dataset.of(data) is data
    assert Dataset.of(frame, kinds={"a": "continuous"}).n_categories.tolist() == [0, 2]
    with pytest.raises(InputError, match="cannot be made from a int"):
        Dataset.of(7)


def test_the_kinds_of_a_dataset_are_settled(data):
    assert Dataset.of(data, kinds={"age": "continuous"}) is data
    with pytest.raises(ColumnKindError, match="'sex' of the dataset is discrete already"):
        Dataset.of(data, kinds={"sex": "continuous"})


def test_a_subclass_of_a_frame_is_a_frame():
    class Frame(pd.DataFrame):
        pass

    assert Dataset.of(Frame({"a": [1, 2]})).names == ("a",)


def test_duplicate_names_are_made_unique_wherever_they_come_from():
    frame = pd.DataFrame([[1, 2]], columns=["a", "a"])
    for table in (frame, pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])):
        data = Dataset.of(table)
        assert data.names == ("a", "a.1")
        assert [data.categories(i) for i in (0, 1)] == [(1,), (2,)]
        assert data.notes == ("Renamed, because the name was taken: 'a.1'.",)


def test_two_sparse_blocks_are_joined_into_one():
    left = Dataset.from_sparse(csr_array(np.array([[0, 1], [1, 1]])), names=["a", "b"])
    right = Dataset.from_sparse(csr_array(np.array([[1], [0]])), names=["c"])
    both = left.beside(right)
    assert len(both.blocks) == 1
    assert [both.codes(i).tolist() for i in range(3)] == [[0, 1], [1, 1], [1, 0]]


def test_repr_tells_the_shape_and_kinds(data):
    assert repr(data) == "Dataset(4 rows, 3 discrete and 1 continuous columns)"


def test_pickle_gives_the_same_dataset_back(data):
    data.index("age")
    copy = pickle.loads(pickle.dumps(data))
    assert copy.fingerprint == data.fingerprint
    assert copy.index("age") == 1


def test_nbytes_counts_cells_and_names():
    narrow = Dataset.from_numpy(np.zeros((1000, 1)))
    wide = Dataset.from_numpy(np.zeros((1000, 3)))
    assert wide.nbytes - narrow.nbytes > 2 * 1000 * 8
    assert narrow.nbytes < 1000 * 8 + 2000


def test_importing_the_data_layer_loads_no_heavy_library():
    heavy = ["numba", "sklearn", "matplotlib", "pandas", "polars", "pyarrow", "networkx"]
    program = (
        "import sys, numpy; from eiderdown.data import Dataset;"
        "Dataset.of(numpy.array([[0, 1], [1, 0]])).fingerprint;"
        f"assert not set({heavy}) & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
