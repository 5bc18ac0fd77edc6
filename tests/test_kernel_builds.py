"""Stored builds of kernels: used again, and compiled anew when anything they consist of changes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

INNER = """
from eiderdown.kernels import kernel

STEP = {step}

@kernel("int64(int64)", inner=True)
def raised(number):
    return number {operator} 1
"""

OUTER = """
from eiderdown.kernels import kernel
from inner_kernels import STEP, raised

@kernel("int64(int64)")
def outer(number):
    return raised(number) + STEP

if __name__ == "__main__":
    print(outer(10), list(outer._built().stats.cache_hits.values()) == [1])
"""


@pytest.fixture
def answer(tmp_path: Path):
    """Write the two modules, and return what the outer one prints in a process of its own."""
    (tmp_path / "outer_kernels.py").write_text(OUTER)

    def run(*, step: int = 100, operator: str = "+", hash_seed: str = "1") -> str:
        (tmp_path / "inner_kernels.py").write_text(INNER.format(step=step, operator=operator))
        environment = os.environ | {
            "NUMBA_CACHE_DIR": str(tmp_path / "builds"),
            "PYTHONHASHSEED": hash_seed,
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        done = subprocess.run(
            [sys.executable, str(tmp_path / "outer_kernels.py")],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )
        return done.stdout.strip()

    return run


def test_a_stored_build_is_used_again(answer):
    assert answer() == "111 False"
    assert answer(hash_seed="2") == "111 True"


@pytest.mark.parametrize(
    ("change", "changed"), [({"operator": "-"}, "109 False"), ({"step": 200}, "211 False")]
)
def test_what_stands_in_another_file_makes_a_build_outdated(answer, change, changed):
    assert answer() == "111 False"
    assert answer(**change) == changed
    assert answer() == "111 True"  # that build is still stored, too
