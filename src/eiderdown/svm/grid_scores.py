"""Records of cross-validation: how each degree and cost did, and what choosing them is worth."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean, stdev

_SAME = 1e-9
"""Scores this close are equal."""


@dataclass(frozen=True)
class FoldScores:
    """Scores in several folds.

    Attributes
    ----------
    scores : tuple of float
        AUC (or R2) in each fold.
    """

    scores: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Mean over folds."""
        return fmean(self.scores)

    @property
    def sd(self) -> float:
        """Standard deviation over folds; 0 for a single one."""
        return stdev(self.scores) if len(self.scores) > 1 else 0.0

    @property
    def standard_error(self) -> float:
        """Standard error of the mean over folds."""
        return self.sd / math.sqrt(len(self.scores))


@dataclass(frozen=True)
class GridScore(FoldScores):
    """How one degree and cost did.

    Attributes
    ----------
    scores : tuple of float
        AUC (or R2) in each fold.
    degree : int
        Degree of the kernel.
    C : float
        Cost of errors.
    converged : bool
        False if some machine was still improving when its training was ended.
    """

    degree: int
    C: float
    converged: bool = True


@dataclass(frozen=True)
class Tuning:
    """Every degree and cost that was tried.

    Attributes
    ----------
    table : tuple of GridScore
        By degree, then by cost.
    measure : str
        "AUC" or "R2".
    complete : bool
        False if it was interrupted and this is what there was so far.
    """

    table: tuple[GridScore, ...]
    measure: str
    complete: bool = True

    @property
    def best(self) -> GridScore:
        """The best mean among those tried in most folds; of equals the lowest degree and cost."""
        most = max(len(point.scores) for point in self.table)
        finished = [point for point in self.table if len(point.scores) == most]
        highest = max(point.mean for point in finished)
        equals = (point for point in finished if point.mean >= highest - _SAME)
        return min(equals, key=lambda point: (point.degree, point.C))


@dataclass(frozen=True)
class NestedScore(FoldScores):
    """What choosing degree and cost by cross-validation is worth on rows that took no part in it.

    Attributes
    ----------
    scores : tuple of float
        AUC (or R2) in each outer fold.
    chosen : tuple of GridScore
        What was chosen for each outer fold, with its scores in the inner ones.
    measure : str
        "AUC" or "R2".
    complete : bool
        False if it was interrupted and these are the folds so far.
    """

    chosen: tuple[GridScore, ...]
    measure: str
    complete: bool = True
