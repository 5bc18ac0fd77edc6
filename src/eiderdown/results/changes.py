"""What two results of one kind do not share, and why: the record of it.

How two results are compared stands in :mod:`eiderdown.results.comparison`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from eiderdown.results.result import Result, Run

Sort: TypeAlias = Literal["entered", "left", "changed"]


@dataclass(frozen=True)
class Change:
    """One thing that is not the same in both results.

    Attributes
    ----------
    what : str
        A column, an edge or a graph feature, in words.
    sort : {"entered", "left", "changed"}
        Whether only the second result has it, only the first, or both in different ways.
    before, after : str
        What it is in the first and in the second: its role, its direction, its confidence, or the
        test that keeps it outside.
    why : str
        Why, as far as the records of the two say; may be empty.
    """

    what: str
    sort: Sort
    before: str
    after: str
    why: str = ""


@dataclass(frozen=True)
class ResultChanges(Result):
    """What changed from one result to another of the same kind.

    Attributes
    ----------
    compared : str
        The kind of the two.
    target : str or None
        The variable that both are about, if there is one.
    changes : tuple of Change
        What entered, what left, and what changed.
    n_same : int
        How many members, edges or graph features both share unchanged.
    reasons : tuple of str
        What is different about how the two came about.
    run : Run
        The run of the second.
    warnings, complete
        See :class:`Result`.
    """

    kind = "result_changes"

    compared: str
    target: str | None
    changes: tuple[Change, ...]
    n_same: int
    reasons: tuple[str, ...]
    run: Run
    warnings: tuple[str, ...] = ()
    complete: bool = True

    def of_sort(self, sort: Sort) -> tuple[Change, ...]:
        """Return the changes of one sort."""
        return tuple(change for change in self.changes if change.sort == sort)

    def __str__(self) -> str:
        """Say what changed in a few lines."""
        about = f" of {self.target!r}" if self.target is not None else ""
        head = f"{self.compared.replace('_', ' ')}{about}: "
        if not self.changes:
            head += f"nothing changed, all {self.n_same:,} are the same"
        else:
            sorts = [(sort, len(self.of_sort(sort))) for sort in ("entered", "left", "changed")]
            head += ", ".join(f"{n:,} {sort}" for sort, n in sorts if n)
            head += f", {self.n_same:,} the same"
        lines = [head]
        for change in self.changes:
            why = f" ({change.why})" if change.why else ""
            said = f"was {change.before}, is {change.after}"
            lines.append(f"  {change.sort}: {change.what}: {said}{why}")
        lines += [f"Why: {reason}" for reason in self.reasons]
        return "\n".join(lines)
