"""Sparse Candidate: who becomes a candidate, and where the search ends."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eiderdown import networks
from eiderdown.data import Dataset
from eiderdown.errors import OptionError
from eiderdown.graphs import DAG
from eiderdown.knowledge import Knowledge
from eiderdown.progress import Cancelled, Trace
from eiderdown.scores import make_score
from eiderdown.structure.climbing import sparse_candidate as module
from eiderdown.structure.climbing.sparse_candidate import (
    SPARSE_CANDIDATE,
    Restriction,
    sparse_candidate,
)
from eiderdown.structure.problem import StructureProblem
from examples import examples


def question(data, *, score="bic", knowledge=None, n_jobs=1, trace=None):
    return StructureProblem(
        data.n_columns,
        score=make_score(score, data),
        knowledge=None if knowledge is None else knowledge.of_columns(data.names),
        trace=trace or Trace(),
        n_jobs=n_jobs,
    )


def sampled(name, n_rows, seed=0):
    return networks.load(name).sample(n_rows, random_state=seed)


def graph_of(found, data):
    return DAG(data.names, [(data.names[i], data.names[j]) for i, j in found.directed])


def naive_information(data, x, y, given):
    """Sum p(x,y,z) ln p(x,y|z) / p(x|z) p(y|z) over the cells, weight by weight."""
    rows = list(zip(*(data.codes(i).tolist() for i in (x, y, *given)), strict=True))

    def share(**wanted):
        return sum(
            all(rows[i][int(k[1:])] == v for k, v in wanted.items()) for i in range(len(rows))
        ) / len(rows)

    total = 0.0
    for cell in set(rows):
        z = {f"c{k}": cell[k] for k in range(2, len(cell))}
        pxyz, pz = share(c0=cell[0], c1=cell[1], **z), share(**z)
        pxz, pyz = share(c0=cell[0], **z), share(c1=cell[1], **z)
        total += pxyz * np.log(pxyz * pz / (pxz * pyz))
    return total


@examples(10)
@given(st.data(), st.integers(0, 1_000))
def test_candidates_are_the_parents_and_those_with_most_information_given_them(drawn, seed):
    data = sampled("asia", 60, seed)
    child, *family = drawn.draw(st.permutations(range(8)).map(lambda order: order[:3]))
    families = tuple(tuple(sorted(family)) if i == child else () for i in range(8))
    found = Restriction(question(data), 4).of(families)[child].tolist()
    assert found[:2] == sorted(family)
    others = set(range(8)) - {child, *family}
    worth = {x: naive_information(data, child, x, families[child]) for x in others}
    assert len(found) == 4
    least_chosen = min(worth[x] for x in found[2:])
    assert all(worth[x] <= least_chosen + 1e-12 for x in others.difference(found))


def test_a_column_with_as_many_parents_as_candidates_gets_no_more():
    data = sampled("asia", 100)
    families = ((1, 2, 3), *[()] * 7)
    assert Restriction(question(data), 2).of(families)[0].tolist() == [1, 2, 3]


def test_columns_that_knowledge_forbids_take_no_place_among_the_candidates():
    data = sampled("asia", 500)
    first, *rest = data.names
    known = Knowledge(forbidden=[(name, first) for name in rest[:4]])
    found = Restriction(question(data, knowledge=known), 3).of(((),) * 8)[0].tolist()
    assert set(found) == {5, 6, 7}


def test_a_few_columns_at_a_time_choose_the_same_candidates(monkeypatch):
    data = sampled("alarm", 300)
    families = ((1, 5), *[()] * (data.n_columns - 1))
    whole = Restriction(question(data), 4).of(families)
    monkeypatch.setattr(module, "_MOST_AT_ONCE", 3 * data.n_columns)
    for found, expected in zip(Restriction(question(data), 4).of(families), whole, strict=True):
        assert found.tolist() == expected.tolist()


def best_score_of_all_graphs(score):
    """Score every directed acyclic graph over three columns."""
    pairs = [(0, 1), (0, 2), (1, 2)]
    names = score.names
    totals = []
    for kinds in product((0, 1, 2), repeat=3):
        edges = [
            (names[i], names[j]) if kind == 1 else (names[j], names[i])
            for (i, j), kind in zip(pairs, kinds, strict=True)
            if kind
        ]
        if kinds not in ((1, 2, 1), (2, 1, 2)):  # the two cycles
            totals.append(score.total(DAG(names, edges)))
    assert len(totals) == 25
    return max(totals)


def test_a_chain_gets_the_best_of_all_graphs():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 400)
    b = a ^ (rng.random(400) < 0.1)
    c = b ^ (rng.random(400) < 0.2)
    data = Dataset.from_columns({"a": a, "b": b, "c": c}, kinds=dict.fromkeys("abc", "discrete"))
    search = question(data)
    assert sparse_candidate(search).score == pytest.approx(best_score_of_all_graphs(search.score))


def test_nothing_gains_more_at_the_end():
    data = sampled("alarm", 1_000)
    search = question(data)
    found = sparse_candidate(search, candidates=5)
    families = tuple(
        tuple(i for i, j in found.directed if j == child) for child in range(data.n_columns)
    )
    assert max(map(len, families)) <= 5
    graph = graph_of(found, data)
    for child, candidates in enumerate(Restriction(search, 5).of(families)):
        now = search.score.local(child, families[child])
        for x in set(candidates.tolist()) - set(families[child]):
            if data.names[x] not in graph.descendants(data.names[child]):
                assert search.score.local(child, (*families[child], x)) <= now + 1e-6
        assert np.all(search.score.removals(child, families[child]) <= now + 1e-6)


def test_asia_is_found_and_the_evidence_of_an_edge_is_what_its_removal_costs():
    data = sampled("asia", 5_000)
    search = question(data)
    found = sparse_candidate(search)
    graph = graph_of(found, data)
    assert graph.markov_boundary("dysp") == {"bronc", "either"}
    assert found.score == pytest.approx(search.score.total(graph))
    for (parent, child), gain in found.edge_evidence.items():
        names = data.names[parent], data.names[child]
        without = DAG(data.names, set(graph.edges) - {names})
        assert gain == pytest.approx(found.score - search.score.total(without))
        assert gain > 0


def test_the_order_of_the_columns_and_the_number_of_workers_do_not_matter():
    data = sampled("alarm", 500)
    turned = data.select(data.names[::-1])
    expected = set(graph_of(sparse_candidate(question(data)), data).edges)
    for other, n_jobs in ((data, 2), (turned, 1)):
        found = sparse_candidate(question(other, n_jobs=n_jobs))
        assert set(graph_of(found, other).edges) == expected


def test_knowledge_is_kept():
    data = sampled("asia", 2_000)
    known = Knowledge(
        tiers=[["dysp", "xray"], ["smoke", "bronc"]], required=[("tub", "smoke")], max_parents=2
    )
    found = sparse_candidate(question(data, knowledge=known))
    known.check(graph_of(found, data))
    assert found.directed


@pytest.mark.parametrize("score", ["gaussian_bic", "bge", "kgv"])
def test_continuous_columns_are_chosen_by_the_score(score):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 6))
    rows[:, 3] = rows[:, 0] + rows[:, 1] + 0.3 * rng.normal(size=300)
    data = Dataset.from_numpy(rows, names=list("abcdef"))
    found = sparse_candidate(question(data, score=score), candidates=3)
    assert graph_of(found, data).markov_boundary("d") == {"a", "b"}


class _Interrupts(Trace):
    def progressed(self, phase, n_members):
        raise Cancelled


def test_an_interrupted_search_returns_the_best_so_far_and_says_so():
    data = sampled("alarm", 500)
    found = sparse_candidate(question(data, trace=_Interrupts()))
    assert not found.complete
    assert found.directed
    assert sparse_candidate(question(data)).complete


def test_fewer_than_one_candidate_is_refused():
    with pytest.raises(OptionError, match="candidates must be at least 1"):
        SPARSE_CANDIDATE(candidates=0)
