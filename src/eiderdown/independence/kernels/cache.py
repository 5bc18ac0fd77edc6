"""An open hash table of results that compiled code can read and write, and that forgets in time.

A test is a pair of variables, in either order, and a conditioning set, in any order. Its key is two
independent 64-bit hashes of that; with 2**23 tests remembered the chance that any two share both is
below 1e-24. A row of ``values`` is that of :class:`eiderdown.independence.IndependenceBatch`.

The table has two generations of results. New ones join the young, and when these are a half of what
there is room for, the old are dropped and the young become the old: each result costs O(1), the
last half of the room is always known, and what is forgotten depends on nothing but the order in
which tests were made.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from eiderdown.arrays import ByteArray, FloatArray, IntArray, WordArray
from eiderdown.independence.batch import ALLOWS, LOG_P, N_VALUES
from eiderdown.kernels import kernel

N_COUNTERS = 7
STORED, YOUNG, GENERATION, COMPUTED, REPEATED, SKIPPED, EVICTED = range(N_COUNTERS)
"""What is in the table; then, from COMPUTED on, what was done."""

BYTES_PER_SLOT = 2 * 8 + N_VALUES * 8 + 1

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_SALT = np.uint64(0x243F6A8885A308D3)


class ResultTable(NamedTuple):
    """The arrays of the table: keys (2, capacity), values (capacity, 6), generations, counters."""

    keys: Annotated[WordArray, "uint64[:, ::1]"]
    values: Annotated[FloatArray, "float64[:, ::1]"]
    generations: Annotated[ByteArray, "uint8[::1]"]
    counters: Annotated[IntArray, "int64[::1]"]

    @classmethod
    def for_tests(cls, n_tests: int) -> ResultTable:
        """Make an empty table with room for so many tests."""
        capacity = 1 << max(6, (2 * n_tests - 1).bit_length())
        return cls(
            np.zeros((2, capacity), dtype=np.uint64),
            np.empty((capacity, N_VALUES)),
            np.zeros(capacity, dtype=np.uint8),
            np.zeros(N_COUNTERS, dtype=np.int64),
        )

    @property
    def room(self) -> int:
        """How many tests it holds before it is half full."""
        return int(self.keys.shape[1]) // 2


@kernel("uint64(uint64)", inner=True)
def _mixed(value):
    """Spread the bits of a number over a whole word (the finaliser of SplitMix64)."""
    value = value + _GOLDEN
    value = (value ^ (value >> np.uint64(30))) * _MIX_1
    value = (value ^ (value >> np.uint64(27))) * _MIX_2
    return value ^ (value >> np.uint64(31))


@kernel("UniTuple(uint64, 2)(const(int64[::1]))", inner=True)
def hash_of_set(given):
    """Hash a conditioning set, whatever its order; negative entries are padding."""
    first = second = np.uint64(0)
    for i in range(given.shape[0]):
        if given[i] >= 0:
            first += _mixed(np.uint64(given[i]) ^ _SALT)
            second += _mixed(np.uint64(given[i]) + _SALT)
    return first, second


@kernel("UniTuple(uint64, 2)(int64, int64, UniTuple(uint64, 2))", inner=True)
def key_of(x, y, of_set):
    """Key of one test; the same for (x, y) and (y, x). The first half is never 0."""
    first = _mixed(np.uint64(x)) + _mixed(np.uint64(y))
    second = _mixed(np.uint64(x) * _MIX_2) + _mixed(np.uint64(y) * _MIX_2)
    return (
        _mixed(of_set[0] + np.uint64(3) * first) | np.uint64(1),
        _mixed(of_set[1] + np.uint64(5) * second),
    )


@kernel("uint64(ResultTable, UniTuple(uint64, 2))", inner=True)
def slot_of(table, key):
    """Where a test stands, or the free place where it would stand."""
    keys = table.keys
    mask = np.uint64(keys.shape[1] - 1)
    slot = (key[0] >> np.uint64(1)) & mask
    while keys[0, slot] != 0 and (keys[0, slot] != key[0] or keys[1, slot] != key[1]):
        slot = (slot + np.uint64(1)) & mask
    return slot


@kernel("void(ResultTable, uint64)", inner=True)
def _free(table, slot):
    """Free a slot, and move up the results behind it that would no longer be found."""
    keys, size = table.keys, np.uint64(table.keys.shape[1])
    mask = size - np.uint64(1)
    behind = slot
    while True:
        behind = (behind + np.uint64(1)) & mask
        if keys[0, behind] == 0:
            break
        first = (keys[0, behind] >> np.uint64(1)) & mask
        # Its search begins at ``first``: is the free slot on the way from there?
        if ((behind + size - first) & mask) >= ((behind + size - slot) & mask):
            keys[0, slot] = keys[0, behind]
            keys[1, slot] = keys[1, behind]
            table.generations[slot] = table.generations[behind]
            for i in range(N_VALUES):
                table.values[slot, i] = table.values[behind, i]
            slot = behind
    keys[0, slot] = 0


@kernel("void(ResultTable)", inner=True)
def _begin_generation(table):
    """Drop the old generation; the young one is the old one from now on."""
    counters = table.counters
    young = counters[GENERATION]
    for i in range(table.keys.shape[1]):
        slot = np.uint64(i)
        # What moves up to this slot was behind it, so that it may be old as well.
        while table.keys[0, slot] != 0 and table.generations[slot] != young:
            _free(table, slot)
            counters[STORED] -= 1
            counters[EVICTED] += 1
    counters[GENERATION] = 1 - young
    counters[YOUNG] = 0


@kernel("void(ResultTable)")
def forget_oldest(table):
    """Begin a generation before the young one is full; the old one is dropped."""
    _begin_generation(table)


@kernel("boolean(ResultTable, UniTuple(uint64, 2), const(float64[::1]))", inner=True)
def store(table, key, values):
    """Store a result, unless it is there already; where there is no room, the oldest go.

    Returns whether it was not there.
    """
    slot = slot_of(table, key)
    if table.keys[0, slot] != 0:
        return False
    counters = table.counters
    if 4 * counters[YOUNG] >= table.keys.shape[1]:  # of the slots one half is room
        _begin_generation(table)
        slot = slot_of(table, key)
    table.keys[0, slot] = key[0]
    table.keys[1, slot] = key[1]
    table.generations[slot] = counters[GENERATION]
    counters[STORED] += 1
    counters[YOUNG] += 1
    for i in range(N_VALUES):
        table.values[slot, i] = values[i]
    return True


def _are_few(_table: object, candidates: IntArray, *_others: object) -> bool:
    return len(candidates) <= 1_000


@kernel(
    "int64(ResultTable, const(int64[::1]), int64, const(int64[::1]), float64[:, ::1])",
    small=_are_few,
)
def recall(table, candidates, target, given, found):
    """Look up a sweep: fill the values that are known, NaN where not; return how many are not."""
    of_set = hash_of_set(given)
    n_unknown = 0
    for b in range(candidates.shape[0]):
        slot = slot_of(table, key_of(candidates[b], target, of_set))
        if table.keys[0, slot] != 0:
            table.counters[REPEATED] += 1
            for i in range(N_VALUES):
                found[b, i] = table.values[slot, i]
        else:
            n_unknown += 1
            found[b, ALLOWS] = np.nan
    return n_unknown


@kernel("boolean(const(float64[::1]), float64)", inner=True)
def is_dependent(values, log_alpha):
    """Whether the values of a test say "dependent"."""
    return values[ALLOWS] >= 1.0 and values[LOG_P] <= log_alpha


@kernel("boolean(const(float64[::1]), float64)", inner=True)
def is_independent(values, log_alpha):
    """Whether the values of a test say "independent"."""
    return values[ALLOWS] == 2.0 and values[LOG_P] > log_alpha


@kernel("boolean(const(float64[::1]), float64)", inner=True)
def cannot_say(values, log_alpha):
    """Whether the values of a test say neither."""
    return not (is_dependent(values, log_alpha) or is_independent(values, log_alpha))


@kernel("void(float64[::1], float64[::1])", inner=True)
def copy_values(source, out):
    """Copy the values of a test."""
    for i in range(N_VALUES):
        out[i] = source[i]


@kernel("boolean(UniTuple(ResultTable, 2), UniTuple(uint64, 2), float64[::1])", inner=True)
def is_recalled(tables, key, out):
    """Copy the values of a test that the first table knows; the second counts that."""
    known, fresh = tables
    slot = slot_of(known, key)
    if known.keys[0, slot] == 0:
        return False
    copy_values(known.values[slot], out)
    fresh.counters[REPEATED] += 1
    return True


@kernel("void(ResultTable, UniTuple(uint64, 2), float64[::1])", inner=True)
def store_new(fresh, key, values):
    """Count and store a test that was computed."""
    fresh.counters[COMPUTED] += 1
    fresh.counters[SKIPPED] += cannot_say(values, 0.0)  # at any level
    store(fresh, key, values)


@kernel(
    "void(ResultTable, const(int64[::1]), int64, const(int64[::1]), const(float64[:, ::1]))",
    small=_are_few,
)
def remember(table, candidates, target, given, values):
    """Store a sweep that was computed."""
    of_set = hash_of_set(given)
    for b in range(candidates.shape[0]):
        table.counters[COMPUTED] += 1
        table.counters[SKIPPED] += cannot_say(values[b], 0.0)  # at any level
        store(table, key_of(candidates[b], target, of_set), values[b])


@kernel("void(ResultTable, ResultTable)")
def copy_results(table, other):
    """Copy all results to another table."""
    for slot in range(table.keys.shape[1]):
        if table.keys[0, slot] != 0:
            store(other, (table.keys[0, slot], table.keys[1, slot]), table.values[slot])


@kernel("void(ResultTable, ResultTable)")
def merge_results(table, fresh):
    """Copy what a search of its own has made, and count it as if the table had been at hand.

    What both have the search would have recalled, not computed. So counts are the same whether
    searches run one after the other or in threads, as long as they are merged in the same order.
    """
    counters = fresh.counters
    for slot in range(fresh.keys.shape[1]):
        if fresh.keys[0, slot] == 0:
            continue
        is_new = store(table, (fresh.keys[0, slot], fresh.keys[1, slot]), fresh.values[slot])
        if not is_new:
            counters[COMPUTED] -= 1
            counters[REPEATED] += 1
            counters[SKIPPED] -= cannot_say(fresh.values[slot], 0.0)
        fresh.keys[0, slot] = 0
    for i in range(COMPUTED, N_COUNTERS):
        table.counters[i] += counters[i]
    for i in range(N_COUNTERS):
        counters[i] = 0


def packed(table: ResultTable) -> ResultTable:
    """Return the results and counts of a table side by side, to be merged with another.

    Nothing can be looked up in it.
    """
    kept = table.keys[0] != 0
    return ResultTable(
        np.ascontiguousarray(table.keys[:, kept]),
        table.values[kept],
        table.generations[kept],
        table.counters.copy(),
    )


def absorb(table: ResultTable, fresh: ResultTable) -> None:
    """Add the results and counts of another table."""
    copy_results(fresh, table)
    table.counters[COMPUTED:] += fresh.counters[COMPUTED:]
