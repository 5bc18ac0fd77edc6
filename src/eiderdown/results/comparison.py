"""Several ways to select columns, side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from eiderdown.results.codec import stored_as
from eiderdown.results.interactions import Measure
from eiderdown.results.result import Result, Run

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Trial:
    """One selector on one split of the rows.

    Attributes
    ----------
    n_variables : int
        How many columns it selected.
    variables : tuple of str or None
        Which ones; None where they are too many to be listed.
    score : float
        How well an SVM that was trained on them predicts the rows kept aside.
    degree, C
        The SVM, chosen without those rows; None where nothing was selected.
    seconds : float
        Wall-clock time of the selection.
    """

    n_variables: int
    variables: tuple[str, ...] | None
    score: float
    degree: int | None
    C: float | None = field(metadata=stored_as("cost"))
    seconds: float


@dataclass(frozen=True)
class ComparedSelector:
    """One row of the comparison.

    Attributes
    ----------
    name : str
        Registered name of the selector.
    summary : str
        What it does.
    trials : tuple of Trial
        One for each split that it finished.
    problem : str or None
        Why some splits are missing; None if none are.
    """

    name: str
    summary: str
    trials: tuple[Trial, ...]
    problem: str | None = None

    @property
    def n_variables(self) -> float | None:
        """Mean number of selected columns; None without a trial."""
        return _mean([trial.n_variables for trial in self.trials])

    @property
    def score(self) -> float | None:
        """Mean score; None without a trial."""
        return _mean([trial.score for trial in self.trials])

    @property
    def standard_error(self) -> float | None:
        """Standard error of the score over the splits; None with fewer than two trials."""
        scores = [trial.score for trial in self.trials]
        return stdev(scores) / len(scores) ** 0.5 if len(scores) > 1 else None

    @property
    def seconds(self) -> float | None:
        """Mean time of a selection; None without a trial."""
        return _mean([trial.seconds for trial in self.trials])


@dataclass(frozen=True)
class SelectorComparison(Result):
    """Several selectors of columns, and how well an SVM predicts with what each selects.

    Iterating gives the selectors in the order in which they were asked for.

    Attributes
    ----------
    target : str
        The column to predict.
    measure : {"AUC", "R2"}
        What the scores are.
    n_variables : int
        Columns to select from.
    n_splits : int
        How often rows were kept aside.
    tested_on : str
        Which rows were, for people.
    selectors : tuple of ComparedSelector
        One row for each selector.
    run, warnings, complete
        See :class:`Result`.
    """

    kind = "selector_comparison"

    target: str
    measure: Measure
    n_variables: int
    n_splits: int
    tested_on: str
    selectors: tuple[ComparedSelector, ...]
    run: Run
    warnings: tuple[str, ...] = ()
    complete: bool = True

    def __iter__(self) -> Iterator[ComparedSelector]:
        return iter(self.selectors)

    def __len__(self) -> int:
        return len(self.selectors)

    def __getitem__(self, name: str) -> ComparedSelector:
        return {row.name: row for row in self.selectors}[name]

    def to_frame(self) -> pandas.DataFrame:
        """Return the table as a pandas frame with a row for each selector."""
        import pandas

        rows = [
            {
                "selector": row.name,
                "n_variables": row.n_variables,
                "percentage": self.percentage(row),
                self.measure: row.score,
                "standard_error": row.standard_error,
                "seconds": row.seconds,
                "problem": row.problem,
            }
            for row in self.selectors
        ]
        return pandas.DataFrame(rows)

    def percentage(self, row: ComparedSelector) -> float | None:
        """Return how many of a hundred columns a selector keeps; None without a trial."""
        return None if row.n_variables is None else 100.0 * row.n_variables / self.n_variables


def _mean(numbers: list[float] | list[int]) -> float | None:
    return fmean(numbers) if numbers else None
