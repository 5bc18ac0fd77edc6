"""Likelihood-ratio tests by regression: whether a column helps to explain another.

    linear          F
    all others      2 (log-likelihood with x and Z - log-likelihood with Z), chi-square

One of the two columns is explained (``y``), the other one (``x``) and those given (``Z``) explain
it: a number as itself, a category of k values as k - 1 indicators. The family goes by the column
that is explained (:mod:`eiderdown.independence.families`). That is the target wherever it is one of
the two; of two others, the number or the one of fewer categories: the answer does not depend on
which is called x. The model without x is fitted once for all candidates, and each fit with one
starts from it.

Where classes are separated, likelihoods have no maximum. If Z alone predicts every class, nothing
is left to test; if x makes it so, Rao's score statistic, which needs no such fit, is the evidence.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray, frozen
from eiderdown.data import Dataset
from eiderdown.data.partitioned import PartitionedDataset
from eiderdown.errors import InsufficientMemoryError, OptionError
from eiderdown.independence.base import IndependenceTest
from eiderdown.independence.batch import ALLOWS, DOF, N_USED, N_VALUES, Allows, IndependenceBatch
from eiderdown.independence.families import (
    EXPLAINED_FIRST,
    Event,
    Explained,
    Family,
    FamilyName,
    checked_family,
    family_of,
    why_family,
)
from eiderdown.independence.kernels.regression import (
    Fit,
    Null,
    Rules,
    fit_all,
    orthonormal_base,
    project_all,
)
from eiderdown.independence.part_designs import Judged, Task
from eiderdown.independence.partitioned_regression import CERTAIN, PartitionedRegression
from eiderdown.independence.power import Detect, would_be_seen
from eiderdown.options import checked_options, options_of
from eiderdown.progress import carried, stop_if_cancelled
from eiderdown.statistics import MomentStatistics, Workers
from eiderdown.statistics.moments import TOLERANCE

LEAST_ROWS = 10
"""Fewer effective rows say nothing."""

ROWS_PER_COLUMN = 3
"""Effective rows for each coefficient of a predictor, from which on p-values were measured to be
right (docs/regression.md)."""

_AT_ONCE = 32  # candidates, between which the work can be cancelled
_THREADS_PAY_FROM = 50_000  # cells
_NO_LENGTH = 1e-14  # root mean square, of values up to 1, that rounding leaves


class RegressionTest(IndependenceTest):
    """Likelihood-ratio tests by regression, of the family that the explained column asks for.

    Parameters
    ----------
    data : Dataset
        The table, of columns of any kind.
    target : int or None
        The column that is explained wherever it is one of the two; None for none in particular.
    family : {"auto", "linear", "logistic", "multinomial", "ordinal", "poisson", \
"negative_binomial", "cox"}
        Kind of regression of the target; "auto" goes by its column.
    event : str or None
        Column that is 1 where an event happened and 0 where a row was censored; the target is then
        a time.
    detect : {"small", "medium", "large"}
        How large a dependence must be ruled out before independence is said.
    n_jobs : int or None
        Threads; None means every available core. Results do not depend on it.
    moments : MomentStatistics or None
        Correlations of a table in parts, if they are at hand.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> cause = rng.normal(size=300)
    >>> middle = cause + rng.normal(size=300)
    >>> sick = np.where(middle + rng.logistic(size=300) > 0, "yes", "no")
    >>> data = Dataset.from_columns({"cause": cause, "middle": middle, "sick": sick})
    >>> test = RegressionTest(data, target=2)
    >>> test.test(0, 2).answer(0.01), test.test(0, 2, given=[1]).answer(0.01)
    ('dependent', 'independent')
    """

    takes_missing = True

    def __init__(
        self,
        data: Dataset,
        *,
        target: int | None = None,
        family: Family = "auto",
        event: Event = None,
        detect: Detect = "medium",
        n_jobs: int | None = None,
        moments: MomentStatistics | None = None,
    ) -> None:
        super().__init__(data.names)
        given = {"family": family, "event": event, "detect": detect}
        checked_options(options_of(RegressionTest), given, type(self).__name__)
        if target is None and (family != "auto" or event is not None):
            raise OptionError(
                "Options 'family' and 'event' of a regression are about one target, and here there "
                "is none; leave them out."
            )
        self.data, self.detect, self.event = data, detect, event
        self._target, self._workers = target, Workers(n_jobs)
        self._family = None if target is None else checked_family(data, target, family, event)
        if target is not None and family == "auto" and event is None:
            self.why = why_family(data, target)
        self._families: dict[int, FamilyName] = {}
        self._of_target = set() if event is None else {data.index(event)}
        self._parts: PartitionedRegression | None = None
        if isinstance(data, PartitionedDataset):
            self._parts = PartitionedRegression(data, n_jobs, moments)

    @property
    def description(self) -> dict[str, object]:
        """Name and options of the test, for the record of a run."""
        return {
            "test": type(self).__name__,
            "family": self._family or "auto",
            "event": self.event,
            "detect": self.detect,
        }

    def _sweep(
        self, candidates: IntArray, target: int, given: tuple[int, ...]
    ) -> IndependenceBatch:
        values = np.zeros((len(candidates), N_VALUES))
        swapped = np.array([self._explains(target, int(x)) for x in candidates], dtype=np.bool_)
        if self._parts is not None:
            return self._sweep_of_parts(self._parts, candidates, target, given, swapped)
        alone = swapped | self.data.has_missing[candidates]
        together = np.flatnonzero(~alone)
        if len(together):
            values[together] = self._judged(target, candidates[together], given)
        for i in np.flatnonzero(alone):
            y, x = (candidates[i], target) if swapped[i] else (target, candidates[i])
            values[i] = self._judged(int(y), np.array([x], dtype=np.int64), given)[0]
        ys = np.full(len(candidates), target, dtype=np.int64)
        return IndependenceBatch(candidates, ys, (given,) * len(candidates), values)

    def _sweep_of_parts(
        self,
        parts: PartitionedRegression,
        candidates: IntArray,
        target: int,
        given: tuple[int, ...],
        swapped: BoolArray,
    ) -> IndependenceBatch:
        """Do the same with a table in parts: all that share a response and its rows at once."""
        batch = IndependenceBatch.of_sweep(candidates, target, given)
        groups: dict[tuple[int, int], list[int]] = {}
        for i, x in enumerate(candidates.tolist()):
            alone = x if self.data.has_missing[x] else -1
            groups.setdefault((x, target) if swapped[i] else (target, alone), []).append(i)
        tasks, places = [], []
        for (y, _), positions in groups.items():
            xs = np.array([target]) if y != target else candidates[positions]
            event = next(iter(self._of_target)) if self._family_of(y) == "cox" else None
            tasks.append(Task(y, self._family_of(y), xs, given, event))
            places.append(positions)
        for task, positions, found in zip(tasks, places, parts.judged(tasks), strict=True):
            if found is None:
                batch.values[positions] = self._judged_in_memory(task)
                continue
            values = found.values
            values[:, N_USED] = found.n_rows
            values[:, ALLOWS] = Allows.FUNCTION if found.n_rows else Allows.NOTHING
            if not found.is_constant and not found.is_settled:
                _fill_allows(values, found, self.detect)
                values[found.too_wide, ALLOWS] = Allows.NOTHING
            if task.y == self._target:
                values[np.isin(task.xs, list(self._of_target)), ALLOWS] = Allows.FUNCTION
            batch.values[positions] = values
        return batch

    def _judged_in_memory(self, task: Task) -> FloatArray:
        """Judge times of which very many are distinct by their rows, if those fit."""
        try:
            return self._judged(task.y, task.xs, task.given)
        except InsufficientMemoryError as problem:
            why = f"Too many distinct times of {self.names[task.y]!r} for the memory allowed"
            way_out = "allow more, or round them, to days say"
            raise InsufficientMemoryError(f"{why}; {way_out}.") from problem

    def _explains(self, y: int, x: int) -> bool:
        """Whether it is x that is explained, though y was called the target of the question."""
        if self._target in (x, y):
            return x == self._target
        if self._family_of(x) == self._family_of(y) == "linear":
            return False  # it makes no difference, and one model serves all
        return self._explained_order(x) < self._explained_order(y)

    def _family_of(self, column: int) -> FamilyName:
        if column not in self._families:
            own = self._family if column == self._target else None
            self._families[column] = own or family_of(self.data, column)
        return self._families[column]

    def _explained_order(self, column: int) -> tuple[int, int, str]:
        """Numbers before classes, few classes before many: those regressions are the quicker."""
        rank = EXPLAINED_FIRST.index(self._family_of(column))
        return rank, int(self.data.n_categories[column]), self.names[column]

    def _judged(self, y: int, xs: IntArray, given: tuple[int, ...]) -> FloatArray:
        """Judge columns that explain y and are complete, or a single one, with those given."""
        is_target, family = y == self._target, self._family_of(y)
        event = self.event if is_target else None
        used = (y, *given, *xs.tolist()) if len(xs) == 1 else (y, *given)
        if event is not None:
            used = (*used, self.data.index(event))
        explained = Explained.of(
            self.data, y, family, event, np.flatnonzero(self.data.complete_rows(used))
        )
        values = np.zeros((len(xs), N_VALUES))
        values[:, N_USED] = len(explained.y)
        values[:, ALLOWS] = Allows.FUNCTION if len(explained.y) else Allows.NOTHING
        if not explained.is_constant:
            model = _LinearModel if family == "linear" else _LikelihoodModel
            model(self.data, explained, given).fill(xs, values, self.detect, self._workers)
        if is_target:
            values[np.isin(xs, list(self._of_target)), ALLOWS] = Allows.FUNCTION
        return values


def _fill_allows(values: FloatArray, model: Judged | _Model, detect: Detect) -> None:
    """Fill in which answers the rows allow."""
    dof, n_effective = values[:, DOF], model.n_effective
    n_columns = model.n_base + dof / model.n_predictors
    enough = n_effective >= np.maximum(LEAST_ROWS, ROWS_PER_COLUMN * n_columns)
    seen = would_be_seen(n_effective, 2.0 * dof, detect)
    allows = np.where(seen, Allows.BOTH, Allows.DEPENDENCE)
    allows = np.where(enough, allows, Allows.NOTHING)
    values[:, ALLOWS] = np.where(dof > 0.0, allows, Allows.FUNCTION)


class _Model(ABC):
    """The explained column and the columns given, orthonormal: the model without candidates."""

    def __init__(self, data: Dataset, explained: Explained, given: tuple[int, ...]) -> None:
        self.data, self.explained = data, explained
        n_rows = len(explained.y)
        columns = [block_of(data, z, explained.rows) for z in given]
        if explained.has_intercept:
            columns.insert(0, np.full((1, n_rows), 1.0 / np.sqrt(n_rows)))
        base = np.concatenate(columns) if columns else np.empty((0, n_rows))
        self.design = np.ascontiguousarray(base.T)
        self.n_base = int(orthonormal_base(self.design, self.design.shape[1]))

    @property
    def n_effective(self) -> float:
        """How many rows the information is worth."""
        return float(len(self.explained.y))

    @property
    def n_predictors(self) -> int:
        """How many linear predictors a row has."""
        return self.explained.n_predictors

    @property
    @abstractmethod
    def is_settled(self) -> bool:
        """Whether nothing is left to explain."""

    @abstractmethod
    def judge(
        self, design: FloatArray, blocks: FloatArray, starts: IntArray, values: FloatArray
    ) -> None:
        """Fill in statistic, degrees of freedom, log p and effect of each block."""

    def fill(self, xs: IntArray, values: FloatArray, detect: Detect, workers: Workers) -> None:
        """Fill in the values of each column."""
        if self.is_settled:
            return
        rows, n_rows, n_base = self.explained.rows, len(self.explained.y), self.n_base
        starts = range(0, len(xs), _AT_ONCE)

        def work(start: int) -> None:
            stop_if_cancelled()
            some = slice(start, start + starts.step)
            blocks = [block_of(self.data, int(x), rows) for x in xs[some]]
            widths = np.array([0, *map(len, blocks)], dtype=np.int64)
            design = np.zeros((n_rows, n_base + int(widths.max())))
            design[:, :n_base] = self.design[:, :n_base]
            stacked = np.ascontiguousarray(np.concatenate(blocks))
            self.judge(design, stacked, np.cumsum(widths), values[some])

        workers.each(carried(work), starts, pays=len(xs) * n_rows > _THREADS_PAY_FROM)
        _fill_allows(values, self, detect)


class _LinearModel(_Model):
    """Least squares: what a block explains of the residual."""

    def __init__(self, data: Dataset, explained: Explained, given: tuple[int, ...]) -> None:
        super().__init__(data, explained, given)
        y = explained.y - explained.y.mean()
        residual = y / np.sqrt(y @ y)
        base = self.design[:, : self.n_base]
        for _ in range(2):  # the second time against rounding
            residual = residual - base @ (base.T @ residual)
        self._left = float(residual @ residual)
        self._residual = frozen(residual / np.sqrt(max(self._left, TOLERANCE)))

    @property
    def is_settled(self) -> bool:
        """Whether the columns given determine the explained one."""
        return self._left <= TOLERANCE

    def judge(
        self, design: FloatArray, blocks: FloatArray, starts: IntArray, values: FloatArray
    ) -> None:
        """Fill in F and what belongs to it."""
        rules = Rules(self.n_base, self.n_effective, False)
        project_all(rules, design, self._residual, blocks, starts, values)


class _LikelihoodModel(_Model):
    """A fitted model, from which fits with candidates start."""

    def __init__(self, data: Dataset, explained: Explained, given: tuple[int, ...]) -> None:
        super().__init__(data, explained, given)
        self._fit()
        as_poisson = explained.settled(self._null.parameters)
        if as_poisson is not explained:
            self.explained = as_poisson
            self._fit()

    def _fit(self) -> None:
        response = self.explained.response
        fit, self._null = Fit.of(self.n_base, response), Null.of(self.explained.start(self.n_base))
        no_blocks, starts = np.zeros((0, len(self.explained.y))), np.zeros(1, dtype=np.int64)
        rules, no_values = Rules(self.n_base, 1.0, False), np.zeros((0, N_VALUES))
        fit_all(response, rules, self.design, no_blocks, starts, fit, self._null, no_values)
        self._n_effective = self.explained.effective_rows(fit.sums.curve, self.n_base)

    @property
    def n_effective(self) -> float:
        """How many rows the information is worth."""
        return self._n_effective

    @property
    def is_settled(self) -> bool:
        """Whether the columns given predict every class."""
        certain = -CERTAIN * len(self.explained.y)
        return self.explained.can_separate and bool(self._null.found[0] > certain)

    def judge(
        self, design: FloatArray, blocks: FloatArray, starts: IntArray, values: FloatArray
    ) -> None:
        """Fill in the likelihood ratio and what belongs to it."""
        response = self.explained.response
        rules = Rules(self.n_base, self._n_effective, self.explained.can_separate)
        fit = Fit.of(design.shape[1], response)
        fit_all(response, rules, design, blocks, starts, fit, self._null, values)


def block_of(data: Dataset, column: int, rows: IntArray) -> FloatArray:
    """Return a number as one row, a category as indicators, each of mean 0 and length 1.

    One indicator, of the most frequent category, is left out. Of a column that has one value on
    these rows nothing is left.

    Examples
    --------
    >>> data = Dataset.from_columns({"a": ["x", "y", "y"]})
    >>> block_of(data, 0, np.arange(3)).round(2).tolist()
    [[0.82, -0.41, -0.41]]
    """
    if data.is_discrete[column]:
        codes = data.codes(column)[rows]
        counts = np.bincount(codes)
        seen = np.flatnonzero(counts)
        block = (codes == seen[seen != counts.argmax()][:, None]).astype(np.float64)
    else:
        block = data.values(column)[None, rows].astype(np.float64)
        block = block / max(1e-300, float(np.abs(block).max(initial=0.0)))
    for _ in range(2):  # the first mean is itself rounded
        block -= block.mean(axis=1, keepdims=True)
    length = np.sqrt(np.einsum("ij,ij->i", block, block))
    varies = length > _NO_LENGTH * np.sqrt(len(rows))
    scaled: FloatArray = block[varies] / length[varies, None]
    return scaled
