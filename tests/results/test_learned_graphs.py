"""A learned graph keeps its evidence: through JSON, when it is cut, and when it is asked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_records import EVIDENCE, NUMBERS, RUNS

from eiderdown import export
from eiderdown.errors import GraphError, ResultFormatError
from eiderdown.graphs import DAG, PDAG, random_dag
from eiderdown.results import LearnedEdge, LearnedNetwork, LearnedRegion, Run, load_result
from eiderdown.results.networks import markov_boundary
from eiderdown.structure.problem import StructureFound
from examples import examples

NAMES = st.text(min_size=1, max_size=8)


@st.composite
def learned(draw, kind=None):
    """A random DAG or pattern with random evidence."""
    nodes = tuple(draw(st.lists(NAMES, min_size=1, max_size=7, unique=True)))
    drawn = random_dag(len(nodes), edge_probability=0.5, random_state=draw(st.integers(0, 10_000)))
    new = dict(zip(drawn.nodes, nodes, strict=True))
    dag = DAG(nodes, [(new[a], new[b]) for a, b in drawn.edges])
    pattern = dag.to_cpdag()
    is_cpdag = draw(st.booleans())
    marked = pattern.marked_edges() if is_cpdag else dag.marked_edges()
    edges = tuple(
        LearnedEdge(
            left=edge.left,
            right=edge.right,
            directed=edge.arrow == "->",
            compelled=(edge.left, edge.right) in pattern.directed,
            gain=draw(st.none() | NUMBERS),
            test=draw(st.none() | EVIDENCE),
        )
        for edge in marked
    )
    apart = [
        (a, b) for i, a in enumerate(nodes) for b in nodes[i + 1 :] if b not in dag.adjacent(a)
    ]
    sets = {pair: tuple(draw(st.lists(st.sampled_from(nodes), max_size=2))) for pair in apart}
    fields = {
        "nodes": nodes,
        "edges": edges,
        "is_cpdag": is_cpdag,
        "run": draw(RUNS),
        "score": draw(st.none() | NUMBERS),
        "n_scores": draw(st.integers(0, 10**9)),
        "separating_sets": sets,
        "warnings": tuple(draw(st.lists(NAMES, max_size=2))),
        "complete": draw(st.booleans()),
    }
    if kind is LearnedNetwork or (kind is None and draw(st.booleans())):
        return LearnedNetwork(**fields)
    return LearnedRegion(**fields, target=nodes[0], depth=draw(st.integers(1, 5)))


@examples(24)
@given(learned())
def test_learned_graphs_survive_json(found):
    back = type(found).from_json(found.to_json())
    assert back == found
    assert back.graph == found.graph


def test_a_saved_network_is_recognised(tmp_path):
    found = three_nodes()
    found.save(tmp_path / "network.json")
    assert load_result(tmp_path / "network.json") == found


def test_json_of_another_kind_is_refused():
    with pytest.raises(ResultFormatError, match="something other than a learned region"):
        LearnedRegion.from_json(three_nodes().to_json())


@examples(24)
@given(learned(LearnedNetwork))
def test_graph_and_pattern_are_those_of_the_edges(found):
    if found.is_cpdag:
        assert isinstance(found.graph, PDAG)
        assert found.cpdag == found.graph
    else:
        assert isinstance(found.graph, DAG)
        assert found.cpdag == found.graph.to_cpdag()
    for edge in found.edges:
        assert found.edge(edge.right, edge.left) is edge


@examples(24)
@given(learned(LearnedNetwork), st.integers(0, 3))
def test_a_region_is_cut_after_the_pattern_is_made(found, depth):
    target = found.nodes[0]
    region = found.region(target, depth)
    assert region.graph == found.graph.region(target, depth)
    assert region.cpdag == found.cpdag.region(target, depth)
    assert set(region.edges) <= set(found.edges)
    assert all(set(pair) <= set(region.nodes) for pair in region.separating_sets)
    assert (region.target, region.depth, region.run) == (target, depth, found.run)


@examples(32)
@given(st.integers(0, 10_000))
def test_every_graph_of_a_class_has_the_same_boundaries(seed):
    dag = random_dag(8, edge_probability=0.35, random_state=seed)
    for node in dag.nodes:
        assert markov_boundary(dag, node) == dag.markov_boundary(node)
        assert markov_boundary(dag.to_cpdag(), node) == dag.markov_boundary(node)


@examples(24)
@given(st.integers(0, 10_000), st.integers(0, 3))
def test_cutting_numbers_is_cutting_names(seed, depth):
    dag = random_dag(8, edge_probability=0.3, random_state=seed)
    number = {name: 10 * i for i, name in enumerate(dag.nodes)}
    edges = tuple(sorted((number[a], number[b]) for a, b in dag.edges))
    whole = StructureFound(tuple(number.values()), edges)
    cut = whole.cut(0, depth)
    kept = dag.to_cpdag().region(dag.nodes[0], depth)
    assert cut.nodes == tuple(sorted(number[name] for name in kept.nodes))
    assert cut.compelled == {(number[a], number[b]) for a, b in kept.directed}
    again = cut.cut(0, depth)
    assert (again.nodes, again.directed) == (cut.nodes, cut.directed)
    assert again.compelled == cut.compelled


RUN = Run("mmhc", {}, 1, 2, 3, 0.5, 100, 3, "abc", None, {})


def three_nodes():
    edges = (
        LearnedEdge("A", "B", compelled=True, gain=2.5),
        LearnedEdge("C", "B", compelled=True, gain=1.0),
    )
    return LearnedNetwork(
        nodes=("A", "B", "C"),
        edges=edges,
        is_cpdag=False,
        run=RUN,
        separating_sets={("A", "C"): ()},
    )


def test_a_network_answers_questions():
    found = three_nodes()
    assert found.boundary("A") == {"B", "C"}
    assert found.separating_set("C", "A") == ()
    assert found.edge("A", "C") is None
    assert found.to_networkx().number_of_edges() == 2
    with pytest.raises(GraphError, match="no node 'D'"):
        found.edge("A", "D")


def test_networkx_edges_carry_the_evidence():
    assert export.to_networkx(three_nodes()).edges["A", "B"] == {"gain": 2.5}
    assert "2.5" in export.to_graphml(three_nodes())
