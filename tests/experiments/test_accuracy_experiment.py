"""The experiment on accuracy measures, orders, keeps, judges and shows as it says."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from eiderdown.graphs import PDAG

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _beside_each_other(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "experiments"))
    monkeypatch.syspath_prepend(str(ROOT / "tools"))


def line(part, network, seed, rows, question, search, f1, seconds=1.0):
    """Write a line of the record in which all measures but the seconds are the same."""
    place = ",".join(map(str, (part, network, seed, rows, question, search)))
    return ",".join([place, *[str(f1)] * 7, str(seconds)])


def test_measures_of_sets_have_their_values_by_hand():
    from accuracy_measures import set_measures

    truth = {"a": {"x", "y"}, "b": set(), "c": {"x"}}
    one = set_measures({"a": {"x", "z"}}, truth)
    assert one == pytest.approx({"f1": 0.5, "precision": 0.5, "recall": 0.5, "distance": 0.5**0.5})
    assert set_measures({"b": set()}, truth)["f1"] == 1.0
    assert set_measures({"c": set()}, truth) == {
        "f1": 0.0,
        "precision": 1.0,
        "recall": 0.0,
        "distance": 1.0,
    }
    assert set_measures({"a": {"x", "z"}, "b": set(), "c": set()}, truth)["f1"] == 0.5


def test_measures_of_graphs_have_their_values_by_hand():
    from accuracy_measures import graph_measures

    truth = PDAG.from_string("A->C<-B, C->D, E--F, G")
    assert graph_measures(truth, truth) == {"f1": 1, "adjacency": 1, "arrowheads": 1, "shd": 0}
    # One arrow right, one edge without its mark, one missing, one not there; G was left out.
    learned = PDAG.from_string("A->C, B--C, F--E, A->F, D")
    found = graph_measures(learned, truth)
    assert found == pytest.approx(
        {"f1": 2 / 4, "adjacency": 3 / 4, "arrowheads": 2 * 0.5 / 3 / (0.5 + 1 / 3), "shd": 3}
    )


def test_every_registered_search_takes_part_with_the_values_of_its_options():
    from accuracy_searches import VARIED, searches_by_key

    from eiderdown.boundary import BOUNDARY_ALGORITHMS, PARENTS_CHILDREN_ALGORITHMS

    keys = set(searches_by_key())
    assert {"boundary default", "parents_children default", "graph default"} <= keys
    registries = {
        "boundary": BOUNDARY_ALGORITHMS,
        "parents_children": PARENTS_CHILDREN_ALGORITHMS,
    }
    for question, registry in registries.items():
        for entry in registry:
            assert f"{question} {entry.name}" in keys
            for option in (entry.options[name] for name in VARIED if name in entry.options):
                values = {f"{question} {entry.name} {option.name}={v}" for v in option.choices}
                assert values - keys <= {f"{question} {entry.name} {option.name}={option.default}"}


def test_judging_has_networks_and_seeds_that_development_has_not():
    from accuracy_tables import DEVELOPMENT, JUDGING, SEEDS, SEEN_BEFORE, origin

    assert not set(DEVELOPMENT) & set(JUDGING)
    assert set(SEEN_BEFORE) <= set(JUDGING)
    assert not set(SEEDS["development"]) & set(SEEDS["judging"])
    assert origin("alarm", "judging") == "known network, new rows"
    assert origin("hepar2", "judging") == "judged by an earlier session"
    assert origin("link", "judging") == "new network"


def test_the_first_round_has_every_small_network_at_every_number_of_rows():
    from accuracy_cells import batches
    from accuracy_searches import searches_by_key
    from accuracy_tables import DEVELOPMENT, ROWS, SLOW

    listed = batches("development", list(searches_by_key().values()))
    small = [name for name in DEVELOPMENT if name not in SLOW]
    first = listed[: len(small) * len(ROWS)]
    assert {(b.network, b.n_rows) for b in first} == {(name, n) for name in small for n in ROWS}
    assert {batch.seed for batch in first} == {0}
    assert all("default" in {s.name for s in batch.searches} for batch in first)


@pytest.mark.parametrize("network", ["asia", "mixed", "bent"])
def test_tables_are_the_same_each_time_and_ask_about_columns_that_vary(network):
    from accuracy_tables import sample

    one, again = sample(network, 3, 40), sample(network, 3, 40)
    assert one.dag.nodes == again.dag.nodes == one.data.names
    assert one.targets == again.targets
    assert not set(one.targets) & set(one.data.constant_columns())


def asia_batch(*keys, n_rows=200):
    from accuracy_cells import Batch
    from accuracy_searches import searches_by_key

    searches = tuple(searches_by_key()[key] for key in keys)
    return Batch("development", "asia", 0, n_rows, searches)


def test_finished_cells_are_read_and_not_made_again(tmp_path, monkeypatch):
    import accuracy_cells
    from kept_cells import KeptCells

    batch = asia_batch("boundary iamb", "parents_children get_pc", "graph ges bic")
    kept = KeptCells(tmp_path, {}), KeptCells(tmp_path / "peers", {})
    limits = accuracy_cells.Limits(60.0, 20.0, time.time() + 600)
    lines = accuracy_cells.run_batch(batch, *kept, limits)
    assert [line.split(",")[4:6] for line in lines] == [
        ["boundary", "iamb"],
        ["parents_children", "get_pc"],
        ["boundary", "graph: ges bic"],
        ["parents_children", "graph: ges bic"],
        ["graph", "ges bic"],
    ]
    assert all(len(line.split(",")) == len(accuracy_cells.COLUMNS) for line in lines)
    monkeypatch.setattr(accuracy_cells, "sample", None)
    over = accuracy_cells.Limits(60.0, 20.0, time.time())
    assert accuracy_cells.run_batch(batch, *kept, over) == lines
    further = asia_batch("boundary iamb", "boundary fbed")
    assert accuracy_cells.run_batch(further, *kept, over) == lines[:1]


def test_a_cell_that_the_end_of_the_run_stopped_is_not_kept(tmp_path, monkeypatch):
    import accuracy_cells
    from accuracy_searches import Answer, Search
    from kept_cells import KeptCells

    def stopped(self, one, limit):
        return Answer(limit, complete=False)

    monkeypatch.setattr(Search, "find", stopped)
    kept = KeptCells(tmp_path, {}), KeptCells(tmp_path / "peers", {})
    batch, soon = asia_batch("boundary iamb"), time.time() + 30
    assert accuracy_cells.run_batch(batch, *kept, accuracy_cells.Limits(60.0, 20.0, soon)) == []
    limits = accuracy_cells.Limits(10.0, 20.0, soon)
    lines = accuracy_cells.run_batch(batch, *kept, limits)
    assert lines == ["development,asia,0,200,problem,iamb,stopped by the time limit"]
    more = accuracy_cells.run_batch(asia_batch("boundary iamb", n_rows=500), *kept, limits)
    assert more[0].endswith("iamb,not tried: it was stopped with fewer rows")


def test_a_peer_that_is_not_installed_is_named(monkeypatch):
    import accuracy_peers
    from accuracy_cells import missing_peers

    accuracy_peers.is_installed.cache_clear()
    monkeypatch.setattr(accuracy_peers, "PYTHONS", {"": Path("nowhere/python")})
    assert "pybnesian" in missing_peers()
    accuracy_peers.is_installed.cache_clear()


def test_means_weigh_networks_alike_and_compare_the_same_tables():
    from accuracy_lines import Measurements

    lines = [
        line("judging", "a", 0, 100, "boundary", "iamb", 0.2),
        line("judging", "a", 1, 100, "boundary", "iamb", 0.4),
        line("judging", "b", 0, 100, "boundary", "iamb", 0.9),
        line("judging", "b", 0, 100, "boundary", "bamb", 1.0),
        line("development", "c", 0, 100, "boundary", "iamb", 0.0),
        "judging,c,0,100,problem,iamb,stopped after 9 s",
    ]
    measured = Measurements(lines, "judging")
    tables = measured.tables("boundary", "iamb")
    assert measured.mean("boundary", "iamb", tables) == pytest.approx(0.6)
    assert measured.best("boundary", ["iamb", "bamb"], tables) == ("iamb", pytest.approx(0.6))
    both = measured.tables("boundary", "iamb", "bamb")
    assert measured.best("boundary", ["iamb", "bamb"], both) == ("bamb", 1.0)
    assert [problem.what for problem in measured.problems] == ["stopped after 9 s"]


def tiny_lines(default, graph):
    """Give a few lines in which the defaults have the given F1, and all others 0.5."""
    lines = [
        line("judging", network, 9100, rows, "boundary", search, f1)
        for network in ("asia", "alarm")
        for rows in (200, 500)
        for search, f1 in {"default": default, "iamb": 0.5, "graph: ges bic": 0.5}.items()
    ]
    lines += [
        line("judging", "asia", 9100, 200, "graph", search, f1)
        for search, f1 in {"default": graph, "ges_restarts bic": 0.5}.items()
    ]
    costs = {"default": 0.8, "iamb": 0.1}
    lines += [line("judging", "alarm", 9100, 5_000, "cost", s, "", t) for s, t in costs.items()]
    return lines


def verdicts_of(lines):
    from accuracy_lines import Measurements
    from accuracy_verdicts import COLUMNS, fill_verdicts
    from harness import Table

    table = Table("", COLUMNS)
    fill_verdicts(table, Measurements(lines, "judging"))
    return {row[0]: (row[4], row[6]) for row in table.rows}


def test_verdicts_say_met_and_missed():
    good, poor = verdicts_of(tiny_lines(0.54, 0.6)), verdicts_of(tiny_lines(0.47, 0.5))
    over = "boundary, all networks, 200 rows: F1 over the best search by tests"
    assert good[over] == ("+0.040", "met")
    assert poor[over] == ("-0.030", "missed")
    six = "boundary, six networks, 500 rows: F1 over that read from GES"
    assert (good[six][1], poor[six][1]) == ("met", "missed")
    worst = [name for name in poor if name.startswith("boundary, worst of 4 cells")]
    assert worst[0].endswith("4 below -0.02")
    assert poor[worst[0]] == ("-0.030", "missed")
    graph = "graph, all tables: CPDAG F1 over ges_restarts bic"
    assert (good[graph][1], poor[graph][1]) == ("met", "missed")
    cost = "cost, alarm, 5,000 rows: CPU seconds of one call over iamb's"
    assert good[cost] == ("8.0 times", "missed")
    assert good["cost, alarm, 5,000 rows: one call"][1] == "met"
    thrombin = "cost, thrombin: not measured, the data set was not at hand"
    assert good[thrombin][1] == "undecided"


def test_a_record_keeps_what_was_measured_of_the_other_part(tmp_path, monkeypatch):
    import accuracy_report
    import harness

    monkeypatch.setattr(accuracy_report, "RESULTS", tmp_path)
    lines = [
        line(part, "asia", 0, 200, "boundary", "iamb", 0.5) for part in ("development", "judging")
    ]
    earlier = accuracy_report.AccuracyRecord("accuracy", "t", "p", {}, lines=lines)
    earlier.parts = {"development": {"code": "a"}, "judging": {"code": "b"}}
    (tmp_path / "accuracy.json").write_text(harness.document(earlier), encoding="utf-8")
    later = accuracy_report.AccuracyRecord("accuracy", "t", "p", {})
    later.keep_other_part("development")
    assert later.lines == lines[1:]
    assert later.parts == {"judging": {"code": "b"}}


def test_page_and_pictures_are_made_from_a_small_record(tmp_path, monkeypatch):
    import json
    import runpy

    import harness
    from accuracy_cells import COLUMNS
    from accuracy_report import AccuracyRecord, fill

    record = AccuracyRecord("accuracy", "t", "p", {}, notes=["A note."], line_columns=COLUMNS)
    defaults = {"boundary": "iamb"}
    record.parts["judging"] = {"minutes of the last run": 9.6, "all of it": False}
    record.parts["judging"] |= {"code": "abc", "defaults": defaults}
    record.lines = tiny_lines(0.6, 0.6)
    fill(record)
    tool = SimpleNamespace(**runpy.run_path(str(ROOT / "tools" / "render_accuracy.py")))
    stored = json.loads(harness.document(record))
    page = tool.page(stored)
    assert "| default | 0.600 | 0.600 |" in page
    assert "- A note." in page
    assert "took 10 minutes and made not all of it" in page
    assert "Defaults were: boundary `iamb`. Fingerprint of the code: abc." in page
    assert "| asia | discrete | 8 | 8 | 2 | 8 | known network, new rows | 2 | 9100 |" in page
    assert "Nothing is judged yet" not in page
    assert "Not measured" in tool.page(None)
    (tmp_path / "accuracy-old.svg").write_text("")
    tool.DRAWING.draw_all(tool.pictures(stored), tmp_path, lambda text: None)
    drawn = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert set(drawn) == {"accuracy-alarm.svg", "accuracy-asia.svg"}
    assert all(f"pictures/{name}" in page for name in drawn)
    tool.DRAWING.draw_all(tool.pictures(stored), tmp_path)
    assert drawn["accuracy-asia.svg"] == (tmp_path / "accuracy-asia.svg").read_text(
        encoding="utf-8"
    )
    assert len(drawn["accuracy-asia.svg"]) < 20_000
