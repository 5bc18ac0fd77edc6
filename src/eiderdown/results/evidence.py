"""One test: its numbers, and which of three answers the data allow it to give."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar, Literal, TypeAlias

from eiderdown.errors import listed
from eiderdown.results.codec import LOG_P, SHARE, Limits, of_plain, stored_as, stored_by
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
    limits: ClassVar[Limits] = {"alpha": SHARE, "log_p": LOG_P}

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


Decision: TypeAlias = Literal["kept", "removed", "not_admitted"]
Allowed: TypeAlias = Literal["both", "dependence", "nothing", "function"]


def answer_of(log_p: float, allows: Allowed, alpha: float) -> Answer:
    """Say what a test answers, by its p-value and what the data allow it to say.

    Examples
    --------
    >>> answer_of(-9.0, "both", 0.01), answer_of(-1.0, "dependence", 0.01)
    ('dependent', 'cannot say')
    """
    if log_p <= math.log(alpha):
        return "dependent" if allows in ("both", "dependence") else "cannot say"
    return "independent" if allows == "both" else "cannot say"


_IN_FILES = {"both": True, "nothing": False}


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
    statistic, dof, log_p, n_used, effect
        The test, as in :class:`eiderdown.independence.IndependenceResult`.
    allows : {"both", "dependence", "nothing", "function"}
        What the data allow the test to say: that the two are dependent or independent; the former
        only; nothing, for want of rows; or nothing, because one is a function of ``given``.
    """

    limits: ClassVar[Limits] = {"log_p": LOG_P}

    variable: str
    decision: Decision
    given: tuple[str, ...]
    statistic: float
    dof: float
    log_p: float
    n_used: int
    effect: float
    allows: Allowed = field(
        default="both",
        metadata=stored_as("reliable")  # as which it began, true or false
        | stored_by(
            write=lambda allows, _: _IN_FILES.get(allows, allows),
            read=lambda plain, _: of_plain(
                Allowed, next((word for word, old in _IN_FILES.items() if old is plain), plain)
            ),
        ),
    )

    def answer(self, alpha: float) -> Answer:
        """Say "dependent", "independent" or "cannot say"."""
        return answer_of(self.log_p, self.allows, alpha)

    def sentence(self, target: str, alpha: float) -> str:
        """Say what was decided, and by which test.

        Examples
        --------
        >>> test = Evidence("CO", "kept", ("HRBP",), 900.0, 4.0, -400.0, 5_000, 0.2)
        >>> test.sentence("HR", 0.01)
        "Kept: given 'HRBP', 'HR' depends on it (p 1.9e-174, effect 0.2)."
        """
        start = {"kept": "Kept", "removed": "Removed", "not_admitted": "Not admitted"}
        given = f"given {listed(self.given)}" if self.given else "alone"
        says = {
            "dependent": f"{target!r} depends on it",
            "independent": f"{target!r} does not depend on it",
            "cannot say": "there is insufficient data, or nothing is left to test",
        }[self.answer(alpha)]
        numbers = f"p {self.p_text}, effect {self.effect:.3g}"
        return f"{start[self.decision]}: {given}, {says} ({numbers})."

    @property
    def p_value(self) -> float:
        """The p-value; 0.0 where it is too small for a float (rank by ``log_p``)."""
        return math.exp(self.log_p)

    @property
    def p_text(self) -> str:
        """The p-value for people, however small.

        Examples
        --------
        >>> Evidence("x", "kept", (), 9.0, 1.0, -2302.585093, 100, 0.1).p_text
        '1e-1000'
        >>> Evidence("x", "kept", (), 9.0, 1.0, -1.0, 100, 0.1).p_text
        '0.368'
        """
        return p_text(self.log_p)
