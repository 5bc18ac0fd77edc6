"""Tests by regression: values of other libraries, right sizes, and fits that have no end."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import special, stats

from eiderdown.data import Dataset
from eiderdown.errors import ColumnKindError, OptionError
from eiderdown.independence import ConfirmedTest, RegressionTest
from eiderdown.independence.batch import Allows
from eiderdown.independence.families import family_of
from eiderdown.independence.kernels.likelihoods import digamma, trigamma
from eiderdown.progress import watched
from eiderdown.testing import check_independence_test

RECORD = json.loads(Path(__file__).with_name("regression_values.json").read_text(encoding="utf-8"))
VALUES = RECORD["values"]
TARGETS = {
    "linear": "weight",
    "logistic": "sick",
    "multinomial": "colour",
    "ordinal": "grade",
    "poisson": "visits",
    "negative_binomial": "claims",
    "cox": "months",
}
NUMBERS = ("age", "dose", "weight", "months")


@pytest.fixture(scope="module")
def table():
    kinds = dict.fromkeys(NUMBERS, "continuous")
    return Dataset.from_columns(RECORD["table"], kinds=kinds)


def regression(table, family, **options):
    event = "died" if family == "cox" else None
    target = table.index(TARGETS[family])
    return RegressionTest(table, target=target, family=family, event=event, **options)


def asked(test, x, family, given):
    index = test.data.index
    return test.test(index(x), index(TARGETS[family]), [index(z) for z in given])


@pytest.mark.parametrize("value", VALUES, ids=lambda v: f"{v['family']}-{v['x']}-{v['given']}")
def test_likelihood_ratios_are_those_of_other_libraries(table, value):
    found = asked(regression(table, value["family"]), value["x"], value["family"], value["given"])
    n_blocks = 2 if value["x"] == "place" else 1
    n_predictors = 2 if value["family"] == "multinomial" else 1
    assert found.dof == n_blocks * n_predictors
    assert 2.0 * found.n_used * found.effect == pytest.approx(value["ratio"], abs=2e-6)


@pytest.mark.parametrize("given", [[], ["age"], ["age", "group"]])
def test_linear_regression_has_an_exact_f(table, given):
    found = asked(regression(table, "linear"), "place", "linear", given)
    left = 120 - 1 - len(given) - 2
    assert found.log_p == pytest.approx(stats.f.logsf(found.statistic, 2, left), abs=1e-9)
    unexplained = math.exp(-2.0 * found.effect)
    assert found.statistic == pytest.approx((1.0 / unexplained - 1.0) * left / 2)


def test_ratio_is_scaled_by_columns_and_effective_rows(table):
    found = asked(regression(table, "cox"), "place", "cox", ["age", "group"])
    n_events = sum(RECORD["table"]["died"])
    scale = 1.0 - (2 + 0.5 * 2) / n_events
    assert found.statistic == pytest.approx(2.0 * 120 * found.effect * scale)
    assert found.log_p == pytest.approx(stats.chi2.logsf(found.statistic, 2))


def test_even_odds_make_all_rows_effective_and_rare_classes_few():
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    for n_rare, n_effective in ((100, 200.0), (20, 72.0)):
        y = np.repeat(["a", "b"], [200 - n_rare, n_rare])
        found = RegressionTest(Dataset.from_columns({"x": x, "y": y}), target=1).test(0, 1)
        ratio = 2.0 * 200 * found.effect
        assert found.statistic == pytest.approx(ratio * (1.0 - 1.5 / n_effective), rel=1e-6)


@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("kind_of_test", "name", "kind"),
    [
        (RegressionTest, "A", "discrete"),
        (RegressionTest, "nobody", "continuous"),
        (ConfirmedTest, "A", "continuous"),
        (ConfirmedTest, "nobody", "discrete"),
        pytest.param(RegressionTest, "A", "continuous", marks=pytest.mark.slow),
        pytest.param(RegressionTest, "nobody", "discrete", marks=pytest.mark.slow),
        pytest.param(ConfirmedTest, "A", "discrete", marks=pytest.mark.slow),
        pytest.param(ConfirmedTest, "nobody", "continuous", marks=pytest.mark.slow),
    ],
)
def test_promises_of_a_test_are_kept(kind_of_test, name, kind):
    def make(data):
        return kind_of_test(data, target=data.index(name) if name in data.names else None)

    check_independence_test(make, kind=kind)


def mixed(n=400, seed=0):
    rng = np.random.default_rng(seed)
    z, c = rng.normal(size=n), rng.integers(0, 3, n)
    x = z + (c == 1) + rng.normal(size=n)
    y = (x + rng.logistic(size=n) > 0).astype(int)
    k = rng.poisson(np.exp(0.3 * z))
    columns = {"z": z, "c": c, "x": x, "y": y, "k": k.astype(float), "n": rng.normal(size=n)}
    return Dataset.from_columns(columns, kinds={"k": "continuous"})


@pytest.mark.parametrize("target", [None, 3])
def test_answer_does_not_depend_on_who_is_called_the_target_or_stands_first(target):
    data = mixed()
    names = data.names[::-1]
    turned = data.select(names)
    where = None if target is None else turned.index(data.names[target])
    here, there = RegressionTest(data, target=target), RegressionTest(turned, target=where)
    for x, y, given in ((0, 1, []), (1, 3, [0]), (4, 2, [0, 1]), (4, 3, [0, 1]), (4, 1, [5])):
        first, second = here.test(x, y, given), here.test(y, x, given)
        third = there.test(5 - x, 5 - y, [5 - z for z in given])
        assert first.log_p == pytest.approx(second.log_p, abs=1e-9)
        assert first.log_p == pytest.approx(third.log_p, abs=1e-9)


def test_threads_change_nothing():
    rng = np.random.default_rng(0)
    columns = {f"x{i}": rng.normal(size=300) for i in range(300)}
    columns["y"] = rng.integers(0, 2, 300)
    data = Dataset.from_columns(columns)
    xs = np.arange(1, 300)
    one, two = (RegressionTest(data, target=300, n_jobs=n).sweep(xs, 300, [0]) for n in (1, 2))
    assert np.array_equal(one.values, two.values)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_long_sweeps_end_with_the_time_limit(n_jobs):
    rng = np.random.default_rng(0)
    columns = {f"x{i}": rng.normal(size=2_000) for i in range(70)}
    data = Dataset.from_columns({**columns, "y": rng.integers(0, 2, 2_000)})
    test = RegressionTest(data, target=70, n_jobs=n_jobs)
    with (
        pytest.raises(OptionError, match="time limit of 0 seconds"),
        watched("a sweep", progress=False, time_limit=0.0),
    ):
        test.sweep(np.arange(70), 70)


def test_missing_rows_are_left_out_test_by_test():
    data = mixed()
    frame = data.to_pandas().astype({"c": float, "y": object})
    frame.loc[:40, "x"] = np.nan
    frame.loc[20:60, "y"] = None
    frame.loc[100:110, "z"] = np.nan
    kinds = {"c": "continuous", "k": "continuous"}
    holed = Dataset.from_pandas(frame, kinds=kinds)
    whole = Dataset.from_pandas(
        frame.dropna(subset=["x", "y", "z"]).astype({"y": int}), kinds=kinds
    )
    ours = RegressionTest(holed, target=3).sweep([2, 5], 3, [0])
    theirs = RegressionTest(whole, target=3).test(2, 3, [0])
    assert ours[0].n_used == theirs.n_used == whole.n_rows
    assert ours[0].log_p == pytest.approx(theirs.log_p, abs=1e-9)
    assert ours[1].n_used == 400 - 41 - 11


def test_columns_without_a_common_row_say_nothing():
    x, y = np.arange(20.0), np.arange(20.0)[::-1].copy()
    x[:10], y[10:] = np.nan, np.nan
    found = RegressionTest(Dataset.from_columns({"x": x, "y": y}), target=1).test(0, 1)
    assert (found.n_used, found.allows) == (0, Allows.NOTHING)


# --- where fits have no end, and where nothing is left --------------------------------------------


def separated(n=200):
    rng = np.random.default_rng(3)
    x = rng.normal(size=n)
    return Dataset.from_columns(
        {"x": x, "n": rng.normal(size=n), "y": (x > 0).astype(int), "copy": 2 * x + 1}
    )


def test_column_that_separates_classes_has_the_score_statistic():
    found = RegressionTest(separated(), target=2).test(0, 2)
    data = separated()
    r = np.corrcoef(data.values(0), data.codes(2))[0, 1]
    n_effective = 4 * 200 * data.codes(2).mean() * (1 - data.codes(2).mean())
    assert found.statistic == pytest.approx(200 * r * r * (1 - 1.5 / n_effective), rel=1e-6)
    assert found.answer(0.01) == "dependent"


def test_nothing_is_left_where_the_set_separates_or_determines():
    test = RegressionTest(separated(), target=2)
    assert test.test(1, 2, [0]).allows == Allows.FUNCTION
    assert test.test(3, 2, [0]).allows == Allows.FUNCTION
    linear = RegressionTest(separated(), target=0)
    assert linear.test(1, 0, [3]).allows == Allows.FUNCTION
    assert linear.test(3, 0, [1]).answer(0.01) == "dependent"


def test_quasi_separation_gives_finite_answers():
    y = np.repeat([0, 1], 60)
    a = np.where(np.arange(120) < 100, "u", "v")  # all of "v" are of class 1
    n = np.random.default_rng(0).normal(size=120)
    test = RegressionTest(Dataset.from_columns({"a": a, "n": n, "y": y}), target=2)
    alone, beside = test.test(0, 2), test.test(1, 2, [0])
    assert alone.answer(0.01) == "dependent"
    assert beside.answer(0.01) != "dependent"
    assert all(math.isfinite(v) for v in (alone.log_p, beside.log_p, beside.statistic))


def test_few_rows_say_nothing_and_more_only_dependence():
    rng = np.random.default_rng(0)
    data = Dataset.from_columns({"x": rng.normal(size=60), "y": rng.integers(0, 2, 60)})
    allowed = [
        RegressionTest(data.take(np.arange(n)), target=1, detect="medium").test(0, 1).allows
        for n in (8, 30, 60)
    ]
    assert allowed == [Allows.NOTHING, Allows.DEPENDENCE, Allows.BOTH]


def test_far_tails_are_told_apart():
    rng = np.random.default_rng(0)
    x = rng.normal(size=20_000)
    y = (x + 0.3 * rng.logistic(size=20_000) > 0).astype(int)
    worse = x + 0.01 * rng.normal(size=20_000)
    found = RegressionTest(Dataset.from_columns({"x": x, "w": worse, "y": y}), target=2).sweep(
        [0, 1], 2
    )
    assert found.log_p[0] < found.log_p[1] < -2_000.0


def test_event_column_is_a_part_of_the_target(table):
    test = regression(table, "cox")
    assert test.test(table.index("died"), table.index("months")).allows == Allows.FUNCTION
    assert asked(test, "dose", "cox", []).answer(0.01) == "dependent"


def test_counts_without_more_variance_are_poisson():
    rng = np.random.default_rng(1)
    x, k = rng.normal(size=300), rng.binomial(6, 0.5, size=300).astype(float)
    data = Dataset.from_columns({"x": x, "k": k}, kinds={"k": "continuous"})
    nb, poisson = (
        RegressionTest(data, target=1, family=family).test(0, 1)
        for family in ("negative_binomial", "poisson")
    )
    assert nb == poisson


# --- families -------------------------------------------------------------------------------------


def test_counts_that_a_column_makes_poisson_do_not_depend_on_the_order_of_rows():
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=400)
    visits = rng.binomial(8, 1.0 / (1.0 + np.exp(-hidden))).astype(float)
    columns = {"visits": visits, "x": hidden, "y": hidden + rng.normal(size=400)}
    data = Dataset.from_columns(columns, kinds={"visits": "count"})
    here = RegressionTest(data, target=0).sweep([1, 2], 0)
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(400)
        there = RegressionTest(data.take(order), target=0).sweep([1, 2], 0)
        np.testing.assert_allclose(there.values, here.values, rtol=1e-8)


def test_family_goes_by_the_column():
    data = mixed()
    assert [family_of(data, i) for i in range(6)] == [
        "linear",
        "multinomial",
        "linear",
        "logistic",
        "negative_binomial",
        "linear",
    ]
    assert RegressionTest(data, target=3).description["family"] == "logistic"


@pytest.mark.parametrize(
    ("column", "options", "error", "words"),
    [
        ("weight", {"family": "logistic"}, OptionError, "'weight' is continuous"),
        ("colour", {"family": "logistic"}, OptionError, "'colour' has 3"),
        ("weight", {"family": "poisson"}, OptionError, "'weight' has values that are"),
        ("sick", {"family": "linear"}, ColumnKindError, "'sick' has categories"),
        ("months", {"family": "cox"}, OptionError, "event="),
        ("months", {"family": "cox", "event": "visits"}, OptionError, "'visits' must be 1"),
        ("weight", {"family": "linear", "event": "died"}, OptionError, "leave out event"),
        ("dose", {"event": "died"}, OptionError, "'dose' is a time"),
        ("weight", {"family": "probit"}, OptionError, "family must be"),
    ],
)
def test_families_that_do_not_fit_are_refused_in_a_sentence(table, column, options, error, words):
    with pytest.raises(error, match=words):
        RegressionTest(table, target=table.index(column), **options)


def test_options_about_a_target_want_one(table):
    with pytest.raises(OptionError, match="about one target"):
        RegressionTest(table, family="linear")


def draw(family, rng, eta):
    n = len(eta)
    if family == "linear":
        return eta + rng.normal(size=n), {}
    if family == "logistic":
        return (eta + rng.logistic(size=n) > 0).astype(int), {}
    if family in ("multinomial", "ordinal"):
        return np.digitize(eta + rng.logistic(size=n), [-0.7, 0.7]), {}
    if family == "poisson":
        return rng.poisson(np.exp(eta)), {}
    if family == "negative_binomial":
        return rng.poisson(np.exp(eta) * rng.gamma(1.0, 1.0, n)), {}
    return rng.exponential(np.exp(-eta)), {"event": "e"}


@pytest.mark.parametrize("family", TARGETS)
def test_size_on_null_tables(family):
    """Noise that goes with what is given, 100 rows, 40 tables of 10 columns for each family."""
    log_ps = []
    kind = "discrete" if family in ("logistic", "multinomial", "ordinal") else "continuous"
    for seed in range(40):
        rng = np.random.default_rng(seed)
        z = rng.normal(size=(2, 100))
        y, options = draw(family, rng, 0.5 * z[0] - 0.5 * z[1])
        columns = {f"x{i}": 0.5 * z[0] + rng.normal(size=100) for i in range(10)}
        columns |= {"z0": z[0], "z1": z[1], "y": y, "e": (rng.random(100) < 0.7).astype(int)}
        data = Dataset.from_columns(columns, kinds={"y": kind})
        test = RegressionTest(data, target=12, family=family, **options)
        log_ps.append(test.sweep(np.arange(10), 12, [10, 11]).log_p)
    p = np.exp(np.concatenate(log_ps))
    assert 0.02 < np.mean(p < 0.05) < 0.085
    assert np.mean(p < 0.01) < 0.03


def test_derivatives_of_log_gamma():
    for x in (0.05, 0.7, 1.0, 3.3, 9.99, 10.0, 57.0, 1e5):
        assert digamma(x) == pytest.approx(special.digamma(x), rel=1e-10, abs=1e-10)
        assert trigamma(x) == pytest.approx(special.polygamma(1, x), rel=1e-10)
