"""Power in words: how large a dependence must be for a test not to miss it.

"Independent" is an answer only if a dependence of a stated size would have been seen. Sizes are
Cohen's (1988): w of a contingency table, r of a correlation, both between 0 and 1. A dependence of
size w adds n w^2 to a statistic of the chi-square kind, and it is called visible where that is at
least twice the standard deviation that the statistic has under independence: at the level .05 such
a dependence is found about every second time, and one twice as large nearly always.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from eiderdown.arrays import BoolArray
from eiderdown.kernels import kernel
from eiderdown.options import Option

Detect: TypeAlias = Annotated[
    Literal["small", "medium", "large"],
    Option("how large a dependence must be to rule out before independence is said"),
]

SIZES = {"small": 0.1, "medium": 0.3, "large": 0.5}
"""Cohen's w (or r) of the words."""


def would_be_seen(n_used: ArrayLike, variance: ArrayLike, detect: Detect) -> BoolArray:
    """Tell whether a dependence of a size would have been seen.

    Parameters
    ----------
    n_used : array of int
        Rows of each test.
    variance : array of float
        Variance of its statistic under independence: twice the degrees of freedom for a chi-square.
    detect : {"small", "medium", "large"}
        The size.

    Examples
    --------
    >>> would_be_seen([100, 1_000], 2.0, "small").tolist()
    [False, True]
    """
    added = np.asarray(n_used, dtype=np.float64) * SIZES[detect] ** 2
    return np.asarray(added >= 2.0 * np.sqrt(np.asarray(variance, dtype=np.float64)))


@kernel("boolean(float64, float64, float64)", inner=True)
def is_seen(n_used: float, variance: float, size: float) -> bool:
    """Tell whether a dependence of a size w would have been seen in one test."""
    return n_used * size * size >= 2.0 * math.sqrt(variance)
