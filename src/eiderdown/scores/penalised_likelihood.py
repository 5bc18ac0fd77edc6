"""Likelihoods of discrete columns, less a price for every parameter: BIC, AIC, and no price."""

from __future__ import annotations

import math
from typing import Annotated, Literal, TypeAlias

from eiderdown.data import Dataset
from eiderdown.options import Option
from eiderdown.scores.base import checked_params
from eiderdown.scores.discrete import DiscreteScore
from eiderdown.scores.kernels import LikelihoodTerms

Parameters: TypeAlias = Annotated[
    Literal["nominal", "observed"],
    Option(
        "count all combinations of declared categories as having parameters, or those that occur"
    ),
]


class PenalisedLikelihood(DiscreteScore):
    """Log-likelihood of the best-fitting tables, less a price for every free parameter.

    A child of r categories has r - 1 free parameters for each combination of its parents'
    categories.

    Parameters
    ----------
    data : Dataset
        The table; its columns must be discrete.
    parameters : {"nominal", "observed"}
        Whether every combination of declared categories counts, or only those that occur. Only the
        first scores equivalent graphs the same.
    n_jobs : int or None
        Threads; None means every available core. Scores do not depend on it.
    """

    def __init__(
        self, data: Dataset, *, parameters: Parameters = "nominal", n_jobs: int | None = None
    ) -> None:
        params = checked_params(PenalisedLikelihood, parameters=parameters)
        observed = parameters == "observed"
        super().__init__(data, LikelihoodTerms.of(data.n_rows), observed=observed, n_jobs=n_jobs)
        self.params = params
        self.equivalent = not observed

    def shifts(self, n_strata: int, n_child: int) -> tuple[float, float]:  # noqa: ARG002
        """Return what is added to the counts of cells and of strata."""
        return 0.0, 0.0


class LikelihoodScore(PenalisedLikelihood):
    """The log-likelihood alone: one more parent Y gains n times I(X; Y | the others), in nats.

    Every further parent raises it, so it is no score to search graphs by.

    Parameters
    ----------
    data, parameters, n_jobs
        As for :class:`PenalisedLikelihood`.
    """

    name = "likelihood"


class BicScore(PenalisedLikelihood):
    """The Bayesian information criterion (Schwarz 1978): a parameter costs ln(n) / 2.

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

    def price_of_parameter(self, n_rows: float) -> float:
        """Return what one free parameter costs."""
        return 0.5 * math.log(n_rows)


class AicScore(PenalisedLikelihood):
    """Akaike's information criterion (1974): a parameter costs 1.

    Parameters
    ----------
    data, parameters, n_jobs
        As for :class:`PenalisedLikelihood`.
    """

    name = "aic"

    def price_of_parameter(self, n_rows: float) -> float:  # noqa: ARG002  of any table
        """Return what one free parameter costs."""
        return 1.0
