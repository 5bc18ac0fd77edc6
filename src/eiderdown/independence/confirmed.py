"""Screen by blocks, confirm by likelihood: Wilks' test, and regression where it is not clear.

Wilks' test of blocks is quick, and far from the significance level its answer stands. Where its
p-value is near, the target is explained by regression (:mod:`eiderdown.independence.regression`),
and that is the answer. Pairs without the target are left to the screen. docs/regression.md says
for which tables that is better than either.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Annotated, TypeAlias

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.data import Dataset
from eiderdown.independence.base import IndependenceTest
from eiderdown.independence.batch import ALLOWS, Allows, IndependenceBatch
from eiderdown.independence.families import Event, Family
from eiderdown.independence.missing import deletion_for
from eiderdown.independence.power import Detect
from eiderdown.independence.regression import RegressionTest
from eiderdown.independence.wilks import WilksTest
from eiderdown.options import Option, checked_options, options_of

ClearBelow: TypeAlias = Annotated[
    float, Option("p-values of the screen below this one are clear", inside=(0, 1))
]
ClearAbove: TypeAlias = Annotated[
    float, Option("p-values of the screen above this one are clear", inside=(0, 1))
]


class ConfirmedTest(IndependenceTest):
    """Wilks' test of blocks, confirmed by regression of the target where it is not clear.

    Parameters
    ----------
    data : Dataset
        The table, of columns of any kind.
    target : int or None
        The column that is explained; without one nothing is confirmed.
    clear_below, clear_above : float
        P-values of the screen that need no confirmation.
    family, event, detect
        As for :class:`RegressionTest`.
    n_jobs : int or None
        Threads; None means every available core. Results do not depend on it.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> size = np.exp(rng.normal(size=300))
    >>> sick = np.where(2 * size + rng.logistic(size=300) > 3, "yes", "no")
    >>> test = ConfirmedTest(Dataset.from_columns({"size": size, "sick": sick}), target=1)
    >>> test.test(0, 1).answer(0.01)
    'dependent'
    """

    takes_missing = True

    def __init__(
        self,
        data: Dataset,
        *,
        target: int | None = None,
        clear_below: ClearBelow = 1e-6,
        clear_above: ClearAbove = 0.1,
        family: Family = "auto",
        event: Event = None,
        detect: Detect = "medium",
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(data.names)
        given = {"clear_below": clear_below, "clear_above": clear_above}
        checked_options(options_of(ConfirmedTest), given, type(self).__name__)
        self._given, self._target = given, target
        screen = partial(WilksTest, detect=detect, n_jobs=n_jobs)
        incomplete = data.has_missing.any()
        self._screen = deletion_for(data)(data, screen) if incomplete else screen(data)
        self._confirm = RegressionTest(
            data, target=target, family=family, event=event, detect=detect, n_jobs=n_jobs
        )
        self.why = self._confirm.why

    @property
    def description(self) -> dict[str, object]:
        """Name and options of the test, for the record of a run."""
        return {**self._confirm.description, **self._given, "test": type(self).__name__}

    def _sweep(
        self, candidates: IntArray, target: int, given: tuple[int, ...]
    ) -> IndependenceBatch:
        batch = self._screen.sweep(candidates, target, given)
        with_target = (candidates == self._target) | (target == self._target)
        log_p, low, high = batch.log_p, *map(math.log, self._given.values())
        near = with_target & (batch.allows >= Allows.DEPENDENCE) & (low < log_p) & (log_p < high)
        if not near.any():
            return batch
        confirmed = self._confirm.sweep(candidates[near], target, given).values
        says = confirmed[:, ALLOWS] >= Allows.DEPENDENCE  # else the screen's answer stands
        batch.values[np.flatnonzero(near)[says]] = confirmed[says]
        return batch
