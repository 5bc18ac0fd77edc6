"""Random conditional tables that leave a node's marginal distribution as it was.

Iterative proportional fitting (Deming and Stephan, 1940): scale the columns and the rows of a
positive table in turn until both have the wanted sums. The odds ratios of the start survive, so a
random start gives a random dependence.
"""

from __future__ import annotations

import numpy as np

from eiderdown.arrays import FloatArray

_TOLERANCE = 1e-14
_MAX_ROUNDS = 10_000


def random_table_with_marginal(
    weights: FloatArray, marginal: FloatArray, *, generator: np.random.Generator
) -> FloatArray:
    """Draw a conditional table whose rows, weighted and summed, give a marginal distribution.

    Parameters
    ----------
    weights
        The probability of every parent configuration.
    marginal
        The wanted distribution of the node.
    generator
        The source of randomness.

    Returns
    -------
    FloatArray
        One row per parent configuration, one column per category.

    Examples
    --------
    >>> weights, marginal = np.array([0.25, 0.75]), np.array([0.5, 0.4, 0.1])
    >>> table = random_table_with_marginal(weights, marginal, generator=np.random.default_rng(3))
    >>> np.allclose(weights @ table, marginal)
    True
    """
    table = np.tile(marginal, (len(weights), 1))
    # What never happens needs no fitting: such a configuration keeps the marginal itself.
    rows, columns = np.flatnonzero(weights), np.flatnonzero(marginal)
    start = generator.exponential(size=(len(rows), len(columns)))
    joint = _fitted(start, weights[rows], marginal[columns])
    table[np.ix_(rows, columns)] = joint / joint.sum(axis=1, keepdims=True)
    return table


def _fitted(joint: FloatArray, row_sums: FloatArray, column_sums: FloatArray) -> FloatArray:
    for _ in range(_MAX_ROUNDS):
        joint = joint * (column_sums / joint.sum(axis=0))
        joint *= (row_sums / joint.sum(axis=1))[:, np.newaxis]
        if np.abs(joint.sum(axis=0) - column_sums).max() <= _TOLERANCE:
            break
    return joint
