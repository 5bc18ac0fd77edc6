"""Work that takes too long is ended, and only that."""

import threading
import time

import pytest

from eiderdown.api.time_limit import TimeIsUp, within


def busy(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        sum(range(100))
    return "done"


def test_quick_work_is_done():
    assert within(30.0, lambda: busy(0.01)) == "done"
    assert within(None, lambda: busy(0.01)) == "done"


def test_slow_work_is_ended_at_the_limit():
    started = time.perf_counter()
    with pytest.raises(TimeIsUp):
        within(0.1, lambda: busy(20.0))
    assert time.perf_counter() - started < 5.0


def test_best_so_far_of_slow_work_does_not_count():
    def patient():
        try:
            return busy(20.0)
        except KeyboardInterrupt:
            return "best so far"

    with pytest.raises(TimeIsUp):
        within(0.1, patient)


def test_someone_elses_interrupt_stays_one():
    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        within(30.0, interrupted)


def test_errors_come_through():
    with pytest.raises(ZeroDivisionError):
        within(30.0, lambda: 1 // 0)


def test_no_interrupt_arrives_after_work_that_ends_at_the_limit():
    for _ in range(30):
        try:
            within(0.01, lambda: busy(0.0099))
        except TimeIsUp:
            continue
    time.sleep(0.05)


def test_other_threads_run_to_their_end_and_say_so():
    said = []

    def work():
        try:
            within(0.05, lambda: said.append(busy(0.2)))
        except TimeIsUp:
            said.append("late")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert said == ["done", "late"]
