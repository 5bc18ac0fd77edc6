"""All candidates against all subsets of a step, p-values included, in one compiled call.

On small tables the cost of a test is Python, not counting. This kernel does a whole step of a
parents-and-children search: for each conditioning set it splits the rows into strata (as bit
masks, only those that can say anything), and for each candidate that is still open it looks the
test up in the cache or counts it, and keeps the one with the largest p-value. The numbers are those
of ``judge_block``, to the last bit.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray, WordArray
from eiderdown.data.blocks import MAX_PLANE_CATEGORIES
from eiderdown.independence.batch import LOG_P, N_VALUES
from eiderdown.independence.kernels.cache import (
    ResultTable,  # noqa: F401  stands in signatures
    cannot_say,
    copy_values,
    hash_of_set,
    is_independent,
    is_recalled,
    key_of,
    store_new,
)
from eiderdown.independence.kernels.contingency import (
    LEAST_ROWS,
    Rules,
    Tally,
    add_stratum,
    judge,
    judge_sums,
    n_log_n_of,
)
from eiderdown.independence.kernels.moments import (
    N_SUMS,
    Exact,
    Room,
    begin_stratum,
    scales_for,
)
from eiderdown.kernels import kernel
from eiderdown.machine_functions import popcount

_ALL_BITS = np.uint64(0xFFFFFFFFFFFFFFFF)


class Columns(NamedTuple):
    """Bit planes, each column's first plane, and its number of categories."""

    planes: Annotated[WordArray, "const(uint64[:, ::1])"]
    first: Annotated[IntArray, "const(int64[::1])"]
    n_categories: Annotated[IntArray, "const(int64[::1])"]


class Judging(NamedTuple):
    """How counts become a judged test: by rules for G2 or X2, or by exact moments for X2."""

    rules: Rules
    exact: Exact
    calibrated: bool
    pearson: bool


class Step(NamedTuple):
    """What a step asks: candidates against a target over sets, the rows of ``subsets`` (-1 pads).

    A candidate is done when a set separates it from the target: log p above ``log_alpha``.
    """

    candidates: Annotated[IntArray, "const(int64[::1])"]
    target: int
    subsets: Annotated[IntArray, "const(int64[:, ::1])"]
    log_alpha: float


class Workspace(NamedTuple):
    """Masks and tables that one call reuses for every set.

    ``cells`` and ``sizes`` are those of the target's categories in the first stratum, then those in
    the second, and so on.
    """

    strata: Annotated[WordArray, "uint64[:, ::1]"]
    finer: Annotated[WordArray, "uint64[:, ::1]"]
    cells: Annotated[WordArray, "uint64[:, ::1]"]
    sizes: Annotated[IntArray, "int64[::1]"]
    table: Annotated[IntArray, "int64[:, ::1]"]
    values: Annotated[FloatArray, "float64[::1]"]
    is_open: Annotated[BoolArray, "boolean[::1]"]
    room: Room


def workspace_for(columns: Columns, step: Step, n_rows: int) -> Workspace:
    """Make room for the strata of the largest set of a step."""
    categories = np.where(step.subsets >= 0, columns.n_categories[step.subsets], 1)
    n_strata = int(np.minimum(categories.prod(axis=1, dtype=np.float64), n_rows).max(initial=1.0))
    n_target = int(columns.n_categories[step.target])
    return workspace_of(columns, n_strata, n_target, len(step.candidates))


def workspace_of(columns: Columns, n_strata: int, n_target: int, n_candidates: int) -> Workspace:
    """Make room for so many strata, a target of so many categories, and candidates."""
    return workspace_of_cells(columns, n_strata, n_strata * n_target, n_target, n_candidates)


def workspace_of_cells(
    columns: Columns, n_strata: int, n_cells: int, n_target: int, n_candidates: int
) -> Workspace:
    """Make room for strata and cells of them, of targets of up to so many categories."""
    n_words = columns.planes.shape[1]
    n_strata += 1  # a part is written before it is known to be empty
    n_cells += n_target
    return Workspace(
        np.empty((n_strata, n_words), dtype=np.uint64),
        np.empty((n_strata, n_words), dtype=np.uint64),
        np.empty((n_cells, n_words), dtype=np.uint64),
        np.empty(n_cells, dtype=np.int64),
        np.empty((n_target, MAX_PLANE_CATEGORIES), dtype=np.int64),
        np.empty(N_VALUES),
        np.ones(n_candidates, dtype=np.bool_),
        Room.of(n_strata, n_candidates),
    )


