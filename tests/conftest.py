"""Its presence puts this folder on the import path, so that every test can ``import naive``."""

from __future__ import annotations

from importlib import import_module

from eiderdown.kernels import Kernel

_OFTEN_USED = (
    "eiderdown.scores.kernels",
    "eiderdown.structure.climbing.ancestors",
    "eiderdown.structure.climbing.moves",
)


def pytest_sessionstart() -> None:
    """Compile kernels first, so that no test is slow, or shows progress, because of that."""
    for name in _OFTEN_USED:
        for item in vars(import_module(name)).values():
            if isinstance(item, Kernel) and item.function.__module__ == name:
                item.compile()
