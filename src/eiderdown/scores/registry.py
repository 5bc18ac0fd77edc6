"""Scores by name.

A new score is a class in a file of its own and an entry here; its options are the annotated
keywords of its ``__init__``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

from eiderdown.data import Dataset
from eiderdown.data.rows import RowRoles, require_plain_rows
from eiderdown.errors import OptionError
from eiderdown.option_types import shown
from eiderdown.randomness import as_seed
from eiderdown.registry import Entry, Registry, Score
from eiderdown.scores.base import LocalScore
from eiderdown.scores.degenerate_gaussian import DegenerateGaussianScore
from eiderdown.scores.discrete import DiscreteScore
from eiderdown.scores.gaussian import BgeScore, GaussianBicScore
from eiderdown.scores.kernel_variance import KernelVarianceScore
from eiderdown.scores.marginal_likelihood import BdeuScore, K2Score, PenalisedK2Score
from eiderdown.scores.missing import ImputedScore, NodeAverageScore
from eiderdown.scores.penalised_likelihood import AicScore, BicScore
from eiderdown.scores.qnml import QnmlScore
from eiderdown.scores.weighted import WeightedScore

ScoreSource: TypeAlias = str | Score[..., Any] | Callable[[Dataset], LocalScore]
"""The name of a score, a configured one, or a function that makes one of your own."""

BIC = Score(
    BicScore, "log-likelihood less ln(n)/2 per free parameter", name="bic", kinds=("discrete",)
)
AIC = Score(AicScore, "log-likelihood less 1 per free parameter", name="aic", kinds=("discrete",))
BDEU = Score(
    BdeuScore,
    "log marginal likelihood, uniform prior over each family's joint table",
    name="bdeu",
    kinds=("discrete",),
)
QNML = Score(
    QnmlScore,
    "quotient normalised maximum likelihood: likelihood less regret, no prior",
    name="qnml",
    kinds=("discrete",),
)
K2 = Score(
    K2Score,
    "log marginal likelihood, uniform prior over every distribution",
    name="k2",
    kinds=("discrete",),
    equivalent=False,
)
K2_PENALISED = Score(
    PenalisedK2Score,
    "K2 less ln(n)/2 per free parameter",
    name="k2_penalised",
    kinds=("discrete",),
    equivalent=False,
)
GAUSSIAN_BIC = Score(
    GaussianBicScore,
    "log-likelihood of linear regressions less ln(n)/2 per parameter",
    name="gaussian_bic",
    kinds=("continuous",),
)
BGE = Score(
    BgeScore,
    "log marginal likelihood of a Gaussian, normal-Wishart prior",
    name="bge",
    kinds=("continuous",),
)
KGV = Score(
    KernelVarianceScore,
    "kernel generalised variance: components of kernels taken as Gaussian",
    name="kgv",
    kinds=("discrete", "continuous"),
    mixed=True,
)

DEGENERATE_GAUSSIAN = Score(
    DegenerateGaussianScore,
    "Gaussian BIC of numbers and of indicators of categories",
    name="degenerate_gaussian",
    kinds=("discrete", "continuous"),
    mixed=True,
)

SCORES: Registry[Score[..., Any]] = Registry(
    [BIC, AIC, BDEU, QNML, K2, K2_PENALISED, GAUSSIAN_BIC, BGE, KGV, DEGENERATE_GAUSSIAN],
    noun="score",
)


def make_score(
    source: ScoreSource,
    data: Dataset,
    n_jobs: int | None = None,
    *,
    missing: str = "testwise",
    random_state: int | None = 0,
) -> LocalScore:
    """Make the score that a user asked for.

    Of a table with missing values it is the score's node average, or with ``missing="impute"`` its
    mean over several tables in which they are filled in.

    Parameters
    ----------
    source : str, Score or callable
        A name, a configured score such as ``BDEU(equivalent_sample_size=1)``, or a function that
        makes a score from the table. "auto" is bic for discrete columns, gaussian_bic for
        continuous ones, kgv for both together.
    data : Dataset
        The table.
    n_jobs : int or None
        Threads of scores that use several; None means every available core.
    missing : str
        "impute" to fill in missing values; anything else leaves out rows.
    random_state : int or None
        Seed of what is filled in.

    Examples
    --------
    >>> from eiderdown.networks import load
    >>> score = make_score("bdeu", load("asia").sample(1_000, random_state=0))
    >>> smoke, lung = score.names.index("smoke"), score.names.index("lung")
    >>> score.local(lung, [smoke]) > score.local(lung)
    True
    """
    make = _maker(source, data, n_jobs)
    if data.roles is not None:
        make = _weighted(make, data, n_jobs)
    if not data.has_missing.any():
        return make(data)
    if missing == "impute":
        from eiderdown.data.impute import imputed_tables  # imports scikit-learn

        tables = imputed_tables(data, seed=as_seed(random_state))
        return ImputedScore([make(table) for table in tables])
    return NodeAverageScore(data, make)


def _weighted(
    make: Callable[[Dataset], LocalScore], data: Dataset, n_jobs: int | None
) -> Callable[[Dataset], LocalScore]:
    """Return what makes the score of weighted rows, if there is such a score."""
    assert data.roles is not None
    if data.roles.groups is not None:
        require_plain_rows(replace(data, roles=RowRoles(groups=data.roles.groups)), "A score")

    def weighted(table: Dataset) -> LocalScore:
        assert table.roles is not None
        assert table.roles.weights is not None
        weights, n_rows = table.roles.weights, table.roles.n_effective
        score = make(table)
        if isinstance(score, GaussianBicScore):
            return score
        if not isinstance(score, DiscreteScore):
            require_plain_rows(table, f"The score {score.name!r}")
        scaled = weights * (n_rows / weights.sum())
        return WeightedScore(score, [scaled], n_jobs=n_jobs, n_effective=n_rows)  # type: ignore[arg-type]

    return weighted


def _maker(
    source: ScoreSource, data: Dataset, n_jobs: int | None
) -> Callable[[Dataset], LocalScore]:
    """Return what makes the score, of the table or of some of its rows and columns."""
    if callable(source) and not isinstance(source, Entry):
        return partial(_made_by, source)
    if is_auto(source):
        discrete = data.is_discrete
        source = "bic" if discrete.all() else "kgv" if discrete.any() else "gaussian_bic"
    entry = SCORES[source]
    threads: dict[str, Any] = {}
    if "n_jobs" in inspect.signature(entry.function).parameters:
        threads["n_jobs"] = n_jobs
    return partial(entry.run, **threads)


def _made_by(function: Callable[[Dataset], LocalScore], data: Dataset) -> LocalScore:
    """Make a score by a function of the user's own."""
    score = function(data)
    if not isinstance(score, LocalScore):
        raise OptionError(
            f"A function given as score must return a LocalScore, but it returned {shown(score)}; "
            "see docs/extending.md."
        )
    return score


def is_auto(source: ScoreSource) -> bool:
    """Whether the columns are to choose the score."""
    return isinstance(source, str) and source == "auto"


def takes_mixed(source: ScoreSource) -> bool:
    """Whether a score takes discrete and continuous columns together, as they are.

    A function of the user's own decides for itself, so that it gets them as they are; "auto" takes
    what most searches take, columns of one kind.
    """
    if callable(source) and not isinstance(source, Entry):
        return True
    return not is_auto(source) and SCORES[source].mixed
