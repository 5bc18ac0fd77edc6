"""All boundaries within a bound of memory: answers are the same, and evictions are told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from eiderdown import find_all_boundaries, networks
from eiderdown.errors import OptionError
from eiderdown.independence import cache
from eiderdown.memory import Memory

ALARM = networks.load("alarm").sample(400, random_state=0)


def answers(found):
    """All that a result says, but for how much work it was."""
    zero = {"n_tests": 0, "n_repeated": 0, "n_skipped": 0, "n_evicted": 0, "seconds": 0.0}
    return [replace(result, run=replace(result.run, **zero)) for result in found.values()]


@pytest.fixture
def tiny(monkeypatch):
    """Makes any memory one of 64 results."""
    monkeypatch.setattr(cache, "_SMALLEST_ROOM", 64)
    monkeypatch.setattr(cache, "_largest_room", lambda _: 64)


@pytest.mark.parametrize("algorithm", ["pcmb", "hiton_pc", "iamb", "auto"])
@pytest.mark.parametrize("seed", range(2))
def test_a_tiny_memory_of_tests_gives_the_answers_of_a_huge_one(algorithm, seed, request):
    data = networks.load("alarm").sample(250, random_state=seed)
    targets = data.names[:: 1 if algorithm != "auto" else 6]
    huge = find_all_boundaries(data, algorithm=algorithm, targets=targets)
    request.getfixturevalue("tiny")
    small = find_all_boundaries(data, algorithm=algorithm, targets=targets)
    assert answers(small) == answers(huge)
    asked = [run.n_tests + run.n_repeated for run in (small.run, huge.run)]
    assert asked[0] == asked[1]
    assert small.run.n_tests > huge.run.n_tests
    assert small.run.n_evicted > huge.run.n_evicted == 0


def test_evictions_are_counted_and_said(tiny):
    found = find_all_boundaries(ALARM, algorithm="pcmb")
    assert found.run.n_evicted > 0
    assert found.run.n_evicted == sum(result.run.n_evicted for result in found.values())
    assert f"({found.run.n_evicted:,} results were forgotten to make room)" in str(found)
    again = type(found).from_json(found.to_json())
    assert again.run.n_evicted == found.run.n_evicted


def test_a_run_that_forgot_nothing_is_written_as_ever():
    assert "n_evicted" not in find_all_boundaries(ALARM, targets=["HR"]).to_json()


@pytest.mark.parametrize(
    ("amount", "message"),
    [
        ("1KB", "test_memory must be at least 1MB, not '1KB'"),
        (100, "test_memory must be at least 1MB, not '100'"),
        ("much", "test_memory must be amount of memory such as '2GB', not 'much'"),
        (1.5, "test_memory must be amount of memory such as '2GB', not 1.5"),
    ],
)
def test_an_amount_that_is_none_is_refused(amount, message):
    with pytest.raises(OptionError, match=message):
        find_all_boundaries(ALARM, test_memory=amount)


@pytest.mark.parametrize(
    ("text", "n_bytes"),
    [("2GB", 2**31), ("500MB", 500 * 2**20), ("1.5 gib", 3 * 2**29), ("77", 77), ("8k", 8192)],
)
def test_amounts_of_memory_are_read_as_people_write_them(text, n_bytes):
    assert Memory(text) == n_bytes
    assert Memory(str(Memory(text))) == n_bytes


@pytest.mark.parametrize("text", ["", "GB", "-1GB", "1 2", "1e3", "nan", "9" * 400])
def test_other_texts_are_no_amounts(text):
    with pytest.raises((ValueError, OverflowError)):
        Memory(text)
