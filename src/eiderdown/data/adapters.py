"""Columns of other libraries made raw, and datasets as tables of those libraries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import BoolArray, CodeArray
from eiderdown.data.blocks import Category, SparseBlock
from eiderdown.data.columns import Kind
from eiderdown.data.dates import AnyRaw, raw_times
from eiderdown.data.encode import MAX_INTEGER_CATEGORIES, RawCategories, RawNumbers, RawSparse
from eiderdown.errors import ColumnKindError, InputError

if TYPE_CHECKING:
    import pandas
    import polars

    from eiderdown.data.dataset import Dataset


def raw_column(name: str, values: Any) -> AnyRaw:
    """Return any one-dimensional column-like object as a raw column."""
    library = type(values).__module__.partition(".")[0]
    if library == "pandas":
        return raw_from_pandas(name, values)
    if library == "polars":
        return raw_from_polars(name, values)
    if library == "pyarrow":
        return raw_from_arrow(name, values)
    if isinstance(values, np.ndarray):
        return raw_from_numpy(name, values)
    if hasattr(values, "__array__"):
        return raw_from_numpy(name, np.asarray(values))
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise InputError(
            f"Column {name!r} is a {type(values).__name__}; give a list or a 1-D array."
        )
    # Cell by cell into objects: np.array would turn [1, "a"] into text without a word.
    cells = np.empty(len(values), object)
    cells[:] = values
    return raw_from_numpy(name, cells)


def raw_from_numpy(name: str, array: NDArray[Any]) -> AnyRaw:
    """Return a one-dimensional NumPy array as a raw column."""
    if array.ndim != 1:
        raise InputError(
            f"Column {name!r} has {array.ndim} dimensions; a column must have exactly one."
        )
    if isinstance(array, np.ma.MaskedArray):
        array = unmasked(array)
    if array.dtype.kind in "bui":
        return RawNumbers(array)
    if array.dtype.kind == "f":
        return RawNumbers(array, _nan_cells(array))
    if array.dtype.kind == "U":
        categories, codes = np.unique(array, return_inverse=True)
        return RawCategories(codes, tuple(categories.tolist()), declared=False)
    if array.dtype.kind in "OT":
        return _raw_from_objects(name, array.astype(object, copy=False))
    if array.dtype.kind in "mM":
        return raw_times(array)
    raise _unusable(name, str(array.dtype))


def _nan_cells(numbers: NDArray[np.floating[Any]]) -> BoolArray | None:
    """Return which numbers are NaN, None if none is (a sum is quicker than a mask)."""
    with np.errstate(invalid="ignore", over="ignore"):
        return np.isnan(numbers) if np.isnan(numbers.sum()) else None


def unmasked(array: NDArray[Any]) -> NDArray[Any]:
    """Return a masked array as a plain one, with None where it is masked."""
    mask = np.ma.getmaskarray(array)
    plain = np.ma.getdata(array)
    if mask.any():
        plain = plain.astype(object)
        plain[mask] = None
    return plain


def raw_from_pandas(name: str, series: Any) -> AnyRaw:
    """Return a pandas Series (or other one-dimensional pandas array) as a raw column."""
    import pandas as pd
    from pandas.api import types

    series = pd.Series(series)
    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        raw = _declared(name, series.cat.codes.to_numpy(), dtype.categories.tolist())
        return replace(raw, ordered=bool(dtype.ordered))
    if isinstance(dtype, pd.ArrowDtype):
        import pyarrow as pa

        return raw_from_arrow(name, pa.chunked_array(pa.array(series.array)))
    if isinstance(dtype, pd.SparseDtype):
        return _raw_pandas_sparse(name, series)
    if types.is_bool_dtype(dtype) or types.is_integer_dtype(dtype) or types.is_float_dtype(dtype):
        return _raw_pandas_numbers(name, series)
    if types.is_object_dtype(dtype) or types.is_string_dtype(dtype):
        objects = types.is_object_dtype(dtype)
        return _raw_from_objects(name, series.to_numpy()) if objects else _raw_from_texts(series)
    return raw_times(_pandas_times(name, series))


def _pandas_times(name: str, series: Any) -> NDArray[Any]:
    """Return the dates or durations of a pandas series."""
    import pandas as pd

    if isinstance(series.dtype, pd.PeriodDtype):
        series = series.dt.to_timestamp()
    kind = getattr(series.dtype, "kind", "O")
    if kind not in "mM":
        raise _unusable(name, str(series.dtype))
    times: NDArray[Any] = series.to_numpy(f"{kind}8[us]")
    return times


def mixed_texts(values: Any) -> RawCategories | None:
    """Return numbers and texts of one column as texts, None if it holds something else."""
    import pandas as pd

    cells = np.asarray(values, dtype=object)
    missing = np.asarray(pd.isna(cells))
    if cells.ndim != 1 or not all(isinstance(cell, str | int | float) for cell in cells[~missing]):
        return None
    texts = np.array([None if no else str(cell) for no, cell in zip(missing, cells, strict=True)])
    return _raw_from_texts(texts)


def _raw_pandas_numbers(name: str, series: Any) -> AnyRaw:
    # A nullable dtype (Int64, boolean) names the NumPy dtype that holds its values.
    plain = getattr(series.dtype, "numpy_dtype", None)
    if plain is None:
        return raw_from_numpy(name, series.to_numpy())
    missing = series.isna().to_numpy()
    values = series.to_numpy(dtype=plain, na_value=plain.type(0))
    return RawNumbers(values, missing if missing.any() else None)


def _raw_pandas_sparse(name: str, series: Any) -> AnyRaw:
    array = series.array
    is_binary = array.dtype.kind in "bui" and not array.fill_value and (array.sp_values == 1).all()
    if not is_binary:
        return raw_from_numpy(name, series.to_numpy())
    categories: tuple[Category, ...] = (False, True) if array.dtype.kind == "b" else (0, 1)
    return RawSparse(array.sp_index.to_int_index().indices, len(array), categories)


def raw_from_polars(name: str, series: Any) -> AnyRaw:
    """Return a polars Series as a raw column."""
    import polars as pl

    # Polars shares categories between columns, so that a Categorical declares no categories.
    if series.dtype == pl.Categorical:
        series = series.cast(pl.String)
    raw = raw_from_arrow(name, series.to_arrow())
    # An Enum always has an order, whether it means something or not.
    return replace(raw, ordered=False) if isinstance(raw, RawCategories) else raw


def raw_from_arrow(name: str, column: Any) -> AnyRaw:
    """Return an Arrow array (whole or in chunks) as a raw column."""
    import pyarrow as pa
    from pyarrow import types

    column = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
    kind = column.type
    if types.is_dictionary(kind):
        return _raw_arrow_dictionary(name, column, declared=True)
    if types.is_null(kind):
        return RawCategories(np.full(len(column), -1), (), declared=False)
    if types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind):
        whole = column.combine_chunks()
        if column.null_count == 0:
            return raw_from_numpy(name, _numpy_of(whole))
        missing = _numpy_of(whole.is_null())
        values = _numpy_of(whole.fill_null(False if types.is_boolean(kind) else 0))
        if values.dtype.kind == "f":
            missing = missing | np.isnan(values)
        return RawNumbers(values, missing)
    if str(kind) in ("string", "large_string", "string_view"):
        # Dictionary encoding of views is not in every Arrow; large strings are.
        encoded = column.cast(pa.large_string()).dictionary_encode()
        return _raw_arrow_dictionary(name, encoded, declared=False)
    return _raw_arrow_times(name, column)


def _raw_arrow_times(name: str, column: Any) -> AnyRaw:
    """Return dates, durations, times of a day (as hours) and decimal numbers of Arrow."""
    import pyarrow as pa
    from pyarrow import types

    kind = column.type
    if types.is_date(kind) or types.is_timestamp(kind):
        zone = kind.tz if types.is_timestamp(kind) else None
        cells, form = column.cast(pa.timestamp("us", zone), safe=False), "datetime64[us]"
    elif types.is_duration(kind):
        cells, form = column.cast(pa.duration("us"), safe=False), "timedelta64[us]"
    elif types.is_time(kind):
        cells, form = column.cast(pa.time64("us"), safe=False), "timedelta64[us]"
    elif types.is_decimal(kind):
        return raw_from_arrow(name, column.cast(pa.float64()))
    else:
        raise _unusable(name, str(kind))
    whole = cells.cast(pa.int64()).combine_chunks()
    values = np.array(_numpy_of(whole.fill_null(0))).view(form)
    if whole.null_count:
        values[_numpy_of(whole.is_null())] = np.array("NaT", form)
    raw = raw_times(values)
    if types.is_time(kind) and isinstance(raw, RawNumbers):
        return replace(raw, values=raw.values * 24)
    return raw


def raw_from_csv(name: str, column: Any) -> AnyRaw:
    """Return a column of a CSV file, whose texts were read as codes but declare nothing."""
    from pyarrow import types

    if types.is_dictionary(column.type):
        return _raw_arrow_dictionary(name, column, declared=False)
    return raw_from_arrow(name, column)


def _raw_arrow_dictionary(name: str, column: Any, *, declared: bool) -> RawCategories:
    import pyarrow as pa

    whole = column.unify_dictionaries().combine_chunks()
    if whole.dictionary.null_count:
        whole = whole.dictionary_decode().dictionary_encode()
    indices = whole.indices
    if indices.null_count or indices.type != pa.int32():
        indices = indices.cast(pa.int32()).fill_null(-1)
    categories = whole.dictionary.to_pylist()
    if declared:
        ordered = bool(whole.type.ordered)
        return replace(_declared(name, _numpy_of(indices), categories), ordered=ordered)
    return RawCategories(_numpy_of(indices), tuple(categories), declared=False)


def _numpy_of(array: Any) -> NDArray[Any]:
    """Return an Arrow array without nulls; Arrow's own ``to_numpy`` imports pandas first."""
    from pyarrow import types

    if len(array) == 0:
        return np.empty(0, array.type.to_pandas_dtype())
    if types.is_boolean(array.type):
        bits = np.frombuffer(array.buffers()[1], np.uint8)
        end = array.offset + len(array)
        return np.unpackbits(bits, count=end, bitorder="little")[array.offset :].view(np.bool_)
    return np.from_dlpack(array)


