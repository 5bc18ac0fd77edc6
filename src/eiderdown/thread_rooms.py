"""Room for several threads in one record of arrays, of which each takes its own part.

    rooms = several(Room.of(n_rows), n_threads)

    @kernel("void(Room, int64)", inner=True)
    def _work(rooms, k):
        room = own_part(rooms, k, n_threads)

A kernel whose items are done by any thread is given the room of all, because the arguments of items
are the same. Arrays of a part are those of the record with a shorter first axis, so that both are
of one type, and nothing is compiled twice. There is a gap between parts, so that no two threads
write to the same cache line, which would make both slow.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from eiderdown.instructions import Instruction

_Record = TypeVar("_Record")
_Number = TypeVar("_Number", bound=np.generic)

_GAP = 128  # bytes: two cache lines, because they are fetched in pairs


def several(record: _Record, n: int) -> _Record:
    """Return room as in a record, a NamedTuple, for so many threads; arrays are zeros."""
    if n == 1:
        return record

    def for_all(field: Any) -> Any:
        if isinstance(field, np.ndarray):
            return enlarged(field, n)
        return several(field, n) if isinstance(field, tuple) else field

    return _of_fields(record, map(for_all, record))  # type: ignore[call-overload]


def enlarged(array: NDArray[_Number], n: int) -> NDArray[_Number]:
    """Return an array as one such for each of so many threads, of zeros."""
    if n == 1:
        return array
    length = n * (len(array) + _gap(array)) - _gap(array)
    return np.zeros((length, *array.shape[1:]), dtype=array.dtype)


def _gap(array: NDArray[Any]) -> int:
    """Return how many rows of an array are a gap."""
    return -(-_GAP // max(1, array.itemsize * math.prod(array.shape[1:])))


def _own_part_as_python(record: _Record, k: int, n: int) -> _Record:
    def own(field: Any) -> Any:
        if isinstance(field, np.ndarray):
            length = (len(field) + _gap(field)) // n
            return field[k * length : (k + 1) * length - _gap(field)]
        return _own_part_as_python(field, k, n) if isinstance(field, tuple) else field

    return _of_fields(record, map(own, record))  # type: ignore[call-overload]


def _of_fields(record: _Record, fields: Iterable[Any]) -> _Record:
    """Return a record of the same type with other fields."""
    made: _Record = type(record)._make(fields)  # type: ignore[attr-defined]
    return made


def _own_part(_typing: Any, record: Any, _k: Any, _n: Any) -> tuple[Any, Any]:
    """Return the part of a record that is thread k's, of n."""
    from numba import types
    from numba.core.imputils import impl_ret_borrowed

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        part = _part_of(context, builder, signature.args[0], *args)
        return impl_ret_borrowed(context, builder, signature.return_type, part)

    return record(record, types.int64, types.int64), code


def _part_of(context: Any, builder: Any, of: Any, value: Any, k: Any, n: Any) -> Any:
    from numba import types

    if isinstance(of, types.BaseTuple):
        field_types: Any = of
        for i, field_type in enumerate(field_types):
            field = builder.extract_value(value, i)
            part = _part_of(context, builder, field_type, field, k, n)
            value = builder.insert_value(value, part, i)
        return value
    return _rows_of(context, builder, of, value, k, n) if isinstance(of, types.Array) else value


def _rows_of(context: Any, builder: Any, of: Any, value: Any, k: Any, n: Any) -> Any:
    """Return the k-th of n parts of an array's first axis."""
    from numba.core import cgutils
    from numba.np import arrayobj

    whole, part = (
        arrayobj.make_array(of)(context, builder, value),
        arrayobj.make_array(of)(context, builder),
    )
    shape, strides = (cgutils.unpack_tuple(builder, one) for one in (whole.shape, whole.strides))
    word = shape[0].type
    one = builder.select(builder.icmp_signed(">", strides[0], word(0)), strides[0], word(1))
    gap = builder.sdiv(builder.add(one, word(_GAP - 1)), one)
    length = builder.sdiv(builder.add(shape[0], gap), n)
    offset = builder.mul(builder.mul(k, length), strides[0])
    arrayobj.populate_array(
        part,
        data=cgutils.pointer_add(builder, whole.data, offset, whole.data.type),
        shape=[builder.sub(length, gap), *shape[1:]],
        strides=strides,
        itemsize=whole.itemsize,
        meminfo=whole.meminfo,
        parent=whole.parent,
    )
    return part._getvalue()


own_part = Instruction(_own_part, _own_part_as_python)
