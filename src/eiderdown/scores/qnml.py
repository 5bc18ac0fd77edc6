"""qNML: quotient normalised maximum likelihood.

T. Silander, J. Leppa-aho, E. Jaasaari & T. Roos, "Quotient normalized maximum likelihood criterion
for learning Bayesian network structures" (AISTATS 2018). No prior and no weight: the likelihood of
the best-fitting tables is divided by its sum over all tables that n rows could have made. A family
is scored as the quotient of two such multinomials, child and parents together over parents alone:

    sum of n_jk ln(n_jk / n_j)  -  (R(n, q r) - R(n, q))        q strata, r categories of the child

R(n, K) is the logarithm of that sum for K categories, the *regret*. It is found exactly by the
recurrence of P. Kontkanen & P. Myllymaki, "A linear-time algorithm for computing the multinomial
stochastic complexity" (Information Processing Letters 103, 2007):

    C(n, K + 2) = C(n, K + 1) + n / K C(n, K)

and where rows or categories are very many by the approximation of W. Szpankowski & M. Weinberger,
"Minimax pointwise redundancy for memoryless models over large alphabets" (IEEE Transactions on
Information Theory 58, 2012). As R depends on nothing but n and K, equivalent graphs tie.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from eiderdown.data import Dataset
from eiderdown.scores.discrete import DiscreteScore
from eiderdown.scores.kernels import LikelihoodTerms

MOST_EXACT_ROWS = 100_000
MOST_EXACT_CATEGORIES = 2_000
"""Beyond these the regret is approximated."""


class QnmlScore(DiscreteScore):
    """Quotient normalised maximum likelihood (Silander et al. 2018).

    Parameters
    ----------
    data : Dataset
        The table; its columns must be discrete.
    n_jobs : int or None
        Threads; None means every available core. Scores do not depend on it.

    Examples
    --------
    >>> data = Dataset.from_columns({"a": [0, 0, 1, 1] * 25, "b": [0, 0, 1, 1] * 25})
    >>> score = QnmlScore(data)
    >>> round(score.local(1), 2), round(score.local(1, [0]), 2)
    (-71.9, -4.07)
    """

    name = "qnml"
    equivalent = True

    def __init__(self, data: Dataset, *, n_jobs: int | None = None) -> None:
        super().__init__(data, LikelihoodTerms.of(data.n_rows), n_jobs=n_jobs)

    def shifts(self, n_strata: int, n_child: int) -> tuple[float, float]:  # noqa: ARG002
        """Return what is added to the counts of cells and of strata."""
        return 0.0, 0.0

    def price_at(self, n_rows: float, n_strata: int, n_child: int) -> float:
        """Return what a family of this shape costs in a table of so many rows."""
        # Each regret is put on the grid of the terms, so that those of equivalent graphs cancel.
        scale, rows = self._terms.scale, max(1, round(n_rows))
        of_family = round(regret(rows, n_strata * n_child) * scale)
        return (of_family - round(regret(rows, n_strata) * scale)) / scale

    def price(self, n_strata: int, n_child: int) -> float:
        """Return what a family of this shape costs."""
        return self.price_at(self.data.n_rows, n_strata, n_child)


def regret(n_rows: int, n_categories: int) -> float:
    """Return ln of the sum of the largest likelihoods of all samples of a multinomial.

    Examples
    --------
    >>> round(math.exp(regret(2, 2)), 6)  # aa and bb have likelihood 1, ab and ba 1/4
    2.5
    """
    if n_categories <= 1:
        return 0.0
    if n_rows > MOST_EXACT_ROWS or n_categories > MOST_EXACT_CATEGORIES:
        return approximate_regret(n_rows, n_categories)
    found = _regrets(n_rows)  # [R(n, 1), R(n, 2), ...]
    while len(found) < n_categories:
        last, before = found[-1], found[-2]
        share = n_rows / (len(found) - 1) * math.exp(before - last)
        found.append(last + math.log1p(share))
    return found[n_categories - 1]


def approximate_regret(n_rows: int, n_categories: int) -> float:
    """Return the regret as Szpankowski and Weinberger approximate it, theorem 2.

    Examples
    --------
    >>> abs(approximate_regret(1_000, 50) - regret(1_000, 50)) < 0.01
    True
    """
    alpha = n_categories / n_rows
    above_one = 2.0 / alpha / (1.0 + math.sqrt(1.0 + 4.0 / alpha))  # C - 1, without cancellation
    c = 1.0 + above_one
    inner = math.log(alpha) + (alpha + 2.0) * math.log1p(above_one) - 1.0 / c
    return n_rows * inner - 0.5 * math.log(c + 2.0 / alpha)


@lru_cache(maxsize=64)
def _regrets(n_rows: int) -> list[float]:
    """Begin the list of regrets for this number of rows, which grows as categories are asked for.

    C(n, 2) is the sum over k of the binomial probability of k successes in n, each at its own rate.
    """
    k = np.arange(n_rows + 1, dtype=np.float64)
    log_factorial = np.concatenate([[0.0], np.cumsum(np.log(k[1:]))])
    with np.errstate(divide="ignore", invalid="ignore"):
        log_power = np.where(k > 0, k * np.log(k / n_rows), 0.0)
    log_choose = log_factorial[-1] - log_factorial - log_factorial[::-1]
    return [0.0, math.log(math.fsum(np.exp(log_choose + log_power + log_power[::-1]).tolist()))]
