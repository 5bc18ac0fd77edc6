"""Algorithms by name: the function, its paper, what it assumes and what it takes.

The registry replaces chains of if/elif, validates names at the border and writes the capability
table of the documentation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Generic, TypeVar

from eiderdown.errors import OptionError

Function = TypeVar("Function", bound=Callable[..., object])


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
    options : tuple of str
        Keyword options it takes.
    """

    name: str
    function: Function
    summary: str
    paper: str
    assumes: tuple[str, ...]
    returns: str
    options: tuple[str, ...]


class Registry(Generic[Function]):
    """A fixed set of algorithms.

    Parameters
    ----------
    algorithms : iterable of Algorithm
        The entries; names must differ.
    """

    def __init__(self, algorithms: Iterable[Algorithm[Function]]) -> None:
        self._by_name = {algorithm.name: algorithm for algorithm in algorithms}

    def __getitem__(self, name: str) -> Algorithm[Function]:
        found = self._by_name.get(name)
        if found is None:
            close = get_close_matches(str(name), self._by_name, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"choose from {self.names}."
            raise OptionError(f"There is no algorithm {name!r}; {hint}")
        return found

    def __iter__(self) -> Iterator[Algorithm[Function]]:
        return iter(self._by_name.values())

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all entries."""
        return tuple(self._by_name)
