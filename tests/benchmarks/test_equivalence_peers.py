"""What peers are given, and how their answers are read, before they are compared with ours."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eiderdown.data import Dataset
from eiderdown.graphs import DAG
from eiderdown.networks import load
from eiderdown.scores import make_score

RUNS = runpy.run_path(
    str(Path(__file__).parents[2] / "benchmarks" / "equivalence_peer_runs.py"), run_name="runs"
)


@pytest.fixture(scope="module")
def compared() -> dict[str, Any]:
    folder = Path(__file__).parents[2] / "benchmarks"
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        return runpy.run_path(str(folder / "equivalence_peers.py"), run_name="compared")


@pytest.fixture(scope="module")
def insurance() -> Dataset:
    data = load("insurance").sample(400, random_state=0)
    return Dataset.from_columns({name: data.codes(i) for i, name in enumerate(data.names)})


@pytest.mark.parametrize("most_cells", [1 << 20, 10])
def test_score_given_to_peers_is_the_bic_of_eiderdown(insurance, most_cells, monkeypatch):
    bic = RUNS["LevelsBic"]
    monkeypatch.setitem(bic.of.__globals__, "_MOST_CELLS", most_cells)
    codes = np.column_stack([insurance.codes(i) for i in range(insurance.n_columns)])
    peer, ours = bic(codes.astype(np.int64)), make_score("bic", insurance)
    nodes = insurance.names
    for node, parents in [(0, []), (3, [5]), (7, [2, 11]), (1, [4, 8, 20, 26])]:
        graph = DAG(nodes, [(nodes[p], nodes[node]) for p in parents])
        others = sum(peer.of(i, []) for i in range(len(nodes)) if i != node)
        assert peer.of(node, parents) + others == pytest.approx(ours.total(graph), rel=1e-12)


def test_answers_are_read_as_arrows_and_as_edges_without_one():
    arrows_first = np.array([[0, 1, 0], [0, 0, 1], [0, 1, 0]])  # A -> B - C
    expected = ([("A", "B")], [("B", "C")])
    assert RUNS["_of_adjacency"](arrows_first, ["A", "B", "C"]) == expected
    marks = np.array([[0, -1, 0], [1, 0, -1], [0, -1, 0]])
    assert RUNS["_of_marks"](marks, ["A", "B", "C"]) == expected


def test_some_searches_are_asked_for_by_texts_that_their_names_hold(compared):
    names = ["eiderdown ges", "xges", "ges, iterated", "pgmpy"]
    assert compared["asked"](names, ()) == names
    assert compared["asked"](names, ["eiderdown", "xges"]) == names[:2]


def test_stored_runs_of_searches_that_were_not_asked_for_stay(compared):
    def case(*runs, time_limit):
        sample = {"seed": 0, "runs": [{"name": n, "seconds": s} for n, s in runs]}
        return {"time_limit": time_limit, "samples": [sample], "further": []}

    stored = case(
        ("eiderdown ges", 3.0), ("xges", 4.0), ("pgmpy", 5.0), ("gone", 6.0), time_limit=60.0
    )
    stored["further"] = [{"seed": 9, "runs": []}]
    new = case(("xges", 2.0), ("eiderdown ges_restarts", 1.0), time_limit=120.0)
    joined = compared["with_stored_runs"](new, stored)
    assert joined["time_limit"] == 120.0
    assert joined["further"] == []
    (sample,) = joined["samples"]
    assert [(run["name"], run["seconds"]) for run in sample["runs"]] == [
        ("eiderdown ges_restarts", 1.0),
        ("eiderdown ges", 3.0),
        ("xges", 2.0),
        ("pgmpy", 5.0),
    ]
