"""The four searches of Brown (2009), chapter III, with the settings of the thesis."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain

from brown2009_problems import TARGET, Problem, Sample
from brown2009_published_boundaries import METHODS

from eiderdown import find_boundary, find_interactions
from eiderdown.feature_space.elimination import recursive_elimination
from eiderdown.feature_space.relief import relief_selection

ALPHA = 0.05
MAX_GIVEN = 3
COST = 1e3
MAX_BUILT = 20_000
N_NEIGHBOURS = 5
KEEP = 0.5
# The thesis's HITON is that of Aliferis et al. (2003, 2010): semi-interleaved, and parents and
# children are not corrected by symmetry.
HITON = {"corrected": False, "interleaving": "semi"}


@dataclass(frozen=True)
class Study:
    """A table of the thesis: the problem, and the settings that it was searched with."""

    table: str
    problem: Problem
    degree: int
    n_features: int

    @property
    def title(self) -> str:
        """Name the problem and its size."""
        return f"{self.table}: {self.problem.name}, {self.problem.n_variables} variables"


@dataclass(frozen=True)
class Answer:
    """The variables that a search found, and the features if it found any.

    ``sure`` are the variables of features whose p-value stays below alpha when it is multiplied by
    the number of all features that there are (Bonferroni's correction).
    """

    variables: frozenset[str]
    n_features: int = 0
    sure: frozenset[str] = frozenset()


def hiton(_study: Study, sample: Sample, _k: int) -> Answer:
    """Search by pairwise tests."""
    found = find_boundary(
        sample.table(),
        target=TARGET,
        algorithm="hiton_mb",
        alpha=ALPHA,
        max_given=MAX_GIVEN,
        settings=HITON,
        progress=False,
    )
    return Answer(frozenset(found.members))


def relief(study: Study, sample: Sample, k: int) -> Answer:
    """Rank by Relief, and keep the best of the halves."""
    found = relief_selection(
        sample.matrix,
        sample.classes,
        degree=study.degree,
        C=COST,
        n_neighbours=N_NEIGHBOURS,
        keep=KEEP,
        names=sample.names,
        random_state=k,
    )
    return Answer(frozenset(sample.names[i] for i in found.members))


def rfe(study: Study, sample: Sample, k: int) -> Answer:
    """Eliminate by the weights of the machine, and keep the best of the halves."""
    found = recursive_elimination(
        sample.matrix,
        sample.classes,
        degree=study.degree,
        C=COST,
        keep=KEEP,
        names=sample.names,
        random_state=k,
    )
    return Answer(frozenset(sample.names[i] for i in found.members))


def fsmb(study: Study, sample: Sample, _k: int) -> Answer:
    """Search among the features with the largest weights."""
    found = find_interactions(
        sample.table(),
        target=TARGET,
        degree=study.degree,
        cost=COST,
        n_features=study.n_features,
        max_built=MAX_BUILT,
        alpha=ALPHA,
        max_given=MAX_GIVEN,
        settings=HITON,
        progress=False,
    )
    limit = math.log(ALPHA) - math.log(found.search.n_total)
    sure = (feature.variables for feature in found.features if feature.evidence.log_p <= limit)
    return Answer(
        frozenset(found.variables), len(found.features), frozenset(chain.from_iterable(sure))
    )


SEARCHES: dict[str, Callable[[Study, Sample, int], Answer]] = dict(
    zip(METHODS, (hiton, relief, rfe, fsmb), strict=True)
)
