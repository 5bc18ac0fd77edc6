"""Why any column is not in a result: two tests of each column outside, kept in a few arrays.

The one is the test alone with the target, the other the test that decides: given the members, or
given the set by which the search separated the column. In JSON the arrays are one text in CSV,
because there may be a hundred thousand columns::

    "name","alone_log_p","alone_effect","alone_allows","log_p","effect","given","allows"
    "PAP",-0.4155,0.00031,2,-0.3021,0.0002,1,2

Numbers are rounded when a screen is made, log p to four decimals and effects to six, so that what
is read equals what was written.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final, Self

import numpy as np
from numpy.typing import ArrayLike

from eiderdown.arrays import FloatArray, IntArray, frozen
from eiderdown.errors import listed
from eiderdown.option_types import shown
from eiderdown.results.codec import of_plain
from eiderdown.results.evidence import Allowed, Answer, answer_of, p_text

NUMBERS: Final = (
    "alone_log_p",
    "alone_effect",
    "alone_allows",
    "log_p",
    "effect",
    "given",
    "allows",
)
"""The arrays of a screen, in the order of their columns in CSV."""

_LONGEST_NAME: Final = 1_000
_HEADER: Final = ["name", *NUMBERS]
_DECIMALS: Final = {"alone_log_p": 4, "log_p": 4, "alone_effect": 6, "effect": 6}
ALLOWED: Final[Mapping[int, Allowed]] = {-1: "function", 0: "nothing", 1: "dependence", 2: "both"}
"""What the data allow a test to say, by the numbers of a screen."""


@dataclass(frozen=True, eq=False, repr=False)
class ColumnScreen:
    """The tests of every column outside a result, and the columns that could not take part.

    Attributes
    ----------
    target : str
        The variable that was asked about.
    level : float
        Significance level of the tests.
    names : tuple of str
        The columns outside, sorted.
    alone_log_p, alone_effect, alone_allows : array
        Each column's test alone with the target: log p, effect size, and what the data allow it to
        say (-1 nothing is left to test, 0 nothing, 1 dependence only, 2 both).
    log_p, effect, allows : array
        The same of the test that decides.
    given : array of int
        The conditioning set of that test, as a position in ``given_sets``.
    given_sets : tuple of tuple of str
        The conditioning sets.
    copies : mapping of str to str
        Columns outside that are near-copies of others, with which they are.
    left_out : mapping of str to tuple of str
        Columns that took no part, by the reason.

    Examples
    --------
    >>> screen = ColumnScreen.of("HR", 0.01, ["PAP", "CVP"], [("CO",)], {
    ...     "alone_log_p": [-0.5, -80.0], "alone_effect": [0.0, 0.2], "alone_allows": [2, 2],
    ...     "log_p": [-0.3, -0.9], "effect": [0.0, 0.01], "given": [0, 0], "allows": [2, 2]})
    >>> screen.why("CVP")
    "Alone, 'HR' depends on it (p 1.8e-35), but given 'CO' nothing is left (p 0.407)."
    >>> screen.why("PAP")
    "Not even alone does 'HR' depend on it (p 0.607)."
    """

    target: str
    level: float
    names: tuple[str, ...]
    alone_log_p: FloatArray
    alone_effect: FloatArray
    alone_allows: IntArray
    log_p: FloatArray
    effect: FloatArray
    given: IntArray
    allows: IntArray
    given_sets: tuple[tuple[str, ...], ...] = ()
    copies: Mapping[str, str] = field(default_factory=dict)
    left_out: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        target: str,
        level: float,
        names: Sequence[str],
        given_sets: Iterable[Sequence[str]],
        numbers: Mapping[str, ArrayLike],
        copies: Mapping[str, str] = MappingProxyType({}),
        left_out: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
    ) -> Self:
        """Make a screen of columns in any order; numbers are rounded, as files keep them."""
        order = sorted(range(len(names)), key=names.__getitem__)
        sets = tuple(map(tuple, given_sets))
        places = np.array(order, np.int64)
        arrays: dict[str, Any] = {
            name: frozen(_rounded(name, numbers[name])[places]) for name in NUMBERS
        }
        said: dict[str, Any] = {"copies": dict(copies), "left_out": dict(left_out)}
        in_order = tuple(names[i] for i in order)
        return cls(target, level, in_order, **arrays, given_sets=sets, **said)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ColumnScreen):
            return NotImplemented
        return self._held == other._held and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in NUMBERS
        )

    def __repr__(self) -> str:
        return f"ColumnScreen({len(self.names):,} columns outside the answer for {self.target!r})"

    def __hash__(self) -> int:
        return hash((self.target, self.names))

    @property
    def _held(self) -> tuple[Any, ...]:
        sets = (self.names, self.given_sets)
        return (self.target, self.level, *sets, dict(self.copies), dict(self.left_out))

    # --- what it says ---

    @cached_property
    def _position(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    @cached_property
    def _reason(self) -> dict[str, str]:
        return {name: reason for reason, names in self.left_out.items() for name in names}

    def __contains__(self, name: object) -> bool:
        return name in self._position or name in self._reason

    def why(self, name: str) -> str:
        """Say in a sentence or two why a column is not a member.

        Raises
        ------
        KeyError
            If the screen does not know the column.
        """
        if name in self._reason:
            return f"Left out: {self._reason[name]}."
        i = self._position[name]
        copy = self.copies.get(name)
        sentence = self._sentence(i)
        return sentence if copy is None else f"Nearly a copy of {copy!r}. {sentence}"

    def answers(self, i: int) -> tuple[Answer, Answer]:
        """Return what the test alone and the deciding test of a column say."""
        tests = (self.alone_log_p, self.alone_allows), (self.log_p, self.allows)
        alone, final = (
            answer_of(float(log_p[i]), ALLOWED[int(allows[i])], self.level)
            for log_p, allows in tests
        )
        return alone, final

    def _sentence(self, i: int) -> str:
        alone, final = self.answers(i)
        p = f"p {p_text(float(self.alone_log_p[i]))}"
        given = self.given_sets[int(self.given[i])]
        if not given or (alone == "independent" and final != "dependent"):
            return self._alone(alone, p)
        start = {
            "dependent": f"Alone, {self.target!r} depends on it ({p})",
            "independent": f"Alone, {self.target!r} does not depend on it ({p})",
            "cannot say": f"Alone, there is insufficient data ({p})",
        }[alone]
        return f"{start}{self._conditional(i, final, alone)}."

    def _alone(self, alone: Answer, p: str) -> str:
        return {
            "independent": f"Not even alone does {self.target!r} depend on it ({p}).",
            "dependent": f"Alone, {self.target!r} depends on it ({p}), but the search did not keep "
            "it.",
            "cannot say": f"Insufficient data: not even alone can it be tested ({p}).",
        }[alone]

    def _conditional(self, i: int, final: Answer, alone: Answer) -> str:
        """Say what is left given the conditioning set."""
        given, p = listed(self.given_sets[int(self.given[i])]), p_text(float(self.log_p[i]))
        but = ", but" if alone == "dependent" else ", and"
        if final == "independent":
            return f"{but} given {given} nothing is left (p {p})"
        if final == "dependent":
            still = "still " if alone == "dependent" else ""
            return f"; given {given} it {still}does (p {p}), but the search did not keep it"
        if self.allows[i] == -1:
            return f"{but} given {given} nothing is left to test: they determine one of the two"
        return f"; given {given} there is insufficient data to rule it in or out (p {p})"

    # --- to JSON and back ---

    def to_dict(self) -> dict[str, Any]:
        """Return plain values: the tests as one text in CSV."""
        written: dict[str, Any] = {
            "target": self.target,
            "level": self.level,
            "given_sets": [list(names) for names in self.given_sets],
            "tests": self._csv(),
        }
        if self.copies:
            written["copies"] = dict(self.copies)
        if self.left_out:
            written["left_out"] = {reason: list(names) for reason, names in self.left_out.items()}
        return written

    def _csv(self) -> str:
        text = io.StringIO(newline="")
        writer = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
        writer.writerow(_HEADER)
        columns = [getattr(self, name).tolist() for name in NUMBERS]
        writer.writerows(zip(self.names, *columns, strict=True))
        return text.getvalue()

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Read back what :meth:`to_dict` returned; what does not fit together is refused."""
        plain = dict(record)
        target, level = of_plain(str, plain.pop("target")), of_plain(float, plain.pop("level"))
        sets = of_plain(tuple[tuple[str, ...], ...], plain.pop("given_sets"))
        names, numbers = _read_csv(of_plain(str, plain.pop("tests")))
        copies = of_plain(Mapping[str, str], plain.pop("copies", {}))
        left_out = of_plain(Mapping[str, tuple[str, ...]], plain.pop("left_out", {}))
        if plain:
            raise ValueError("a screen has an unknown field")
        if not 0.0 < level <= 1.0:
            raise ValueError("the level of a screen is not from 0 to 1")
        _require_possible(names, numbers, len(sets))
        return cls.of(target, level, names, sets, numbers, copies, left_out)


