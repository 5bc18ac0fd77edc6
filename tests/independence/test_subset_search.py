"""The compiled search over subsets answers, bit for bit, what single tests answer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from eiderdown.data import Dataset
from eiderdown.errors import ColumnKindError
from eiderdown.independence import CachedTest, GSquareTest
from eiderdown.independence.base import subset_rows
from examples import examples
from random_tables import tables

PATIENT = examples(50)


@st.composite
def searches(draw):
    """An awkward table of mixed storage, a target, candidates, a pool that overlaps them."""
    table = draw(tables())
    target, *rest = draw(st.permutations(range(len(table.codes))))
    n_always = draw(st.integers(0, min(1, len(rest) - 1)))
    always, free = rest[:n_always], rest[n_always:]
    pool = draw(st.lists(st.sampled_from(free), unique=True, max_size=4))
    return table.data, target, free, pool, always, draw(st.integers(n_always, 3))


def plainly(result):
    return (
        result.x, result.y, sorted(result.given), result.statistic, result.dof, result.log_p,
        result.n_used, result.effect, result.allows,
    )  # fmt: skip


@pytest.mark.no_cover
@PATIENT
@given(
    search=searches(),
    alpha=st.sampled_from([0.001, 0.05, 0.5]),
    dof=st.sampled_from(["adjusted", "nominal"]),
    rule=st.sampled_from(["rows_per_stratum", "rows_per_dof", "rows_per_cell", "always"]),
)
def test_a_recorded_search_is_the_naive_one_to_the_last_bit(search, alpha, dof, rule):
    data, target, candidates, pool, always, max_given = search
    plain = GSquareTest(data, dof=dof, reliability=rule, min_rows=2.0)
    recorded = CachedTest(plain)
    expected = [
        plainly(
            naive.max_p_over_subsets(
                plain, x, target, pool, alpha=alpha, max_given=max_given, always=always
            )
        )
        for x in candidates
    ]
    for test in (plain, recorded, recorded):  # the third is answered from memory
        found = test.max_p_over_subsets(
            candidates, target, pool, alpha=alpha, max_given=max_given, always=always
        )
        assert [plainly(result) for result in found] == expected


def test_a_second_search_computes_nothing():
    rng = np.random.default_rng(0)
    data = Dataset.from_numpy(rng.integers(0, 2, (500, 8)))
    recorded = CachedTest(GSquareTest(data))
    recorded.max_p_over_subsets([1, 2], 0, [3, 4, 5], alpha=0.9999, max_given=2)
    first = recorded.counts
    recorded.max_p_over_subsets([2, 1], 0, [5, 3, 4], alpha=0.9999, max_given=2)
    assert recorded.counts.n_tests == first.n_tests
    assert recorded.counts.n_repeated == first.n_repeated + first.n_tests


def test_a_search_over_continuous_columns_is_refused_by_name():
    data = Dataset.from_columns({"height": [1.5, 2.5, 3.5], "width": [0.5, 2.5, 1.5]})
    with pytest.raises(ColumnKindError, match="'height'"):
        CachedTest(GSquareTest(data)).max_p_over_subsets([1], 0, [], alpha=0.05, max_given=0)


@pytest.mark.parametrize("max_given", [0, 1, 2, 3, 9])
def test_subsets_come_smallest_first_and_only_once(max_given):
    rows = [
        tuple(z for z in row if z >= 0)
        for row in subset_rows(np.array([4, 7, 9]), max_given).tolist()
    ]
    assert len(set(rows)) == len(rows) == sum((1, 3, 3, 1)[: max_given + 1])
    assert [len(row) for row in rows] == sorted(len(row) for row in rows)
