"""Regressions of tables in parts are those of the same rows in memory, up to rounding."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eiderdown import Dataset, find_boundary
from eiderdown.api.near_copies import compared
from eiderdown.data.partitioned import PartitionedDataset
from eiderdown.data.partitions import MemoryPartitions
from eiderdown.errors import InsufficientMemoryError, OptionError
from eiderdown.independence import RegressionTest, make_test
from eiderdown.independence.newton import LikelihoodSums, climb, run
from eiderdown.independence.partitioned_regression import TOLERANCE_OF_PARTS
from eiderdown.scores.degenerate_gaussian import DegenerateGaussianScore
from examples import examples

KINDS = {"visits": "count", "grade": "ordered"} | dict.fromkeys(("two", "three"), "discrete")


def parted(data: Dataset, n_parts: int) -> PartitionedDataset:
    return PartitionedDataset.over(MemoryPartitions(data, n_parts), data)


def mixed(seed: int, n_rows: int = 300, missing: float = 0.0) -> Dataset:
    """Columns of every kind that depend on each other, some with missing values."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=n_rows)
    columns = {
        "x": hidden + 0.5 * rng.normal(size=n_rows) + 100.0,
        "z": 1e6 * (hidden + rng.normal(size=n_rows)),
        "visits": rng.poisson(np.exp(0.4 * hidden)).astype(float),
        "crowd": rng.negative_binomial(2, 0.3, size=n_rows) + 2.0 * (hidden > 1),
        "two": np.where(hidden + rng.logistic(size=n_rows) > 0, "a", "b"),
        "three": np.array(["u", "v", "w"])[np.digitize(hidden + rng.normal(size=n_rows), [0, 1])],
        "grade": np.digitize(hidden + rng.normal(size=n_rows), [-1, 0, 1]),
        "noise": rng.choice(["p", "q"], size=n_rows),
    }
    cells = {name: np.array(values, dtype=object) for name, values in columns.items()}
    for name in ("z", "three", "visits"):
        cells[name][rng.random(n_rows) < missing] = None
    return Dataset.from_columns(cells, kinds=KINDS)


def assert_close(found, expected) -> None:
    np.testing.assert_allclose(
        found.values, expected.values, rtol=TOLERANCE_OF_PARTS, atol=TOLERANCE_OF_PARTS
    )


@examples(12)
@given(
    seed=st.integers(0, 10_000),
    n_parts=st.sampled_from([1, 2, 7, 40]),
    missing=st.sampled_from([0.0, 0.15]),
    target=st.sampled_from([None, 0, 2, 3, 4, 5, 6]),
    order=st.permutations(range(8)),
    n_given=st.integers(0, 3),
)
def test_every_family_finds_what_it_finds_in_memory(
    seed, n_parts, missing, target, order, n_given
) -> None:
    data = mixed(seed, missing=missing)
    y, *others = order
    conditions, xs = others[:n_given], others[n_given:]
    whole, parts = (RegressionTest(t, target=target) for t in (data, parted(data, n_parts)))
    assert_close(parts.sweep(xs, y, conditions), whole.sweep(xs, y, conditions))


@pytest.mark.parametrize("source", ["regression", "confirmed", "auto"])
@pytest.mark.parametrize("target", [4, 6])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_tests_that_use_regression_need_no_rows_in_memory(source, target, missing) -> None:
    data = mixed(5, 500, missing)
    parts = parted(data, 6)
    parts.partitions.budget = 100
    whole, found = (make_test(source, table, target) for table in (data, parts))
    assert found.description == whole.description
    for conditions in [[], [0], [1, 3], [0, 5]]:
        xs = [i for i in range(8) if i != target and i not in conditions]
        assert_close(found.sweep(xs, target, conditions), whole.sweep(xs, target, conditions))


@pytest.mark.parametrize("family", ["linear", "poisson", "negative_binomial", "ordinal"])
def test_a_family_that_was_asked_for(family) -> None:
    data = mixed(9)
    whole, parts = (
        RegressionTest(t, target=data.index("grade"), family=family)
        for t in (data, parted(data, 3))
    )
    assert_close(parts.sweep([0, 1, 4, 5], 6, [3]), whole.sweep([0, 1, 4, 5], 6, [3]))


