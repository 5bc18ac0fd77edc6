"""What many runs of KES found in a table, and means of it over several tables.

After Pena, Kocka & Nielsen (2004). Errors are counted against a graph: the one that made the data,
or the best model found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from eiderdown.results.graph_features import THRESHOLDS, ErrorCounts, cheapest_threshold, passes

GROUPS = ("edges", "paths", "boundaries")

Counts = tuple[float, float, float]
"""True positives, false positives and false negatives."""


@dataclass(frozen=True)
class Outcome:
    """What was found in one table.

    Attributes
    ----------
    n_rows, n_runs, n_optima
        How large the table is, how often it was searched, how many distinct models that gave.
    seconds
        Of all runs together.
    errors
        By group of features: true positives, false positives, false negatives at .05, .10, ... 1.
    edges
        Each edge of the graph or of any model, the confidence in it, and whether the graph has it.
    model_score, model_errors
        Score of the best model, and by group of features its own false positives and negatives.
    """

    n_rows: int
    n_runs: int
    n_optima: int
    seconds: float
    errors: Mapping[str, Sequence[Sequence[int]]]
    edges: Sequence[tuple[str, float, bool]]
    model_score: float
    model_errors: Mapping[str, Sequence[int]]

    def edges_at(self, threshold: float, *, in_graph: bool) -> list[str]:
        """Return the edges that pass: the true positives, or the false ones."""
        return [
            edge
            for edge, confidence, is_in_graph in self.edges
            if is_in_graph == in_graph and passes(confidence, threshold)
        ]

    def missing_edges(self, threshold: float) -> list[str]:
        """Return the graph's edges that do not pass."""
        return [
            edge
            for edge, confidence, is_in_graph in self.edges
            if is_in_graph and not passes(confidence, threshold)
        ]


@dataclass(frozen=True)
class Means:
    """Means over tables of one kind."""

    outcomes: Sequence[Outcome]

    def counts(self, group: str, threshold: float) -> Counts:
        """Return mean true positives, false positives and false negatives at a threshold."""
        sums = self._sums(group)[THRESHOLDS.index(threshold)]
        n = len(self.outcomes)
        return sums.true_positives / n, sums.false_positives / n, sums.false_negatives / n

    def n_errors(self, group: str, threshold: float) -> float:
        """Return mean false positives and negatives together."""
        return sum(self.counts(group, threshold)[1:])

    def best_threshold(self, group: str) -> float:
        """Return the threshold with the fewest errors over all tables."""
        return cheapest_threshold(
            self._sums(group), false_positive_cost=1.0, false_negative_cost=1.0
        )

    def useful_thresholds(self, group: str) -> list[float]:
        """Return where more of the graph's features pass than not, and no more others pass.

        That is, where there are more true positives than false negatives, and at least as many
        false negatives as false positives.
        """
        found = []
        for threshold in THRESHOLDS:
            true_positives, false_positives, false_negatives = self.counts(group, threshold)
            if true_positives > false_negatives >= false_positives:
                found.append(threshold)
        return found

    def n_features(self, group: str) -> float:
        """Return the mean number of features of the graphs."""
        true_positives, _, false_negatives = self.counts(group, THRESHOLDS[0])
        return true_positives + false_negatives

    @property
    def n_optima(self) -> float:
        """Mean number of distinct models."""
        return fmean(outcome.n_optima for outcome in self.outcomes)

    @property
    def seconds(self) -> float:
        """Mean seconds of all runs on a table."""
        return fmean(outcome.seconds for outcome in self.outcomes)

    def _sums(self, group: str) -> list[ErrorCounts]:
        of_tables = zip(*(outcome.errors[group] for outcome in self.outcomes), strict=True)
        return [
            ErrorCounts(threshold, *map(sum, zip(*counts, strict=True)))
            for threshold, counts in zip(THRESHOLDS, of_tables, strict=True)
        ]


SHARE_COLUMNS = (
    "share",
    "rows",
    "runs",
    "distinct models",
    "fewest",
    "most",
    "seconds",
    *(f"{group}: least FP + FN" for group in GROUPS),
    *(f"{group}: useful t" for group in GROUPS),
)
USEFUL = (
    "Useful t counts the thresholds, of 20, with more true positives than false negatives and no "
    "fewer false negatives than false positives."
)


def share_cells(share: int, means: Means) -> list[str | int | float]:
    """Return a row about the tables of one share: the number of models, and the errors in short."""
    first = means.outcomes[0]
    optima = [outcome.n_optima for outcome in means.outcomes]
    return [
        f"{share} %",
        first.n_rows,
        first.n_runs,
        means.n_optima,
        min(optima),
        max(optima),
        means.seconds,
        *(means.n_errors(group, means.best_threshold(group)) for group in GROUPS),
        *(len(means.useful_thresholds(group)) for group in GROUPS),
    ]


def written(counts: Counts) -> str:
    """Write false positives and false negatives for people."""
    return " / ".join(f"{count:.1f}".removesuffix(".0") for count in counts[1:])
