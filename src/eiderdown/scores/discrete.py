"""What the scores of discrete columns share.

Tables whose columns are all held as bytes are scored by one compiled call per sweep; all others
(sparse columns, columns of very many categories) through the counts of the statistics layer. Both
give the same numbers to the last bit.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from eiderdown.arrays import FloatArray, IntArray, frozen
from eiderdown.data import CodeBlock, Dataset
from eiderdown.data.missing import require_complete
from eiderdown.data.partitioned import PartitionedDataset
from eiderdown.errors import ColumnKindError, listed
from eiderdown.scores.base import LocalScore
from eiderdown.scores.cell_masks import CodedColumns
from eiderdown.scores.common_terms import TERMS_LOCK
from eiderdown.scores.compiled import KernelScore, KnownShapes, Shape
from eiderdown.scores.compiled_answers import TableAnswers
from eiderdown.scores.kernels import GammaTerms, LikelihoodTerms, score_tables
from eiderdown.scores.questions import CompiledAnswers, Question
from eiderdown.scores.sweeps import NO_CANDIDATES, PackedSweeps, Sweep, padded
from eiderdown.statistics import (
    CountBlock,
    Counts,
    CountSource,
    Workers,
    count_source,
    index_planes,
)
from eiderdown.statistics.counts import Consume

_MOST_STRATA = 10**290  # keeps products of very many categories finite
_OURS = __name__.partition(".")[0]
_MOST_CELLS = 1 << 26  # of the largest table that one candidate could have, held at once


@dataclass(frozen=True, eq=False)
class _Family:
    """What a family's score needs beside its table, by how many categories one more parent has."""

    rows: IntArray  # which tabulated function cells and strata need; 1 category: no further parent
    price: FloatArray  # of the free parameters, counted by declared categories
    price_of_stratum: float


