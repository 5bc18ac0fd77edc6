"""Packages whose names are imported when they are first used, so that nobody waits for the rest.

if TYPE_CHECKING:
    from eiderdown.api.boundary import find_boundary
else:
    __getattr__ = imported_when_used(__name__, {"boundary": ("find_boundary",)})
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def imported_when_used(package: str, names_of: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """Make the ``__getattr__`` of a package.

    Parameters
    ----------
    package : str
        Its name.
    names_of : mapping of str to sequence of str
        The names in each of its modules, which are names of the package themselves.

    Returns
    -------
    callable
        Imports what is asked for and keeps it, so that it is asked for once.
    """
    home = {name: module for module, names in names_of.items() for name in names}

    def imported(name: str) -> Any:
        if name in home:
            found = getattr(import_module(f"{package}.{home[name]}"), name)
        elif name in names_of:
            found = import_module(f"{package}.{name}")
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(sys.modules[package], name, found)
        return found

    return imported
