"""Its presence puts this folder on the import path, so that every test can ``import naive``."""

from __future__ import annotations

from importlib import import_module


def pytest_sessionstart() -> None:
    """Compile every kernel first, so that no test is slow, or shows progress, because of that."""
    import_module("eiderdown.scores.kernels")
    import_module("eiderdown.structure.moves")
