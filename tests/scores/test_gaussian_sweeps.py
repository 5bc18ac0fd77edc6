"""Gaussian sweeps in one compiled call, against NumPy and against a plain loop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scored_tables import families, measured, mixed_values

from eiderdown.errors import CollinearColumnsError
from eiderdown.scores import components, make_score
from eiderdown.scores.gaussian_sweeps import score_sweeps
from eiderdown.scores.sweeps import PackedSweeps
from eiderdown.work_sharing import waiting_threads
from examples import examples

NAMES = ("gaussian_bic", "bge")
GRID = 2.0**-16


def _sweep(data, n):
    child, parents, rest = data.draw(families(n))
    return child, tuple(sorted(parents)), np.array(rest, dtype=np.int64)


@examples(16)
@given(st.data(), st.integers(0, 10_000), st.sampled_from(NAMES))
def test_one_call_scores_as_numpy_does(data, seed, name):
    values = measured(mixed_values(np.random.default_rng(seed), 7, 80))
    score = make_score(name, values)
    sweeps = [_sweep(data, 7) for _ in range(3)]
    for (child, parents, rest), gains in zip(sweeps, score.gains_of_all(sweeps), strict=True):
        added = score._additions_by_numpy(child, parents, rest)
        alone = np.empty((1, 0), dtype=np.int64)
        without = score._scored(score._shared(parents), child, alone)[0]
        assert gains == pytest.approx(added - without, abs=2.5 * GRID)
        assert score._local(child, parents) == pytest.approx(without, abs=1.5 * GRID)


@examples(8)
@given(st.data(), st.integers(0, 10_000))
def test_python_and_compiled_code_agree_to_the_last_bit(data, seed):
    score = make_score("gaussian_bic", measured(mixed_values(np.random.default_rng(seed), 6, 50)))
    packed = PackedSweeps.of([_sweep(data, 6) for _ in range(2)])
    columns, lines = score._components.for_sweeps(packed), score._lines_up_to(8)
    found = []
    for run in (score_sweeps.as_python, score_sweeps._built()):
        scores = np.empty(len(packed.candidates))
        with waiting_threads(2) as board:
            assert run(board, columns, lines, packed, scores)
        found.append(scores.tobytes())
    assert found[0] == found[1]


def test_rows_of_a_table_too_wide_to_keep_give_the_same(monkeypatch):
    values = measured(mixed_values(np.random.default_rng(3), 8, 60))
    sweeps = [(2, (1, 5), np.array([0, 3, 7])), (4, (), np.array([0, 6])), (0, (7,), np.array([3]))]
    kept = make_score("gaussian_bic", values).gains_of_all(sweeps)
    monkeypatch.setattr(components, "_MOST_KEPT", 0)
    stacked = make_score("gaussian_bic", values).gains_of_all(sweeps)
    assert [one.tobytes() for one in kept] == [one.tobytes() for one in stacked]


@pytest.mark.parametrize(
    ("child", "parents", "candidates", "wrong", "others"),
    [
        (3, (0, 1), [2], "c2", "'c0', 'c1'"),
        (2, (0,), [3, 1], "c2", "'c0', 'c1'"),
        (3, (0, 1, 2), [], "c2", "'c0', 'c1'"),
        (2, (0, 1), [], "c2", "'c0', 'c1'"),
    ],
)
def test_a_column_of_which_others_leave_nothing_is_named(child, parents, candidates, wrong, others):
    values = mixed_values(np.random.default_rng(0), 4, 40)
    values[2] = values[0] + values[1]
    score = make_score("gaussian_bic", measured(values))
    sentence = f"Column {wrong!r} is a linear function of {others}"
    with pytest.raises(CollinearColumnsError, match=sentence):
        score.gains_of_all([(child, parents, np.array(candidates, dtype=np.int64))])


@pytest.mark.parametrize("name", NAMES)
def test_the_number_of_jobs_does_not_matter(name):
    values = measured(mixed_values(np.random.default_rng(5), 300, 400))
    others = np.arange(300)
    sweeps = [
        (child, parents, np.setdiff1d(others, [child, *parents]))
        for child, parents in ((0, ()), (4, (7, 9, 200)), (290, (1,)), (8, tuple(range(20, 45))))
    ]
    one, two, four = (make_score(name, values, n_jobs=n) for n in (1, 2, 4))
    four._n_jobs = 4  # even where there are fewer cores
    expected = [gains.tobytes() for gains in one.gains_of_all(sweeps)]
    for score in (two, four):
        assert [gains.tobytes() for gains in score.gains_of_all(sweeps)] == expected
