"""Names for the array types that cross module borders."""

from __future__ import annotations

from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]
BoolArray: TypeAlias = NDArray[np.bool_]
WordArray: TypeAlias = NDArray[np.uint64]
CodeArray: TypeAlias = NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.uint32]

_AnyArray = TypeVar("_AnyArray", bound=NDArray[Any])


def frozen(array: _AnyArray) -> _AnyArray:
    """Make an array read-only and return it."""
    array.flags.writeable = False
    return array
