"""The features with the largest weights in a polynomial machine."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from eiderdown.errors import OptionError
from eiderdown.svm.best_first import BestFirst
from eiderdown.svm.enumeration import Builder
from eiderdown.svm.families import family_of
from eiderdown.svm.heuristics import LevelRule, brute_force, heur1, heur2
from eiderdown.svm.polynomial_model import PolynomialModel
from eiderdown.svm.pool import Budget, TopFeatures

Method: TypeAlias = Literal["exact", "heur1", "heur2", "brute_force"]

DEFAULT_BUILT = 20_000
"""How many features the heuristics build, as in the thesis."""

_MOST_PRODUCTS = 1e12
"""Features times support vectors: what matrix products get through in a minute or two."""


def affordable(model: PolynomialModel, method: Method) -> int | None:
    """Return how many features take a minute or two; None where the method has its own limit."""
    if method in ("heur1", "heur2"):
        return None
    return max(1, int(_MOST_PRODUCTS / max(model.n_vectors, 1)))


def top_features(
    model: PolynomialModel,
    n_features: int,
    *,
    method: Method = "exact",
    max_built: int | None = None,
    max_seconds: float | None = None,
    level_rule: LevelRule = "largest",
    fold: bool = True,
) -> TopFeatures:
    """Find the features with the largest weights, in size.

    Parameters
    ----------
    model : PolynomialModel
        The machine; see :func:`polynomial_models`.
    n_features : int
        How many features to return.
    method : {"exact", "heur1", "heur2", "brute_force"}
        ``exact`` searches best first until the answer is proven; ``heur1`` and ``heur2`` are the
        thesis's heuristics, which build a fixed number of features; ``brute_force`` builds all.
    max_built : int or None
        Features to build: for the heuristics 20,000 if None, for the others no limit if None.
    max_seconds : float or None
        Time limit; the best so far are returned.
    level_rule : {"largest", "average"}
        Whether ``heur2`` goes to the level with the largest sum of squared weights, or with the
        largest mean square.
    fold : bool, default=True
        In data of 0 and 1, or of -1 and +1, leave out features that equal simpler ones.

    Returns
    -------
    TopFeatures
        Features, weights, how many were built, and how many of the first are proven to be the top
        ones. Interrupted with Ctrl-C, the best so far.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.svm import SVC
    >>> from eiderdown.svm import polynomial_models
    >>> points = np.random.default_rng(0).uniform(-1, 1, (70, 2))
    >>> inside = np.square(points).sum(axis=1) < 0.5
    >>> machine = SVC(kernel="poly", degree=2, gamma=1, coef0=1, C=1e3).fit(points, inside)
    >>> found = top_features(*polynomial_models(machine), 2)
    >>> [feature.name(["x1", "x2"]) for feature in found.features], found.proven
    (['x2^2', 'x1^2'], True)
    """
    if method not in get_args(Method):
        raise OptionError(f"method must be one of {', '.join(get_args(Method))}, not {method!r}.")
    if level_rule not in get_args(LevelRule):
        raise OptionError(f"level_rule must be 'largest' or 'average', not {level_rule!r}.")
    heuristic = method in ("heur1", "heur2")
    budget = Budget(None if heuristic else max_built, max_seconds)
    builder = Builder.new(family_of(model, fold=fold), n_features, budget)
    if method == "exact":
        return BestFirst(builder).run()
    if method == "brute_force":
        return brute_force(builder)
    most = Budget(max_built).max_built or DEFAULT_BUILT
    return heur1(builder, most) if method == "heur1" else heur2(builder, most, level_rule)
