"""Whether a dependence would have been seen; see :mod:`eiderdown.independence.power`."""

from __future__ import annotations

import math

from eiderdown.kernels import kernel


@kernel("boolean(float64, float64, float64)", inner=True)
def is_seen(n_used, variance, size):
    """Tell whether a dependence of a size w would have been seen in one test."""
    return n_used * size * size >= 2.0 * math.sqrt(variance)
