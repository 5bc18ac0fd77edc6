"""Tests for continuous columns: Fisher's z and Student's t on the partial correlation."""

from __future__ import annotations

from typing import Any

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.data import Dataset
from eiderdown.errors import ColumnKindError, listed
from eiderdown.independence.kernels.wilks import FISHER, STUDENT
from eiderdown.independence.power import Detect
from eiderdown.independence.wilks import BlockTest, CollinearColumns
from eiderdown.options import checked_options, options_of
from eiderdown.statistics import MomentStatistics


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
        statistics = MomentStatistics(data, collinear=collinear, n_jobs=n_jobs)
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
