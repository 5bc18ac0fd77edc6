"""Scores of discrete columns: BIC, AIC, BDeu and K2.

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
from typing import Annotated, Literal, TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray, IntArray, frozen
from eiderdown.data import CodeBlock, Dataset
from eiderdown.data.missing import require_complete
from eiderdown.data.partitioned import PartitionedDataset
from eiderdown.errors import ColumnKindError, listed
from eiderdown.options import Option
from eiderdown.scores.base import LocalScore, checked_params
from eiderdown.scores.cell_masks import CodedColumns
from eiderdown.scores.compiled_answers import Shape, TableAnswers
from eiderdown.scores.families import TOO_MANY, FamilyTerms, look_up
from eiderdown.scores.kernels import (
    GammaTerms,
    LikelihoodTerms,
    score_sweeps,
    score_tables,
)
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
from eiderdown.work_sharing import waiting_threads

_MOST_STRATA = 10**290  # keeps products of very many categories finite
_MOST_CELLS = 1 << 26  # of the largest table that one candidate could have, held at once

Parameters: TypeAlias = Annotated[
    Literal["nominal", "observed"],
    Option(
        "count all combinations of declared categories as having parameters, or those that occur"
    ),
]
EquivalentSampleSize: TypeAlias = Annotated[
    float, Option("weight of the prior, in rows", inside=(0, math.inf))
]


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
        self._noted = FamilyTerms.empty()
        self._keys: set[tuple[int, int]] = set()  # that are noted

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
        if self._columns is None or self._observed:
            return None

        def shape(n_strata: int, n_child: int) -> Shape:
            of_cells, of_strata = map(self._terms.row, self.shifts(n_strata, n_child))
            return self.price(n_strata, n_child), of_cells, of_strata

        return TableAnswers(board, self._columns, lambda: self._terms.terms, shape, question)

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
        n = len(packed.candidates)
        rows, prices = np.empty((n, 2), dtype=np.int64), np.empty(n)
        new = np.empty(len(packed.children), dtype=np.int64)
        n_new = look_up(self._noted, self.data.n_categories, packed, rows, prices, new)
        if n_new == TOO_MANY:
            return self._scores_of_many_strata(packed)
        if n_new > 0:
            sets = packed.parents[new[:n_new]].tolist()
            for child, parents in zip(packed.children[new[:n_new]].tolist(), sets, strict=True):
                self._note(child, parents)
            look_up(self._noted, self.data.n_categories, packed, rows, prices, new)
        answers = self._answers(packed, rows)
        scores: FloatArray = answers[:, 0] / self._terms.scale - prices
        return scores

    def _note(self, child: int, parents: Sequence[int]) -> None:
        """Let kernels find what a family needs, with whoever is added to it."""
        n_strata = math.prod([self._categories[z] for z in parents])
        n_child = self._categories[child]
        for finer in [n_strata * categories for categories in self._occurring]:
            if (finer, n_child) not in self._keys:
                self._keys.add((finer, n_child))
                rows = [self._terms.row(shift) for shift in self.shifts(finer, n_child)]
                if 2 * len(self._keys) > len(self._noted.keys):
                    self._noted = self._noted.larger()
                self._noted.add(finer, n_child, rows, self.price(finer, n_child))

    def _scores_of_many_strata(self, packed: PackedSweeps) -> FloatArray:
        """As above, where numbers of strata can be larger than kernels count."""
        children, sets, starts, ends, candidates = packed
        categories = self.data.n_categories[candidates]
        categories[starts] = 1
        families = list(map(self._family, children.tolist(), sets.tolist()))
        bounds = list(zip(families, starts.tolist(), ends.tolist(), strict=True))
        rows = np.concatenate([family.rows[categories[a:b]] for family, a, b in bounds])
        prices = np.concatenate([family.price[categories[a:b]] for family, a, b in bounds])
        answers = self._answers(packed, rows)
        scores: FloatArray = answers[:, 0] / self._terms.scale - prices
        return scores

    def _answers(self, sweeps: PackedSweeps, rows: IntArray) -> IntArray:
        """Sum the terms of each family."""
        assert self._columns is not None
        answers = np.empty((len(rows), 2), dtype=np.int64)
        terms = self._terms.terms  # after the families, which may have tabulated more
        with waiting_threads(self._workers.n_jobs) as board:
            score_sweeps(board, self._columns, terms, sweeps, rows, answers)
        return answers

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


class PenalisedLikelihood(DiscreteScore):
    """Log-likelihood of the best-fitting tables, less a price for every free parameter.

    A child of r categories has r - 1 free parameters for each combination of its parents'
    categories.

    Parameters
    ----------
    data : Dataset
        The table; its columns must be discrete.
    parameters : {"nominal", "observed"}
        Whether every combination of declared categories counts, or only those that occur. Only the
        first scores equivalent graphs the same.
    n_jobs : int or None
        Threads; None means every available core. Scores do not depend on it.
    """

    def __init__(
        self, data: Dataset, *, parameters: Parameters = "nominal", n_jobs: int | None = None
    ) -> None:
        params = checked_params(PenalisedLikelihood, parameters=parameters)
        observed = parameters == "observed"
        super().__init__(data, LikelihoodTerms(data.n_rows), observed=observed, n_jobs=n_jobs)
        self.params = params
        self.equivalent = not observed

    def shifts(self, n_strata: int, n_child: int) -> tuple[float, float]:  # noqa: ARG002
        """Return what is added to the counts of cells and of strata."""
        return 0.0, 0.0


class LikelihoodScore(PenalisedLikelihood):
    """The log-likelihood alone: one more parent Y gains n times I(X; Y | the others), in nats.

    Every further parent raises it, so it is no score to search graphs by.

    Parameters
    ----------
    data, parameters, n_jobs
        As for :class:`PenalisedLikelihood`.
    """

    name = "likelihood"


class BicScore(PenalisedLikelihood):
    """The Bayesian information criterion (Schwarz 1978): a parameter costs ln(n) / 2.

    Parameters
    ----------
    data, parameters, n_jobs
        As for :class:`PenalisedLikelihood`.

    Examples
    --------
    >>> data = Dataset.from_columns({"a": [0, 0, 1, 1] * 25, "b": [0, 0, 1, 1] * 25})
    >>> score = BicScore(data)
    >>> round(score.local(1), 2), round(score.local(1, [0]), 2)
    (-71.62, -4.61)
    """

    name = "bic"

    def price_of_parameter(self, n_rows: float) -> float:
        """Return what one free parameter costs."""
        return 0.5 * math.log(n_rows)


class AicScore(PenalisedLikelihood):
    """Akaike's information criterion (1974): a parameter costs 1.

    Parameters
    ----------
    data, parameters, n_jobs
        As for :class:`PenalisedLikelihood`.
    """

    name = "aic"

    def price_of_parameter(self, n_rows: float) -> float:  # noqa: ARG002  of any table
        """Return what one free parameter costs."""
        return 1.0


class BdeuScore(DiscreteScore):
    """Log marginal likelihood with a prior that is uniform over each family's joint table.

    Heckerman, Geiger and Chickering (1995).

    Parameters
    ----------
    data : Dataset
        The table; its columns must be discrete.
    equivalent_sample_size : float
        Weight of the prior, in rows; it is shared by all cells of declared categories.
    n_jobs : int or None
        Threads; None means every available core. Scores do not depend on it.
    """

    name = "bdeu"
    equivalent = True

    def __init__(
        self,
        data: Dataset,
        *,
        equivalent_sample_size: EquivalentSampleSize = 1.0,
        n_jobs: int | None = None,
    ) -> None:
        params = checked_params(BdeuScore, equivalent_sample_size=equivalent_sample_size)
        super().__init__(data, GammaTerms(data.n_rows), n_jobs=n_jobs)
        self.params = params

    def shifts(self, n_strata: int, n_child: int) -> tuple[float, float]:
        """Return what is added to the counts of cells and of strata."""
        size: float = self.params["equivalent_sample_size"]
        return size / (n_strata * n_child), size / n_strata


class K2Score(DiscreteScore):
    """Log marginal likelihood with a prior that is uniform over every distribution of a child.

    Cooper and Herskovits (1992).

    Parameters
    ----------
    data : Dataset
        The table; its columns must be discrete.
    n_jobs : int or None
        Threads; None means every available core. Scores do not depend on it.
    """

    name = "k2"

    def __init__(self, data: Dataset, *, n_jobs: int | None = None) -> None:
        super().__init__(data, GammaTerms(data.n_rows), n_jobs=n_jobs)

    def shifts(self, n_strata: int, n_child: int) -> tuple[float, float]:  # noqa: ARG002
        """Return what is added to the counts of cells and of strata."""
        return 1.0, float(n_child)


class PenalisedK2Score(K2Score):
    """K2 less ln(n) / 2 for every free parameter.

    Lantz, Ray and Page (2007) subtract 2^|parents| ln(n) / 2 for binary columns; with other columns
    it is (categories - 1) times the combinations of the parents' categories, which for binary ones
    is the same.

    Parameters
    ----------
    data, n_jobs
        As for :class:`K2Score`.
    """

    name = "k2_penalised"

    def price_of_parameter(self, n_rows: float) -> float:
        """Return what one free parameter costs."""
        return 0.5 * math.log(n_rows)


def _require_discrete(data: Dataset) -> None:
    require_complete(data, "This score (make_score makes one that does)")
    wrong = [data.names[i] for i in np.flatnonzero(~data.is_discrete)]
    if wrong:
        raise ColumnKindError(
            f"This score needs discrete columns, but these are continuous: {listed(wrong)}; "
            "discretise them, leave them out, or use the score 'kgv', which takes both kinds."
        )
