"""Searches for who is adjacent around many targets, shared out to threads, in one compiled call.

Each thread works in a *lane* of its own and takes the next target when it is done with one. What it
finds is copied to a place of that target's own (:class:`Told`), and the tests that it made to the
lane's log (:class:`Log`), so that nothing depends on who searches around whom. A search knows
nothing of the others but the tests given nothing, which are the same from either side: these are
made first, each pair once, and tell which searches are likely to be long, so that they come first.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from eiderdown.arrays import BoolArray, ByteArray, FloatArray, IntArray, WordArray, frozen
from eiderdown.boundary.kernels.adjacent import (
    DONE,
    N_EVENTS,
    N_MEMBERS,
    N_WANTED,
    SPENT,
    STAGE,
    AdjacentQuestion,
    AdjacentRecord,
    Tests,
    search_adjacent,
)
from eiderdown.data.blocks import MAX_PLANE_CATEGORIES
from eiderdown.independence.batch import ALLOWS, N_VALUES
from eiderdown.independence.kernels.cache import (
    N_COUNTERS,
    STORED,
    YOUNG,
    ResultTable,
    copy_results,
    copy_values,
)
from eiderdown.independence.kernels.moments import Room
from eiderdown.independence.kernels.subsets import (
    Columns,
    Judging,
    Workspace,
)
from eiderdown.instructions import add_to_word
from eiderdown.kernels import kernel
from eiderdown.work_sharing import share

ALONE, SEARCHING = range(2)
"""What is done: tests given nothing, or all the rest."""

ITEM, TABLE, SLOTS, LOGGED, SLOTS_WANTED, ROWS_WANTED = range(6)
"""Where a lane is: its search (-1 for none), which of two tables it has and how large that is, how
many rows of the log it has, and how many slots or rows it needs before it can go on."""
_N_PLACE = 6

OF_EVENTS, OF_MEMBERS, OF_TESTS, OF_LANE, OF_FIRST, IS_DONE = range(6)
"""What is known of a search that is done: how much it told, and where its tests are."""
_N_MARKS = 6

_APART = 64
"""Words, at least, between what two lanes write to all the time, so that no cache line has both."""

_OPEN, _MEMBERS, _WEAKEST, _EVENTS, _OTHERS, _SPARE = range(6)
_KINDS, _CANDIDATES = 5, 6
_POSITIONS, _SUBSET = range(2)


class Targets(NamedTuple):
    """Around whom to search, in which order, and what is known of each.

    ``columns`` are all columns that take part, ``targets`` positions among them, and ``place`` the
    position of each among the targets, -1 for those that are none. ``alone`` has the tests of a
    target and all columns given nothing. ``order`` says who is next, ``n_begun`` how many are
    begun, and ``spent`` how many tests each lane has made, -1 for one in which nobody works.
    """

    columns: Annotated[IntArray, "const(int64[::1])"]
    targets: Annotated[IntArray, "const(int64[::1])"]
    place: Annotated[IntArray, "const(int64[::1])"]
    order: Annotated[IntArray, "int64[::1]"]
    n_begun: Annotated[IntArray, "int64[::1]"]
    spent: Annotated[IntArray, "int64[::1]"]
    alone: Annotated[FloatArray, "float64[:, :, ::1]"]


class Lanes(NamedTuple):
    """Where threads work: the record, the workspace and the tables of each, behind each other."""

    place: Annotated[IntArray, "int64[:, ::1]"]
    cursor: Annotated[IntArray, "int64[:, ::1]"]
    x: Annotated[IntArray, "int64[:, :, ::1]"]
    values: Annotated[FloatArray, "float64[:, :, :, ::1]"]
    sets: Annotated[IntArray, "int64[:, :, :, ::1]"]
    flags: Annotated[BoolArray, "boolean[:, :, ::1]"]
    subsets: Annotated[IntArray, "int64[:, :, ::1]"]
    strata: Annotated[WordArray, "uint64[:, :, :, ::1]"]
    cells: Annotated[WordArray, "uint64[:, ::1]"]
    sizes: Annotated[IntArray, "int64[:, ::1]"]
    table: Annotated[IntArray, "int64[:, :, ::1]"]
    counts: Annotated[IntArray, "int64[:, :, :, ::1]"]
    shapes: Annotated[FloatArray, "float64[:, :, :, ::1]"]
    coefficients: Annotated[FloatArray, "float64[:, :, :, ::1]"]
    sums: Annotated[IntArray, "int64[:, :, ::1]"]
    known_sums: Annotated[IntArray, "int64[:, :, :, ::1]"]
    known_tails: Annotated[FloatArray, "float64[:, :, ::1]"]
    counters: Annotated[IntArray, "int64[:, ::1]"]


class Made(NamedTuple):
    """Two tables of tests for each lane, of which a search that needs a larger one fills the other.

    A search uses as many slots as it needs, because all of them are looked at in the end.
    """

    keys: Annotated[WordArray, "uint64[:, :, ::1]"]
    values: Annotated[FloatArray, "float64[:, :, :, ::1]"]
    generations: Annotated[ByteArray, "uint8[:, :, ::1]"]

    @classmethod
    def of(cls, n_lanes: int, n_slots: int) -> Made:
        """Make room for so many lanes and slots."""
        return cls(
            np.zeros((n_lanes, 2, 2 * n_slots), dtype=np.uint64),
            np.empty((n_lanes, 2, n_slots, N_VALUES)),
            np.zeros((n_lanes, 2, n_slots), dtype=np.uint8),
        )


class Log(NamedTuple):
    """The tests of the searches that each lane has done, one behind the other."""

    keys: Annotated[WordArray, "uint64[:, :, ::1]"]
    values: Annotated[FloatArray, "float64[:, :, ::1]"]

    @classmethod
    def of(cls, n_lanes: int, n_tests: int) -> Log:
        """Make room for so many lanes and tests."""
        return cls(
            np.empty((n_lanes, 2, n_tests), dtype=np.uint64), np.empty((n_lanes, n_tests, N_VALUES))
        )


class Told(NamedTuple):
    """What searches found: each its events, then its members, from the row ``first`` on."""

    first: Annotated[IntArray, "const(int64[::1])"]
    marks: Annotated[IntArray, "int64[:, ::1]"]
    counters: Annotated[IntArray, "int64[:, ::1]"]
    kinds: Annotated[IntArray, "int64[::1]"]
    tests: Tests

    @classmethod
    def of(cls, n_rows: IntArray, size: int) -> Told:
        """Make room for so many rows of each search."""
        first = np.concatenate([[0], np.cumsum(n_rows)]).astype(np.int64)
        n = int(first[-1])
        return cls(
            frozen(first),
            np.zeros((len(n_rows), _N_MARKS), dtype=np.int64),
            np.zeros((len(n_rows), N_COUNTERS), dtype=np.int64),
            np.empty(n, dtype=np.int64),
            Tests.of(n, size),
        )


class Searches(NamedTuple):
    """All that lanes read and write; ``question`` is that of any target."""

    columns: Columns
    judging: Judging
    question: AdjacentQuestion
    targets: Targets
    lanes: Lanes
    made: Made
    log: Log
    told: Told


def lanes_of(
    columns: Columns, n_lanes: int, n_candidates: int, max_given: int, shape: tuple[int, int]
) -> Lanes:
    """Make room for lanes; ``shape`` is the most strata, and the most categories of a target."""
    n, size, n_words = n_candidates, max(1, max_given), columns.planes.shape[1]
    n_strata, n_target = shape[0] + 1, shape[1]  # a part is written before it is known to be empty
    place = np.zeros((n_lanes, _APART), dtype=np.int64)
    place[:, ITEM] = -1
    rooms: list[Any] = [
        np.zeros((n_lanes, 1 + -(-_APART // one.size), *one.shape), dtype=one.dtype)
        for one in Room.of(n_strata, n)
    ]
    return Lanes(  # type: ignore[call-arg]
        place,
        np.zeros((n_lanes, _APART), dtype=np.int64),
        np.empty((n_lanes, 7, 2 * n), dtype=np.int64),
        np.empty((n_lanes, 6, 2 * n, N_VALUES)),
        np.empty((n_lanes, 4, 2 * n, size), dtype=np.int64),
        np.empty((n_lanes, 2, n + 8 * _APART), dtype=np.bool_),
        np.empty((n_lanes, _APART, size), dtype=np.int64),
        np.empty((n_lanes, 2, n_strata, n_words), dtype=np.uint64),
        np.empty((n_lanes, n_strata * n_target * n_words), dtype=np.uint64),
        np.empty((n_lanes, n_strata * n_target + _APART), dtype=np.int64),
        np.empty((n_lanes, n_target + _APART, MAX_PLANE_CATEGORIES), dtype=np.int64),
        *rooms,
        np.zeros((n_lanes, _APART), dtype=np.int64),
    )


@kernel("void(AdjacentRecord, Told, int64)", inner=True)
def _tell(record, told, item):
    """Copy what a search found to its own place."""
    n_events, n_members = record.cursor[N_EVENTS], record.cursor[N_MEMBERS]
    row = told.first[item]
    for i in range(n_events + n_members):
        is_event = i < n_events
        source = record.events if is_event else record.members
        j = i if is_event else i - n_events
        told.kinds[row + i] = record.kinds[j] if is_event else -1
        told.tests.x[row + i] = source.x[j]
        copy_values(source.values[j], told.tests.values[row + i])
        for k in range(source.sets.shape[1]):
            told.tests.sets[row + i, k] = source.sets[j, k]
    told.marks[item, OF_EVENTS] = n_events
    told.marks[item, OF_MEMBERS] = n_members


@kernel("int64(ResultTable, Log, Told, int64, int64, int64)", inner=True)
def _write_log(table, log, told, item, lane, first):
    """Copy the tests of a search to the log of its lane; return where that ends."""
    row = first
    for slot in range(table.keys.shape[1]):
        if table.keys[0, slot] != 0:
            log.keys[lane, 0, row] = table.keys[0, slot]
            log.keys[lane, 1, row] = table.keys[1, slot]
            copy_values(table.values[slot], log.values[lane, row])
            row += 1
    told.marks[item, OF_TESTS] = row - first
    told.marks[item, OF_LANE] = lane
    told.marks[item, OF_FIRST] = first
    for i in range(N_COUNTERS):
        told.counters[item, i] = table.counters[i]
    told.marks[item, IS_DONE] = 1
    return row


@kernel("boolean(Targets, int64, int64)", inner=True)
def _is_tested_here(targets, item, column):
    """Whether no target before this one is about to be tested with a column."""
    return column != targets.targets[item] and not 0 <= targets.place[column] < item


@kernel("int64(Targets, int64, boolean, int64[::1])", inner=True)
def _candidates_of(targets, item, only_here, candidates):
    """List whom to test, all but the target or those tested here; return how many these are."""
    n = 0
    for c in range(targets.columns.shape[0]):
        if _is_tested_here(targets, item, c) if only_here else c != targets.targets[item]:
            candidates[n] = targets.columns[c]
            n += 1
    return n


@kernel("void(Targets, int64, AdjacentRecord)", inner=True)
def _note_alone(targets, item, record):
    """Write the tests given nothing of one target down, for the other one as well."""
    own, n = targets.targets[item], 0
    for c in range(targets.columns.shape[0]):
        other = targets.place[c]
        if _is_tested_here(targets, item, c):
            copy_values(record.alone[n], targets.alone[item, c])
            if other >= 0:
                copy_values(record.alone[n], targets.alone[other, own])
            n += 1


@kernel(
    "void(Targets, int64[::1], AdjacentRecord, int64[::1], uint64[::1], int64, int64)", inner=True
)
def _begin(targets, place, record, counters, keys, what, n_slots):
    """Begin a search with what is known of its target, and with an empty table."""
    n, item = 0, place[ITEM]
    for c in range(targets.columns.shape[0]):
        if c != targets.targets[item]:
            if what == ALONE:
                record.alone[n, ALLOWS] = np.nan
            else:
                copy_values(targets.alone[item, c], record.alone[n])
            n += 1
    record.cursor[:] = 0
    counters[:] = 0
    keys[: 2 * n_slots] = 0
    place[TABLE], place[SLOTS] = 0, n_slots


@kernel("boolean(int64[::1], int64, int64, boolean)", inner=True)
def _goes_on(spent, lane, budget, is_short):
    """Whether this lane has not spent its budget yet, or another has not that may take long.

    One step of a search may be as long as the budgets of others, who make short ones meanwhile.
    """
    if spent[lane] <= budget:
        return True
    for other in range(spent.shape[0] if is_short else 0):
        if 0 <= add_to_word(spent, other, 0) <= budget:
            return True
    return False


@kernel("void(Searches, ResultTable, UniTuple(int64, 5), int64)")
def _go_on(searches, known, how, lane):
    """Search in one lane until nobody is left, the budget is spent, or there is no room.

    ``how`` is what to do, the budget of tests, after how many a lane looks at the others, and with
    how many slots a search begins and at most ends.
    """
    what, budget, slice_, fewest, most = how
    columns, judging, question, targets, lanes, made, log, told = searches
    place = lanes.place[lane]
    x, values, sets = lanes.x[lane], lanes.values[lane], lanes.sets[lane]
    record = AdjacentRecord(
        lanes.cursor[lane],
        values[_OTHERS],
        Tests(x[_OPEN], values[_OPEN], sets[_OPEN]),
        Tests(x[_MEMBERS], values[_MEMBERS], sets[_MEMBERS]),
        Tests(x[_WEAKEST], values[_WEAKEST], sets[_WEAKEST]),
        lanes.flags[lane, 0],
        lanes.flags[lane, 1],
        x[_OTHERS],
        lanes.subsets[lane, _POSITIONS],
        lanes.subsets[lane, _SUBSET],
        x[_KINDS],
        Tests(x[_EVENTS], values[_EVENTS], sets[_EVENTS]),
    )
    while _goes_on(targets.spent, lane, budget, record.cursor[SPENT] <= 4 * slice_):
        if place[ITEM] < 0:
            n = add_to_word(targets.n_begun, 0, 1)
            if n >= targets.order.shape[0]:
                return
            place[ITEM] = targets.order[n]
            _begin(targets, place, record, lanes.counters[lane], made.keys[lane, 0], what, fewest)
        item = place[ITEM]
        n = _candidates_of(targets, item, what == ALONE, x[_CANDIDATES])
        target = targets.columns[targets.targets[item]]
        one = AdjacentQuestion(
            target,
            x[_CANDIDATES, :n],
            question.tie_rank,
            question.name_rank,
            question.log_alpha,
            question.max_given,
            question.crowd,
            question.max_given_of_crowd,
            question.by_association,
            question.interleaved,
        )
        n_strata, n_words = lanes.strata.shape[2], lanes.strata.shape[3]
        n_target = columns.n_categories[target]
        workspace = Workspace(
            lanes.strata[lane, 0],
            lanes.strata[lane, 1],
            lanes.cells[lane, : n_strata * n_target * n_words].reshape(
                (n_strata, n_target, n_words)
            ),
            lanes.sizes[lane, : n_strata * n_target].reshape((n_strata, n_target)),
            lanes.table[lane, :n_target],
            values[_SPARE, 0],
            record.is_open,
            Room(
                lanes.counts[lane, 0],
                lanes.shapes[lane, 0],
                lanes.coefficients[lane, 0],
                lanes.sums[lane, 0],
                lanes.known_sums[lane, 0],
                lanes.known_tails[lane, 0],
            ),
        )
        which, slots = place[TABLE], place[SLOTS]
        fresh = ResultTable(
            made.keys[lane, which, : 2 * slots].reshape((2, slots)),
            made.values[lane, which, :slots],
            made.generations[lane, which, :slots],
            lanes.counters[lane],
        )
        if what == ALONE:
            if n > 0:
                search_adjacent(columns, judging, one, workspace, (known, fresh), record, 0, True)
                _note_alone(targets, item, record)
            add_to_word(targets.spent, lane, n)
            place[ITEM] = -1
            continue
        is_full = slots >= most
        search_adjacent(columns, judging, one, workspace, (known, fresh), record, slice_, is_full)
        add_to_word(targets.spent, lane, record.cursor[SPENT])
        if record.cursor[N_WANTED] > 0:
            wanted = 2 * slots
            while wanted < most and wanted < 2 * (fresh.counters[STORED] + record.cursor[N_WANTED]):
                wanted *= 2
            if wanted > made.generations.shape[2]:
                place[SLOTS_WANTED] = wanted
                return
            keys = made.keys[lane, 1 - which, : 2 * wanted]
            keys[:] = 0
            larger = ResultTable(
                keys.reshape((2, wanted)),
                made.values[lane, 1 - which, :wanted],
                made.generations[lane, 1 - which, :wanted],
                lanes.counters[lane],
            )
            fresh.counters[STORED], fresh.counters[YOUNG] = 0, 0
            copy_results(fresh, larger)
            place[TABLE], place[SLOTS] = 1 - which, wanted
        elif record.cursor[STAGE] == DONE:
            if place[LOGGED] + fresh.counters[STORED] > log.values.shape[1]:
                place[ROWS_WANTED] = place[LOGGED] + fresh.counters[STORED]
                return
            _tell(record, told, item)
            place[LOGGED] = _write_log(fresh, log, told, item, lane, place[LOGGED])
            place[ITEM] = -1


@kernel("void(Searches, ResultTable, UniTuple(int64, 5), int64)")
def _work(searches, known, how, lane):
    """Search in one lane, and say while that is so."""
    spent = searches.targets.spent
    add_to_word(spent, lane, 1)
    _go_on(searches, known, how, lane)
    add_to_word(spent, lane, -1 - add_to_word(spent, lane, 0))


@kernel("void(int64[::1], Searches, ResultTable, UniTuple(int64, 5))")
def search_around(board, searches, known, how):
    """Go on with all lanes, shared out to threads; see :func:`_go_on`."""
    share(board, searches.lanes.place.shape[0], _work, (searches, known, how))
