"""The searches of Brown (2009), chapter III, with the params of the thesis."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

from brown2009_problems import TARGET, Problem, Sample
from brown2009_published_boundaries import METHODS

from eiderdown import find_boundary, find_interactions
from eiderdown.boundary import HITON_MB
from eiderdown.svm.elimination import Narrowing, recursive_elimination
from eiderdown.svm.rankings import Criterion, relief_selection

ALPHA = 0.05
MAX_GIVEN = 3
COST = 1e3
N_NEIGHBOURS = 5
KEEP = 0.5
# The thesis's HITON is that of Aliferis et al. (2003, 2010): semi-interleaved, and parents and
# children are not corrected by symmetry.
HITON = HITON_MB(symmetry="none", interleaving="semi")


@dataclass(frozen=True)
class Study:
    """A table of the thesis: the problem, and the params that it was searched with."""

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

    ``loose`` has those as well that FSMB left out because chance could have put them there; the
    thesis keeps them.
    """

    variables: frozenset[str]
    n_features: int = 0
    loose: frozenset[str] = frozenset()

    def with_names(self, names: Mapping[str, str]) -> Answer:
        """Give the variables back their names."""
        variables, loose = (
            frozenset(names[name] for name in found) for found in (self.variables, self.loose)
        )
        return replace(self, variables=variables, loose=loose)


def hiton(_study: Study, sample: Sample, _k: int) -> Answer:
    """Search by pairwise tests."""
    found = find_boundary(
        sample.table(),
        target=TARGET,
        algorithm=HITON,
        alpha=ALPHA,
        max_given=MAX_GIVEN,
        progress=False,
    )
    return Answer(frozenset(found.members))


def relief(study: Study, sample: Sample, k: int, *, criterion: Criterion = "difference") -> Answer:
    """Rank by Relief, and keep the best of the halves."""
    found = relief_selection(
        sample.matrix,
        sample.classes,
        Narrowing(degree=study.degree, C=COST, keep=KEEP, random_state=k),
        n_neighbours=N_NEIGHBOURS,
        criterion=criterion,
        names=sample.names,
    )
    return Answer(frozenset(sample.names[i] for i in found.members))


def rfe(study: Study, sample: Sample, k: int) -> Answer:
    """Eliminate by the weights of the machine, and keep the best of the halves."""
    found = recursive_elimination(
        sample.matrix,
        sample.classes,
        Narrowing(degree=study.degree, C=COST, keep=KEEP, random_state=k),
        names=sample.names,
    )
    return Answer(frozenset(sample.names[i] for i in found.members))


def fsmb(study: Study, sample: Sample, _k: int) -> Answer:
    """Search among the features with the largest weights."""
    found = find_interactions(
        sample.table(),
        target=TARGET,
        degree=study.degree,
        C=COST,
        n_monomials=study.n_features,
        alpha=ALPHA,
        max_given=MAX_GIVEN,
        algorithm=HITON,
        folds=0,
        progress=False,
    )
    every = (feature.variables for feature in (*found.monomials, *found.by_chance))
    loose = frozenset(chain.from_iterable(every))
    return Answer(frozenset(found.variables), len(found.monomials), loose)


CLOP = "Relief by ratio"
"""Probably the thesis's Relief, that of CLOP; ReliefF subtracts where it divides."""

SEARCHES: dict[str, Callable[[Study, Sample, int], Answer]] = dict(
    zip(METHODS, (hiton, relief, rfe, fsmb), strict=True)
) | {CLOP: partial(relief, criterion="ratio")}
