"""Test-wise deletion gives what the test gives of the complete rows of the columns asked about."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eiderdown.data import Dataset
from eiderdown.independence import TESTS, Allows, FisherZTest, make_test
from eiderdown.registry import Test
from examples import examples

PATIENT = examples(10)


def incomplete(kind, n_rows, share, seed, n_columns=6):
    """Dependent columns, some of them with missing values."""
    generator = np.random.default_rng(seed)
    columns = generator.normal(size=(n_columns, n_rows))
    columns[1] += columns[0]
    columns[2] += columns[1] + columns[3]
    if kind == "discrete":
        columns = (np.digitize(columns, [-0.5, 0.8])).astype(np.float64)
    holes = generator.random((n_columns, n_rows)) < share
    holes[[0, n_columns - 1]] = False
    columns[holes] = np.nan
    names = [f"c{i}" for i in generator.permutation(n_columns)]
    return Dataset.from_columns(
        dict(zip(names, columns, strict=True)), kinds=dict.fromkeys(names, kind)
    )


def naive_answer(source, data, x, y, conditions):
    """Take the rows in which these columns have values, and only these columns."""
    names = [data.names[i] for i in (x, y, *conditions)]
    own = data.select(names)
    own = own.take(own.complete_rows())
    return make_test(source, own, 1).test(0, 1, list(range(2, len(names))))


def numbers(result):
    return (result.statistic, result.dof, result.log_p, result.effect, result.n_used)


SINGLE_KIND = [
    (entry.name, kind) for entry in TESTS if entry.name != "auto" for kind in entry.kinds
]


@pytest.mark.parametrize(("source", "kind"), SINGLE_KIND)
@PATIENT
@given(st.integers(40, 200), st.floats(0.0, 0.3), st.integers(0, 10_000), st.integers(0, 3))
def test_a_sweep_is_that_of_the_complete_rows(source, kind, n_rows, share, seed, n_given):
    data = incomplete(kind, n_rows, share, seed)
    columns = np.random.default_rng(seed).permutation(data.n_columns).tolist()
    target, conditions, candidates = columns[0], columns[1 : 1 + n_given], columns[1 + n_given :]
    test = make_test(source, data, target, 1)
    batch = test.sweep(candidates, target, conditions)
    for x, found in zip(candidates, batch, strict=True):
        expected = naive_answer(source, data, x, target, conditions)
        assert found.n_used == expected.n_used
        np.testing.assert_allclose(numbers(found), numbers(expected), rtol=1e-9, atol=1e-9)
        assert found.allows == expected.allows


@pytest.mark.parametrize(("source", "kind"), SINGLE_KIND)
def test_largest_p_values_over_subsets_are_those_of_single_tests(source, kind):
    data = incomplete(kind, 150, 0.1, 3)
    found = make_test(source, data, 0, 1).max_p_over_subsets(
        [1, 2, 5], 0, [3, 4], alpha=1.0 - 1e-12, max_given=2
    )
    for result in found:
        others = [[], [3], [4], [3, 4]]
        answers = [naive_answer(source, data, result.x, 0, z) for z in others]
        expected = naive_answer(source, data, result.x, 0, list(result.given))
        np.testing.assert_allclose(numbers(result), numbers(expected), rtol=1e-9, atol=1e-9)
        decided = [answer.log_p for answer in answers if answer.decided(1.0 - 1e-12)]
        assert result.log_p == pytest.approx(max(decided))


@pytest.mark.parametrize(("source", "kind"), SINGLE_KIND)
def test_order_of_columns_and_threads_do_not_matter(source, kind):
    data = incomplete(kind, 120, 0.15, 5)
    turned = data.select(sorted(data.names, reverse=True))
    one, other = make_test(source, data, 0, 1), make_test(source, turned, 0, 2)

    def answers(test, table):
        at = table.index
        return test.sweep([at("c0"), at("c2"), at("c5")], at("c1"), [at("c3"), at("c4")]).values

    assert np.array_equal(answers(one, data), answers(other, turned))


def test_without_a_complete_row_nothing_can_be_said():
    data = Dataset.from_columns({"a": [0.5, 1.5, None, None], "b": [None, None, 1.5, 2.5]})
    found = make_test("fisher_z", data).test(0, 1)
    assert (found.n_used, found.allows, found.log_p) == (0, Allows.NOTHING, 0.0)


def test_a_table_without_missing_values_needs_no_deletion():
    data = incomplete("continuous", 50, 0.0, 0)
    assert type(make_test("fisher_z", data).inner).__name__ == "FisherZTest"


def test_auto_is_chosen_by_the_whole_table():
    data = incomplete("discrete", 100, 0.1, 1).with_columns({"z": np.arange(100.0)})
    assert make_test("auto", data, 0).description["test"] == "WilksTest"


def test_a_test_of_your_own_never_sees_a_missing_value():
    seen = []

    def make(table):
        seen.append(bool(table.has_missing.any()))
        return FisherZTest(table)

    data = incomplete("continuous", 100, 0.1, 2)
    test = make_test(make, data)
    assert test.description["test"] == "FisherZTest"
    test.sweep([1, 2, 3], 0, [4])
    assert len(seen) > 1
    assert not any(seen)
    empty = data.select([name for i, name in enumerate(data.names) if data.has_missing[i]])
    assert make_test(make, empty).description["test"] == "FisherZTest"
    assert not any(seen)


def test_a_test_that_asks_for_the_target_gets_its_number_among_the_columns_left():
    class Targeted(FisherZTest):
        """Notes where the target stands."""

        def __init__(self, data, *, target=None):
            super().__init__(data)
            seen.append(None if target is None else data.names[target])

    seen: list[str | None] = []
    rng = np.random.default_rng(0)
    columns = {name: rng.normal(size=200) for name in "abcdef"}
    columns["a"][:30] = columns["c"][10:50] = columns["f"][40:60] = np.nan
    data = Dataset.from_columns(columns)
    entry = Test(Targeted, "one of our own", name="targeted", kinds=("continuous",))
    test = make_test(entry, data, data.index("e"))
    test.sweep([0, 1, 2, 3], 4, [5])
    test.sweep([0], 2)
    assert set(seen) <= {"e", None}
    assert "e" in seen
