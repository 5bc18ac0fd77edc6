"""Which search and which score learn a network where nobody names them, and why.

    more than 2,000 columns                      mmhc_restarts, which weighs few pairs
    values are missing, and are not filled in    mmhc_restarts, which loses fewer rows
    rows have weights or groups                  mmhc_restarts
    a test was asked for                         mmhc_restarts, which uses it
    all other tables                             boss_restarts

BOSS with restarts scores categories by qNML unless another score is asked for, and numbers by the
Gaussian BIC. The measurements are in ``docs/structure.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from eiderdown.data import Dataset
from eiderdown.registry import Algorithm
from eiderdown.results import Run
from eiderdown.structure import BOSS_RESTARTS, MMHC_RESTARTS, NETWORK_ALGORITHMS
from eiderdown.structure.equivalence.search import MOST_COLUMNS

AUTO = "auto"

SHORT_OF_ROWS = 0.1
"""Share of the tests that could not say, from which on a search by tests had too few rows."""

SCORE_OF_CATEGORIES = "qnml"
"""The score of the search among orders, where the table has categories."""


class ChosenSearch(NamedTuple):
    """A search with its score (None for the one that was asked for), and why it was chosen."""

    algorithm: Algorithm[..., Any]
    score: str | None = None
    why: str = ""


def chosen_search(data: Dataset, options: Mapping[str, Any]) -> ChosenSearch:
    """Return the search that was named, or choose one by the table."""
    if not _is_auto(options["algorithm"]):
        return ChosenSearch(NETWORK_ALGORITHMS[options["algorithm"]])
    against = _against_orders(data, options)
    if against:
        return ChosenSearch(MMHC_RESTARTS, why=f"{MMHC_RESTARTS.name}, because {against}")
    scores_categories = _is_auto(options["score"]) and bool(data.is_discrete.any())
    return ChosenSearch(
        BOSS_RESTARTS,
        SCORE_OF_CATEGORIES if scores_categories else None,
        f"{BOSS_RESTARTS.name}: its classes agreed best with those of known networks",
    )


def short_of_rows(run: Run, data: Dataset, options: Mapping[str, Any]) -> tuple[str, ...]:
    """Say that many tests could not say, and which search would have come nearer to the truth."""
    known = run.algorithm in NETWORK_ALGORITHMS
    better = NETWORK_ALGORITHMS[run.algorithm].fewer_rows if known else ""
    if not better or run.n_skipped < SHORT_OF_ROWS * run.n_tests or _against_orders(data, options):
        return ()
    return (
        f"With {run.n_rows:,} rows, {run.n_skipped:,} of the {run.n_tests:,} tests of "
        f"{run.algorithm!r} could not say; from few rows {better!r} comes nearer to the truth.",
    )


def _against_orders(data: Dataset, options: Mapping[str, Any]) -> str:
    """Say why no search among orders can be made; nothing if one can."""
    if data.n_columns - len(options["exclude"]) > MOST_COLUMNS:
        return f"a search among orders weighs every pair of more than {MOST_COLUMNS:,} columns"
    if data.roles is not None:
        return "rows have weights or groups"
    if options["missing"] != "impute" and data.has_missing.any():
        return "values are missing, and it uses more of the rows"
    if not _is_auto(options["test"]):
        return "a test was asked for, and it uses one"
    return ""


def _is_auto(source: Any) -> bool:
    """Say whether an option leaves the choice to the table; it may hold anything, even an array."""
    return isinstance(source, str) and source == AUTO
