"""From columns to discrete scores in one compiled call.

Every discrete score is a sum over a family's table, less a penalty that no row decides:

    sum over cells of A(n_cell)  -  sum over strata of B(n_stratum)

with A = B = n ln n for the likelihood, and log-gamma functions for the marginal likelihoods. Both
are tabulated in fixed point: sums of integers do not round, so scores come out the same to the last
bit in whatever order rows, columns and categories come, and equivalent graphs tie exactly.

A *cell* is one category of the child within one stratum of its parents. An empty cell or stratum
adds nothing, so labels need not be gapless. In ``rows`` stand the rows of the tabulated functions
that are meant for cells and for strata; ``answers`` get a sum and the number of strata that occur.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple, Self

import numpy as np

from eiderdown.arrays import FloatArray, IntArray, frozen
from eiderdown.kernels import kernel
from eiderdown.scores import small_tables
from eiderdown.scores.cell_masks import (
    CodedColumns,  # noqa: F401  named in signatures
    count_by_masks,
    cut_masks,
    fill_masks,
    find_cells,
    label_cells,
    label_cut_cells,
    masks_pay,
    n_cut_cells,
    size_masks,
)
from eiderdown.scores.common_terms import TERMS_LOCK, common_terms
from eiderdown.scores.row_shares import (
    are_worth_sharing,
    have_large_masks,
    n_words_at_once,
    place_tables,
)
from eiderdown.scores.shares import COST, END, MOST_ITEMS, START, SWEEP, Costs, cut, estimate
from eiderdown.scores.sweeps import PackedSweeps  # noqa: F401  named in signatures
from eiderdown.work_sharing import n_others, share

_HALF_LOG_2_PI = 0.5 * np.log(2.0 * np.pi)

MOST_TABULATED = 1 << 22
"""The largest count of which n ln n is tabulated."""

_NO_GAMMA = -1.0  # a shift that no prior has

CELL, STRATUM = 0, 1
"""Columns of ``rows``."""


class Terms(NamedTuple):
    """The tabulated functions, one per row, in units of 1 / scale.

    Beyond the table a row is ln Gamma(n + shift) - start, by Stirling's series; or n ln n, where
    the shift says so.
    """

    table: Annotated[IntArray, "const(int64[:, ::1])"]
    shift: Annotated[FloatArray, "const(float64[::1])"]
    start: Annotated[FloatArray, "const(float64[::1])"]
    scale: float


@kernel("int64(Terms, int64, int64)", inner=True)
def term(terms, row, n):
    """Return one tabulated number, or what it would be beyond the table."""
    if n < terms.table.shape[1]:
        return terms.table[row, n]
    if terms.shift[row] == _NO_GAMMA:
        return np.int64(np.rint(n * math.log(n) * terms.scale))
    z = n + terms.shift[row]
    log_gamma = (z - 0.5) * math.log(z) - z + _HALF_LOG_2_PI + 1.0 / (12.0 * z)
    return np.int64(np.rint((log_gamma - terms.start[row]) * terms.scale))


@kernel(
    "void(Terms, const(int64[:, ::1]), int64[::1], int64, UniTuple(int64, 3), int64[:, ::1])",
    inner=True,
)
def _sum_terms(terms, rows, table, b, shape, answers):
    """Answer question ``b`` from a flat table of shape (stratum, child category, x category)."""
    n_strata, n_child, n_x = shape
    total, n_seen = 0, 0
    for s in range(n_strata):
        for x in range(n_x):
            n_stratum = 0
            at = s * n_child * n_x + x
            for _ in range(n_child):
                n = table[at]
                if n > 0:
                    total += term(terms, rows[b, CELL], n)
                    n_stratum += n
                at += n_x
            if n_stratum > 0:
                total -= term(terms, rows[b, STRATUM], n_stratum)
                n_seen += 1
    answers[b, 0] = total
    answers[b, 1] = n_seen


@kernel("void(const(int32[:, :, :, ::1]), Terms, const(int64[:, ::1]), int64[:, ::1])")
def score_tables(counts, terms, rows, answers):
    """Score a block of tables (candidate, stratum, child category, candidate category)."""
    n_tables, n_strata, n_child, n_x = counts.shape
    table = np.empty(n_strata * n_child * n_x, np.int64)
    for b in range(n_tables):
        at = 0
        for s in range(n_strata):
            for c in range(n_child):
                for x in range(n_x):
                    table[at] = counts[b, s, c, x]
                    at += 1
        _sum_terms(terms, rows, table, b, (n_strata, n_child, n_x), answers)


@kernel("void(CodedColumns, int64, int64, const(int32[::1]), int64, int64[::1])", inner=True)
def _count_by_rows(columns, x, first, cells, n_cells, table):
    """Count each category of a column within every cell, in the rows from the first on."""
    row, n_x = columns.row[x], columns.n_categories[x]
    for at in range(n_cells * n_x):
        table[at] = 0
    for i in range(cells.shape[0]):
        table[cells[i] * n_x + columns.codes[row, np.uint64(first + i)]] += 1


@kernel("void(const(int32[::1]), int64, int64[::1])", inner=True)
def _count_cells(cells, n_cells, table):
    for cell in range(n_cells):
        table[cell] = 0
    for i in range(cells.shape[0]):
        table[cells[i]] += 1


@kernel(
    "void(CodedColumns, Terms, PackedSweeps, UniTuple(int64, 4), const(int64[:, ::1]),"
    " int64[:, ::1])",
)
def _score_labelled(columns, terms, sweeps, part, rows, answers):
    """Score a sweep whose rows are labelled by cell: part has its number, start and end first."""
    n_rows = columns.codes.shape[1]
    labels = np.empty(n_rows, np.int32)
    n_words = (n_rows + 63) // 64
    k, start, end, _ = part
    child, candidates = sweeps.children[k], sweeps.candidates
    n_child = columns.n_categories[child]
    n_cells = label_cells(columns, child, sweeps.parents, k, labels)
    most, n_masked = 1, 0
    for b in range(start, end):
        if candidates[b] >= 0:
            most = max(most, columns.n_categories[candidates[b]])
            if masks_pay(columns, candidates[b], n_cells):
                n_masked = n_cells
    table = np.empty(n_cells * most, np.int64)
    sizes = np.empty(n_masked, np.int64)
    place = np.empty(n_masked, np.int64)
    n_masks = find_cells(labels, sizes, place) if n_masked > 0 else 0
    masks = np.empty(n_masks * n_words, np.int64)
    if n_masks > 0:
        fill_masks(labels, place, n_words, masks)
    for b in range(start, end):
        x = candidates[b]
        if x < 0:
            _count_cells(labels, n_cells, table)
        elif masks_pay(columns, x, n_cells):
            count_by_masks(columns, x, (0, n_words), masks, sizes, place, table)
        else:
            _count_by_rows(columns, x, 0, labels, n_cells, table)
        n_x = columns.n_categories[x] if x >= 0 else 1
        _sum_terms(terms, rows, table, b, (n_cells // n_child, n_child, n_x), answers)


@kernel(
    "void(CodedColumns, Terms, PackedSweeps, UniTuple(int64, 7), const(int64[:, ::1]),"
    " int64[:, ::1], const(int64[::1]), int64[::1])",
)
def _count_cut(columns, terms, sweeps, part, rows, answers, places, counts):
    """Count a sweep of few cells, whose bit masks are cut from planes; labels only if needed.

    A part is a sweep, its first candidate and the one after the last, how many cells there are, the
    words of rows, and where the tables of this share of the rows begin. There counts are added, at
    the candidates' places; where that is negative, the words are all there are, and each candidate
    is scored at once.
    """
    k, start, end, n_cells, _, _, base = part
    words = (part[4], part[5])
    child, candidates, n_words = sweeps.children[k], sweeps.candidates, words[1] - words[0]
    n_child, most = columns.n_categories[child], 1
    for b in range(start, end):
        if candidates[b] >= 0:
            most = max(most, columns.n_categories[candidates[b]])
    masks, table = np.empty(n_cells * n_words, np.int64), np.empty(n_cells * most, np.int64)
    sizes, place = np.empty(n_cells, np.int64), np.empty(n_cells, np.int64)
    cut_masks(columns, child, sweeps.parents, k, words, masks)
    n_seen = size_masks(masks, n_words, sizes, place)
    labels = np.empty(0, np.int32)
    for b in range(start, end):
        x = candidates[b]
        n_x = columns.n_categories[x] if x >= 0 else 1
        if x < 0:
            for cell in range(n_cells):
                table[cell] = sizes[cell]
        elif masks_pay(columns, x, n_seen):
            count_by_masks(columns, x, words, masks, sizes, place, table)
        else:
            if labels.shape[0] == 0:
                n_rows = min(64 * words[1], columns.codes.shape[1]) - 64 * words[0]
                labels = np.empty(n_rows, np.int32)
                label_cut_cells(columns, child, sweeps.parents, k, words, labels)
            _count_by_rows(columns, x, 64 * words[0], labels, n_cells, table)
        if base < 0:
            _sum_terms(terms, rows, table, b, (n_cells // n_child, n_child, n_x), answers)
        else:
            for i in range(n_cells * n_x):
                counts[base + places[b] + i] += table[i]


@kernel(
    "void(CodedColumns, Terms, PackedSweeps, const(int64[:, ::1]), int64[:, ::1], int64[:, ::1],"
    " int64)",
)
def _score_item(columns, terms, sweeps, rows, answers, items, item):
    """Score some sweeps, or a part of one."""
    k, start, end = items[item, SWEEP], items[item, START], items[item, END]
    while start < end:
        n_cells = n_cut_cells(columns, sweeps.children[k], sweeps.parents, k)
        part = (k, start, min(sweeps.ends[k], end), n_cells)
        if n_cells > 0:
            words = (k, start, part[2], n_cells, 0, columns.planes.shape[1], -1)
            nobody = sweeps.candidates
            _count_cut(columns, terms, sweeps, words, rows, answers, nobody, nobody)
        else:
            _score_labelled(columns, terms, sweeps, part, rows, answers)
        start = part[2]
        k += 1


@kernel(
    "void(CodedColumns, Terms, PackedSweeps, const(int64[:, ::1]), int64[:, ::1],"
    " const(int64[::1]), int64[::1], int64)",
)
def count_rows(columns, terms, sweeps, rows, answers, places, counts, share_of_rows):
    """Count all tables of some sweeps in one share of the rows."""
    n_words, size = columns.planes.shape[1], places[sweeps.candidates.shape[0]]
    n_shares = counts.shape[0] // size
    begin, end = n_words * share_of_rows // n_shares, n_words * (share_of_rows + 1) // n_shares
    for k in range(sweeps.children.shape[0]):
        n_cells = n_cut_cells(columns, sweeps.children[k], sweeps.parents, k)
        n_at_once = n_words_at_once(n_cells)
        for w in range(begin, end, n_at_once):
            to = min(end, w + n_at_once)
            part = (k, sweeps.starts[k], sweeps.ends[k], n_cells, w, to, share_of_rows * size)
            _count_cut(columns, terms, sweeps, part, rows, answers, places, counts)


@kernel(
    "void(int64[::1], CodedColumns, Terms, PackedSweeps, const(int64[:, ::1]),"
    " const(int64[::1]), int64[:, ::1])"
)
def _score_by_rows(board, columns, terms, sweeps, rows, places, answers):
    """Score sweeps whose tables all threads count, each in rows of its own."""
    size, n_shares = places[sweeps.candidates.shape[0]], 1 + n_others(board)
    counts = np.zeros(n_shares * size, np.int64)
    args = (columns, terms, sweeps, rows, answers, places, counts)
    share(board, n_shares, count_rows, args)
    for begin in range(size, n_shares * size, size):
        for at in range(size):
            counts[at] += counts[begin + at]
    for k in range(sweeps.children.shape[0]):
        n_child = columns.n_categories[sweeps.children[k]]
        n_strata = n_cut_cells(columns, sweeps.children[k], sweeps.parents, k) // n_child
        for b in range(sweeps.starts[k], sweeps.ends[k]):
            table, x = counts[places[b] : places[b + 1]], sweeps.candidates[b]
            n_x = columns.n_categories[x] if x >= 0 else 1
            _sum_terms(terms, rows, table, b, (n_strata, n_child, n_x), answers)


@kernel(
    "void(int64[::1], CodedColumns, Terms, PackedSweeps, const(int64[:, ::1]), int64[:, ::1])",
    small=small_tables.are_small_sweeps,
    instead=small_tables.score_sweeps,
)
def score_sweeps(board, columns, terms, sweeps, rows, answers):
    """Score each child with each of its candidates added to its parents."""
    items = np.empty((MOST_ITEMS, COST + 1), np.int64)
    n_items, n = 1, sweeps.candidates.shape[0]
    items[0, SWEEP], items[0, START], items[0, END] = 0, 0, n
    costs = Costs(np.empty(sweeps.children.shape[0]), np.empty(n))
    if n_others(board) > 0:
        estimate(columns, sweeps, costs)
        by_rows = are_worth_sharing(columns, sweeps, costs)
    else:
        by_rows = have_large_masks(columns, sweeps)
    if by_rows:
        places = np.empty(n + 1, np.int64)
        if place_tables(columns, sweeps, places) > 0:
            _score_by_rows(board, columns, terms, sweeps, rows, places, answers)
            return
    if n_others(board) > 0:
        n_items = cut(sweeps, costs, 1 + n_others(board), items)
    share(board, n_items, _score_item, (columns, terms, sweeps, rows, answers, items))


# --- the functions A and B, tabulated -------------------------------------------------------------

_TABULATED = 1_024  # counts up to here are looked up; larger ones by Stirling, as exact


def bits_for(n_rows: int) -> int:
    """Choose how many binary digits after the point keep a column's score exact in a float."""
    # No column's score exceeds n (ln n + 50), and four of them may be added in one gain.
    return 50 - math.ceil(math.log2(n_rows * (math.log(max(n_rows, 2)) + 50.0)))


