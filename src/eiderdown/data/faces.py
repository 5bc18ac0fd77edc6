"""A dataset as a pandas, polars or Arrow table, such that reading it back gives the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eiderdown.config import MAX_INTEGER_CATEGORIES
from eiderdown.data.blocks import Category, SparseBlock

if TYPE_CHECKING:
    import pandas
    import polars

    from eiderdown.data.dataset import Dataset


def to_pandas(data: Dataset) -> pandas.DataFrame:
    """Return a pandas frame: plain numbers where inference finds the categories, else categories."""
    import pandas as pd

    columns = {name: _pandas_column(data, i) for i, name in enumerate(data.names)}
    return pd.DataFrame(columns, copy=False)


def to_arrow(data: Dataset) -> Any:
    """Return an Arrow table: plain numbers where inference finds the categories, else dictionaries."""
    import pyarrow as pa

    return pa.table({name: _arrow_column(data, i) for i, name in enumerate(data.names)})


def to_polars(data: Dataset) -> polars.DataFrame:
    """Return a polars frame; text categories become an Enum, other categories their plain values.

    Polars has no categories of numbers: categories of numbers that were declared but never seen,
    or not in sorted order, do not survive.
    """
    import polars as pl

    columns = {}
    for i, name in enumerate(data.names):
        categories = data.categories(i)
        if categories and all(isinstance(category, str) for category in categories):
            texts = [str(category) for category in categories]
            columns[name] = pl.Series(texts, dtype=pl.Enum(texts)).gather(data.codes(i))
        else:
            columns[name] = pl.Series(_plain_values(data, i))
    return pl.DataFrame(columns)


def _pandas_column(data: Dataset, i: int) -> Any:
    import pandas as pd

    if isinstance(data.blocks[data.block_of[i]], SparseBlock):
        return pd.arrays.SparseArray(_plain_values(data, i))
    if not data.categories(i) or _inferable(data, i):
        return _plain_values(data, i)
    categories = pd.Index(list(data.categories(i)))
    return pd.Categorical.from_codes(data.codes(i), categories=categories)


def _arrow_column(data: Dataset, i: int) -> Any:
    import pyarrow as pa

    if not data.categories(i) or _inferable(data, i):
        return pa.array(_plain_values(data, i))
    indices = pa.array(data.codes(i).astype(np.int32))
    return pa.DictionaryArray.from_arrays(indices, pa.array(list(data.categories(i))))


def _inferable(data: Dataset, i: int) -> bool:
    """Whether plain values alone would be read back as the same categories."""
    categories = data.categories(i)
    if categories == (False, True) and isinstance(categories[0], bool):
        return True
    if not _all_integers(categories) or len(categories) > MAX_INTEGER_CATEGORIES:
        return False
    seen = np.bincount(data.codes(i), minlength=len(categories)) > 0
    return bool(seen.all()) and list(categories) == sorted(categories)


def _all_integers(categories: tuple[Category, ...]) -> bool:
    return all(
        isinstance(category, int) and not isinstance(category, bool) for category in categories
    )


def _plain_values(data: Dataset, i: int) -> NDArray[Any]:
    categories = data.categories(i)
    return np.asarray(categories)[data.codes(i)] if categories else data.values(i).copy()