@kernel("int64(uint64[::1], Columns, int64, int64, uint64[::1])", inner=True)
def _cut(mask, columns, column, category, part):
    """Write mask & (column == category) to ``part`` and return how many rows it has."""
    first = columns.first[column]
    if category > 0:
        plane = columns.planes[first + category - 1]
        for w in range(part.shape[0]):
            part[w] = mask[w] & plane[w]
    else:
        for w in range(part.shape[0]):
            part[w] = mask[w]
        for other in range(1, columns.n_categories[column]):
            plane = columns.planes[first + other - 1]
            for w in range(part.shape[0]):
                part[w] &= ~plane[w]
    rows = np.uint64(0)
    for w in range(part.shape[0]):
        rows += popcount(part[w])
    return np.int64(rows)


@kernel("void(uint64[::1], int64)", inner=True)
def _all_rows(mask, n_rows):
    """Set the bits of all rows, and none of the padding."""
    for w in range(mask.shape[0]):
        mask[w] = _ALL_BITS
    if n_rows % 64:
        mask[mask.shape[0] - 1] >>= np.uint64(64 - n_rows % 64)


@kernel("UniTuple(int64, 2)(Columns, int64, int64, const(int64[::1]), Workspace)", inner=True)
def _informative_cells(columns, n_rows, target, subset, workspace):
    """Cut the rows by the subset, then by the target; keep strata where the target varies.

    Returns how many are kept, and how many there are.
    """
    coarse, fine = workspace.strata, workspace.finer
    _all_rows(coarse[0], n_rows)
    n_strata = 1
    for i in range(subset.shape[0]):
        z = subset[i]
        if z < 0:
            continue
        n_finer = 0
        for s in range(n_strata):
            for category in range(columns.n_categories[z]):
                n_finer += _cut(coarse[s], columns, z, category, fine[n_finer]) > 0
        coarse, fine = fine, coarse
        n_strata = n_finer
    n_kept = 0
    n_target = columns.n_categories[target]
    for s in range(n_strata):
        seen = 0
        for category in range(n_target):
            cell = n_kept * n_target + category
            rows = _cut(coarse[s], columns, target, category, workspace.cells[cell])
            workspace.sizes[cell] = rows
            seen += rows > 0
        n_kept += seen > 1
    return n_kept, n_strata


@kernel("void(Columns, int64, uint64[:, ::1], int64[::1], int64[:, ::1])", inner=True)
def _count_stratum(columns, x, cells, sizes, table):
    """Fill the table (target category, x category) of one stratum."""
    first = columns.first[x]
    for t in range(sizes.shape[0]):
        rest = sizes[t]
        cell = cells[t]
        for category in range(1, columns.n_categories[x]):
            count = np.uint64(0)
            if rest > 0:
                plane = columns.planes[first + category - 1]
                for w in range(cell.shape[0]):
                    count += popcount(plane[w] & cell[w])
            table[t, category] = np.int64(count)
            rest -= np.int64(count)
        table[t, 0] = rest


@kernel("Tally(Columns, Rules, int64, int64, int64, Workspace)", inner=True)
def _tallied(columns, rules, x, n_target, n_kept, workspace):
    """Sum over the strata of one candidate, as ``judge_block`` does."""
    table = workspace.table
    total = freedom = informative = thin = 0
    for s in range(n_kept):
        first, end = s * n_target, (s + 1) * n_target
        sizes = workspace.sizes[first:end]
        _count_stratum(columns, x, workspace.cells[first:end], sizes, table)
        x_seen = part = 0
        for category in range(columns.n_categories[x]):
            column = 0
            for t in range(sizes.shape[0]):
                column += table[t, category]
                part += n_log_n_of(rules, table[t, category])
            part -= n_log_n_of(rules, column)
            x_seen += column > 0
        rows = target_seen = 0
        for t in range(sizes.shape[0]):
            part -= n_log_n_of(rules, sizes[t])
            rows += sizes[t]
            target_seen += sizes[t] > 0
        local = (x_seen - 1) * (target_seen - 1)
        if local == 0:
            continue
        if rows < rules.min_rows_of_stratum * local:
            thin += rows
            continue
        informative += rows
        total += part + n_log_n_of(rules, rows)
        freedom += local
    return Tally(total, freedom, informative, thin)


@kernel("void(Columns, Rules, UniTuple(int64, 2), const(int64[::1]), int64, Workspace)", inner=True)
def _judge_g_square(columns, rules, pair, subset, n_kept, workspace):
    """Write the values of one candidate, as ``judge_block`` does."""
    x, target = pair
    n_x, n_target = columns.n_categories[x], columns.n_categories[target]
    tally = _tallied(columns, rules, x, n_target, n_kept, workspace)
    judge(rules, tally, n_x, n_target, n_strata_of(columns, subset), workspace.values)


