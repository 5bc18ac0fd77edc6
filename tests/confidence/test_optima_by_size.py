"""Distinct optima counted in samples of the rows."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from population_score import FakeSearch, optima_options

from eiderdown import networks
from eiderdown.confidence import optima
from eiderdown.confidence.optima_by_size import count_optima
from eiderdown.data import Dataset
from eiderdown.errors import InputError, OptionError
from eiderdown.graphs import DAG

ABC = Dataset.from_columns(
    {name: np.arange(120) // k % 2 for name, k in zip("abc", (1, 2, 3), strict=True)}
)


def counted(data, shares=(0.5, 1.0), repeats=2, **options):
    options = {"runs": 20, "k": 0.4} | options
    return count_optima(data, optima_options(**options), shares=shares, repeats=repeats)


@pytest.fixture(scope="module")
def asia():
    return networks.load("asia").sample(2_000, random_state=0).drop(["asia", "tub"])


def test_each_share_is_drawn_as_often_as_asked_and_all_rows_once(asia):
    found = counted(asia, shares=(1.0, 0.25, 0.5), repeats=2)
    assert [(c.share, c.n_rows, c.repeat) for c in found.counts] == [
        (0.25, 500, 0),
        (0.25, 500, 1),
        (0.5, 1000, 0),
        (0.5, 1000, 1),
        (1.0, 2000, 0),
    ]
    assert all(c.n_runs == 20 and 1 <= c.n_distinct <= 20 for c in found.counts)
    assert all(c.n_edges > 0 and c.best_score < 0.0 for c in found.counts)
    assert (found.complete, found.warnings) == (True, ())
    assert found.run.n_rows == 2000
    assert found.run.options["shares"] == [1.0, 0.25, 0.5]


def test_a_sample_does_not_depend_on_the_others_or_on_threads(asia):
    every = counted(asia, shares=(0.1, 0.5, 1.0), n_jobs=2)
    alone = counted(asia, shares=(0.5,), repeats=1, n_jobs=1)
    assert [c for c in every.counts if (c.share, c.repeat) == (0.5, 0)] == list(alone.counts)
    other = counted(asia, shares=(0.5,), repeats=1, random_state=1)
    assert other.counts[0].best_score != alone.counts[0].best_score


def test_enough_rows_of_a_faithful_network_leave_a_single_optimum():
    dag = DAG.from_string("a->c<-b, c->d, c->e, e->f, b->f, g")
    network = networks.random_network(dag, n_states=(3, 3), random_state=2)
    data = network.sample(200_000, random_state=0)
    found = counted(data, shares=(0.1, 1.0), repeats=3, runs=60).mean_by_share()
    assert found[1.0] == 1.0
    assert found[0.1] > 2.0


def test_interrupted_it_returns_the_whole_samples_so_far(monkeypatch):
    searches = []

    def made(*arguments, **options):
        # The first is made to see whether the score will do; then there is one for each sample.
        searches.append(FakeSearch(stop=7 if len(searches) == 3 else None))
        return searches[-1]

    monkeypatch.setattr(optima, "EquivalenceSearch", made)
    monkeypatch.setattr(optima, "run_kes", FakeSearch.run)
    found = counted(ABC, repeats=5, n_jobs=1)
    assert (len(found.counts), found.complete) == (2, False)
    assert found.warnings == ("Interrupted: 2 of 6 samples are done.",)
    monkeypatch.setattr(optima, "EquivalenceSearch", partial(FakeSearch, stop=0))
    with pytest.raises(KeyboardInterrupt):
        counted(ABC)


def test_samples_that_say_nothing_are_reported():
    rare = Dataset.from_columns(
        {"a": np.arange(100) % 2, "b": np.arange(100) // 99, "c": [0, 1] * 50}
    )
    found = counted(rare, shares=(0.01, 0.5, 1.0), repeats=3)
    assert len(found.counts) == 4
    assert "samples some columns have a single value and were left out" in found.warnings[0]
    assert found.warnings[1].startswith("3 samples gave no model; the first: Fewer than two")
    with pytest.raises(InputError, match="Fewer than two columns vary"):
        counted(rare, shares=(0.01,))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"shares": (0.5, 1.5)}, "must be above 0 and at most 1, not 1.5"),
        ({"shares": (0.0,)}, "must be above 0"),
        ({"shares": ()}, "at least one share"),
    ],
)
def test_impossible_samples_are_refused(options, sentence):
    with pytest.raises(OptionError, match=sentence):
        counted(ABC, **options)
