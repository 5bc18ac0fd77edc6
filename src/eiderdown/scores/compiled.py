"""Discrete scores of columns in memory: the one way from packed sweeps to scores.

    look_up        what families need, in a table that Python fills (families.py)
    score_sweeps   sums over their cells and strata (kernels.py)

Python asks :meth:`KernelScore.scores`. GES between two steps calls both halves, the second at the
address where it is compiled. Other searches that are one kernel call :func:`score_families`: a
climb, which asks for many sweeps at once, as a kernel that it was compiled with; searches that have
no types of a score at an address, one sweep at a time (:mod:`eiderdown.scores.compiled_answers`).
Only families of new shapes are told by Python.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Annotated, NamedTuple, TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray, IntArray, apart, frozen
from eiderdown.kernels import kernel
from eiderdown.scores.cell_masks import CodedColumns
from eiderdown.scores.common_terms import TERMS_LOCK
from eiderdown.scores.families import MOST_STRATA, TOO_MANY, FamilyTerms, look_up
from eiderdown.scores.kernels import GammaTerms, LikelihoodTerms, Terms, score_sweeps
from eiderdown.scores.sweeps import PackedSweeps
from eiderdown.work_sharing import waiting_threads

Shape: TypeAlias = tuple[float, int, int]
"""Of a family: its price, and which tabulated functions its cells and strata need."""

_SMALL = ("row", "n_categories", "first_plane")  # arrays of a table that nobody writes beside


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
    n_categories, n_functions = score.columns.n_categories, score.terms.table.shape[0]
    needed = (found.rows, found.prices, found.new)
    n_new = look_up(score.families, n_functions, n_categories, sweeps, needed)
    if n_new == 0:
        score_sweeps(board, score.columns, score.terms, sweeps, found.rows, found.sums)
        for b in range(sweeps.candidates.shape[0]):
            found.scores[b] = found.sums[b, 0] / score.terms.scale - found.prices[b]
    return n_new


class KnownShapes:
    """What families of each shape need that somebody asked for.

    Attributes
    ----------
    families : FamilyTerms
        As kernels take it.
    keys : set of (int, int)
        The numbers of strata and of the child's categories.
    """

    def __init__(self) -> None:
        self.families, self.keys = FamilyTerms.empty(), set[tuple[int, int]]()


class KernelScore:
    """A discrete score as kernels take it.

    Parameters
    ----------
    columns : CodedColumns
        The table.
    terms : LikelihoodTerms or GammaTerms
        The functions that are summed.
    shape : callable
        Returns the shape of a family of so many strata and categories of the child.
    n_jobs : int
        Threads that share sweeps.
    shapes : KnownShapes or None
        What is known of families, by scores with the same terms and shapes.
    """

    def __init__(
        self,
        columns: CodedColumns,
        terms: LikelihoodTerms | GammaTerms,
        shape: Callable[[int, int], Shape],
        n_jobs: int,
        shapes: KnownShapes | None = None,
    ) -> None:
        small = {name: frozen(apart(getattr(columns, name))) for name in _SMALL}
        self._columns = columns._replace(**small)
        self._terms, self._shape, self.n_jobs = terms, shape, n_jobs
        self._categories: list[int] = [*columns.n_categories.tolist(), 1]  # the last is nobody's
        self._occurring = sorted(set(self._categories))
        self._shapes = shapes or KnownShapes()

    @property
    def record(self) -> CompiledScore:
        """What kernels need, with all families so far."""
        return CompiledScore(self._columns, self._terms.terms, self._shapes.families)

    def learn(self, child: int, parents: Sequence[int]) -> bool:
        """Tell kernels what a family needs, with whoever is added; False if nothing is new.

        A parent -1 is none.
        """
        n_strata = math.prod([self._categories[z] for z in parents])
        n_child = self._categories[child]
        if n_strata > MOST_STRATA:
            return False
        shapes = self._shapes
        with TERMS_LOCK:
            keys = [(n_strata * categories, n_child) for categories in self._occurring]
            new = [key for key in keys if key not in shapes.keys]
            for key in new:
                shapes.keys.add(key)
                price, *rows = self._shape(*key)
                if 2 * len(shapes.keys) > len(shapes.families.keys):
                    shapes.families = shapes.families.larger()
                shapes.families.add(*key, rows, price)
        return bool(new)

    def learn_all(self, sweeps: PackedSweeps, new: IntArray) -> None:
        """Tell kernels what the families of some sweeps need."""
        sets = sweeps.parents[new].tolist()
        for child, parents in zip(sweeps.children[new].tolist(), sets, strict=True):
            self.learn(child, parents)

    def scores(self, sweeps: PackedSweeps) -> FloatArray | None:
        """Score sweeps; None if a family has too many strata for kernels."""
        n, n_categories = len(sweeps.candidates), self._columns.n_categories
        needed = np.empty((n, 2), dtype=np.int64), np.empty(n), np.empty_like(sweeps.children)
        rows, prices, new = needed
        while True:
            families, n_functions = self._shapes.families, len(self._terms.terms.table)
            n_new = look_up(families, n_functions, n_categories, sweeps, needed)
            if n_new == TOO_MANY:
                return None
            if n_new == 0:
                scores: FloatArray = self.sums(sweeps, rows)[:, 0] / self._terms.scale - prices
                return scores
            self.learn_all(sweeps, new[:n_new])

    def sums(self, sweeps: PackedSweeps, rows: IntArray) -> IntArray:
        """Sum the terms of each family, and count its strata."""
        found = np.empty((len(rows), 2), dtype=np.int64)
        with waiting_threads(self.n_jobs, score_sweeps) as board:
            score_sweeps(board, self._columns, self._terms.terms, sweeps, rows, found)
        return found
