"""Searches around many targets at a time answer, and count, as those one after the other."""

from __future__ import annotations

import gc
import os
import select
import signal
import sys
import time
from dataclasses import replace
from threading import current_thread

import numpy as np
import pytest

from eiderdown import find_all_boundaries, networks
from eiderdown.api import targets_apart
from eiderdown.boundary import ALGORITHMS, apart_processes
from eiderdown.boundary.apart import SearchesApart
from eiderdown.boundary.grow_shrink import shrink
from eiderdown.errors import TooFewRowsError
from eiderdown.forked import can_fork, is_forked
from eiderdown.independence import G_SQUARE, cache

APART = [entry.name for entry in ALGORITHMS if entry.apart]

pytestmark = pytest.mark.filterwarnings("ignore::eiderdown.EiderdownWarning")


processes = pytest.mark.skipif(not can_fork(), reason="no process can be forked here")


@pytest.fixture(autouse=True, params=["threads", pytest.param("processes", marks=processes)])
def by(request, forks, monkeypatch):
    """Who searches, on however small a table."""
    monkeypatch.setattr("eiderdown.statistics.cost.available_cores", lambda: 3)
    monkeypatch.setattr(targets_apart, "PAYS_FROM", 0.0)
    monkeypatch.setattr(targets_apart, "FORKS_PAY_FROM", 0.0)
    if request.param == "threads":
        monkeypatch.setattr(targets_apart, "can_fork", lambda: False)
    return request.param


@pytest.fixture
def n_taken(monkeypatch):
    """How many searches were made apart, and what came of them."""
    taken, take = [], SearchesApart.take

    def counted(self, problem):
        outcome = take(self, problem)
        taken.append(outcome is not None)
        return outcome

    monkeypatch.setattr(SearchesApart, "take", counted)
    return taken


def comparable(found):
    """All but the time that it took."""
    still = {
        name: replace(result, run=replace(result.run, seconds=0.0))
        for name, result in found.items()
    }
    return replace(found, results=still, run=replace(found.run, seconds=0.0, call=None))


def on_threads(data, n_jobs, **options):
    return comparable(find_all_boundaries(data, n_jobs=n_jobs, random_state=0, **options))


@pytest.mark.parametrize("algorithm", APART)
def test_answers_evidence_and_counts_are_those_of_one_thread(algorithm, n_taken):
    data = networks.load("child").sample(600, random_state=1)
    assert on_threads(data, 3, algorithm=algorithm) == on_threads(data, 1, algorithm=algorithm)
    assert n_taken == [True] * data.n_columns


def with_numbers(kind, n_rows=400):
    """A table of numbers, or of every third of them cut in two."""
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(n_rows, 9))
    for child, parent in ((1, 0), (2, 1), (4, 3), (5, 4), (5, 2), (7, 6), (8, 5)):
        noise[:, child] += noise[:, parent]
    columns = {f"x{i}": column for i, column in enumerate(noise.T)}
    if kind == "mixed":
        cut = {f"x{i}": np.where(noise[:, i] > 0.0, "high", "low") for i in range(0, 9, 3)}
        columns |= cut
    return columns


@pytest.mark.parametrize("kind", ["numbers", "mixed"])
@pytest.mark.parametrize("algorithm", ["auto", "iamb"])
def test_numbers_are_tested_to_the_last_bit_as_on_one_thread(algorithm, kind, n_taken):
    """What is recalled from the other side would differ from what is computed, in rounding."""
    table = with_numbers(kind)
    alone = on_threads(table, 1, algorithm=algorithm)
    assert on_threads(table, 3, algorithm=algorithm) == alone
    assert n_taken == [True] * 18  # on one thread, too
    assert alone.run.n_repeated > 0


def test_numbers_around_some_targets_are_tested_as_around_all():
    """What was asked before is no matter, but for how many tests are new."""
    table = with_numbers("mixed")
    found = on_threads(table, 3)
    for targets in (["x5"], ["x8", "x5"]):
        one = on_threads(table, 3, targets=targets)["x5"]
        assert one.members == found["x5"].members
        assert one.evidence == found["x5"].evidence


