"""Tables that are awkward to count, and what is in them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from scipy.sparse import csc_array

from eiderdown.data import Dataset

AWKWARD_ROWS = (1, 2, 7, 63, 64, 65, 128, 129, 200)
AWKWARD_LEVELS = (1, 2, 2, 3, 5, 16, 17, 200, 300)


@dataclass(frozen=True)
class Table:
    """A dataset and the plain codes it was made from, column by column."""

    data: Dataset
    codes: list[np.ndarray]
    n_categories: list[int]


@st.composite
def tables(draw):
    """Dense columns of one to 300 declared categories next to sparse, empty and full columns."""
    n_rows = draw(st.sampled_from(AWKWARD_ROWS))
    declared = draw(st.lists(st.sampled_from(AWKWARD_LEVELS), min_size=1, max_size=5))
    shares = draw(st.lists(st.sampled_from((0.0, 0.1, 0.5, 1.0)), min_size=1, max_size=4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    dense = [_skewed_codes(rng, n_rows, categories) for categories in declared]
    listed = [(rng.random(n_rows) < share).astype(np.int64) for share in shares]
    return mixed_table(dense, declared, listed)


def mixed_table(dense, declared, listed):
    """Put sparse columns first and dense ones, in their declared categories, behind them."""
    sparse_names = [f"s{i}" for i in range(len(listed))]
    sparse = Dataset.from_sparse(csc_array(np.column_stack(listed)), names=sparse_names)
    frame = _categorical_frame(dense, declared)
    data = sparse.with_columns(frame, kinds=dict.fromkeys(frame, "discrete"))
    return Table(data, [*listed, *dense], [2] * len(listed) + list(declared))


def _categorical_frame(dense, declared):
    return {
        f"d{i}": pd.Series(pd.Categorical.from_codes(codes, categories=range(categories)))
        for i, (codes, categories) in enumerate(zip(dense, declared, strict=True))
    }


def _skewed_codes(rng, n_rows, n_categories):
    """Leave some declared categories unseen and others rare, so that strata come out empty."""
    chosen = rng.choice(n_categories, size=rng.integers(1, n_categories + 1), replace=False)
    weights = rng.dirichlet(np.full(len(chosen), 0.5))
    return rng.choice(chosen, size=n_rows, p=weights)
