"""The monomials with the largest weights: of one model, or of one for each pair of classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from eiderdown.arrays import frozen, without_rounding
from eiderdown.errors import OptionError
from eiderdown.memory import require_memory
from eiderdown.progress import watched
from eiderdown.svm.model import PolynomialModel
from eiderdown.svm.monomials import (
    Coding,
    Matrix,
    Monomial,
    coding_of,
    is_sparse,
    monomial_bytes,
)
from eiderdown.svm.weights.contributions import space_of
from eiderdown.svm.weights.methods import BestFirst, DegreeRule, brute_force, heur1, heur2
from eiderdown.svm.weights.top_k import SLACK, Builder, ClassPair, TopK, TopMonomials, n_proven

Method: TypeAlias = Literal["exact", "heur1", "heur2", "brute_force"]
Weights: TypeAlias = dict[Monomial, tuple[float, ClassPair]]
"""For each monomial its weight, and the classes of the model that the weight is of."""

DEFAULT_BUILT = 20_000
"""How many monomials the heuristics build, as in the thesis."""

_MOST_PRODUCTS = 1e12
"""Monomials times support vectors: what matrix products get through in a minute or two."""

_STEP = 4
_MOST_STEPS = 3
"""How often more monomials are asked for, because too many of them were equal."""


def affordable(model: PolynomialModel, method: Method) -> int | None:
    """Return how many monomials take a minute or two; None where the method has its own limit."""
    if method in ("heur1", "heur2"):
        return None
    return max(1, int(_MOST_PRODUCTS / max(model.n_vectors, 1)))


def top_monomials(
    model: PolynomialModel,
    n_monomials: int,
    *,
    method: Method = "exact",
    max_built: int | None = None,
    max_seconds: float | None = None,
    degree_rule: DegreeRule = "average",
    fold: bool = True,
) -> TopMonomials:
    """Find the monomials with the largest weights, in size.

    Parameters
    ----------
    model : PolynomialModel
        The SVM; see :func:`polynomial_models`.
    n_monomials : int
        How many monomials to return.
    method : {"exact", "heur1", "heur2", "brute_force"}
        ``exact`` searches best first until the answer is proven; ``heur1`` and ``heur2`` are the
        thesis's heuristics, which build a fixed number of monomials; ``brute_force`` builds all.
    max_built : int or None
        Monomials to build: for the heuristics 20,000 if None, for the others no limit if None.
    max_seconds : float or None
        Time limit; the best so far are returned.
    degree_rule : {"average", "largest"}
        Whether ``heur2`` goes to the degree with the largest mean square of the weights with a
        variable, which is how the thesis normalises it for FSMB (III.6), or with the largest sum.
    fold : bool, default=True
        In data of 0 and 1, or of -1 and +1, leave out monomials that equal simpler ones.

    Returns
    -------
    TopMonomials
        Monomials, weights, how many were built, and how many of the first are proven to be the top
        ones. Interrupted with Ctrl-C, the best so far.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.svm import SVC
    >>> from eiderdown.svm import polynomial_models
    >>> points = np.random.default_rng(0).uniform(-1, 1, (70, 2))
    >>> inside = np.square(points).sum(axis=1) < 0.5
    >>> svm = SVC(kernel="poly", degree=2, gamma=1, coef0=1, C=1e3).fit(points, inside)
    >>> found = top_monomials(*polynomial_models(svm), 2)
    >>> [monomial.name(["x1", "x2"]) for monomial in found.monomials], found.proven
    (['x2^2', 'x1^2'], True)
    """
    if method not in get_args(Method):
        raise OptionError(f"method must be one of {', '.join(get_args(Method))}, not {method!r}.")
    if degree_rule not in get_args(DegreeRule):
        raise OptionError(f"degree_rule must be 'average' or 'largest', not {degree_rule!r}.")
    if max_built is not None and max_built < 1:
        raise OptionError(f"max_built must be at least 1 or None, not {max_built}.")
    if max_seconds is not None and not max_seconds > 0:
        raise OptionError(f"max_seconds must be positive or None, not {max_seconds}.")
    space = space_of(model, fold=fold)
    n_kept = min(n_monomials, space.count(model.n_variables))
    require_memory(
        n_kept * monomial_bytes(model.degree),
        f"A list of the {n_kept:,} largest weights",
        "give a smaller n_monomials",
    )
    heuristic = method in ("heur1", "heur2")
    top = TopK(n_monomials, model.degree)
    with watched("largest weights", progress=False, time_limit=max_seconds) as trace:
        builder = Builder(space, top, trace, None if heuristic else max_built)
        if method == "exact":
            return BestFirst(builder).run()
        if method == "brute_force":
            return brute_force(builder)
        most = max_built or DEFAULT_BUILT
        return heur1(builder, most) if method == "heur1" else heur2(builder, most, degree_rule)


def top_monomials_of_all(
    models: Sequence[PolynomialModel],
    matrix: Matrix,
    n_monomials: int,
    *,
    method: Method = "exact",
    max_built: int | None = None,
    max_seconds: float | None = None,
) -> TopMonomials:
    """Find the monomials with the largest weights in any of some models, each in its simplest form.

    An SVM for more than two classes is one model for each pair of them; a monomial's weight is then
    the largest that it has in any model. In columns that hold two values only, powers are
    redundant: of monomials that are equal for that reason the simplest one stands for all, with the
    largest weight. The limits hold for each model; an exact search without one builds as many
    monomials as take a minute or two.
    """
    seconds = 0.0
    for step in range(_MOST_STEPS + 1):
        wanted = n_monomials * _STEP**step
        found: list[TopMonomials] = []
        for model in models:
            most = affordable(model, method) if max_built is None else max_built
            found.append(
                top_monomials(model, wanted, method=method, max_built=most, max_seconds=max_seconds)
            )
            seconds += found[-1].seconds
            if found[-1].stopped == "interrupted":
                break
        merged = merged_weights([model.classes for model in models], found, matrix)
        # What a model has below the last weight that it gave may still be above another model's.
        cut = max(
            (abs(top.weights[-1]) for top in found if len(top.monomials) == wanted), default=0
        )
        n_above = sum(abs(weight) >= cut * (1.0 - SLACK) for weight, _ in merged.values())
        if n_above >= n_monomials or cut == 0 or found[-1].stopped == "interrupted":
            break
    whole = len(found) == len(models)
    top = largest_weights(merged, found, n_monomials, method=method, cut=cut, whole=whole)
    return replace(top, seconds=seconds)


def largest_weights(
    merged: Weights,
    found: Sequence[TopMonomials],
    n_monomials: int,
    *,
    method: str,
    cut: float,
    whole: bool = True,
) -> TopMonomials:
    """Return the largest of the weights that several searches found.

    Nothing below ``cut`` is proven, as a search may have stopped above it; nothing at all if some
    model was not searched.
    """
    # Weights that differ by rounding only are equal.
    sizes = without_rounding(np.array([abs(weight) for weight, _ in merged.values()]))
    size_of = dict(zip(merged, sizes.tolist(), strict=True))
    largest = sorted(merged, key=lambda q: (-size_of[q], q.degree, q.factors))[:n_monomials]
    weights = np.array([merged[q][0] for q in largest], dtype=np.float64)
    unseen = max(top.unseen for top in found)
    return TopMonomials(
        monomials=tuple(largest),
        weights=frozen(weights),
        method=method,
        n_built=sum(top.n_built for top in found),
        n_total=found[0].n_total,
        n_proven=n_proven(weights, max(unseen, cut)) if whole else 0,
        unseen=unseen,
        stopped=next((top.stopped for top in found if top.stopped), None),
        seconds=sum(top.seconds for top in found),
        classes=tuple(merged[q][1] for q in largest),
    )


def weights_with(
    found: TopMonomials, models: Sequence[PolynomialModel], required: Sequence[Monomial]
) -> Weights:
    """Return the weights of the monomials that were found, and of the required ones.

    Without models what was not found has the weight 0.
    """
    weights: Weights = {
        q: (float(weight), pair)
        for q, weight, pair in zip(found.monomials, found.weights, found.classes, strict=True)
    }
    for q in required:
        of_models = [float(model.weights([q])[0]) for model in models]
        if not of_models:
            weights.setdefault(q, (0.0, None))
            continue
        largest = int(np.argmax(np.abs(of_models)))
        weights.setdefault(q, (of_models[largest], models[largest].classes))
    return weights


def merged_weights(
    pairs: Sequence[ClassPair], found: Sequence[TopMonomials], matrix: Matrix
) -> Weights:
    """Give each monomial its largest weight, and the classes of the model that has it."""
    columns: Any = matrix.tocsc() if is_sparse(matrix) else matrix

    @cache
    def coding(variable: int) -> Coding:
        return coding_of(columns[:, [variable]])

    merged: Weights = {}
    for pair, top in zip(pairs, found, strict=False):
        for monomial, weight in zip(top.monomials, top.weights, strict=True):
            powers = ((v, coding(v).fold(exponent)) for v, exponent in monomial.factors)
            simple = Monomial(tuple((v, exponent) for v, exponent in powers if exponent))
            is_larger = simple not in merged or abs(weight) > abs(merged[simple][0])
            if simple.factors and is_larger:
                merged[simple] = float(weight), pair
    return merged
