"""Small tables with known dependences, shared by the tests of this folder."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from eiderdown.data import Dataset


def coded(codes, n_categories=None):
    """Make a discrete dataset from rows of codes, columns named c0, c1, ..."""
    codes = np.asarray(codes)
    counts = n_categories or (codes.max(axis=1) + 1).tolist()
    names = [f"c{i}" for i in range(len(codes))]
    return Dataset.from_codes(codes, names=names, categories=[tuple(range(n)) for n in counts])


def measured(values):
    """Make a continuous dataset from rows of numbers, columns named c0, c1, ..."""
    columns = {f"c{i}": row for i, row in enumerate(values)}
    return Dataset.from_columns(columns, kinds=dict.fromkeys(columns, "continuous"))


def chained_codes(rng, n_columns, n_rows, n_categories):
    """Let each column copy a random earlier one in half of the rows."""
    codes = [rng.integers(0, n_categories, n_rows)]
    for _ in range(n_columns - 1):
        copied = codes[rng.integers(len(codes))]
        fresh = rng.integers(0, n_categories, n_rows)
        codes.append(np.where(rng.random(n_rows) < 0.5, copied, fresh))
    return np.stack(codes)


def mixed_values(rng, n_columns, n_rows):
    """Mix independent normal columns at random."""
    return rng.normal(size=(n_columns, n_columns)) @ rng.normal(size=(n_columns, n_rows))


@st.composite
def discrete_questions(draw, max_columns=6):
    """Codes with declared categories and one question about them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_columns = draw(st.integers(2, max_columns))
    n_categories = draw(st.integers(2, 4))
    n_rows = draw(st.sampled_from([1, 2, 10, 64, 200]))
    codes = chained_codes(rng, n_columns, n_rows, n_categories)
    x, y, *rest = rng.permutation(n_columns).tolist()
    n_given = draw(st.integers(0, min(3, len(rest))))
    return codes, [n_categories] * n_columns, x, y, rest[:n_given]
