"""Which versions computed a result."""

from __future__ import annotations

import platform
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version

_LIBRARIES = ("eiderdown", "numpy", "scipy", "numba")


def library_versions(*others: str) -> dict[str, str]:
    """Versions of Python, Eiderdown, the libraries that do arithmetic, and some others."""
    versions = {name: _version(name) for name in (*_LIBRARIES, *others)}
    return {"python": platform.python_version(), **versions}


@lru_cache
def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:  # a source tree on the path has no metadata
        return "not installed"
