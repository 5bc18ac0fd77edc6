"""An open hash table of tests that compiled code can read and write.

A test is a pair of variables, in either order, and a conditioning set, in any order. Its key is two
independent 64-bit hashes of that; with 2**23 tests remembered the chance that any two share both is
below 1e-24. A row of ``values`` is (statistic, dof, log p, effect, reliable, rows used).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from eiderdown.arrays import FloatArray, IntArray, WordArray
from eiderdown.independence.batch import N_VALUES, RELIABLE

N_COUNTERS = 4
STORED, COMPUTED, REPEATED, SKIPPED = range(N_COUNTERS)

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_SALT = np.uint64(0x243F6A8885A308D3)


class Memory(NamedTuple):
    """The arrays of the table: keys (2, capacity), values (capacity, 6) and four counters."""

    keys: WordArray
    values: FloatArray
    counters: NDArray[np.int64]


MEMORY_TYPE: Any = types.NamedTuple(  # type: ignore[no-untyped-call]
    (types.uint64[:, ::1], types.float64[:, ::1], types.int64[::1]), Memory
)
_INTS: Any = types.Array(types.int64, 1, "C", readonly=True)


def empty_memory(capacity: int) -> Memory:
    """Make a table with room for ``capacity`` / 2 tests; capacity must be a power of two."""
    return Memory(
        np.zeros((2, capacity), dtype=np.uint64),
        np.empty((capacity, N_VALUES)),
        np.zeros(N_COUNTERS, dtype=np.int64),
    )


@njit("u8(u8)", cache=True, nogil=True)
def _mixed(value):  # type: ignore[no-untyped-def]
    """Spread the bits of a number over a whole word (the finaliser of SplitMix64)."""
    value = value + _GOLDEN
    value = (value ^ (value >> np.uint64(30))) * _MIX_1
    value = (value ^ (value >> np.uint64(27))) * _MIX_2
    return value ^ (value >> np.uint64(31))


@njit(cache=True, nogil=True)
def hash_of_set(given):  # type: ignore[no-untyped-def]
    """Hash a conditioning set, whatever its order; negative entries are padding."""
    first = second = np.uint64(0)
    for z in given:
        if z >= 0:
            first += _mixed(np.uint64(z) ^ _SALT)
            second += _mixed(np.uint64(z) + _SALT)
    return first, second


@njit(cache=True, nogil=True)
def key_of(x, y, of_set):  # type: ignore[no-untyped-def]
    """Key of one test; the same for (x, y) and (y, x). The first half is never 0."""
    first = _mixed(np.uint64(x)) + _mixed(np.uint64(y))
    second = _mixed(np.uint64(x) * _MIX_2) + _mixed(np.uint64(y) * _MIX_2)
    return (
        _mixed(of_set[0] + np.uint64(3) * first) | np.uint64(1),
        _mixed(of_set[1] + np.uint64(5) * second),
    )


@njit(cache=True, nogil=True)
def slot_of(memory, key):  # type: ignore[no-untyped-def]
    """Where a test stands, or the free place where it would stand."""
    keys = memory.keys
    mask = np.uint64(keys.shape[1] - 1)
    slot = (key[0] >> np.uint64(1)) & mask
    while keys[0, slot] != 0 and (keys[0, slot] != key[0] or keys[1, slot] != key[1]):
        slot = (slot + np.uint64(1)) & mask
    return slot


@njit(cache=True, nogil=True)
def claim(memory, slot, key):  # type: ignore[no-untyped-def]
    """Take a free slot for a key if the table is not half full; say whether it was taken."""
    if 2 * memory.counters[STORED] >= memory.keys.shape[1]:
        return False
    memory.keys[0, slot] = key[0]
    memory.keys[1, slot] = key[1]
    memory.counters[STORED] += 1
    return True


@njit(
    types.void(MEMORY_TYPE, _INTS, types.int64, _INTS, types.float64[:, ::1], types.boolean[::1]),
    cache=True,
    nogil=True,
)
def recall(memory, candidates, target, given, found, known):  # type: ignore[no-untyped-def]
    """Look up a sweep: fill the values that are known and say which."""
    of_set = hash_of_set(given)
    for b in range(candidates.shape[0]):
        slot = slot_of(memory, key_of(candidates[b], target, of_set))
        known[b] = memory.keys[0, slot] != 0
        if known[b]:
            found[b] = memory.values[slot]
            memory.counters[REPEATED] += 1


@njit(
    types.void(
        MEMORY_TYPE, _INTS, types.int64, _INTS, types.Array(types.float64, 2, "C", readonly=True)
    ),
    cache=True,
    nogil=True,
)
def remember(memory, candidates, target, given, values):  # type: ignore[no-untyped-def]
    """Store a sweep that was computed, as far as there is room."""
    of_set = hash_of_set(given)
    for b in range(candidates.shape[0]):
        memory.counters[COMPUTED] += 1
        memory.counters[SKIPPED] += values[b, RELIABLE] == 0.0
        key = key_of(candidates[b], target, of_set)
        slot = slot_of(memory, key)
        if memory.keys[0, slot] == 0 and claim(memory, slot, key):
            memory.values[slot] = values[b]


@njit(types.void(MEMORY_TYPE, MEMORY_TYPE), cache=True, nogil=True)
def _copy(memory, other):  # type: ignore[no-untyped-def]
    for old in range(memory.keys.shape[1]):
        if memory.keys[0, old] != 0:
            key = (memory.keys[0, old], memory.keys[1, old])
            slot = slot_of(other, key)
            if other.keys[0, slot] == 0 and claim(other, slot, key):
                other.values[slot] = memory.values[old]


def enlarged(memory: Memory) -> Memory:
    """Copy to a table twice as large."""
    larger = empty_memory(2 * memory.keys.shape[1])
    _copy(memory, larger)
    larger.counters[COMPUTED:] = memory.counters[COMPUTED:]
    return larger


def absorb(memory: Memory, fresh: Memory) -> None:
    """Add the tests and counts of another table, as far as there is room."""
    _copy(fresh, memory)
    memory.counters[COMPUTED:] += fresh.counters[COMPUTED:]


def capacity_for(n_tests: int) -> int:
    """Smallest legal capacity that holds so many tests."""
    return 1 << max(6, (2 * n_tests - 1).bit_length())


def as_given(given: tuple[int, ...]) -> IntArray:
    """Conditioning set as the array that the kernels take."""
    return np.array(given, dtype=np.int64)
