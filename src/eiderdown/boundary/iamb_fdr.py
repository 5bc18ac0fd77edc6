"""IAMB with control of the false discovery rate.

Pena (2008), "Learning Gaussian graphical models of gene networks with false discovery rate
control". Every step tests each variable given the present members (a member given the others) and
decides about all of them together: by Benjamini & Yekutieli (2001), or by Benjamini & Hochberg
(1995) where the p-values depend positively on each other. ``alpha`` is then the expected share of
wrong members, not the chance of each.

Differences from the paper: everything is done in logarithms, so that p-values that underflow do not
tie; tests that the data cannot carry take no part and are not counted among the hypotheses.
"""

from __future__ import annotations

import math
from typing import Literal, TypeAlias, get_args

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray
from eiderdown.boundary.grow_shrink import admit, begin, remove_weakest
from eiderdown.boundary.search import Found, LocalSearch
from eiderdown.errors import OptionError
from eiderdown.independence import IndependenceBatch

Dependence: TypeAlias = Literal["arbitrary", "positive"]


def iamb_fdr(search: LocalSearch, *, dependence: Dependence = "arbitrary") -> Found:
    """Find a Markov boundary, ``alpha`` being the false discovery rate.

    Parameters
    ----------
    search : LocalSearch
        The question.
    dependence : {"arbitrary", "positive"}
        What is assumed of the p-values among themselves: nothing (Benjamini & Yekutieli), or
        independence or positive dependence (Benjamini & Hochberg; finds more).
    """
    if dependence not in get_args(Dependence):
        raise OptionError(f"dependence must be one of {get_args(Dependence)}, not {dependence!r}.")
    boundary = begin(search)
    seen: set[frozenset[int]] = set()
    while frozenset(boundary) not in seen:
        seen.add(frozenset(boundary))
        _step(search, boundary, dependence)
    return Found(tuple(boundary))


def _step(search: LocalSearch, boundary: list[int], dependence: Dependence) -> None:
    """Remove the weakest member that is no discovery; else admit the strongest outside that is."""
    inside, outside = _inside(search, boundary), _outside(search, boundary)
    both = IndependenceBatch.joined([inside, outside])
    found = discoveries(both.log_p, both.reliable, search.alpha, dependence)
    found_inside, found_outside = found[: len(inside)], found[len(inside) :]
    idle = inside.reliable & ~found_inside & ~np.isin(inside.x, search.required)
    if idle.any():
        remove_weakest(search, boundary, inside.take(idle))
        return
    search.trace.kept(inside)
    best = outside.take(found_outside).strongest(search.test.name_rank)
    if best is not None:
        admit(search, boundary, best)
    elif len(outside):
        search.trace.not_admitted(outside)


def _inside(search: LocalSearch, boundary: list[int]) -> IndependenceBatch:
    testable = boundary if search.allows(len(boundary) - 1) else []
    return search.test.each_given_rest(testable, search.target)


def _outside(search: LocalSearch, boundary: list[int]) -> IndependenceBatch:
    outside = search.outside(boundary)
    if not search.allows(len(boundary)):
        return search.sweep(outside[:0], [])
    return search.sweep(outside, boundary)


def discoveries(
    log_p: FloatArray, reliable: BoolArray, alpha: float, dependence: Dependence
) -> BoolArray:
    """Say which hypotheses are rejected at a false discovery rate.

    Parameters
    ----------
    log_p : FloatArray
        Logarithms of the p-values.
    reliable : BoolArray
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
    n = int(np.count_nonzero(reliable))
    if n == 0:
        return np.zeros(len(log_p), dtype=np.bool_)
    ranks = np.arange(1, n + 1)
    price = float(np.sum(1.0 / ranks)) if dependence == "arbitrary" else 1.0
    sorted_log_p = np.sort(log_p[reliable])
    passed = np.flatnonzero(sorted_log_p <= np.log(ranks) + math.log(alpha / (n * price)))
    bound = sorted_log_p[passed[-1]] if len(passed) else -np.inf
    return reliable & (log_p <= bound)
