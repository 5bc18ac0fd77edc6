"""Tables for the tests of the whole way."""

from __future__ import annotations

import numpy as np

from eiderdown.data import Dataset
from eiderdown.graphs import DAG
from eiderdown.testing.samples import sampled

KNOWN_DAG = DAG.from_string("p->t, q->t, t->c, s->c, c->d, n")
"""The boundary of t is p, q, c and s."""


def discrete_table(n_rows=4_000, seed=1):
    """Sample a network of three categories each in which t's boundary is found with ease."""
    return sampled(KNOWN_DAG, "discrete", n_rows, seed)


def continuous_table(n_rows=1_000, seed=1):
    """Sample a linear-Gaussian network of the same graph."""
    return sampled(KNOWN_DAG, "continuous", n_rows, seed)


def mixed_columns(n_rows=600, seed=0):
    """One discrete, one integer, one text and two continuous columns that hang together."""
    rng = np.random.default_rng(seed)
    level = rng.integers(0, 3, n_rows)
    height = level + rng.normal(size=n_rows)
    return {
        "grade": level,
        "colour": np.array(["blue", "green", "red"])[(level + rng.integers(0, 2, n_rows)) % 3],
        "height": height,
        "weight": height + rng.normal(size=n_rows),
    }


def duplicated(data: Dataset, names):
    """Append a linear copy of some continuous columns, under names that end in _copy."""
    return data.with_columns({f"{n}_copy": 3 * data.values(data.index(n)) - 1 for n in names})
