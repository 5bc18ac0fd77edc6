"""Tables in parts answer as tables in memory do: the same integers, and moments up to rounding."""

from __future__ import annotations

import numpy as np
import pytest

from eiderdown import Dataset, find_boundary, learn_network, networks
from eiderdown.data.partitioned import PartitionedDataset
from eiderdown.data.partitions import Marginals, MemoryPartitions
from eiderdown.errors import (
    InsufficientMemoryError,
    OptionError,
    TooManyCellsError,
)
from eiderdown.independence import (
    CalibratedChiSquareTest,
    ChiSquareTest,
    GSquareTest,
    WilksTest,
)
from eiderdown.independence.cache import CachedTest
from eiderdown.independence.registry import make_test
from eiderdown.progress import Cancelled, ShownTrace, Trace, watched, within_limits
from eiderdown.scores import AicScore, BdeuScore, BgeScore, BicScore, GaussianBicScore, make_score
from eiderdown.scores.registry import QNML
from eiderdown.statistics import CountStatistics, PartitionedCounts, partitioned_counts
from eiderdown.statistics.moments import MomentStatistics
from eiderdown.statistics.partitioned_moments import TOLERANCE_OF_PARTS, PartitionedMoments

PARTS = (1, 2, 7, 50)


def parted(data: Dataset, n_parts: int) -> PartitionedDataset:
    return PartitionedDataset.over(MemoryPartitions(data, n_parts), data)


