"""The robust test: textbook formulas, its size with weights and groups, and its border."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from eiderdown import (
    find_boundaries,
    find_boundary,
    find_interactions,
    learn_network,
    measure_stability,
)
from eiderdown import test as ask
from eiderdown.data import Dataset
from eiderdown.data.rows import with_row_roles
from eiderdown.errors import EiderdownWarning, OptionError
from eiderdown.independence import G_SQUARE, make_test
from eiderdown.independence.robust import RobustTest
from examples import examples


def test_without_a_conditioning_set_it_is_hotellings_t_of_products():
    generator = np.random.default_rng(0)
    x, y = generator.normal(size=(2, 40))
    found = RobustTest(Dataset.from_columns({"x": x, "y": y})).test(0, 1)
    standard = [(v - v.mean()) / v.std() for v in (x, y)]
    products = standard[0] * standard[1] / (1 - 1 / 40)
    total = (standard[0] * standard[1]).sum()
    share = total**2 / (products**2).sum() / 40
    f = share / (1 - share) * (40 - 2)
    assert found.statistic == pytest.approx(f)
    assert math.exp(found.log_p) == pytest.approx(stats.f.sf(f, 1, 38))
    assert found.effect == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert found.n_used == 40


def columns(kind, n_rows, generator, groups=None, effect=0.0):
    """Noise x and y, dependent on z; rows of one group are alike."""

    def drawn():
        if groups is None:
            return generator.normal(size=n_rows)
        shared = generator.normal(size=groups.max() + 1)[groups]
        return 0.8 * shared + 0.6 * generator.normal(size=n_rows)

    z = drawn()
    if kind != "numbers":
        z = np.digitize(z, [-0.6, 0.6]).astype(float)
    x = drawn() + 0.5 * z
    y = drawn() + 0.5 * z + effect * x
    found = {"x": x, "y": y, "z": z}
    kinds = dict.fromkeys(found, "continuous")
    for name in {"numbers": "", "both": "yz", "categories": "xyz"}[kind]:
        kinds[name] = "discrete"
        if name != "z":
            found[name] = np.digitize(found[name], [0.0, 0.8] if name == "x" else [0.3]) * 1.0
    return Dataset.from_columns(found, kinds=kinds)


@pytest.mark.no_cover
@pytest.mark.parametrize("kind", ["numbers", "both", "categories"])
@pytest.mark.parametrize("roles", ["weights", "groups"])
@pytest.mark.parametrize("n_tables", [50, pytest.param(200, marks=pytest.mark.slow)])
def test_noise_is_rejected_as_often_as_it_should(kind, roles, n_tables):
    p = []
    for seed in range(n_tables):
        generator = np.random.default_rng([seed, 8])
        groups = np.repeat(np.arange(50), 6) if roles == "groups" else None
        data = columns(kind, 300, generator, groups)
        weights = generator.lognormal(0.0, 0.8, 300) if roles == "weights" else None
        data = with_row_roles(data, sample_weight=weights, groups=groups)
        p.append(math.exp(make_test("auto", data).test(0, 1, [2]).log_p))
    # Of 200, 10 are expected below .05; more than 20 would be one chance in 500.
    assert np.sum(np.array(p) < 0.05) <= stats.binom.isf(0.002, n_tables, 0.05)
    assert np.mean(np.array(p) < 0.5) == pytest.approx(0.5, abs=2.0 / math.sqrt(n_tables))


def test_rows_of_one_group_are_not_counted_as_many():
    generator = np.random.default_rng(3)
    patient = np.repeat(np.arange(40), 25)
    wrong = right = 0
    for _ in range(40):
        x, y = generator.normal(size=(2, 40))[:, patient]
        data = Dataset.from_columns({"x": x, "y": y})
        wrong += make_test("fisher_z", data).test(0, 1).dependent(0.05)
        right += make_test("auto", with_row_roles(data, groups=patient)).test(0, 1).dependent(0.05)
    assert wrong > 20
    assert right <= 6


@pytest.mark.parametrize("kind", ["numbers", "both", "categories"])
def test_dependence_is_found(kind):
    generator = np.random.default_rng(4)
    data = columns(kind, 600, generator, effect=0.8)
    weighted = with_row_roles(data, sample_weight=generator.uniform(0.5, 2.0, 600))
    result = make_test("auto", weighted).test(0, 1, [2])
    assert result.dependent(0.01)
    assert make_test("auto", weighted).test(1, 0, [2]).log_p == pytest.approx(result.log_p)


def test_the_scale_of_weights_does_not_matter_and_weight_0_is_no_row():
    generator = np.random.default_rng(5)
    data, weights = columns("both", 200, generator), generator.uniform(0.0, 2.0, 200)
    weights[:20] = 0.0
    one = RobustTest(with_row_roles(data, sample_weight=weights)).test(0, 1, [2])
    other = RobustTest(with_row_roles(data, sample_weight=1e3 * weights)).test(0, 1, [2])
    short = RobustTest(with_row_roles(data.take(range(20, 200)), sample_weight=weights[20:]))
    assert one.log_p == pytest.approx(other.log_p)
    assert one.log_p == pytest.approx(short.test(0, 1, [2]).log_p)
    assert one.n_used == 180


def test_rows_with_missing_values_are_left_out_question_by_question():
    generator = np.random.default_rng(6)
    x, y, z = generator.normal(size=(3, 150))
    weights = generator.uniform(0.5, 1.5, 150)
    x[:30], z[20:40] = np.nan, np.nan
    data = with_row_roles(Dataset.from_columns({"x": x, "y": y, "z": z}), sample_weight=weights)
    whole = data.take(range(40, 150))
    assert RobustTest(data).test(0, 1, [2]).log_p == pytest.approx(
        RobustTest(whole).test(0, 1, [2]).log_p
    )
    assert [result.n_used for result in RobustTest(data).sweep([0, 2], 1)] == [120, 130]


def test_few_groups_decide_nothing():
    generator = np.random.default_rng(7)
    groups = np.repeat(np.arange(5), 40)
    data = with_row_roles(columns("numbers", 200, generator, groups, 1.0), groups=groups)
    assert not RobustTest(data).test(0, 1, [2]).decided(0.05)


@examples(10)
@given(st.integers(0, 10_000))
def test_counts_are_the_same_as_repeated_rows(seed):
    generator = np.random.default_rng(seed)
    data = Dataset.from_numpy(generator.integers(0, 3, (40, 4)))
    counts = generator.integers(0, 4, 40)
    repeated = data.take(np.repeat(np.arange(40), counts))
    counted = with_row_roles(data, row_counts=counts)
    assert make_test(G_SQUARE, counted).test(0, 1, [2]) == make_test(G_SQUARE, repeated).test(
        0, 1, [2]
    )


def frame(n_rows=400, seed=9):
    generator = np.random.default_rng(seed)
    a, b, noise = generator.normal(size=(3, n_rows))
    return {
        "a": a,
        "b": np.where(b > 0, "yes", "no"),
        "noise": noise,
        "y": a + (b > 0) + 0.5 * generator.normal(size=n_rows),
        "w": generator.uniform(0.5, 2.0, n_rows),
        "patient": np.repeat(np.arange(n_rows // 4), 4),
    }


@pytest.mark.parametrize("roles", [{"sample_weight": "w"}, {"groups": "patient"}])
def test_a_boundary_with_weights_or_groups(roles):
    table = frame()
    (name,) = roles.values()
    others = {"w", "patient"} - {name}
    found = find_boundary(table, "y", exclude=sorted(others), progress=False, **roles)
    assert sorted(found.members) == ["a", "b"]
    assert found.run.options["test"] == "RobustTest"
    by_array = find_boundary(
        table,
        "y",
        exclude=["w", "patient"],
        progress=False,
        **{role: np.asarray(table[name]) for role, name in roles.items()},
    )
    assert by_array.members == found.members
    assert ask(table, "a", "y", given=["b"], **roles).answer == "dependent"


def test_searches_that_start_others_hand_on_the_roles():
    table = {name: values for name, values in frame().items() if name != "w"}
    found = measure_stability(
        table, groups="patient", algorithm="pc_confirmed", resamples=3, progress=False
    )
    assert found.edge("a", "y").adjacent == 1.0
    with pytest.warns(EiderdownWarning, match="Accuracies were not measured"):
        boundaries = find_boundaries(table, "y", groups="patient", runs=3, progress=False)
    assert sorted(next(iter(boundaries)).members) == ["a", "b"]


def test_what_cannot_take_weights_says_what_can():
    table = frame(80)
    with pytest.raises(OptionError, match=r"'fisher_z' takes neither .*'auto'"):
        find_boundary(table, "y", test="fisher_z", sample_weight="w", progress=False)
    with pytest.raises(OptionError, match="A score cannot take groups"):
        learn_network(table, groups="patient", algorithm="hill_climbing", progress=False)
    with pytest.raises(OptionError, match="An SVM cannot take groups"):
        find_interactions(table, "y", groups="patient", progress=False)
