"""Forked processes answer, and whatever befalls them or us, nothing is left behind."""

from __future__ import annotations

import gc
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from eiderdown import forked, kernels
from eiderdown.forked import ForkedWorker, WorkerLostError, can_fork, is_forked, uncollected
from eiderdown.statistics.cost import Workers, available_cores

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="there are no forks elsewhere"),
    pytest.mark.usefixtures("forks"),
]

SECONDS = 60  # that nothing here should take


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def until_ended(pid):
    deadline = time.monotonic() + SECONDS
    while is_running(pid):
        assert time.monotonic() < deadline
        time.sleep(0.01)


# --- answers --------------------------------------------------------------------------------------


def test_where_the_system_allows_no_process_it_is_lost_at_once(monkeypatch):
    def refused():
        raise BlockingIOError("Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", refused)
    with ForkedWorker(len) as counted, pytest.raises(WorkerLostError):
        counted("abc")
    counted.close()


def test_it_answers_with_what_was_known_at_the_fork():
    known = {1: "one"}

    def told(number):
        known[2] = "two"
        return known.get(number), os.getpid()

    with ForkedWorker(told) as worker:
        known[3] = "three"
        said, pid = worker(1)
        assert (said, pid != os.getpid()) == ("one", True)
        assert worker(2) == ("two", pid)
        assert worker(3) == (None, pid)
    assert 2 not in known


def test_what_the_function_raises_is_raised_here_and_it_goes_on():
    with ForkedWorker(lambda number: 12 // number) as worker:
        with pytest.raises(ZeroDivisionError):
            worker(0)
        assert worker(4) == 3


class UnreadableError(Exception):
    """Pickled, but not unpickled: it wants two arguments and is given one."""

    def __init__(self, one, two):
        super().__init__(one)


def raising(problem):
    raise problem


@pytest.mark.parametrize(
    "function",
    [
        lambda _: lambda: None,
        lambda _: raising(ValueError(lambda: None)),
        lambda _: raising(UnreadableError(1, 2)),
        lambda _: os.kill(os.getpid(), signal.SIGKILL),
        lambda _: os._exit(1),
    ],
    ids=["outcome", "error", "unreadable", "killed", "gone"],
)
def test_what_cannot_be_told_is_an_answer_that_is_lost(function):
    with ForkedWorker(function) as worker, pytest.raises(WorkerLostError):
        worker(0)


def test_what_it_was_not_asked_it_does_not_answer():
    with ForkedWorker(abs) as worker:
        with pytest.raises(WorkerLostError):
            worker(lambda: None)  # which cannot be pickled
        with pytest.raises(WorkerLostError) as told:
            worker(threading.Lock())
    assert isinstance(told.value.__cause__, pickle.PicklingError | TypeError)


# --- where there are forks ------------------------------------------------------------------------


def test_only_the_main_thread_forks_and_no_forked_process_does():
    assert can_fork()
    with ThreadPoolExecutor(1) as pool:
        assert not pool.submit(can_fork).result(SECONDS)
    with ForkedWorker(lambda _: (can_fork(), is_forked())) as worker:
        assert worker(0) == (False, True)
    assert not is_forked()


def test_there_are_no_forks_beside_a_client_of_dask(monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.undo()
    others = forked._has_dask_client()
    with (
        distributed.LocalCluster(1, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster),
    ):
        assert not can_fork()
    assert can_fork() != others


def test_a_forked_process_wakes_no_threads():
    def worked(_):
        done = []
        Workers(2).each(done.append, range(5), pays=True)
        return done, threading.active_count(), available_cores()

    with ForkedWorker(worked) as worker:
        assert worker(0) == ([0, 1, 2, 3, 4], 1, 1)


def test_python_3_12_need_not_warn_of_threads(monkeypatch):
    plain = os.fork

    def warning_fork():
        warnings.warn("This process is multi-threaded", DeprecationWarning, stacklevel=2)
        return plain()

    monkeypatch.setattr(forked.os, "fork", warning_fork)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with ForkedWorker(abs) as worker:
            assert worker(-1) == 1


def test_a_fork_waits_until_no_thread_compiles():
    held, begun = threading.Event(), threading.Event()

    def compiling():
        with kernels._BUILDING:
            begun.set()
            held.wait(SECONDS)

    def acquired(_):
        return kernels._BUILDING.acquire(timeout=1.0)

    thread = threading.Thread(target=compiling)
    thread.start()
    begun.wait(SECONDS)
    threading.Timer(0.05, held.set).start()
    with ForkedWorker(acquired) as worker:
        assert held.is_set()
        assert worker(0)
    thread.join(SECONDS)


# --- signals --------------------------------------------------------------------------------------


def test_ctrl_c_is_not_for_the_forked_process():
    def interrupted(_):
        os.kill(os.getpid(), signal.SIGINT)
        return "goes on"

    with ForkedWorker(interrupted) as worker:
        assert worker(0) == "goes on"


def test_handlers_of_this_process_do_not_run_in_the_forked_one():
    def handlers(_):
        return signal.getsignal(signal.SIGTERM), signal.pthread_sigmask(signal.SIG_BLOCK, ())

    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        with ForkedWorker(handlers) as worker:
            assert worker(0) == (signal.SIG_DFL, set())
        assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == set()
        assert callable(signal.getsignal(signal.SIGTERM))
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_signal_while_forking_is_for_this_process_alone(monkeypatch):
    seen, plain = [], os.fork

    def fork():
        os.kill(os.getpid(), signal.SIGUSR1)
        return plain()

    monkeypatch.setattr(forked.os, "fork", fork)
    before = signal.signal(signal.SIGUSR1, lambda *_: seen.append(os.getpid()))
    try:
        with ForkedWorker(lambda _: os.getpid() in seen) as worker:
            assert not worker(0)
        assert seen == [os.getpid()]
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_ignored_children_are_closed_too():
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        with ForkedWorker(abs) as worker:
            assert worker(-2) == 2
    finally:
        signal.signal(signal.SIGCHLD, before)


PROGRAM = """
import os, sys, time
from eiderdown.forked import ForkedWorker
sys.stdout.write("once ")
worker = ForkedWorker(lambda _: os.getpid())
pid = worker(0)
{ending}
"""


def test_when_this_process_is_killed_the_forked_one_ends():
    ending = "print(pid, flush=True); worker.__init__(lambda _: time.sleep(600)); worker(0)"
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(ending=ending)], stdout=subprocess.PIPE, text=True
    ) as program:
        pid = int(program.stdout.readline().split()[1])
        program.kill()
    until_ended(pid)


