"""Edges and directions counted over resamples, for any learner and any number of threads."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eiderdown import EdgeStability, load_result
from eiderdown.confidence import EdgeCounts, Resampling, learn_resampled
from eiderdown.confidence.ordered_runs import Jobs
from eiderdown.data import Dataset
from eiderdown.errors import ConstantColumnError, GraphError, OptionError
from eiderdown.graphs import DAG, PDAG
from eiderdown.progress import Cancelled, Trace
from eiderdown.results import EdgeFrequency, Run
from examples import examples

TABLE = Dataset.from_columns(
    {name: np.arange(60) % k for name, k in zip("abcd", (2, 3, 4, 5), strict=True)}
)

RUN = Run("x", {}, 0, 0, 0, 0.0, 60, 4, "", 0, {})


def by_chance(data, seed):
    """A learner whose graph depends on its rows and its seed."""
    generator = np.random.default_rng([seed, *data.codes(3)[:5]])
    names = generator.permutation(["a", "b", "c", "d"]).tolist()
    pairs = [(x, y) for i, x in enumerate(names) for y in names[i + 1 :]]
    directed = [pair for pair in pairs if generator.random() < 0.3]
    rest = [pair for pair in pairs if pair not in directed and generator.random() < 0.4]
    return PDAG(names, directed, rest)


def resampled(learn, n_resamples=40, n_jobs=1, **options):
    counts = EdgeCounts()
    options = {"resampling": Resampling(), "seed": 0, "jobs": Jobs(n_jobs)} | options
    went = learn_resampled(learn, TABLE, gather=counts.add, n_resamples=n_resamples, **options)
    return counts, went


def counts_of(learn, **options):
    return resampled(learn, **options)[0]


def result_of(*edges, nodes="abcd"):
    return EdgeStability(edges, dict.fromkeys(nodes, 1.0), 10, "rows", RUN)


def test_frequencies_are_shares_of_the_graphs_that_have_the_edge():
    graphs = []

    def remembered(data, seed):
        graphs.append(by_chance(data, seed))
        return graphs[-1]

    counts = counts_of(remembered)
    assert counts.n_graphs == 40
    assert counts.node_shares() == dict.fromkeys("abcd", 1.0)
    for edge in counts.edge_frequencies():
        forward = sum((edge.left, edge.right) in graph.directed for graph in graphs)
        backward = sum((edge.right, edge.left) in graph.directed for graph in graphs)
        adjacent = sum(edge.right in graph.adjacent(edge.left) for graph in graphs)
        assert (edge.forward, edge.backward) == (forward / 40, backward / 40)
        assert edge.adjacent == adjacent / 40
        assert edge.undirected == pytest.approx((adjacent - forward - backward) / 40)
    shares = [edge.adjacent for edge in counts.edge_frequencies()]
    assert shares == sorted(shares, reverse=True)
    assert len(shares) == 6


def test_any_number_of_threads_finds_the_same():
    one, two = counts_of(by_chance), counts_of(by_chance, n_jobs=2)
    assert one.edge_frequencies() == two.edge_frequencies()
    assert counts_of(by_chance, seed=1).edge_frequencies() != one.edge_frequencies()


def test_more_resamples_begin_with_those_of_fewer():
    seen = []

    def remembered(data, seed):
        seen.append((seed, tuple(data.codes(3))))
        return DAG(["a", "b"])

    counts_of(remembered, n_resamples=3)
    counts_of(remembered, n_resamples=5)
    assert seen[:3] == seen[3:6]
    assert len(set(seen[3:])) == 5


@given(share=st.floats(0.05, 1.0), seed=st.integers(0, 1000), n_rows=st.integers(1, 200))
@examples(20)
def test_rows_are_drawn_with_or_without_replacement(share, seed, n_rows):
    for method in ("bootstrap", "subsample"):
        rows = Resampling(method, share).rows(n_rows, np.random.default_rng(seed))
        assert len(rows) == max(1, round(share * n_rows))
        assert rows.min() >= 0
        assert rows.max() < n_rows
        assert np.all(np.diff(rows) >= (0 if method == "bootstrap" else 1))


def test_bootstrap_draws_as_many_rows_as_there_are_and_subsampling_half_of_them():
    assert Resampling().drawn == 1.0
    assert Resampling("subsample").drawn == 0.5
    assert "100% of the rows, drawn with replacement" in Resampling().described
    assert len(np.unique(Resampling().rows(1_000, np.random.default_rng(0)))) < 700


@pytest.mark.parametrize(
    ("method", "share", "reason"),
    [
        ("jackknife", None, "method must be one of"),
        ("bootstrap", 0.0, "share must be above 0"),
        ("subsample", 1.5, "share must be above 0"),
    ],
)
def test_impossible_resampling_is_refused(method, share, reason):
    with pytest.raises(OptionError, match=reason):
        Resampling(method, share)


def test_refused_resamples_do_not_count():
    seeds = []

    def fussy(data, seed):
        seeds.append(seed)
        if len(seeds) % 4 == 0:
            raise ConstantColumnError(f"Resample {len(seeds)} does not vary.")
        return DAG(["a", "b"], [("a", "b")])

    counts, went = resampled(fussy, n_resamples=20)
    assert (counts.n_graphs, went.n_resamples, went.n_tried) == (15, 15, 20)
    assert list(went.failures) == [3, 7, 11, 15, 19]
    assert counts.edge_frequencies() == (EdgeFrequency("a", "b", 1.0, 1.0, 0.0),)


def test_other_errors_of_a_learner_are_raised():
    def broken(data, seed):
        raise ZeroDivisionError

    for n_jobs in (1, 2):
        with pytest.raises(ZeroDivisionError):
            counts_of(broken, n_jobs=n_jobs)


class Impatient(Trace):
    """Presses Ctrl-C after some graphs."""

    def __init__(self, n_graphs):
        self.n_graphs = n_graphs

    def progressed(self, phase, n_members):
        if n_members == self.n_graphs:
            raise Cancelled


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_interrupted_it_returns_the_resamples_so_far(n_jobs):
    counts, went = resampled(by_chance, n_jobs=n_jobs, trace=Impatient(7))
    assert not went.complete
    assert counts.n_graphs == went.n_resamples
    assert went.n_resamples == 7 if n_jobs == 1 else went.n_resamples >= 7


def test_interrupted_it_does_not_wait_for_the_rest():
    go_on, n_calls, first = threading.Event(), [], []

    def quick(data, seed):
        first.append(seed)
        return DAG(["a"])

    def slow(data, seed):
        n_calls.append(seed)
        if seed not in first:
            go_on.wait(timeout=20.0)
        return DAG(["a"])

    resampled(quick, n_resamples=2, n_jobs=1)
    _, went = resampled(slow, n_jobs=2, trace=Impatient(2))
    assert not go_on.is_set()
    assert not went.complete
    assert len(n_calls) <= 4
    go_on.set()


# What is made of the frequencies.


def test_consensus_has_the_edges_at_or_above_the_threshold():
    found = result_of(
        EdgeFrequency("a", "b", 0.9, 0.8, 0.0),
        EdgeFrequency("b", "c", 0.5, 0.0, 0.25),
        EdgeFrequency("c", "d", 0.4, 0.4, 0.0),
    )
    assert found.consensus() == PDAG(list("abcd"), [("a", "b")], [("b", "c")])
    assert found.consensus(threshold=0.95) == PDAG(list("abcd"))
    assert found.consensus(threshold=0.4).directed == (("a", "b"), ("c", "d"))
    assert found.consensus(majority=0.9).directed == ()


def test_consensus_has_no_cycle():
    found = result_of(
        EdgeFrequency("a", "b", 1.0, 0.9, 0.1),
        EdgeFrequency("b", "c", 1.0, 0.8, 0.2),
        EdgeFrequency("a", "c", 1.0, 0.3, 0.7),
    )
    assert found.consensus() == PDAG(list("abcd"), [("a", "b"), ("b", "c")], [("a", "c")])


@pytest.mark.parametrize("options", [{"threshold": 0.0}, {"threshold": 2.0}, {"majority": 0.4}])
def test_impossible_consensus_is_refused(options):
    with pytest.raises(OptionError, match="must be"):
        result_of().consensus(**options)


def test_edge_can_be_asked_for_either_way_round():
    found = result_of(EdgeFrequency("a", "b", 0.9, 0.8, 0.0))
    assert found.edge("b", "a") == found.edge("a", "b") == found.edges[0]
    assert found.edge("c", "a") == EdgeFrequency("a", "c", 0.0, 0.0, 0.0)
    with pytest.raises(GraphError, match="'z' was in none of the graphs"):
        found.edge("a", "z")


def test_record_survives_a_trip_through_json_and_a_file(tmp_path):
    found = result_of(EdgeFrequency("a", "b", 0.9, 0.8, 0.0))
    assert EdgeStability.from_json(found.to_json()) == found
    found.save(tmp_path / "found.json")
    assert load_result(tmp_path / "found.json") == found


def test_frame_has_a_row_for_each_edge():
    frame = result_of(EdgeFrequency("a", "b", 0.75, 0.5, 0.0)).to_frame()
    assert frame.to_dict("records") == [
        {
            "left": "a",
            "right": "b",
            "adjacent": 0.75,
            "forward": 0.5,
            "backward": 0.0,
            "undirected": 0.25,
        }
    ]
    assert len(result_of().to_frame().columns) == 6