@kernel("void(Columns, Exact, int64, int64, UniTuple(int64, 2), Workspace)", inner=True)
def _judge_calibrated(columns, exact, x, target, n_strata, workspace):
    """Write the values of one candidate, as ``judge_calibrated`` does."""
    n_x, n_target, room = columns.n_categories[x], columns.n_categories[target], workspace.room
    scales = scales_for(exact, n_x, n_target)
    for i in range(N_SUMS):
        room.sums[i] = 0
    thin = 0
    for s in range(n_strata[0]):
        first, end = s * n_target, (s + 1) * n_target
        sizes = workspace.sizes[first:end]
        _count_stratum(columns, x, workspace.cells[first:end], sizes, workspace.table)
        thin += add_stratum(exact, scales, room, s, workspace.table, sizes, n_x)
    are_thick = thin == 0 and exact.n_rows >= LEAST_ROWS * n_strata[1]
    judge_sums(exact, scales, room, are_thick, workspace.values)


@kernel(
    "UniTuple(int64, 2)(Columns, Judging, UniTuple(int64, 2), const(int64[::1]),"
    " UniTuple(int64, 2), Workspace)",
    inner=True,
)
def judge_planes(columns, judging, pair, subset, n_strata, workspace):
    """Write the values of one candidate; cut the rows first, if that is not done yet."""
    x, target = pair
    n_target = columns.n_categories[target]
    if n_strata[0] < 0:
        n_strata = _informative_cells(columns, judging.rules.n_rows, target, subset, workspace)
        for s in range(n_strata[0] if judging.calibrated else 0):
            sizes = workspace.sizes[s * n_target : (s + 1) * n_target]
            begin_stratum(judging.exact, workspace.room, s, sizes)
    if judging.calibrated:
        _judge_calibrated(columns, judging.exact, x, target, n_strata, workspace)
    else:
        _judge_g_square(columns, judging.rules, pair, subset, n_strata[0], workspace)
    return n_strata


@kernel(
    "void(Columns, Judging, const(int64[:, ::1]), const(int64[:, ::1]), Workspace, float64[:, ::1])"
)
def answer_pairs(columns, judging, pairs, subsets, workspace, values):
    """Fill the values of tests of pairs (x, target), each given its own row of ``subsets``."""
    for i in range(pairs.shape[0]):
        pair = (pairs[i, 0], pairs[i, 1])
        judge_planes(columns, judging, pair, subsets[i], (-1, 0), workspace)
        copy_values(workspace.values, values[i])


@kernel("boolean(const(int64[::1]), int64)", inner=True)
def holds(subset, x):
    """Whether a set has a variable."""
    found = False
    for i in range(subset.shape[0]):
        found |= subset[i] == x
    return found


@kernel("float64(Columns, const(int64[::1]))", inner=True)
def n_strata_of(columns, subset):
    """Product of the categories of a set."""
    product = 1.0
    for i in range(subset.shape[0]):
        if subset[i] >= 0:
            product *= columns.n_categories[subset[i]]
    return product


@kernel("boolean(float64[::1], float64[::1], float64)", inner=True)
def is_weaker(values, kept, log_alpha):
    """Whether a test is decided, and the one kept so far is not or has a smaller p-value."""
    if cannot_say(values, log_alpha):
        return False
    return cannot_say(kept, log_alpha) or values[LOG_P] > kept[LOG_P]


def _is_short(
    _columns: Columns, _judging: Judging, step: Step, workspace: Workspace, *_others: object
) -> bool:
    return len(step.candidates) * len(step.subsets) * workspace.cells.size <= 1_000_000


@kernel(
    "void(Columns, Judging, Step, Workspace, UniTuple(ResultTable, 2), float64[:, ::1],"
    " int64[::1])",
    small=_is_short,
)
def max_p_over_subsets(columns, judging, step, workspace, tables, values, chosen):
    """Fill each candidate's decided test with the largest p-value, stopping where a set separates.

    A candidate skips the sets that hold it. ``values`` (zeros at first) gets the values of the test
    and ``chosen`` the row of its set, -1 for none. A candidate without a decided test gets its
    first one. Tests are looked up in the first of ``tables`` and new ones stored in the second,
    which may be the same; threads have a second one each.
    """
    target = step.target
    out, is_open = workspace.values, workspace.is_open
    n_open = step.candidates.shape[0]
    for b in range(n_open):
        chosen[b] = -1
    for k in range(step.subsets.shape[0]):
        if n_open == 0:
            return
        subset = step.subsets[k]
        of_set = hash_of_set(subset)
        n_strata = (-1, 0)
        for b in range(step.candidates.shape[0]):
            x = step.candidates[b]
            if not is_open[b] or holds(subset, x):
                continue
            key = key_of(x, target, of_set)
            if not is_recalled(tables, key, out):
                n_strata = judge_planes(columns, judging, (x, target), subset, n_strata, workspace)
                store_new(tables[1], key, out)
            if chosen[b] < 0 or is_weaker(out, values[b], step.log_alpha):
                copy_values(out, values[b])
                chosen[b] = k
            if is_independent(out, step.log_alpha):
                is_open[b] = False
                n_open -= 1
