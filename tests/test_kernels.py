"""Kernels compile at their first call, only what is declared, and see one another."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import pytest

from eiderdown import kernels
from eiderdown.arrays import FloatArray, IntArray, frozen
from eiderdown.kernels import kernel
from eiderdown.machine_functions import popcount


class Weights(NamedTuple):
    scale: float
    n_used: int
    values: Annotated[FloatArray, "const(float64[::1])"]


class Sample(NamedTuple):
    weights: Weights
    rows: Annotated[IntArray, "int64[::1]"]


@kernel("float64(Weights, int64)", inner=True)
def weight(weights, i):
    return weights.scale * weights.values[i]


@kernel("float64(Sample)")
def total(sample):
    found = 0.0
    for i in range(sample.weights.n_used):
        found += weight(sample.weights, i) * sample.rows[i]
    return found


@kernel("int64(const(uint8[::1]))", "int64(const(uint16[::1]))")
def summed(codes):
    found = 0
    for code in codes:
        found += code
    return found


@kernel("uint64(const(uint64[::1]))")
def n_bits(words):
    found = np.uint64(0)
    for word in words:
        found += popcount(word)
    return found


@kernel("int64(int64, int64)")
def divided(a, b):
    return a // b


@kernel("float64[::1](float64[::1])", inner=True)
def handed_back(values):
    return values


@kernel("float64(int64)", inner=True)
def allocated(n):
    return np.empty(n)[0]


class Average(NamedTuple):
    n: int
    numbers: Annotated[FloatArray, "float64[::1]"]
    of_nobody_else: Annotated[IntArray, "int64[:, ::1]"]


@kernel("float64(Average)")
def averaged(average):
    found = 0.0
    for i in range(average.n):
        found += average.numbers[i]
    return found / average.n


def an_average():
    return Average(4, np.arange(4.0), np.empty((2, 2), dtype=np.int64))


def a_sample(n=4):
    return Sample(Weights(0.5, n, frozen(np.arange(float(n)))), np.arange(n))


def test_records_and_kernels_inside_kernels():
    assert total(a_sample()) == 0.5 * (1 + 4 + 9)


def test_read_only_and_writable_arrays_share_one_compilation():
    codes = np.arange(5, dtype=np.uint8)
    assert summed(codes) == summed(frozen(codes.copy())) == 10
    assert len(summed._built().overloads) == 1
    assert summed(codes.astype(np.uint16)) == summed(codes) == 10
    assert len(summed._built().overloads) == 2


def test_threads_tell_numba_of_new_types_one_at_a_time():
    """Else a type may get two numbers, and every later call be as slow as the first."""
    averaged.compile()
    with ThreadPoolExecutor(1) as thread:
        with kernels._BUILDING:
            called = thread.submit(averaged, an_average())
            with pytest.raises(FutureTimeout):
                called.result(timeout=0.2)
        assert called.result() == 1.5


@kernel("int64(const(int64[::1]))")
def counted(numbers):
    return numbers.shape[0]


def test_threads_that_compile_together_leave_one_way_to_call(monkeypatch):
    from numba import typeof

    built, numbers, asked = counted._built(), np.arange(3), []
    plain = type(built).compile

    def told(self, sig):
        asked.append(sig)
        return plain(self, sig)

    writable = (typeof(numbers),)
    assert writable != built.declared[0].args
    for _ in range(2):  # as two threads do that find nothing compiled yet
        built.compile(writable)
    monkeypatch.setattr(type(built), "compile", told)
    assert counted(numbers) == 3
    assert counted(numbers) == 3
    assert asked == []


def test_other_types_are_refused():
    with pytest.raises(TypeError, match="summed"):
        summed(np.arange(5.0))


def linked(kernel):
    """Compile a kernel for calls from others."""
    dispatcher = kernel._numba_type_.dispatcher
    dispatcher.compile(dispatcher.declared[0])
    (compiled,) = dispatcher.overloads.values()
    return compiled


def test_a_kernel_inside_another_has_no_wrapper_for_python_but_tests_may_call_it():
    compiled = linked(weight)
    names = {function.name for function in compiled.library.get_defined_functions()}
    assert compiled.fndesc.mangled_name in names
    assert compiled.fndesc.llvm_cpython_wrapper_name not in names
    assert weight(a_sample().weights, 3) == 1.5
    assert total(a_sample()) == 7.0


def test_inner_kernels_make_no_arrays_and_give_none_back():
    from numba.core.errors import TypingError

    with pytest.raises(TypeError, match="handed_back"):
        linked(handed_back)
    with pytest.raises(TypingError, match="empty"):
        linked(allocated)


def test_popcount():
    assert n_bits(np.array([0, 1, 2**64 - 1], dtype=np.uint64)) == 65
    assert popcount(np.uint64(7)) == 3


def test_kernels_can_be_pickled_and_compiled_ahead():
    assert pickle.loads(pickle.dumps(divided)) is divided
    divided.compile()
    assert divided(7, 2) == 3


@pytest.mark.parametrize("setting", ["NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK"])
def test_other_ways_of_running(setting, tmp_path):
    code = (
        "import sys, test_kernels as t\n"
        "assert 'numba' not in sys.modules\n"
        "assert t.total(t.a_sample()) == 7.0\n"
        "assert t.n_bits(t.np.array([7], dtype=t.np.uint64)) == 3\n"
        "try:\n    t.total(t.a_sample()._replace(rows=t.np.arange(2)))\n"
        "except IndexError:\n    print('checked')\n"
    )
    environment = {**os.environ, setting: "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parent,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "checked\n"


DOUBLE = """
from eiderdown.kernels import kernel


@kernel("int64(int64)")
def double(x):
    return 2 * x


print(double(4))
"""


def doubled(folder, **environment):
    """Run the module above in a process of its own."""
    script = folder / "doubling.py"
    if not script.exists():
        script.write_text(DOUBLE, encoding="utf-8")
    inherited = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    return subprocess.run(
        [sys.executable, str(script)],
        env={**inherited, **environment},
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_without_a_folder_for_kernels_there_is_a_temporary_one_and_a_warning(tmp_path):
    (tmp_path / "__pycache__").write_text("no folder", encoding="utf-8")
    homeless = {"HOME": os.devnull, "XDG_CACHE_HOME": os.devnull, "TMPDIR": str(tmp_path / "tmp")}
    (tmp_path / "tmp").mkdir()
    ran = doubled(tmp_path, **homeless)
    assert (ran.returncode, ran.stdout) == (0, "8\n")
    assert ran.stderr.count("NUMBA_CACHE_DIR") == 1
    assert not list((tmp_path / "tmp").iterdir())
    refused = doubled(tmp_path, NUMBA_CACHE_DIR=f"{os.devnull}/x", **homeless)
    assert refused.returncode == 1
    assert "NUMBA_CACHE_DIR name a folder" in refused.stderr.splitlines()[-1]


def test_damaged_files_of_kernels_are_made_anew(tmp_path):
    cache = tmp_path / "cache"
    assert doubled(tmp_path, NUMBA_CACHE_DIR=str(cache)).stdout == "8\n"
    for ending in ("nbi", "nbc"):
        (damaged,) = cache.rglob(f"*.{ending}")
        whole = damaged.read_bytes()
        damaged.write_bytes(whole[:40] + b"garbage")
        ran = doubled(tmp_path, NUMBA_CACHE_DIR=str(cache))
        assert (ran.returncode, ran.stdout) == (0, "8\n"), ran.stderr
        assert damaged.stat().st_size == len(whole)
