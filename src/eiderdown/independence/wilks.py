"""One test for every kind of column: Wilks' likelihood ratio between blocks of columns.

Let a variable be a block of numeric columns: a number one, a category of k values k - 1 contrasts,
a number that may bend a few. Two blocks are independent given others if no partial canonical
correlation is left between them (Hotelling 1936); the likelihood ratio is Wilks' lambda (1932), and
Rao's F (1951) its small-sample form. It is exact under normal noise where one of the blocks is one
column: Student's t of a partial correlation for two numbers, the F of an analysis of covariance for
a category and a number. For two categories it is close to Pearson's X2.

Chances of categories are no straight functions of numbers: what straight lines leave of two
categories is shared, and they would be called dependent. With ``confirm`` such a dependence counts
only if regressions of one of them (:mod:`eiderdown.independence.regression`) find it as well.

As in B. Andrews, J. Ramsey & G. Cooper, "Learning high-dimensional directed acyclic graphs with
mixed data types" (2019), a category that is given shifts means and leaves slopes as they are.

Fisher's z and Student's t on the partial correlation of numbers are the smallest case.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, TypeAlias

import numpy as np

from eiderdown.arrays import IntArray, frozen
from eiderdown.data import Dataset
from eiderdown.errors import ColumnKindError, listed
from eiderdown.independence.base import CompiledTest
from eiderdown.independence.batch import ALLOWS, N_VALUES, Allows, IndependenceBatch
from eiderdown.independence.block_levels import BlockLevels
from eiderdown.independence.kernels.block_levels import BlockSource
from eiderdown.independence.kernels.cache import ResultTable
from eiderdown.independence.kernels.subsets import Step
from eiderdown.independence.kernels.wilks import (
    FISHER,
    RAO,
    STUDENT,
    BlockRules,
    Blocks,
    judge_sweep,
    max_p_over_block_subsets,
    room_for,
)
from eiderdown.independence.levels import CompiledLevels
from eiderdown.independence.power import SIZES, Detect
from eiderdown.independence.regression import RegressionTest
from eiderdown.options import Option, checked_options, options_of
from eiderdown.progress import Trace
from eiderdown.statistics import MomentStatistics, moment_source
from eiderdown.statistics.cost import THREADS_PAY_FROM
from eiderdown.statistics.moments import Basis, Coding, Collinear, Ranks

CollinearColumns: TypeAlias = Annotated[
    Collinear,
    Option(
        "columns that are linear functions of others: leave them out of what is given, or shrink "
        "all correlations a little"
    ),
]

Confirm: TypeAlias = Annotated[
    bool,
    Option("count a dependence of two categories given numbers only if a regression confirms it"),
]

CLEAR_ABOVE = 0.1
"""P-values above this one need no confirmation, which would hardly make them small."""

_PER_COLUMN, _PER_PRODUCT = 400.0, 1.0  # nanoseconds, of a column that is tested given k others
_MOST_CORRELATIONS = 100_000_000  # numbers that a search over subsets may stack
_MOST_CORRELATIONS_AHEAD = 10_000_000  # that are computed before anybody asks for them
_AT_ONCE = 32  # variables whose correlations are, between two looks at the clock


class BlockTest(CompiledTest):
    """What tests of blocks of columns share.

    Parameters
    ----------
    statistics : MomentStatistics
        The correlations.
    form : int
        How evidence is judged; see ``kernels/wilks.py``.
    detect : {"small", "medium", "large"}
        How large a dependence must be that would have been seen, for independence to be said.
    """

    goes_by_question = True

    def __init__(self, statistics: MomentStatistics, form: int, detect: Detect) -> None:
        super().__init__(statistics.data.names)
        self.statistics, self.detect = statistics, detect
        self._rules = BlockRules(statistics.data.n_rows, form, SIZES[detect])
        self._widths = np.diff(statistics.first)
        self._note_unusable()

    def _sweep(
        self, candidates: IntArray, target: int, given: tuple[int, ...]
    ) -> IndependenceBatch:
        batch = IndependenceBatch.of_sweep(candidates, target, given)
        unusable = self.statistics.unusable
        if len(candidates) == 0 or unusable[[target, *given]].any():
            return batch.with_columns(allows=Allows.NOTHING)
        subsets = np.array([given], dtype=np.int64).reshape(1, -1)
        step = Step(frozen(candidates.view()), target, frozen(subsets), 0.0)
        blocks = self._blocks((target, *given))
        n_jobs = self.statistics.workers.n_jobs
        n_given, n_tested = (int(self._widths[x].sum()) for x in (list(given), candidates))
        pays = n_tested * (_PER_COLUMN + _PER_PRODUCT * n_given**2) > THREADS_PAY_FROM
        cuts = np.linspace(0, len(candidates), (n_jobs if pays else 1) + 1).astype(int).tolist()

        def judge(k: int) -> None:
            room = room_for(self.statistics.first, step)
            start, stop = cuts[k], cuts[k + 1]
            judge_sweep(blocks, self._rules, step, room, start, stop, batch.values)

        self.statistics.workers.each(judge, range(len(cuts) - 1), pays=pays)
        batch.values[unusable[candidates], ALLOWS] = Allows.NOTHING
        return batch

    def max_p_of_subsets(
        self, candidates: IntArray, target: int, subsets: IntArray, alpha: float, cache: ResultTable
    ) -> IndependenceBatch:
        """See :meth:`CompiledTest.max_p_of_subsets`."""
        step = Step(frozen(candidates.view()), target, frozen(subsets.view()), math.log(alpha))
        values = np.zeros((len(candidates), N_VALUES))
        chosen = np.empty(len(candidates), dtype=np.int64)
        pool = np.unique(subsets)
        blocks = self._blocks((target, *pool[pool >= 0].tolist()))
        room = room_for(self.statistics.first, step)
        max_p_over_block_subsets(blocks, self._rules, step, room, (cache, cache), values, chosen)
        return IndependenceBatch.of_subsets(candidates, target, subsets, chosen, values)

    def takes_subsets(self, candidates: IntArray, target: int, subsets: IntArray) -> bool:
        """Whether all are usable, and the rows of correlations fit memory."""
        pool = np.unique(subsets)
        asked = [target, *pool[pool >= 0]]
        n_rows = np.diff(self.statistics.first)[asked].sum()
        fits = n_rows * self.statistics.n_columns <= _MOST_CORRELATIONS
        return bool(fits and not self.statistics.unusable[[*asked, *candidates]].any())

    def compiled_levels(self, variables: IntArray) -> CompiledLevels | None:
        """Return what does a level in compiled code, if all are usable and correlations fit."""
        asked = tuple(variables.tolist())
        n_rows = np.diff(self.statistics.first)[variables].sum()
        fits = n_rows * self.statistics.n_columns <= _MOST_CORRELATIONS
        if not fits or self.statistics.unusable[variables].any():
            return None
        return BlockLevels(self.statistics, BlockSource(self._blocks(asked), self._rules))

    def make_ready(self, variables: IntArray, trace: Trace) -> None:
        """Compute the correlations of all variables, unless that is more than is kept."""
        n_rows = np.diff(self.statistics.first)[variables].sum()
        if n_rows * self.statistics.n_columns <= _MOST_CORRELATIONS_AHEAD:
            for start in range(0, len(variables), _AT_ONCE):
                trace.progressed("correlating", start)
                self.statistics.rows_of(variables[start : start + _AT_ONCE].tolist())

    def _blocks(self, variables: tuple[int, ...]) -> Blocks:
        rows, row_of = self.statistics.rows_of(variables)
        of = self.statistics
        return Blocks(rows, row_of, of.first, of.n_main, of.varies)

    def _note_unusable(self) -> None:
        wrong = np.flatnonzero(self.statistics.unusable).tolist()
        if wrong:
            self.notes.append(
                "Said nothing about columns with more categories than a third of the rows: "
                f"{listed([self.names[i] for i in wrong])}; group their categories, or leave them "
                "out."
            )


class WilksTest(BlockTest):
    """Wilks' likelihood ratio between blocks of columns, with Rao's F, for columns of any kinds.

    The statistic is Bartlett's chi-square on p q degrees of freedom, the p-value that of Rao's F.
    The effect is the partial correlation of two columns, with its sign, or for blocks
    sqrt(1 - lambda^(1/s)), where s is the smaller number of columns.

    Parameters
    ----------
    data : Dataset
        The table.
    basis : {"linear", "quadratic", "cubic"}
        Which powers of a number are columns of its block.
    ranks : bool
        Whether numbers are replaced by the normal scores of their ranks first.
    detect : {"small", "medium", "large"}
        How large a dependence must be that would have been seen, for independence to be said.
    collinear : {"drop", "shrink"}
        What to do with columns that are linear functions of the conditioning set.
    confirm : bool
        Whether a dependence of two categories given numbers counts only if a regression confirms
        it; the answer is then the regression's.
    n_jobs : int or None
        Threads; None means every available core.

    Examples
    --------
    >>> import numpy as np
    >>> from eiderdown.data import Dataset
    >>> rng = np.random.default_rng(0)
    >>> size = rng.normal(size=300)
    >>> kind = np.where(size + rng.normal(size=300) > 0, "large", "small")
    >>> price = 2.0 * (kind == "large") + rng.normal(size=300)
    >>> test = WilksTest(Dataset.from_columns({"size": size, "kind": kind, "price": price}))
    >>> test.test(0, 2).dependent(0.01), test.test(0, 2, given=[1]).dependent(0.01)
    (True, False)
    """

    def __init__(
        self,
        data: Dataset,
        *,
        basis: Basis = "linear",
        ranks: Ranks = False,
        detect: Detect = "medium",
        collinear: CollinearColumns = "drop",
        confirm: Confirm = False,
        n_jobs: int | None = None,
    ) -> None:
        given = {
            "basis": basis,
            "ranks": ranks,
            "detect": detect,
            "collinear": collinear,
            "confirm": confirm,
        }
        checked_options(options_of(WilksTest), given, type(self).__name__)
        self.options = given
        self._is_number = ~data.is_discrete
        statistics = moment_source(
            data, coding=Coding(basis, ranks), collinear=collinear, n_jobs=n_jobs
        )
        self._regression: RegressionTest | None = None
        if confirm:
            at_hand = statistics if collinear == "drop" else None
            self._regression = RegressionTest(data, detect=detect, n_jobs=n_jobs, moments=at_hand)
        super().__init__(statistics, RAO, detect)

    @property
    def description(self) -> dict[str, object]:
        """Name and options of the test, for the record of a run."""
        return {"test": type(self).__name__, **self.options}

    def _sweep(
        self, candidates: IntArray, target: int, given: tuple[int, ...]
    ) -> IndependenceBatch:
        batch = super()._sweep(candidates, target, given)
        if self._regression is not None and not self._is_number[target]:
            doubtful = ~self._is_number[candidates] & bool(self._is_number[list(given)].any())
            doubtful &= (batch.log_p < math.log(CLEAR_ABOVE)) & (batch.allows >= Allows.DEPENDENCE)
            if doubtful.any():
                confirmed = self._regression.sweep(candidates[doubtful], target, given).values
                # Where a regression says nothing, its p-value is 1: nothing was confirmed.
                batch.values[doubtful] = confirmed
        return batch

    def compiled_levels(self, variables: IntArray) -> CompiledLevels | None:
        """As :meth:`BlockTest.compiled_levels`, where nothing has to be confirmed."""
        return None if self._regression is not None else super().compiled_levels(variables)

    def takes_subsets(self, candidates: IntArray, target: int, subsets: IntArray) -> bool:
        """As :meth:`BlockTest.takes_subsets`, where nothing has to be confirmed."""
        if self._regression is not None and not self._is_number[[target, *candidates]].all():
            both = not self._is_number[target] and not self._is_number[candidates].all()
            if both and self._is_number[subsets[subsets >= 0]].any():
                return False
        return super().takes_subsets(candidates, target, subsets)


class CorrelationTest(BlockTest):
    """What Fisher's z and Student's t share: Wilks' test of blocks of one column each.

    Parameters
    ----------
    data : Dataset
        The table; tested columns must be continuous.
    detect : {"small", "medium", "large"}
        How large a dependence must be that would have been seen, for independence to be said.
    collinear : {"drop", "shrink"}
        What to do with columns that are linear functions of the conditioning set.
    n_jobs : int or None
        Threads; None means every available core.
    """

    form = STUDENT

    def __init__(
        self,
        data: Dataset,
        *,
        detect: Detect = "medium",
        collinear: CollinearColumns = "drop",
        n_jobs: int | None = None,
    ) -> None:
        given = {"detect": detect, "collinear": collinear}
        checked_options(options_of(CorrelationTest), given, type(self).__name__)
        statistics = moment_source(data, collinear=collinear, n_jobs=n_jobs)
        super().__init__(statistics, self.form, detect)

    @property
    def description(self) -> dict[str, object]:
        """Name and options of the test, for the record of a run."""
        options = {"detect": self.detect, "collinear": self.statistics.collinear}
        return {"test": type(self).__name__, **options}

    def _checked(self, xs: IntArray, target: int, given: Any) -> tuple[int, ...]:
        conditions = super()._checked(xs, target, given)
        asked = np.array([target, *conditions, *xs.tolist()], dtype=np.int64)
        wrong = np.unique(asked[self.statistics.data.is_discrete[asked]])
        if len(wrong):
            _refuse(self.statistics.data, wrong.tolist())
        return conditions


class FisherZTest(CorrelationTest):
    """Fisher's z: sqrt(n - |given| - 3) atanh(r) against the normal distribution, two-sided.

    Examples
    --------
    >>> import numpy as np
    >>> from eiderdown.data import Dataset
    >>> rng = np.random.default_rng(0)
    >>> a = rng.normal(size=500)
    >>> b = a + rng.normal(size=500)
    >>> c = b + rng.normal(size=500)
    >>> test = FisherZTest(Dataset.from_columns({"a": a, "b": b, "c": c}))
    >>> test.test(0, 2).dependent(0.01), test.test(0, 2, given=[1]).dependent(0.01)
    (True, False)
    """

    form = FISHER


class StudentTTest(CorrelationTest):
    """Student's t: r sqrt(dof / (1 - r^2)) with dof = n - |given| - 2, two-sided."""


def _refuse(data: Dataset, columns: list[int]) -> None:
    categories = [category for i in columns for category in data.categories(i)]
    numbers = all(isinstance(category, int | float) for category in categories)
    advice = ", or give their kind as continuous" if numbers else ""
    raise ColumnKindError(
        f"Correlations need continuous columns, but these are discrete: "
        f"{listed([data.names[i] for i in columns])}; use the test 'wilks', which takes both"
        f"{advice}."
    )
