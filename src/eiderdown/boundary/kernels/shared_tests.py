"""Tests given some conditioning sets at once, made together with whoever waits for them.

A search tries one set after the other, and whom one of them separates is not tested given the next.
While somebody helps (:class:`eiderdown.work_sharing.SharedWork`), it lists the tests given the next
few sets as if none of them separated anybody; both make them; and then the search takes the answers
in their order, and forgets those that it would not have asked for. So answers and counts are those
of a search that nobody helps, which lists the tests of one set at a time.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray, WordArray
from eiderdown.independence.batch import N_VALUES
from eiderdown.independence.kernels.cache import (
    REPEATED,
    ResultTable,  # noqa: F401  stands in signatures
    copy_values,
    hash_of_set,
    key_of,
    slot_of,
    store_new,
)
from eiderdown.independence.kernels.subsets import (
    Columns,  # noqa: F401  stands in signatures
    Judging,  # noqa: F401  stands in signatures
    Workspace,
    judge_planes,
)
from eiderdown.kernels import kernel
from eiderdown.thread_rooms import own_part
from eiderdown.work_sharing import n_others, share

N_TESTS, _N_TODO, _N_SETS = range(3)

MOST_SETS = 16
"""At once: what is made in vain where one of them separates somebody is little."""

_MORE_TESTS = 1_024  # than there are candidates, that there is room for
_SHARING_PAYS_FROM = 60_000  # tests times rows: some 10 microseconds


class Listed(NamedTuple):
    """Tests of candidates with the target, in the order in which they are asked for.

    ``asked`` is the number of each among those who are asked about, ``known`` whether it was made
    before; ``todo`` lists the others.
    """

    n: Annotated[IntArray, "int64[::1]"]
    sets: Annotated[IntArray, "int64[:, ::1]"]
    hashes: Annotated[WordArray, "uint64[:, ::1]"]  # of the sets
    of_set: Annotated[IntArray, "int64[::1]"]
    x: Annotated[IntArray, "int64[::1]"]
    asked: Annotated[IntArray, "int64[::1]"]
    known: Annotated[BoolArray, "boolean[::1]"]
    todo: Annotated[IntArray, "int64[::1]"]
    values: Annotated[FloatArray, "float64[:, ::1]"]

    @classmethod
    def of(cls, n_candidates: int, max_given: int) -> Listed:
        """Make room for the tests of so many candidates, and more where they are few."""
        n = n_candidates + _MORE_TESTS
        of_set, x, asked, todo = (np.empty(n, dtype=np.int64) for _ in range(4))
        return cls(
            np.zeros(3, dtype=np.int64),
            np.empty((MOST_SETS, max(1, max_given)), dtype=np.int64),
            np.empty((MOST_SETS, 2), dtype=np.uint64),
            of_set,
            x,
            asked,
            np.empty(n, dtype=np.bool_),
            todo,
            np.empty((n, N_VALUES)),
        )


class TestRoom(NamedTuple):
    """Where tests are listed and made: a workspace for each thread, and the board they meet at.

    ``looks_ahead`` is whether more than one set may be listed at a time: not where the memory of
    tests forgets some, because what it knows then depends on what was asked in between.
    """

    board: Annotated[IntArray, "int64[::1]"]
    listed: Listed
    workspaces: Workspace
    n_workspaces: int
    looks_ahead: bool


@kernel("void(Listed)", inner=True)
def begin_list(listed):
    """Forget what was listed before."""
    for i in range(listed.n.shape[0]):
        listed.n[i] = 0


@kernel("boolean(Listed, int64, int64)", inner=True)
def has_room(listed, n_at_once, n_asked):
    """Whether one more set is to be listed, with a test of each who is asked about."""
    n = listed.n
    return n[_N_SETS] < n_at_once and n[N_TESTS] + n_asked <= listed.x.shape[0]


@kernel("int64(TestRoom, int64, boolean)", inner=True)
def n_sets_at_once(room, before, any_separated):
    """Return how many sets to list next: twice as many as before if none of these separated any."""
    if n_others(room.board) == 0 or not room.looks_ahead:
        return 1
    return max(1, before // 2) if any_separated else min(2 * before, MOST_SETS)


@kernel("void(Listed, const(int64[::1]))", inner=True)
def begin_set(listed, subset):
    """List a set, padded with -1; its tests follow."""
    at = listed.n[_N_SETS]
    for k in range(subset.shape[0]):
        listed.sets[at, k] = subset[k]
    listed.hashes[at, 0], listed.hashes[at, 1] = hash_of_set(subset)
    listed.n[_N_SETS] = at + 1


@kernel("UniTuple(uint64, 2)(Listed, int64, int64)", inner=True)
def _key(listed, target, i):
    """Return under which key a test is remembered."""
    of_set = listed.of_set[i]
    return key_of(listed.x[i], target, (listed.hashes[of_set, 0], listed.hashes[of_set, 1]))


@kernel("boolean(ResultTable, UniTuple(uint64, 2), float64[::1])", inner=True)
def _is_in(table, key, values):
    """Copy the values of a test, if a table has it."""
    slot = slot_of(table, key)
    if table.keys[0, slot] == 0:
        return False
    copy_values(table.values[slot], values)
    return True


@kernel("void(Listed, UniTuple(ResultTable, 2), UniTuple(int64, 2), int64)", inner=True)
def list_test(listed, tables, pair, asked):
    """List the test of a pair (x, target) given the last set, and look whether it was made."""
    i = listed.n[N_TESTS]
    listed.of_set[i], listed.x[i], listed.asked[i] = listed.n[_N_SETS] - 1, pair[0], asked
    key, values = _key(listed, pair[1], i), listed.values[i]
    known, fresh = tables
    listed.known[i] = _is_in(fresh, key, values) or _is_in(known, key, values)
    if not listed.known[i]:
        listed.todo[listed.n[_N_TODO]] = i
        listed.n[_N_TODO] += 1
    listed.n[N_TESTS] = i + 1


@kernel("void(Columns, Judging, int64, TestRoom, int64, int64)", inner=True)
def _make_part(columns, judging, target, room, n_parts, k):
    """Make the k-th of so many parts of the tests that are to be made."""
    listed, n = room.listed, room.listed.n[_N_TODO]
    workspace = own_part(room.workspaces, k, room.n_workspaces)
    given, n_strata = -1, (-1, 0)
    for j in range(n * k // n_parts, n * (k + 1) // n_parts):
        i = listed.todo[j]
        if listed.of_set[i] != given:
            given, n_strata = listed.of_set[i], (-1, 0)
        pair, subset = (listed.x[i], target), listed.sets[given]
        n_strata = judge_planes(columns, judging, pair, subset, n_strata, workspace)
        copy_values(workspace.values, listed.values[i])


@kernel("void(Columns, Judging, int64, TestRoom)", inner=True)
def make_tests(columns, judging, target, room):
    """Make all tests that are listed and not known, together with whoever helps."""
    n_parts, n = 1, room.listed.n[_N_TODO]
    if n * judging.rules.n_rows >= _SHARING_PAYS_FROM:
        n_parts = min(room.n_workspaces, n_others(room.board) + 1)
    if n > 0:
        share(room.board, n_parts, _make_part, (columns, judging, target, room, n_parts))


@kernel("void(Listed, ResultTable, int64, int64)", inner=True)
def count_test(listed, fresh, target, i):
    """Count a test that is asked for, and remember it if it is new."""
    if listed.known[i]:
        fresh.counters[REPEATED] += 1
        return
    store_new(fresh, _key(listed, target, i), listed.values[i])
