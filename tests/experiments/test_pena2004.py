"""The experiments on Pena, Kocka & Nielsen (2004) count, cut and keep as they say."""

from __future__ import annotations

import runpy
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eiderdown import DAG, networks
from eiderdown.graphs.metrics import features_of
from eiderdown.scores import make_score
from examples import examples

FOLDER = Path(__file__).parents[2] / "experiments"
published, measures, leukaemia, kept, pruning = (
    SimpleNamespace(**runpy.run_path(str(FOLDER / f"{name}.py")))
    for name in (
        "pena2004_published",
        "pena2004_measures",
        "pena2004_leukaemia_data",
        "kept_cells",
        "pena2004_pruning",
    )
)
columns = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 1)), min_size=3, max_size=25)


def information(categories, classes):
    """Mutual information in nats, cell by cell."""
    total = 0.0
    for level in set(categories):
        for of_class in set(classes):
            both = np.mean((categories == level) & (classes == of_class))
            if both:
                total += both * np.log(
                    both / np.mean(categories == level) / np.mean(classes == of_class)
                )
    return total


@examples(24)
@given(columns)
def test_no_other_two_cuts_tell_more_about_the_classes(drawn):
    values, classes = (np.array(column) for column in zip(*drawn, strict=True))
    cuts = leukaemia.informative_cuts(values.astype(float), classes)
    distinct = np.unique(values)
    assert len(cuts) == min(2, len(distinct) - 1)
    every = [
        information(np.searchsorted(pair, values), classes)
        for pair in combinations(distinct[:-1] + 0.5, len(cuts))
    ]
    assert information(np.searchsorted(cuts, values), classes) == pytest.approx(max(every))


@pytest.mark.parametrize("name", leukaemia.DISCRETISATIONS)
def test_genes_become_rows_and_the_patients_of_one_disease_columns(name):
    generator = np.random.default_rng(0)
    values, diseases = generator.normal(size=(12, 40)), np.arange(12) % 3 // 2
    cutter = leukaemia.DISCRETISATIONS[name]
    tables = leukaemia.Expression(values, diseases).tables(cutter)
    assert {d: (t.n_rows, t.n_columns) for d, t in tables.items()} == {
        "ALL": (40, 8),
        "AML": (40, 4),
    }
    cuts = cutter(values[:, 7], diseases)
    third_with_aml = tables["AML"].codes(2)  # patient 8
    assert third_with_aml[7] == np.searchsorted(cuts, values[8, 7])


def outcome(members, others, n_optima=10):
    """Make an outcome of confidences in the features that the graph has and has not."""
    errors = [
        (
            sum(c >= t for c in members),
            sum(c >= t for c in others),
            sum(c < t for c in members),
        )
        for t in measures.THRESHOLDS
    ]
    edges = [(f"m{i}", c, True) for i, c in enumerate(members)]
    edges += [(f"o{i}", c, False) for i, c in enumerate(others)]
    by_group = dict.fromkeys(measures.GROUPS, errors)
    return measures.Outcome(100, 20, n_optima, 1.0, by_group, edges, -1.0, {})


def test_means_are_over_tables_and_the_best_threshold_is_that_of_all_together():
    first = outcome(members=(1.0, 0.8, 0.32), others=(0.22,), n_optima=4)
    second = outcome(members=(0.9, 0.3), others=(0.52, 0.13), n_optima=8)
    means = measures.Means([first, second])
    assert means.counts("paths", 0.25) == (2.5, 0.5, 0.0)
    assert means.counts("paths", 0.55) == (1.5, 0.0, 1.0)
    assert means.best_threshold("paths") in (0.25, 0.3)
    assert means.n_errors("paths", means.best_threshold("paths")) == 0.5
    assert (means.n_features("edges"), means.n_optima) == (2.5, 6.0)


def test_useful_thresholds_let_pass_most_of_the_graph_and_little_else():
    means = measures.Means([outcome(members=(0.9, 0.7, 0.5), others=(0.6, 0.2))])
    assert means.useful_thresholds("edges") == [0.55, 0.6, 0.65, 0.7]


def test_edges_are_told_by_name_at_a_threshold():
    found = outcome(members=(0.9, 0.45, 0.2), others=(0.6, 0.1))
    assert found.edges_at(0.45, in_graph=True) == ["m0", "m1"]
    assert found.edges_at(0.45, in_graph=False) == ["o0"]
    assert found.missing_edges(0.45) == ["m2"]


