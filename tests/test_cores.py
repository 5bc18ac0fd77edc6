"""Threads are moved to another core, and leave signals to others."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import pytest

from eiderdown import cores

linux = pytest.mark.skipif(
    not hasattr(os, "sched_setaffinity"), reason="only Linux tells threads where to be"
)


@linux
def test_what_begins_elsewhere_may_go_where_it_could_before(monkeypatch):
    masks = []
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2})
    monkeypatch.setattr(os, "sched_setaffinity", lambda number, mask: masks.append((number, mask)))
    monkeypatch.setattr(cores, "_core_of_this_thread", lambda: lambda: 1)
    cores.begin_elsewhere(77)
    assert masks == [(77, {0, 2}), (77, {0, 1, 2})]


@linux
@pytest.mark.parametrize(("allowed", "here"), [({1}, 1), ({0, 2}, 1), ({0, 1}, -1)])
def test_nothing_is_moved_where_there_is_no_other_core(allowed, here, monkeypatch):
    masks = []
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: allowed)
    monkeypatch.setattr(os, "sched_setaffinity", lambda *_: masks.append(_))
    monkeypatch.setattr(cores, "_core_of_this_thread", lambda: lambda: here)
    cores.begin_elsewhere(77)
    assert masks == []


def test_who_has_ended_is_not_moved():
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    cores.begin_elsewhere(gone.pid)


@linux
def test_the_core_of_this_thread_is_one_it_may_use():
    core = cores._core_of_this_thread()()
    assert core == -1 or core in os.sched_getaffinity(0)


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="no masks of signals here")
def test_signals_are_left_to_others_and_taken_again():
    masks = []

    def look():
        with cores.without_signals():
            masks.append(signal.pthread_sigmask(signal.SIG_BLOCK, ()))
        masks.append(signal.pthread_sigmask(signal.SIG_BLOCK, ()))

    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert signal.SIGINT in masks[0]
    assert masks[1] == before
