"""What can be said about repeated searches for local optima, checked."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from eiderdown.confidence.summary import check_weighting
from eiderdown.errors import OptionError
from eiderdown.knowledge.file import KnowledgeSource
from eiderdown.randomness import as_generator
from eiderdown.results import Weighting
from eiderdown.scores import ScoreSource


@dataclass(frozen=True, kw_only=True, eq=False)
class KesOptions:
    """How often KES is run, with which score, and what is done with the optima.

    Attributes
    ----------
    runs, k, score, weighting, knowledge, max_parents, turning, exclude, \
target, random_state, n_jobs, progress, state
        As in :class:`eiderdown.confidence.FeatureAnalysis`.
    """

    runs: int
    k: float
    score: ScoreSource = "auto"
    weighting: Weighting = "distinct"
    knowledge: KnowledgeSource | None = None
    max_parents: int | None = None
    turning: bool = False
    exclude: Collection[str] = ()
    target: str | None = None
    random_state: int | None = 0
    n_jobs: int | None = None
    progress: bool = True
    state: str | Path | None = None

    def __post_init__(self) -> None:
        if isinstance(self.runs, bool) or not isinstance(self.runs, int) or self.runs < 1:
            raise OptionError(f"runs must be an integer from 1 on, not {self.runs!r}.")
        if not 0.0 <= self.k < 1.0:
            raise OptionError(
                f"k must be at least 0 and below 1, not {self.k}; with k=1 nothing is left to "
                "chance, and all runs would find the same."
            )
        if self.max_parents is not None and self.max_parents < 1:
            raise OptionError(f"max_parents must be at least 1 or None, not {self.max_parents}.")
        check_weighting(self.weighting)
        as_generator(self.random_state)
