"""Which versions computed a result."""

from __future__ import annotations

import platform
from importlib.metadata import version

_LIBRARIES = ("numpy", "scipy", "numba")


def library_versions() -> dict[str, str]:
    """Versions of Python, Eiderdown and the libraries that do arithmetic."""
    # From the package itself: a source tree on the path has no metadata.
    from eiderdown import __version__

    libraries = {name: version(name) for name in _LIBRARIES}
    return {"python": platform.python_version(), "eiderdown": __version__, **libraries}
