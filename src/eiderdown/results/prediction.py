"""What a prediction was made from, and why: with it, the right columns can be checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from eiderdown.results.causes import (
    Manipulated,
    Orientation,
    _read_manipulated,
    _write_manipulated,
)
from eiderdown.results.codec import stored_by
from eiderdown.results.result import Result, Run


@dataclass(frozen=True)
class ComparedColumns:
    """One set of columns that might be used, and how well it predicts untouched rows.

    Attributes
    ----------
    name : str
        "boundary", "fsmb", "rfe" or "all".
    columns : tuple of str
        The columns.
    products : tuple of str
        Products of columns that go with them.
    score, standard_error : float
        Cross-validated, the search included; the mean over folds and its standard error.
    chosen : bool
        Whether it was taken.
    """

    name: str
    columns: tuple[str, ...]
    products: tuple[str, ...]
    score: float
    standard_error: float
    chosen: bool = False


@dataclass(frozen=True)
class UsedColumns:
    """Which columns a prediction uses, which not, and why.

    Attributes
    ----------
    target : str
        What is predicted.
    manipulated : tuple of str, "unknown" or None
        What is set from outside.
    columns : tuple of str
        The columns that are used, in the order of their names.
    products : tuple of str
        Products of such columns that are used as well.
    reasons : mapping of str to str
        For every column that was considered, why it is used or not.
    holds : bool
        Whether what was learned from untouched rows stays true (Theorem V.1 of Brown 2009), as far
        as the learned graph tells.
    offence : str or None
        If not, what is to blame.
    weights : mapping of str to float
        How much of the prediction each used column takes part in: below 1 where predictions from
        several sets of columns are averaged, because it is uncertain which are causes.
    compared : tuple of ComparedColumns
        The sets of columns that were compared for untouched rows.
    measure : str
        What their scores are.
    """

    target: str
    manipulated: Manipulated = field(metadata=stored_by(_write_manipulated, _read_manipulated))
    columns: tuple[str, ...]
    products: tuple[str, ...]
    reasons: Mapping[str, str]
    holds: bool = True
    offence: str | None = None
    weights: Mapping[str, float] = field(default_factory=dict)
    compared: tuple[ComparedColumns, ...] = ()
    measure: str = ""

    def refuse_contradictions(self) -> None:
        """Refuse columns that are used for no reason."""
        for name in self.columns:
            if name not in self.reasons:
                raise ValueError(f"there is no reason for column {name[:100]!r}")

    @property
    def left_out(self) -> tuple[str, ...]:
        """Columns that were considered and are not used."""
        return tuple(name for name in self.reasons if name not in self.columns)

    def text(self) -> str:
        """Say all of it in lines."""
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """Return the lines of the text."""
        used = ", ".join(self.columns) or "no column: nothing is left that can be trusted"
        lines = [f"{self.target!r} with {self._set()}: predicted from {used}."]
        if self.products:
            lines.append(f"Products as well: {', '.join(self.products)}.")
        lines += [f"  {name}: {self.reasons[name]}" for name in (*self.columns, *self.left_out)]
        if self.offence is not None:
            lines.append(f"Beware: {self.offence}")
        for item in self.compared:
            mark = ", chosen" if item.chosen else ""
            lines.append(
                f"  {item.name}: {len(item.columns)} columns, {self.measure} {item.score:.3f} "
                f"+- {item.standard_error:.3f} on untouched rows{mark}"
            )
        return lines

    def _set(self) -> str:
        if self.manipulated is None:
            return "nothing set from outside"
        if self.manipulated == "unknown":
            return "any column set from outside"
        return f"{', '.join(self.manipulated) or 'nothing'} set from outside"


@dataclass(frozen=True, kw_only=True)
class Predictions(Result):
    """A prediction for each row of a table, and what it was made from.

    Attributes
    ----------
    target : str
        What is predicted.
    task : {"classification", "regression"}
        Whether they are classes or numbers.
    values : tuple
        A prediction for each row.
    classes : tuple
        The classes, in the order of the probabilities; () for numbers.
    probabilities : tuple of tuples of float
        For each row the probability of each class; () for numbers.
    used : UsedColumns
        The columns, and why these.
    orientation : Orientation or None
        Causes and effects; None if nothing that matters was set.
    score : float or None
        AUC or R2 on the rows, where the table of new rows has the target.
    run, warnings, complete
        See :class:`Result`.
    """

    kind = "predictions"
    indent = None

    target: str
    task: Literal["classification", "regression"]
    values: tuple[Any, ...]
    classes: tuple[Any, ...]
    probabilities: tuple[tuple[float, ...], ...]
    used: UsedColumns
    orientation: Orientation | None
    score: float | None = None
    run: Run
    warnings: tuple[str, ...] = ()
    complete: bool = True

    def refuse_contradictions(self) -> None:
        """Refuse probabilities that are not those of the rows and the classes."""
        for value in (*self.values, *self.classes):
            if isinstance(value, list | dict):
                raise ValueError("a prediction is no number and no text")
        n_rows = {len(self.values), len(self.probabilities)} - {0}
        n_classes = {len(self.classes), *map(len, self.probabilities)} - {0}
        if len(n_rows) > 1 or len(n_classes) > 1:
            raise ValueError("rows or classes have lost their probabilities")

    def __len__(self) -> int:
        return len(self.values)
