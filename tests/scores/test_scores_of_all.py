"""Many questions at once have the answers that they have one by one."""

from __future__ import annotations

import numpy as np
import pytest
from scored_tables import chained_codes, coded

from eiderdown import networks
from eiderdown.scores import make_score
from eiderdown.scores.sweeps import PackedSweeps

SWEEPS = [
    (0, (), np.array([1, 2, 3])),
    (2, (3, 1), np.array([0])),
    (2, (1,), np.array([], dtype=np.int64)),
    (1, (0, 2, 3), np.array([], dtype=np.int64)),
]


@pytest.mark.parametrize("name", ["bic", "aic", "bdeu", "k2", "qnml"])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_discrete_scores_to_the_last_bit(name, n_jobs):
    data = coded(chained_codes(np.random.default_rng(1), 4, 300), [3] * 4)
    score, alone = make_score(name, data, n_jobs=n_jobs), make_score(name, data, n_jobs=1)
    found = PackedSweeps.of(SWEEPS).apart(score.scores_of_all(PackedSweeps.of(SWEEPS)))
    for (child, parents, xs), scores in zip(SWEEPS, found, strict=True):
        assert scores[0] == alone.local(child, parents)
        assert scores[1:].tolist() == alone.additions(child, parents, xs).tolist()


def test_gaussian_scores_and_those_that_remember():
    dag = networks.load("asia").dag
    data = networks.random_gaussian_network(dag, random_state=0).sample(200, random_state=0)
    score, alone = make_score("gaussian_bic", data), make_score("gaussian_bic", data)
    packed = PackedSweeps.of(SWEEPS)
    found = packed.apart(score.scores_of_all(packed))
    for (child, parents, xs), scores in zip(SWEEPS, found, strict=True):
        expected = [alone.local(child, parents), *alone.additions(child, parents, xs)]
        assert scores.tolist() == pytest.approx(expected)


def test_sweeps_come_back_as_they_were_packed():
    packed = PackedSweeps.of(SWEEPS)
    for (child, parents, xs), back in zip(SWEEPS, packed.sweeps(), strict=True):
        assert (child, parents) == back[:2]
        assert xs.tolist() == back[2].tolist()
