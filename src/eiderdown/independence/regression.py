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

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray
from eiderdown.data import Dataset
from eiderdown.data.partitioned import PartitionedDataset
from eiderdown.errors import InsufficientMemoryError, OptionError
from eiderdown.independence.base import IndependenceTest
from eiderdown.independence.batch import ALLOWS, N_USED, N_VALUES, Allows, IndependenceBatch
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
from eiderdown.independence.part_designs import Task
from eiderdown.independence.partitioned_regression import PartitionedRegression
from eiderdown.independence.power import Detect
from eiderdown.independence.regression_models import LikelihoodModel, LinearModel, fill_allows
from eiderdown.options import checked_options, options_of
from eiderdown.statistics import MomentStatistics, Workers


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
                fill_allows(values, found, self.detect)
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
            model = LinearModel if family == "linear" else LikelihoodModel
            model(self.data, explained, given).fill(xs, values, self.detect, self._workers)
        if is_target:
            values[np.isin(xs, list(self._of_target)), ALLOWS] = Allows.FUNCTION
        return values
