"""What all kernels share: the type of their inputs, and counting bits.

Importing this compiles nothing, unlike the modules of kernels, whose signatures are explicit.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic


def read_only(dtype: Any, n_dim: int = 1) -> Any:
    """Type of a C-ordered input; inputs are read-only because datasets are."""
    return types.Array(dtype, n_dim, "C", readonly=True)


@intrinsic
def popcount(_typing_context, _word):  # type: ignore[no-untyped-def]
    """One machine instruction; LLVM turns a loop of them into vector popcounts."""

    def codegen(_context, builder, _signature, args):  # type: ignore[no-untyped-def]
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), codegen
