"""What the checks of a test of independence share: one table, its test and its questions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Final, TypeAlias

from eiderdown.data import Dataset
from eiderdown.independence import IndependenceResult, IndependenceTest, Question
from eiderdown.testing.requirement import require
from eiderdown.testing.samples import KNOWN_DAG, TableKind, sampled

MakeTest: TypeAlias = Callable[[Dataset], IndependenceTest]

N_ROWS: Final = 600
_CLOSE = 1e-9


@dataclass(frozen=True)
class Exam:
    """A test under examination, on a table sampled from a known graph."""

    make_test: MakeTest
    kind: TableKind
    alpha: float
    random_state: int

    @cached_property
    def data(self) -> Dataset:
        """The table."""
        return sampled(KNOWN_DAG, self.kind, N_ROWS, self.random_state)

    @cached_property
    def test(self) -> IndependenceTest:
        """The test of that table."""
        return self.make_test(self.data)

    @property
    def questions(self) -> list[Question]:
        """Every pair given nothing, one and two of the others."""
        n = self.data.n_columns
        asked: list[Question] = []
        for x, y in combinations(range(n), 2):
            others = [z for z in range(n) if z not in (x, y)]
            asked += [(x, y, []), (y, x, others[:1]), (x, y, others[-2:])]
        return asked

    def about(self, x: str, y: str, *given: str) -> Question:
        """Turn a question about names into one about columns."""
        index = self.data.names.index
        return index(x), index(y), [index(z) for z in given]

    def say(self, question: Question) -> str:
        """Write a question with names."""
        x, y, given = question
        conditions = ", ".join(self.data.names[z] for z in given) or "nothing"
        return f"{self.data.names[x]} and {self.data.names[y]} given {conditions}"

    def check_answer(self, question: Question, result: IndependenceResult) -> None:
        """Require finite, typed fields that repeat the question."""
        said = f"the answer about {self.say(question)}"
        for name in ("statistic", "dof", "log_p", "effect"):
            value = getattr(result, name)
            require(
                isinstance(value, float) and math.isfinite(value),
                f"{name} must be a finite float, but {said} has {value!r}.",
            )
        require(result.log_p <= 0.0, f"log_p must not be above 0, but {said} has {result.log_p}.")
        require(result.dof >= 0.0, f"dof must not be negative, but {said} has {result.dof}.")
        require(isinstance(result.reliable, bool), f"reliable must be a bool in {said}.")
        require(
            isinstance(result.n_used, int) and result.n_used >= 0, f"n_used is wrong in {said}."
        )
        x, y, given = question
        require(
            (result.x, result.y, set(result.given)) == (x, y, set(given)),
            f"An answer must repeat its question, but {said} is labelled x={result.x}, "
            f"y={result.y}, given={result.given}.",
        )


def same_answer(ours: IndependenceResult, theirs: IndependenceResult) -> bool:
    """Tell whether two answers agree up to rounding."""
    numbers = ("statistic", "dof", "log_p", "effect")
    return ours.reliable == theirs.reliable and all(
        math.isclose(getattr(ours, n), getattr(theirs, n), rel_tol=_CLOSE, abs_tol=_CLOSE)
        for n in numbers
    )
