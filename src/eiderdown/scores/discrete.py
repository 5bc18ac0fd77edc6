"""What the scores of discrete columns share: from a family to its table, and from that to a number.

Datasets whose columns are all held as bytes are scored by one compiled call per sweep; all others
(sparse columns, columns of very many categories) through the counts of the statistics layer. Both give
the same numbers to the last bit.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from eiderdown.arrays import FloatArray, IntArray, frozen
from eiderdown.data import CodeBlock, Dataset
from eiderdown.errors import ColumnKindError, listed
from eiderdown.scores.base import LocalScore
from eiderdown.scores.terms import GammaTerms, LikelihoodTerms
from eiderdown.statistics import CountBlock, CountStatistics, Workers, index_planes
from eiderdown.statistics.cost import THREADS_PAY_FROM, Path, SweepShape, counting_cost

if TYPE_CHECKING:
    from eiderdown.scores.kernels import Columns

_MOST_STRATA = 10**290  # keeps products of very many categories finite
_MOST_CELLS = 1 << 26  # of the largest table that one candidate could have, held at once


@dataclass(frozen=True, eq=False)
class _Family:
    """What a family's score needs beside its table, by the number of categories of one more parent.

    Attributes
    ----------
    rows : IntArray of shape (categories, 2)
        Which tabulated function cells and strata need; 1 category stands for no further parent.
    price : FloatArray
        What the free parameters cost, counted by declared categories.
    price_of_stratum : float
        What they cost for each stratum.
    """

    rows: IntArray
    price: FloatArray
    price_of_stratum: float


class DiscreteScore(LocalScore):
    """What the scores of discrete columns share.

    Parameters
    ----------
    data : Dataset
        The table; its columns must be discrete.
    terms : LikelihoodTerms or GammaTerms
        The functions that are summed over cells and strata.
    price : float
        What one free parameter costs.
    observed : bool
        Whether only the strata that occur have parameters.
    n_jobs : int or None
        Threads; None means every available core. Scores do not depend on it.
    """

    def __init__(
        self,
        data: Dataset,
        terms: LikelihoodTerms | GammaTerms,
        *,
        price: float = 0.0,
        observed: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(data.names)
        _require_discrete(data)
        # Whatever has to be compiled is compiled here, so that the first search is not slower.
        import_module("eiderdown.statistics.kernels")
        self.data = data
        self._terms = terms
        # On the grid of the terms, so that differences of scores are exact.
        self._price = round(price * terms.scale) / terms.scale
        self._observed = observed
        self._n_categories = data.n_categories
        self._categories: list[int] = data.n_categories.tolist()
        self._occurring = sorted({1, *self._categories})
        self._workers = Workers(n_jobs)
        self._families: dict[tuple[int, int], _Family] = {}

    @property
    def marginal(self) -> bool:
        """Whether this is a marginal likelihood, a sum of log-gamma functions."""
        return isinstance(self._terms, GammaTerms)

    @abstractmethod
    def shifts(self, n_strata: int, n_child: int) -> tuple[float, float]:
        """Return what is added to the counts of cells and of strata in log-gamma functions.

        Parameters
        ----------
        n_strata : int
            Combinations of the parents' declared categories.
        n_child : int
            Categories of the child.
        """

    def price(self, n_strata: int, n_child: int) -> float:
        """Return what the free parameters of a family cost, counted by declared categories."""
        return self._price * (float(n_child - 1) * float(n_strata))

    def _local(self, child: int, parents: tuple[int, ...]) -> float:
        return self._locals(child, [parents])[0]

    def _locals(self, child: int, parent_sets: Sequence[tuple[int, ...]]) -> Sequence[float]:
        families = [self._family(child, parents) for parents in parent_sets]
        rows = np.array([family.rows[1] for family in families])
        answers = np.empty((len(families), 2), dtype=np.int64)
        if self._columns is None:
            self._count_families(child, parent_sets, rows, answers)
        else:
            self._score_families(child, parent_sets, rows, answers)
        prices = np.array([family.price[1] for family in families])
        scores: list[float] = self._priced(answers, prices, families[0]).tolist()
        return scores

    def _additions(self, child: int, parents: tuple[int, ...], candidates: IntArray) -> FloatArray:
        family = self._family(child, parents)
        categories = self._n_categories[candidates]
        rows = family.rows[categories]
        answers = np.empty((len(candidates), 2), dtype=np.int64)
        if self._columns is None:
            self._count(child, parents, candidates, rows, answers)
        else:
            self._sweep(child, parents, candidates, rows, answers)
        return self._priced(answers, family.price[categories], family)

    def _priced(self, answers: IntArray, prices: FloatArray, family: _Family) -> FloatArray:
        sums: FloatArray = answers[:, 0] / self._terms.scale
        return sums - (family.price_of_stratum * answers[:, 1] if self._observed else prices)

    def _sweep(
        self,
        child: int,
        parents: tuple[int, ...],
        candidates: IntArray,
        rows: IntArray,
        answers: IntArray,
    ) -> None:
        """Fill the answers in one compiled call, or in one for each thread."""
        from eiderdown.scores.kernels import score_additions

        columns, terms = self._columns, self._terms.terms
        given = np.array(parents, dtype=np.int64)

        def fill(part: slice) -> None:
            score_additions(
                columns, terms, child, given, candidates[part], rows[part], answers[part]
            )

        if not self._threads_pay(child, parents, candidates):
            fill(slice(None))
            return
        cuts = np.linspace(0, len(candidates), self._workers.n_jobs + 1).astype(int)
        parts = [slice(a, b) for a, b in pairwise(cuts.tolist())]
        self._workers.each(fill, parts, pays=True)

    def _threads_pay(self, child: int, parents: tuple[int, ...], candidates: IntArray) -> bool:
        if self._workers.n_jobs == 1 or len(candidates) < self._workers.n_jobs:
            return False
        n_strata = min(math.prod(self._categories[z] for z in parents), self.data.n_rows)
        n_categories = int(self._n_categories[candidates].mean())
        n_cells = n_strata * self._categories[child]
        shape = SweepShape(self.data.n_rows, n_cells, n_categories, len(candidates))
        cost = min(counting_cost(Path.CODES, shape), counting_cost(Path.PLANES, shape))
        return cost * len(candidates) > THREADS_PAY_FROM

    def _count(
        self,
        child: int,
        parents: tuple[int, ...],
        candidates: IntArray,
        rows: IntArray,
        answers: IntArray,
    ) -> None:
        """Fill the answers from blocks of counts."""
        from eiderdown.scores.kernels import score_tables

        def consume(block: CountBlock) -> None:
            found = np.empty((len(block.positions), 2), dtype=np.int64)
            score_tables(block.counts, self._terms.terms, rows[block.positions[0]], found)
            answers[block.positions] = found

        self._statistics.sweep(candidates, self._statistics.cells(child, parents), consume)

    def _score_families(
        self,
        child: int,
        parent_sets: Sequence[tuple[int, ...]],
        rows: IntArray,
        answers: IntArray,
    ) -> None:
        from eiderdown.scores.kernels import score_families

        sets = np.full((len(parent_sets), max(map(len, parent_sets))), -1, dtype=np.int64)
        for k, parents in enumerate(parent_sets):
            sets[k, : len(parents)] = parents
        score_families(self._columns, self._terms.terms, child, sets, rows, answers)

    def _count_families(
        self,
        child: int,
        parent_sets: Sequence[tuple[int, ...]],
        rows: IntArray,
        answers: IntArray,
    ) -> None:
        from eiderdown.scores.kernels import score_tables

        for k, parents in enumerate(parent_sets):
            table = self._statistics.cells(child, parents).table
            score_tables(table[None, :, :, None], self._terms.terms, rows[k], answers[k : k + 1])

    def _family(self, child: int, parents: tuple[int, ...]) -> _Family:
        n_strata = min(math.prod(self._categories[z] for z in parents), _MOST_STRATA)
        key = (n_strata, self._categories[child])
        if key not in self._families:
            self._families[key] = self._new_family(*key)
        return self._families[key]

    def _new_family(self, n_strata: int, n_child: int) -> _Family:
        rows = np.zeros((self._occurring[-1] + 1, 2), dtype=np.int64)
        price = np.zeros(self._occurring[-1] + 1)
        for categories in self._occurring:
            finer = min(n_strata * categories, _MOST_STRATA)
            rows[categories] = [self._terms.row(shift) for shift in self.shifts(finer, n_child)]
            price[categories] = self.price(finer, n_child)
        return _Family(frozen(rows), frozen(price), self._price * (n_child - 1))

    @cached_property
    def _columns(self) -> Columns | None:
        """The columns for the compiled sweep, if one block of bytes holds them all."""
        from eiderdown.scores.kernels import Columns

        block = self.data.blocks[0]
        if len(self.data.blocks) > 1 or not isinstance(block, CodeBlock):
            return None
        if (
            block.codes.dtype != np.uint8
            or self.data.n_rows * self._occurring[-1] ** 2 > _MOST_CELLS
        ):
            return None
        codes = block.codes.view(np.uint8)
        planes = index_planes(self.data)
        return Columns(
            codes, self.data.row_in_block, self._n_categories, planes.planes, planes.first
        )

    @cached_property
    def _statistics(self) -> CountStatistics:
        return CountStatistics(self.data, n_jobs=self._workers.n_jobs)


def _require_discrete(data: Dataset) -> None:
    wrong = [data.names[i] for i in np.flatnonzero(~data.is_discrete)]
    if wrong:
        raise ColumnKindError(
            f"This score needs discrete columns, but these are continuous: {listed(wrong)}; "
            "discretise them, leave them out, or use the score 'kgv', which takes both kinds."
        )