def test_numbers_are_tested_the_same_with_columns_in_any_order():
    table = with_numbers("mixed")
    turned = dict(reversed(table.items()))
    found, other = (on_threads(one, 3, algorithm="iamb") for one in (table, turned))
    assert {name: found[name].evidence for name in found} == {
        name: other[name].evidence for name in found
    }


def test_more_correlations_than_are_kept_ahead_are_the_same(monkeypatch):
    table = with_numbers("mixed")
    found = on_threads(table, 3)
    monkeypatch.setattr(sys.modules["eiderdown.independence.wilks"], "_MOST_CORRELATIONS_AHEAD", 0)
    assert on_threads(table, 3) == found


def test_many_numbers_are_searched_in_one_process(monkeypatch, n_taken):
    table = with_numbers("mixed")
    found = on_threads(table, 3)
    monkeypatch.setattr(targets_apart, "MOST_NUMBERS", 399)
    monkeypatch.setattr(targets_apart, "ProcessesApart", None)
    assert on_threads(table, 3) == found
    assert n_taken == [True] * 18


def test_tests_by_regression_are_not_made_apart(n_taken):
    assert on_threads(with_numbers("mixed"), 3, test="regression", targets=["x1"])
    assert n_taken == []


def test_chosen_targets_in_any_order(n_taken):
    data = networks.load("asia").sample(1_000, random_state=1)
    targets = ["xray", "asia", "dysp"]
    both = [on_threads(data, n_jobs, targets=targets, algorithm="iamb") for n_jobs in (3, 1)]
    assert both[0] == both[1]
    assert list(both[0]) == targets


def test_what_is_forgotten_between_two_searches_is_the_same(n_taken):
    data = networks.load("alarm").sample(1_000, random_state=1)
    options = {"algorithm": "iamb", "test_memory": "1MB"}
    found = on_threads(data, 3, **options)
    assert found == on_threads(data, 1, **options)
    assert found.run.n_evicted > 0
    assert n_taken == [True] * data.n_columns


def test_where_one_search_fills_the_memory_of_tests_they_go_on_one_by_one(n_taken, monkeypatch):
    monkeypatch.setattr(cache, "_largest_room", lambda _: 256)
    data = networks.load("alarm").sample(1_000, random_state=1)
    found = on_threads(data, 3, algorithm="iamb")
    assert found == on_threads(data, 1, algorithm="iamb")
    assert found.run.n_evicted > 0
    assert False in n_taken


@pytest.mark.parametrize("test", [G_SQUARE(min_rows=20.0), "chi_square"])
def test_named_and_configured_tests(test):
    data = networks.load("asia").sample(400, random_state=1)
    assert on_threads(data, 2, test=test) == on_threads(data, 1, test=test)


def test_a_table_with_missing_values_is_not_searched_apart(n_taken):
    data = {"a": ["x", None, "y"] * 50, "b": ["u", "v", "v"] * 50, "c": ["p", "q"] * 75}
    on_threads(data, 2)
    assert n_taken == []


def test_too_few_rows_are_an_error_there_too():
    table = {name: np.arange(8) % 4 for name in "abc"}
    with pytest.raises(TooFewRowsError, match="8 rows are too few"):
        find_all_boundaries(table, algorithm="iamb", n_jobs=2, test=G_SQUARE(dof="nominal"))


def test_what_goes_wrong_elsewhere_is_raised(monkeypatch, by):
    threads = []

    def fail(problem, found):
        threads.append(current_thread().name)
        raise MemoryError

    monkeypatch.setattr(sys.modules["eiderdown.boundary.iamb"], "shrink", fail)
    before = sys.getswitchinterval()
    with pytest.raises(MemoryError):
        find_all_boundaries(networks.load("asia").sample(200, random_state=1), algorithm="iamb")
    if by == "threads":
        assert all(name.startswith("eiderdown-target") for name in threads)
    assert sys.getswitchinterval() == before


def test_time_over_before_numbers_are_searched_gives_nothing():
    found = find_all_boundaries(with_numbers("numbers"), n_jobs=2, time_limit=1e-9)
    assert not found.complete
    assert len(found) == 0


