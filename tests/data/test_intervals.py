"""A dataset cut into intervals keeps its other columns and their order."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from eiderdown.data import Dataset, discretise
from eiderdown.data.intervals import interval_names
from eiderdown.errors import ColumnKindError, InputError, UnknownColumnError


@pytest.fixture
def data():
    return Dataset.from_columns(
        {"age": [31.5, 40.0, 28.0], "sex": ["f", "m", "f"], "height": [1.5, 1.75, 2.0]}
    )


def test_cut_columns_become_intervals_in_place(data):
    cut = discretise(data, {"height": np.array([1.75, 1.9]), "age": np.array([])})
    assert cut.names == data.names
    assert cut.categories(0) == ("(-inf, inf)",)
    assert cut.categories(2) == ("(-inf, 1.75]", "(1.75, 1.9]", "(1.9, inf)")
    assert cut.codes(2).tolist() == [0, 0, 2]
    assert cut.categories(1) == ("f", "m")


def test_columns_that_are_not_cut_stay_as_they_are(data):
    cut = discretise(data, {"age": np.array([30.0])})
    assert cut.values(2).tolist() == [1.5, 1.75, 2.0]
    assert cut.drop(["age"]).fingerprint == data.drop(["age"]).fingerprint
    assert discretise(data, {}) is data


def test_intervals_agree_with_pandas_cut():
    values = np.random.default_rng(0).normal(size=200).round(1)
    cuts = np.array([-0.5, 0.0, 0.7])
    data = discretise(Dataset.from_columns({"v": values}), {"v": cuts})
    expected = pd.cut(pd.Series(values), [-np.inf, *cuts, np.inf]).cat.codes
    assert data.codes(0).tolist() == expected.tolist()


def test_cuts_that_six_digits_confuse_get_all_their_digits():
    names = interval_names(np.array([1.00000001, 1.00000002]))
    assert len(set(names)) == 3
    assert names[1].startswith("(1.00000001")


def test_cuts_that_make_no_sense_are_refused(data):
    with pytest.raises(UnknownColumnError, match="'wage'"):
        discretise(data, {"wage": np.array([1.0])})
    with pytest.raises(ColumnKindError, match="'sex' is discrete"):
        discretise(data, {"sex": np.array([1.0])})
    for cuts in ([2.0, 1.0], [1.0, 1.0], [np.inf], [[1.0]]):
        with pytest.raises(InputError, match="cuts of column 'age' must be finite"):
            discretise(data, {"age": np.array(cuts)})
