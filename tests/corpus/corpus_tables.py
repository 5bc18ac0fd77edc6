"""The tables of the corpus: small, seeded, of every kind."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.sparse import csr_matrix

import eiderdown
from eiderdown import networks


@cache
def asia(n_rows=1_000):
    return networks.load("asia").sample(n_rows, random_state=0)


@cache
def child(n_rows=1_000):
    return networks.load("child").sample(n_rows, random_state=0)


@cache
def alarm(n_rows=1_000):
    return networks.load("alarm").sample(n_rows, random_state=0)


@cache
def genes():
    """46 continuous columns."""
    return networks.load("ecoli70").sample(300, random_state=0)


@cache
def ten_genes():
    names = genes().names
    kept = ["b1191", "fixC", "ygcE", "eutG", "sucA", "atpD", "asnA", "lacA", "lacY", "lacZ"]
    assert set(kept) <= set(names)
    return genes().select(kept)


def mixed():
    """Discrete, integer, text and continuous columns, an empty one and an identifier."""
    rng = np.random.default_rng(0)
    n_rows = 400
    level = rng.integers(0, 3, n_rows)
    height = level + rng.normal(size=n_rows)
    return {
        "grade": level,
        "colour": np.array(["blue", "green", "red"])[(level + rng.integers(0, 2, n_rows)) % 3],
        "height": height,
        "weight": height + rng.normal(size=n_rows),
        "noise": rng.normal(size=n_rows),
        "same": np.zeros(n_rows, dtype=np.int64),
    }


def collinear():
    """Continuous columns of which one is a linear function of another."""
    data = ten_genes()
    return data.with_columns({"copy": 3 * data.values(data.index("lacA")) - 1})


def sparse():
    """Mostly zeros: words in texts, and a topic that shows in three of them."""
    rng = np.random.default_rng(0)
    topic = rng.integers(0, 2, 500)
    words = (rng.random((500, 60)) < 0.08).astype(np.int64)
    for word in (3, 7, 11):
        words[:, word] |= (topic == 1) & (rng.random(500) < 0.5)
    return csr_matrix(words), topic


def xor(n_rows=200, n_columns=8, seed=0):
    """Signs; t is the product of the first two columns, mostly."""
    rng = np.random.default_rng(seed)
    x = rng.choice([-1, 1], size=(n_rows, n_columns))
    flipped = np.where(rng.random(n_rows) < 0.05, -1, 1)
    return {**named(x), "t": x[:, 0] * x[:, 1] * flipped}


def circle(n_rows=150, n_columns=5, seed=0):
    """Whether a point lies in a circle around the origin."""
    x = np.random.default_rng(seed).uniform(-1, 1, size=(n_rows, n_columns))
    return {**named(x), "t": np.where(np.square(x[:, :2]).sum(axis=1) < 0.5, "in", "out")}


def three_classes(n_rows=150, n_columns=5, seed=0):
    """Three classes by the product of two columns."""
    x = np.random.default_rng(seed).uniform(-1, 1, size=(n_rows, n_columns))
    t = np.digitize(x[:, 0] * x[:, 1], [-0.15, 0.15])
    return {**named(x), "t": np.array(["a", "b", "c"])[t]}


def product(n_rows=150, n_columns=5, seed=0):
    """A number: a product and noise."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, size=(n_rows, n_columns))
    return {**named(x), "t": 7 + 20 * x[:, 0] * x[:, 1] + rng.normal(size=n_rows)}


def copies():
    """Columns that stand for each other."""
    rng = np.random.default_rng(0)
    coin, other = rng.integers(0, 2, (2, 300))
    either = np.where(rng.random(300) < 0.1, 1 - (coin | other), coin | other)
    return {
        "t": either,
        "coin": coin,
        "photo": coin,
        "other": other,
        "noise": rng.integers(0, 3, 300),
    }


def named(matrix):
    return {f"x{i}": column for i, column in enumerate(matrix.T, start=1)}


def features_of(table, target="t"):
    """Return the columns but one as a matrix, and that one."""
    names = [name for name in table if name != target]
    return np.column_stack([table[name] for name in names]), table[target]


def frame_of(data, target):
    frame = data.to_pandas()
    return frame.drop(columns=target), frame[target]


def true_graph(name):
    return eiderdown.networks.load(name).dag
