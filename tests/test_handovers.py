"""Threads hand Python's lock over quickly while they work, and only then."""

import sys
from threading import Barrier, Thread

import pytest

from eiderdown.confidence.ordered_runs import Jobs, runs_in_order
from eiderdown.handovers import INTERVAL, quick_handovers
from eiderdown.statistics import cost
from eiderdown.statistics.cost import Workers


def test_the_last_to_leave_restores_the_interval() -> None:
    before, both_in, one_out = sys.getswitchinterval(), Barrier(2), Barrier(2)
    seen = []

    def other() -> None:
        with quick_handovers():
            both_in.wait()
            one_out.wait()
            seen.append(sys.getswitchinterval())

    thread = Thread(target=other)
    thread.start()
    with quick_handovers():
        both_in.wait()
    one_out.wait()
    thread.join()
    assert seen == pytest.approx([INTERVAL], abs=2e-6)
    assert sys.getswitchinterval() == before


def test_a_shorter_interval_is_kept() -> None:
    before = sys.getswitchinterval()
    sys.setswitchinterval(INTERVAL / 2)
    try:
        with quick_handovers():
            assert sys.getswitchinterval() == pytest.approx(INTERVAL / 2, abs=2e-6)
    finally:
        sys.setswitchinterval(before)


def test_an_error_restores_the_interval() -> None:
    before = sys.getswitchinterval()
    with pytest.raises(ValueError, match="no"), quick_handovers():
        raise ValueError("no")
    assert sys.getswitchinterval() == before


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_only_several_threads_hand_over_quickly(
    n_jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cost, "available_cores", lambda: 2)
    before, seen = sys.getswitchinterval(), []
    Workers(n_jobs).each(lambda _: seen.append(sys.getswitchinterval()), [1, 2], pays=True)
    with runs_in_order(lambda _: sys.getswitchinterval(), range(2), Jobs(n_jobs)) as runs:
        seen += [interval for _, interval in runs]
    assert seen == pytest.approx([before if n_jobs == 1 else INTERVAL] * 4, abs=2e-6)
    assert sys.getswitchinterval() == before
