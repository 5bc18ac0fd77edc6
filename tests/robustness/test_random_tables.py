"""Random tables: every statistic and score against independent arithmetic, and against its units.

Here 500 tables, 10,000 more as a slow test. A table decides about its own shape: rows, columns,
categories, how skewed and how dependent they are, what is conditioned on, and the units of numbers.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import naive
import naive_scores
from eiderdown import Dataset, learn_network, measure_confidence
from eiderdown.independence.registry import (
    CHI_SQUARE,
    FISHER_Z,
    G_SQUARE,
    STUDENT_T,
    WILKS,
    make_test,
)
from eiderdown.scores.registry import make_score

N_QUICK, N_SLOW = 500, 10_000


# --- tables of categories ------------------------------------------------------------------------


def discrete_codes(rng):
    """Return codes of four columns, the later ones depending on earlier ones now and then."""
    n_rows, skew = int(rng.integers(5, 120)), rng.uniform(0.1, 3.0)
    n_categories = rng.integers(2, 5, size=4)
    codes = []
    for n in n_categories:
        own = rng.choice(n, size=n_rows, p=rng.dirichlet(np.full(n, skew)))
        if codes and rng.random() < 0.5:
            copied = rng.random(n_rows) < rng.uniform(0.2, 0.9)
            own = np.where(copied, codes[rng.integers(len(codes))] % n, own)
        codes.append(own)
    return np.array(codes), n_categories.tolist()


def check_categories(rng):
    codes, n_categories = discrete_codes(rng)
    names = [f"v{i}" for i in range(4)]
    data = Dataset.from_codes(
        codes, names=names, categories=[tuple(range(n)) for n in n_categories]
    )
    x, target, *others = rng.permutation(4).tolist()
    given = others[: int(rng.integers(0, 3))]
    counts = naive.table(
        codes[x], codes[target], [codes[z] for z in given], n_categories[x], n_categories[target]
    )
    for entry, statistic in ((G_SQUARE, naive.g_square), (CHI_SQUARE, naive.x_square)):
        found = make_test(entry(reliability="always"), data, None, 1).test(x, target, given)
        expected, dof = statistic(counts), naive.adjusted_dof(counts)
        assert found.statistic == pytest.approx(expected, rel=1e-9, abs=1e-7)
        assert found.dof == dof
        log_p = stats.chi2.logsf(expected, dof) if dof else 0.0
        assert found.log_p == pytest.approx(log_p, rel=1e-7, abs=1e-7)
    for name, score in naive_scores.DISCRETE.items():
        found = make_score(name, data, 1).local(x, given)
        expected = score(codes, n_categories, x, given)
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-7)


# --- tables of numbers ---------------------------------------------------------------------------


def number_columns(rng):
    """Return four columns that depend on each other, and the units and zeros of their scales."""
    n_rows = int(rng.integers(12, 150))
    values = [rng.normal(size=n_rows)]
    for _ in range(3):
        slopes = rng.normal(size=len(values)) * (rng.random(len(values)) < 0.5)
        values.append(slopes @ np.array(values) + rng.uniform(0.2, 2.0) * rng.normal(size=n_rows))
    return np.array(values), 10.0 ** rng.uniform(-150, 150, size=4)


def check_numbers(rng):
    values, units = number_columns(rng)
    names = [f"v{i}" for i in range(4)]
    shifts = units * rng.uniform(-100, 100, size=4) * (rng.random(4) < 0.5)
    data = Dataset.from_numpy((values * units[:, None] + shifts[:, None]).T, names=names)
    x, target, *others = rng.permutation(4).tolist()
    given = others[: int(rng.integers(0, 3))]
    n, conditions = values.shape[1], [values[z] for z in given]
    r = naive.partial_correlation(values[x], values[target], conditions)
    dof = n - 2 - len(given)
    t = r * math.sqrt(dof / (1.0 - r * r))
    expected = {
        STUDENT_T: math.log(2.0) + stats.t.logsf(abs(t), dof),
        FISHER_Z: math.log(2.0)
        + stats.norm.logsf(math.sqrt(n - len(given) - 3) * abs(math.atanh(r))),
        WILKS: naive.wilks([values[x]], [values[target]], conditions)[3],
    }
    for entry, log_p in expected.items():
        found = make_test(entry, data, None, 1).test(x, target, given)
        assert found.log_p == pytest.approx(min(log_p, 0.0), rel=1e-5, abs=1e-6), entry
    # What parents add: the unit of a column is worth a constant, by which a score rounds its last
    # digits.
    standard = (values - values.mean(axis=1)[:, None]) / values.std(axis=1)[:, None]
    naive_gain = naive_scores.gaussian_bic(standard, x, given) - naive_scores.gaussian_bic(
        standard, x, []
    )
    score = make_score("gaussian_bic", data, 1)
    assert score.local(x, given) - score.local(x) == pytest.approx(naive_gain, rel=1e-6, abs=1e-3)


def check_some(first, last):
    for seed in range(first, last):
        rng = np.random.default_rng([15, seed])
        (check_categories if seed % 2 else check_numbers)(rng)


@pytest.mark.no_cover
def test_random_tables_agree_with_independent_statistics():
    check_some(0, N_QUICK)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_more_random_tables_agree_with_independent_statistics(part):
    n = N_SLOW // 10
    check_some(N_QUICK + part * n, N_QUICK + (part + 1) * n)


# --- scales --------------------------------------------------------------------------------------

SCALES = (1e-150, 1e-30, 1.0, 1e30, 1e150)


@pytest.mark.parametrize("name", ["gaussian_bic", "bge", "degenerate_gaussian", "kgv"])
@pytest.mark.parametrize("scale", SCALES)
def test_gains_of_scores_are_those_of_standardised_columns_at_any_scale(name, scale):
    rng = np.random.default_rng(7)
    values = rng.normal(size=(3, 80))
    values[2] += values[0]
    standard = (values - values.mean(axis=1)[:, None]) / values.std(axis=1)[:, None]
    scores = [
        make_score(name, Dataset.from_numpy((columns).T, names=["a", "b", "c"]), 1)
        for columns in (standard, standard * scale)
    ]
    for child, parents in [(2, [0]), (2, [0, 1]), (0, [1])]:
        plain, scaled = (score.local(child, parents) - score.local(child) for score in scores)
        assert math.isfinite(scaled)
        assert scaled == pytest.approx(plain, rel=1e-6, abs=1e-3)
    if name == "gaussian_bic":
        gain = scores[1].local(2, [0, 1]) - scores[1].local(2)
        naive_gain = naive_scores.gaussian_bic(standard, 2, [0, 1]) - naive_scores.gaussian_bic(
            standard, 2, []
        )
        assert gain == pytest.approx(naive_gain, rel=1e-6, abs=1e-3)


def _tables_of_one_graph():
    rng = np.random.default_rng(5)
    x = rng.normal(size=(4, 300))
    x[1] += x[0]
    x[3] += x[1] - x[2]
    plain = dict(zip("abcd", x, strict=True))
    units = {"a": (1e-170, 0.0), "b": (1e153, -3e153), "c": (5.0, 1e6), "d": (-1e-9, 2e-9)}
    return plain, {name: plain[name] * unit + shift for name, (unit, shift) in units.items()}


@pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")
@pytest.mark.parametrize("algorithm", ["hill_climbing", "mmhc_restarts", "ges", "pc_stable"])
def test_learned_graphs_do_not_depend_on_units_and_zeros(algorithm):
    plain, moved = _tables_of_one_graph()
    graphs = [
        learn_network(table, algorithm=algorithm, progress=False).cpdag for table in (plain, moved)
    ]
    assert graphs[0] == graphs[1]
    assert graphs[0].n_edges > 0


@pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")
@pytest.mark.parametrize("unit", [1e-170, 1e-155, 1e153, 1e170])
def test_independent_columns_of_any_unit_stay_apart_and_searches_end(unit):
    rng = np.random.default_rng(0)
    table = {"x0": rng.normal(size=500) * unit, "x1": rng.normal(size=500)}
    table["x2"] = rng.normal(size=500)
    for algorithm in ("hill_climbing", "ges"):
        found = learn_network(table, algorithm=algorithm, progress=False, time_limit=60)
        assert found.complete
        assert found.graph.n_edges == 0
    found = measure_confidence(table, runs=20, progress=False, time_limit=60)
    assert found.complete
    assert found.model.n_edges == 0
