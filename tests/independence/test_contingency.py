"""G2 and X2 agree with naive sums over strata and with SciPy's contingency tests."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from scipy import stats
from small_data import chained_codes, coded, discrete_questions

import naive
from eiderdown import networks
from eiderdown.data import Dataset
from eiderdown.errors import ColumnKindError, OptionError
from eiderdown.independence import (
    Allows,
    CalibratedChiSquareTest,
    ChiSquareTest,
    GSquareTest,
    contingency,
)
from examples import examples

PATIENT = examples(32)
TRUSTING = "always"
BOTH = pytest.mark.parametrize("kind", [GSquareTest, ChiSquareTest])


def naive_table(codes, n_categories, x, y, conditions):
    return naive.table(
        codes[x], codes[y], [codes[z] for z in conditions], n_categories[x], n_categories[y]
    )


def scipy_sum(counts, statistic):
    """Add SciPy's statistic and degrees of freedom over strata without their empty margins."""
    total, dof = 0.0, 0
    for stratum in counts:
        seen = stratum[stratum.sum(axis=1) > 0][:, stratum.sum(axis=0) > 0]
        result = stats.chi2_contingency(seen, correction=False, lambda_=statistic)
        total, dof = total + result.statistic, dof + result.dof
    return total, dof


@PATIENT
@given(question=discrete_questions())
@pytest.mark.parametrize(
    ("kind", "twin", "scipy_name"),
    [
        (GSquareTest, naive.g_square, "log-likelihood"),
        (ChiSquareTest, naive.x_square, "pearson"),
    ],
)
def test_statistic_and_adjusted_dof_equal_naive_and_scipy(kind, twin, scipy_name, question):
    codes, n_categories, x, y, conditions = question
    counts = naive_table(codes, n_categories, x, y, conditions)
    found = kind(coded(codes, n_categories), reliability=TRUSTING).test(x, y, conditions)
    expected, dof = scipy_sum(counts, scipy_name)
    assert found.statistic == pytest.approx(twin(counts), abs=1e-9)
    assert found.statistic == pytest.approx(expected, abs=1e-9)
    assert found.dof == dof == naive.adjusted_dof(counts)
    assert found.effect == pytest.approx(naive.g_square(counts) / (2 * codes.shape[1]), abs=1e-9)
    assert found.n_used == codes.shape[1]
    log_p = stats.chi2.logsf(found.statistic, dof) if dof else 0.0
    assert found.log_p == pytest.approx(log_p, rel=1e-9, abs=1e-9)


@PATIENT
@given(question=discrete_questions())
@pytest.mark.parametrize("kind", [GSquareTest, ChiSquareTest])
def test_nominal_dof_count_every_declared_level(kind, question):
    codes, n_categories, x, y, conditions = question
    data = coded(codes, n_categories)
    found = kind(data, dof="nominal").test(x, y, conditions)
    adjusted = kind(data, reliability=TRUSTING).test(x, y, conditions)
    dof = naive.nominal_dof(n_categories[x], n_categories[y], [n_categories[z] for z in conditions])
    assert found.dof == dof
    assert found.statistic == adjusted.statistic
    assert found.log_p == pytest.approx(stats.chi2.logsf(found.statistic, dof), abs=1e-9)


@BOTH
def test_columns_of_300_levels_are_tested_like_any_other(kind):
    rng = np.random.default_rng(1)
    codes = np.stack(
        [rng.integers(0, 300, 4_000), rng.integers(0, 3, 4_000), rng.integers(0, 2, 4_000)]
    )
    counts = naive_table(codes, [300, 3, 2], 0, 1, [2])
    found = kind(coded(codes, [300, 3, 2]), reliability=TRUSTING).test(0, 1, [2])
    twin = naive.g_square if kind is GSquareTest else naive.x_square
    assert found.statistic == pytest.approx(twin(counts), rel=1e-10)
    assert found.dof == naive.adjusted_dof(counts)


