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


def frozen(array: _AnyArray) -> _AnyArray:
    """Make an array read-only and return it."""
    array.flags.writeable = False
    return array
