"""Code that one kernel calls at an address which it is given, whoever made it.

A kernel that is to work with many kinds of scores would have to be compiled with each of them. It
calls an address instead: that of another kernel with its arguments (:func:`address_of`), or that of
a Python function (``CODE(function)``, which takes Python's lock for as long as it runs).
"""

from __future__ import annotations

import ctypes
from typing import Any

from eiderdown.work_sharing import code_type, entry, instruction

CODE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int64, ctypes.c_int64)
"""Code that takes the address of its arguments and a number; it returns 0 unless it failed."""

N_WORDS = 512
"""Of memory that takes the arguments of code."""


def address_of_python(code: Any) -> int:
    """Return the address of a Python function that is kept as ``CODE``."""
    return ctypes.cast(code, ctypes.c_void_p).value or 0


def _no_addresses(*_: Any) -> int:
    return 0


@instruction(_no_addresses)
def address_of(typing: Any, item: Any, args: Any, place: Any) -> tuple[Any, Any]:
    """Return the address of a kernel that takes ``(*args, number)``, and put the args in a place.

    Whoever asks keeps the arrays among them for as long as the code may be called. Without Numba
    there are no addresses: 0.
    """
    from numba import types

    of_item = item.get_call_type(typing, (*args, types.int64), {})

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        from llvmlite import ir

        args_type = signature.args[1]
        if context.get_abi_sizeof(context.get_value_type(args_type)) > 8 * N_WORDS:
            raise TypeError("These are too many arguments for code at an address.")
        items = item.dispatcher.overloads[of_item.args]
        context.add_linking_libs([items.library])
        function = entry(context, builder.module, items.fndesc, of_item, args_type)
        room = context.make_array(signature.args[2])(context, builder, values[2]).data
        builder.store(values[1], builder.bitcast(room, values[1].type.as_pointer()))
        return builder.ptrtoint(function, ir.IntType(64))

    return types.int64(item, args, place), code


def _call_as_python(code: int, arguments: int, number: int) -> int:
    return int(CODE(int(code))(int(arguments), int(number)))


@instruction(_call_as_python)
def call_at(_typing: Any, _code: Any, _arguments: Any, _number: Any) -> tuple[Any, Any]:
    """Call the code at an address; return 0, or another number if it failed."""
    from numba import types

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.call(builder.inttoptr(args[0], code_type().as_pointer()), args[1:])

    return types.int32(types.int64, types.int64, types.int64), code
