"""Compile the kernels that tests call, and store them: ``python tests/compile_kernels.py [half]``.

Most kernels are parts of several others. A process types and lowers such a part once, however many
others it belongs to, and two processes do it twice. So the halves, for two processes at once, are
the searches by scores (``scores``) and all else (``tests``): no kernel is part of both. Inner
kernels are compiled by themselves where a test calls them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import eiderdown
from eiderdown.kernels import Kernel

HALVES = ("scores", "tests")

_PACKAGE = Path(eiderdown.__file__).parent
_TESTS = Path(__file__).parent


def half_of(module: str) -> str:
    """Return which half a module of kernels belongs to."""
    return "scores" if module.split(".")[1] in {"scores", "structure"} else "tests"


def modules_of_kernels() -> list[str]:
    """Return the names of all modules that declare kernels."""
    return [
        ".".join(path.relative_to(_PACKAGE.parent).with_suffix("").parts)
        for path in sorted(_PACKAGE.rglob("*.py"))
        if "\n@kernel(" in path.read_text(encoding="utf-8")
    ]


def kernels_to_compile(modules: list[str]) -> Iterator[Kernel]:
    """Yield the kernels of modules that Python or a test calls."""
    tests = [path.read_text(encoding="utf-8") for path in _TESTS.rglob("test_*.py")]
    for module in modules:
        users = " ".join(text for text in tests if f"from {module} import" in text)
        named = set(re.findall("[a-z_]+", users))
        for name, item in list(vars(import_module(module)).items()):
            is_own = isinstance(item, Kernel) and item.function.__module__ == module
            if is_own and (name in named or not item.inner):
                yield item


def main() -> None:
    halves = sys.argv[1:] or HALVES
    for item in kernels_to_compile([m for m in modules_of_kernels() if half_of(m) in halves]):
        item.compile()


if __name__ == "__main__":
    main()
