"""Which versions computed a result."""

from __future__ import annotations

import platform
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version

_LIBRARIES = ("eiderdown", "numpy", "scipy", "numba")


def library_versions() -> dict[str, str]:
    """Versions of Python, Eiderdown and the libraries that do arithmetic."""
    return {"python": platform.python_version(), **{name: _version(name) for name in _LIBRARIES}}


@lru_cache
def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:  # a source tree on the path has no metadata
        return "not installed"
