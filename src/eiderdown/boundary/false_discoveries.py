"""Any search by tests with ``alpha`` as the false discovery rate of what it returns.

With ``error_rate="test"`` a search decides each test at significance level alpha: of 1,000 columns
that have nothing to do with the target, ten or so pass alpha .01. With ``"fdr"`` it is run at a
level so small that the *share* of wrong members is controlled. The search itself stays as it is;
only the level is chosen::

    m      how many candidates can be tested: the hypotheses "X is no member"
    R(t)   how many members the search finds at significance level t
    t      the level wanted: t <= alpha * R(t) / (m * c)

A member passed all its tests, so its p-value (of parents and children the largest over all sets
that were tried, of IAMB and its like the one given the other members) is at most t. A set whose
members all have p-values below alpha * |set| / (m * c) is *self-consistent*, which with p-values
that hold their size is enough for a false discovery rate of alpha (Blanchard & Roquain 2008): with
c = 1 where p-values are independent or depend positively on each other (Benjamini & Hochberg 1995),
and with c = 1 + 1/2 + ... + 1/m whatever their dependence (Benjamini & Yekutieli 2001). For parents
and children this is the proposal of Tsamardinos & Brown (2008) and Li & Wang (2009), to judge
columns by their largest p-values; for IAMB it decides like ``iamb_fdr``, one level for all steps.

The level begins with what the tests given nothing discover at this rate. It falls to what the size
of the set found allows, until it fits; or where more are found than it was made for, it rises to
what these allow, as long as that fits. This takes two or three runs, and they share their tests.

Its limits: p-values are those of tests that the search chose, and choosing the strongest of many
makes later ones a little too small; no theorem covers that. ``experiments/false_discoveries.py``
measures what is left of it. What separates a variable at a small level is found more easily, so
that weak members are lost. A required member is no discovery and is not counted.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray
from eiderdown.boundary.problem import Found, TestProblem, shared_level
from eiderdown.errors import OptionError
from eiderdown.independence import Allows
from eiderdown.options import Option
from eiderdown.registry import Algorithm

ErrorRate: TypeAlias = Annotated[
    Literal["test", "fdr", "fdr_positive"],
    Option(
        "what alpha is: the significance level of each test, the expected share of wrong members, "
        "or the same if p-values depend positively on each other, which finds more",
        default="test",
    ),
]

Dependence: TypeAlias = Annotated[
    Literal["arbitrary", "positive"],
    Option("of the p-values among themselves; 'positive' finds more"),
]

MOST_RUNS = 8
"""After so many runs of which none fits, the last is at the smallest level, which always fits."""

_REFUSED = {
    "iamb_fdr": "it controls that rate itself",
    "koller_sahami": "it keeps as many columns as it is asked for, whatever their tests",
}


def refuse_false_discovery_rate(algorithm: Algorithm[..., Any], error_rate: str) -> None:
    """Refuse a rate of false discoveries to searches whose members are not decided by tests."""
    reason = _REFUSED.get(algorithm.name)
    if "score" in algorithm.needs:
        reason = "scores decide about its members, too"
    if error_rate != "test" and reason is not None:
        raise OptionError(
            f"error_rate={error_rate!r} does not go with {algorithm.name!r}: {reason}; leave "
            "error_rate out, or use a search by tests such as 'iamb'."
        )


@dataclass(frozen=True)
class Controlled:
    """What a search found at a false discovery rate, and at which level of its tests."""

    found: Found
    level: float


def search_at_rate(
    search: Callable[[TestProblem], Found], problem: TestProblem, dependence: Dependence
) -> Controlled:
    """Run a search at the level at which ``problem.alpha`` is the false discovery rate.

    Parameters
    ----------
    search : callable
        The search.
    problem : TestProblem
        The question; its alpha is the rate.
    dependence : {"arbitrary", "positive"}
        What is assumed of the p-values among themselves.
    """
    free = problem.candidates[~np.isin(problem.candidates, problem.required)]
    alone = problem.sweep(free, [])
    counted = alone.allows >= Allows.DEPENDENCE
    m = max(int(np.count_nonzero(counted)), 1)
    smallest = shared_level(problem.alpha, m * _price(m, dependence))
    n = int(np.count_nonzero(discoveries(alone.log_p, counted, problem.alpha, dependence)))
    fitting = None
    for _ in range(MOST_RUNS):
        at = Controlled(search(replace(problem, alpha=smallest * max(n, 1))), smallest * max(n, 1))
        n_found = len(at.found.members.keys() - set(problem.required))
        if n_found >= n or n <= 1:
            fitting = at
        elif fitting is not None:
            break
        if not at.found.complete or n_found == n or (n <= 1 and n_found <= 1):
            break
        n = n_found
    if fitting is not None or not at.found.complete:
        return fitting or at
    return Controlled(search(replace(problem, alpha=smallest)), smallest)


def discoveries(
    log_p: FloatArray, counted: BoolArray, alpha: float, dependence: Dependence
) -> BoolArray:
    """Say which hypotheses are rejected at a false discovery rate.

    Parameters
    ----------
    log_p : FloatArray
        Logarithms of the p-values.
    counted : BoolArray
        Which of them count.
    alpha : float
        The false discovery rate.
    dependence : {"arbitrary", "positive"}
        What is assumed of the p-values among themselves.

    Examples
    --------
    >>> log_p = np.log([0.001, 0.02, 0.9, 0.04])
    >>> discoveries(log_p, np.ones(4, dtype=bool), 0.05, "positive").tolist()
    [True, True, False, False]
    >>> discoveries(log_p, np.ones(4, dtype=bool), 0.05, "arbitrary").tolist()
    [True, False, False, False]
    """
    n = int(np.count_nonzero(counted))
    if n == 0:
        return np.zeros(len(log_p), dtype=np.bool_)
    ranks = np.arange(1, n + 1)
    sorted_log_p = np.sort(log_p[counted])
    bounds = np.log(ranks) + math.log(alpha) - math.log(n * _price(n, dependence))
    passed = np.flatnonzero(sorted_log_p <= bounds)
    bound = sorted_log_p[passed[-1]] if len(passed) else -np.inf
    return counted & (log_p <= bound)


def _price(n: int, dependence: Dependence) -> float:
    """Return c: 1, or what an arbitrary dependence costs."""
    return float(np.sum(1.0 / np.arange(1, n + 1))) if dependence == "arbitrary" else 1.0
