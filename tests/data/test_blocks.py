"""Bit planes hold one bit for each row and level, for dense and sparse blocks alike."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from eiderdown.data import Dataset, blocks
from eiderdown.data.blocks import MAX_PLANE_CATEGORIES
from eiderdown.errors import ColumnKindError
from examples import examples


def naive_plane(codes, level):
    words = np.zeros(-(-len(codes) // 64), np.uint64)
    for i, code in enumerate(codes):
        if code == level:
            words[i // 64] |= np.uint64(1) << np.uint64(i % 64)
    return words


def assert_planes_are_naive(data, block_id):
    block, planes = data.blocks[block_id], data.bit_planes(block_id)
    assert planes.first[0] == 0
    assert planes.first[-1] == len(planes.planes)
    for row, variable in enumerate(block.variables):
        own = planes.planes[planes.first[row] : planes.first[row + 1]]
        n_categories = int(data.n_categories[variable])
        assert len(own) == (n_categories - 1 if n_categories <= MAX_PLANE_CATEGORIES else 0)
        for level, plane in enumerate(own, start=1):
            assert plane.tolist() == naive_plane(data.codes(int(variable)), level).tolist()


@examples(20)
@given(st.integers(1, 200), st.lists(st.integers(1, 18), min_size=1, max_size=6), st.integers(0, 9))
def test_dense_planes_match_the_naive_twin(n_rows, n_categories, seed):
    generator = np.random.default_rng(seed)
    codes = np.stack([generator.integers(0, n, n_rows) for n in n_categories])
    names = [f"c{i}" for i in range(len(n_categories))]
    data = Dataset.from_codes(
        codes, names=names, categories=[tuple(range(n)) for n in n_categories]
    )
    assert_planes_are_naive(data, 0)


@examples(20)
@given(st.integers(1, 200), st.integers(1, 6), st.floats(0, 1), st.integers(0, 9))
def test_sparse_planes_match_the_naive_twin(n_rows, n_columns, density, seed):
    dense = np.random.default_rng(seed).random((n_rows, n_columns)) < density
    assert_planes_are_naive(Dataset.from_sparse(csr_array(dense)), 0)


def test_planes_built_in_many_steps_are_the_same(monkeypatch):
    dense = np.random.default_rng(0).random((130, 20)) < 0.2
    whole = [Dataset.of(t).bit_planes(0).planes for t in (dense, csr_array(dense))]
    monkeypatch.setattr(blocks, "_STEP", 300)
    stepped = [Dataset.of(t).bit_planes(0).planes for t in (dense, csr_array(dense))]
    assert all((a == b).all() for a, b in zip(whole, stepped, strict=True))
    assert (whole[0] == whole[1]).all()


def test_planes_are_built_once_and_counted_in_nbytes():
    data = Dataset.of(np.random.default_rng(0).integers(0, 3, (1000, 4)))
    before = data.nbytes
    planes = data.bit_planes(0)
    assert data.bit_planes(0) is planes
    assert data.nbytes == before + planes.nbytes
    assert not planes.planes.flags.writeable


def test_continuous_blocks_have_no_planes():
    with pytest.raises(ColumnKindError, match="'x0' is continuous"):
        Dataset.of(np.array([[0.5], [1.5]])).bit_planes(0)