class _TabulatedTerms:
    """Functions of counts up to the number of rows.

    ``shapes`` holds what scores know of families, with the rows of these functions.
    """

    def __init__(self, n_rows: int) -> None:
        self.scale = 2.0 ** bits_for(n_rows)
        self.shapes: dict[Any, Any] = {}

    @classmethod
    def of(cls, n_rows: int) -> Self:
        """Return those for so many rows, which others may use, too."""
        return common_terms((cls, n_rows), lambda: cls(n_rows))


class LikelihoodTerms(_TabulatedTerms):
    """n ln n, for the likelihood itself."""

    def __init__(self, n_rows: int) -> None:
        super().__init__(n_rows)
        counts = np.arange(1, min(n_rows, MOST_TABULATED) + 1, dtype=np.float64)
        table = np.zeros((1, len(counts) + 1), dtype=np.int64)
        table[0, 1:] = np.rint(counts * np.log(counts) * self.scale)
        nothing, no_gamma = np.zeros(1), np.array([_NO_GAMMA])
        self.terms = Terms(frozen(table), frozen(no_gamma), frozen(nothing), self.scale)

    def row(self, _shift: float) -> int:
        """There is only one row."""
        return 0


class GammaTerms(_TabulatedTerms):
    """ln Gamma(n + shift) - ln Gamma(shift), one row for each shift that was asked for."""

    def __init__(self, n_rows: int) -> None:
        super().__init__(n_rows)
        self._counts = np.arange(min(n_rows, _TABULATED) + 1, dtype=np.float64)
        self._row_of: dict[float, int] = {}
        self._table: IntArray = np.empty((8, len(self._counts)), dtype=np.int64)
        self._shifts: FloatArray = np.empty((2, 8))
        self.terms = self._all_rows()

    def row(self, shift: float) -> int:
        """Return the row of a shift, which is tabulated if it is new."""
        found = self._row_of.get(shift)
        if found is None:
            with TERMS_LOCK:
                found = self._row_of.get(shift)  # which another thread may have added
                return self._add(shift) if found is None else found
        return found

    def _add(self, shift: float) -> int:
        from scipy.special import gammaln

        row = len(self._row_of)
        if row == len(self._table):
            self._table = np.concatenate([self._table, np.empty_like(self._table)])
            self._shifts = np.concatenate([self._shifts, np.empty_like(self._shifts)], axis=1)
        start = float(gammaln(shift))
        self._table[row] = np.rint((gammaln(self._counts + shift) - start) * self.scale)
        self._shifts[:, row] = shift, start
        self.terms = self._all_rows()
        self._row_of[shift] = row  # last, because others look here without the lock
        return row

    def _all_rows(self) -> Terms:
        shift, start = self._shifts
        return Terms(frozen(self._table[:]), frozen(shift[:]), frozen(start[:]), self.scale)
