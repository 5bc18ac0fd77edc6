"""A sparse table of zeros and ones stays sparse, and says the same as its dense twin."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, coo_matrix, csc_array, csr_array, csr_matrix

from eiderdown.data import CodeBlock, Dataset, FloatBlock, SparseBlock
from eiderdown.errors import (
    ColumnKindError,
    DuplicateNamesError,
    InputError,
    MissingValuesError,
    TooFewRowsError,
)
from examples import examples

WIDE = (1909, 139_351)
N_ONES = 1_800_000


def random_table(seed, n_rows=50, n_columns=7, density=0.3):
    return (np.random.default_rng(seed).random((n_rows, n_columns)) < density).astype(np.int8)


@pytest.mark.parametrize("form", [csr_array, csc_array, coo_array, csr_matrix, coo_matrix])
def test_every_sparse_form_gives_the_codes_of_the_dense_table(form):
    dense = random_table(1)
    data = Dataset.of(form(dense))
    assert isinstance(data.blocks[0], SparseBlock)
    assert np.array_equal(np.stack([data.codes(i) for i in range(7)]).T, dense)
    assert data.categories(3) == (0, 1)


def test_boolean_matrices_have_boolean_levels():
    assert Dataset.of(csr_array(random_table(2) > 0)).categories(0) == (False, True)


def test_explicit_zeros_are_eliminated():
    matrix = csr_array((np.array([0, 1]), ([0, 1], [0, 0])), shape=(2, 1))
    data = Dataset.from_sparse(matrix)
    assert len(data.blocks[0].rows) == 1
    assert data.codes(0).tolist() == [0, 1]


def test_the_caller_matrix_is_neither_changed_nor_shared():
    matrix = csc_array(random_table(3))
    matrix.data[0] = 0
    stored = matrix.nnz
    data = Dataset.from_sparse(matrix)
    before = data.codes(0).tolist()
    matrix.data[:] = 0
    matrix.indices[:] = 0
    assert matrix.nnz == stored
    assert data.codes(0).tolist() == before


def test_values_other_than_zero_and_one_are_refused_with_the_column():
    with pytest.raises(ColumnKindError, match=r"'x2' of the sparse matrix holds 3\.5"):
        Dataset.from_sparse(csr_array(np.array([[0, 1, 3.5]])))
    twice = coo_array((np.array([1, 1]), ([0, 0], [1, 1])), shape=(2, 2))
    with pytest.raises(ColumnKindError, match="'b' of the sparse matrix holds 2"):
        Dataset.from_sparse(twice, names=["a", "b"])
    with pytest.raises(MissingValuesError, match="'x1'"):
        Dataset.from_sparse(csr_array(np.array([[0, np.nan]])))


def test_what_is_no_sparse_table_is_refused():
    with pytest.raises(InputError, match="two-dimensional SciPy sparse"):
        Dataset.from_sparse(np.zeros((2, 2)))
    with pytest.raises(InputError, match="3 names for 2 columns"):
        Dataset.from_sparse(csr_array((2, 2)), names=["a", "b", "c"])
    with pytest.raises(TooFewRowsError, match="no rows"):
        Dataset.from_sparse(csr_array((0, 2)))
    with pytest.raises(InputError, match="no columns"):
        Dataset.from_sparse(csr_array((2, 0)))
    with pytest.raises(ColumnKindError, match="'x1' of a sparse matrix cannot be continuous"):
        Dataset.of(csr_array((2, 2)), kinds={"x1": "continuous"})


def test_extra_columns_are_appended_in_their_own_form():
    extra = {"y": ["b", "a"], "z": [0.5, 1.5]}
    data = Dataset.from_sparse(csr_array(np.array([[0, 1], [1, 1]])), extra=extra)
    assert data.names == ("x0", "x1", "y", "z")
    assert {type(block) for block in data.blocks} == {SparseBlock, CodeBlock, FloatBlock}
    assert data.codes(data.index("y")).tolist() == [1, 0]
    assert data.values(data.index("z")).tolist() == [0.5, 1.5]
    with pytest.raises(DuplicateNamesError, match="'x1'"):
        Dataset.from_sparse(csr_array((2, 2)), extra={"x1": [1, 2]})
    with pytest.raises(InputError, match="'y' has 3 rows but the table has 2"):
        Dataset.from_sparse(csr_array((2, 2)), extra={"y": [1, 2, 3]})


@examples(20)
@given(st.integers(0, 99), st.integers(1, 20))
def test_take_and_select_agree_with_the_dense_twin(seed, n_taken):
    generator = np.random.default_rng(seed)
    dense = random_table(seed, n_rows=12)
    rows = generator.integers(0, 12, n_taken)
    columns = generator.permutation(7)[: generator.integers(1, 8)]
    names = [f"x{i}" for i in columns]
    data = Dataset.of(csr_array(dense)).take(rows).select(names)
    assert data.names == tuple(names)
    assert np.array_equal(
        np.stack([data.codes(i) for i in range(len(names))]).T, dense[rows][:, columns]
    )
    block = data.blocks[0]
    owners = np.repeat(np.arange(len(names)), np.diff(block.indptr))
    assert (np.diff(owners * 1000 + block.rows.astype(np.int64)) > 0).all()


def test_sparse_columns_of_a_pandas_frame_stay_sparse():
    dense = random_table(4)
    frame = pd.DataFrame.sparse.from_spmatrix(csr_array(dense))
    frame.insert(3, "y", np.arange(50) / 2)
    frame["flag"] = pd.arrays.SparseArray(dense[:, 0] > 0)
    data = Dataset.of(frame)
    assert [type(block) for block in data.blocks] == [SparseBlock, FloatBlock]
    assert data.names == ("0", "1", "2", "y", "3", "4", "5", "6", "flag")
    assert data.categories(8) == (False, True)
    assert data.codes(4).tolist() == dense[:, 3].tolist()
    assert data.fingerprint == Dataset.of({n: frame[n].to_numpy() for n in frame}).fingerprint
    assert Dataset.of(frame, kinds={"0": "continuous"}).values(0).tolist() == dense[:, 0].tolist()


def test_sparse_pandas_columns_with_other_values_are_read_as_dense_ones():
    counts = pd.Series(pd.arrays.SparseArray([0, 2, 0, 1]))
    filled = pd.Series(pd.arrays.SparseArray([1, 0, 1, 1], fill_value=1))
    data = Dataset.from_columns({"counts": counts, "filled": filled})
    assert [type(block) for block in data.blocks] == [CodeBlock]
    assert data.codes(0).tolist() == [0, 2, 0, 1]
    assert data.codes(1).tolist() == [1, 0, 1, 1]


def test_row_numbers_take_two_bytes_while_they_fit():
    one = csr_array((np.ones(1), ([65_535], [0])), shape=(65_536, 1))
    assert Dataset.of(one).blocks[0].rows.dtype == np.uint16
    more = csr_array((np.ones(1), ([65_536], [0])), shape=(65_537, 1))
    assert Dataset.of(more).blocks[0].rows.dtype == np.uint32
    assert Dataset.of(more).codes(0).sum() == 1


@pytest.fixture(scope="module")
def wide():
    generator = np.random.default_rng(0)
    cells = np.sort(generator.integers(0, WIDE[0] * WIDE[1], N_ONES))
    cells = cells[np.diff(cells, prepend=-1) > 0]
    starts = np.searchsorted(cells, np.arange(WIDE[0] + 1) * WIDE[1])
    return csr_array((np.ones(len(cells), np.int8), cells % WIDE[1], starts), shape=WIDE)


def test_a_table_of_the_shape_of_thrombin_fits_in_120_megabytes_in_all_forms(wide):
    data = Dataset.from_sparse(wide, extra={"y": np.arange(WIDE[0]) % 2})
    for block_id in range(len(data.blocks)):
        data.bit_planes(block_id)
    assert data.index("y") == WIDE[1]
    assert len(data.fingerprint) == 32
    assert data.nbytes < 120e6
    assert len(data.bit_planes(int(data.block_of[0])).planes) == WIDE[1]