def _raw_from_objects(name: str, cells: NDArray[Any]) -> AnyRaw:
    import pandas as pd

    missing = np.asarray(pd.isna(cells))
    kind = pd.api.types.infer_dtype(cells, skipna=True)
    if kind == "string":
        return _raw_from_texts(cells)
    dtypes = {"boolean": bool, "integer": np.int64, "floating": float, "mixed-integer-float": float}
    try:
        if kind in dtypes or missing.all():
            values = np.where(missing, 0, cells).astype(dtypes.get(kind, float))
            return RawNumbers(values, missing if missing.any() else None)
    except OverflowError:
        kind = "huge integer"
    if kind in ("date", "datetime", "datetime64"):
        return raw_from_pandas(name, pd.to_datetime(pd.Series(cells), utc=True))
    if kind == "decimal":
        return raw_from_numpy(name, np.where(missing, np.nan, cells).astype(float))
    raise _unusable(name, f"{kind} (Python objects)")


def _raw_from_texts(texts: Any) -> RawCategories:
    import pandas as pd

    codes, categories = pd.factorize(texts)
    return RawCategories(codes, tuple(map(str, categories)), declared=False)


def _declared(name: str, codes: NDArray[Any], declared: list[Any]) -> RawCategories:
    return RawCategories(codes, plain_categories(name, declared), declared=True)


