"""The answer to one question: whether two columns are independent given others."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

from eiderdown.results.result import Result, Run

Answer: TypeAlias = Literal["dependent", "independent", "cannot say"]


@dataclass(frozen=True)
class IndependenceAnswer(Result):
    """Whether two columns are independent given others, with the evidence; ``print`` shows it.

    Attributes
    ----------
    x, y : str
        The two columns.
    given : tuple of str
        The columns that are held fixed.
    answer : {"dependent", "independent", "cannot say"}
        What the test says at significance level ``alpha``.
    reason : str
        Why it cannot say more, or an empty text.
    alpha : float
        The significance level.
    test, chosen : str
        The test, and why it was this one.
    statistic, dof, log_p, n_used, effect
        The test's numbers, as in :class:`eiderdown.independence.IndependenceResult`.
    run, warnings, complete
        See :class:`Result`.
    """

    kind = "independence_answer"

    x: str
    y: str
    given: tuple[str, ...]
    answer: Answer
    reason: str
    alpha: float
    test: str
    chosen: str
    statistic: float
    dof: float
    log_p: float
    n_used: int
    effect: float
    run: Run
    warnings: tuple[str, ...] = ()
    complete: bool = True

    @property
    def p_value(self) -> float:
        """The p-value; 0.0 where it is too small for a float (rank by ``log_p``)."""
        return math.exp(self.log_p)

    @property
    def p_text(self) -> str:
        """The p-value for people, however small."""
        return p_text(self.log_p)

    def __str__(self) -> str:
        """Say the answer in a few lines."""
        given = f" given {', '.join(map(repr, self.given))}" if self.given else ""
        lines = [f"{self.x!r} and {self.y!r}{given}: {self.answer} (alpha {self.alpha:g})"]
        if self.reason:
            lines.append(self.reason)
        family = self.run.options.get("family")
        name = self.test if family is None else f"{self.test} ({family})"
        lines += [
            f"{name}: statistic {self.statistic:,.4g}, dof {round(self.dof, 1):g}, "
            f"p {self.p_text}, effect {self.effect:.3g}, "
            f"{self.n_used:,} of {self.run.n_rows:,} rows used",
            f"Why this test: {self.chosen}.",
        ]
        return "\n".join(lines)


def p_text(log_p: float) -> str:
    """Write a p-value for people, however small.

    Examples
    --------
    >>> p_text(-2302.585093), p_text(-1.0)
    ('1e-1000', '0.368')
    """
    log10_p = log_p / math.log(10.0)
    exponent = math.floor(log10_p)
    if exponent >= -3:
        return f"{math.exp(log_p):.3g}"
    mantissa = f"{10.0 ** (log10_p - exponent):.2g}"
    return f"1e{exponent + 1}" if mantissa == "10" else f"{mantissa}e{exponent}"
