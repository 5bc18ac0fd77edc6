"""Runs in threads, taken in the order of their numbers."""

from __future__ import annotations

import threading
import time

import pytest

from eiderdown.confidence.ordered_runs import Jobs, runs_in_order
from eiderdown.forked import is_forked
from eiderdown.kernel_time import KernelTime
from eiderdown.progress import Cancelled
from eiderdown.statistics import cost


@pytest.mark.parametrize("n_jobs", [1, 2, None])
def test_outcomes_come_in_order_even_if_later_runs_end_first(n_jobs):
    def slow_at_first(number):
        time.sleep(0.02 if number == 3 else 0.0)
        return number

    with runs_in_order(slow_at_first, range(3, 20), Jobs(n_jobs)) as outcomes:
        assert list(outcomes) == [(number, number) for number in range(3, 20)]


def test_no_runs_are_no_outcomes():
    with runs_in_order(lambda number: number, range(5, 5), Jobs(2)) as outcomes:
        assert list(outcomes) == []


def test_on_the_way_out_runs_that_have_not_begun_never_begin():
    go_on, begun = threading.Event(), []

    def waiting(number):
        begun.append(number)
        if number > 0:
            go_on.wait(timeout=20.0)
        return number

    with runs_in_order(waiting, range(100), Jobs(2)) as outcomes:
        assert next(outcomes) == (0, 0)
    n_begun = len(begun)
    go_on.set()
    time.sleep(0.05)
    assert n_begun <= 3
    assert len(begun) == n_begun


def test_an_error_of_a_run_is_raised_when_its_turn_comes():
    def broken(number):
        if number == 1:
            raise ZeroDivisionError
        return number

    for n_jobs in (1, 2):
        with runs_in_order(broken, range(3), Jobs(n_jobs)) as outcomes:
            assert next(outcomes) == (0, 0)
            with pytest.raises(ZeroDivisionError):
                next(outcomes)


@pytest.mark.parametrize("pays", [False, True])
def test_the_first_run_says_whether_there_are_threads(pays, monkeypatch):
    monkeypatch.setattr(cost, "available_cores", lambda: 2)
    monkeypatch.setattr(KernelTime, "threads_pay", lambda _self, n: pays and n == 2)
    both, threads = threading.Barrier(2), {}

    def run(number):
        threads[number] = threading.get_ident()
        if pays and number in {1, 2}:
            both.wait(timeout=20.0)
        return number

    with runs_in_order(run, range(20), Jobs(2)) as outcomes:
        assert list(outcomes) == [(number, number) for number in range(20)]
    assert threads[0] == threading.get_ident()
    assert len(set(threads.values())) == (2 if pays else 1)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("forks", [False, True])
def test_something_else_is_done_once_before_any_run_here(n_jobs, forks):
    done = []

    def run(number):
        assert is_forked() or done == ["else"] or n_jobs == 2
        return number

    jobs = Jobs(n_jobs, forks=forks, meanwhile=lambda: done.append("else"))
    with runs_in_order(run, range(20), jobs) as runs:
        assert done == ["else"]
        assert list(runs) == [(number, number) for number in range(20)]
    assert done == ["else"]


def test_what_is_cancelled_meanwhile_is_cancelled_as_a_whole():
    def cancelled():
        raise Cancelled

    jobs = Jobs(2, forks=True, meanwhile=cancelled)
    with pytest.raises(Cancelled), runs_in_order(lambda n: n, range(9), jobs):
        pass