def plain_categories(name: str, declared: Sequence[Any]) -> tuple[Category, ...]:
    """Return declared categories as booleans, integers, floats or texts, all of one type.

    Anything else (the intervals of ``pandas.cut``, a mix of types) is replaced by its text.

    Examples
    --------
    >>> plain_categories("size", [np.int64(1), np.int64(2)])
    (1, 2)
    >>> plain_categories("size", [1, "many"])
    ('1', 'many')
    """
    categories: tuple[Any, ...] = tuple(
        one.item() if isinstance(one, np.generic) else one for one in declared
    )
    if not any(all(type(one) is plain for one in categories) for plain in (bool, int, float, str)):
        categories = tuple(map(str, categories))
    if len(set(categories)) < len(categories):
        raise InputError(
            f"Two categories of column {name!r} are the same; make every category unique."
        )
    return categories


def _unusable(name: str, type_name: str) -> ColumnKindError:
    return ColumnKindError(
        f"Column {name!r} is of type {type_name}, which is neither numbers nor categories; "
        f"convert it to numbers, text or categories, or drop it."
    )


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
        if data.has_missing[i]:
            nothing = pl.Series([None], dtype=own.dtype).gather(np.zeros(len(own), np.int64))
            own = nothing.zip_with(pl.Series(data.missing(i)), own)
        columns[name] = own
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