class DiscreteScore(LocalScore):
    """What the scores of discrete columns share.

    Parameters
    ----------
    data : Dataset
        The table; its columns must be discrete.
    terms : LikelihoodTerms or GammaTerms
        The functions that are summed over cells and strata.
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
        observed: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(data.names)
        _require_discrete(data)
        self.data = data
        self._terms = terms
        # On the grid of the terms, so that differences of scores are exact.
        self._price = round(self.price_of_parameter(data.n_rows) * terms.scale) / terms.scale
        self._observed = observed
        self._categories: list[int] = [*data.n_categories.tolist(), 1]  # the last is nobody's
        self._occurring = sorted(set(self._categories))
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

    def price_of_parameter(self, n_rows: float) -> float:  # noqa: ARG002  of no other table
        """Return what one free parameter costs."""
        return 0.0

    def price(self, n_strata: int, n_child: int) -> float:
        """Return what the free parameters of a family cost, counted by declared categories."""
        return self._price * (float(n_child - 1) * float(n_strata))

    def price_at(self, n_rows: float, n_strata: int, n_child: int) -> float:
        """Return what they would cost in a table of so many rows."""
        whole = self.price_of_parameter(self.data.n_rows)
        ratio = self.price_of_parameter(n_rows) / whole if whole > 0.0 else 1.0
        return ratio * self.price(n_strata, n_child)

    def _local(self, child: int, parents: tuple[int, ...]) -> float:
        return self._locals(child, [parents])[0]

    def _locals(self, child: int, parent_sets: Sequence[tuple[int, ...]]) -> Sequence[float]:
        families = [self._family(child, parents) for parents in parent_sets]
        rows = np.array([family.rows[1] for family in families])
        if self._columns is None:
            answers = np.empty((len(families), 2), dtype=np.int64)

            def begin(k: int, shared: Counts) -> Consume:
                answers[k] = self._summed(shared[None, :, :, None], rows[k : k + 1])[0]
                return lambda _block: None

            nobody = np.empty(0, dtype=np.int64)
            self._statistics.count_all([(nobody, child, parents) for parents in parent_sets], begin)
        else:
            alone = [(child, parents, NO_CANDIDATES) for parents in parent_sets]
            answers = self._answers(PackedSweeps.of(alone), rows)
        prices = np.array([family.price[1] for family in families])
        scores: list[float] = self._priced(answers, prices, families[0]).tolist()
        return scores

    def _local_of_all(self, families: Sequence[tuple[int, tuple[int, ...]]]) -> Sequence[float]:
        if self._columns is None or self._observed:
            return super()._local_of_all(families)
        sweeps: list[Sweep] = [(child, parents, NO_CANDIDATES) for child, parents in families]
        scores: list[float] = self._scores_in_one_call(PackedSweeps.of(sweeps)).tolist()
        return scores

    def _additions(self, child: int, parents: tuple[int, ...], candidates: IntArray) -> FloatArray:
        family = self._family(child, parents)
        categories = self.data.n_categories[candidates]
        rows = family.rows[categories]
        if self._columns is None:
            answers = np.empty((len(candidates), 2), dtype=np.int64)

            def consume(block: CountBlock) -> None:
                answers[block.positions] = self._summed(block.counts, rows[block.positions])

            question = (candidates, child, parents)
            self._statistics.count_all([question], lambda _number, _shared: consume)
        else:
            of_child, start, end = np.array([[child], [0], [len(rows)]], dtype=np.int64)
            sweep = PackedSweeps(of_child, padded([parents]), start, end, candidates.copy())
            answers = self._answers(sweep, rows)
        return self._priced(answers, family.price[categories], family)

    def _summed(self, counts: Counts, rows: IntArray) -> IntArray:
        """Sum the terms of each table of a block."""
        answers = np.empty((len(counts), 2), dtype=np.int64)
        score_tables(np.ascontiguousarray(counts), self._terms.terms, rows, answers)
        return answers

    def _gains_by_counts(self, sweeps: Sequence[Sweep]) -> list[FloatArray]:
        """Answer many sweeps in as few passes over the rows as there can be."""
        gains = [np.empty(len(xs)) for _, _, xs in sweeps]

        def begin(k: int, shared: Counts) -> Consume:
            child, parents, xs = sweeps[k]
            family = self._family(child, parents)
            alone = self._summed(shared[None, :, :, None], family.rows[1:2])
            before = self._priced(alone, family.price[1:2], family)
            categories = self.data.n_categories[xs]

            def consume(block: CountBlock) -> None:
                of_block = categories[block.positions]
                sums = self._summed(block.counts, family.rows[of_block])
                after = self._priced(sums, family.price[of_block], family)
                gains[k][block.positions] = after - before

            return consume

        self._statistics.count_all([(xs, child, parents) for child, parents, xs in sweeps], begin)
        return gains

    def _gains_of_all(self, sweeps: Sequence[Sweep]) -> list[FloatArray]:
        if self._columns is None:
            return self._gains_by_counts(sweeps)
        if self._observed:
            return super()._gains_of_all(sweeps)
        packed = PackedSweeps.of(sweeps)
        return packed.gains(self._scores_in_one_call(packed))

    def _scores_of_all(self, packed: PackedSweeps) -> FloatArray:
        if self._columns is None or self._observed:
            return super()._scores_of_all(packed)
        return self._scores_in_one_call(packed)

    def _relative_scores(self, packed: PackedSweeps) -> FloatArray | None:
        if self._columns is None or self._observed:
            return None
        return self._scores_in_one_call(packed)

    def compiled_answers(self, question: Question, board: IntArray) -> CompiledAnswers | None:
        """Return what answers a kernel's questions without Python."""
        score = self.kernel_score
        return None if score is None else TableAnswers(board, question, score)

    def empty_total(self) -> float:
        """Score the graph without edges."""
        if self._columns is None or self._observed:
            return super().empty_total()
        families: list[tuple[int, tuple[int, ...]]] = [(x, ()) for x in range(self.n_variables)]
        known = [self._known[family] for family in families if family in self._known]
        all_known = len(known) == self.n_variables
        return math.fsum(known if all_known else self._local_of_all(families))

    def _scores_in_one_call(self, packed: PackedSweeps) -> FloatArray:
        """Score each child as it is, then with each candidate."""
        assert self._by_kernels is not None
        scores = self._by_kernels.scores(packed)
        return self._scores_of_many_strata(packed) if scores is None else scores

    def _scores_of_many_strata(self, packed: PackedSweeps) -> FloatArray:
        """As above, where numbers of strata can be larger than kernels count."""
        children, sets, starts, ends, candidates = packed
        categories = self.data.n_categories[candidates]
        categories[starts] = 1
        families = list(map(self._family, children.tolist(), sets.tolist()))
        bounds = list(zip(families, starts.tolist(), ends.tolist(), strict=True))
        rows = np.concatenate([family.rows[categories[a:b]] for family, a, b in bounds])
        prices = np.concatenate([family.price[categories[a:b]] for family, a, b in bounds])
        scores: FloatArray = self._answers(packed, rows)[:, 0] / self._terms.scale - prices
        return scores

    def _answers(self, sweeps: PackedSweeps, rows: IntArray) -> IntArray:
        assert self._by_kernels is not None
        return self._by_kernels.sums(sweeps, rows)

    def _priced(self, answers: IntArray, prices: FloatArray, family: _Family) -> FloatArray:
        sums: FloatArray = answers[:, 0] / self._terms.scale
        return sums - (family.price_of_stratum * answers[:, 1] if self._observed else prices)

    def _family(self, child: int, parents: Sequence[int]) -> _Family:
        """Return what a family needs; a parent -1 is none."""
        n_strata = min(math.prod([self._categories[z] for z in parents]), _MOST_STRATA)
        key = (n_strata, self._categories[child])
        if key in self._families:
            return self._families[key]
        n_child = key[1]
        rows = np.zeros((self._occurring[-1] + 1, 2), dtype=np.int64)
        price = np.zeros(self._occurring[-1] + 1)
        for categories in self._occurring:
            finer = min(n_strata * categories, _MOST_STRATA)
            rows[categories] = [self._terms.row(shift) for shift in self.shifts(finer, n_child)]
            price[categories] = self.price(finer, n_child)
        family = _Family(frozen(rows), frozen(price), self._price * (n_child - 1))
        self._families[key] = family
        return family

    @property
    def kernel_score(self) -> KernelScore | None:
        """The score as kernels take it; None if they do not."""
        return None if self._observed else self._by_kernels

    @cached_property
    def _by_kernels(self) -> KernelScore | None:
        columns = self._columns
        if columns is None:
            return None
        return KernelScore(
            columns, self._terms, self._shape, self._workers.n_jobs, self._common_shapes()
        )

    def _common_shapes(self) -> KnownShapes | None:
        """Return what scores like this one, with the same terms, know of families."""
        if type(self).__module__.partition(".")[0] != _OURS:
            return None  # what a score of somebody's own makes of a shape only that one knows
        key = type(self), tuple(sorted(self.params.items()))
        with TERMS_LOCK:
            shapes: KnownShapes = self._terms.shapes.setdefault(key, KnownShapes())
        return shapes

    def _shape(self, n_strata: int, n_child: int) -> Shape:
        of_cells, of_strata = map(self._terms.row, self.shifts(n_strata, n_child))
        return self.price(n_strata, n_child), of_cells, of_strata

    @cached_property
    def _columns(self) -> CodedColumns | None:
        """The columns for the compiled sweep, if one block of bytes holds them all."""
        if not self._in_memory:
            return None
        data, block = self.data, self.data.blocks[0]
        if len(data.blocks) > 1 or not isinstance(block, CodeBlock):
            return None
        if block.codes.dtype != np.uint8 or data.n_rows * self._occurring[-1] ** 2 > _MOST_CELLS:
            return None
        codes, planes = block.codes.view(np.uint8), index_planes(data)
        return CodedColumns(
            codes, data.row_in_block, data.n_categories, planes.planes, planes.first
        )

    @cached_property
    def _statistics(self) -> CountSource:
        return count_source(self.data, n_jobs=self._workers.n_jobs)

    @property
    def _in_memory(self) -> bool:
        return not isinstance(self.data, PartitionedDataset)


def _require_discrete(data: Dataset) -> None:
    require_complete(data, "This score (make_score makes one that does)")
    wrong = [data.names[i] for i in np.flatnonzero(~data.is_discrete)]
    if wrong:
        raise ColumnKindError(
            f"This score needs discrete columns, but these are continuous: {listed(wrong)}; "
            "discretise them, leave them out, or use the score 'kgv', which takes both kinds."
        )
