"""Searches around all columns at once say what searches one by one say."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import replace

import numpy as np
import pytest

from eiderdown import find_all_boundaries, networks
from eiderdown.api import targets_at_once
from eiderdown.boundary import ALGORITHMS, ahead, compiled
from eiderdown.boundary.ahead import SearchesAround
from eiderdown.errors import EiderdownWarning, TooFewRowsError
from eiderdown.independence import TestCounts
from eiderdown.progress import Cancelled
from eiderdown.results import LocalResult
from eiderdown.results.on_demand import ResultsOnDemand

ALARM = networks.load("alarm").sample(1_000, random_state=1)


@pytest.fixture(autouse=True)
def always_compiled(monkeypatch):
    monkeypatch.setattr(compiled, "COMPILING_PAYS_FROM", 0)
    monkeypatch.setattr("eiderdown.statistics.cost.available_cores", lambda: 2)


@pytest.fixture
def one_by_one(monkeypatch):
    """Return what makes searches one by one."""
    return lambda: monkeypatch.setattr(targets_at_once, "MOST_CELLS", 0)


def said(found):
    """All that a result says, but for the time it took."""
    plain = json.loads(found.to_json())
    for run in (plain["run"], *(result["run"] for result in plain["results"])):
        del run["seconds"]
        run.pop("call", None)
    return plain


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize(
    ("algorithm", "options"),
    [
        ("mmpc", {}),
        ("mmpc", {"symmetry": "none"}),
        ("get_pc", {}),
        ("pcmb", {}),
        ("pcmb", {"max_given": 1}),
        ("mmmb", {"spouse_symmetry": "and"}),
    ],
)
def test_all_at_once_is_said_as_one_by_one(algorithm, options, n_jobs, one_by_one):
    search = ALGORITHMS[algorithm](**options)
    at_once = find_all_boundaries(ALARM, algorithm=search, n_jobs=n_jobs)
    assert isinstance(at_once.results, ResultsOnDemand)
    one_by_one()
    expected = find_all_boundaries(ALARM, algorithm=search, n_jobs=n_jobs)
    assert isinstance(expected.results, dict)
    assert said(at_once) == said(expected)


@pytest.mark.parametrize("algorithm", ["mmpc", "pcmb"])
def test_the_order_of_columns_and_random_ties_count_as_ever(algorithm, one_by_one):
    order = np.random.default_rng(0).permutation(ALARM.n_columns)
    shuffled = ALARM.select([ALARM.names[i] for i in order])
    options = {"algorithm": algorithm, "ties": "random", "random_state": 3, "alpha": 0.05}
    at_once = find_all_boundaries(shuffled, **options)
    one_by_one()
    assert said(at_once) == said(find_all_boundaries(shuffled, **options))


def test_a_result_is_made_when_it_is_asked_for(monkeypatch):
    made, result = [], targets_at_once._Maker.result
    monkeypatch.setattr(
        targets_at_once._Maker, "result", lambda self, name: made.append(name) or result(self, name)
    )
    found = find_all_boundaries(ALARM, algorithm="mmpc")
    assert not made
    assert found["HR"] is found["HR"]
    assert made == ["HR"]
    assert list(found) == list(ALARM.names)
    with pytest.raises(KeyError):
        found["nobody"]
    assert all(isinstance(one, LocalResult) for one in found.values())
    assert sorted(made) == sorted(ALARM.names)
    list(found.values())
    assert len(made) == ALARM.n_columns


def test_results_are_compared_copied_and_pickled_as_any_mapping():
    found = find_all_boundaries(ALARM, algorithm="mmpc")
    assert found.results == dict(found.results)
    assert repr(found.results) == repr(dict(found.results))
    for twin in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
        assert twin == found
        assert isinstance(twin.results, dict)


def test_what_was_kept_in_a_file_is_the_same(tmp_path):
    path = tmp_path / "state.jsonl"
    kept = find_all_boundaries(ALARM, algorithm="mmpc", state=path)
    assert said(kept)["results"] == said(find_all_boundaries(ALARM, algorithm="mmpc"))["results"]


def test_interrupted_the_first_targets_are_told(monkeypatch):
    monkeypatch.setattr(ahead, "_BUDGET", 1)
    whole = find_all_boundaries(ALARM, algorithm="mmpc", n_jobs=1)
    go_on = SearchesAround.go_on

    def interrupted(self):
        if self.n_done >= 10:
            raise Cancelled
        go_on(self)

    monkeypatch.setattr(SearchesAround, "go_on", interrupted)
    with pytest.warns(EiderdownWarning, match="Interrupted"):
        found = find_all_boundaries(ALARM, algorithm="mmpc", n_jobs=1)
    assert not found.complete
    assert 0 < len(found) < ALARM.n_columns
    assert list(found) == list(ALARM.names[: len(found)])
    for target, result in found.items():
        assert replace(result.run, seconds=0.0) == replace(whole[target].run, seconds=0.0)
        assert result.evidence == whole[target].evidence


def test_too_few_rows_are_refused_where_nothing_can_be_said_up_to_a_target():
    nothing, something = TestCounts(5, 0, 5), TestCounts(5, 0, 4)
    names = {0: "a", 1: "b"}
    targets_at_once._require_some_answers({0: something, 1: nothing}, names, 9)
    with pytest.raises(TooFewRowsError, match=r"9 rows are too few.*'a'"):
        targets_at_once._require_some_answers({0: nothing, 1: something}, names, 9)
