"""Indicators of one category are joined, and come in or stay out together."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from eiderdown import find_boundary
from eiderdown.api.tables import with_column_groups
from eiderdown.data import Dataset
from eiderdown.errors import ColumnKindError, OptionError


def test_indicators_become_one_column():
    data = Dataset.from_columns(
        {
            "a": [True, False, False],
            "b": [False, True, False],
            "c": [False, False, True],
            "x": [1, 2, 2],
        }
    )
    found = with_column_groups(data, {"letter": ["c", "a", "b"]})
    assert found.names == ("x", "letter")
    assert found.categories(1) == ("c", "a", "b")
    assert found.codes(1).tolist() == [1, 2, 0]
    assert with_column_groups(data, None) is data


def test_missing_indicators():
    data = Dataset.from_columns({"a": [1.0, 0.0, None, None], "b": [0.0, None, 1.0, 0.0]})
    found = with_column_groups(data, {"g": ["a", "b"]})
    assert found.missing(0).tolist() == [False, True, False, True]
    assert found.categories(0) == ("a", "b")


@pytest.mark.parametrize(
    ("columns", "groups", "error", "message"),
    [
        (
            {"a": [1, 1], "b": [0, 1]},
            {"g": ["a", "b"]},
            ColumnKindError,
            "more than one is 1 in 1 ",
        ),
        ({"a": [1, 2], "b": [0, 1]}, {"g": ["a", "b"]}, ColumnKindError, "'a' holds more than 0"),
        ({"a": ["x", "y"], "b": [0, 1]}, {"g": ["a", "b"]}, ColumnKindError, "'a' holds more"),
        ({"a": [1, 0], "b": [0, 1]}, {"g": ["a"]}, OptionError, "at least two"),
        ({"a": [1, 0], "b": [0, 1]}, [["a", "b"]], OptionError, "must map the name"),
    ],
)
def test_what_cannot_be_joined_is_told(columns, groups, error, message):
    with pytest.raises(error, match=message):
        with_column_groups(Dataset.from_columns(columns), groups)


def test_a_group_is_a_member_or_not():
    generator = np.random.default_rng(0)
    colour = generator.integers(0, 4, 500)
    frame = pd.get_dummies(pd.Series(colour).astype("category"), prefix="colour")
    frame["noise"] = generator.normal(size=500)
    frame["y"] = np.array([0.0, 1.0, 1.0, 3.0])[colour] + generator.normal(size=500)
    group = {"colour": [f"colour_{k}" for k in range(4)]}
    found = find_boundary(frame, target="y", column_groups=group, progress=False)
    assert found.members == ("colour",)
