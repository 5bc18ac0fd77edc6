"""Recursive feature elimination with a polynomial kernel (Guyon et al. 2002)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.randomness import RandomState
from eiderdown.svm.contributions import variable_norms
from eiderdown.svm.monomials import Matrix
from eiderdown.svm.polynomial_model import PolynomialModel
from eiderdown.svm.subset_wrapper import HeldOut, Progress, SubsetSelection, narrow
from eiderdown.svm.svm_settings import SVMKeywords, SVMSettings


def recursive_elimination(
    X: Matrix,
    y: Any,
    *,
    degree: int,
    C: float,
    keep: float = 0.5,
    test_share: float = 0.2,
    random_state: RandomState = None,
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
    **params: Unpack[SVMKeywords],
) -> SubsetSelection:
    """Train, drop the variables that the machine makes least use of, and train again.

    A variable's use is the sum of the squared weights of all features that contain it (equation
    III.14 of the thesis). Interrupted with Ctrl-C it returns the best so far.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_rows, n_variables)
        The data.
    y : array of shape (n_rows,)
        Codes of classes, or numbers in regression.
    degree : int
        Degree of the kernel.
    C : float
        Cost of errors.
    keep : float
        Share of the variables that is kept in each round.
    test_share : float
        Share of the rows that is held out to judge each round.
    random_state : int, numpy Generator or None
        Decides which rows are held out.
    names : sequence of str or None
        Names of the columns; given them, the answer does not depend on the order of the columns.
    progress : callable or None
        Called with what is being done and the number of variables left.
    **params
        As in :class:`SVMSettings`.

    Returns
    -------
    SubsetSelection
        All rounds, and the best set.

    Examples
    --------
    >>> X = np.random.default_rng(0).choice([-1.0, 1.0], size=(200, 16))
    >>> found = recursive_elimination(X, X[:, 3] * X[:, 8] > 0, degree=2, C=1e3, random_state=0)
    >>> sorted(found.members), [item.n_variables for item in found.rounds], found.best.score
    ([3, 8], [16, 8, 4, 2, 1], 1.0)
    """
    chosen = SVMSettings(**params)
    data = HeldOut.of(
        X, y, test_share=test_share, random_state=random_state, names=names, params=chosen
    )
    return narrow(data, _use, degree=degree, cost=C, keep=keep, params=chosen, progress=progress)


def _use(left: IntArray, models: tuple[PolynomialModel, ...]) -> FloatArray:  # noqa: ARG001
    """Sum a variable's share over the machines of all pairs of classes."""
    total: FloatArray = np.sum([variable_norms(model) for model in models], axis=0)
    return total
