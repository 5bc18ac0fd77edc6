"""The decisive test of one variable."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

Decision: TypeAlias = Literal["kept", "removed", "not_admitted"]


@dataclass(frozen=True)
class Evidence:
    """The decisive test of one variable.

    Attributes
    ----------
    variable : str
        The variable that was judged.
    decision : {"kept", "removed", "not_admitted"}
        Kept in the boundary; admitted first and removed later; or never admitted.
    given : tuple of str
        The conditioning set of the decisive test.
    statistic, dof, log_p, n_used, effect, reliable
        The test, as in :class:`eiderdown.independence.IndependenceResult`.
    """

    variable: str
    decision: Decision
    given: tuple[str, ...]
    statistic: float
    dof: float
    log_p: float
    n_used: int
    effect: float
    reliable: bool

    @property
    def p_value(self) -> float:
        """The p-value; 0.0 where it is too small for a float (rank by ``log_p``)."""
        return math.exp(self.log_p)

    @property
    def p_text(self) -> str:
        """The p-value for people, however small.

        Examples
        --------
        >>> Evidence("x", "kept", (), 9.0, 1.0, -2302.585093, 100, 0.1, True).p_text
        '1e-1000'
        >>> Evidence("x", "kept", (), 9.0, 1.0, -1.0, 100, 0.1, True).p_text
        '0.368'
        """
        log10_p = self.log_p / math.log(10.0)
        exponent = math.floor(log10_p)
        if exponent >= -3:
            return f"{self.p_value:.3g}"
        mantissa = f"{10.0 ** (log10_p - exponent):.2g}"
        return f"1e{exponent + 1}" if mantissa == "10" else f"{mantissa}e{exponent}"
