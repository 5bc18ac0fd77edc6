"""A dataset as a pandas, polars or Arrow table, such that reading it back gives the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eiderdown.config import MAX_INTEGER_LEVELS
from eiderdown.data.blocks import Level, SparseBlock

if TYPE_CHECKING:
    import pandas
    import polars

    from eiderdown.data.dataset import Dataset


def to_pandas(data: Dataset) -> pandas.DataFrame:
    """Return a pandas frame: plain numbers where inference finds the levels, else categories."""
    import pandas as pd

    columns = {name: _pandas_column(data, i) for i, name in enumerate(data.names)}
    return pd.DataFrame(columns, copy=False)


def to_arrow(data: Dataset) -> Any:
    """Return an Arrow table: plain numbers where inference finds the levels, else dictionaries."""
    import pyarrow as pa

    return pa.table({name: _arrow_column(data, i) for i, name in enumerate(data.names)})


def to_polars(data: Dataset) -> polars.DataFrame:
    """Return a polars frame; text levels become an Enum, other levels their plain values.

    Polars has no categories of numbers: levels of numbers that were declared but never seen,
    or not in sorted order, do not survive.
    """
    import polars as pl

    columns = {}
    for i, name in enumerate(data.names):
        levels = data.levels(i)
        if levels and all(isinstance(level, str) for level in levels):
            texts = [str(level) for level in levels]
            columns[name] = pl.Series(texts, dtype=pl.Enum(texts)).gather(data.codes(i))
        else:
            columns[name] = pl.Series(_plain_values(data, i))
    return pl.DataFrame(columns)


def _pandas_column(data: Dataset, i: int) -> Any:
    import pandas as pd

    if isinstance(data.blocks[data.block_of[i]], SparseBlock):
        return pd.arrays.SparseArray(_plain_values(data, i))
    if not data.levels(i) or _inferable(data, i):
        return _plain_values(data, i)
    categories = pd.Index(list(data.levels(i)))
    return pd.Categorical.from_codes(data.codes(i), categories=categories)


def _arrow_column(data: Dataset, i: int) -> Any:
    import pyarrow as pa

    if not data.levels(i) or _inferable(data, i):
        return pa.array(_plain_values(data, i))
    indices = pa.array(data.codes(i).astype(np.int32))
    return pa.DictionaryArray.from_arrays(indices, pa.array(list(data.levels(i))))


def _inferable(data: Dataset, i: int) -> bool:
    """Whether plain values alone would be read back as the same levels."""
    levels = data.levels(i)
    if levels == (False, True) and isinstance(levels[0], bool):
        return True
    if not _all_integers(levels) or len(levels) > MAX_INTEGER_LEVELS:
        return False
    seen = np.bincount(data.codes(i), minlength=len(levels)) > 0
    return bool(seen.all()) and list(levels) == sorted(levels)


def _all_integers(levels: tuple[Level, ...]) -> bool:
    return all(isinstance(level, int) and not isinstance(level, bool) for level in levels)


def _plain_values(data: Dataset, i: int) -> NDArray[Any]:
    levels = data.levels(i)
    return np.asarray(levels)[data.codes(i)] if levels else data.values(i).copy()
