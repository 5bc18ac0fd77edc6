"""Rows of gains as kernels fill them, against the score asked gain by gain."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eiderdown import networks
from eiderdown.scores import make_score
from eiderdown.structure.equivalence.cpdag import Constraints, set_bit
from eiderdown.structure.equivalence.gain_memory import FALLING, RISING, Requests, row_of_hash
from eiderdown.structure.equivalence.gain_table import GainTable
from examples import examples

N = 8
PRICE, TOLERANCE = 0.25, 1e-9


@pytest.fixture(scope="module", params=["bic", "bdeu", "gaussian_bic", "kgv"])
def score(request):
    network = networks.load("asia")
    if request.param == "gaussian_bic":
        network = networks.random_gaussian_network(network.dag, random_state=0)
    return make_score(request.param, network.sample(200, random_state=0), n_jobs=1)


def requested(families):
    """Ask for some gains: child, parents, and one more parent or -1."""
    requests = Requests.none(N, 32)
    for i, (child, parents, extra) in enumerate(families):
        requests.family[i] = child, extra
        for parent in parents:
            set_bit.as_python(requests.parents, 0, i, parent)
        requests.n[0] = i + 1
    return requests


def a_family(draw):
    child, *others = draw(st.permutations(range(N)))
    n_parents = draw(st.integers(0, 2))
    extra = draw(st.sampled_from([-1, others[n_parents]]))
    return child, tuple(sorted(others[:n_parents])), extra


@examples(12)
@given(st.data())
def test_rows_hold_what_the_score_says(score, data):
    columns = np.array(data.draw(st.permutations(range(N))))
    possible = Constraints.of(~np.eye(N, dtype=np.bool_), (), N).parents[:1]
    table = GainTable(score, columns, possible, tolerance=TOLERANCE, edge_price=PRICE)
    asked = []
    for _ in range(3):
        asked.append([a_family(data.draw) for _ in range(data.draw(st.integers(1, 8)))])
        table.fill(requested(asked[-1]))
    hashes = table.memory.hashes
    for child, parents, extra in (family for batch in asked for family in batch):
        word = hashes[0, child]
        for parent in parents:
            word ^= hashes[1, parent]
        row = row_of_hash.as_python(table.memory.slots, word)
        wanted = [extra] if extra >= 0 else sorted(set(range(N)) - {child, *parents})
        family = columns[list(parents)].tolist()
        expected = score.gains(int(columns[child]), family, columns[wanted]) - PRICE
        assert table.memory.gains[row, wanted] == pytest.approx(expected, abs=1e-6)
        for x in wanted:
            gain = table.memory.gains[row, x]
            marks = [int(table.memory.marks[plane, row, 0]) >> x & 1 for plane in (RISING, FALLING)]
            assert marks == [int(gain > TOLERANCE), int(gain <= TOLERANCE)]
    before = table.n_computed
    assert before <= np.count_nonzero(~np.isnan(table.memory.gains[: table.rows.n[0]]))
    for batch in asked:
        table.fill(requested(batch))
    assert table.n_computed == before


def test_without_parents_each_pair_is_computed_once(score):
    possible = Constraints.of(~np.eye(N, dtype=np.bool_), (), N).parents[:1]
    table = GainTable(score, np.arange(N), possible)
    table.fill(requested([(child, (), -1) for child in range(5)]))
    table.fill(requested([(child, (), -1) for child in range(N)]))
    assert table.n_computed == N * (N - 1) // 2
    gains = table.memory.gains[:N]
    assert np.isnan(gains[np.arange(N), np.arange(N)]).all()
    assert np.count_nonzero(np.isnan(gains)) == N
    assert (np.triu(gains, 1) == np.triu(gains.T, 1))[np.triu_indices(N, 1)].all()