def test_at_the_end_of_this_process_nothing_is_done_twice():
    program = [sys.executable, "-c", PROGRAM.format(ending="worker.close()")]
    done = subprocess.run(program, capture_output=True, text=True, timeout=SECONDS, check=True)
    assert (done.stdout, done.stderr) == ("once ", "")


# --- the end --------------------------------------------------------------------------------------


def test_closed_while_it_works_it_is_lost_to_whoever_waits():
    with ThreadPoolExecutor(1) as pool:
        with ForkedWorker(time.sleep) as worker:
            waiting = pool.submit(worker, 600)
            time.sleep(0.05)
        with pytest.raises(WorkerLostError):
            waiting.result(SECONDS)
    with pytest.raises(WorkerLostError):
        worker(0)
    worker.close()


MANY = """
import gc
import os
from eiderdown.forked import ForkedWorker
for number in range(20):
    with ForkedWorker(abs) as worker, ForkedWorker(abs) as other:
        assert worker(-number) == other(number) == number
    if number == 0:
        before = os.listdir("/proc/self/fd")
assert os.listdir("/proc/self/fd") == before
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    print("nothing is left")
"""


def test_many_one_after_the_other_leave_nothing():
    program = [sys.executable, "-c", MANY]  # of its own: here other tests may have a cluster
    done = subprocess.run(program, capture_output=True, text=True, timeout=SECONDS, check=True)
    assert done.stdout == "nothing is left\n"


def test_a_table_is_not_copied():
    table = np.ones(100_000_000, np.uint8)

    def summed(_):
        total = int(table.sum())
        said = Path("/proc/self/smaps_rollup").read_text()
        return total, 1024 * int(re.search(r"Private_Dirty:\s+(\d+)", said)[1])

    with ForkedWorker(summed) as worker:
        total, n_bytes = worker(0)
    assert total == len(table)
    assert n_bytes < len(table) / 2


def test_what_there_is_is_left_out_of_collections_for_a_while():
    before = gc.get_freeze_count()
    with uncollected():
        assert gc.get_freeze_count() > 0
        with uncollected():
            assert gc.get_freeze_count() > 0
        assert gc.get_freeze_count() > 0
    assert gc.get_freeze_count() == before


def test_what_somebody_else_left_out_stays_left_out():
    gc.freeze()
    try:
        with uncollected():
            pass
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
