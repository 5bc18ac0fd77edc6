"""Scores by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from eiderdown.data import Dataset
from eiderdown.old_registry import Algorithm, Option, Registry
from eiderdown.scores.base import LocalScore
from eiderdown.scores.dirichlet import BdeuScore, K2Score, PenalisedK2Score
from eiderdown.scores.discrete import DiscreteScore
from eiderdown.scores.gaussian import BgeScore, GaussianBicScore
from eiderdown.scores.kernel_variance import KernelVarianceScore
from eiderdown.scores.likelihood import AicScore, BicScore

MakeScore: TypeAlias = Callable[..., LocalScore]

SCORES: Registry[MakeScore] = Registry(
    [
        Algorithm(
            "bic",
            BicScore,
            "log-likelihood less ln(n)/2 per free parameter",
            "Schwarz 1978",
            ("discrete columns",),
            "equivalent",
            (Option("parameters", "nominal", "count declared or observed combinations"),),
        ),
        Algorithm(
            "aic",
            AicScore,
            "log-likelihood less 1 per free parameter",
            "Akaike 1974",
            ("discrete columns",),
            "equivalent",
            (Option("parameters", "nominal", "count declared or observed combinations"),),
        ),
        Algorithm(
            "bdeu",
            BdeuScore,
            "log marginal likelihood, uniform prior over each family's joint table",
            "Heckerman, Geiger & Chickering 1995",
            ("discrete columns",),
            "equivalent",
            (Option("equivalent_sample_size", 10.0, "weight of the prior, in rows"),),
        ),
        Algorithm(
            "k2",
            K2Score,
            "log marginal likelihood, uniform prior over every distribution",
            "Cooper & Herskovits 1992",
            ("discrete columns",),
            "not equivalent",
        ),
        Algorithm(
            "k2_penalised",
            PenalisedK2Score,
            "K2 less ln(n)/2 per free parameter",
            "Lantz, Ray & Page 2007",
            ("discrete columns",),
            "not equivalent",
        ),
        Algorithm(
            "gaussian_bic",
            GaussianBicScore,
            "log-likelihood of linear regressions less ln(n)/2 per parameter",
            "Schwarz 1978",
            ("continuous columns",),
            "equivalent",
        ),
        Algorithm(
            "bge",
            BgeScore,
            "log marginal likelihood of a Gaussian, normal-Wishart prior",
            "Geiger & Heckerman 2002",
            ("continuous columns",),
            "equivalent",
            (
                Option("mean_weight", 1.0, "weight of the prior mean, in rows"),
                Option("extra_weight", 2.0, "weight of the prior beyond the number of columns"),
                Option("standardise", True, "give every column variance 1 first"),
            ),
        ),
        Algorithm(
            "kgv",
            KernelVarianceScore,
            "kernel generalised variance: kernel features taken as Gaussian",
            "Bach & Jordan 2003",
            ("columns of any kind",),
            "equivalent",
            (
                Option("kappa", 0.01, "strength of the regularisation"),
                Option("sigma", 1.0, "width of the kernel, in standard deviations"),
            ),
        ),
    ],
    noun="score",
)


def make_score(
    data: Dataset, name: str = "auto", *, n_jobs: int | None = None, **options: Any
) -> LocalScore:
    """Make a score by name.

    Parameters
    ----------
    data : Dataset
        The table.
    name : str
        One of ``SCORES``, or "auto": bic for discrete columns, gaussian_bic for continuous ones,
        kgv for both together.
    n_jobs : int or None
        Threads; None means every available core.
    **options
        Options of the score, such as ``equivalent_sample_size=10``.

    Examples
    --------
    >>> from eiderdown.networks import load
    >>> score = make_score(load("asia").sample(1_000, random_state=0), "bdeu")
    >>> smoke, lung = score.names.index("smoke"), score.names.index("lung")
    >>> score.local(lung, [smoke]) > score.local(lung)
    True
    """
    entry = SCORES[_fitting(data) if name == "auto" else name]
    params = entry.params(options)
    if isinstance(entry.function, type) and issubclass(entry.function, DiscreteScore):
        params["n_jobs"] = n_jobs
    return entry.function(data, **params)


def _fitting(data: Dataset) -> str:
    """Choose a score by the kinds of the columns."""
    if data.is_discrete.all():
        return "bic"
    return "kgv" if data.is_discrete.any() else "gaussian_bic"
