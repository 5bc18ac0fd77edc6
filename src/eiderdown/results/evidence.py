"""The decisive test of one variable, and how a result came about."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

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


@dataclass(frozen=True)
class Run:
    """How a result came about.

    Attributes
    ----------
    algorithm : str
        Registered name of the search.
    options : mapping
        Options of the search and of its test.
    n_tests, n_repeated, n_skipped : int
        Tests computed, questions answered from memory, tests the data could not carry.
    seconds : float
        Wall-clock time of the search.
    n_rows, n_columns : int
        Shape of the table.
    fingerprint : str
        Hash of the table's bytes.
    random_state : int or None
        Seed, where the search uses one.
    versions : mapping of str to str
        Versions of Eiderdown and of the libraries that computed the numbers.
    """

    algorithm: str
    options: Mapping[str, Any]
    n_tests: int
    n_repeated: int
    n_skipped: int
    seconds: float
    n_rows: int
    n_columns: int
    fingerprint: str
    random_state: int | None
    versions: Mapping[str, str]