def categories(seed: int, *, n_rows: int = 200, missing: float = 0.0) -> Dataset:
    """Dependent columns of 2 to 300 categories, some with missing values."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=n_rows)
    columns = {}
    for k, n_categories in enumerate((2, 3, 2, 5, 300, 4, 2)):
        noisy = hidden * rng.uniform(0.0, 2.0) + rng.normal(size=n_rows)
        codes = np.clip(((noisy + 4) / 8 * n_categories).astype(int), 0, n_categories - 1)
        cells = np.array([f"v{code:03d}" for code in codes], dtype=object)
        if k % 2 == 0 and missing:
            cells[rng.random(n_rows) < missing] = None
        columns[f"c{k}"] = cells
    return Dataset.from_columns(columns, kinds=dict.fromkeys(columns, "discrete"))


def numbers(seed: int, n_rows: int = 300) -> Dataset:
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(n_rows, 5)) @ rng.normal(size=(5, 5)) + 1e4
    columns = {f"x{i}": table[:, i] for i in range(5)}
    return Dataset.from_columns(columns | {"flat": np.full(n_rows, 3.5)})


def mixed(seed: int) -> Dataset:
    table = numbers(seed)
    rng = np.random.default_rng(seed)
    group = np.digitize(table.values(0) - 1e4 + rng.normal(size=table.n_rows), [-1.0, 1.0])
    return table.with_columns({"group": [f"g{code}" for code in group]})


@pytest.mark.parametrize("n_parts", PARTS)
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_counts_of_parts_are_those_in_memory(n_parts: int, missing: float) -> None:
    data = categories(n_parts, missing=missing)
    whole, parts = CountStatistics(data), PartitionedCounts(parted(data, n_parts))
    for given in [(), (1,), (0, 3), (5, 2, 6), (4, 1)]:
        others = [i for i in range(data.n_columns) if i not in given]
        target, xs = others[0], others[1:]
        np.testing.assert_array_equal(parts.table(target, given), whole.table(target, given))
        for mine, theirs in zip(
            parts.tables(xs, target, given), whole.tables(xs, target, given), strict=True
        ):
            np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("largest", [1, 10, 1_000])
def test_strata_that_take_several_numbers_to_tell(
    largest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partitioned_counts, "_LARGEST_KEY", largest)
    data = categories(largest, missing=0.1)
    whole, parts = CountStatistics(data), PartitionedCounts(parted(data, 7))
    for given in [(1,), (5, 2, 6), (1, 3, 4, 5)]:
        np.testing.assert_array_equal(parts.table(0, given), whole.table(0, given))


def test_questions_that_do_not_fit_one_pass_are_answered_in_several(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = categories(3)
    monkeypatch.setattr(partitioned_counts, "MOST_CELLS_OF_PASS", 50)
    counts = PartitionedCounts(parted(data, 4))
    passes = list(counts._passes([(np.array([1, 2, 3]), 0, (5,)), (np.array([6]), 0, ())], {}))
    assert len(passes) > 1
    assert sum(len(positions) for asked in passes for _, positions in asked) == 4
    for mine, theirs in zip(
        counts.tables([1, 2, 3, 4], 0, (5,)),
        CountStatistics(data).tables([1, 2, 3, 4], 0, (5,)),
        strict=True,
    ):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("make", [CalibratedChiSquareTest, GSquareTest, ChiSquareTest])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_tests_of_counts_are_the_same_to_the_last_bit(make: type, missing: float) -> None:
    data = categories(11, n_rows=500, missing=missing)
    whole, parts = make(data), make(parted(data, 6))
    for given in [(), (1,), (3, 5), (0, 2, 6)]:
        others = [i for i in range(data.n_columns) if i not in given]
        expected = whole.sweep(others[1:], others[0], given).values
        np.testing.assert_array_equal(
            parts.sweep(others[1:], others[0], given).values, expected, strict=True
        )
    questions = [(0, 1, [2]), (3, 1, []), (5, 6, [0, 1])]
    np.testing.assert_array_equal(parts.pairs(questions).values, whole.pairs(questions).values)


@pytest.mark.parametrize("make", [CalibratedChiSquareTest, GSquareTest])
def test_searches_over_subsets_choose_the_same_tests(make: type) -> None:
    data = networks.load("insurance").sample(400, random_state=5)
    whole, parts = CachedTest(make(data)), CachedTest(make(parted(data, 3)))
    others = list(range(8, 20))
    for pool in ([1, 2, 3], [1, 2, 3, 4, 5, 6]):
        expected = whole.max_p_over_subsets(others, 0, pool, alpha=0.05, max_given=3)
        found = parts.max_p_over_subsets(others, 0, pool, alpha=0.05, max_given=3)
        assert list(found.given) == list(expected.given)
        np.testing.assert_array_equal(found.values, expected.values)


@pytest.mark.parametrize("make", [BicScore, AicScore, BdeuScore, QNML.function])
def test_scores_of_counts_are_the_same_to_the_last_bit(make: type) -> None:
    data = networks.load("child").sample(300, random_state=2)
    whole, parts = make(data), make(parted(data, 4))
    candidates = np.arange(6, 15)
    for child, parents in [(0, ()), (1, (0, 2)), (3, (4, 5))]:
        assert parts.local(child, parents) == whole.local(child, parents)
        np.testing.assert_array_equal(
            parts.additions(child, parents, candidates), whole.additions(child, parents, candidates)
        )
    sweeps = [(0, (1,), candidates), (2, (), candidates), (5, (3, 4), candidates)]
    for mine, theirs in zip(parts.gains_of_all(sweeps), whole.gains_of_all(sweeps), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    assert parts.empty_total() == whole.empty_total()


@pytest.mark.parametrize("n_parts", PARTS)
def test_moments_of_parts_differ_by_rounding_only(n_parts: int) -> None:
    data = mixed(n_parts)
    whole, parts = MomentStatistics(data), PartitionedMoments(parted(data, n_parts))
    np.testing.assert_array_equal(parts.first, whole.first)
    np.testing.assert_array_equal(parts.varies, whole.varies)
    for variable in range(data.n_columns):
        np.testing.assert_allclose(
            parts.correlations(variable),
            whole.correlations(variable),
            rtol=0.0,
            atol=TOLERANCE_OF_PARTS,
        )
        np.testing.assert_allclose(
            parts.unit_columns(variable), whole.unit_columns(variable), rtol=0.0, atol=1e-9
        )


def test_moments_of_some_columns_are_those_of_a_table_of_them() -> None:
    data = mixed(4)
    names = ["group", "x3", "x0"]
    some = PartitionedMoments(parted(data, 3).select(names))
    alone = MomentStatistics(data.select(names))
    for variable in range(3):
        np.testing.assert_allclose(
            some.correlations(variable), alone.correlations(variable), rtol=0.0, atol=1e-12
        )


@pytest.mark.parametrize("make", [GaussianBicScore, BgeScore])
def test_gaussian_scores_of_parts(make: type) -> None:
    data = numbers(9).drop(["flat"])
    whole, parts = make(data), make(parted(data, 5))
    assert parts.local(0, [1, 2]) == pytest.approx(whole.local(0, [1, 2]), rel=1e-9)


def test_wilks_test_leaves_out_the_same_rows() -> None:
    data = mixed(8)
    values = data.values(1).copy()
    values[::7] = np.nan
    holes = data.drop(["x1", "flat"]).with_columns({"x1": values})
    whole, parts = (make_test("wilks", table) for table in (holes, parted(holes, 4)))
    names = list(holes.names)
    x1, x2, group = names.index("x1"), names.index("x2"), names.index("group")
    for question in [(x1, x2, []), (x1, group, [x2]), (x2, group, [x1]), (x2, group, [])]:
        mine, theirs = parts.test(*question), whole.test(*question)
        assert mine.n_used == theirs.n_used
        assert mine.log_p == pytest.approx(theirs.log_p, rel=1e-8)


@pytest.mark.parametrize("algorithm", ["auto", "iamb", "pcmb", "mmmb", "hiton_mb", "fbed"])
@pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")
def test_boundaries_and_their_evidence_are_the_same(algorithm: str) -> None:
    data = networks.load("alarm").sample(2_000, random_state=7)
    whole = find_boundary(data, "HR", algorithm=algorithm)
    parts = find_boundary(parted(data, 5), "HR", algorithm=algorithm)
    assert parts.members == whole.members
    assert parts.evidence == whole.evidence
    assert parts.warnings == whole.warnings
    assert parts.screen == whole.screen
    assert parts.run.table == whole.run.table


@pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")
def test_rows_without_a_target_are_left_out() -> None:
    data = categories(21, n_rows=600, missing=0.1)
    whole = find_boundary(data, "c0", algorithm="iamb")
    parts = find_boundary(parted(data, 5), "c0", algorithm="iamb")
    assert parts.members == whole.members
    assert parts.warnings == whole.warnings
    assert parts.run.n_rows == whole.run.n_rows < data.n_rows


@pytest.mark.parametrize("algorithm", ["ges", "hill_climbing", "boss_restarts", "mmhc"])
def test_networks_are_the_same(algorithm: str) -> None:
    data = networks.load("asia").sample(1_000, random_state=1)
    whole, parts = (
        learn_network(table, algorithm=algorithm, progress=False)
        for table in (data, parted(data, 3))
    )
    assert parts.edges == whole.edges


def test_a_table_in_parts_says_of_itself_what_one_in_memory_says() -> None:
    data = mixed(2)
    parts = parted(data, 4)
    assert (parts.names, parts.n_rows, parts.n_columns) == (data.names, data.n_rows, data.n_columns)
    assert parts.constant_columns() == data.constant_columns() == ("flat",)
    for i in range(data.n_columns):
        assert parts.kind(i) is data.kind(i)
        assert parts.n_missing(i) == data.n_missing(i)
        if data.is_discrete[i]:
            np.testing.assert_array_equal(parts.codes(i), data.codes(i))
            np.testing.assert_array_equal(parts.category_counts(i), data.category_counts(i))
        else:
            np.testing.assert_array_equal(parts.values(i), data.values(i))
            np.testing.assert_array_equal(
                parts.quantiles(i, (0.0, 0.5, 1.0)), data.quantiles(i, (0.0, 0.5, 1.0))
            )
    assert parts.in_memory().fingerprint == data.fingerprint
    assert parts.select(["group", "x1"]).in_memory().fingerprint == (
        data.select(["group", "x1"]).fingerprint
    )


def test_sparse_columns_in_parts() -> None:
    from scipy.sparse import random_array

    matrix = random_array((90, 12), density=0.2, rng=np.random.default_rng(0))
    matrix.data[:] = 1
    data = Dataset.from_sparse(matrix)
    assert parted(data, 4).in_memory().fingerprint == data.fingerprint
    np.testing.assert_array_equal(
        CalibratedChiSquareTest(parted(data, 4)).sweep([1, 2, 3], 0, [5]).values,
        CalibratedChiSquareTest(data).sweep([1, 2, 3], 0, [5]).values,
    )


def test_what_needs_all_rows_is_refused_beyond_the_budget() -> None:
    parts = parted(categories(1), 3)
    parts.partitions.budget = 100
    with pytest.raises(InsufficientMemoryError, match=r"whole table would take .* memory allows"):
        parts.in_memory()
    with pytest.raises(InsufficientMemoryError, match="Column 'c1' would take"):
        parts.codes(1)


def test_more_rows_than_can_be_counted_are_refused() -> None:
    parts = parted(categories(1), 3)
    parts.partitions.n_rows = 2**31
    with pytest.raises(TooManyCellsError, match="more than the 2,147,483,647 that can be counted"):
        PartitionedCounts(parts)


def test_marginals_add_up() -> None:
    data = mixed(6)
    whole, parts = Marginals.of(data), parted(data, 5).marginals
    for mine, theirs in zip(parts.counts, whole.counts, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_array_equal(parts.least, whole.least)
    np.testing.assert_array_equal(parts.greatest, whole.greatest)


@pytest.mark.parametrize("make", [CalibratedChiSquareTest, GSquareTest])
def test_counts_beyond_the_tabulated_ones(make: type, monkeypatch: pytest.MonkeyPatch) -> None:
    data = categories(5, n_rows=4_000)
    whole = make(data).sweep([1, 2, 3], 0, [5]).values
    for module in ("moments", "contingency"):
        monkeypatch.setattr(f"eiderdown.independence.kernels.{module}.FIRST", 20)
    expected, found = make(data), make(parted(data, 3))
    np.testing.assert_array_equal(
        found.sweep([1, 2, 3], 0, [5]).values, expected.sweep([1, 2, 3], 0, [5]).values
    )
    np.testing.assert_allclose(found.sweep([1, 2, 3], 0, [5]).values, whole, rtol=1e-9, atol=1e-9)
    searched = CachedTest(expected).max_p_over_subsets([1, 2], 0, [5, 6], alpha=0.1, max_given=2)
    plain = CachedTest(make(data)).max_p_over_subsets([1, 2], 0, [5, 6], alpha=0.1, max_given=2)
    np.testing.assert_allclose(searched.values, plain.values, rtol=1e-9, atol=1e-9)


def test_likelihoods_beyond_the_tabulated_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    data = networks.load("asia").sample(500, random_state=3)
    expected = make_score("bic", data).local(2, [1, 3])
    monkeypatch.setattr("eiderdown.scores.kernels.MOST_TABULATED", 20)
    assert make_score("bic", parted(data, 3)).local(2, [1, 3]) == expected
    assert make_score("bic", data).local(2, [1, 3]) == expected


def test_two_categories_given_numbers_are_confirmed_in_parts() -> None:
    data = mixed(3).drop(["flat"])
    other = np.random.default_rng(1).integers(0, 2, data.n_rows)
    both = data.with_columns({"other": [f"o{code}" for code in other]})
    found = find_boundary(parted(both, 3), "group", algorithm="iamb")
    assert found.run.options["confirm"] is True
    assert not found.warnings


def test_reading_keeps_to_the_silence_and_the_time_of_a_verb() -> None:
    with within_limits(progress=False, time_limit=None), watched("reading") as trace:
        assert type(trace) is Trace
    with within_limits(progress=True, time_limit=None), watched("reading") as trace:
        assert type(trace) is ShownTrace
    with (
        pytest.raises(OptionError, match="time limit of 1e-09 seconds was over"),
        within_limits(progress=False, time_limit=1e-9),
        watched("reading") as trace,
    ):
        trace.progressed("packing", 1)


def test_wilks_test_of_parts_needs_no_table_in_memory() -> None:
    parts = parted(mixed(3), 4)
    parts.partitions.budget = 100
    assert WilksTest(parts).test(0, 6).dependent(0.01)


def test_a_pass_ends_where_the_work_is_cancelled() -> None:
    parts, done = parted(categories(2), 50), []

    def count(part: Dataset) -> int:
        done.append(part.n_rows)
        return part.n_rows

    assert parts.partitions.reduce(count, int.__add__) == parts.n_rows
    assert len(done) == 50
    done.clear()
    with watched("a pass", progress=False, time_limit=1e-9), pytest.raises(Cancelled):
        parts.partitions.reduce(count, int.__add__)
    assert len(done) == 1


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_one_column_alone_needs_no_pass_where_frequencies_are_known(missing, monkeypatch):
    data = categories(3, missing=missing)
    table = PartitionedDataset.over(MemoryPartitions(data, 3), data, Marginals.of(data))
    memory, parts = CountStatistics(data), PartitionedCounts(table)
    monkeypatch.setattr(MemoryPartitions, "map", lambda *_: pytest.fail("there was a pass"))
    for i in range(data.n_columns):
        np.testing.assert_array_equal(parts.table(i), memory.table(i))


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("n_rows", [40, 300, 2_000])
def test_strata_that_say_nothing_are_left_out_without_that_it_shows(
    n_rows: int, missing: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(n_rows)
    data = categories(n_rows, n_rows=n_rows, missing=missing)
    more = {"same": data.codes(1), "rare": (rng.random(n_rows) < 0.02).astype(int)}
    data = data.with_columns({name: [f"v{code}" for code in own] for name, own in more.items()})
    monkeypatch.setattr(partitioned_counts, "MOST_CELLS_OF_PASS", 60)
    whole, parts = (CalibratedChiSquareTest(table) for table in (data, parted(data, 5)))
    for given in [(1,), (4,), (1, 3), (3, 4, 5), (0, 2, 6), (1, 3, 4, 5, 7)]:
        target, *xs = [i for i in range(data.n_columns) if i not in given]
        assert parts.statistics.needs_passes(np.array(xs), target, given)
        np.testing.assert_array_equal(
            parts.sweep(xs, target, given).values, whole.sweep(xs, target, given).values
        )
