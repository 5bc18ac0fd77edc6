"""Fisher's z and Student's t agree with regressions made elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from small_data import measured, mixed_values

from eiderdown.data import Dataset
from eiderdown.errors import ColumnKindError
from eiderdown.independence import Allows, FisherZTest, StudentTTest
from examples import examples

PATIENT = examples(20)
BOTH = pytest.mark.parametrize("kind", [FisherZTest, StudentTTest])


@st.composite
def questions(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_columns = draw(st.integers(2, 7))
    values = mixed_values(rng, n_columns, n_columns + draw(st.integers(7, 80)))
    x, y, *rest = rng.permutation(n_columns).tolist()
    return values, x, y, rest[: draw(st.integers(0, len(rest)))]


@PATIENT
@given(question=questions())
def test_student_t_is_the_t_value_of_the_regression_coefficient(question):
    values, x, y, conditions = question
    design = sm.add_constant(np.column_stack([values[x], *values[conditions]]))
    model = sm.OLS(values[y], design).fit()
    found = StudentTTest(measured(values)).test(x, y, conditions)
    assert found.dof == model.df_resid
    assert found.statistic == pytest.approx(model.tvalues[1], rel=1e-6)
    assert found.log_p == pytest.approx(np.log(model.pvalues[1]), rel=1e-6, abs=1e-6)
    assert np.sign(found.effect) == np.sign(model.params[1])


@PATIENT
@given(question=questions())
def test_fisher_z_is_the_transformed_correlation_of_residuals(question):
    values, x, y, conditions = question
    design = np.column_stack([np.ones(values.shape[1]), *values[conditions]])
    left = [sm.OLS(values[v], design).fit().resid for v in (x, y)]
    r = np.corrcoef(left)[0, 1]
    dof = values.shape[1] - len(conditions) - 3
    z = np.sqrt(dof) * np.arctanh(r)
    found = FisherZTest(measured(values)).test(x, y, conditions)
    assert found.dof == dof
    assert found.effect == pytest.approx(r, abs=1e-8)
    assert found.statistic == pytest.approx(z, rel=1e-6, abs=1e-6)
    expected = np.log(2) + stats.norm.logsf(abs(z))
    assert found.log_p == pytest.approx(expected, rel=1e-6, abs=1e-6)


@BOTH
def test_a_perfect_correlation_in_a_million_rows_stays_finite_and_ranks(kind):
    rng = np.random.default_rng(1)
    x = rng.normal(size=1_000_000)
    test = kind(measured([x, -2 * x, x + 0.1 * rng.normal(size=1_000_000)]))
    batch = test.sweep([2, 1], 0)
    assert np.all(np.isfinite(batch.log_p))
    assert np.all(np.isfinite(batch.statistic))
    assert np.all(batch.log_p < -1e5)
    assert batch.by_strength(test.name_rank).tolist() == [1, 0]
    assert batch.effect[1] == pytest.approx(-1.0)


@BOTH
@pytest.mark.parametrize("n_rows", [1, 2, 3, 4, 8])
def test_too_few_rows_say_nothing_and_are_finite(kind, n_rows):
    values = np.random.default_rng(2).normal(size=(4, n_rows))
    found = kind(measured(values), collinear="shrink").test(0, 1, [2, 3])
    assert found.allows == Allows.NOTHING
    assert found.dof == 0.0
    assert np.isfinite([found.statistic, found.log_p, found.effect]).all()


@BOTH
def test_a_constant_column_is_independent_of_everything(kind):
    y = np.random.default_rng(4).normal(size=50)
    found = kind(measured([np.full(50, 0.1), y])).test(0, 1)
    assert (found.statistic, found.log_p, found.effect) == (0.0, 0.0, 0.0)


def table_with_a_copy():
    rng = np.random.default_rng(5)
    a, y = rng.normal(size=(2, 100))
    columns = {"a": a, "copy": 3 * a - 1, "y": y + a}
    return Dataset.from_columns(columns)


@BOTH
def test_of_a_copy_nothing_is_left_to_test(kind):
    test = kind(table_with_a_copy())
    for found in (test.test(1, 2, [0]), test.test(2, 1, [0])):
        assert not found.dependent(0.5)
        assert not found.independent(0.5)


@BOTH
def test_shrinking_tests_a_copy_without_complaint(kind):
    found = kind(table_with_a_copy(), collinear="shrink").test(1, 2, [0])
    assert np.isfinite(found.log_p)


def test_a_discrete_column_is_refused_by_name():
    data = Dataset.from_columns({"sex": ["f", "m"] * 10, "height": np.arange(20.0)})
    with pytest.raises(ColumnKindError, match="'sex'"):
        FisherZTest(data).test(0, 1)


def test_the_description_tells_test_and_options():
    test = StudentTTest(measured(np.eye(3)), collinear="drop")
    assert test.description == {
        "test": "StudentTTest",
        "detect": "medium",
        "collinear": "drop",
    }
