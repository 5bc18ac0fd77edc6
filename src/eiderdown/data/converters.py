"""Datasets as tables of other libraries; reading them back gives the same, but for counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import CodeArray
from eiderdown.config import MAX_INTEGER_CATEGORIES
from eiderdown.data.blocks import SparseBlock
from eiderdown.data.columns import Kind

if TYPE_CHECKING:
    import pandas
    import polars

    from eiderdown.data.dataset import Dataset


def to_pandas(data: Dataset) -> pandas.DataFrame:
    """Return a pandas frame: plain numbers where their categories can be inferred."""
    import pandas as pd

    columns = {name: _pandas_column(data, i) for i, name in enumerate(data.names)}
    return pd.DataFrame(columns, copy=False)


def to_arrow(data: Dataset) -> Any:
    """Return an Arrow table: plain numbers where their categories can be inferred."""
    import pyarrow as pa

    return pa.table({name: _arrow_column(data, i) for i, name in enumerate(data.names)})


def to_polars(data: Dataset) -> polars.DataFrame:
    """Return a polars frame; text categories become an Enum, other categories their plain values.

    Polars has no categories of numbers: categories of numbers that were declared but never seen,
    or not in sorted order, do not survive. Nor does it say whether an order means something.
    """
    import polars as pl

    columns = {}
    for i, name in enumerate(data.names):
        categories = data.categories(i)
        if categories and all(isinstance(category, str) for category in categories):
            texts = [str(category) for category in categories]
            own = pl.Series(texts, dtype=pl.Enum(texts)).gather(_codes_of_values(data, i))
        else:
            own = pl.Series(_plain_values(data, i))
        columns[name] = own.set(pl.Series(data.missing(i)), None) if data.has_missing[i] else own
    return pl.DataFrame(columns)


def _pandas_column(data: Dataset, i: int) -> Any:
    import pandas as pd

    if isinstance(data.blocks[data.block_of[i]], SparseBlock):
        return pd.arrays.SparseArray(_plain_values(data, i))
    if not data.categories(i):
        return _plain_values(data, i)
    if _inferable(data, i):
        values = _plain_values(data, i)
        if not data.has_missing[i]:
            return values
        nullable = pd.arrays.BooleanArray if values.dtype == np.bool_ else pd.arrays.IntegerArray
        return nullable(values, data.missing(i))
    categories = pd.Index(list(data.categories(i)))
    codes = np.where(data.missing(i), -1, data.codes(i).astype(np.int64))
    return pd.Categorical.from_codes(codes, categories=categories, ordered=_ordered(data, i))


def _arrow_column(data: Dataset, i: int) -> Any:
    import pyarrow as pa

    mask = data.missing(i) if data.has_missing[i] else None
    if not data.categories(i) or _inferable(data, i):
        return pa.array(_plain_values(data, i), mask=mask)
    indices = pa.array(data.codes(i).astype(np.int32), mask=mask)
    categories = pa.array(list(data.categories(i)))
    return pa.DictionaryArray.from_arrays(indices, categories, ordered=_ordered(data, i))


def _ordered(data: Dataset, i: int) -> bool:
    return data.kind(i) is Kind.ORDERED


def _inferable(data: Dataset, i: int) -> bool:
    """Whether plain values alone would be read back as the same categories."""
    categories = data.categories(i)
    if _ordered(data, i):
        return False
    if categories == (False, True) and isinstance(categories[0], bool):
        return True
    if len(categories) > MAX_INTEGER_CATEGORIES or any(type(one) is not int for one in categories):
        return False
    seen = np.bincount(data.codes(i), minlength=len(categories)) > 0
    return bool(seen.all()) and list(categories) == sorted(categories)


def _plain_values(data: Dataset, i: int) -> NDArray[Any]:
    """Return the values of a column; those at missing categories do not matter."""
    categories = data.categories(i)
    return (
        np.asarray(categories)[_codes_of_values(data, i)] if categories else data.values(i).copy()
    )


def _codes_of_values(data: Dataset, i: int) -> CodeArray:
    """Return the codes of a column, of its last category where a value is missing."""
    codes = data.codes(i)
    return np.minimum(codes, len(data.categories(i)) - 1) if data.has_missing[i] else codes
