"""Which search answers where nobody names one, and why.

    graphs around the target can be learned by scores    consensus, consensus_pc
    they cannot                                          a search by tests: iamb, get_pc, pcmb

Scores of graphs see categories as unordered and numbers as lines, count every row alike, and leave
out rows in which a column is missing. Where a test sees more than that, or most rows would go,
graphs would vote on another table than the one that was asked about.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from eiderdown.boundary import (
    ALGORITHMS,
    CONSENSUS,
    CONSENSUS_PC,
    GET_PC,
    IAMB,
    PCMB,
    Search,
)
from eiderdown.data import Dataset
from eiderdown.independence import (
    CachedTest,
    CalibratedChiSquareTest,
    ChiSquareTest,
    FisherZTest,
    GSquareTest,
    PermutationTest,
    StudentTTest,
    WilksTest,
)
from eiderdown.independence.registry import entry_of
from eiderdown.registry import Registry
from eiderdown.results import Run

AUTO = "auto"

TYPICAL_NEAR = 20
"""How many columns a graph around a target has, as a rule; rows must be complete in all."""

_SEE_WHAT_SCORES_SEE = {
    test.__name__
    for test in (
        CalibratedChiSquareTest,
        ChiSquareTest,
        FisherZTest,
        GSquareTest,
        StudentTTest,
    )
}


class Default(NamedTuple):
    """The searches between which a verb chooses."""

    by_graphs: Search
    by_tests: Search


OF_BOUNDARY = Default(CONSENSUS, IAMB)
OF_PARENTS_CHILDREN = Default(CONSENSUS_PC, GET_PC)
OF_ALL = Default(CONSENSUS, PCMB(symmetry="or"))  # sets are shared, so "or" costs nothing


def named(algorithm: str | Search, registry: Registry[Any]) -> Search | None:
    """Return the search that was named; None if the choice is ours."""
    if isinstance(algorithm, str) and algorithm == AUTO:
        return None
    found: Search = registry[algorithm]
    return found


def chosen(
    default: Default, data: Dataset, test: CachedTest, options: Mapping[str, Any]
) -> tuple[Search, str]:
    """Choose by the table and the test, and say why."""
    against = _against_graphs(data, test, options)
    if against:
        return default.by_tests, f"a search by tests, because {against}"
    return default.by_graphs, "tests and graphs together are right more often than each alone"


def nearer_from_few_rows(run: Run, data: Dataset, test: CachedTest) -> str:
    """Return the search that would have come nearer to the truth, if it can be made here."""
    better = ALGORITHMS[run.algorithm].fewer_rows if run.algorithm in ALGORITHMS else ""
    asked = {"error_rate": run.options.get("error_rate", "test"), "test": AUTO, "missing": "error"}
    return "" if not better or _against_graphs(data, test, asked) else better


def _against_graphs(data: Dataset, test: CachedTest, options: Mapping[str, Any]) -> str:
    """Say why graphs cannot be learned by scores; nothing if they can."""
    if options["error_rate"] != "test":
        return "a rate of false discoveries is one of tests"
    if data.roles is not None:
        return "scores of graphs know neither weights nor groups of rows"
    if entry_of(options["test"]) is None:
        return "there is no score of graphs that sees what a test of your own sees"
    made = test.description
    if made["test"] == PermutationTest.__name__:
        return "to look around every candidate by permutations would take too long"
    lines = made["test"] == WilksTest.__name__ and made["basis"] == "linear" and not made["ranks"]
    if made["test"] not in _SEE_WHAT_SCORES_SEE and not lines:
        return "the test sees orders, bends, ranks or times, which scores of graphs do not"
    return _against_rows(data, options["missing"])


def _against_rows(data: Dataset, missing: str) -> str:
    """Say why these rows are not those that scores want."""
    return _against_complete_rows(data, missing) if data.has_missing.any() else ""


def _against_complete_rows(data: Dataset, missing: str) -> str:
    if missing == "impute":
        return "scores of graphs would not see what is filled in"
    columns = data.has_missing.nonzero()[0].tolist()
    n_cells = sum(data.n_missing(i) for i in columns)
    observed = 1.0 - n_cells / (data.n_rows * data.n_columns)
    if observed**TYPICAL_NEAR < 0.5:
        return "most rows would be incomplete among the columns near a target"
    return ""
