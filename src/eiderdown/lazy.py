"""Packages whose names are imported when they are first used, so that nobody waits for the rest.

if TYPE_CHECKING:
from eiderdown.api.boundary import find_boundary as find_boundary
else:
__getattr__, __dir__, __all__ = imported_when_used(
__name__, {"boundary": ("find_boundary",)}
)
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def imported_when_used(
    package: str, names_of: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Make the ``__getattr__``, ``__dir__`` and ``__all__`` of a package.

    Parameters
    ----------
    package : str
        Its name.
    names_of : mapping of str to str
        For each of its modules the names in it, with spaces between, that are names of the package
        themselves; the module's own name stands for the module.

    Returns
    -------
    tuple
        What imports a name that is asked for and keeps it, so that it is asked for once; what
        lists the names; and the names.
    """
    home = {name: module for module, names in names_of.items() for name in names.split()}
    promised = sorted(home)

    def imported(name: str) -> Any:
        if name not in home and name not in names_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = import_module(f"{package}.{home.get(name, name)}")
        if name not in names_of:
            found = getattr(found, name)
        setattr(sys.modules[package], name, found)
        return found

    return imported, lambda: list(promised), promised
