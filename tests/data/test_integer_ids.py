"""Ids of integers, compared with a dictionary."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eiderdown.data.packing.integer_ids import IntegerIds

TYPES = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)
small = st.integers(0, 120)


def by_dictionary(values, cells, present):
    """Return the id of each cell, 255 where it is missing, or None where one has no id."""
    of_value = {value: number for number, value in enumerate(values)}
    if any(ok and cell not in of_value for cell, ok in zip(cells, present, strict=True)):
        return None
    return [of_value[cell] if ok else 255 for cell, ok in zip(cells, present, strict=True)]


@settings(deadline=None)  # eight kernels are compiled
@given(
    values=st.lists(small, min_size=1, max_size=20, unique=True),
    cells=st.lists(small, min_size=1, max_size=80),
    offset=st.integers(0, 9),
    complete=st.booleans(),
    in_order=st.booleans(),
    dtype=st.sampled_from(TYPES),
    data=st.data(),
)
def test_ids_are_those_of_a_dictionary(values, cells, offset, complete, in_order, dtype, data):
    if in_order:
        values = list(range(min(values), min(values) + len(values)))
        cells = [values[cell % (len(values) + 1) - 1] for cell in cells]
    present = [True] * len(cells)
    if not complete:
        present = data.draw(st.lists(st.booleans(), min_size=len(cells), max_size=len(cells)))
    bits = np.packbits([True] * offset + present, bitorder="little")
    bits = np.zeros(0, np.uint8) if complete else bits
    ids = np.zeros(len(cells), np.uint8)
    found = IntegerIds(values).write(np.array(cells, dtype), bits, offset, ids)
    expected = by_dictionary(values, cells, present)
    assert found == (expected is not None)
    if found:
        assert ids.tolist() == expected


@pytest.mark.parametrize(
    "values", [[], [0.5, 1.0], [0, 10**6], [2**63 - 1, 2**63 - 2], list(range(256))]
)
def test_values_without_a_table_find_nothing(values):
    cells = np.zeros(4, np.int64)
    assert not IntegerIds(values).write(cells, np.zeros(0, np.uint8), 0, np.zeros(4, np.uint8))


@pytest.mark.parametrize("odd", [-1, 3, -(2**63), 2**63 - 1])
def test_what_lies_outside_has_no_id(odd):
    cells = np.array([0, 1, odd, 2])
    assert not IntegerIds([0, 1, 2]).write(cells, np.zeros(0, np.uint8), 0, np.zeros(4, np.uint8))
