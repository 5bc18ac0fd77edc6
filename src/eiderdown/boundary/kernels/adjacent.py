"""The search for who is adjacent to a target, all of it in one compiled call.

The twin of what ``OpenCandidates`` and ``remove_separable`` do together in ``mmpc_bar``,
``get_pcd`` and HITON: it asks the same tests in the same order and decides alike, to the last bit.
What it does stands in a record, event by event, from which :mod:`eiderdown.boundary.compiled` tells
it again. A call comes back where the record or the memory of tests has no room for the next step,
or after a while, so that somebody can look at the clock; the next call goes on from there.

A search may read what is known before, but it writes to a table of its own, which is merged with
what is known afterwards.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray
from eiderdown.boundary.kernels.shared_tests import (
    N_TESTS,
    Listed,  # noqa: F401  stands in signatures
    TestRoom,  # noqa: F401  stands in signatures
    begin_list,
    begin_set,
    count_test,
    has_room,
    list_test,
    make_tests,
    n_sets_at_once,
)
from eiderdown.independence.batch import LOG_P, N_VALUES, STATISTIC
from eiderdown.independence.kernels.cache import (
    STORED,
    ResultTable,
    copy_values,
    is_dependent,
    is_independent,
)
from eiderdown.independence.kernels.subsets import (
    Columns,  # noqa: F401  stands in signatures
    Judging,  # noqa: F401  stands in signatures
    holds,
    is_weaker,
)
from eiderdown.kernels import kernel

ADMITTED, REMOVED, SEPARATED = range(3)
"""What happens: a candidate comes in, a member is separated from the target, or a candidate is."""

GIVEN_NOTHING, GROWING, SHRINKING, DONE = range(4)
"""Where a search is."""

STAGE, N_OPEN, N_MEMBERS, N_EVENTS, N_WANTED, SPENT = range(6)
_N_CURSOR = 6


NOTHING_KNOWN = ResultTable.for_tests(1)
"""What is known before a search that makes all its tests itself."""


class AdjacentQuestion(NamedTuple):
    """Whom to look around, and how.

    ``max_given`` is the largest conditioning set; from a pool of more than ``crowd`` variables it
    is ``max_given_of_crowd``. The next member is the candidate whose weakest test is the strongest,
    or if ``by_association`` the one that depends most on the target given nothing. Members are
    removed after every addition if ``interleaved``, else in the end.
    """

    target: int
    candidates: Annotated[IntArray, "const(int64[::1])"]
    tie_rank: Annotated[IntArray, "const(int64[::1])"]
    name_rank: Annotated[IntArray, "const(int64[::1])"]
    log_alpha: float
    max_given: int
    crowd: int
    max_given_of_crowd: int
    by_association: bool
    interleaved: bool


class Tests(NamedTuple):
    """Variables, each with the values of a test and its conditioning set, padded with -1."""

    x: Annotated[IntArray, "int64[::1]"]
    values: Annotated[FloatArray, "float64[:, ::1]"]
    sets: Annotated[IntArray, "int64[:, ::1]"]

    @classmethod
    def of(cls, n: int, size: int) -> Tests:
        """Make room for so many tests with sets of a size."""
        return cls(
            np.empty(n, dtype=np.int64),
            np.empty((n, N_VALUES)),
            np.empty((n, size), dtype=np.int64),
        )


class AdjacentRecord(NamedTuple):
    """Where a search is, and everything that happened.

    ``alone`` has the tests given nothing, in the order of the candidates; ``open`` and ``members``
    each one's weakest test so far; ``weakest`` those of the step, of which ``is_asked`` says
    whether there is one.
    """

    cursor: Annotated[IntArray, "int64[::1]"]
    alone: Annotated[FloatArray, "float64[:, ::1]"]
    open: Tests
    members: Tests
    weakest: Tests
    is_asked: Annotated[BoolArray, "boolean[::1]"]
    is_open: Annotated[BoolArray, "boolean[::1]"]
    pool: Annotated[IntArray, "int64[::1]"]
    positions: Annotated[IntArray, "int64[::1]"]
    subset: Annotated[IntArray, "int64[::1]"]
    kinds: Annotated[IntArray, "int64[::1]"]
    events: Tests

    @classmethod
    def of(cls, n_candidates: int, max_given: int) -> AdjacentRecord:
        """Make room for a search among so many candidates."""
        n, size = n_candidates, max(1, max_given)
        return cls(
            np.zeros(_N_CURSOR, dtype=np.int64),
            np.empty((n, N_VALUES)),
            Tests.of(n, size),
            Tests.of(n, size),
            Tests.of(n, size),
            np.empty(n, dtype=np.bool_),
            np.empty(n, dtype=np.bool_),
            np.empty(n, dtype=np.int64),
            np.empty(size, dtype=np.int64),
            np.empty(size, dtype=np.int64),
            np.empty(2 * n, dtype=np.int64),
            Tests.of(2 * n, size),
        )


@kernel("void(Tests, int64, Tests, int64)", inner=True)
def _copy_test(source, i, out, j):
    """Copy one test to another place."""
    out.x[j] = source.x[i]
    copy_values(source.values[i], out.values[j])
    for k in range(source.sets.shape[1]):
        out.sets[j, k] = source.sets[i, k]


@kernel("void(AdjacentRecord, int64, Tests, int64)", inner=True)
def _note(record, kind, tests, i):
    """Write down what happens because of a test."""
    n = record.cursor[N_EVENTS]
    record.kinds[n] = kind
    _copy_test(tests, i, record.events, n)
    record.cursor[N_EVENTS] = n + 1


@kernel("boolean(AdjacentQuestion, Tests, int64, int64)", inner=True)
def _is_stronger(question, tests, i, j):
    """Whether test i is before j: by log p, then by statistic, then by rank."""
    a, b = tests.values[i], tests.values[j]
    if a[LOG_P] != b[LOG_P]:
        return a[LOG_P] < b[LOG_P]
    if abs(a[STATISTIC]) != abs(b[STATISTIC]):
        return abs(a[STATISTIC]) > abs(b[STATISTIC])
    return question.tie_rank[tests.x[i]] < question.tie_rank[tests.x[j]]


@kernel("void(AdjacentQuestion, AdjacentRecord)", inner=True)
def _sort_open(question, record):
    """Put the open candidates in the order of their strength (Shell's sort, in place)."""
    tests, n, spare = record.open, record.cursor[N_OPEN], record.weakest
    gap = 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            j = i
            while j >= gap and _is_stronger(question, tests, j, j - gap):
                _copy_test(tests, j, spare, 0)
                _copy_test(tests, j - gap, tests, j)
                _copy_test(spare, 0, tests, j - gap)
                j -= gap
        gap //= 3


@kernel(
    "void(Columns, Judging, AdjacentQuestion, TestRoom, UniTuple(ResultTable, 2), AdjacentRecord)",
    inner=True,
)
def _test_alone(columns, judging, question, room, tables, record):
    """Test all candidates given nothing; those that depend on the target are open, in order."""
    listed = room.listed
    for k in range(record.subset.shape[0]):
        record.subset[k] = -1
    begin_list(listed)
    begin_set(listed, record.subset)
    for b in range(question.candidates.shape[0]):
        list_test(listed, tables, (question.candidates[b], question.target), b)
    make_tests(columns, judging, question.target, room)
    n_open = 0
    for b in range(question.candidates.shape[0]):
        count_test(listed, tables[1], question.target, b)
        values = listed.values[b]
        copy_values(values, record.alone[b])
        if is_dependent(values, question.log_alpha):
            record.open.x[n_open] = question.candidates[b]
            copy_values(values, record.open.values[n_open])
            for k in range(record.subset.shape[0]):
                record.open.sets[n_open, k] = -1
            n_open += 1
    record.cursor[N_OPEN] = n_open
    record.cursor[SPENT] += question.candidates.shape[0]
    _sort_open(question, record)


@kernel("int64(AdjacentQuestion, AdjacentRecord, int64)", inner=True)
def _fill_pool(question, record, newest):
    """Put the members other than the newest in the order of names; return how many these are."""
    n_pool = 0
    for i in range(record.cursor[N_MEMBERS]):
        z = record.members.x[i]
        if z == newest:
            continue
        j = n_pool
        while j > 0 and question.name_rank[record.pool[j - 1]] > question.name_rank[z]:
            record.pool[j] = record.pool[j - 1]
            j -= 1
        record.pool[j] = z
        n_pool += 1
    return n_pool


@kernel("void(AdjacentQuestion, AdjacentRecord, int64, int64)", inner=True)
def _fill_subset(question, record, size, newest):
    """Write the set of some positions of the pool and the newest, in the order of names."""
    n = 0
    is_in = newest < 0
    for i in range(size):
        z = record.pool[record.positions[i]]
        if not is_in and question.name_rank[newest] < question.name_rank[z]:
            record.subset[n] = newest
            n += 1
            is_in = True
        record.subset[n] = z
        n += 1
    if not is_in:
        record.subset[n] = newest
        n += 1
    for i in range(n, record.subset.shape[0]):
        record.subset[i] = -1


@kernel("boolean(AdjacentRecord, int64, int64)", inner=True)
def _next_positions(record, size, n_pool):
    """Go on to the next combination in lexicographic order; return whether there is one."""
    positions = record.positions
    i = size - 1
    while i >= 0 and positions[i] == n_pool - size + i:
        i -= 1
    if i < 0:
        return False
    positions[i] += 1
    for j in range(i + 1, size):
        positions[j] = positions[j - 1] + 1
    return True


@kernel(
    "void(AdjacentQuestion, UniTuple(ResultTable, 2), AdjacentRecord, Listed, int64)", inner=True
)
def _list_set(question, tables, record, listed, n_asked):
    """List the tests of all that are asked about and not separated yet, given the set."""
    begin_set(listed, record.subset)
    for b in range(n_asked):
        x = record.weakest.x[b]
        if record.is_open[b] and not holds(record.subset, x):
            list_test(listed, tables, (x, question.target), b)


@kernel("int64(AdjacentQuestion, ResultTable, AdjacentRecord, Listed, int64)", inner=True)
def _take_answers(question, fresh, record, listed, n_open):
    """Go through the tests that are listed, in order; return how many none has separated."""
    weakest = record.weakest
    for i in range(listed.n[N_TESTS]):
        b = listed.asked[i]
        if not record.is_open[b]:  # by a set that is listed, too
            continue
        record.cursor[SPENT] += 1
        count_test(listed, fresh, question.target, i)
        values = listed.values[i]
        if not record.is_asked[b] or is_weaker(values, weakest.values[b], question.log_alpha):
            copy_values(values, weakest.values[b])
            for k in range(weakest.sets.shape[1]):
                weakest.sets[b, k] = listed.sets[listed.of_set[i], k]
            record.is_asked[b] = True
        if is_independent(values, question.log_alpha):
            record.is_open[b] = False
            n_open -= 1
    return n_open


@kernel(
    "void(Columns, Judging, AdjacentQuestion, TestRoom, UniTuple(ResultTable, 2),"
    " AdjacentRecord, UniTuple(int64, 3))",
    inner=True,
)
def _try_sets(columns, judging, question, room, tables, record, step):
    """Find the weakest test of all that are asked about over the sets of a step.

    ``step`` is how many are asked about, which member all sets hold (-1 for none), and how large
    sets may be. The others of a set are members, smaller sets first and then in the order of names.
    """
    n_asked, newest, max_given = step
    for b in range(n_asked):
        record.is_open[b] = True
        record.is_asked[b] = False
    n_open, n_at_once = n_asked, 1
    n_pool = _fill_pool(question, record, newest)
    n_free = min(n_pool, max_given - (newest >= 0))
    for size in range(n_free + 1):
        for i in range(size):
            record.positions[i] = i
        goes_on = True
        while goes_on:
            begin_list(room.listed)
            while goes_on and has_room(room.listed, n_at_once, n_open):
                _fill_subset(question, record, size, newest)
                _list_set(question, tables, record, room.listed, n_asked)
                goes_on = _next_positions(record, size, n_pool)
            make_tests(columns, judging, question.target, room)
            n_left = _take_answers(question, tables[1], record, room.listed, n_open)
            if n_left == 0:
                return
            n_at_once = n_sets_at_once(room, n_at_once, n_left < n_open)
            n_open = n_left


@kernel("int64(AdjacentQuestion, int64)", inner=True)
def _max_given_of(question, n_pool):
    """Return the largest conditioning set from a pool of this size."""
    return question.max_given_of_crowd if n_pool > question.crowd else question.max_given


@kernel(
    "void(Columns, Judging, AdjacentQuestion, TestRoom, UniTuple(ResultTable, 2),"
    " AdjacentRecord, int64)",
    inner=True,
)
def _remove_separable(columns, judging, question, room, tables, record, newest):
    """Remove members that a set of the others separates; keep the weakest tests of the rest."""
    members, weakest, n = record.members, record.weakest, record.cursor[N_MEMBERS]
    n_asked = 0
    for i in range(n):
        if members.x[i] != newest:
            weakest.x[n_asked] = members.x[i]
            n_asked += 1
    if n_asked == 0 or (newest >= 0 and question.max_given < 1):
        return
    step = (n_asked, newest, _max_given_of(question, n))
    _try_sets(columns, judging, question, room, tables, record, step)
    n_kept = b = 0
    for i in range(n):
        is_kept = True
        if members.x[i] != newest:
            if record.is_asked[b]:
                values = weakest.values[b]
                if is_independent(values, question.log_alpha):
                    _note(record, REMOVED, weakest, b)
                    is_kept = False
                elif (
                    is_dependent(values, question.log_alpha)
                    and values[LOG_P] > members.values[i, LOG_P]
                ):
                    _copy_test(weakest, b, members, i)
            b += 1
        if is_kept:
            if n_kept < i:
                _copy_test(members, i, members, n_kept)
            n_kept += 1
    record.cursor[N_MEMBERS] = n_kept


@kernel("int64(AdjacentQuestion, AdjacentRecord)", inner=True)
def _admit(question, record):
    """Make the strongest candidate, or the first, a member; return which it is."""
    open_, cursor = record.open, record.cursor
    best = 0
    if not question.by_association:
        for b in range(1, cursor[N_OPEN]):
            if _is_stronger(question, open_, b, best):
                best = b
    _copy_test(open_, best, record.members, cursor[N_MEMBERS])
    cursor[N_MEMBERS] += 1
    _note(record, ADMITTED, open_, best)
    newest = open_.x[best]
    for b in range(best + 1, cursor[N_OPEN]):
        _copy_test(open_, b, open_, b - 1)
    cursor[N_OPEN] -= 1
    return newest


@kernel(
    "void(Columns, Judging, AdjacentQuestion, TestRoom, UniTuple(ResultTable, 2),"
    " AdjacentRecord, int64)",
    inner=True,
)
def _drop_separable(columns, judging, question, room, tables, record, newest):
    """Try all sets with the newest member on the open candidates; drop those that one separates."""
    open_, weakest, n_open = record.open, record.weakest, record.cursor[N_OPEN]
    max_given = _max_given_of(question, record.cursor[N_MEMBERS] - 1)
    if n_open == 0 or max_given < 1:
        return
    for b in range(n_open):
        weakest.x[b] = open_.x[b]
    step = (n_open, newest, max_given)
    _try_sets(columns, judging, question, room, tables, record, step)
    n_left = 0
    for b in range(n_open):
        if is_weaker(weakest.values[b], open_.values[b], question.log_alpha):
            _copy_test(weakest, b, open_, b)
        if is_independent(open_.values[b], question.log_alpha):
            _note(record, SEPARATED, open_, b)
            continue
        if n_left < b:
            _copy_test(open_, b, open_, n_left)
        n_left += 1
    record.cursor[N_OPEN] = n_left


@kernel("float64(int64, int64)", inner=True)
def _n_sets(n_pool, max_given):
    """How many sets of up to so many variables of a pool there are."""
    total = ways = 1.0
    for size in range(1, min(n_pool, max_given) + 1):
        ways *= (n_pool - size + 1) / size
        total += ways
    return total


@kernel("float64(AdjacentQuestion, AdjacentRecord)", inner=True)
def _most_tests(question, record):
    """How many tests the next step makes at most."""
    stage, n_open = record.cursor[STAGE], record.cursor[N_OPEN]
    n_members = record.cursor[N_MEMBERS]
    if stage == GIVEN_NOTHING:
        return float(question.candidates.shape[0])
    if stage == SHRINKING:
        return n_members * _n_sets(n_members, _max_given_of(question, n_members))
    n_asked = n_open + (n_members if question.interleaved else 0)
    return n_asked * _n_sets(n_members, question.max_given - 1)


@kernel(
    "void(Columns, Judging, AdjacentQuestion, TestRoom, UniTuple(ResultTable, 2), AdjacentRecord,"
    " int64, boolean)"
)
def search_adjacent(columns, judging, question, room, tables, record, budget, is_full):
    """Go on with a search until it is done, or has to come back.

    Tests are looked up in both of ``tables``, and new ones are stored in the second. Where it may
    be too small for the next step, unless it is said to be as large as it gets, the most tests that
    there may be stand in the record; ``budget`` is how many may be made before coming back.
    """
    cursor, fresh = record.cursor, tables[1]
    cursor[SPENT] = 0
    while cursor[STAGE] != DONE and cursor[SPENT] <= budget:
        wanted = _most_tests(question, record)
        if not is_full and 2.0 * (fresh.counters[STORED] + wanted) > fresh.keys.shape[1]:
            cursor[N_WANTED] = np.int64(min(wanted, 1e15))
            return
        if cursor[STAGE] == GIVEN_NOTHING:
            _test_alone(columns, judging, question, room, tables, record)
            cursor[STAGE] = GROWING
        elif cursor[STAGE] == SHRINKING:
            _remove_separable(columns, judging, question, room, tables, record, -1)
            cursor[STAGE] = DONE
        elif cursor[N_OPEN] > 0:
            newest = _admit(question, record)
            if question.interleaved:
                _remove_separable(columns, judging, question, room, tables, record, newest)
            _drop_separable(columns, judging, question, room, tables, record, newest)
        else:
            cursor[STAGE] = DONE if question.interleaved else SHRINKING
    cursor[N_WANTED] = 0
