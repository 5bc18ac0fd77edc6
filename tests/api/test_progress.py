"""Progress is for people who wait: on stderr, after a second, unless silenced."""

from __future__ import annotations

import io
import time

from api_tables import discrete_table

from eiderdown import find_boundary
from eiderdown.boundary import progress
from eiderdown.boundary.progress import ProgressTrace


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_quick_search_says_nothing(capfd):
    find_boundary(discrete_table(), target="t")
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err == ""


def test_a_slow_search_speaks_on_stderr_only(monkeypatch, capfd):
    monkeypatch.setattr(progress, "_PATIENCE", 0.01)
    with ProgressTrace("Markov boundary of 't'", shown=True) as trace:
        time.sleep(0.2)
        trace.progressed("growing", 3)
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err.rstrip().splitlines()[-1] == "Markov boundary of 't': growing, 3 members"


def test_nothing_is_said_before_its_time():
    stream = io.StringIO()
    with ProgressTrace("work", shown=True, stream=stream) as trace:
        trace.progressed("growing", 1)
    assert stream.getvalue() == ""


def test_patience_is_a_second():
    assert progress._PATIENCE == 1.0


def test_it_can_be_silenced(monkeypatch):
    monkeypatch.setattr(progress, "_PATIENCE", 0.01)
    stream = io.StringIO()
    with ProgressTrace("work", shown=False, stream=stream) as trace:
        time.sleep(0.1)
        trace.progressed("growing", 1)
    assert stream.getvalue() == ""


def test_a_terminal_gets_one_line_that_changes(monkeypatch):
    monkeypatch.setattr(progress, "_PATIENCE", 0.01)
    stream = Terminal()
    with ProgressTrace("work", shown=True, stream=stream) as trace:
        time.sleep(0.2)
        trace.progressed("growing", 1)
        trace.progressed("growing", 2)
    assert stream.getvalue().count("\n") == 1
    assert stream.getvalue().endswith("\r\x1b[2Kwork: growing, 2 members\n")
