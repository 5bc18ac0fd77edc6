"""Functions of the machine that kernels call as one instruction or one call, and Python as well.

From Python they give the very same answers, so that a kernel that runs as Python does, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any


class _Popcount:
    """Number of set bits of a word: one machine instruction inside kernels."""

    def __call__(self, word: Any) -> Any:
        """Count in Python, for runs without Numba."""
        import numpy as np

        return np.uint64(int(word).bit_count())

    @property
    def _numba_type_(self) -> Any:
        return _popcount_type()


popcount = _Popcount()


@cache
def _popcount_type() -> Any:
    from numba import types
    from numba.core.registry import cpu_target
    from numba.extending import intrinsic

    def popcount(_typing_context: Any, _word: Any) -> Any:
        def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return builder.ctpop(args[0])

        return types.uint64(types.uint64), codegen

    built = intrinsic(popcount)
    cpu_target.typing_context.refresh()
    return cpu_target.typing_context.resolve_value_type(built)


class _LogGamma:
    """Logarithm of the gamma function, as the C library has it, which compiled code calls."""

    def __call__(self, x: float) -> float:
        """Call it from Python, whose own ``math.lgamma`` is another one."""
        return _c_log_gamma()(x)

    @property
    def _numba_type_(self) -> Any:
        from numba.core.registry import cpu_target

        return cpu_target.typing_context.resolve_value_type(math.lgamma)


log_gamma = _LogGamma()


@cache
def _c_log_gamma() -> Callable[[float], float]:
    from ctypes import CDLL, CFUNCTYPE, c_double

    kind = CFUNCTYPE(c_double, c_double)
    try:
        return kind(("lgamma", CDLL(None)))
    except (AttributeError, OSError, TypeError):  # no such name in the process, as on Windows
        from numba import _helperlib

        helpers: dict[str, int] = vars(_helperlib)["c_helpers"]
        return kind(helpers["lgamma"])
