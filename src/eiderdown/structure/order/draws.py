"""Random numbers of a NumPy generator, drawn in kernels as the generator itself would draw them.

To go back to Python for them would take Python's lock after every round of moves.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from eiderdown.arrays import IntArray, rows_apart
from eiderdown.instructions import instruction
from eiderdown.kernels import kernel

_STATE, _NEXT_UINT32, _NEXT_DOUBLE = range(3)


def draws_of(generator: np.random.Generator) -> IntArray:
    """Return the addresses of a generator's state and code, which must be kept meanwhile."""
    source = generator.bit_generator.ctypes
    draws: IntArray = rows_apart(1, 3)[0]
    draws[_STATE] = source.state_address
    for place, code in ((_NEXT_UINT32, source.next_uint32), (_NEXT_DOUBLE, source.next_double)):
        draws[place] = ctypes.cast(code, ctypes.c_void_p).value or 0
    return draws


def _called(result: Any, code: int, state: int) -> Any:
    return ctypes.CFUNCTYPE(result, ctypes.c_void_p)(int(code))(int(state))


@instruction(lambda code, state: _called(ctypes.c_uint32, code, state))
def _next_uint32(_typing: Any, _code: Any, _state: Any) -> tuple[Any, Any]:
    """Return the next whole number of 32 bits."""
    from llvmlite import ir
    from numba import types

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        function = ir.FunctionType(ir.IntType(32), [ir.IntType(64)]).as_pointer()
        drawn = builder.call(builder.inttoptr(args[0], function), [args[1]])
        return builder.zext(drawn, ir.IntType(64))

    return types.int64(types.int64, types.int64), code


@instruction(lambda code, state: _called(ctypes.c_double, code, state))
def _next_double(_typing: Any, _code: Any, _state: Any) -> tuple[Any, Any]:
    """Return the next number from 0 to 1."""
    from llvmlite import ir
    from numba import types

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        function = ir.FunctionType(ir.DoubleType(), [ir.IntType(64)]).as_pointer()
        return builder.call(builder.inttoptr(args[0], function), [args[1]])

    return types.float64(types.int64, types.int64), code


@kernel("void(int64[::1], float64[::1])", inner=True)
def draw_numbers(draws, into):  # type: ignore[no-untyped-def]
    """Draw numbers from 0 to 1, as ``Generator.random`` does."""
    for k in range(into.shape[0]):
        into[k] = _next_double(draws[_NEXT_DOUBLE], draws[_STATE])


@kernel("void(int64[::1], int64[::1])", inner=True)
def draw_permutation(draws, into):  # type: ignore[no-untyped-def]
    """Put whole numbers in any order, as ``Generator.permutation`` does."""
    n = into.shape[0]
    for k in range(n):
        into[k] = k
    mask = 1
    while mask < n - 1:
        mask = 2 * mask + 1
    for last in range(n - 1, 0, -1):
        if last <= mask >> 1:
            mask >>= 1
        other = _next_uint32(draws[_NEXT_UINT32], draws[_STATE]) & mask
        while other > last:
            other = _next_uint32(draws[_NEXT_UINT32], draws[_STATE]) & mask
        into[last], into[other] = into[other], into[last]
