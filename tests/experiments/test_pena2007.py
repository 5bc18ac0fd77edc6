"""The experiments on Pena et al. (2007) draw, read, count and judge as they say."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from eiderdown import Dataset, networks

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.fixture(autouse=True)
def _beside_each_other(monkeypatch):
    monkeypatch.syspath_prepend(str(EXPERIMENTS))


def likeliest(network, node, **states):
    """Return the likeliest state of a node given states of its parents."""
    table, parents = network.table(node), network.parents(node)
    row = table[tuple(network.states(p).index(states[p]) for p in parents)]
    return network.states(node)[int(np.argmax(row))]


def test_reordered_tables_say_what_their_names_do():
    from alarm_provenance import reordered

    alarm = reordered()
    for state in ("ZERO", "LOW", "NORMAL", "HIGH"):
        assert likeliest(alarm, "VENTTUBE", DISCONNECT="FALSE", VENTMACH=state) == state
        assert likeliest(alarm, "VENTTUBE", DISCONNECT="TRUE", VENTMACH=state) == "ZERO"
        through = {"KINKEDTUBE": "FALSE", "VENTTUBE": state}
        assert likeliest(alarm, "VENTLUNG", INTUBATION="NORMAL", **through) == state
        assert likeliest(alarm, "VENTLUNG", INTUBATION="ESOPHAGEAL", **through) == "ZERO"
        assert likeliest(alarm, "PRESS", INTUBATION="NORMAL", **through) == state
        assert likeliest(alarm, "VENTALV", INTUBATION="NORMAL", VENTLUNG=state) == state
    for state in ("LOW", "NORMAL", "HIGH"):
        for node, error in (("HRBP", "ERRLOWOUTPUT"), ("HREKG", "ERRCAUTER")):
            assert likeliest(alarm, node, HR=state, **{error: "FALSE"}) == state
        assert likeliest(alarm, "EXPCO2", ARTCO2=state, VENTLUNG="NORMAL") == state
    bundled = networks.load("alarm")
    assert likeliest(bundled, "HRBP", HR="NORMAL", ERRLOWOUTPUT="FALSE") == "LOW"


def test_reordering_moves_rows_and_changes_none():
    from alarm_provenance import PARENTS, reordered

    ours, bundled = reordered(), networks.load("alarm")
    assert ours.dag == bundled.dag
    for node in bundled.dag.nodes:
        tables = [each.table(node).round(9) for each in (ours, bundled)]
        assert (node not in PARENTS) == np.array_equal(*tables)
        rows = (Counter(map(tuple, table.reshape(-1, table.shape[-1]))) for table in tables)
        assert len({frozenset(counts.items()) for counts in rows}) == 1
        assert node not in PARENTS or set(PARENTS[node]) == set(bundled.parents(node))


def test_subsamples_are_rows_of_the_table_and_the_same_each_time():
    from alarm_provenance import subsamples

    table = Dataset.from_columns({"row": np.arange(50)}, kinds={"row": "discrete"})
    first, second = (
        [sample.codes(0).tolist() for sample in subsamples(table, 10, 2)] for _ in range(2)
    )
    assert first == second
    assert first[0] != first[1]
    assert all(len(set(rows)) == 10 for rows in first)
    assert [sample is table for sample in subsamples(table, 50, 7)] == [True]


def test_without_the_edge_that_their_rows_do_not_show_most_of_their_misses_are_there():
    from alarm_provenance import FIO2_EDGE, without
    from pena2004_pruning import graph_errors

    dag = networks.load("alarm").dag
    found = graph_errors(without(dag, FIO2_EDGE), dag)
    assert found == {"edges": (0, 1), "paths": (0, 9), "boundaries": (0, 2)}


def test_the_published_distance_is_the_mean_over_nodes_with_an_answer():
    from pena2007_table6 import Fit, Scores

    scores = Scores([1.0, 1.0, 0.5], [1.0, 0.0, 1.0], [0.0, 1.0, 0.5], [True, False, True], [], [])
    assert scores.distance_where_answered == 0.25
    assert Fit.of(scores, (0.9, 0.6, 0.22)).met
    assert not Fit.of(scores, (0.9, 0.6, 0.21)).met


def test_runs_are_counted_by_what_they_found():
    from pena2007_thrombin import PAPER
    from pena2007_thrombin_runs import Runs

    runs = Runs(Counter({("a", "b"): 3, ("a", "b", "c", "d", "e"): 1}), 8.0)
    assert (runs.n_runs, runs.sizes, runs.in_runs("a"), runs.in_runs("e")) == (
        4,
        [2, 2, 2, 5],
        4,
        1,
    )
    assert runs.size == "2.8 +- 1.3"
    assert PAPER["pcmb"].as_large(runs) == "met"  # a mean is published
    assert PAPER["kiamb"].as_large(runs) == "missed"  # the least and the most are
    assert PAPER["kpcmb"].as_large(runs) is None


def test_lots_of_runs_are_kept_and_add_up(tmp_path, monkeypatch):
    import pena2007_thrombin_runs as module
    from kept_cells import KeptCells

    monkeypatch.setattr(module, "N_IN_LOT", 4)
    rng = np.random.default_rng(0)
    cause = rng.random(300) < 0.5
    target = cause ^ (rng.random(300) < 0.1)
    columns = {"a": cause, "b": cause, "noise": rng.random(300) < 0.5, module.TARGET: target}
    study = SimpleNamespace(name="coins", data=Dataset.from_columns(columns))
    runs = module.repeated(KeptCells(tmp_path, {}), study, "iamb", "G2", 10)
    assert runs.n_runs == 10
    assert set(runs.found) == {("a",), ("b",)}  # of copies either comes in
    assert len(list(tmp_path.glob("*.json"))) == 3
    monkeypatch.setattr(module, "_searched", None)
    assert module.repeated(KeptCells(tmp_path, {}), study, "iamb", "G2", 10) == runs
