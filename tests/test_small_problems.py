"""What answers before kernels are compiled answers as they do, to the last bit."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eiderdown
from eiderdown import kernels, networks
from eiderdown.independence.kernels.tails import log_beta_tail, log_chi_square_tail, log_gamma_tail
from eiderdown.kernels import Kernel, Patience, kernel
from eiderdown.machine_functions import log_gamma
from eiderdown.scores import BdeuScore, BicScore, K2Score
from eiderdown.statistics.kernels import (
    count_codes,
    count_planes,
    fill_masks,
    find_cells,
    refine_strata,
)
from eiderdown.structure.climbing import search_state
from eiderdown.structure.equivalence import scored_steps


@kernel("int64(const(int64[::1]))", small=lambda numbers: len(numbers) <= 3)
def doubled(numbers):
    total = 0
    for number in numbers:
        total += 2 * number
    return total


@kernel("int64(int64)", small=lambda n: n < 5, instead=lambda n: 10 * n)
def tenfold(n):
    return 10 * n


@kernel("float64(float64)")
def compiled_log_gamma(x):
    return log_gamma(x)


class NeverOver(Patience):
    """Goes on without the kernel."""

    is_over = False


@pytest.fixture
def as_python(monkeypatch):
    """Let every kernel that may run as Python do so from the call on; returns which did."""
    used: set[str] = set()

    def call(self: Kernel, *args):
        if self._small is not None and self._small(*args):
            used.add(self.__name__)
            return self._run_as_python(args)
        return self._built()(*args)

    def begin() -> set[str]:
        monkeypatch.setattr(Kernel, "__call__", call)
        # A climb is not one kernel from the first call on either.
        monkeypatch.setattr(search_state, "_IN_PYTHON", NeverOver(doubled))
        monkeypatch.setattr(scored_steps, "IN_PYTHON", NeverOver(doubled))
        return used

    return begin


def test_a_small_problem_is_not_compiled_until_patience_ends(monkeypatch):
    monkeypatch.setattr(kernels, "PATIENCE", 100.0)
    fresh = Kernel(doubled.function, doubled.signatures, small=doubled._small)
    fresh.__dict__["_is_stored"] = False
    assert fresh(np.arange(3)) == 6
    assert fresh._callable is None
    assert fresh._seconds > 0.0
    monkeypatch.setattr(kernels, "PATIENCE", 0.0)
    assert fresh(np.arange(3)) == 6
    assert fresh._callable is not None


def test_a_large_problem_is_compiled_at_once(monkeypatch):
    monkeypatch.setattr(kernels, "PATIENCE", 100.0)
    fresh = Kernel(doubled.function, doubled.signatures, small=doubled._small)
    fresh.__dict__["_is_stored"] = False
    assert fresh(np.arange(4)) == 12
    assert fresh._callable is not None


def test_what_is_stored_is_used(monkeypatch):
    doubled.compile()
    monkeypatch.setattr(kernels, "PATIENCE", 100.0)
    fresh = Kernel(doubled.function, doubled.signatures, small=doubled._small)
    assert fresh(np.arange(3)) == 6
    assert fresh._callable is not None


def test_something_else_may_stand_for_a_kernel(as_python):
    used = as_python()
    assert tenfold(3) == 30
    assert used == {"tenfold"}
    assert tenfold(5) == 50


@pytest.mark.parametrize("x", [1e-300, 1e-9, 0.5, 1.0, 2.0, 3.7, 171.9, 1e6, 1e300])
def test_log_gamma_is_the_same_in_python(x):
    assert log_gamma(x) == compiled_log_gamma(x)
    assert log_gamma(x) == pytest.approx(math.lgamma(x), rel=1e-14, abs=1e-15)


AWKWARD = [0.0, 1e-300, 1e-12, 0.3, 1.0, 2.0, 31.0, 32.5, 64.0, 700.0, 1e5, 1e9]


@given(st.floats(1e-3, 1e4), st.floats(1e-6, 1e5))
@settings(max_examples=100, deadline=None)
def test_tails_are_the_same_in_python(a, x):
    assert log_gamma_tail.as_python(a, x) == log_gamma_tail(a, x)
    assert log_chi_square_tail.as_python(x, a) == log_chi_square_tail(x, a)
    assert log_chi_square_tail.as_python(x, float(int(a))) == log_chi_square_tail(x, float(int(a)))
    assert log_beta_tail.as_python(a, 0.5 + a / 7.0, -x) == log_beta_tail(a, 0.5 + a / 7.0, -x)


@pytest.mark.parametrize("dof", [0.0, 1e-3, 1.0, 2.0, 7.5, 60.0, 61.0, 1e4])
@pytest.mark.parametrize("statistic", AWKWARD)
def test_tails_far_out_are_the_same_in_python(statistic, dof):
    assert log_chi_square_tail.as_python(statistic, dof) == log_chi_square_tail(statistic, dof)


def both_ways(some_kernel, *args):
    """Run a kernel on copies of the arguments, compiled and as Python; compare what was written."""
    answers = []
    for run in (some_kernel._built(), lambda *args: some_kernel._run_as_python(args)):
        own = [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args]
        answers.append((run(*own), own[-2:]))
    (compiled, written), (plain, of_plain) = answers
    assert compiled == plain
    for left, right in zip(written, of_plain, strict=True):
        np.testing.assert_array_equal(left, right)


@pytest.mark.parametrize("n_rows", [1, 63, 64, 65, 500])
@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.uint32])
def test_counts_by_numpy(n_rows, kind):
    rng = np.random.default_rng(n_rows)
    n_cells, n_categories, n_words = 5, 4, (n_rows + 63) // 64
    codes = rng.integers(n_categories, size=(3, n_rows)).astype(kind)
    cells = rng.integers(n_cells, size=n_rows).astype(np.int32)
    out = np.zeros((2, n_cells, n_categories), dtype=np.int32)
    columns = np.array([2, 0])
    tables_of_kernel = np.zeros((4, n_cells * n_categories), dtype=np.int32)
    assert count_codes._small(codes, columns, cells, tables_of_kernel, out)
    answers = []
    for run in (count_codes._built(), lambda *args: count_codes._run_as_python(args)):
        found = out.copy()
        run(codes, columns, cells, tables_of_kernel, found)
        answers.append(found)
    np.testing.assert_array_equal(*answers)
    label_of = np.zeros(n_cells * n_categories, dtype=np.int32)
    both_ways(refine_strata, cells, codes[1], n_categories, label_of, np.empty_like(cells))
    sizes_of_both = np.zeros((1, n_cells * n_categories), dtype=np.int32)
    both_ways(find_cells, cells, codes[1], n_categories, np.empty_like(cells), sizes_of_both)
    masks = np.zeros((n_cells, n_words), dtype=np.uint64)
    both_ways(fill_masks, cells, masks)
    fill_masks(cells, masks)
    planes = np.zeros((n_categories * 2, n_words), dtype=np.uint64)
    for category in range(n_categories):
        fill_masks((codes[0] != category).astype(np.int32), planes[2 * category : 2 * category + 2])
    sizes = np.bincount(cells, minlength=n_cells).astype(np.int32)
    first = np.array([0, 4])
    both_ways(count_planes, planes, first, masks, sizes, out)


@pytest.mark.parametrize("kind", [BicScore, BdeuScore, K2Score])
@pytest.mark.parametrize("n_rows", [1, 64, 3_000])
def test_scores_by_numpy(kind, n_rows, as_python):
    rng = np.random.default_rng(n_rows)
    n_categories = {"a": 1, "b": 2, "c": 3, "d": 7, "e": 40}
    columns = {
        name: pd.Categorical.from_codes(rng.integers(rng.integers(n) + 1, size=n_rows), range(n))
        for name, n in n_categories.items()
    }
    data = eiderdown.Dataset.from_columns(columns)
    sweeps = [
        (0, (), np.array([1, 2, 3, 4])),
        (4, (), np.array([3])),
        (1, (2, 3, 4), np.array([0])),
        (2, (1, 3), np.array([4, 0])),
    ]
    compiled = kind(data).gains_of_all(sweeps)
    used = as_python()
    for left, right in zip(compiled, kind(data).gains_of_all(sweeps), strict=True):
        np.testing.assert_array_equal(left, right)
    assert "score_sweeps" in used


SEARCHES = {
    "consensus": lambda data: eiderdown.find_boundary(data, "HR"),
    "pcmb": lambda data: eiderdown.find_boundary(data, "HR", algorithm="pcmb"),
    "g_square": lambda data: eiderdown.find_boundary(data, "HR", test="g_square"),
    "ges": lambda data: eiderdown.learn_network(data, algorithm="ges"),
    "hill_climbing": lambda data: eiderdown.learn_network(data, algorithm="hill_climbing"),
    "gaussian": lambda data: eiderdown.learn_network(numbers(data), algorithm="hill_climbing"),
    "boss_restarts": lambda data: eiderdown.learn_network(
        data.select(data.names[:9]), random_state=0
    ),
}
USED = {
    "consensus": {"advance", "score_sweeps"},
    "ges": {"advance", "score_sweeps"},
    "hill_climbing": {"go_up", "score_sweeps"},
    "gaussian": {"go_up", "score_sweeps"},
    "boss_restarts": {"best_moves", "add_edges", "score_sweeps"},
}


def numbers(data):
    """Take a few columns of the table as numbers."""
    noise = np.random.default_rng(0).normal(size=(data.n_rows, 6))
    columns = {name: data.codes(x) + noise[:, x] for x, name in enumerate(data.names[:6])}
    return eiderdown.Dataset.from_columns(columns)


@pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")
@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("n_rows", [100, 1_500])
def test_searches_find_the_same_before_anything_is_compiled(search, n_rows, as_python):
    data = networks.load("alarm").sample(n_rows, random_state=7)

    def found():
        result = SEARCHES[search](data).to_dict()
        del result["run"]["seconds"]
        return json.dumps(result)

    compiled = found()
    used = as_python()
    assert found() == compiled
    assert used >= USED.get(search, {"recall"})


def mixed():
    """Make columns of every kind that depend on each other."""
    rng = np.random.default_rng(3)
    hidden = rng.normal(size=300)
    return eiderdown.Dataset.from_columns(
        {
            "x": hidden + 0.5 * rng.normal(size=300) + 100.0,
            "bent": 1e6 * (hidden**2 + rng.normal(size=300)),
            "visits": rng.poisson(np.exp(0.4 * hidden)).astype(float),
            "crowd": rng.negative_binomial(2, 0.3, size=300) + 2.0 * (hidden > 1),
            "two": np.where(hidden + rng.logistic(size=300) > 0, "a", "b"),
            "three": np.array(list("uvw"))[np.digitize(hidden + rng.normal(size=300), [0, 1])],
            "grade": np.digitize(hidden + rng.normal(size=300), [-1, 0, 1]),
        },
        kinds={"visits": "count", "crowd": "count", "grade": "ordered", "three": "discrete"},
    )


@pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")
@pytest.mark.parametrize("test", ["auto", "wilks", "regression"])
@pytest.mark.parametrize("target", mixed().names)
def test_mixed_columns_have_the_same_boundary_before_anything_is_compiled(target, test, as_python):
    def found():
        result = eiderdown.find_boundary(mixed(), target, algorithm="pcmb", test=test).to_dict()
        del result["run"]["seconds"]
        return json.dumps(result)

    compiled = found()
    used = as_python()
    assert found() == compiled
    numeric = {"correlate_numbers", "correlate_codes"}
    regression = {"orthonormal_base", "fit_null", "fit_all"}
    assert used >= (regression if test == "regression" else numeric)


@pytest.mark.parametrize(
    ("network", "verb"),
    [
        ("alarm", "find_boundary(data, 'HR').members"),
        ("alarm", "learn_network(data, algorithm='hill_climbing', n_jobs=2).edges"),
        ("asia", "learn_network(data, n_jobs=2).edges"),
        ("magic-niab", "find_boundary(data, 'YLD').members"),
    ],
)
def test_a_first_answer_compiles_nothing(network, verb, tmp_path):
    code = (
        "import sys, eiderdown\n"
        f"data = eiderdown.networks.load('{network}').sample(300, random_state=1)\n"
        f"print(len(eiderdown.{verb}) > 0, 'numba' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["True", "False"], done.stderr
