"""Its presence puts this folder on the import path, so that every test can ``import naive``.

Hypothesis draws the same examples in every run, so that a commit is green or red and not sometimes.
To look for new ones: ``HYPOTHESIS_PROFILE=explore python -m pytest tests/...``.
"""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import compile_kernels
from eiderdown import forked, kernels
from examples import PROFILE
from local_cluster import LocalWorkers, local_cluster

# Tests are those of the compiled kernels; what answers before that is compared in test_kernels.py.
kernels.PATIENCE = 0.0

# What is imported for tests is much, and each collection looks at it: a fifteenth of their time.
gc.set_threshold(20_000, 20, 50)

settings.register_profile("same", derandomize=True)
settings.register_profile("explore", derandomize=False)
settings.load_profile(PROFILE)


@pytest.fixture(scope="session", autouse=True)
def _stores(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep packed tables of tests out of the user's cache, in commands that tests start as well."""
    os.environ["EIDERDOWN_STORE"] = str(tmp_path_factory.mktemp("stores"))


@pytest.fixture
def heeding_sigint() -> Iterator[None]:
    """Heed SIGINT as a terminal's programs do; under nohup and in scripts' jobs it is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def forks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let processes be forked beside the cluster that other tests have left, and leave none."""
    monkeypatch.setattr(forked, "_has_dask_client", lambda: False)
    before = child_processes()
    yield
    deadline = time.monotonic() + 60
    while child_processes() - before:  # a thread may be about to wait for the end of one
        assert time.monotonic() < deadline
        time.sleep(0.01)


def child_processes() -> set[int]:
    """Return the numbers of the processes that this one has started, ended ones that wait too."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has gone meanwhile
            if int(path.read_text().rpartition(")")[2].split()[1]) == os.getpid():
                found.add(int(path.parent.name))
    return found


@pytest.fixture(scope="session")
def cluster() -> Iterator[tuple[Any, LocalWorkers]]:
    """Give a client of Dask and its two workers; who kills one starts another."""
    pytest.importorskip("distributed", reason="Dask is an extra")
    with local_cluster(2) as found:
        yield found


TRACED = 1
"""Of a test with many sets of parameters, how many are traced for coverage."""


@pytest.hookimpl(trylast=True)  # after -m has chosen: the mark is for coverage alone
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Trace no more than the first few sets of parameters of each test, and no drawn examples.

    The others pass through the same lines nearly always, and tracing takes nearly as long as they.
    """
    times_seen: Counter[str] = Counter()
    for item in items:
        test = item.nodeid.partition("[")[0]
        times_seen[test] += 1
        if times_seen[test] > TRACED or item.get_closest_marker("hypothesis"):
            item.add_marker("no_cover")


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Trace nothing while a test runs that is marked so.

    In a worker of xdist pytest-cov takes off its tracer and leaves another one below it.
    """
    tracer = sys.gettrace() if item.get_closest_marker("no_cover") else None
    if tracer is not None:
        sys.settrace(None)
    try:
        return (yield)
    finally:
        if tracer is not None:
            sys.settrace(tracer)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile the kernels before workers start, so that no test is slow because of that.

    Two processes of their own do it: under coverage the compiler is several times slower.
    """
    if hasattr(session.config, "workerinput") or not session.config.getoption("numprocesses", None):
        return
    command = [sys.executable, compile_kernels.__file__]
    compilers = [subprocess.Popen([*command, half]) for half in compile_kernels.HALVES]
    for compiler in compilers:
        assert compiler.wait() == 0, "kernels do not compile"
