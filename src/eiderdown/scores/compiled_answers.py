"""Answers of discrete and Gaussian scores to the questions of kernels, in compiled code."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, NamedTuple, TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray, IntArray, apart, frozen, rows_apart
from eiderdown.kernel_addresses import N_WORDS, address_of
from eiderdown.kernels import Patience, kernel
from eiderdown.scores.cell_masks import CodedColumns
from eiderdown.scores.gaussian_sweeps import CorrelatedColumns
from eiderdown.scores.gaussian_sweeps import score_sweeps as score_gaussian_sweeps
from eiderdown.scores.kernels import Terms, score_sweeps
from eiderdown.scores.questions import ANSWERED, CHILD, N_CANDIDATES, N_PARENTS, Question
from eiderdown.scores.sweeps import PackedSweeps

_MOST_STRATA = 4_096  # of families that compiled code knows
_MOST_PARENTS_PREPARED = 4
_MOST_PREPARED = 512  # families that it knows from the beginning

Shape: TypeAlias = tuple[float, int, int]
"""Of a family: its price, and which tabulated functions its cells and strata need."""


_SMALL = ("row", "n_categories", "first_plane")  # arrays of a table


class Shapes(NamedTuple):
    """Families by the rank of the child's number of categories, and the number of strata.

    Prices that are not known yet are NaN.
    """

    rank: Annotated[IntArray, "int64[::1]"]
    price: Annotated[FloatArray, "float64[:, ::1]"]
    rows: Annotated[IntArray, "int64[:, :, ::1]"]


class _Room(NamedTuple):
    rows: Annotated[IntArray, "int64[:, ::1]"]
    sums: Annotated[IntArray, "int64[:, ::1]"]


@kernel("PackedSweeps(Question)")
def _packed(question):  # type: ignore[no-untyped-def]
    """Make one sweep of a question."""
    numbers, n_parents = np.empty(3, np.int64), question.head[N_PARENTS]
    parents = np.empty((1, n_parents), np.int64)
    for k in range(n_parents):
        parents[0, k] = question.parents[k]
    numbers[0], numbers[1], numbers[2] = question.head[CHILD], 0, question.head[N_CANDIDATES]
    candidates = question.candidates[: question.head[N_CANDIDATES]]
    return PackedSweeps(numbers[:1], parents, numbers[1:2], numbers[2:], candidates)


@kernel("boolean(CodedColumns, Terms, Question, Shapes, _Room, float64[::1])", inner=True)
def _find_shapes(columns, terms, question, shapes, room, prices):  # type: ignore[no-untyped-def]
    """Fill rows and prices of all families; False if one is not known."""
    rank, n_strata = shapes.rank[columns.n_categories[question.head[CHILD]]], 1
    for k in range(question.head[N_PARENTS]):
        n_strata = min(n_strata * columns.n_categories[question.parents[k]], _MOST_STRATA)
    for b in range(question.head[N_CANDIDATES]):
        x = question.candidates[b]
        n = n_strata * columns.n_categories[x] if x >= 0 else n_strata
        if n >= _MOST_STRATA or np.isnan(shapes.price[rank, n]):
            return False
        prices[b] = shapes.price[rank, n]
        for k in range(2):
            room.rows[b, k] = shapes.rows[rank, n, k]
            if room.rows[b, k] >= terms.table.shape[0]:
                return False
    return True


@kernel("void(int64[::1], CodedColumns, Terms, Question, Shapes, _Room, int64)")
def _answer(board, columns, terms, question, shapes, room, _number):  # type: ignore[no-untyped-def]
    if not _find_shapes(columns, terms, question, shapes, room, question.scores):
        return
    score_sweeps(board, columns, terms, _packed(question), room.rows, room.sums)
    for b in range(question.head[N_CANDIDATES]):
        question.scores[b] = room.sums[b, 0] / terms.scale - question.scores[b]
    question.head[ANSWERED] = 1


@kernel("int64(int64[::1], CodedColumns, Terms, Question, Shapes, _Room, int64[::1])")
def _address(board, columns, terms, question, shapes, room, place):  # type: ignore[no-untyped-def]
    return address_of(_answer, (board, columns, terms, question, shapes, room), place)


@kernel("void(int64[::1], CorrelatedColumns, const(float64[:, ::1]), Question, int64)")
def _answer_gaussian(board, columns, lines, question, _number):  # type: ignore[no-untyped-def]
    few = question.head[N_PARENTS] + 2 < lines.shape[0]
    if few and score_gaussian_sweeps(board, columns, lines, _packed(question), question.scores):
        question.head[ANSWERED] = 1


@kernel("int64(int64[::1], CorrelatedColumns, const(float64[:, ::1]), Question, int64[::1])")
def _gaussian_address(board, columns, lines, question, place):  # type: ignore[no-untyped-def]
    return address_of(_answer_gaussian, (board, columns, lines, question), place)


_PATIENCE, _GAUSSIAN_PATIENCE = Patience(_address), Patience(_gaussian_address)


class TableAnswers:
    """Compiled answers of a discrete score.

    Parameters
    ----------
    board : IntArray
        Where work is shared; see :mod:`eiderdown.work_sharing`.
    columns : CodedColumns
        The table.
    terms : callable
        Returns the tabulated functions, which may have become more.
    shape : callable
        Returns the shape of a family of so many strata and categories of the child.
    question : Question
        What is asked.
    """

    patience = _PATIENCE

    def __init__(
        self,
        board: IntArray,
        columns: CodedColumns,
        terms: Callable[[], Terms],
        shape: Callable[[int, int], Shape],
        question: Question,
    ) -> None:
        self._board, self._terms, self._question = board, terms, question
        small = {name: frozen(apart(getattr(columns, name))) for name in _SMALL}
        self._columns = columns._replace(**small)
        self._shape, n = shape, len(question.candidates)
        self._occurring = sorted({1, *columns.n_categories.tolist()})
        rank = np.zeros(self._occurring[-1] + 1, dtype=np.int64)
        rank[self._occurring] = np.arange(len(self._occurring))
        size = (len(self._occurring), _MOST_STRATA)
        rows = np.zeros((*size, 2), dtype=np.int64)
        self._shapes = Shapes(apart(rank), np.full(size, np.nan), rows)
        self._room = _Room(*rows_apart(2, 2 * n).reshape(2, n, 2))
        self._place: IntArray = np.zeros(N_WORDS, dtype=np.int64)
        self._is_set = False
        self._prepare()

    @property
    def code(self) -> tuple[int, int]:
        """The address of the code and that of its arguments."""
        if not self.patience.is_over:
            return 0, 0
        self._is_set = True
        self._known_terms = self._terms()
        found = (self._columns, self._known_terms, self._question, self._shapes, self._room)
        return _address(self._board, *found, self._place), self._place.ctypes.data

    def learn(self) -> bool:
        """Prepare for families like those of the present question; tell whether any is new."""
        n_categories, question = self._columns.n_categories, self._question
        parents = question.parents[: question.head[N_PARENTS]]
        n_strata = math.prod(n_categories[parents].tolist())
        n_child = int(n_categories[question.head[CHILD]])
        are_new = [self._learn(n_strata * more, n_child) for more in self._occurring]
        return any(are_new) or not self._is_set

    def _prepare(self) -> None:
        """Learn families of few strata."""
        several, products = self._occurring[1:], {1}
        for _ in range(_MOST_PARENTS_PREPARED):
            products |= {n * more for n in products for more in several}
        n_each = _MOST_PREPARED // (len(several) or 1)
        for n_strata in sorted(products)[:n_each]:
            for n_child in several:
                self._learn(n_strata, n_child)

    def _learn(self, n_strata: int, n_child: int) -> bool:
        rank = self._shapes.rank[n_child]
        is_new = n_strata < _MOST_STRATA and bool(np.isnan(self._shapes.price[rank, n_strata]))
        if is_new:
            price, *rows = self._shape(n_strata, n_child)
            self._shapes.rows[rank, n_strata] = rows
            self._shapes.price[rank, n_strata] = price
        return is_new


class CorrelationAnswers:
    """Compiled answers of a Gaussian score.

    Parameters
    ----------
    board, question
        As in :class:`TableAnswers`.
    columns : CorrelatedColumns
        All correlations.
    lines : FloatArray
        Of as many columns as compiled code takes, and more; see
        :mod:`eiderdown.scores.gaussian_sweeps`.
    """

    patience = _GAUSSIAN_PATIENCE

    def __init__(
        self, board: IntArray, columns: CorrelatedColumns, lines: FloatArray, question: Question
    ) -> None:
        self._is_set = False
        self._arguments = (board, columns, lines, question)
        self._place: IntArray = np.zeros(N_WORDS, dtype=np.int64)

    @property
    def code(self) -> tuple[int, int]:
        """The address of the code and that of its arguments."""
        if not self.patience.is_over:
            return 0, 0
        self._is_set = True
        return _gaussian_address(*self._arguments, self._place), self._place.ctypes.data

    def learn(self) -> bool:
        """Tell whether there is code that was not tried yet."""
        return not self._is_set