def test_separated_classes_and_columns_that_others_determine() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=200)
    columns = {
        "x": x,
        "same": 3.0 * x - 1.0,
        "sick": np.where(x > 0, "yes", "no"),
        "kind": rng.choice(["a", "b", "c"], size=200),
        "rare": np.where(np.arange(200) == 7, "r", "s"),
        "flat": np.full(200, 2.5),
    }
    data = Dataset.from_columns(columns)
    whole, parts = (RegressionTest(t, target=2) for t in (data, parted(data, 4)))
    for xs, conditions in [([0, 3, 4, 5], []), ([1, 3, 4], [0]), ([0, 1, 5], [3]), ([0, 3], [4])]:
        mine, theirs = (t.sweep(xs, 2, conditions) for t in (parts, whole))
        np.testing.assert_array_equal(mine.allows, theirs.allows)
        np.testing.assert_allclose(mine.values, theirs.values, rtol=1e-6, atol=1e-6)


def test_no_row_that_is_complete_says_nothing() -> None:
    data = Dataset.from_columns({"a": [1.5, None, 2.5, None], "b": [None, 1.5, None, 3.5]})
    assert RegressionTest(parted(data, 2)).test(0, 1).answer(0.05) == "cannot say"


def followed_up(seed: int, n_rows: int, days: int | None, missing: float = 0.0) -> Dataset:
    """Times until an event, some of them censored; whole days where ``days`` is given."""
    rng = np.random.default_rng(seed)
    x, kind = rng.normal(size=n_rows), rng.choice(["a", "b", "c"], n_rows)
    until = rng.exponential(size=n_rows) * np.exp(-0.5 * x - 0.3 * (kind == "a"))
    censored = rng.exponential(size=n_rows)
    time = np.minimum(until, censored)
    columns = {
        "time": time if days is None else np.ceil(time * days),
        "died": (until <= censored).astype(int),
        "x": x,
        "far": rng.normal(size=n_rows) + 1e3,
        "kind": kind,
        "near": x + rng.normal(size=n_rows),
    }
    cells = {name: np.array(values, dtype=object) for name, values in columns.items()}
    for name in ("time", "died", "kind", "near"):
        cells[name][rng.random(n_rows) < missing] = None
    return Dataset.from_columns(cells, kinds={"time": "discrete" if days == 5 else "continuous"})


@pytest.mark.parametrize("days", [None, 5, 100])
@pytest.mark.parametrize("missing", [0.0, 0.05])
@pytest.mark.parametrize("n_parts", [1, 4, 30])
def test_times_until_an_event_need_no_rows_in_memory(days, missing, n_parts) -> None:
    data = followed_up(n_parts, 400, days, missing)
    parts = parted(data, n_parts)
    parts.partitions.budget = 100
    whole, found = (RegressionTest(t, target=0, event="died") for t in (data, parts))
    for xs, zs in [([1, 2, 3, 4, 5], []), ([3, 4], [2]), ([2, 5], [3, 4]), ([2], [3, 4, 5])]:
        assert_close(found.sweep(xs, 0, zs), whole.sweep(xs, 0, zs))
    assert_close(found.sweep([3, 4], 2, [5]), whole.sweep([3, 4], 2, [5]))


def test_no_event_at_all_says_nothing_in_parts_either() -> None:
    data = followed_up(0, 50, None).drop(["died"]).with_columns({"died": np.zeros(50, dtype=int)})
    y = data.index("time")
    whole, parts = (RegressionTest(t, target=y, event="died") for t in (data, parted(data, 3)))
    assert parts.test(1, y).answer(0.05) == whole.test(1, y).answer(0.05) == "cannot say"


def test_risk_sets_of_many_fits_are_summed_in_several_passes(monkeypatch) -> None:
    data = followed_up(3, 300, 50)
    whole, parts = (RegressionTest(t, target=0, event="died") for t in (data, parted(data, 3)))
    monkeypatch.setattr("eiderdown.independence.partitioned_regression.MOST_SUMS", 3_000)
    assert_close(parts.sweep([2, 3, 4, 5], 0, []), whole.sweep([2, 3, 4, 5], 0, []))


