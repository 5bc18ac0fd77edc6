"""Columns of any kind become numbers from -1 to 1, the same way for new rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from eiderdown import Dataset
from eiderdown.errors import (
    ColumnKindError,
    OptionError,
    UnknownColumnError,
    UnseenCategoryError,
)
from eiderdown.svm.numeric import learn_coding, numeric_target
from examples import examples


def numbers_of(columns, **options):
    data = Dataset.from_columns(columns)
    coding = learn_coding(data, data.names, **options)
    return coding, coding.matrix(data)


def test_numbers_are_scaled_to_their_least_and_greatest_value():
    coding, matrix = numbers_of({"a": [0.0, 1.0, 4.0], "b": [7, 5, 6]})
    assert coding.names == coding.source_columns == ("a", "b")
    np.testing.assert_allclose(matrix, [[-1.0, 1.0], [-0.5, -1.0], [1.0, 0.0]])


@pytest.mark.parametrize(
    "column", [[3, 9, 3], ["no", "yes", "no"], [False, True, False], [0.1, 0.7, 0.1]]
)
def test_two_values_of_any_type_become_exactly_minus_one_and_one(column):
    assert numbers_of({"a": column})[1].ravel().tolist() == [-1.0, 1.0, -1.0]
    ones = numbers_of({"a": column}, coding="zero_one")[1]
    assert ones.ravel().tolist() == [0.0, 1.0, 0.0]


def test_text_with_more_levels_gets_an_indicator_for_each():
    coding, matrix = numbers_of({"hat": ["red", "blue", "green", "red"], "age": [1, 2, 3, 4]})
    assert coding.names == ("age", "hat=blue", "hat=green", "hat=red")
    assert coding.source_columns == ("age", "hat", "hat", "hat")
    np.testing.assert_array_equal(matrix[:, 1:] == 1.0, np.eye(3)[[2, 0, 1, 2]] == 1.0)
    assert set(matrix[:, 1:].ravel()) == {-1.0, 1.0}


def test_standard_columns_have_mean_0_and_deviation_1_and_new_rows_the_same_scale():
    columns = {
        "a": [0.0, 1.0, 5.0, 2.0],
        "hat": ["red", "blue", "green", "red"],
        "on": ["no", "yes", "no", "no"],
    }
    coding, matrix = numbers_of(columns, coding="standard")
    assert coding.names == ("a", "hat=blue", "hat=green", "hat=red", "on")
    np.testing.assert_allclose(matrix.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(matrix.std(axis=0), 1.0)
    raw = np.array([[0, 0, 0, 1, 0], [1, 1, 0, 0, 1], [5, 0, 1, 0, 0], [2, 0, 0, 1, 0]])
    np.testing.assert_allclose(matrix, (raw - raw.mean(axis=0)) / raw.std(axis=0))
    row = Dataset.from_columns({name: values[1:2] for name, values in columns.items()})
    np.testing.assert_allclose(coding.matrix(row), matrix[1:2])


def test_a_sparse_table_is_filled_to_be_standardised():
    ones = np.array([[1, 0], [0, 1], [0, 1], [0, 0]])
    data = Dataset.from_sparse(sparse.csr_array(ones))
    matrix = learn_coding(data, data.names, coding="standard").matrix(data)
    np.testing.assert_allclose(matrix, (ones - ones.mean(axis=0)) / ones.std(axis=0))


def test_an_indicator_never_has_the_name_of_a_column():
    columns = {"hat": ["a", "b", "c"], "hat=a": [1, 2, 3], "hat=a_": [1, 2, 4]}
    coding, _ = numbers_of(columns)
    assert coding.names == ("hat=a__", "hat=b", "hat=c", "hat=a", "hat=a_")


def test_levels_that_are_declared_but_not_seen_do_not_count():
    codes = np.array([[0, 2, 0, 2], [0, 2, 1, 2]])
    data = Dataset.from_codes(codes, names=["a", "b"], categories=[("x", "y", "z")] * 2)
    coding = learn_coding(data, data.names)
    assert coding.names == ("a", "b=x", "b=y", "b=z")
    assert coding.matrix(data)[:, 0].tolist() == [-1.0, 1.0, -1.0, 1.0]


def test_columns_that_do_not_vary_are_left_out():
    coding, _ = numbers_of({"a": [1, 1, 1], "b": ["x", "x", "x"], "c": [1, 2, 3]})
    assert coding.names == ("c",)


@examples(12)
@given(order=st.permutations(["a", "b", "hat"]), seed=st.integers(0, 100))
def test_the_order_of_the_columns_changes_nothing(order, seed):
    rng = np.random.default_rng(seed)
    columns = {
        "a": rng.normal(size=20),
        "b": rng.integers(0, 2, 20),
        "hat": np.array(["x", "y", "z"])[np.arange(20) % 3],
    }
    ours, matrix = numbers_of(columns)
    theirs, other = numbers_of({name: columns[name] for name in order})
    assert ours.names == theirs.names
    np.testing.assert_array_equal(matrix, other)


def test_new_rows_are_scaled_by_what_was_learned():
    data = Dataset.from_columns({"a": [0.0, 10.0], "b": [1, 3], "hat": ["x", "y"]})
    coding = learn_coding(data, data.names)
    new = Dataset.from_columns({"hat": ["y", "y"], "b": [2, 2], "a": [5.0, 20.0]})
    assert coding.matrix(new).tolist() == [[0.0, 0.0, 1.0], [3.0, 0.0, 1.0]]


def test_a_number_may_be_held_as_a_level_or_as_a_number():
    rng = np.random.default_rng(0)
    data = Dataset.from_columns({"a": rng.integers(0, 30, 200), "b": rng.integers(0, 3, 200)})
    coding = learn_coding(data, data.names)
    few = Dataset.from_columns({"a": [0, 29], "b": [0.0, 2.0]})
    np.testing.assert_array_equal(coding.matrix(few), [[-1.0, -1.0], [1.0, 1.0]])


def test_new_levels_and_changed_kinds_are_told_by_name():
    data = Dataset.from_columns({"a": [1, 2, 3], "hat": ["x", "y", "x"]})
    coding = learn_coding(data, data.names)
    with pytest.raises(
        UnseenCategoryError, match=r"'hat' holds categories .* 'z'; leave those rows out"
    ):
        coding.matrix(Dataset.from_columns({"a": [1, 2], "hat": ["x", "z"]}))
    with pytest.raises(ColumnKindError, match="'a' held numbers"):
        coding.matrix(Dataset.from_columns({"a": ["p", "q"], "hat": ["x", "y"]}))
    with pytest.raises(UnknownColumnError, match="'hat'"):
        coding.matrix(Dataset.from_columns({"a": [1, 2]}))


def test_an_unknown_coding_or_column_is_told():
    data = Dataset.from_columns({"a": [1, 2]})
    with pytest.raises(OptionError, match=r"coding must be one of .* not 'ones'"):
        learn_coding(data, ["a"], coding="ones")
    with pytest.raises(UnknownColumnError, match="'b'"):
        learn_coding(data, ["b"])


@pytest.fixture
def thin():
    matrix = sparse.random_array((40, 30), density=0.1, rng=np.random.default_rng(0), format="csr")
    matrix.data[:] = 1.0
    return matrix, Dataset.from_sparse(
        matrix, extra={"age": np.arange(40) % 7, "hat": np.array(["a", "b", "c", "d"] * 10)}
    )


def test_a_sparse_table_stays_sparse_with_values_from_zero_to_one(thin):
    matrix, data = thin
    coding = learn_coding(data, data.names)
    numbers = coding.matrix(data)
    assert sparse.issparse(numbers)
    assert numbers.format == "csr"
    varying = [f"x{i}" for i in range(30) if 0 < matrix.toarray()[:, i].sum() < 40]
    assert set(coding.names) == {*varying, "age", "hat=a", "hat=b", "hat=c", "hat=d"}
    dense = dict(zip(coding.names, numbers.toarray().T, strict=True))
    for i in range(30):
        if f"x{i}" in dense:
            np.testing.assert_array_equal(dense[f"x{i}"], matrix.toarray()[:, i])
    np.testing.assert_allclose(dense["age"], (np.arange(40) % 7) / 6)
    assert dense["hat=b"].tolist() == [0.0, 1.0, 0.0, 0.0] * 10
    assert numbers.data.min() > 0.0


def made_dense(data):
    frame = data.to_pandas()
    return frame.assign(**{n: np.asarray(frame[n]) for n in frame.columns if n != "hat"})


def test_a_sparse_table_equals_a_dense_one_with_the_same_coding(thin):
    _, data = thin
    dense = Dataset.from_pandas(made_dense(data))
    ours, theirs = (learn_coding(d, d.names, coding="zero_one") for d in (data, dense))
    assert ours.names == theirs.names
    np.testing.assert_array_equal(ours.matrix(data).toarray(), theirs.matrix(dense))
    signs = learn_coding(data, data.names, coding="signs").matrix(data)
    np.testing.assert_array_equal(signs, learn_coding(dense, dense.names).matrix(dense))


def test_signs_are_refused_for_a_sparse_table_that_would_not_fit():
    wide = Dataset.from_sparse(sparse.eye_array(20_000, format="csr"))
    with pytest.raises(OptionError, match=r"sparse table of 20,000 rows x 20,000 columns; use"):
        learn_coding(wide, wide.names, coding="signs")


def test_classes_are_numbered_in_the_order_of_their_levels():
    data = Dataset.from_codes(np.array([[2, 0, 2]]), names=["y"], categories=[("a", "b", "c")])
    target = numeric_target(data, "y")
    assert target.classes == ("a", "c")
    assert target.values.tolist() == [1, 0, 1]
    assert not target.is_continuous


def test_a_continuous_target_is_standardised():
    target = numeric_target(Dataset.from_columns({"y": [1.0, 2.0, 6.0]}), "y")
    assert target.is_continuous
    assert target.values.mean() == pytest.approx(0.0)
    assert target.values.std() == pytest.approx(1.0)
