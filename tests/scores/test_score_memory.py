"""What every score does with what it has computed, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from scored_tables import chained_codes, coded

from eiderdown.errors import OptionError, TargetAmongCandidatesError, UnknownColumnError
from eiderdown.graphs import DAG
from eiderdown.scores import LocalScore, ScoreCounts, base, make_score


class CountingScore(LocalScore):
    """The number of parents' digits, and how often it was asked."""

    name = "counting"

    def __init__(self, n_variables):
        super().__init__([f"v{i}" for i in range(n_variables)])
        self.asked = []

    def _local(self, child, parents):
        self.asked.append((child, parents))
        return float(child + sum(10.0**z for z in parents))


def test_a_score_of_your_own_needs_one_method_only():
    score = CountingScore(5)
    assert score.local(4, [1, 0]) == 15.0
    assert score.additions(4, [0], [1, 2]).tolist() == [15.0, 105.0]
    assert score.removals(4, [2, 0]).tolist() == [5.0, 104.0]


def test_nothing_is_computed_twice():
    score = CountingScore(6)
    score.additions(5, [0], [1, 2, 3])
    assert score.counts == ScoreCounts(n_computed=3, n_remembered=0)
    score.additions(5, [0], [1, 2, 3])
    score.local(5, [2, 0])
    score.removals(5, [0, 3])
    score.removals(5, [0, 3])
    assert score.counts == ScoreCounts(n_computed=5, n_remembered=6)
    assert len(score.asked) == len(set(score.asked)) == 5


def test_another_list_of_candidates_gets_its_own_answer():
    score = CountingScore(6)
    score.additions(5, [0], [1, 2, 3])
    assert score.additions(5, [0], [3, 1]).tolist() == [1006.0, 16.0]


def test_answers_cannot_be_written_to():
    score = CountingScore(4)
    with pytest.raises(ValueError, match="read-only"):
        score.additions(3, [], [0, 1])[0] = 0.0


def test_a_candidate_array_changed_later_does_not_spoil_the_memory():
    score = CountingScore(4)
    candidates = np.array([0, 1])
    score.additions(3, [], candidates)
    candidates[:] = [1, 2]
    assert score.additions(3, [], candidates).tolist() == [13.0, 103.0]


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(base, "_MOST_REMEMBERED", 10)
    score = CountingScore(8)
    for child in range(4):
        score.additions(child, [], [5, 6, 7])
    assert len(score._sweeps) == 3
    score.additions(0, [], [5, 6, 7])
    assert len(score.asked) == 15


def test_a_graph_scores_as_the_sum_of_its_families():
    score = make_score("bic", coded(chained_codes(np.random.default_rng(0), 4, 200), [3] * 4))
    dag = DAG(["c3", "c0", "c2", "c1"], [("c3", "c0"), ("c0", "c1"), ("c3", "c1")])
    families = [score.local(0, [3]), score.local(1, [0, 3]), score.local(2), score.local(3)]
    assert score.total(dag) == pytest.approx(sum(families), abs=1e-9)
    more = DAG(dag.nodes, [*dag.edges, ("c2", "c1")])
    gain = score.local(1, [0, 2, 3]) - score.local(1, [0, 3])
    assert score.total(more) - score.total(dag) == pytest.approx(gain, abs=1e-9)


def test_a_graph_over_some_of_the_variables_is_scored_and_other_nodes_are_refused():
    score = CountingScore(4)
    assert score.total(DAG.from_string("v1->v2")) == 13.0
    with pytest.raises(UnknownColumnError, match="'x'"):
        score.total(DAG.from_string("v0->x"))


@pytest.mark.parametrize(
    ("child", "parents", "candidates"),
    [(0, [0], [1]), (0, [1, 1], [2]), (0, [1], [1]), (0, [], [0])],
)
def test_a_column_that_comes_twice_is_refused(child, parents, candidates):
    with pytest.raises(TargetAmongCandidatesError, match="appears twice"):
        CountingScore(3).additions(child, parents, candidates)


def test_a_negative_number_is_no_column():
    with pytest.raises(OptionError, match="numbered from 0"):
        CountingScore(3).local(0, [-1])
