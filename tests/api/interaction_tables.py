"""Tables in which single columns tell nothing of the target."""

from __future__ import annotations

import numpy as np


def coins(n_rows, n_columns, rng):
    """Return fair coins, 0 or 1."""
    return rng.integers(0, 2, size=(n_rows, n_columns))


def noisy(bits, rng, share=0.3):
    """Switch some of the bits."""
    return np.where(rng.random(len(bits)) < share, 1 - bits, bits)


def named(matrix):
    """Name columns x1, x2, ..."""
    return {f"x{i}": column for i, column in enumerate(matrix.T, start=1)}


def double_xor(n_rows=500, n_columns=20, seed=0):
    """Let t be x1 xor x2, and x3 be t xor x4, both mostly; the boundary is x1 to x4."""
    rng = np.random.default_rng(seed)
    x = coins(n_rows, n_columns, rng)
    t = noisy(x[:, 0] ^ x[:, 1], rng)
    x[:, 2] = noisy(t ^ x[:, 3], rng)
    return {**named(x), "t": t}


def parity(n_rows=600, n_columns=20, seed=0):
    """Let t be the parity of three coins, mostly."""
    rng = np.random.default_rng(seed)
    x = coins(n_rows, n_columns, rng)
    return {**named(x), "t": noisy(x[:, 0] ^ x[:, 1] ^ x[:, 2], rng, share=0.2)}


def circle(n_rows=300, n_columns=6, seed=0):
    """Let t say whether a point lies in a circle around the origin."""
    x = np.random.default_rng(seed).uniform(-1, 1, size=(n_rows, n_columns))
    return {**named(x), "t": np.where(np.square(x[:, :2]).sum(axis=1) < 0.5, "in", "out")}


def product(n_rows=300, n_columns=6, seed=0):
    """Let t be a number: a product and noise."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, size=(n_rows, n_columns))
    return {**named(x), "t": 7 + 20 * x[:, 0] * x[:, 1] + rng.normal(size=n_rows)}
