"""The small-sample policy: when there are enough rows for a test to decide anything.

An unreliable test is skipped and counted: it neither admits nor removes a variable.

The published rule compares the rows with the degrees of freedom, and it must be the nominal ones:
thin strata cost no adjusted ones, so that a test with a stratum per row would pass, and find
independence where there is nothing left to test. (With p-values from adjusted and reliability from
nominal degrees of freedom, experiments/pena2007_table6.py meets the paper's numbers on Pigs.) Even
so, the thin strata of a large table inflate G2, by some 20 per cent on Alarm, and with many rows
false members come in. The default therefore applies the same rule within each stratum as well.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray
from eiderdown.options import Option

Rule: TypeAlias = Literal["rows_per_stratum", "rows_per_dof", "rows_per_cell", "always"]
ReliabilityRule: TypeAlias = Annotated[
    Rule, Option("what the rows are compared with to trust a test")
]
MinRows: TypeAlias = Annotated[
    float, Option("how many rows are wanted for each", inside=(0, math.inf))
]

MAX_UNINFORMATIVE = 0.5
"""Share of the informative rows that may lie in strata too thin to count."""


@dataclass(frozen=True)
class Reliability:
    """Which tests to trust.

    Parameters
    ----------
    rule : {"rows_per_stratum", "rows_per_dof", "rows_per_cell", "always"}
        Compare the rows with the nominal degrees of freedom (Pena et al. 2007, s. 3.1), and within
        each stratum too, leaving out strata that are too thin; with the nominal degrees of freedom
        only; with the number of cells of the whole contingency table (Tsamardinos et al. 2003); or
        trust every test. For a partial correlation all rules count the regression coefficients it
        rests on.
    min_rows : float
        How many rows are wanted for each.

    Examples
    --------
    >>> dof, cells = np.array([4.0, 40.0]), np.array([8.0, 80.0])
    >>> Reliability().enough(rows=100, dof=dof, cells=cells)
    array([ True, False])
    """

    rule: Rule = "rows_per_stratum"
    min_rows: float = 5.0

    @property
    def rows_per_stratum_dof(self) -> float:
        """Rows that a stratum must have per degree of freedom to be counted; 0 counts all."""
        return self.min_rows if self.rule == "rows_per_stratum" else 0.0

    def enough(
        self,
        *,
        rows: int,
        dof: FloatArray,
        cells: FloatArray,
        uninformative: FloatArray | float = 0.0,
    ) -> BoolArray:
        """Decide for each test whether the rows carry it.

        Parameters
        ----------
        rows : int
            Rows of the table.
        dof, cells : FloatArray
            Nominal degrees of freedom and cells of each test.
        uninformative : FloatArray or float
            Share of each test's informative rows that lies in strata left out as too thin.
        """
        if self.rule == "always":
            return np.ones(len(dof), dtype=np.bool_)
        needed = cells if self.rule == "rows_per_cell" else dof
        return np.asarray((rows >= self.min_rows * needed) & (uninformative <= MAX_UNINFORMATIVE))
