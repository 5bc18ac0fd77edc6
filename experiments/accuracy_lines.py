"""The lines of the record of ``accuracy.py``, read back, and means over the same tables.

A mean weighs every network alike: first over the samples of a network, then over networks. Searches
are compared on the tables that all of those compared have finished, and on no others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeAlias

TableKey: TypeAlias = tuple[str, int, int]
"""Network, rows and seed."""

MEASURES = ("f1", "precision", "recall", "distance", "adjacency", "arrowheads", "shd", "seconds")


@dataclass(frozen=True)
class Problem:
    """A cell without an answer."""

    table: TableKey
    search: str
    what: str


class Measurements:
    """All that was measured of one part, by question, search and table."""

    def __init__(self, lines: Iterable[str], part: str) -> None:
        self._of: dict[tuple[str, str], dict[TableKey, dict[str, float]]] = defaultdict(dict)
        self.problems: list[Problem] = []
        for line in lines:
            of_part, network, seed, rows, question, search, *numbers = line.split(",")
            table = (network, int(rows), int(seed))
            if of_part != part:
                continue
            if question == "problem":
                self.problems.append(Problem(table, search, ",".join(numbers)))
                continue
            values = zip(MEASURES, numbers, strict=True)
            self._of[question, search][table] = {name: float(x) for name, x in values if x}

    def __bool__(self) -> bool:
        return bool(self._of)

    def searches(self, question: str) -> list[str]:
        """Return the names of the searches that answer a question."""
        return sorted(search for of, search in self._of if of == question)

    def tables(self, question: str, *searches: str) -> set[TableKey]:
        """Return the tables on which all of some searches were finished."""
        finished = [set(self._of.get((question, search), ())) for search in searches]
        return set.intersection(*finished) if finished else set()

    def all_tables(self) -> set[TableKey]:
        """Return the tables on which anything was finished."""
        found = (tables for (question, _), tables in self._of.items() if question != "cost")
        return {table for tables in found for table in tables}

    def value(self, question: str, search: str, table: TableKey, measure: str = "f1") -> float:
        """Return one number."""
        return self._of[question, search][table][measure]

    def mean(
        self, question: str, search: str, tables: Collection[TableKey], measure: str = "f1"
    ) -> float:
        """Return the mean over networks of the means over their tables."""
        by_network: dict[str, list[float]] = defaultdict(list)
        for table in tables:
            by_network[table[0]].append(self.value(question, search, table, measure))
        return fmean(fmean(values) for values in by_network.values())

    def best(
        self, question: str, searches: Sequence[str], tables: Collection[TableKey]
    ) -> tuple[str, float] | None:
        """Return the search with the highest mean F1 of those that finished all of some tables."""
        wanted = set(tables)
        able = [s for s in searches if wanted and wanted <= self.tables(question, s)]
        means = [(self.mean(question, search, wanted), search) for search in able]
        if not means:
            return None
        highest = max(means, key=lambda pair: pair[0])
        return highest[1], highest[0]


def with_rows(tables: Iterable[TableKey], n_rows: int) -> set[TableKey]:
    """Return the tables with so many rows."""
    return {table for table in tables if table[1] == n_rows}


def of_networks(tables: Iterable[TableKey], networks: Collection[str]) -> set[TableKey]:
    """Return the tables of some networks."""
    return {table for table in tables if table[0] in networks}