@BOTH
@pytest.mark.parametrize("dof", ["adjusted", "nominal"])
def test_a_column_of_one_level_is_independent_of_everything(kind, dof):
    codes = np.stack([np.zeros(50, dtype=int), np.arange(50) % 2])
    found = kind(coded(codes, [1, 2]), dof=dof).test(0, 1)
    assert (found.statistic, found.dof, found.log_p) == (0.0, 0.0, 0.0)


@BOTH
def test_exact_independence_gives_zero_never_less(kind):
    x, y = np.divmod(np.arange(9 * 7 * 11) % 63, 7)
    found = kind(coded(np.stack([x, y]))).test(0, 1)
    assert 0.0 <= found.statistic < 1e-9
    assert found.log_p == pytest.approx(0.0, abs=1e-9)


@BOTH
def test_strong_dependence_in_a_million_rows_stays_finite_and_ranks(kind):
    rng = np.random.default_rng(2)
    x = rng.integers(0, 2, 1_000_000, dtype=np.uint8)
    nearly = x ^ (rng.random(1_000_000) < 0.01)
    test = kind(coded(np.stack([x, x, nearly.astype(np.uint8)])))
    batch = test.sweep([2, 1], 0)
    assert np.all(np.isfinite(batch.log_p))
    assert np.all(batch.log_p < -1e5)
    assert batch[1].log_p < batch[0].log_p
    assert batch.by_strength(test.name_rank).tolist() == [1, 0]
    assert np.exp(batch.log_p).tolist() == [0.0, 0.0]


@BOTH
def test_one_row_decides_nothing_and_is_finite(kind):
    found = kind(coded([[0], [1], [0]], [2, 2, 2]), dof="nominal").test(0, 1, [2])
    assert found.allows == Allows.NOTHING
    assert (found.statistic, found.log_p) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("rule", "min_rows", "counts"),
    [
        ("rows_per_stratum", 5.0, True),
        ("rows_per_stratum", 8.0, False),
        ("rows_per_dof", 5.0, True),  # 8 degrees of freedom need 40 of the 60 rows
        ("rows_per_dof", 8.0, False),
        ("rows_per_cell", 3.0, True),  # 18 cells need 54
        ("rows_per_cell", 4.0, False),
        ("always", 1e9, True),
    ],
)
def test_the_reliability_rule_and_min_rows_are_options(rule, min_rows, counts):
    codes = np.random.default_rng(3).integers(0, 3, (3, 60)) % np.array([[3], [3], [2]])
    test = GSquareTest(coded(codes, [3, 3, 2]), dof="nominal", reliability=rule, min_rows=min_rows)
    assert (test.test(0, 1, [2]).allows == Allows.BOTH) is counts


def test_a_test_that_allows_nothing_neither_accepts_nor_rejects():
    found = GSquareTest(coded(np.eye(4, dtype=int)), dof="nominal").test(0, 1, [2, 3])
    assert found.allows == Allows.NOTHING
    assert not found.dependent(0.99)
    assert not found.independent(0.01)


def test_degrees_of_freedom_beyond_every_float_are_finite_and_decide_nothing():
    codes = np.zeros((132, 8), dtype=int)
    codes[:2] = np.arange(8) % 2
    test = GSquareTest(coded(codes, [2, 2] + [300] * 130), dof="nominal")
    found = test.test(0, 1, range(2, 132))  # 300 to the power of 130 strata could exist
    assert np.isfinite(found.dof)
    assert found.log_p == 0.0
    assert found.allows == Allows.NOTHING


@BOTH
def test_workers_do_not_change_a_bit(kind):
    codes = chained_codes(np.random.default_rng(4), 60, 8_000, 3)
    one, two = (kind(coded(codes), n_jobs=n).sweep(range(2, 60), 0, [1]) for n in (1, 2))
    np.testing.assert_array_equal(one.statistic, two.statistic)
    np.testing.assert_array_equal(one.log_p, two.log_p)


