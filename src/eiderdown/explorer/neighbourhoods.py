"""Parents and children of columns, each searched once for each test and significance level.

All searches by one test share its memory of questions and the sets that they found on the way, as
those of :func:`eiderdown.find_all_boundaries` do; each answer is the one of
:func:`eiderdown.find_parents_children` with the same test.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from eiderdown.api import choice
from eiderdown.api.local import ConfiguredSearch, run_search, test_of
from eiderdown.boundary import PARENTS_CHILDREN_ALGORITHMS
from eiderdown.boundary.known_sets import KnownSets
from eiderdown.data import Dataset
from eiderdown.data.prepare import Prepared, prepare_targets
from eiderdown.errors import ConstantColumnError, OptionError
from eiderdown.independence import CachedTest
from eiderdown.independence.registry import TESTS, columns_named_by, entry_of, kinds_taken
from eiderdown.progress import Trace
from eiderdown.results import ParentsChildren

OWN = "your own"
"""What a test is called that a function makes."""


@dataclass
class Judge:
    """One test of the table, and what it found out so far."""

    prepared: Prepared
    test: CachedTest
    options: Mapping[str, Any]
    known: KnownSets = field(default_factory=KnownSets)
    found: dict[tuple[float, str], ParentsChildren] = field(default_factory=dict)

    def index(self, name: str) -> int:
        """Return the column's number, or say why it cannot be asked about."""
        column = self.prepared.data.index(name)
        if column not in self.prepared.candidates:
            raise ConstantColumnError(
                f"Column {name!r} has a single value, so nothing can depend on it; choose another."
            )
        return column

    def around(self, name: str, alpha: float, trace: Trace) -> ParentsChildren:
        """Search around a column, or remember what was found."""
        self.index(name)
        if (alpha, name) not in self.found:
            options = {**self.options, "alpha": alpha}
            result = run_search(
                ParentsChildren,
                self.prepared.around(name),
                self.test,
                self._search(options),
                listener=trace,
                known=self.known,
            )
            if not result.complete and not _out_of_time(trace):
                trace.progressed("searching", len(result.members))  # which says it was cancelled
            self.found[alpha, name] = result
        return self.found[alpha, name]

    def forget_incomplete(self, name: str) -> bool:
        """Forget what was found around a column before its time was over; say if anything was."""
        keys = [k for k, result in self.found.items() if k[1] == name and not result.complete]
        for key in keys:
            del self.found[key]
        return bool(keys)

    def _search(self, options: Mapping[str, Any]) -> ConfiguredSearch:
        search, why = choice.named(options["algorithm"], PARENTS_CHILDREN_ALGORITHMS), ""
        if search is None:
            default = choice.OF_PARENTS_CHILDREN
            search, why = choice.chosen(default, self.prepared.data, self.test, options)
        return ConfiguredSearch.of(search, options, why=why)


def _out_of_time(trace: Trace) -> bool:
    return trace.cancellation is not None and trace.cancellation.out_of_time


class Neighbourhoods:
    """The table, and the searches around its columns by each test that was asked for.

    Parameters
    ----------
    data : Dataset
        The table.
    options : mapping
        Options of the searches: algorithm, test, max_given, missing, random_state, n_jobs.
    """

    def __init__(self, data: Dataset, options: Mapping[str, Any]) -> None:
        self.data, self._options = data, options
        entry = entry_of(options["test"])
        self.first_test = OWN if entry is None else entry.name
        self._sources: dict[str, Any] = {self.first_test: options["test"]}
        self._judges: dict[str, Judge] = {}

    def judge(self, test: str) -> Judge:
        """Return the test of that name, made of the table when it is first asked for."""
        if test not in self._judges:
            source = self._source(test)
            options = {**self._options, "test": source, "error_rate": "test"}
            table = self.data.drop(columns_named_by(source))
            taken = kinds_taken(source)
            prepared = prepare_targets(table, takes=taken, missing=options["missing"])
            self._judges[test] = Judge(prepared, test_of(prepared, options), options)
        return self._judges[test]

    def test_names(self) -> tuple[str, ...]:
        """Return the tests that take the table's columns as they are."""
        discrete = self.data.is_discrete
        held = {"discrete"} if discrete.all() else {"discrete", "continuous"}
        held = held if discrete.any() else {"continuous"}
        fitting = [
            entry.name
            for entry in TESTS
            if held.issubset(entry.kinds) and (len(held) == 1 or entry.mixed)
        ]
        return tuple(dict.fromkeys((self.first_test, *fitting)))

    @property
    def n_tests(self) -> int:
        """Tests computed so far."""
        return sum(judge.test.counts.n_tests for judge in list(self._judges.values()))

    def _source(self, test: str) -> Any:
        if test in self._sources:
            return self._sources[test]
        if test == OWN:
            raise OptionError("There is no test of your own in this session; choose another.")
        return TESTS[test].name
