"""Tables in parts are read as the same table in one piece is."""

from __future__ import annotations

import functools
import itertools
import operator

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from eiderdown.data import Dataset
from eiderdown.data.cluster.encoding import Plan, learn
from eiderdown.data.partitioned import PartitionedDataset
from eiderdown.data.partitions import Partitions
from eiderdown.errors import InputError, TooFewRowsError
from eiderdown.options import options_of
from eiderdown.shared_options import ReadOptions

DEFAULTS = {name: option.default for name, option in options_of(ReadOptions).items()}


def awkward_frame(n, seed=0):
    """Make a column for each rule by which tables are read."""
    rng = np.random.default_rng(seed)
    some = rng.random(n) < 0.2
    numerals = rng.integers(0, 60, n)
    months, days = rng.integers(1, 13, n), rng.integers(1, 28, n)
    return pd.DataFrame(
        {
            "text": rng.choice(["a", "b", "ccc"], n),
            "gaps": np.where(some, None, rng.choice(["x", "y"], n)),
            "few": rng.integers(0, 5, n),
            "many": rng.integers(0, 1000, n),
            "number": rng.normal(size=n),
            "incomplete": np.where(some, np.nan, rng.normal(size=n)),
            "class": rng.integers(0, 2, n).astype(float),
            "holes": np.where(some, np.nan, rng.integers(0, 3, n)),
            "late": np.where(np.arange(n) < n - 3, 1.0, 0.5),
            "id": rng.permutation(n) + 5,
            "row": np.arange(n),
            "bool": rng.random(n) < 0.5,
            "date": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "h"),
            "written": [f"2020-{a:02d}-{b:02d}" for a, b in zip(months, days, strict=True)],
            "numerals": numerals.astype(str),
            "in order": [str(i * 30 // n) for i in range(n)],
            "mostly": np.where(np.arange(n) == n // 2, "none?", numerals.astype(str)),
            "name": [f"n{i}" for i in range(n)],
            "infinite": np.where(some, np.inf, rng.normal(size=n)),
            "category": pd.Categorical(rng.choice(["u", "v"], n), categories=["v", "u", "w"]),
            "nullable": pd.array(np.where(some, None, rng.integers(0, 40, n)), dtype="Int64"),
            "nothing": np.full(n, np.nan),
            "spaced": rng.choice(["a ", "a", "b", " ?"], n),
        }
    )


class Listed(Partitions):
    """Parts in a list."""

    fingerprint = "listed"

    def __init__(self, parts):
        self.parts, self.n_rows = parts, sum(part.n_rows for part in parts)

    def map(self, work, n_jobs=None):
        return map(work, self.parts)


def read_in_parts(parts, **options):
    options = DEFAULTS | options
    learned = functools.reduce(operator.add, (learn(options, part) for part in parts))
    plan = Plan.of(learned, options)
    encoded = [plan.encode(part) for part, n in zip(parts, learned.n_rows, strict=True) if n]
    return PartitionedDataset.over(Listed(encoded), plan.without_rows())


def assert_same(table, expected):
    whole = table.in_memory()
    assert whole.names == expected.names
    assert whole.left_out == expected.left_out
    assert tuple(whole.notes) == tuple(expected.notes)
    assert whole.finer == expected.finer
    assert whole.has_missing.tolist() == expected.has_missing.tolist()
    for i in range(whole.n_columns):
        assert whole.categories(i) == expected.categories(i)
    assert [type(block) for block in whole.held] == [type(block) for block in expected.held]
    assert whole.fingerprint == expected.fingerprint


def some_cuts(n, seed):
    rng = np.random.default_rng(seed)
    inner = np.sort(rng.integers(0, n + 1, int(rng.integers(1, 6)))).tolist()
    return list(itertools.pairwise([0, *inner, n]))


@pytest.mark.parametrize("seed", range(12))
def test_frames_in_parts_are_read_as_a_whole(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(25, 2000))
    frame = awkward_frame(n, seed)
    frame = frame[list(rng.permutation(frame.columns)[: int(rng.integers(4, 24))])]
    cuts = some_cuts(n, seed)
    assert_same(read_in_parts([frame.iloc[a:b] for a, b in cuts]), Dataset.of(frame))
    table = pa.Table.from_pandas(frame, preserve_index=False)
    parts = [table.slice(a, b - a) for a, b in cuts]
    assert_same(read_in_parts(parts), Dataset.of(table))


@pytest.mark.parametrize(
    "options",
    [
        {"kinds": {"many": "category", "number": "category"}},
        {"kinds": {"few": "count", "id": "number", "text": "ccc < b < a", "row": "number"}},
        {"dates": "parts"},
        {"exclude": ["text", "id"]},
        {"columns": ["row", "number", "gaps"]},
        {"na": ["a", "b"]},
    ],
)
def test_options_of_reading_act_as_on_the_whole(options):
    frame = awkward_frame(300)
    parts = [frame.iloc[a:b] for a, b in some_cuts(300, 1)]
    assert_same(read_in_parts(parts, **options), Dataset.of(frame, **options))


def test_whole_floats_are_classes_only_if_all_parts_say_so():
    frame = pd.DataFrame({"x": [0.0, 1.0] * 200 + [0.5, 1.0] * 200, "y": [0.0, 1.0] * 400})
    parts = [frame.iloc[:400], frame.iloc[400:]]
    assert_same(read_in_parts(parts), Dataset.of(frame))


def test_many_whole_floats_are_numbers():
    frame = pd.DataFrame({"x": np.arange(100_000.0), "y": np.arange(100_000) % 3})
    parts = [frame.iloc[:40_000], frame.iloc[40_000:]]
    assert_same(read_in_parts(parts), Dataset.of(frame))


def test_a_part_of_missing_values_says_nothing_about_the_type():
    texts = pd.DataFrame({"x": ["a", "b"] * 20, "y": range(40)})
    nothing = pd.DataFrame({"x": np.full(5, np.nan), "y": range(5)})
    table = read_in_parts([nothing, texts, nothing])
    assert table.in_memory().categories(0) == ("a", "b")
    assert table.n_missing(0) == 10


def test_integers_with_gaps_in_one_part_are_read_as_joined_frames_are():
    left = pd.DataFrame({"x": [0, 1, 2] * 20})
    right = pd.DataFrame({"x": [0.0, np.nan, 2.0] * 20})
    whole = Dataset.of(pd.concat([left, right], ignore_index=True))
    assert_same(read_in_parts([left, right]), whole)


def test_parts_of_two_types_are_refused():
    parts = [pd.DataFrame({"x": ["a", "b"]}), pd.DataFrame({"x": [1, 2]})]
    with pytest.raises(InputError, match="Column 'x' is of one type in some parts"):
        read_in_parts(parts)


def test_parts_of_other_columns_are_refused():
    parts = [pd.DataFrame({"x": ["a", "b"]}), pd.DataFrame({"z": [1, 2]})]
    with pytest.raises(InputError, match="The columns of the parts differ, such as 'z'"):
        read_in_parts(parts)


def test_parts_without_rows_are_refused():
    with pytest.raises(TooFewRowsError, match="The table has no rows"):
        read_in_parts([pd.DataFrame({"x": [1]}).iloc[:0]])


def test_a_part_that_is_no_table_is_refused():
    with pytest.raises(InputError, match="A part of the table is a dict"):
        read_in_parts([{"x": [1]}])
