"""Pearson's X2 with exact moments: the test for categories that holds its level in thin tables.

Within each stratum the mean, the variance and the third moment of X2 over all permutations of one
variable are known exactly; so are those of their sum. ``kernels/calibrated.py`` says how the
p-value follows. No rule of thumb about rows is needed for "dependent"; "independent"
is said where a dependence of the size ``detect`` would have been seen.
"""

from __future__ import annotations

from eiderdown.arrays import FloatArray
from eiderdown.data import Dataset
from eiderdown.independence.contingency import ContingencyTest, Judge, unused_rules
from eiderdown.independence.kernels.calibrated import judge_calibrated
from eiderdown.independence.kernels.moments import Room, exact_tables
from eiderdown.independence.kernels.subsets import Judging
from eiderdown.independence.power import SIZES, Detect
from eiderdown.options import checked_options, options_of
from eiderdown.statistics import Counts


class CalibratedChiSquareTest(ContingencyTest):
    """Pearson's X2 within strata, against its own permutations.

    Its degrees of freedom are the mean of X2 over all permutations, its effect size is Cohen's w
    less what chance alone gives, and ``n_used`` counts the rows of strata in which both variables
    vary.

    Parameters
    ----------
    data : Dataset
        The table; tested columns must be discrete.
    detect : {"small", "medium", "large"}
        How large a dependence must be to be ruled out before two variables are independent.
    n_jobs : int or None
        Threads; None means every available core. Results do not depend on it.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> a = rng.integers(0, 2, 1000)
    >>> b = a ^ (rng.random(1000) < 0.1)
    >>> c = rng.integers(0, 2, 1000)
    >>> test = CalibratedChiSquareTest(Dataset.from_columns({"a": a, "b": b, "c": c, "d": a}))
    >>> test.test(0, 1).answer(0.01), test.test(0, 2, given=[1]).answer(0.01)
    ('dependent', 'independent')
    >>> test.test(0, 1, given=[3]).answer(0.01)
    'cannot say'
    """

    def __init__(
        self, data: Dataset, *, detect: Detect = "medium", n_jobs: int | None = None
    ) -> None:
        checked_options(
            options_of(CalibratedChiSquareTest), {"detect": detect}, type(self).__name__
        )
        self.detect = detect
        self._exact = exact_tables(
            data.n_rows, int(data.n_categories.max(initial=2)), SIZES[detect]
        )
        super().__init__(data, Judging(unused_rules(data.n_rows), self._exact, True), n_jobs)

    @property
    def description(self) -> dict[str, object]:
        """Name and options of the test, for the record of a run."""
        return {"test": type(self).__name__, "detect": self.detect}

    def _judge(self, shared: Counts, given: tuple[int, ...]) -> Judge:  # noqa: ARG002
        def judge(counts: Counts, table: Counts, values: FloatArray) -> None:
            judge_calibrated(self._exact, Room.of(len(table), len(counts)), counts, table, values)

        return judge
