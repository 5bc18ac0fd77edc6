"""Names for the array types that cross module borders, and what is done to any array."""

from __future__ import annotations

from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]
BoolArray: TypeAlias = NDArray[np.bool_]
WordArray: TypeAlias = NDArray[np.uint64]
ByteArray: TypeAlias = NDArray[np.uint8]
CodeArray: TypeAlias = NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.uint32]

_AnyArray = TypeVar("_AnyArray", bound=NDArray[Any])


def without_rounding(values: FloatArray) -> FloatArray:
    """Keep the leading 30 bits: numbers that differ by the order of a sum only become equal.

    Examples
    --------
    >>> a, b = without_rounding(np.array([0.1 + 0.2, 0.3]))
    >>> bool(a == b)
    True
    """
    mantissas, exponents = np.frexp(values)
    rounded: FloatArray = np.ldexp(np.round(mantissas * 2.0**30), exponents - 30)
    return rounded


_FAR_APART = 64  # words; so many small ones are not taken from where others leave some


def frozen(array: _AnyArray) -> _AnyArray:
    """Make an array read-only and return it."""
    array.flags.writeable = False
    return array


def rows_apart(n_rows: int, n: int) -> IntArray:
    """Return zeros that no other array is near to.

    Small arrays may be on one cache line with those of another thread. Whoever writes to a line
    takes it from all others, which then wait for it.
    """
    words = np.zeros(n_rows * n + 2 * _FAR_APART, dtype=np.int64)
    return words[_FAR_APART:-_FAR_APART].reshape(n_rows, n)


def apart(array: _AnyArray) -> _AnyArray:
    """Return a copy that no other array is near to; see :func:`rows_apart`."""
    n_words = -(-array.nbytes // 8)
    rows = rows_apart(1, n_words).view(np.uint8)[0, : array.nbytes]
    copy: Any = rows.view(array.dtype).reshape(array.shape)
    copy[:] = array
    return copy  # type: ignore[no-any-return]