def test_a_row_about_a_share_has_a_cell_for_each_column():
    means = measures.Means([outcome((0.9,), ()), outcome((0.9,), (), n_optima=30)])
    cells = dict(zip(measures.SHARE_COLUMNS, measures.share_cells(25, means), strict=True))
    assert cells["share"] == "25 %"
    assert (cells["distinct models"], cells["fewest"], cells["most"]) == (20.0, 10, 30)
    assert (cells["edges: least FP + FN"], cells["paths: useful t"]) == (0.0, 18)
    assert measures.written((1.0, 2.0, 0.4)) == "2 / 0.4"


def test_a_finished_cell_is_read_and_not_made_again(tmp_path):
    made = []

    def make():
        made.append(1)
        return {"x": [1, 2.5]}

    for _ in range(2):  # as if the experiment was started twice
        cells = kept.KeptCells(tmp_path / "cells", {"runs": 5})
        assert cells.get("one", make) == {"x": [1, 2.5]}
    assert (len(made), len(cells)) == (1, 1)
    cells.clear()
    assert len(cells) == 0
    cells.get("one", make)
    assert len(made) == 2


def test_cells_of_other_settings_are_made_again(tmp_path):
    kept.KeptCells(tmp_path, {"runs": 5}).get("one", lambda: "five")
    ten = kept.KeptCells(tmp_path, {"runs": 10})
    assert (len(ten), ten.get("one", lambda: "ten")) == (0, "ten")
    assert kept.KeptCells(tmp_path, {"runs": 10}).get("one", lambda: "again") == "ten"


def test_without_a_folder_nothing_is_kept_and_a_cell_that_fails_leaves_nothing(tmp_path):
    nowhere = kept.KeptCells(None, {})
    assert [nowhere.get("one", lambda i=i: i) for i in range(2)] == [0, 1]
    with pytest.raises(ZeroDivisionError):
        kept.KeptCells(tmp_path, {}).get("one", lambda: 1 // 0)
    assert list(tmp_path.iterdir()) == []
    assert len(nowhere) == 0


def test_alarm_has_as_many_features_as_the_paper_counts():
    found = features_of(networks.load("alarm").dag.to_cpdag())
    n_edges = int(found.directed.sum() + found.undirected.sum() // 2)
    counts = (n_edges, int(found.path.sum()), int(found.boundary.sum() // 2))
    assert dict(zip(measures.GROUPS, counts, strict=True)) == published.ALARM_FEATURES


def test_published_errors_leave_the_true_positives_that_the_text_states():
    stated = {
        "ALL": {"edges": 99, "paths": 610, "boundaries": 173},
        "AML": {"edges": 54, "paths": 120, "boundaries": 79},
    }
    for disease, errors in published.LEUKAEMIA_ERRORS.items():
        sizes = dict(zip(measures.GROUPS, published.LEUKAEMIA_FEATURES[disease][100], strict=True))
        found = {group: sizes[group] - missed for (group, _), (_, missed) in errors.items()}
        assert found == stated[disease]
    n_edges = published.LEUKAEMIA_FEATURES["AML"][100][0]
    assert [n_edges - missed for _, missed in published.FIGURE_5.values()] == [29, 12]
    alarm = {
        key: published.ALARM_FEATURES[key[0]] - missed
        for key, (_, missed) in published.ALARM_ERRORS.items()
    }
    assert list(alarm.values()) == [45, 29, 186, 62]


def test_pruning_leaves_no_edge_that_costs_more_than_it_tells():
    network = networks.load("asia")
    score = make_score("bic", network.sample(300, random_state=3))
    left = pruning.pruned(network.dag, score)
    assert set(left.edges) < set(network.dag.edges)
    assert score.total(left) > score.total(network.dag)
    for edge in left.edges:
        without = DAG(left.nodes, [other for other in left.edges if other != edge])
        assert score.total(without) <= score.total(left)


def test_without_one_edge_of_alarm_four_pairs_are_no_longer_neighbours():
    dag = networks.load("alarm").dag
    rest = DAG(dag.nodes, [edge for edge in dag.edges if edge != ("INSUFFANESTH", "CATECHOL")])
    assert pruning.graph_errors(rest, dag) == {
        "edges": (0, 1),
        "paths": (0, 7),
        "boundaries": (0, 4),
    }
    assert pruning.graph_errors(dag, rest)["paths"] == (7, 0)
