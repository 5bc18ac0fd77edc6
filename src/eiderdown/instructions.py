"""Instructions of the machine for kernels: words that several threads share, and waiting.

From Python they do the same, so that kernels that run as Python do, too.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable
from functools import cache, update_wrapper
from typing import Any

from eiderdown.arrays import IntArray


class Instruction:
    """What kernels call as one instruction or call; Numba sees it when the first is compiled."""

    def __init__(
        self, declare: Callable[..., tuple[Any, Any]], as_python: Callable[..., Any]
    ) -> None:
        update_wrapper(self, declare)
        self._declare, self._as_python, self._type = declare, as_python, cache(self._built)

    def __call__(self, *args: Any) -> Any:
        """Do the same without Numba."""
        return self._as_python(*args)

    @property
    def _numba_type_(self) -> Any:
        return self._type()

    def _built(self) -> Any:
        from numba.core.registry import cpu_target
        from numba.extending import intrinsic

        built = intrinsic(self._declare)
        cpu_target.typing_context.refresh()
        return cpu_target.typing_context.resolve_value_type(built)


def instruction(as_python: Callable[..., Any]) -> Callable[[Callable[..., Any]], Instruction]:
    """Make an instruction of what declares its types and its code to Numba."""
    return lambda declare: Instruction(declare, as_python)


# --- words that several threads read and write ---------------------------------------------------


def _place(context: Any, builder: Any, board_type: Any, board: Any, index: Any) -> Any:
    """Return where a word of a board is."""
    from numba.np import arrayobj

    return builder.gep(arrayobj.make_array(board_type)(context, builder, board).data, [index])


@instruction(lambda board, index: int(board[index]))
def read_word(_typing: Any, board: Any, _index: Any) -> tuple[Any, Any]:
    """Return a word, and see all that was written before it was."""
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load_atomic(_place(context, builder, signature.args[0], *args), "acquire", 8)

    return types.int64(board, types.int64), code


@instruction(lambda board, index, word: board.__setitem__(index, word))
def write_word(_typing: Any, board: Any, _index: Any, _word: Any) -> tuple[Any, Any]:
    """Write a word; whoever reads it sees all that was written before."""
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _place(context, builder, signature.args[0], *args[:2])
        builder.store_atomic(args[2], place, "release", 8)
        return context.get_dummy_value()

    return types.void(board, types.int64, types.int64), code


def _add_as_python(board: IntArray, index: int, number: int) -> int:
    before = int(board[index])
    board[index] = before + number
    return before


@instruction(_add_as_python)
def add_to_word(_typing: Any, board: Any, _index: Any, _number: Any) -> tuple[Any, Any]:
    """Add to a word, which nobody else can do in between; return what it was before."""
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _place(context, builder, signature.args[0], *args[:2])
        return builder.atomic_rmw("add", place, args[2], "acq_rel")

    return types.int64(board, types.int64, types.int64), code


# --- waiting -------------------------------------------------------------------------------------


def _system_call(builder: Any, name: str, args: tuple[Any, ...]) -> Any:
    """Call a function of the C library; nothing where there is none of that name."""
    from llvmlite import ir

    number = ir.IntType(32)
    if os.name != "posix":
        return number(0)
    function_type = ir.FunctionType(number, [number] * len(args))
    return builder.call(_declared(builder, function_type, name), args)


def _declared(builder: Any, function_type: Any, name: str) -> Any:
    """Return a function that is defined elsewhere."""
    from numba.core import cgutils

    return cgutils.get_or_insert_function(builder.module, function_type, name)


@instruction(lambda _microseconds: 0)
def nap(_typing: Any, _microseconds: Any) -> tuple[Any, Any]:
    """Leave the core to others for so many microseconds."""
    from numba import types

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return _system_call(builder, "usleep", args)

    return types.int32(types.int32), code


@instruction(lambda _board, _index: -1)
def sleep_until_woken(_typing: Any, board: Any, _index: Any) -> tuple[Any, Any]:
    """Sleep at words of a board until somebody wakes one; other than 0 where that is impossible."""
    return _semaphore_call("sem_wait", board)


@instruction(lambda _board, _index: -1)
def wake_one(_typing: Any, board: Any, _index: Any) -> tuple[Any, Any]:
    """Wake one who sleeps at words of a board, or is about to."""
    return _semaphore_call("sem_post", board)


def _semaphore_call(name: str, board: Any) -> tuple[Any, Any]:
    """Call a function of Linux's semaphores, which are words of a board that begin as zeros."""
    from llvmlite import ir
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        number = ir.IntType(32)
        if sys.platform != "linux":
            return number(-1)
        place = _place(context, builder, signature.args[0], *args)
        function = _declared(builder, ir.FunctionType(number, [place.type]), name)
        return builder.call(function, [place])

    return types.int32(board, types.int64), code


@instruction(lambda: 0)
def step_back(_typing: Any) -> tuple[Any, Any]:
    """Leave the core to others if there are any."""
    from numba import types

    def code(_context: Any, builder: Any, _signature: Any, _args: Any) -> Any:
        return _system_call(builder, "sched_yield", ())

    return types.int32(), code


@instruction(lambda: None)
def pause(_typing: Any) -> tuple[Any, Any]:
    """Tell the core that this is a loop that waits, so that its twin gets on."""
    from llvmlite import ir
    from numba import types

    def code(context: Any, builder: Any, _signature: Any, _args: Any) -> Any:
        if platform.machine().lower() in ("x86_64", "amd64"):
            nothing = ir.FunctionType(ir.VoidType(), [])
            builder.call(_declared(builder, nothing, "llvm.x86.sse2.pause"), ())
        return context.get_dummy_value()

    return types.void(), code
