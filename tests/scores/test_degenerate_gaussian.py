"""The degenerate Gaussian score: against regressions written out, for both kinds of columns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scored_tables import equivalent_graphs, families

from eiderdown.data import Dataset
from eiderdown.scores import DegenerateGaussianScore, GaussianBicScore, make_score
from examples import examples


def table(seed, n_rows=80):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n_rows)
    group = rng.integers(0, 3, n_rows)
    b = a + (group == 1) + rng.normal(size=n_rows)
    flag = ((b > 0.5) ^ (rng.random(n_rows) < 0.1)).astype(int)
    return {"a": a, "group": group, "b": b, "flag": flag, "noise": rng.normal(size=n_rows)}


def indicators(column):
    """Return centred values, or centred indicators of all categories but one."""
    parts = [column] if column.dtype.kind == "f" else [column == c for c in np.unique(column)[1:]]
    block = np.stack(parts, axis=1).astype(float)
    return block - block.mean(axis=0)


def naive(columns, child, parents):
    """-n/2 ln(generalised variance of residuals / of the child alone) - ln(n)/2 parameters."""
    blocks = [indicators(column) for column in columns.values()]
    y, n = blocks[child], len(blocks[0])
    z = np.concatenate([np.empty((n, 0)), *(blocks[p] for p in parents)], axis=1)
    left = y - z @ np.linalg.lstsq(z, y, rcond=None)[0] if z.shape[1] else y
    ratio = np.linalg.slogdet(left.T @ left)[1] - np.linalg.slogdet(y.T @ y)[1]
    k, p = y.shape[1], z.shape[1]
    return -0.5 * n * ratio - 0.5 * np.log(n) * (k * (k + 1) / 2 + k * p)


@examples(12)
@given(st.data(), st.integers(0, 10_000))
def test_scores_are_those_of_regressions_of_blocks(data, seed):
    columns = table(seed)
    child, parents, _ = data.draw(families(5))
    score = DegenerateGaussianScore(Dataset.from_columns(columns))
    assert score.local(child, parents) == pytest.approx(naive(columns, child, parents), abs=0.02)


def test_of_numbers_it_is_the_gaussian_bic_but_for_what_all_graphs_share():
    columns = {k: v for k, v in table(1).items() if v.dtype.kind == "f"}
    data = Dataset.from_columns(columns)
    ours, bic = DegenerateGaussianScore(data), GaussianBicScore(data)
    for child, parents in [(0, [1]), (1, [0, 2]), (2, [0])]:
        gain = ours.local(child, parents) - ours.local(child)
        assert gain == pytest.approx(bic.local(child, parents) - bic.local(child), abs=0.01)


@examples(10)
@given(st.data(), st.integers(0, 10_000))
def test_equivalent_graphs_tie(data, seed):
    score = make_score("degenerate_gaussian", Dataset.from_columns(table(seed)))
    one, other = data.draw(equivalent_graphs(score.names))
    assert score.total(one) == score.total(other)


def test_a_column_that_is_a_function_of_others_has_a_finite_score():
    columns = table(2)
    columns["sum"] = columns["a"] + columns["b"]
    score = DegenerateGaussianScore(Dataset.from_columns(columns))
    assert np.isfinite(score.local(5, [0, 2]))
    assert score.local(5, [0, 2]) > score.local(5, [0])
