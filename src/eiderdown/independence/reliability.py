"""The small-sample policy: when there are enough rows for a test to decide anything.

An unreliable test is skipped and counted: it neither admits nor removes a variable.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray
from eiderdown.errors import OptionError

Rule: TypeAlias = Literal["rows_per_dof", "rows_per_cell", "always"]
_RULES = ("rows_per_dof", "rows_per_cell", "always")


@dataclass(frozen=True)
class Reliability:
    """Which tests to trust.

    Parameters
    ----------
    rule : {"rows_per_dof", "rows_per_cell", "always"}
        Compare the rows with the degrees of freedom (Pena et al. 2007, s. 3.1), with the number of
        cells of the whole contingency table (Tsamardinos et al. 2003), or trust every test.
        For a partial correlation both rules count the regression coefficients it rests on.
    factor : float
        How many rows are wanted for each.

    Examples
    --------
    >>> Reliability().enough(rows=100, dof=np.array([4.0, 40.0]), cells=np.array([8.0, 80.0]))
    array([ True, False])
    """

    rule: Rule = "rows_per_dof"
    factor: float = 5.0

    def __post_init__(self) -> None:
        if self.rule not in _RULES:
            raise OptionError(f"The reliability rule must be one of {_RULES}, not {self.rule!r}.")
        if not self.factor > 0:
            raise OptionError(f"The reliability factor must be positive, not {self.factor}.")

    def enough(self, *, rows: int, dof: FloatArray, cells: FloatArray) -> BoolArray:
        """Decide for each test whether the rows carry it."""
        if self.rule == "always":
            return np.ones(len(dof), dtype=np.bool_)
        needed = dof if self.rule == "rows_per_dof" else cells
        return rows >= self.factor * needed