def test_the_description_tells_test_and_options():
    test = ChiSquareTest(coded([[0, 1]]), dof="nominal", min_rows=3.0)
    assert test.description == {
        "test": "ChiSquareTest",
        "dof": "nominal",
        "reliability": "rows_per_stratum",
        "min_rows": 3.0,
    }


def test_bad_options_are_refused_by_name():
    data = coded([[0, 1]])
    with pytest.raises(OptionError, match="dof must be one of 'adjusted', 'nominal', not 'exact'"):
        GSquareTest(data, dof="exact")
    with pytest.raises(OptionError, match=r"reliability must be one of.*'never'"):
        GSquareTest(data, reliability="never")
    with pytest.raises(OptionError, match="min_rows must be above 0, not -1"):
        GSquareTest(data, min_rows=-1)


def test_a_continuous_column_is_refused_by_name():
    data = Dataset.from_columns({"sex": ["f", "m"], "height": [1.5, 2.5]})
    with pytest.raises(ColumnKindError, match="'height'"):
        GSquareTest(data).test(0, 1)


def thin_and_thick():
    """One stratum of 40 rows in which x == t, and 30 strata of a row each."""
    z = np.concatenate([np.zeros(40, int), np.arange(1, 31)])
    t = np.concatenate([np.arange(40) % 2, np.arange(30) % 2])
    return coded([t, t, z], [2, 2, 31])


def test_thin_strata_are_left_out_by_the_default_rule():
    codes = np.array([[0, 0, 1, 1] * 10 + [0, 1], [0, 1, 0, 1] * 10 + [0, 1], [0] * 40 + [1] * 2])
    data = coded(codes, [2, 2, 2])
    every = GSquareTest(data, reliability=TRUSTING).test(0, 1, [2])
    thick = GSquareTest(data).test(0, 1, [2])
    assert every.dof == 2.0
    assert every.statistic > 1.0
    assert thick.dof == 1.0
    assert thick.statistic < 1e-9
    assert thick.allows == Allows.BOTH


def test_a_test_given_a_stratum_per_row_is_no_evidence_of_independence():
    given_thin = GSquareTest(thin_and_thick()).test(0, 1, [2])
    assert given_thin.allows == Allows.NOTHING
    assert not given_thin.independent(0.01)


def test_given_the_true_boundary_thin_strata_admit_nobody():
    # Thin strata make G2 some 20 per cent too large; with many rows that looks like dependence.
    alarm = networks.load("alarm")
    data = alarm.sample(500_000, random_state=0)
    boundary = [data.index(name) for name in alarm.dag.markov_boundary("HR")]
    target = data.index("HR")
    idle = [x for x in range(data.n_columns) if x not in {target, *boundary}]
    published = GSquareTest(data, reliability="rows_per_dof")
    assert published.sweep(idle, target, boundary).dependent(1e-4).any()
    assert not GSquareTest(data).sweep(idle, target, boundary).dependent(1e-4).any()


@pytest.mark.parametrize("kind", [GSquareTest, CalibratedChiSquareTest])
def test_single_questions_from_bit_planes_are_the_sweep_to_the_last_bit(kind, monkeypatch):
    rng = np.random.default_rng(8)
    data = coded(chained_codes(rng, 7, 300, 3))
    questions = []
    for _ in range(60):
        x, y, *conditions = rng.permutation(7)[: rng.integers(2, 6)].tolist()
        questions.append((x, y, conditions))
    by_sweep = [kind(data).sweep([x], y, given)[0] for x, y, given in questions]
    monkeypatch.setattr(contingency, "QUICK_PAYS_FROM", 0)
    asked = []
    answered = kind._answered
    monkeypatch.setattr(
        kind, "_answered", lambda test, batch: asked.extend(batch) or answered(test, batch)
    )
    quick = kind(data)
    assert [quick.test(*question) for question in questions] == by_sweep
    assert list(quick.pairs(questions)) == by_sweep
    assert len(asked) == 2 * len(questions)
