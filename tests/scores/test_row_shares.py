"""Threads that share the rows of a long table count what one thread counts."""

from __future__ import annotations

import numpy as np
import pytest

import naive_scores
from eiderdown.data import Dataset
from eiderdown.scores import BicScore, row_shares
from eiderdown.scores.kernels import count_rows
from eiderdown.scores.shares import Costs
from eiderdown.scores.sweeps import PackedSweeps

NOBODY = -1
N_CATEGORIES = (2, 3, 4, 2, 8, 3, 5, 2)
LONG = 64 * 520


def table(n_rows):
    """Make a table of columns that are independent, so that many cells occur."""
    random = np.random.default_rng(0)
    codes = np.stack([random.integers(n, size=n_rows) for n in N_CATEGORIES])
    names = [f"x{i}" for i in range(len(N_CATEGORIES))]
    return Dataset.from_codes(
        codes, names=names, categories=[tuple(range(n)) for n in N_CATEGORIES]
    )


def sweeps_of(data, parents, *, child=0):
    """Return a sweep about a child alone and with others added, and one with a parent less."""
    others = [x for x in range(data.n_columns) if x not in (child, *parents)]
    return PackedSweeps.of(
        [
            (child, parents, np.array([NOBODY, *others])),
            (child, parents[1:], np.array([NOBODY, *others[:2]])),
        ]
    )


def tables_of(data, sweeps):
    """Count by stratum, category of the child and category of whoever is added."""
    for k, child in enumerate(sweeps.children.tolist()):
        family = [z for z in sweeps.parents[k].tolist() if z >= 0]
        for x in sweeps.candidates[sweeps.starts[k] : sweeps.ends[k]].tolist():
            columns = [*family, child, *([x] if x >= 0 else [])]
            counts = np.zeros(data.n_categories[columns], dtype=np.int64)
            np.add.at(counts, tuple(data.codes(z) for z in columns), 1)
            yield counts.ravel()


@pytest.mark.parametrize("n_rows", [1, 63, 64, 300])
@pytest.mark.parametrize("parents", [(), (3,), (3, 7), (2, 4, 5)])
@pytest.mark.parametrize("n_parts", [1, 2, 3])
def test_shares_of_the_rows_add_up_to_the_tables(n_rows, parents, n_parts):
    data = table(n_rows)
    score, sweeps = BicScore(data), sweeps_of(data, parents)
    columns, terms = score._columns, score.kernel_score.record.terms
    places = np.empty(len(sweeps.candidates) + 1, dtype=np.int64)
    size = row_shares.place_tables.as_python(columns, sweeps, places)
    expected = list(tables_of(data, sweeps))
    assert places.tolist() == [0, *np.cumsum([len(table) for table in expected])]
    counts, nowhere = np.zeros(n_parts * size, dtype=np.int64), np.empty((0, 2), dtype=np.int64)
    with np.errstate(over="ignore"):  # as in compiled code
        for part in range(n_parts):
            count_rows.as_python(columns, terms, sweeps, nowhere, nowhere, places, counts, part)
    assert counts.reshape(n_parts, size).sum(axis=0).tolist() == np.concatenate(expected).tolist()


def test_families_whose_masks_are_not_cut_are_not_shared_by_rows():
    data = table(100)
    sweeps = sweeps_of(data, (2, 4, 5, 6))
    places = np.empty(len(sweeps.candidates) + 1, dtype=np.int64)
    assert row_shares.place_tables.as_python(BicScore(data)._columns, sweeps, places) == 0


def test_rows_are_shared_where_they_are_many_and_there_is_work():
    long, short = map(table, (LONG, LONG // 2))
    columns, sweeps = BicScore(long)._columns, sweeps_of(long, (3,))
    some, nothing = (
        Costs(np.full(len(sweeps.children), cost), np.full(len(sweeps.candidates), cost))
        for cost in (10_000.0, 1.0)
    )
    assert row_shares.are_worth_sharing.as_python(columns, sweeps, some)
    assert not row_shares.are_worth_sharing.as_python(columns, sweeps, nothing)
    assert not row_shares.are_worth_sharing.as_python(BicScore(short)._columns, sweeps, some)


@pytest.mark.parametrize("parents", [(3,), (3, 7), (2, 4, 5)])
def test_scores_of_long_tables_are_the_same_for_any_number_of_jobs(parents):
    data = table(LONG)
    sweeps = sweeps_of(data, parents)
    scores = [BicScore(data, n_jobs=n).kernel_score.scores(sweeps) for n in (1, 2, 3)]
    assert scores[0].tolist() == scores[1].tolist() == scores[2].tolist()
    codes = np.array([data.codes(x) for x in range(data.n_columns)])
    alone = naive_scores.DISCRETE["bic"](codes, data.n_categories, 0, parents)
    assert scores[0][0] == pytest.approx(alone, abs=1e-6)


def test_large_masks_are_made_by_rows_by_one_thread_too():
    data = table(LONG)
    columns = BicScore(data)._columns
    large, small = (sweeps_of(data, parents) for parents in ((2, 4, 5), (3,)))
    assert row_shares.have_large_masks.as_python(columns, large)
    assert not row_shares.have_large_masks.as_python(columns, small)
