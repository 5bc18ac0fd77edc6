"""Ties go by scores: neither the order of the columns nor their names decide about a graph."""

from __future__ import annotations

import numpy as np
import pytest

from eiderdown import learn_network, networks
from eiderdown.data import Dataset
from eiderdown.graphs import PDAG
from eiderdown.networks import random_gaussian_network
from eiderdown.scores import BicScore, GaussianBicScore
from eiderdown.structure.node_order import score_order

SEARCHES = ["hill_climbing", "hill_climbing_restarts", "ges", "ges_restarts", "boss"]
SEARCHES += ["boss_restarts", "kes"]


def sample(kind):
    network = networks.load("insurance")
    if kind == "numbers":
        network = random_gaussian_network(networks.load("child").dag, random_state=0)
    data = network.sample(400, random_state=0)
    constant = data.constant_columns()
    data = data.drop(constant) if constant else data
    return named(data, data.names)


def named(data, names):
    """The same columns under other names, with no category that does not occur."""
    columns = {
        name: np.array(data.codes(i) if data.is_discrete[i] else data.values(i))
        for i, name in enumerate(names)
    }
    return Dataset.of(columns, kinds=dict.fromkeys(names, data.kind(0)))


def shuffled(data, seed):
    return data.select(np.random.default_rng(seed).permutation(data.names).tolist())


def renamed(data, seed):
    """The same columns under other names, whose order is another, and the way back."""
    new = [f"v{i:03}" for i in np.random.default_rng(seed).permutation(data.n_columns)]
    return named(data, new), dict(zip(new, data.names, strict=True))


def class_of(network, names=None):
    graph = network.graph if network.is_cpdag else network.graph.to_cpdag()
    back = names or {name: name for name in graph.nodes}
    return PDAG(
        sorted(back[name] for name in graph.nodes),
        [(back[a], back[b]) for a, b in graph.directed],
        [(back[a], back[b]) for a, b in graph.undirected],
    )


def learned(data, search, names=None):
    return class_of(learn_network(data, algorithm=search, n_jobs=1, progress=False), names)


def check_stability(search, kind, n_orders):
    data = sample(kind)
    expected = learned(data, search)
    assert len(expected.skeleton().edges) > 10
    for seed in range(n_orders):
        assert learned(shuffled(data, seed), search) == expected
        other, names = renamed(data, seed)
        assert learned(other, search, names) == expected


QUICK = [(search, "categories") for search in SEARCHES]
QUICK += [(search, "numbers") for search in SEARCHES if search != "boss_restarts"]  # ten seconds


@pytest.mark.parametrize(("search", "kind"), QUICK)
def test_other_orders_and_names_of_the_columns_give_the_same_class(search, kind):
    check_stability(search, kind, 1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["categories", "numbers"])
@pytest.mark.parametrize("search", SEARCHES)
def test_25_orders_and_25_renamings_give_the_same_class(search, kind):
    check_stability(search, kind, 25)


def test_the_order_is_that_of_the_scores_without_parents():
    score = BicScore(sample("categories"))
    order = score_order(score, range(score.n_variables))
    alone = [score.local(column) for column in order]
    assert alone == sorted(alone)


def test_columns_that_score_the_same_go_by_what_others_say_about_them():
    rng = np.random.default_rng(0)
    c = rng.permutation([0, 1] * 50)
    a, b = np.where(np.arange(100) < 10, 1 - c, c), rng.permutation([0, 1] * 50)
    a = np.where(np.arange(100) % 2 == 0, c, a)
    a[np.flatnonzero(a == 1)[: max(0, a.sum() - 50)]] = 0
    a[np.flatnonzero(a == 0)[: max(0, 50 - a.sum())]] = 1
    by_name = {
        names: score_order(
            BicScore(Dataset.from_columns(dict(zip(names, (a, b, c), strict=True)))), range(3)
        )
        for names in [("a", "b", "c"), ("z", "y", "x"), ("m", "z", "b")]
    }
    assert len({tuple(order) for order in by_name.values()}) == 1
    assert next(iter(by_name.values()))[0] == 1  # which nothing says anything about


def test_copies_go_by_their_names():
    x = np.random.default_rng(0).normal(size=50)
    score = GaussianBicScore(Dataset.from_columns({"b": x, "a": 2.0 * x[::-1]}))
    assert len(score_order(score, range(2))) == 2
