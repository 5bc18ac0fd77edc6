"""Threads do every item once, and an error in one of them is not lost."""

from __future__ import annotations

import threading

import pytest

from eiderdown.errors import OptionError
from eiderdown.statistics import Workers, available_cores


@pytest.mark.parametrize("n_jobs", [1, 2, None])
@pytest.mark.parametrize("pays", [True, False])
def test_every_item_is_done_once(n_jobs, pays):
    done = []
    Workers(n_jobs).each(done.append, list(range(50)), pays=pays)
    assert sorted(done) == list(range(50))


def test_work_that_does_not_pay_stays_in_this_thread():
    threads = set()
    Workers(2).each(lambda _: threads.add(threading.get_ident()), [1, 2, 3], pays=False)
    assert threads == {threading.get_ident()}


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_in_one_item_reaches_the_caller(n_jobs):
    def fail(item):
        if item == 7:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Workers(n_jobs).each(fail, list(range(20)), pays=True)


def test_after_an_error_the_rest_is_not_begun():
    n_items, failed, last = 10**7, threading.Event(), 0

    def fail_first(item):
        nonlocal last
        last = max(last, item)
        if item == 0:
            failed.set()
            raise ZeroDivisionError
        failed.wait()

    with pytest.raises(ZeroDivisionError):
        Workers(2).each(fail_first, range(n_items), pays=True)
    assert last < n_items - 1


def test_no_items_are_no_work():
    Workers(2).each(lambda item: 1 / 0, [], pays=True)


def test_never_more_workers_than_cores():
    assert Workers(10_000).n_jobs == available_cores()
    with pytest.raises(OptionError, match="n_jobs must be at least 1 or None, not -2"):
        Workers(-2)
