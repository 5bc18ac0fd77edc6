"""How regions of networks are compared: their distance, and whether a difference is chance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import linear_regression

import numpy as np
from scipy.stats import permutation_test

from eiderdown.graphs import PDAG, structural_hamming_distance

N_PERMUTATIONS = 9_999


def region_distance(found: PDAG, true: PDAG) -> int:
    """Return the structural Hamming distance of two regions, which need not have the same nodes.

    A node that is in one of them only counts by its edges.
    """
    nodes = tuple(dict.fromkeys((*found.nodes, *true.nodes)))
    return structural_hamming_distance(
        *(PDAG(nodes, directed=g.directed, undirected=g.undirected) for g in (found, true))
    )


def p_value(first: Sequence[float], second: Sequence[float], *, seed: int) -> float:
    """Return how often exchanging the members of random pairs makes means differ as much as here.

    Both directions count. Few pairs are exchanged in all ways, many in 9,999 random ones.
    """
    result = permutation_test(
        (np.asarray(first), np.asarray(second)),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        n_resamples=N_PERMUTATIONS,
        vectorized=True,
        rng=np.random.default_rng(seed),
    )
    return float(result.pvalue)


def growth(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """Return the power of the size with which time grows: 1 if it is proportional to it."""
    return linear_regression(
        [math.log(size) for size in sizes], [math.log(value) for value in seconds]
    ).slope
