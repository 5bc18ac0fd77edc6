"""Time limits where there are no signals to wait for: in event loops, and in their threads."""

from __future__ import annotations

import asyncio
import signal

import pytest
from odd_options import tiny

from eiderdown import find_boundaries

pytestmark = pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")


def endless():
    return find_boundaries(
        tiny("discrete"), "t", runs=2**40, patience=None, cv=None, time_limit=0.3, progress=False
    )


def test_time_limits_hold_in_a_running_event_loop_as_in_notebooks():
    async def cell():
        return endless()

    assert not asyncio.run(cell()).complete


def test_time_limits_hold_in_a_thread_of_an_event_loop():
    async def cell():
        return await asyncio.gather(*(asyncio.to_thread(endless) for _ in range(2)))

    assert [found.complete for found in asyncio.run(cell())] == [False, False]


def test_whoever_handles_ctrl_c_still_does_afterwards():
    before = signal.getsignal(signal.SIGINT)
    for handler in (signal.SIG_IGN, lambda *_: None, signal.default_int_handler):
        signal.signal(signal.SIGINT, handler)
        try:
            endless()
            assert signal.getsignal(signal.SIGINT) is handler
        finally:
            signal.signal(signal.SIGINT, before)
