"""Tests of complete rows that are kept for the next question, of tables with many rows."""

from __future__ import annotations

import numpy as np
import pytest

from eiderdown import Dataset
from eiderdown.independence import GSquareTest, missing
from eiderdown.independence.missing import TestwiseDeletion


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    columns = {}
    for i in range(8):
        cells = rng.integers(0, 2, 300).astype(object)
        if i % 2:
            cells[rng.random(300) < 0.1] = None
        columns[f"x{i}"] = cells
    return Dataset.from_columns(columns)


def test_a_test_that_is_made_again_with_other_columns_is_not_the_first_to_be_forgotten(
    data, monkeypatch
):
    expected = TestwiseDeletion(data, GSquareTest)
    monkeypatch.setattr(missing, "_MOST_KEPT_CELLS", 3_000)  # fewer tests of more columns
    monkeypatch.setattr(missing, "_FEW_ROWS", 0)
    few = TestwiseDeletion(data, GSquareTest)
    rng = np.random.default_rng(1)
    for _ in range(60):
        target, *given = rng.permutation(8)[: rng.integers(1, 4)].tolist()
        others = np.array([i for i in range(8) if i not in (target, *given)])
        xs = rng.permutation(others)[: rng.integers(1, len(others) + 1)]
        found, full = few.sweep(xs, target, given), expected.sweep(xs, target, given)
        np.testing.assert_array_equal(found.values, full.values)
