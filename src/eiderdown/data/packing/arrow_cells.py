"""Cells as Arrow holds them, and ids, the numbers of distinct values that stand for cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import FloatArray

NO_BITS: Final = np.zeros(0, np.uint8)
"""Says that no cell is missing."""


def id_type(n_values: int) -> type[np.unsignedinteger[Any]]:
    """Return the smallest type for ids of so many values, and for that of a missing one."""
    return np.uint8 if n_values < 256 else np.uint16 if n_values < 65_536 else np.uint32


def missing_id(dtype: np.dtype[Any] | type) -> int:
    """Return the id of a missing value: the greatest of its type."""
    return int(np.iinfo(dtype).max)


def ids_as_numbers(ids: NDArray[Any], values: Sequence[Any]) -> FloatArray:
    """Return the numbers that ids stand for, NaN for a missing one."""
    table = np.append(np.array(values, np.float64), np.nan)
    numbers: FloatArray = table[np.minimum(ids, len(values))]
    return numbers


def taken_apart(array: Any) -> tuple[Any, Any]:
    """Return indices and entries of texts or of a dictionary; no entries where all is missing."""
    import pyarrow as pa
    from pyarrow import types

    if types.is_null(array.type):
        return array, None
    if not types.is_dictionary(array.type):
        array = array.cast(pa.large_string()).dictionary_encode()
    if array.dictionary.null_count:
        array = array.dictionary_decode().dictionary_encode()
    return array.indices, array.dictionary


def entry_key(entry: Any) -> Any:
    """Return what entries of a dictionary are told apart by; True is not 1, and NaN is itself."""
    is_nan = isinstance(entry, float) and np.isnan(entry)
    return (type(entry), "nan" if is_nan else entry)


def plain_values(array: Any) -> NDArray[Any]:
    """Return the values of an Arrow array of integers or floats; missing ones are anything."""
    buffer, kind = array.buffers()[1], array.type.to_pandas_dtype()
    if buffer is None:
        return np.zeros(len(array), kind)
    return np.frombuffer(buffer, kind, len(array), array.offset * np.dtype(kind).itemsize)


def validity(array: Any) -> tuple[NDArray[np.uint8], int]:
    """Return the bits that say which cells have values, none if all have, and where they begin."""
    buffer = array.buffers()[0]
    if array.null_count == 0 or buffer is None:
        return NO_BITS, 0
    return np.frombuffer(buffer, np.uint8), array.offset


def has_value(n: int, bits: NDArray[np.uint8], offset: int) -> NDArray[np.bool_]:
    """Return which of so many cells have values, by the bits that say so."""
    if not len(bits):
        return np.ones(n, np.bool_)
    return np.unpackbits(bits, count=offset + n, bitorder="little")[offset:].view(np.bool_)


def known_values(values: NDArray[Any], bits: NDArray[np.uint8], offset: int) -> NDArray[Any]:
    """Return the values that are not missing."""
    return values if not len(bits) else values[has_value(len(values), bits, offset)]


def microseconds(array: Any) -> Any:
    """Return dates as whole microseconds since 1970."""
    import pyarrow as pa
    from pyarrow import types

    zone = array.type.tz if types.is_timestamp(array.type) else None
    return array.cast(pa.timestamp("us", zone), safe=False).cast(pa.int64())
