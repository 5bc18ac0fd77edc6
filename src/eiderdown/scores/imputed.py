"""The mean of a score over tables in which missing values are filled in."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.scores.base import LocalScore


class ImputedScore(LocalScore):
    """Score graphs by the mean over several imputed tables.

    Parameters
    ----------
    scores : sequence of LocalScore
        The score of each table; at least one.
    """

    def __init__(self, scores: Sequence[LocalScore]) -> None:
        super().__init__(scores[0].names)
        self.scores = tuple(scores)
        self.equivalent = scores[0].equivalent

    @property
    def name(self) -> str:  # type: ignore[override]  # of the score itself
        """What users call the score."""
        return self.scores[0].name

    @property
    def description(self) -> dict[str, object]:
        """Name and options of the score, and how many tables there are."""
        return {**self.scores[0].description, "imputed_tables": len(self.scores)}

    def _local(self, child: int, parents: tuple[int, ...]) -> float:
        return float(np.mean([score.local(child, parents) for score in self.scores]))

    def _additions(self, child: int, parents: tuple[int, ...], candidates: IntArray) -> FloatArray:
        found = [score.additions(child, parents, candidates) for score in self.scores]
        return np.asarray(np.mean(found, axis=0))
