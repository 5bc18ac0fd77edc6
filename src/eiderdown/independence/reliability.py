"""The small-sample policy: when there are enough rows for a test to decide anything.

An unreliable test is skipped and counted: it neither admits nor removes a variable.

The published rule compares the rows with the degrees of freedom. With adjusted degrees of freedom
that is not enough: many thin strata cost few of them, and their G2 is some 20 per cent too large,
so that on a million rows false members come in by the dozen; and when every stratum is a single
row nothing is left to test, which is no evidence of independence. The default applies the same
rule within each stratum, and asks for rows per stratum as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray
from eiderdown.errors import OptionError

Rule: TypeAlias = Literal["rows_per_stratum", "rows_per_dof", "rows_per_cell", "always"]

MOST_UNHEARD = 0.5
"""Share of the rows that could say something which thin strata may take out of a test."""


@dataclass(frozen=True)
class Reliability:
    """Which tests to trust.

    Parameters
    ----------
    rule : {"rows_per_stratum", "rows_per_dof", "rows_per_cell", "always"}
        Compare the rows with the degrees of freedom within each stratum, leaving thin strata out,
        and with the number of strata; with the degrees of freedom of the whole test (Pena et al.
        2007, s. 3.1); with the number of cells of the whole contingency table (Tsamardinos et al.
        2003); or trust every test. For a partial correlation all rules count the regression
        coefficients it rests on.
    factor : float
        How many rows are wanted for each.

    Examples
    --------
    >>> dof, cells = np.array([4.0, 40.0]), np.array([8.0, 80.0])
    >>> Reliability().enough(rows=100, dof=dof, cells=cells, n_strata=2)
    array([ True, False])
    >>> Reliability().enough(rows=100, dof=dof, cells=cells, n_strata=50)
    array([False, False])
    """

    rule: Rule = "rows_per_stratum"
    factor: float = 5.0

    def __post_init__(self) -> None:
        if self.rule not in get_args(Rule):
            raise OptionError(
                f"The reliability rule must be one of {get_args(Rule)}, not {self.rule!r}."
            )
        if not self.factor > 0:
            raise OptionError(f"The reliability factor must be positive, not {self.factor}.")

    @property
    def rows_per_stratum_dof(self) -> float:
        """Rows that a stratum must have per degree of freedom to be counted; 0 counts all."""
        return self.factor if self.rule == "rows_per_stratum" else 0.0

    def enough(
        self,
        *,
        rows: int,
        dof: FloatArray,
        cells: FloatArray,
        n_strata: int = 1,
        unheard: FloatArray | float = 0.0,
    ) -> BoolArray:
        """Decide for each test whether the rows carry it.

        Parameters
        ----------
        rows : int
            Rows of the table.
        dof, cells : FloatArray
            Degrees of freedom and cells of each test.
        n_strata : int
            Strata that occur.
        unheard : FloatArray or float
            Share of each test's informative rows that lies in strata left out as too thin.
        """
        if self.rule == "always":
            return np.ones(len(dof), dtype=np.bool_)
        needed = cells if self.rule == "rows_per_cell" else dof
        if self.rule == "rows_per_stratum":
            needed = np.maximum(dof, n_strata)
        return np.asarray((rows >= self.factor * needed) & (unheard <= MOST_UNHEARD))
