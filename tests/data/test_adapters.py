"""What goes out to pandas, polars or Arrow comes back the same."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

from eiderdown.data import Dataset, SparseBlock

TEXT = pd.Categorical(["z", "a", "z"], categories=["z", "unseen", "a"])


def table(**extra):
    return Dataset.from_columns(
        {
            "text": TEXT,
            "flag": [True, True, True],
            "number": [0.5, -1.0, 2.0],
            "count": [3, 1, 2],
            **extra,
        }
    )


OTHER_LEVELS = {
    "unseen": pd.Categorical([1, 2, 1], categories=[2, 1, 0]),
    "cut": pd.Categorical([0.5, 1.5, 0.5]),
    "flipped": pd.Categorical([True, False, True], categories=[True, False]),
    "many": pd.Categorical.from_codes([0, 20, 3], categories=range(21)),
}


@pytest.mark.parametrize("face", ["to_pandas", "to_arrow"])
def test_every_level_survives_pandas_and_arrow(face):
    data = table(**OTHER_LEVELS)
    back = Dataset.of(getattr(data, face)())
    assert [back.categories(i) for i in range(8)] == [data.categories(i) for i in range(8)]
    assert back.fingerprint == data.fingerprint


def test_text_levels_survive_polars():
    data = table()
    frame = data.to_polars()
    assert frame.schema["text"] == pl.Enum(["z", "unseen", "a"])
    assert frame["text"].to_list() == ["z", "a", "z"]
    assert Dataset.of(frame).fingerprint == data.fingerprint


def test_plain_columns_come_out_plain():
    frame = table().to_pandas()
    assert frame["flag"].tolist() == [True, True, True]
    assert frame["count"].dtype == np.int64
    assert frame["number"].tolist() == [0.5, -1.0, 2.0]
    assert frame["text"].dtype == TEXT.dtype


def test_sparse_columns_stay_sparse_in_pandas():
    data = Dataset.of(csr_array(np.array([[0, 1], [1, 1], [0, 0]])))
    frame = data.to_pandas()
    assert isinstance(frame["x0"].dtype, pd.SparseDtype)
    assert frame["x1"].tolist() == [1, 1, 0]
    assert Dataset.of(frame).fingerprint == data.fingerprint
    assert isinstance(Dataset.of(frame).blocks[0], SparseBlock)


def test_changing_a_face_does_not_change_the_dataset():
    data = table()
    frame = data.to_pandas()
    frame.loc[0, "number"] = 99.0
    assert data.values(2)[0] == 0.5


def test_chunks_with_different_dictionaries_are_unified():
    chunks = pa.chunked_array(
        [pa.array(["b", "a"]).dictionary_encode(), pa.array(["c", "b"]).dictionary_encode()]
    )
    data = Dataset.from_arrow(pa.table({"c": chunks}))
    assert data.categories(0) == ("b", "a", "c")
    assert data.codes(0).tolist() == [0, 1, 2, 0]
