"""Marginal likelihoods of discrete columns, under a prior of their tables: BDeu and K2."""

from __future__ import annotations

import math
from typing import Annotated, TypeAlias

from eiderdown.data import Dataset
from eiderdown.options import Option
from eiderdown.scores.base import checked_params
from eiderdown.scores.discrete import DiscreteScore
from eiderdown.scores.kernels import GammaTerms

EquivalentSampleSize: TypeAlias = Annotated[
    float, Option("weight of the prior, in rows", inside=(0, math.inf))
]


class BdeuScore(DiscreteScore):
    """Log marginal likelihood with a prior that is uniform over each family's joint table.

    Heckerman, Geiger and Chickering (1995).

    Parameters
    ----------
    data : Dataset
        The table; its columns must be discrete.
    equivalent_sample_size : float
        Weight of the prior, in rows; it is shared by all cells of declared categories.
    n_jobs : int or None
        Threads; None means every available core. Scores do not depend on it.
    """

    name = "bdeu"
    equivalent = True

    def __init__(
        self,
        data: Dataset,
        *,
        equivalent_sample_size: EquivalentSampleSize = 1.0,
        n_jobs: int | None = None,
    ) -> None:
        params = checked_params(BdeuScore, equivalent_sample_size=equivalent_sample_size)
        super().__init__(data, GammaTerms.of(data.n_rows), n_jobs=n_jobs)
        self.params = params

    def shifts(self, n_strata: int, n_child: int) -> tuple[float, float]:
        """Return what is added to the counts of cells and of strata."""
        size: float = self.params["equivalent_sample_size"]
        return size / (n_strata * n_child), size / n_strata


class K2Score(DiscreteScore):
    """Log marginal likelihood with a prior that is uniform over every distribution of a child.

    Cooper and Herskovits (1992).

    Parameters
    ----------
    data : Dataset
        The table; its columns must be discrete.
    n_jobs : int or None
        Threads; None means every available core. Scores do not depend on it.
    """

    name = "k2"

    def __init__(self, data: Dataset, *, n_jobs: int | None = None) -> None:
        super().__init__(data, GammaTerms.of(data.n_rows), n_jobs=n_jobs)

    def shifts(self, n_strata: int, n_child: int) -> tuple[float, float]:  # noqa: ARG002
        """Return what is added to the counts of cells and of strata."""
        return 1.0, float(n_child)


class PenalisedK2Score(K2Score):
    """K2 less ln(n) / 2 for every free parameter.

    Lantz, Ray and Page (2007) subtract 2^|parents| ln(n) / 2 for binary columns; with other columns
    it is (categories - 1) times the combinations of the parents' categories, which for binary ones
    is the same.

    Parameters
    ----------
    data, n_jobs
        As for :class:`K2Score`.
    """

    name = "k2_penalised"

    def price_of_parameter(self, n_rows: float) -> float:
        """Return what one free parameter costs."""
        return 0.5 * math.log(n_rows)
