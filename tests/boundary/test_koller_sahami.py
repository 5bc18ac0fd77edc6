"""Koller-Sahami: backward elimination by what a variable adds to its nearest others."""

from __future__ import annotations

import numpy as np
import pytest
from searching import run

from eiderdown.boundary import TestProblem, koller_sahami
from eiderdown.data import Dataset
from eiderdown.errors import InputError, OptionError
from eiderdown.graphs import DAG
from eiderdown.independence import FisherZTest, GSquareTest, OracleTest
from eiderdown.networks import load
from eiderdown.testing import check_boundary_search

ASIA = load("asia").sample(5_000, random_state=2)


def keep(test, target, n_members, blanket_size, **search):
    params = {"n_members": n_members, "blanket_size": blanket_size}
    return run("koller_sahami", test, target, params=params, **search)


def naive(data, target, n_members, blanket_size):
    """Eliminate with joint counts in plain Python, as the paper words it."""
    columns = {name: data.codes(data.index(name)) for name in data.names}

    def information(x, y, given):
        """Sum P(x, y, m) ln P(x, y | m) / (P(x | m) P(y | m))."""
        m = [columns[z] for z in given]
        return sum(
            sign * entropy(part)
            for sign, part in [
                (1, [columns[x], *m]), (1, [columns[y], *m]), (-1, [columns[x], columns[y], *m]),
                (-1, m),
            ]
        )  # fmt: skip

    left = sorted(set(data.names) - {target})
    while len(left) > n_members:
        added = {}
        for x in left:
            others = sorted(set(left) - {x}, key=lambda z, x=x: (-information(x, z, []), z))
            added[x] = information(x, target, others[:blanket_size])
        left.remove(min(left, key=added.get))
    return set(left)


def entropy(columns):
    if not columns:
        return 0.0
    _, counts = np.unique(np.column_stack(columns), axis=0, return_counts=True)
    shares = counts / counts.sum()
    return -float(np.sum(shares * np.log(shares)))


@pytest.mark.parametrize("blanket_size", [0, 1, 2])
@pytest.mark.parametrize("target", ["dysp", "bronc", "xray"])
def test_it_keeps_what_a_naive_elimination_keeps(target, blanket_size):
    data = ASIA.take(np.arange(600))
    # An alpha of nearly 1 leaves the last step, which the paper does not have, nothing to do.
    found = keep(GSquareTest(data, n_jobs=1), target, 3, blanket_size, alpha=1 - 1e-12).members
    assert found == naive(data, target, 3, blanket_size)


@pytest.mark.no_cover
def test_it_conforms_but_for_exactness():
    check_boundary_search(koller_sahami, exact=False, n_graphs=20)


def test_without_blankets_it_ranks_by_association_alone():
    test = GSquareTest(ASIA, n_jobs=1)
    target = ASIA.index("dysp")
    alone = test.sweep(np.delete(np.arange(8), target), target)
    best = {ASIA.names[x] for x in alone.x[np.argsort(-alone.effect)[:3]]}
    assert keep(test, "dysp", 3, 0).members == best


@pytest.mark.parametrize(
    ("graph", "blanket_size", "found"),
    [
        ("T->C, S->C", 0, {"C"}),
        ("T->C, A->C, C->B", 1, {"A", "B", "C"}),
        ("T->A, T->C, B->T, C->D", 2, {"A", "B", "C", "D"}),
    ],
)
def test_it_errs_on_small_graphs_even_with_an_oracle(graph, blanket_size, found):
    dag = DAG.from_string(graph)
    assert keep(OracleTest(dag), "T", 10, blanket_size).members == found
    assert found != dag.markov_boundary("T")


def test_everybody_dropped_is_told_with_the_test_that_dropped_it():
    answer = keep(GSquareTest(ASIA, n_jobs=1), "dysp", 2, 1)
    assert set(answer.separating_sets) | answer.members | {"dysp"} == set(ASIA.names)
    assert all(len(result.given) <= 1 for result in answer.found.members.values())


def test_required_members_stay_even_beyond_the_number():
    test = GSquareTest(ASIA, n_jobs=1)
    answer = keep(test, "dysp", 1, 1, required=["asia", "smoke"])
    assert answer.members == {"asia", "smoke"}


def test_what_is_independent_goes_although_fewer_remain():
    columns = np.random.default_rng(0).integers(0, 2, (500, 6))
    columns[:, 1] = columns[:, 0]
    test = GSquareTest(Dataset.from_numpy(columns), n_jobs=1)
    assert keep(test, "x0", 4, 1, alpha=1e-4).members == {"x1"}


def test_a_blanket_is_shortened_to_what_the_data_can_carry():
    test = GSquareTest(
        ASIA, dof="nominal", min_rows=1_500.0, n_jobs=1
    )  # 5,000 rows carry 3 degrees of freedom: one binary condition, not two
    answer = keep(test, "dysp", 3, 2)
    assert {len(result.given) for result in answer.found.members.values()} == {1}
    assert answer.members == keep(test, "dysp", 3, 1).members


def test_negative_correlation_counts_as_much_as_positive():
    generator = np.random.default_rng(0)
    t = generator.normal(size=400)
    columns = {
        "t": t,
        "opposed": -t + 0.5 * generator.normal(size=400),
        "weak": 0.3 * t + generator.normal(size=400),
    }
    test = FisherZTest(Dataset.from_columns(columns))
    assert keep(test, "t", 1, 1).members == {"opposed"}


@pytest.mark.parametrize("option", ["n_members", "blanket_size"])
def test_negative_numbers_are_refused_by_name(option):
    with pytest.raises(OptionError, match=f"{option} must be at least 0, not -1"):
        run("koller_sahami", OracleTest(DAG.from_string("T->C")), "T", params={option: -1})


def test_too_many_columns_are_refused_with_a_way_out():
    search = TestProblem(OracleTest(DAG.from_string("T->C")), 0, np.arange(1, 6_002), 0.01)
    with pytest.raises(InputError, match="6001 candidates are more than 5000; exclude some"):
        koller_sahami(search)
