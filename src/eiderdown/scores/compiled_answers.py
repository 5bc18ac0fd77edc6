"""Answers of discrete and Gaussian scores at an address, for kernels that know no score's types."""

from __future__ import annotations

from abc import ABC, abstractmethod
from operator import is_not

import numpy as np

from eiderdown.arrays import FloatArray, IntArray, rows_apart
from eiderdown.kernel_addresses import N_WORDS, address_of
from eiderdown.kernels import Patience, kernel
from eiderdown.scores.compiled import (
    CompiledScore,  # noqa: F401  named in signatures
    KernelScore,
    SweepAnswers,
    score_families,
)
from eiderdown.scores.gaussian_sweeps import CorrelatedColumns, score_sweeps
from eiderdown.scores.questions import ANSWERED, CHILD, N_CANDIDATES, N_PARENTS, Question
from eiderdown.scores.sweeps import PackedSweeps


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


@kernel("void(int64[::1], CompiledScore, Question, SweepAnswers, int64)")
def _answer(board, score, question, found, _number):  # type: ignore[no-untyped-def]
    if score_families(board, score, _packed(question), found) == 0:
        question.head[ANSWERED] = 1


@kernel("int64(int64[::1], CompiledScore, Question, SweepAnswers, int64[::1])")
def _address(board, score, question, found, place):  # type: ignore[no-untyped-def]
    return address_of(_answer, (board, score, question, found), place)


@kernel("void(int64[::1], CorrelatedColumns, const(float64[:, ::1]), Question, int64)")
def _answer_gaussian(board, columns, lines, question, _number):  # type: ignore[no-untyped-def]
    few = question.head[N_PARENTS] + 2 < lines.shape[0]
    if few and score_sweeps(board, columns, lines, _packed(question), question.scores):
        question.head[ANSWERED] = 1


@kernel("int64(int64[::1], CorrelatedColumns, const(float64[:, ::1]), Question, int64[::1])")
def _gaussian_address(board, columns, lines, question, place):  # type: ignore[no-untyped-def]
    return address_of(_answer_gaussian, (board, columns, lines, question), place)


class _Answers(ABC):
    """Compiled code for one question, which is made when it is worth compiling.

    Parameters
    ----------
    board : IntArray
        Where work is shared; see :mod:`eiderdown.work_sharing`.
    question : Question
        What is asked.
    """

    patience: Patience

    def __init__(self, board: IntArray, question: Question) -> None:
        self._board, self._question = board, question
        self._place: IntArray = np.zeros(N_WORDS, dtype=np.int64)
        self._is_set = False

    @property
    def code(self) -> tuple[int, int]:
        """The address of the code and that of its arguments."""
        if not self.patience.is_over:
            return 0, 0
        self._is_set = True
        return self._set(), self._place.ctypes.data

    @abstractmethod
    def _set(self) -> int:
        """Put the arguments in their place; return the address of the code."""

    def learn(self) -> bool:
        """Tell whether there is code that was not tried yet."""
        return not self._is_set


class TableAnswers(_Answers):
    """Compiled answers of a discrete score."""

    patience = Patience(_address)

    def __init__(self, board: IntArray, question: Question, score: KernelScore) -> None:
        super().__init__(board, question)
        n = len(question.candidates)
        rows, sums = rows_apart(2, 2 * n).reshape(2, n, 2)
        prices, new = rows_apart(2, n)
        self._score = score
        self._found = SweepAnswers(rows, prices.view(np.float64), sums, question.scores, new)

    def _set(self) -> int:
        self._record = self._score.record  # kept for as long as the code may read it
        return int(_address(self._board, self._record, self._question, self._found, self._place))

    def learn(self) -> bool:
        """Prepare for families like those of the present question; tell whether any is new."""
        head, parents = self._question.head, self._question.parents
        if self._score.learn(int(head[CHILD]), parents[: head[N_PARENTS]].tolist()):
            return True
        now = self._score.record  # of which somebody else may have made more
        return super().learn() or any(map(is_not, now, self._record))


class CorrelationAnswers(_Answers):
    """Compiled answers of a Gaussian score: all correlations, and lines of so many columns."""

    patience = Patience(_gaussian_address)

    def __init__(
        self, board: IntArray, question: Question, columns: CorrelatedColumns, lines: FloatArray
    ) -> None:
        super().__init__(board, question)
        self._columns, self._lines = columns, lines

    def _set(self) -> int:
        arguments = (self._board, self._columns, self._lines, self._question)
        return int(_gaussian_address(*arguments, self._place))
