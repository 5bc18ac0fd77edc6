"""Where compiled kernels are stored, and what makes a stored one outdated.

Numba stores what it has compiled beside the source, or where ``NUMBA_CACHE_DIR`` says, and compiles
anew when that source file changes. A kernel consists of those that it calls as well, and of the
constants that it names, wherever they stand. So it is stored under a fingerprint of all these.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from numbers import Number
from pathlib import Path
from types import CodeType
from typing import Any

from eiderdown.errors import EiderdownWarning, UnreadableFileError

_CONSTANTS = (Number, str, bytes, tuple)


def fingerprint_of(function: Callable[..., Any], signatures: tuple[str, ...]) -> str:
    """Return a fingerprint of a kernel's code and types, and of all that its code names.

    Kernels and records among these have one of their own.
    """
    found = sha256()
    for part in (signatures, *_parts(function.__code__, function.__globals__)):
        found.update(repr(part).encode())
    return found.hexdigest()


def _parts(code: CodeType, names: dict[str, Any]) -> Iterator[Any]:
    """Return what decides about compiled code."""
    yield code.co_code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _parts(constant, names)
        else:
            yield constant
    for name in code.co_names:
        yield name
        value: Any = names.get(name)
        if hasattr(type(value), "fingerprint"):
            yield value.fingerprint
        elif hasattr(type(value), "_numba_type_"):  # code of another kind
            yield _source_of(value.__module__)
        elif hasattr(value, "_fields"):  # a record
            yield value._fields, value.__annotations__
        elif isinstance(value, _CONSTANTS):
            yield value


@cache
def _source_of(module: str) -> str:
    """Return a fingerprint of a module's source."""
    path = sys.modules[module].__file__
    return sha256(Path(path).read_bytes()).hexdigest() if path else ""


def store_builds(dispatcher: Any, fingerprint: str) -> None:
    """Let Numba store what it compiles; where it finds no folder to write to, in a temporary one.

    What is stored there is removed at exit.
    """
    from numba import config

    try:
        dispatcher._cache = _cache_class()(dispatcher.py_func, fingerprint)
    except RuntimeError:
        if "NUMBA_CACHE_DIR" in os.environ:
            raise UnreadableFileError(
                f"Compiled kernels cannot be stored in {os.environ['NUMBA_CACHE_DIR']!r}; let the "
                "environment variable NUMBA_CACHE_DIR name a folder that can be written to."
            ) from None
        config.CACHE_DIR = _temporary_folder()  # type: ignore[attr-defined]
        dispatcher._cache = _cache_class()(dispatcher.py_func, fingerprint)


@cache
def _temporary_folder() -> str:
    warnings.warn(
        "There is no folder to store compiled kernels in, so every start takes seconds longer; let "
        "the environment variable NUMBA_CACHE_DIR name one that can be written to.",
        EiderdownWarning,
        stacklevel=2,
    )
    folder = tempfile.mkdtemp(prefix="eiderdown-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def _cache_class() -> Any:
    """Numba's cache of one function, which a damaged file does not stop."""
    from numba.core import caching

    function_cache: Any = caching.FunctionCache

    class FingerprintedCache(function_cache):  # type: ignore[misc]
        def __init__(self, function: Callable[..., Any], fingerprint: str) -> None:
            super().__init__(function)
            self._fingerprint = fingerprint

        def _index_key(self, sig: Any, codegen: Any) -> Any:
            return (*super()._index_key(sig, codegen), self._fingerprint)

        def _load_overload(self, sig: Any, target_context: Any) -> Any:
            try:
                return super()._load_overload(sig, target_context)
            except Exception:  # unpickling can end in any
                self.flush()
                return None

    return FingerprintedCache
