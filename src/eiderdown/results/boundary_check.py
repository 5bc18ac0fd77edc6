"""The answer to the question whether some columns are a Markov boundary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from eiderdown.results.codec import SHARE, Limits
from eiderdown.results.evidence import Evidence
from eiderdown.results.result import Result, Run

CheckAnswer: TypeAlias = Literal["yes", "no", "cannot say"]


@dataclass(frozen=True)
class BoundaryCheck(Result):
    """Whether some columns are the Markov boundary of another, with the evidence.

    Attributes
    ----------
    target : str
        The column that was asked about.
    members : tuple of str
        The columns that were checked.
    answer : {"yes", "no", "cannot say"}
        ``"no"`` if a column outside still depends on the target given the members, or if a member
        does not, given the others; ``"cannot say"`` if neither is so, but rows are too few to rule
        every column out, or to confirm every member; ``"yes"`` otherwise.
    alpha : float
        Significance level of the tests.
    dependent : tuple of str
        Columns outside on which the target still depends given the members, strongest first.
    redundant : tuple of str
        Members of which nothing is left given the others.
    unconfirmed : tuple of str
        Members of which rows are too few to say, or nothing is left to test, given the others.
    n_outside, n_undecided : int
        How many columns are outside, and of how many of them the rows are too few to say.
    evidence : tuple of Evidence
        The test of each member given the others ("kept", or "removed" if it is redundant), then the
        strongest tests of columns outside given the members ("not_admitted").
    added : tuple of Evidence
        What was added until the target depended on nothing more, in this order.
    boundary : tuple of str
        Where that ended: the members and what was added, without what had become redundant.
    run, warnings, complete
        See :class:`Result`.
    """

    kind = "boundary_check"
    limits: ClassVar[Limits] = {"alpha": SHARE}

    target: str
    members: tuple[str, ...]
    answer: CheckAnswer
    alpha: float
    dependent: tuple[str, ...]
    redundant: tuple[str, ...]
    unconfirmed: tuple[str, ...]
    n_outside: int
    n_undecided: int
    evidence: tuple[Evidence, ...]
    added: tuple[Evidence, ...]
    boundary: tuple[str, ...]
    run: Run
    warnings: tuple[str, ...] = ()
    complete: bool = True

    def refuse_contradictions(self) -> None:
        """Refuse an answer that its own evidence contradicts."""
        if (self.answer == "no") != bool(self.dependent or self.redundant):
            raise ValueError("the answer is not that of the tests")
        if len(self.dependent) + self.n_undecided > self.n_outside:
            raise ValueError("more columns are judged than there are")

    @property
    def expected_by_chance(self) -> float:
        """How many columns outside would seem to depend if none did: alpha of those decided."""
        return self.alpha * (self.n_outside - self.n_undecided)

    @property
    def sentence(self) -> str:
        """The answer and the reason for it, in words."""
        if self.answer == "no":
            return "No: " + " and ".join(filter(None, (self._too_few(), self._too_many()))) + "."
        if self.answer == "yes":
            return (
                f"Yes: given them nothing of {_columns(self.n_outside)} is left, and each of them "
                "matters given the others."
            )
        return f"Cannot say: {self._unsaid()}."

    def _too_few(self) -> str:
        n = len(self.dependent)
        if not n:
            return ""
        verb = "depends" if n == 1 else "depend"
        chance = f"{self.expected_by_chance:.2g} by chance"
        return f"given them {n:,} of {_columns(self.n_outside)} still {verb} on it ({chance})"

    def _too_many(self) -> str:
        n = len(self.redundant)
        what = "member is" if n == 1 else "members are"
        return f"{n:,} {what} redundant given the others" if n else ""

    def _unsaid(self) -> str:
        reasons = []
        if self.n_undecided:
            reasons.append(
                f"rows are too few to rule out {self.n_undecided:,} of {_columns(self.n_outside)}"
            )
        if self.unconfirmed:
            n = len(self.unconfirmed)
            what = "member" if n == 1 else "members"
            reasons.append(f"{n:,} {what} cannot be tested given the others")
        return " and ".join(reasons)


def _columns(n: int) -> str:
    return f"{n:,} other column" if n == 1 else f"{n:,} other columns"
