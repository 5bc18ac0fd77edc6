"""Penalised likelihoods of discrete columns: BIC and AIC."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

from eiderdown.data import Dataset
from eiderdown.errors import OptionError
from eiderdown.scores.discrete import DiscreteScore
from eiderdown.scores.terms import LikelihoodTerms

Parameters: TypeAlias = Literal["nominal", "observed"]


class PenalisedLikelihood(DiscreteScore):
    """Log-likelihood of the best-fitting tables, less a price for every free parameter.

    A child of r categories has r - 1 free parameters for each combination of its parents' categories.

    Parameters
    ----------
    data : Dataset
        The table; its columns must be discrete.
    price : float
        What one free parameter costs.
    parameters : {"nominal", "observed"}
        Whether every combination of declared categories counts, or only those that occur. Only the
        first scores equivalent graphs the same.
    n_jobs : int or None
        Threads; None means every available core. Scores do not depend on it.
    """

    def __init__(
        self,
        data: Dataset,
        price: float,
        *,
        parameters: Parameters = "nominal",
        n_jobs: int | None = None,
    ) -> None:
        if parameters not in ("nominal", "observed"):
            raise OptionError(f"parameters must be 'nominal' or 'observed', not {parameters!r}.")
        observed = parameters == "observed"
        terms = LikelihoodTerms(data.n_rows)
        super().__init__(data, terms, price=price, observed=observed, n_jobs=n_jobs)
        self.parameters = parameters
        self.equivalent = not observed

    @property
    def description(self) -> dict[str, object]:
        """Name and options of the score, for the record of a run."""
        return {**super().description, "parameters": self.parameters}

    def shifts(self, n_strata: int, n_child: int) -> tuple[float, float]:  # noqa: ARG002
        """Return what is added to the counts of cells and of strata."""
        return 0.0, 0.0


class BicScore(PenalisedLikelihood):
    """The Bayesian information criterion: a parameter costs ln(n) / 2.

    Parameters
    ----------
    data, parameters, n_jobs
        As for :class:`PenalisedLikelihood`.

    Examples
    --------
    >>> data = Dataset.from_columns({"a": [0, 0, 1, 1] * 25, "b": [0, 0, 1, 1] * 25})
    >>> score = BicScore(data)
    >>> round(score.local(1), 2), round(score.local(1, [0]), 2)
    (-71.62, -4.61)
    """

    name = "bic"

    def __init__(
        self, data: Dataset, *, parameters: Parameters = "nominal", n_jobs: int | None = None
    ) -> None:
        price = 0.5 * math.log(data.n_rows)
        super().__init__(data, price, parameters=parameters, n_jobs=n_jobs)


class AicScore(PenalisedLikelihood):
    """Akaike's information criterion: a parameter costs 1.

    Parameters
    ----------
    data, parameters, n_jobs
        As for :class:`PenalisedLikelihood`.
    """

    name = "aic"

    def __init__(
        self, data: Dataset, *, parameters: Parameters = "nominal", n_jobs: int | None = None
    ) -> None:
        super().__init__(data, 1.0, parameters=parameters, n_jobs=n_jobs)