def test_time_over_elsewhere_gives_what_was_found_so_far(monkeypatch):
    data, done = networks.load("asia").sample(500, random_state=1), []

    def slow(problem, found):
        done.append(problem.target)
        if len(done) > 3:
            problem.trace.cancel()
        shrink(problem, found)

    monkeypatch.setattr(sys.modules["eiderdown.boundary.iamb"], "shrink", slow)
    found = find_all_boundaries(data, algorithm="iamb", n_jobs=2)
    assert not found.complete
    assert len(found) < data.n_columns


only_processes = pytest.mark.parametrize(
    "by", [pytest.param("processes", marks=processes)], indirect=True
)


def in_processes(monkeypatch, act):
    """Do something in each forked process before the third of its searches ends."""
    n_done = []

    def acting(problem, found):
        n_done.append(problem.target)
        if is_forked() and len(n_done) > 2:
            act()
        shrink(problem, found)

    monkeypatch.setattr(sys.modules["eiderdown.boundary.iamb"], "shrink", acting)


def fail():
    raise MemoryError


@only_processes
@pytest.mark.parametrize("act", [lambda: os.kill(os.getpid(), signal.SIGKILL), fail])
def test_a_process_that_ends_loses_nothing(monkeypatch, act, n_taken):
    data = networks.load("child").sample(600, random_state=1)
    alone = on_threads(data, 1, algorithm="auto")
    in_processes(monkeypatch, act)
    assert on_threads(data, 3, algorithm="auto") == alone
    assert n_taken == [True] * data.n_columns


@only_processes
def test_old_objects_are_not_collected_beside_processes(monkeypatch):
    """A collection writes to all of them, and every page would be copied."""
    n_frozen = []

    def acting(problem, found):
        n_frozen.append(gc.get_freeze_count())
        shrink(problem, found)

    monkeypatch.setattr(sys.modules["eiderdown.boundary.iamb"], "shrink", acting)
    data = networks.load("child").sample(600, random_state=1)
    gc.unfreeze()  # whatever ran before
    find_all_boundaries(data, n_jobs=2, algorithm="iamb")
    assert min(n_frozen) > 0
    assert gc.get_freeze_count() == 0


@only_processes
def test_a_process_that_ends_loses_no_numbers(monkeypatch, n_taken):
    table = with_numbers("mixed")
    alone = on_threads(table, 1)
    in_processes(monkeypatch, lambda: os.kill(os.getpid(), signal.SIGKILL))
    assert on_threads(table, 3) == alone
    assert n_taken == [True] * 18


@only_processes
def test_processes_search_and_tell_each_other_what_they_find(monkeypatch):
    said, told = [], []
    hear, tell = apart_processes.ProcessesApart._hear, apart_processes._Process.tell

    def heard(self, one, process):
        said.append(one)
        hear(self, one, process)

    def telling(self, one):
        told.append(one)
        tell(self, one)

    monkeypatch.setattr(apart_processes.ProcessesApart, "_hear", heard)
    monkeypatch.setattr(apart_processes._Process, "tell", telling)
    data = networks.load("alarm").sample(2_000, random_state=1)
    find_all_boundaries(data, n_jobs=3, algorithm="auto")
    reports = [one for one in said if isinstance(one, apart_processes._Report)]
    assert reports
    assert len(said) > len(reports)
    assert told


@only_processes
@pytest.mark.usefixtures("heeding_sigint")
def test_an_interrupt_while_a_process_is_waited_for_gives_what_was_found(monkeypatch):
    outlet, inlet = os.pipe()

    def acting(problem, found):
        if is_forked():
            os.write(inlet, b"!")
            os.kill(os.getppid(), signal.SIGINT)
            time.sleep(600)
        select.select([outlet], [], [], 60.0)  # until the process has begun a search
        shrink(problem, found)

    monkeypatch.setattr(sys.modules["eiderdown.boundary.iamb"], "shrink", acting)
    data = networks.load("asia").sample(500, random_state=1)
    found = find_all_boundaries(data, algorithm="iamb", n_jobs=2)
    assert not found.complete
    assert len(found) < data.n_columns
    assert any("Interrupted" in said for said in found.warnings)
