"""Small tables whose answer is known: interactions without main effects."""

import numpy as np


def xor(n_rows, n_columns, *, noise=0.0, seed=0):
    """Signs; the class is the product of the first two columns."""
    rng = np.random.default_rng(seed)
    X = rng.choice([-1.0, 1.0], size=(n_rows, n_columns))
    flipped = rng.random(n_rows) < noise
    return X, ((X[:, 0] * X[:, 1] > 0) ^ flipped).astype(int)


def circle(n_rows, n_columns, *, seed=0):
    """Points of a cube; the class is whether the first two columns are within a circle."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, size=(n_rows, n_columns))
    return X, (X[:, 0] ** 2 + X[:, 1] ** 2 < 0.5).astype(int)
