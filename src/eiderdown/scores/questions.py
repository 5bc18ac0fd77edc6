"""Questions that kernels ask a score: a sweep each, in arrays that both sides know.

A search that is compiled has to ask a score again and again. It calls code at an address
(:mod:`eiderdown.kernel_addresses`): compiled code of the score where there is some, which takes
microseconds, else Python, which asks :meth:`LocalScore.additions`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Protocol

import numpy as np

from eiderdown.arrays import FloatArray, IntArray, rows_apart
from eiderdown.kernel_addresses import CODE, address_of_python, call_at
from eiderdown.kernels import Patience, kernel

if TYPE_CHECKING:
    from eiderdown.scores.base import LocalScore

CHILD, N_PARENTS, N_CANDIDATES, ANSWERED = range(4)
_COMPILED, _ARGUMENTS, _PYTHON = range(3)


class Question(NamedTuple):
    """A child with parents and candidates to add to them; a candidate -1 adds nobody.

    Attributes
    ----------
    head : IntArray
        The child, how many parents and candidates there are, and whether code has answered.
    parents, candidates : IntArray
        In whatever order; what is behind the last one is left over from earlier questions.
    scores : FloatArray
        The answers, one for each candidate.
    codes : IntArray
        Addresses of compiled code (0: none) and its arguments, and of Python.
    """

    head: Annotated[IntArray, "int64[::1]"]
    parents: Annotated[IntArray, "int64[::1]"]
    candidates: Annotated[IntArray, "int64[::1]"]
    scores: Annotated[FloatArray, "float64[::1]"]
    codes: Annotated[IntArray, "int64[::1]"]


@kernel("boolean(Question)", inner=True)
def ask(question):  # type: ignore[no-untyped-def]
    """Have a question answered; False if that failed, and Python knows why."""
    question.head[ANSWERED] = 0
    if question.codes[_COMPILED] != 0:
        call_at(question.codes[_COMPILED], question.codes[_ARGUMENTS], 0)
        if question.head[ANSWERED] != 0:
            return True
    return call_at(question.codes[_PYTHON], 0, 0) == 0


class CompiledAnswers(Protocol):
    """What a score has that answers questions in compiled code."""

    patience: Patience
    """How long Python has answered so far."""

    @property
    def code(self) -> tuple[int, int]:
        """The address of the code and that of its arguments; 0 for as long as Python is to do."""

    def learn(self) -> bool:
        """Prepare for questions like the present one; tell whether anything is new."""


class Questions:
    """What a kernel asks one score, answered by compiled code or by Python.

    Parameters
    ----------
    score : LocalScore
        What is asked.
    board : IntArray
        Where compiled code shares its work; see :mod:`eiderdown.work_sharing`.
    """

    def __init__(self, score: LocalScore, board: IntArray) -> None:
        n = score.n_variables
        self._problems: list[BaseException] = []
        head, parents, candidates, scores, codes = rows_apart(5, max(n, 4))
        self.question = Question(head, parents, candidates, scores.view(np.float64), codes)
        compiled = score.compiled_answers(self.question, board)
        if compiled is not None:
            self.question.codes[:_PYTHON] = compiled.code
        answer = _answering(score, self.question, compiled, self._problems)
        self._python: Any = CODE(answer)
        self.question.codes[_PYTHON] = address_of_python(self._python)

    def raise_problem(self) -> None:
        """Raise what kept Python from answering, if there was anything."""
        if self._problems:
            raise self._problems.pop()


def _answering(
    score: LocalScore,
    question: Question,
    compiled: CompiledAnswers | None,
    problems: list[BaseException],
) -> Callable[[int, int], int]:
    """Return what answers in Python, and lists what goes wrong."""

    def answer(_arguments: int, _number: int) -> int:
        try:
            if compiled is not None and compiled.learn():
                question.codes[:_PYTHON] = code, arguments = compiled.code
                if code:
                    CODE(code)(arguments, 0)
            if question.head[ANSWERED] == 0:
                with nullcontext() if compiled is None else compiled.patience.measured():
                    _answer_by_python(score, question)
        except BaseException as problem:  # which no compiled code can pass on
            problems.append(problem)
            return 1
        return 0

    return answer


def _answer_by_python(score: LocalScore, question: Question) -> None:
    child, n_parents, n = question.head[:ANSWERED].tolist()
    parents, candidates = question.parents[:n_parents].tolist(), question.candidates[:n]
    if n == 1 and candidates[0] < 0:
        question.scores[0] = score.local(child, parents)
    else:
        question.scores[:n] = score.additions(child, parents, candidates)
