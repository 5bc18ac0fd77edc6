"""Code that one kernel calls at an address which it is given, whoever made it.

A kernel that is to work with many kinds of scores would have to be compiled with each of them. It
calls an address instead: that of another kernel with its arguments (:func:`address_of`), or that of
a Python function (``CODE(function)``, which takes Python's lock for as long as it runs).
"""

from __future__ import annotations

import ctypes
from typing import Any

from eiderdown.instructions import instruction

CODE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int64, ctypes.c_int64)
"""Code that takes the address of its arguments and a number; it returns 0 unless it failed."""

N_WORDS = 512
"""Of memory that takes the arguments of code."""


def code_type() -> Any:
    """Return the type of code that takes the address of arguments, and an item."""
    from llvmlite import ir

    word = ir.IntType(64)
    return ir.FunctionType(ir.IntType(32), [word, word])


def entry(context: Any, module: Any, item: Any, signature: Any, args_type: Any) -> Any:
    """Return code that takes arguments from memory and calls an item with them."""
    from llvmlite import ir
    from numba import types

    name = f"shared.{item.mangled_name}.{args_type}"
    if name in module.globals:
        return module.globals[name]
    function = ir.Function(module, code_type(), name)
    function.linkage = "internal"
    builder = ir.IRBuilder(function.append_basic_block())
    place = builder.inttoptr(function.args[0], context.get_value_type(args_type).as_pointer())
    given = _without_owners(context, builder, args_type, builder.load(place))
    values = [builder.extract_value(given, i) for i in range(len(args_type))]
    cast = [
        context.cast(builder, *one)
        for one in zip(
            [*values, function.args[1]], [*args_type, types.int64], signature.args, strict=True
        )
    ]
    status, _ = context.call_internal_no_propagate(builder, item, signature, cast)
    builder.ret(status.code)
    return function


def _without_owners(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Return arguments whose arrays nobody counts references to; they are the caller's.

    Counters that all threads write to would take as long as a small item, each time.
    """
    from llvmlite import ir
    from numba import types

    if isinstance(kind, types.BaseTuple):
        for i, of_item in enumerate(kind):  # type: ignore[arg-type,var-annotated]
            item = _without_owners(context, builder, of_item, builder.extract_value(value, i))
            value = builder.insert_value(value, item, i)
    elif isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        for owner in ("meminfo", "parent"):
            setattr(array, owner, ir.Constant(getattr(array, owner).type, None))
        return array._getvalue()
    return value


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


def _call_kernel_as_python(kernel: Any, _code: int, args: tuple[Any, ...]) -> None:
    kernel(*args)


@instruction(_call_kernel_as_python)
def call_kernel(_typing: Any, kernel: Any, _code: Any, args: Any) -> tuple[Any, Any]:
    """Call a kernel that returns nothing, and is compiled, at ``Kernel.address``.

    It does not become a part of the one that calls it: that would compile it again.
    """
    from numba import types

    of_kernel = kernel.dispatcher.declared_for(tuple(args))

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        wanted = of_kernel.args
        given = [builder.extract_value(values[2], i) for i in range(len(wanted))]
        cast = [
            context.cast(builder, *one)
            for one in zip(given, signature.args[2], wanted, strict=True)
        ]
        kind = context.call_conv.get_function_type(of_kernel.return_type, wanted)
        place = builder.inttoptr(values[1], kind.as_pointer())
        status, _ = context.call_conv.call_function(
            builder, place, of_kernel.return_type, wanted, cast
        )
        with builder.if_then(status.is_error, likely=False):
            context.call_conv.return_status_propagate(builder, status)
        return context.get_dummy_value()

    return types.void(kernel, types.int64, args), code
