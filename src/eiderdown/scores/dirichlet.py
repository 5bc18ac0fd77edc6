"""Marginal likelihoods of discrete columns under Dirichlet priors: BDeu and K2."""

from __future__ import annotations

import math

from eiderdown.data import Dataset
from eiderdown.errors import OptionError
from eiderdown.scores.discrete import DiscreteScore
from eiderdown.scores.terms import GammaTerms


class BdeuScore(DiscreteScore):
    """Log marginal likelihood with a prior that is uniform over each family's joint table.

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
        self, data: Dataset, *, equivalent_sample_size: float = 10.0, n_jobs: int | None = None
    ) -> None:
        if not 0.0 < equivalent_sample_size < math.inf:
            raise OptionError(
                "equivalent_sample_size must be a positive number of rows, not "
                f"{equivalent_sample_size!r}."
            )
        super().__init__(data, GammaTerms(data.n_rows), n_jobs=n_jobs)
        self.equivalent_sample_size = float(equivalent_sample_size)

    @property
    def description(self) -> dict[str, object]:
        """Name and options of the score, for the record of a run."""
        return {**super().description, "equivalent_sample_size": self.equivalent_sample_size}

    def shifts(self, n_strata: int, n_child: int) -> tuple[float, float]:
        """Return what is added to the counts of cells and of strata."""
        size = self.equivalent_sample_size
        return size / (n_strata * n_child), size / n_strata


class K2Score(DiscreteScore):
    """Log marginal likelihood with a prior that is uniform over every distribution of a child.

    Parameters
    ----------
    data : Dataset
        The table; its columns must be discrete.
    n_jobs : int or None
        Threads; None means every available core. Scores do not depend on it.
    """

    name = "k2"

    def __init__(self, data: Dataset, *, n_jobs: int | None = None) -> None:
        super().__init__(data, GammaTerms(data.n_rows), n_jobs=n_jobs)

    def shifts(self, n_strata: int, n_child: int) -> tuple[float, float]:  # noqa: ARG002
        """Return what is added to the counts of cells and of strata."""
        return 1.0, float(n_child)


class PenalisedK2Score(DiscreteScore):
    """K2 less ln(n) / 2 for every free parameter.

    Lantz, Ray and Page (2007) subtract 2^|parents| ln(n) / 2 for binary columns; with other columns
    it is (categories - 1) times the combinations of the parents' categories, which for binary ones is the
    same.

    Parameters
    ----------
    data, n_jobs
        As for :class:`K2Score`.
    """

    name = "k2_penalised"

    def __init__(self, data: Dataset, *, n_jobs: int | None = None) -> None:
        price = 0.5 * math.log(data.n_rows)
        super().__init__(data, GammaTerms(data.n_rows), price=price, n_jobs=n_jobs)

    def shifts(self, n_strata: int, n_child: int) -> tuple[float, float]:  # noqa: ARG002
        """Return what is added to the counts of cells and of strata."""
        return 1.0, float(n_child)
