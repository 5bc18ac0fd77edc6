"""Algorithms by name: the function, its paper, what it assumes and what it takes.

The registry replaces chains of if/elif, validates names and options at the border and writes the
capability table of the documentation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Generic, TypeVar

from eiderdown.errors import OptionError

Function = TypeVar("Function", bound=Callable[..., object])

_TRUTHS = {"true": True, "yes": True, "false": False, "no": False}


@dataclass(frozen=True)
class Option:
    """One option of an algorithm.

    Attributes
    ----------
    name : str
        Keyword of the function.
    default : bool, int, float or str
        What it is if nobody says; its type is the option's type.
    meaning : str
        One line for people who choose.
    """

    name: str
    default: bool | int | float | str
    meaning: str

    def of_text(self, algorithm: str, text: str) -> Any:
        """Read a value of the option's type, as people write it on a command line.

        Examples
        --------
        >>> Option("fraction", 0.8, "share of candidates").of_text("kiamb", ".5")
        0.5
        """
        wanted = type(self.default)
        try:
            return _TRUTHS[text.lower()] if wanted is bool else wanted(text)
        except (KeyError, ValueError):
            raise self._of_wrong_type(algorithm, text) from None

    def checked(self, algorithm: str, value: Any) -> Any:
        """Return a value of the option's type, or say which type it must have."""
        wanted = type(self.default)
        if wanted is float and isinstance(value, int) and not isinstance(value, bool):
            return float(value)
        if type(value) is not wanted:
            raise self._of_wrong_type(algorithm, value)
        return value

    def _of_wrong_type(self, algorithm: str, value: object) -> OptionError:
        return OptionError(
            f"Option {self.name!r} of {algorithm!r} must be of type {type(self.default).__name__}, "
            f"such as {self.default!r}, not {value!r}."
        )


@dataclass(frozen=True)
class Algorithm(Generic[Function]):
    """One entry.

    Attributes
    ----------
    name : str
        What users write.
    function : callable
        The search.
    summary : str
        One line for people who choose.
    paper : str
        Where it was published.
    assumes : tuple of str
        Conditions under which it is correct.
    returns : str
        What it finds.
    options : tuple of Option
        Options of its own, besides those that all searches take.
    exact : bool
        Whether it returns the truth when its assumptions hold and its tests make no mistakes.
    random : bool
        Whether it makes random choices, so that another seed may find something else.
    """

    name: str
    function: Function
    summary: str
    paper: str
    assumes: tuple[str, ...]
    returns: str
    options: tuple[Option, ...] = ()
    exact: bool = True
    random: bool = False

    def params(self, given: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Fill in the defaults and refuse options that the algorithm does not have."""
        chosen = {option.name: option.default for option in self.options}
        for name, value in (given or {}).items():
            chosen[name] = self.option(name).checked(self.name, value)
        return chosen

    def option(self, name: str) -> Option:
        """Return an option of its own by name, or say which there are."""
        known = {option.name: option for option in self.options}
        if name not in known:
            legal = f"it has {', '.join(known)}" if known else "it has no options of its own"
            raise OptionError(f"{self.name!r} has no option {name!r}; {legal}.")
        return known[name]


class Registry(Generic[Function]):
    """A fixed set of algorithms.

    Parameters
    ----------
    algorithms : iterable of Algorithm
        The entries; names must differ.
    noun : str
        What an entry is called in messages.
    """

    def __init__(
        self, algorithms: Iterable[Algorithm[Function]], *, noun: str = "algorithm"
    ) -> None:
        self._by_name = {algorithm.name: algorithm for algorithm in algorithms}
        self._noun = noun

    def __getitem__(self, name: str) -> Algorithm[Function]:
        found = self._by_name.get(name)
        if found is None:
            close = get_close_matches(str(name), self._by_name, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"choose from {self.names}."
            raise OptionError(f"There is no {self._noun} {name!r}; {hint}")
        return found

    def __iter__(self) -> Iterator[Algorithm[Function]]:
        return iter(self._by_name.values())

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all entries."""
        return tuple(self._by_name)
