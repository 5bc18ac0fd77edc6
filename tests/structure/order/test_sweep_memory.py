"""What kernels remember of a score's answers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from eiderdown.structure.order import sweep_memory
from eiderdown.structure.order.sweep_memory import (
    NOWHERE,
    SweepMemory,
    find_sweep,
    remember_sweep,
)


def remember(memory, child, parents, scores):
    family = np.array(parents, dtype=np.int64)
    candidates = np.arange(100, 100 + len(scores))
    numbers = np.array(scores, dtype=np.float64)
    remember_sweep(memory, child, family, len(parents), candidates, len(scores), numbers)


def recalled(memory, child, parents):
    at = find_sweep(memory, child, np.array(parents, dtype=np.int64), len(parents))
    if at == NOWHERE:
        return None
    here = slice(at + 1, at + 1 + memory.words[at])
    assert memory.words[here].tolist() == list(range(100, 100 + memory.words[at]))
    return memory.numbers[here].tolist()


def test_a_sweep_is_found_by_its_child_and_all_its_parents():
    memory = SweepMemory.empty(9)
    remember(memory, 1, [2, 3], [0.5, 1.5])
    remember(memory, 1, [2], [2.5])
    remember(memory, 2, [], [])
    assert recalled(memory, 1, [2, 3]) == [0.5, 1.5]
    assert recalled(memory, 1, [2]) == [2.5]
    assert recalled(memory, 2, []) == []
    for other in ((2, [2, 3]), (1, [2, 4]), (1, []), (1, [2, 3, 4])):
        assert recalled(memory, *other) is None


def test_what_has_no_room_is_forgotten_and_nothing_else(monkeypatch):
    monkeypatch.setattr(sweep_memory, "_MOST_WORDS", 20)
    memory = SweepMemory.empty(9)
    remember(memory, 1, [2], [0.5] * 10)
    remember(memory, 2, [1], [1.5] * 10)
    remember(memory, 3, [], [2.5])
    assert recalled(memory, 1, [2]) == [0.5] * 10
    assert recalled(memory, 2, [1]) is None
    assert recalled(memory, 3, []) == [2.5]


@pytest.mark.parametrize("n", [3_000])
def test_threads_find_what_others_have_remembered(n):
    memory = SweepMemory.empty(40)

    def remember_all(first):
        for k in range(first, first + n):
            remember(memory, k % 40, [k // 40, 1_000], [float(k), -float(k)])

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(remember_all, [0, n // 2]))
    found = [recalled(memory, k % 40, [k // 40, 1_000]) for k in range(n + n // 2)]
    known = [k for k, answer in enumerate(found) if answer is not None]
    assert len(known) > 0.99 * len(found)
    assert all(found[k] == [float(k), -float(k)] for k in known)
