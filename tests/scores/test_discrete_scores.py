"""Scores of discrete columns: against slow twins, in any order, and exact where they must tie."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scored_tables import chained_codes, coded, equivalent_graphs, families

import naive_scores
from eiderdown import networks
from eiderdown.data import Dataset
from eiderdown.errors import ColumnKindError, OptionError
from eiderdown.graphs import DAG
from eiderdown.scores import BDEU, BIC, K2, BdeuScore, BicScore, make_score
from eiderdown.scores.families import FamilyTerms
from eiderdown.scores.sweeps import PackedSweeps
from eiderdown.statistics import cost
from examples import examples
from random_tables import tables

NAMES = tuple(naive_scores.DISCRETE)


@examples(24)
@given(st.data(), tables(), st.sampled_from(NAMES))
def test_a_family_scores_as_its_slow_twin_whatever_holds_the_columns(data, table, name):
    child, parents, _ = data.draw(families(len(table.codes)))
    expected = naive_scores.DISCRETE[name](table.codes, table.n_categories, child, parents)
    found = make_score(name, table.data).local(child, parents)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-6)


@examples(24)
@given(st.data(), tables(), st.sampled_from(NAMES))
def test_bytes_in_one_block_score_as_other_storage_to_the_last_bit(data, table, name):
    assume(max(table.n_categories) <= 256)
    child, parents, rest = data.draw(families(len(table.codes)))
    mixed = make_score(name, table.data)
    columns = [mixed.names[i] for i in range(mixed.n_variables)]
    codes = np.stack(table.codes)
    categories = [tuple(range(n)) for n in table.n_categories]
    dense = make_score(name, Dataset.from_codes(codes, names=columns, categories=categories))
    assert dense.local(child, parents) == mixed.local(child, parents)
    added = dense.additions(child, parents, rest)
    assert added.tolist() == mixed.additions(child, parents, rest).tolist()


@examples(24)
@given(st.data(), tables(), st.sampled_from(NAMES))
def test_sweeps_are_local_scores_one_by_one(data, table, name):
    child, parents, rest = data.draw(families(len(table.codes)))
    one_by_one, swept = make_score(name, table.data), make_score(name, table.data)
    added = [one_by_one.local(child, [*parents, x]) for x in rest]
    assert swept.additions(child, parents, rest).tolist() == added
    without = [one_by_one.local(child, [z for z in parents if z != gone]) for gone in parents]
    assert swept.removals(child, parents).tolist() == without


@examples(16)
@given(st.data(), st.sampled_from(["bic", "aic", "bdeu", "qnml"]), st.integers(0, 10_000))
def test_equivalent_graphs_tie_exactly(data, name, seed):
    rng = np.random.default_rng(seed)
    score = make_score(name, coded(chained_codes(rng, 5, 500), [3] * 5))
    one, other = data.draw(equivalent_graphs(score.names))
    assert score.equivalent
    assert score.total(one) == score.total(other)


@pytest.mark.parametrize("name", ["k2", "k2_penalised"])
def test_scores_that_call_themselves_not_equivalent_are_not(name):
    codes = np.array([[0] * 30 + [1] * 10, [0] * 20 + [1] * 15 + [2] * 5])
    score = make_score(name, coded(codes, [2, 3]))
    assert not score.equivalent
    one, other = DAG.from_string("c0->c1"), DAG.from_string("c1->c0")
    assert abs(score.total(one) - score.total(other)) > 0.1


def test_bic_that_counts_observed_strata_does_not_call_itself_equivalent():
    codes = chained_codes(np.random.default_rng(0), 4, 40, n_categories=4)
    score = BicScore(coded(codes, [4] * 4), parameters="observed")
    assert not score.equivalent
    expected = naive_scores.bic(codes, [4] * 4, 0, [1, 2, 3], observed=True)
    assert score.local(0, [1, 2, 3]) == pytest.approx(expected, rel=1e-9)
    assert score.additions(0, [1, 2], [3])[0] == score.local(0, [1, 2, 3])
    assert score.local(0, [1, 2, 3]) > BicScore(coded(codes, [4] * 4)).local(0, [1, 2, 3])


@examples(12)
@given(st.data(), st.sampled_from(NAMES), st.integers(0, 10_000))
def test_the_order_of_rows_and_columns_does_not_matter(data, name, seed):
    rng = np.random.default_rng(seed)
    columns = dict(zip("abcde", chained_codes(rng, 5, 300), strict=True))
    shuffled = data.draw(st.permutations("abcde"))
    rows = rng.permutation(300)
    score = make_score(name, Dataset.from_columns(columns))
    moved = make_score(name, Dataset.from_columns({x: columns[x][rows] for x in shuffled}))
    where = [moved.names.index(x) for x in "abcde"]
    expected = score.additions(0, [1, 2], [3, 4]).tolist()
    found = moved.additions(where[0], [where[2], where[1]], [where[3], where[4]])
    assert found.tolist() == expected


@pytest.mark.parametrize("name", NAMES)
def test_the_number_of_workers_does_not_matter(name):
    data = coded(chained_codes(np.random.default_rng(1), 60, 1_000), [3] * 60)
    alone, together = (make_score(name, data, n_jobs=n) for n in (1, 3))
    together._workers.n_jobs = 3  # even where there are fewer cores
    for parents in ([], [1, 2, 3]):
        one, other = (score.additions(0, parents, range(4, 60)) for score in (alone, together))
        assert one.tolist() == other.tolist()


@pytest.mark.parametrize("name", ["bdeu", "k2"])
def test_counts_beyond_the_tables_are_as_exact_as_those_within(name):
    rng = np.random.default_rng(2)
    codes = (rng.random((3, 60_000)) < 0.3).astype(int)
    expected = naive_scores.DISCRETE[name](codes, [2] * 3, 0, [1])
    score = make_score(name, coded(codes, [2] * 3))
    assert score.local(0, [1]) == pytest.approx(expected, abs=1e-5)


def test_very_many_parents_are_scored_without_overflow():
    codes = chained_codes(np.random.default_rng(3), 40, 50, n_categories=4)
    parents = list(range(1, 40))
    for name in NAMES:
        assert not math.isnan(make_score(name, coded(codes, [4] * 40)).local(0, parents))


def test_the_prior_weight_changes_bdeu_as_its_twin_says():
    codes = chained_codes(np.random.default_rng(4), 3, 100)
    data = coded(codes, [3] * 3)
    for size in (0.5, 1.0, 100.0):
        expected = naive_scores.bdeu(codes, [3] * 3, 0, [1, 2], size=size)
        found = BdeuScore(data, equivalent_sample_size=size).local(0, [1, 2])
        assert found == pytest.approx(expected, rel=1e-9)


def test_penalised_k2_subtracts_what_the_paper_says_for_binary_columns():
    codes = (np.random.default_rng(5).random((4, 200)) < 0.5).astype(int)
    data = coded(codes, [2] * 4)
    plain, penalised = make_score("k2", data), make_score("k2_penalised", data)
    for parents in ([], [1], [1, 2], [1, 2, 3]):
        price = 2 ** len(parents) * math.log(200) / 2
        difference = plain.local(0, parents) - penalised.local(0, parents)
        assert difference == pytest.approx(price, rel=1e-9)


def test_continuous_columns_and_senseless_options_are_refused():
    mixed = Dataset.from_columns({"a": [0, 1, 0], "height": [1.5, 2.5, 3.5]})
    with pytest.raises(ColumnKindError, match="height"):
        BicScore(mixed)
    data = coded([np.array([0, 1, 0])], [2])
    with pytest.raises(OptionError, match="nominal"):
        make_score(BIC(parameters="all"), data)
    with pytest.raises(OptionError, match="equivalent_sample_size"):
        make_score(BDEU(equivalent_sample_size=0.0), data)
    with pytest.raises(OptionError, match="no score 'bdue'; did you mean 'bdeu'"):
        make_score("bdue", data)
    with pytest.raises(OptionError, match="no option 'iss'"):
        make_score(K2(iss=3), data)


@pytest.mark.parametrize("name", ["bic", "bdeu"])
def test_threads_share_sweeps_and_gains_stay_the_same(name, monkeypatch):
    data = networks.load("child").sample(300, random_state=0)
    sweeps = [
        (child, parents, np.setdiff1d(np.arange(data.n_columns), [child, *parents]))
        for child in range(12)
        for parents in ((), (15,), (13, 17))
    ]
    alone = make_score(name, data, n_jobs=1).gains_of_all(sweeps)
    monkeypatch.setattr(cost, "available_cores", lambda: 4)
    for n_jobs in (2, 3, 4):
        shared = make_score(name, data, n_jobs=n_jobs)
        assert [one.tolist() for one in shared.gains_of_all(sweeps)] == [x.tolist() for x in alone]


@pytest.mark.parametrize("name", ["bic", "bdeu", "qnml"])
def test_what_families_need_is_found_in_a_table_that_grows(name):
    data = networks.load("hailfinder").sample(200, random_state=0)
    rng = np.random.default_rng(0)
    sweeps = []
    for child in range(data.n_columns):
        parents = np.setdiff1d(rng.choice(data.n_columns, child % 5, replace=False), [child])
        others = np.setdiff1d(np.arange(data.n_columns), [child, *parents])
        sweeps.append((child, tuple(parents.tolist()), others))
    score, packed = make_score(name, data), PackedSweeps.of(sweeps)
    found = score._scores_in_one_call(packed)
    assert len(score.kernel_score.record.families.keys) > len(FamilyTerms.empty().keys)
    assert found.tolist() == score._scores_of_many_strata(packed).tolist()
