"""Small tables, families and equivalent graphs, shared by the tests of this folder."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from eiderdown.data import Dataset
from eiderdown.graphs import DAG


def coded(codes, n_categories):
    """Make a discrete dataset, columns named c0, c1, ..."""
    names = [f"c{i}" for i in range(len(codes))]
    categories = [tuple(range(n)) for n in n_categories]
    return Dataset.from_codes(np.stack(codes), names=names, categories=categories)


def measured(values):
    """Make a continuous dataset, columns named c0, c1, ..."""
    columns = {f"c{i}": row for i, row in enumerate(values)}
    return Dataset.from_columns(columns, kinds=dict.fromkeys(columns, "continuous"))


def chained_codes(rng, n_columns, n_rows, n_categories=3):
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
def families(draw, n_columns, max_parents=3):
    """A child, some parents and the remaining columns."""
    child, *others = draw(st.permutations(range(n_columns)))
    n_parents = draw(st.integers(0, min(max_parents, n_columns - 1)))
    return child, others[:n_parents], others[n_parents:]


@st.composite
def equivalent_graphs(draw, names):
    """Two graphs of one equivalence class, often different ones."""
    order = draw(st.permutations(names))
    pairs = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    kept = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    edges = [pair for pair, keep in zip(pairs, kept, strict=True) if keep]
    shuffled = draw(st.permutations(names))
    return DAG(names, edges), DAG(shuffled, edges).to_cpdag().to_dag()
