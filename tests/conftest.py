"""Its presence puts this folder on the import path, so that every test can ``import naive``."""

from __future__ import annotations

from importlib import import_module

from eiderdown.scores.kernels import score_additions, score_families, score_tables


def pytest_sessionstart() -> None:
    """Compile every kernel first, so that no test is slow, or shows progress, because of that."""
    for kernel in (score_additions, score_families, score_tables):
        kernel.compile()
    import_module("eiderdown.structure.moves")
