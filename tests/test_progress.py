"""Progress is for people who wait; Ctrl-C and time limits end work where it tells its progress."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from eiderdown import progress
from eiderdown.errors import OptionError
from eiderdown.progress import Cancelled, ShownTrace, Trace, abandon, carried, watched


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(progress, "_PATIENCE", 0.01)


def endless(trace):
    for step in range(10_000):
        trace.progressed("working", step)
        time.sleep(0.001)
    pytest.fail("nothing ended the work")


def test_in_pipes_and_files_slow_work_says_nothing(impatient, capfd):
    with watched("Markov boundary of 't'") as trace:
        time.sleep(0.1)
        trace.progressed("growing", 3)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(("n", "said"), [(1, "1 selection done"), (1_200, "1,200 selections done")])
def test_one_step_has_no_plural(impatient, n, said):
    stream = Terminal()
    trace = ShownTrace("work", "selections done", stream=stream)
    trace.progressed("growing", n)
    time.sleep(0.3)
    trace.close()
    assert f"work: growing, {said}" in stream.getvalue()


def test_a_notebook_gets_a_line_that_is_overwritten(impatient):
    kernel = type("OutStream", (io.StringIO,), {"__module__": "ipykernel.iostream"})()
    trace = ShownTrace("work", "steps", stream=kernel)
    time.sleep(0.1)
    trace.progressed("growing", 2)
    trace.close()
    first, *_, last = kernel.getvalue().split("\r")[1:]
    assert first.rstrip() == "work: preparing"
    assert last == ""
    assert kernel.getvalue().split("\r")[-2].strip() == ""


def test_a_long_line_stays_one_line_in_a_narrow_terminal(impatient, monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    stream = Terminal()
    trace = ShownTrace("Markov boundary of a column with a long name", "steps", stream=stream)
    time.sleep(0.3)
    trace.close()
    shown = stream.getvalue().split("\r")
    assert all(line.count("\n") <= 1 for line in shown)  # the last one, before it is cleared
    assert "Markov boundary of a colum" in stream.getvalue()
    assert "long name" not in stream.getvalue()


def test_quick_work_says_nothing(capfd):
    with watched("work") as trace:
        trace.progressed("growing", 1)
    assert capfd.readouterr().err == ""


def test_patience_is_a_second():
    assert progress._PATIENCE == 1.0


def test_it_can_be_silenced(impatient, capfd):
    with watched("work", progress=False) as trace:
        time.sleep(0.1)
        trace.progressed("growing", 1)
    assert capfd.readouterr().err == ""


def test_a_terminal_gets_a_line_that_vanishes(impatient):
    stream = Terminal()
    trace = ShownTrace("work [bold]", "steps", stream=stream)
    time.sleep(0.5)
    trace.progressed("growing", 2)
    time.sleep(0.2)
    trace.close()
    assert "work [bold]: growing, 2 steps" in stream.getvalue()
    assert stream.getvalue().endswith("\x1b[2K")


def test_a_trace_without_arguments_never_ends_anything():
    Trace().progressed("working", 1)


def test_time_is_up_where_progress_is_told():
    started = time.monotonic()
    with watched("work", progress=False, time_limit=0.05) as trace, pytest.raises(Cancelled):
        endless(trace)
    assert time.monotonic() - started < 5


def test_time_limits_work_in_threads():
    def work():
        with watched("work", progress=False, time_limit=0.05) as trace, pytest.raises(Cancelled):
            endless(trace)
        return True

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(work).result()


def test_a_time_limit_with_nothing_to_show_is_told_in_a_sentence():
    def nothing():
        with watched("work", progress=False, time_limit=0.01) as trace:
            endless(trace)

    with pytest.raises(OptionError, match=r"time limit of 0.01 seconds .* allow more"):
        nothing()


def test_the_limit_of_the_whole_holds_for_its_parts():
    with (
        watched("whole", progress=False, time_limit=0.05),
        watched("part", progress=False, time_limit=1000) as part,
        pytest.raises(Cancelled),
    ):
        endless(part)


def test_work_carried_into_a_thread_is_cancelled_with_the_whole():
    def part():
        with watched("part", progress=False) as trace, pytest.raises(Cancelled):
            endless(trace)
        return True

    with watched("whole", progress=False, time_limit=0.05), ThreadPoolExecutor(1) as pool:
        assert pool.submit(carried(part)).result()


@pytest.mark.usefixtures("heeding_sigint")
def test_one_control_c_asks_the_work_to_stop():
    threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
    with watched("work", progress=False) as trace, pytest.raises(Cancelled):
        endless(trace)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("heeding_sigint")
def test_a_second_control_c_interrupts_at_once():
    def interrupted_twice():
        with watched("work", progress=False):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(5)

    with pytest.raises(KeyboardInterrupt):
        interrupted_twice()


def test_time_limits_hold_where_sigint_is_ignored():
    script = (
        "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "from eiderdown.progress import *\n"
        "with watched('work', progress=False, time_limit=.05) as trace:\n"
        "    try:\n"
        "        while True: trace.progressed('working', 1)\n"
        "    except Cancelled: print('stopped')\n"
        "assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    assert ended.stdout == "stopped\n"


def test_half_a_result_is_abandoned():
    with pytest.raises(KeyboardInterrupt):
        abandon()
    with watched("work", progress=False), pytest.raises(Cancelled):
        abandon()


def test_a_detail_is_shown_behind_the_step_until_the_next_one(impatient, monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with watched("work", counted="steps") as trace:
        time.sleep(0.1)
        trace.progressed("growing", 1)
        carried(progress.tell_detail)("5 rows a second")
        time.sleep(0.3)
        with watched("", progress=False):
            progress.tell_detail("of silent work")
        trace.progressed("shrinking", 2)
        time.sleep(0.3)
    progress.tell_detail("to nobody")
    shown = stream.getvalue()
    assert "work: growing, 1 step (5 rows a second)" in shown
    assert "work: shrinking, 2 steps" in shown
    assert "work: shrinking, 2 steps (" not in shown
    assert "silent" not in shown
    assert "nobody" not in shown