@pytest.mark.parametrize("where", ["part_risks", "part_designs"])
def test_very_many_distinct_times_are_compared_in_memory(where, monkeypatch) -> None:
    data = followed_up(5, 200, None)
    monkeypatch.setattr(f"eiderdown.independence.{where}.MOST_SUMS", 100)
    whole, parts = (RegressionTest(t, target=0, event="died") for t in (data, parted(data, 3)))
    assert_close(parts.sweep([2, 4], 0, [3]), whole.sweep([2, 4], 0, [3]))
    small = parted(data, 3)
    small.partitions.budget = 100
    with pytest.raises(InsufficientMemoryError, match="allow more, or round them, to days say"):
        RegressionTest(small, target=0, event="died").sweep([2], 0)


def test_events_and_times_are_checked_without_their_rows() -> None:
    data = followed_up(1, 100, 20)
    odd = data.with_columns({"early": data.values(0) - 5.0, "thrice": np.arange(100) % 3})
    parts = parted(odd, 3)
    parts.partitions.budget = 100
    for table in (odd, parts):
        with pytest.raises(OptionError, match="'early' is a time, but has negative values"):
            RegressionTest(table, target=odd.index("early"), event="died")
        with pytest.raises(OptionError, match="'thrice' must be 1 where the event happened"):
            RegressionTest(table, target=0, event="thrice")
        with pytest.raises(OptionError, match="'x' must be 1 where the event happened"):
            RegressionTest(table, target=0, event="x")


@pytest.mark.parametrize("missing", [0.0, 0.03])
@pytest.mark.parametrize("target", ["x", "two", "grade"])
@pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")
def test_the_default_search_of_a_mixed_table_is_that_of_memory(target, missing) -> None:
    data = mixed(2, 1_000, missing)
    parts = parted(data, 4)
    parts.partitions.budget = 100  # not even for one column
    whole, found = find_boundary(data, target), find_boundary(parts, target)
    assert found.run.algorithm == whole.run.algorithm
    assert found.members == whole.members
    assert found.run.options["test"] == whole.run.options["test"]


def test_degenerate_gaussian_scores_of_parts() -> None:
    data = mixed(7)
    whole, parts = DegenerateGaussianScore(data), DegenerateGaussianScore(parted(data, 5))
    for child, parents in [(0, ()), (5, (0, 6)), (1, (4, 5, 7))]:
        assert parts.local(child, parents) == pytest.approx(whole.local(child, parents), rel=1e-9)


@pytest.mark.parametrize("n_parts", [1, 3])
@pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")
def test_copies_do_not_vote_in_parts_either(n_parts) -> None:
    data = mixed(4, 600)
    more = data.with_columns({"double": 2.0 * data.values(0) + 1.0})
    alone, beside = (find_boundary(parted(t, n_parts), "two") for t in (data, more))
    assert {"x" if name == "double" else name for name in beside.members} == set(alone.members)


def test_fits_side_by_side_ask_once_for_each_round() -> None:
    rounds = []

    def sums_at(asked):
        rounds.append([number for number, _ in asked])
        return [
            LikelihoodSums(-float(p @ p) / 2 * (1 + n), -(1.0 + n) * p, (1.0 + n) * np.eye(len(p)))
            for n, p in asked
        ]

    found = run(
        [climb(np.array([3.0, 4.0]), 9), climb(np.zeros(0), 9), climb(np.zeros(1), 9)], sums_at
    )
    assert rounds == [[0, 1, 2], [0]]
    assert found[0].ended
    np.testing.assert_allclose(found[0].parameters, 0.0, atol=1e-8)
    assert found[0].first_gain == pytest.approx(25.0)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_near_copies_are_compared_without_their_rows(missing) -> None:
    data = mixed(8, 200, missing)
    near = data.values(1) * 2.0 + np.random.default_rng(0).normal(size=200)
    data = data.with_columns({"near": near})
    parts = parted(data, 3)
    parts.partitions.budget = 100
    for x, z in [(1, 8), (0, 1), (0, 8), (4, 5)]:
        assert compared(parts, x, z) == compared(data, x, z)
    assert compared(parts, 1, 8) == "their correlation is 1.0000"


def test_sums_come_from_the_workers_of_a_cluster(cluster) -> None:
    data = mixed(6, 400, 0.1)
    there = Dataset.of(data.to_pandas(), client=cluster[0], kinds=KINDS)
    assert isinstance(there, PartitionedDataset)
    for target in (2, 4, 6):
        whole, parts = (RegressionTest(t, target=target) for t in (data, there))
        xs = [i for i in range(8) if i not in (0, target)]
        assert_close(parts.sweep(xs, target, [0]), whole.sweep(xs, target, [0]))