def unknown_column(name: str, names: Sequence[str]) -> str:
    """Say that a table has no such column, and which names are nearest.

    Examples
    --------
    >>> unknown_column("smoker", ["smoke", "xray"])
    "The table has no column 'smoker'; did you mean 'smoke'?"
    """
    close = get_close_matches(name[:_LONGEST_NAME], names, n=3)
    way_out = f"did you mean {listed(close)}?" if close else f"it has {listed(names)}."
    return f"The table has no column {shown(name)}; {way_out}"


def _rounded(name: str, values: ArrayLike) -> Any:
    if name in _DECIMALS:
        return np.round(np.asarray(values, np.float64), _DECIMALS[name]) + 0.0  # no -0
    return np.asarray(values, np.int32 if name == "given" else np.int8)


def _read_csv(text: str) -> tuple[list[str], dict[str, FloatArray]]:
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), quoting=csv.QUOTE_NONNUMERIC))
    except csv.Error as problem:
        raise ValueError(f"the tests of a screen are not CSV ({problem})") from problem
    if not rows or rows[0] != _HEADER or any(len(row) != len(_HEADER) for row in rows):
        raise ValueError("the tests of a screen have other columns")
    names = [row[0] for row in rows[1:]]
    if not all(type(name) is str for name in names):
        raise ValueError("a name in a screen is a number")
    numbers = np.array([row[1:] for row in rows[1:]], dtype=np.float64)
    columns = numbers.reshape(-1, len(NUMBERS)).T
    return names, dict(zip(NUMBERS, columns, strict=True))


def _require_possible(names: list[str], numbers: Mapping[str, FloatArray], n_sets: int) -> None:
    """Refuse numbers that no tests can have."""
    if len(set(names)) < len(names):
        raise ValueError("a column is in a screen twice")
    limits = {
        "alone_log_p": (-math.inf, 1e-6),
        "log_p": (-math.inf, 1e-6),
        "alone_allows": (-1, 2),
        "allows": (-1, 2),
        "given": (0, n_sets - 1),
    }
    for name, (least, most) in limits.items():
        values = numbers[name]
        if not ((values >= least) & (values <= most)).all():
            raise ValueError(f"{name} of a screen cannot be what it is")
        if name not in _DECIMALS and (values != np.round(values)).any():
            raise ValueError(f"{name} of a screen is not whole")
    if not all(np.isfinite(numbers[name]).all() for name in ("alone_effect", "effect")):
        raise ValueError("an effect of a screen is not a number")
