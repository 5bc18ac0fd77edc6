"""Agreement with pyagrum and pybnesian; make_peer_scores.py wrote the numbers down."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from eiderdown.data import Dataset
from eiderdown.scores import BGE, SCORES, make_score

PEERS = json.loads(Path(__file__).with_name("peer_scores.json").read_text())


def scored(score, families):
    position = {name: i for i, name in enumerate(score.names)}
    for family in families:
        parents = [position[name] for name in family["parents"]]
        yield family, score.local(position[family["child"]], parents)


@pytest.fixture(scope="module")
def discrete():
    return Dataset.from_columns({name: list(cells) for name, cells in PEERS["discrete"].items()})


@pytest.mark.parametrize(
    ("key", "name", "options"),
    [
        ("bic", "bic", {}),
        ("k2", "k2", {}),
        ("bdeu_1", "bdeu", {}),
        ("bdeu_10", "bdeu", {"equivalent_sample_size": 10.0}),
    ],
)
def test_every_family_scores_as_the_peer_says(discrete, key, name, options):
    for family, found in scored(
        make_score(SCORES[name](**options), discrete), PEERS["discrete_scores"]
    ):
        assert found == pytest.approx(family[key], rel=1e-7), family


def test_aic_is_the_peers_likelihood_less_one_for_each_parameter(discrete):
    categories = dict(zip(discrete.names, discrete.n_categories.tolist(), strict=True))
    for family, found in scored(make_score("aic", discrete), PEERS["discrete_scores"]):
        strata = int(np.prod([categories[name] for name in family["parents"]]))
        free = (categories[family["child"]] - 1) * strata
        assert found == pytest.approx(family["log_likelihood"] - free, rel=1e-8), family


def test_bge_scores_as_the_peer_says():
    data = Dataset.from_columns({name: np.array(x) for name, x in PEERS["continuous"].items()})
    score = make_score(BGE(standardise=False), data)
    for family, found in scored(score, PEERS["continuous_scores"]):
        assert found == pytest.approx(family["bge"], abs=1e-4), family
