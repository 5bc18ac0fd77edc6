"""What was asked, and of which table: enough to ask it again, and to show what the data were.

A :class:`Call` holds the options as they were given, as plain JSON values. What is not plain is
written as a mapping with one of these keys, which no name of an option can be::

    {"$entry": "eiderdown.boundary:PCMB", "name": "pcmb", "params": {"max_given": 2}}
    {"$table": "new.csv", "reading": {"na": ["?"]}}    a table that was read from a file
    {"$items": [[3, "category"]]}                      a mapping whose keys are not plain texts
    {"$number": "inf"}                                 a number that JSON does not have
    {"$placeholder": "an array of 500 values"}         what cannot be written down

How it is written as Python stands in :mod:`eiderdown.results.python_code`, and how as a command
above, in :mod:`eiderdown.cli.repeat`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from eiderdown.results.codec import STORED_IF_ANY
from eiderdown.results.presentation import command_of
from eiderdown.results.python_code import are_names, code_of, require_encoded

MOST_MISSING = 50
"""How many of the columns with missing values a summary lists."""

MOST_LEVELS = 20
"""How many of its categories the summary of a column lists."""


@dataclass(frozen=True)
class Call:
    """What was asked of Eiderdown: a verb and the options that were given.

    Attributes
    ----------
    verb : str
        Name of the function in ``eiderdown``.
    options : mapping
        The options that were given, as plain JSON values (see the module).
    source : str or None
        The file that the table came from, as it was named; None for a table in memory.
    reading : mapping
        How the file was read, where that was said.
    shape : tuple of int
        Rows and columns of the table, for a comment where it was in memory.

    Examples
    --------
    >>> call = Call("find_boundary", {"target": "HR", "alpha": 0.05}, "alarm.csv")
    >>> print(call.code())
    import eiderdown
    <BLANKLINE>
    result = eiderdown.find_boundary("alarm.csv", target="HR", alpha=0.05)
    >>> print(call.command())
    eiderdown find alarm.csv --target HR --alpha 0.05
    """

    verb: str
    options: Mapping[str, Any]
    source: str | None = None
    reading: Mapping[str, Any] = field(default_factory=dict, metadata=STORED_IF_ANY)
    shape: tuple[int, ...] = field(default=(), metadata=STORED_IF_ANY)

    def refuse_contradictions(self) -> None:
        """Refuse what no call can have been: others may run the code that is made of this."""
        if not are_names((self.verb, *self.options, *self.reading)):
            raise ValueError("a call has a name that cannot be one")
        for value in (*self.options.values(), *self.reading.values()):
            require_encoded(value)
        if len(self.shape) not in (0, 2) or any(size < 0 for size in self.shape):
            raise ValueError("the shape of a table is not two numbers")

    def code(self) -> str:
        """Return Python that asks the same.

        It runs as it stands if the table came from a file. What was in memory is named, and a
        comment says what it was.
        """
        return code_of(self)

    def command(self) -> str:
        """Return the command that asks the same, quoted for a shell; "" if there is none.

        What a command line cannot say is said in comments above it.
        """
        return command_of(self)


@dataclass(frozen=True)
class ColumnSummary:
    """One column in a few numbers.

    Attributes
    ----------
    name : str
        Its name.
    kind : str
        "discrete", "ordered", "continuous" or "count".
    n_missing : int
        Rows without a value.
    levels : mapping of str to int, or None
        Its categories with their rows, the most frequent first; at most 20. None for numbers.
    quantiles : tuple of float, or None
        Least value, quartiles and largest value. None for categories.
    n_levels : int
        How many categories it has; 0 for numbers.
    """

    name: str
    kind: str
    n_missing: int
    levels: Mapping[str, int] | None = None
    quantiles: tuple[float, ...] | None = None
    n_levels: int = 0

    def refuse_contradictions(self) -> None:
        """Refuse numbers that are not those of a column."""
        if self.quantiles is not None and len(self.quantiles) != 5:
            raise ValueError("a column has five quantiles")
        if any(rows < 0 for rows in (self.levels or {}).values()):
            raise ValueError("a category cannot have fewer than no rows")


@dataclass(frozen=True)
class TableSummary:
    """The table that was asked about, as it was read.

    Attributes
    ----------
    source : str or None
        The file that it came from, as it was named; None for a table in memory.
    n_rows, n_columns : int
        Its shape.
    kinds : mapping of str to int
        How many columns are "discrete", "ordered", "continuous" and "count".
    n_missing : int
        Missing cells.
    missing : mapping of str to int
        Missing cells by column, the most first; at most 50 columns.
    target : ColumnSummary or None
        The column that was asked about, if there was one.
    notes : tuple of str
        What was guessed, changed and left out when the table was read.
    n_incomplete : int
        How many columns have missing cells.
    left_out : mapping of str to str
        Columns that were left out when the table was read, each with the reason; at most 50.
    """

    source: str | None
    n_rows: int
    n_columns: int
    kinds: Mapping[str, int]
    n_missing: int
    missing: Mapping[str, int]
    target: ColumnSummary | None = None
    notes: tuple[str, ...] = ()
    n_incomplete: int = 0
    left_out: Mapping[str, str] = field(default_factory=dict, metadata=STORED_IF_ANY)

    def refuse_contradictions(self) -> None:
        """Refuse counts that are none."""
        if any(count < 0 for count in (*self.kinds.values(), *self.missing.values())):
            raise ValueError("there cannot be fewer than no columns or cells")
