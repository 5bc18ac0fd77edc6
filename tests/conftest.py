"""Its presence puts this folder on the import path, so that every test can ``import naive``."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

import eiderdown
from eiderdown.kernels import Kernel

PACKAGE = Path(eiderdown.__file__).parent


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile all kernels once, before workers start, so that no test is slow because of that."""
    if hasattr(session.config, "workerinput") or not session.config.getoption("numprocesses", None):
        return
    for path in sorted(PACKAGE.rglob("*.py")):
        if "\n@kernel(" in path.read_text(encoding="utf-8"):
            _compile_kernels(".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts))


def _compile_kernels(module: str) -> None:
    for item in vars(import_module(module)).values():
        if isinstance(item, Kernel) and item.function.__module__ == module:
            item.compile()
