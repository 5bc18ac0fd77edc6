"""Families of a discrete score that searches score within kernels of their own.

A search that is one kernel call asks :func:`score_families` and has the answers in microseconds.
Only what families of new shapes need (see :mod:`eiderdown.scores.families`) is told by Python.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.kernels import kernel
from eiderdown.scores.base import LocalScore
from eiderdown.scores.cell_masks import CodedColumns
from eiderdown.scores.discrete import DiscreteScore
from eiderdown.scores.families import FamilyTerms, look_up
from eiderdown.scores.kernels import Terms, score_sweeps
from eiderdown.scores.sweeps import PackedSweeps


class CompiledScore(NamedTuple):
    """What kernels need to score families."""

    columns: CodedColumns
    terms: Terms
    families: FamilyTerms


class SweepAnswers(NamedTuple):
    """Room for the scores of sweeps, for what they are made of, and for sweeps of new families."""

    rows: Annotated[IntArray, "int64[:, ::1]"]
    prices: Annotated[FloatArray, "float64[::1]"]
    sums: Annotated[IntArray, "int64[:, ::1]"]
    scores: Annotated[FloatArray, "float64[::1]"]
    new: Annotated[IntArray, "int64[::1]"]

    @classmethod
    def room(cls, sweeps: PackedSweeps) -> SweepAnswers:
        """Make room for the scores of sweeps."""
        n = len(sweeps.candidates)
        rows, sums = (np.empty((n, 2), dtype=np.int64) for _ in range(2))
        return cls(rows, np.empty(n), sums, np.empty(n), np.empty_like(sweeps.children))


@kernel("int64(int64[::1], CompiledScore, PackedSweeps, SweepAnswers)")
def score_families(board, score, sweeps, found):  # type: ignore[no-untyped-def]
    """Score sweeps, together with others, if no family is new.

    Returns 0; or how many sweeps have a new family; or that one has too many strata for kernels.
    """
    n_categories = score.columns.n_categories
    n_new = look_up(score.families, n_categories, sweeps, found.rows, found.prices, found.new)
    if n_new == 0:
        score_sweeps(board, score.columns, score.terms, sweeps, found.rows, found.sums)
        for b in range(sweeps.candidates.shape[0]):
            found.scores[b] = found.sums[b, 0] / score.terms.scale - found.prices[b]
    return n_new


class KernelScore:
    """A discrete score as kernels take it.

    Parameters
    ----------
    score : DiscreteScore
        The score; see :meth:`of` for those that can.
    """

    def __init__(self, score: DiscreteScore) -> None:
        self._score = score
        self.n_jobs = score._workers.n_jobs

    @classmethod
    def of(cls, score: LocalScore) -> KernelScore | None:
        """Return a score as kernels take it; None if columns are not all in memory as bytes."""
        if not isinstance(score, DiscreteScore) or score._observed or score._columns is None:
            return None
        return cls(score)

    @property
    def record(self) -> CompiledScore:
        """What kernels need, with all families so far."""
        columns = self._score._columns
        assert columns is not None
        return CompiledScore(columns, self._score._terms.terms, self._score._noted)

    def learn(self, sweeps: PackedSweeps, new: IntArray) -> None:
        """Tell kernels what the families of some sweeps need."""
        for k in new.tolist():
            self._score._note(int(sweeps.children[k]), sweeps.parents[k].tolist())

    def count(self, n_computed: int) -> None:
        """Count scores that kernels have computed."""
        self._score.recount(self._score.counts.n_computed + n_computed)
