"""Rows that occur several times, count unequally, or belong together."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from eiderdown.data import Dataset, discretise
from eiderdown.data.rows import require_plain_rows, with_row_roles
from eiderdown.errors import OptionError


def table() -> Dataset:
    return Dataset.from_columns(
        {"a": ["x", "y", "x"], "n": [2, 0, 1], "w": [0.5, 1.5, 2.0], "who": ["ann", "bob", "ann"]}
    )


def test_counts_repeat_rows():
    found = with_row_roles(table(), row_counts="n")
    assert found.names == ("a", "w", "who")
    assert found.codes(0).tolist() == [0, 0, 0]
    assert found.values(1).tolist() == [0.5, 0.5, 2.0]
    assert found.roles is None
    assert with_row_roles(table(), row_counts=[1, 1, 1]).fingerprint == table().fingerprint


def test_weights_and_groups_go_with_their_rows():
    data = with_row_roles(table(), sample_weight="w", groups="who")
    assert data.names == ("a", "n")
    for found in (data.take([2, 0]), pickle.loads(pickle.dumps(data)).take([2, 0])):
        assert found.roles.weights.tolist() == [2.0, 0.5]
        assert found.roles.groups.tolist() == [0, 0]
    assert data.select(["n"]).roles is data.roles
    assert data.with_columns({"z": [1, 2, 3]}).roles is data.roles


def test_cutting_numbers_keeps_the_roles():
    data = with_row_roles(Dataset.from_columns({"x": [0.5, 1.5, 2.5]}), sample_weight=[1, 2, 3])
    assert discretise(data, {"x": np.array([1.0])}).roles.weights.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        ({"row_counts": [1, 2]}, "row_counts has 2 values but the table has 3 rows"),
        ({"row_counts": [1, 2, 0.5]}, "whole numbers.*sample_weight"),
        ({"row_counts": [0, 0, 0]}, "not all 0"),
        ({"row_counts": [10**9, 1, 1]}, "more than the 50,000,000"),
        ({"sample_weight": [1.0, -1.0, 1.0]}, "at least 0"),
        ({"sample_weight": [1.0, np.nan, 1.0]}, "none of them missing"),
        ({"sample_weight": "a"}, "sample_weight must be numbers"),
        ({"groups": [1, 1, 1]}, "single group"),
    ],
)
def test_what_cannot_be_is_told(roles, message):
    with pytest.raises(OptionError, match=message):
        with_row_roles(table(), **roles)


def test_roles_may_not_be_missing():
    data = Dataset.from_columns({"a": [1, 2, 1], "w": [1.5, None, 2.5]})
    with pytest.raises(OptionError, match="'w' has no value in 1 rows"):
        with_row_roles(data, sample_weight="w")


def test_what_takes_plain_rows_only_says_so():
    require_plain_rows(table(), "An SVM")
    with pytest.raises(OptionError, match=r"An SVM cannot take groups; .*row_counts"):
        require_plain_rows(with_row_roles(table(), groups="who"), "An SVM")
