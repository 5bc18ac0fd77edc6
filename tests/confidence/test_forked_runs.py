"""Runs that forked processes make: the same outcomes in the same order, whatever befalls them."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest

from eiderdown import measure_confidence, measure_stability, networks, progress
from eiderdown.confidence import ordered_runs
from eiderdown.confidence.forkable import may_fork
from eiderdown.confidence.ordered_runs import Jobs, runs_in_order
from eiderdown.data.partitioned import PartitionedDataset
from eiderdown.data.partitions import MemoryPartitions
from eiderdown.forked import ForkedWorker, is_forked
from eiderdown.progress import Cancelled, tell_detail, watched
from eiderdown.scores import BIC
from eiderdown.statistics import cost

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="there are no forks elsewhere"),
    pytest.mark.usefixtures("forks"),
]

SECONDS = 60

few_models = pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")


@pytest.fixture(autouse=True)
def cores(monkeypatch):
    """Three of them; in a forked process there is one."""
    monkeypatch.setattr(cost, "available_cores", lambda: 1 if is_forked() else 3)


@pytest.fixture(autouse=True)
def no_thread_left(forks):
    yield
    while any(thread.name.startswith("eiderdown-run") for thread in threading.enumerate()):
        time.sleep(0.001)  # until its thread has seen the end of its process


@pytest.fixture(scope="module")
def asia():
    return networks.load("asia").sample(500, random_state=0)


@pytest.fixture
def no_forks(monkeypatch):
    def refuse(*_):
        raise AssertionError("a process was forked")

    monkeypatch.setattr(ForkedWorker, "__init__", refuse)


def forked(n_jobs=2, **more):
    return Jobs(n_jobs, forks=True, **more)


def outcomes_of(run, n=40, jobs=None):
    with runs_in_order(run, range(n), jobs or forked()) as outcomes:
        return list(outcomes)


@pytest.mark.parametrize("remembering", [False, True])
@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_outcomes_are_the_same_for_any_number_of_jobs(n_jobs, remembering):
    pids = set()

    def run(number):
        time.sleep(0.004 * (number % 3))
        return number**2, os.getpid()

    jobs = forked(n_jobs, remembering=remembering)
    for number, (square, pid) in outcomes_of(run, n=200, jobs=jobs):
        assert square == number**2
        pids.add(pid)
    assert len(pids) == n_jobs
    assert os.getpid() in pids


def test_short_runs_are_asked_for_in_batches(monkeypatch):
    sizes, plain = [], ForkedWorker.__call__

    def call(self, numbers):
        sizes.append(len(numbers))
        return plain(self, numbers)

    monkeypatch.setattr(ForkedWorker, "__call__", call)
    assert len(outcomes_of(lambda number: time.sleep(0.0002), n=2_000)) == 2_000
    assert sizes[0] == 1
    assert max(sizes) > 1
    assert all(later <= 2 * size for size, later in pairwise(sizes))


def test_what_is_remembered_before_the_fork_is_known_after_it():
    known = {}

    def run(number):
        if not known:
            time.sleep(0.02)
            known["by"] = os.getpid()
        time.sleep(0.01)
        return known["by"], os.getpid()

    found = [outcome for _, outcome in outcomes_of(run, n=100, jobs=forked(remembering=True))]
    assert {by for by, _ in found} == {os.getpid()}
    assert len({pid for _, pid in found}) == 2


@pytest.mark.parametrize("jobs", [Jobs(2), forked(1), forked(remembering=True)])
def test_there_are_no_processes_where_they_are_not_wanted_or_not_worth_it(jobs, no_forks):
    assert len(outcomes_of(lambda number: number, n=5, jobs=jobs)) == 5


def test_the_first_run_does_not_say_how_long_others_take(no_forks, monkeypatch):
    monkeypatch.setattr(ordered_runs, "_TRIAL", 1.0)
    known = []

    def run(number):
        if not known:
            time.sleep(0.02)
        known.append(number)
        return number

    assert len(outcomes_of(run, n=30, jobs=forked(remembering=True))) == 30


def test_a_process_that_was_too_late_is_not_asked_again(monkeypatch):
    monkeypatch.setattr(ordered_runs, "_LEAST_PATIENCE", 0.05)
    monkeypatch.setattr(ordered_runs, "_BATCHES_AHEAD", 4)
    asked, plain = [], ForkedWorker.__call__

    def call(self, numbers):
        asked.append(numbers)
        return plain(self, numbers)

    def run(number):
        if is_forked():
            time.sleep(0.3)
        time.sleep(0.005)
        return number, os.getpid()

    monkeypatch.setattr(ForkedWorker, "__call__", call)
    found = outcomes_of(run, n=150)
    assert [number for _, (number, _) in found] == list(range(150))
    assert {pid for _, (_, pid) in found} == {os.getpid()}
    assert len(asked) == 1


def test_a_single_run_needs_no_process(no_forks):
    assert outcomes_of(lambda number: number, n=1) == [(0, 0)]


# --- what befalls them ----------------------------------------------------------------------------


def test_an_error_is_raised_when_its_turn_comes():
    def broken(number):
        time.sleep(0.001)
        if number == 30:
            raise ZeroDivisionError
        return number

    taken = []
    with runs_in_order(broken, range(100), forked()) as outcomes, pytest.raises(ZeroDivisionError):
        taken.extend(outcome for _, outcome in outcomes)
    assert taken == list(range(30))


@pytest.mark.parametrize(
    "there",
    [
        lambda: os.kill(os.getpid(), signal.SIGKILL),
        lambda: os._exit(3),
        lambda: lambda: None,
    ],
    ids=["killed", "gone", "cannot be pickled"],
)
def test_what_a_process_does_not_give_is_made_here(there):
    def run(number):
        time.sleep(0.002)
        return there() if is_forked() and number > 4 else number

    assert outcomes_of(run) == [(number, number) for number in range(40)]


def test_a_process_that_hangs_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(ordered_runs, "_LEAST_PATIENCE", 0.05)

    def run(number):
        if is_forked() and number > 2:
            time.sleep(600)
        time.sleep(0.002)
        return number

    assert outcomes_of(run) == [(number, number) for number in range(40)]


@pytest.mark.usefixtures("heeding_sigint")
def test_ctrl_c_does_not_wait_for_a_process(monkeypatch):
    monkeypatch.setattr(ordered_runs, "_LEAST_PATIENCE", 600.0)
    told, tell = os.pipe()

    def run(number):
        if is_forked() and number > 2:
            os.write(tell, b".")
            time.sleep(600)
        if number == 0:
            os.read(told, 1)  # until the process has begun
            threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        return number

    taken = []
    with watched("work", progress=False), runs_in_order(run, range(20), forked()) as outcomes:
        with pytest.raises(Cancelled):
            taken.extend(number for number, _ in outcomes)
        taken.extend(number for number, _ in outcomes.finished_behind())
    os.close(told)
    os.close(tell)
    assert taken == sorted(taken)
    assert len(taken) > 10


def test_a_time_limit_holds_in_the_process():
    def run(number):
        with watched("", progress=False) as trace:
            while is_forked():
                trace.progressed("waiting", number)
                time.sleep(0.001)
        time.sleep(0.01)
        return number

    with (
        watched("work", progress=False, time_limit=0.3),
        runs_in_order(run, range(1_000), forked()) as outcomes,
        pytest.raises(Cancelled),
    ):
        list(outcomes)


def test_on_the_way_out_nobody_waits_for_a_process():
    def run(number):
        if is_forked():
            time.sleep(600)
        return number

    with runs_in_order(run, range(100), forked()) as outcomes:
        assert next(outcomes) == (0, 0)


class Terminal:
    def isatty(self):
        return True

    def write(self, text):
        return len(text)

    def flush(self):
        pass


def test_a_process_forked_while_progress_is_shown_shows_nothing(monkeypatch):
    monkeypatch.setattr(progress, "_PATIENCE", 0.01)
    monkeypatch.setattr(sys, "stderr", Terminal())

    def run(number):
        time.sleep(0.01)
        tell_detail("by a process" if is_forked() else "here")
        return number

    for _ in range(3):
        with watched("work") as trace:
            time.sleep(0.05)
            with trace._lock:  # held as by the thread that shows it, at the moment of the fork
                found = outcomes_of(lambda number: run(number) if is_forked() else number, n=10)
    assert [number for number, _ in found] == list(range(10))


# --- verbs ----------------------------------------------------------------------------------------


@few_models
def test_a_verb_in_a_thread_forks_nothing(asia, no_forks):
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(measure_confidence, asia, runs=60, k=0.3, n_jobs=2).result(SECONDS)
    assert found.n_runs == 60


def test_functions_of_somebodys_own_stay_in_this_process(asia, no_forks):
    def learn(data, seed):
        assert not is_forked()
        return networks.load("asia").dag

    assert measure_stability(asia, algorithm=learn, resamples=6, n_jobs=2).n_resamples == 6
    assert not may_fork(asia, {"score": BIC.function})
    assert not may_fork(asia, {"missing": "impute"})


@few_models
def test_tables_in_parts_stay_in_this_process(asia, no_forks):
    in_parts = PartitionedDataset.over(MemoryPartitions(asia, 2), asia)
    assert may_fork(asia, {"score": "bic"})
    assert not may_fork(in_parts, {"score": "bic"})
    assert measure_confidence(in_parts, runs=60, k=0.3, n_jobs=2).n_runs == 60


@few_models
def test_endless_runs_end_with_their_time(asia):
    found = measure_confidence(asia, k=0.3, runs=10**15, time_limit=0.5, n_jobs=2, random_state=0)
    assert not found.complete
    n_begun = found.n_runs + len(found.gaps)
    alone = measure_confidence(asia, k=0.3, runs=n_begun, n_jobs=1, random_state=0)
    assert found.n_runs > 10
    assert {m.directed for m in found.models} <= {m.directed for m in alone.models}
