"""Copies are columns that split the rows alike, wherever and however they are held."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from eiderdown import Dataset
from eiderdown.data import copies
from eiderdown.data.copies import copy_classes


def naive_classes(data):
    """Compare every pair of columns, row by row."""
    first_of = list(range(data.n_columns))
    for j in range(data.n_columns):
        for i in range(j):
            if not (data.is_discrete[i] and data.is_discrete[j]):
                continue
            x, z = data.codes(i).astype(int), data.codes(j).astype(int)
            binary = data.n_categories[i] == 2 and not data.has_missing[i]
            alike = (x == z).all() or (binary and (x == 1 - z).all())
            if data.n_categories[i] == data.n_categories[j] and alike:
                first_of[j] = i
                break
    return first_of


def table(seed, n_rows):
    """Draw sparse and dense columns of few rows, so that copies come by chance, and numbers."""
    rng = np.random.default_rng(seed)
    ones = sparse.csc_array(rng.random((n_rows, 30)) < 0.3)
    extra = {f"b{i}": rng.integers(0, 2, n_rows).astype(bool) for i in range(20)}
    extra |= {f"c{i}": rng.integers(0, 3, n_rows) for i in range(20)}
    extra |= {f"m{i}": [None, "u", *rng.choice(["u", "v"], n_rows - 2)] for i in range(10)}
    number = rng.normal(size=n_rows)
    return Dataset.from_sparse(ones, extra=extra | {"n0": number, "n1": number})


@pytest.mark.parametrize("n_rows", [3, 4, 5])
def test_copies_are_those_of_a_comparison_of_all_pairs(n_rows):
    for seed in range(10):
        data = table(seed, n_rows)
        assert copy_classes(data).tolist() == naive_classes(data)


@pytest.mark.parametrize("n_rows", [63, 64, 65, 128, 200])
def test_padding_bits_do_not_tell_opposites_apart(n_rows):
    column = np.random.default_rng(n_rows).random(n_rows) < 0.5
    matrix = sparse.csc_array(np.column_stack([column, ~column, column]))
    data = Dataset.from_sparse(matrix, extra={"dense": ~column})
    assert copy_classes(data).tolist() == [0, 0, 0, 0]


def test_equal_digests_are_not_taken_for_copies(monkeypatch):
    data = table(0, 200)
    assert copy_classes(data) is None
    monkeypatch.setattr(copies, "_digests", lambda block: np.zeros(len(block.variables), np.uint64))
    assert copy_classes(data) is None


def test_a_table_of_numbers_has_none():
    assert copy_classes(Dataset.from_columns({"a": [0.5, 1.0], "b": [0.5, 1.0]})) is None


def test_a_missing_value_is_no_second_category(monkeypatch):
    data = Dataset.from_columns({"a": ["u", None, "u", None], "b": [None, "u", None, "u"]})
    monkeypatch.setattr(copies, "_digests", lambda block: np.zeros(len(block.variables), np.uint64))
    assert copy_classes(data) is None
