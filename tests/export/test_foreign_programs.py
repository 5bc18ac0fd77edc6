"""What other programs write is read, and what they expect is written.

``causal_learn.json`` was written by causal-learn 0.1.4.8: str(graph) and graph.graph of a Dag with
the edges A->B, C->B, C->D, B->E, and of dag2cpdag of it. The other texts are in the layouts that
the programs' manuals show. By hand, graphs that Eiderdown wrote were read by causal-learn (Tetrad
text), pydot 4.0 (DOT), networkx (GraphML), pgmpy 1.0 (DAGitty) and pyagrum (BIF).
"""

import json
from pathlib import Path
from types import SimpleNamespace

import networkx
import pytest

from eiderdown import export
from eiderdown.errors import GraphError
from eiderdown.graphs import DAG, PDAG

TRUE_DAG = DAG(list("ABCDE"), [("A", "B"), ("C", "B"), ("C", "D"), ("B", "E")])
TRUTH = {"dag": TRUE_DAG, "pattern": TRUE_DAG.to_cpdag()}
CAUSAL_LEARN = json.loads((Path(__file__).parent / "causal_learn.json").read_text())


@pytest.mark.parametrize("kind", ["dag", "pattern"])
def test_graphs_of_causal_learn_are_read_and_written(kind):
    theirs, ours = CAUSAL_LEARN[kind], TRUTH[kind]
    assert export.from_tetrad(theirs["text"]) == ours
    assert export.from_causal_learn(theirs["matrix"], nodes=list("ABCDE")) == ours
    assert export.to_causal_learn(ours).tolist() == theirs["matrix"]


def test_results_of_causal_learn_bring_their_names():
    theirs = SimpleNamespace(
        graph=CAUSAL_LEARN["pattern"]["matrix"], get_node_names=lambda: list("ABCDE")
    )
    assert export.from_causal_learn(theirs) == TRUTH["pattern"]
    assert export.from_causal_learn(SimpleNamespace(G=theirs)) == TRUTH["pattern"]


def test_a_bare_matrix_needs_names():
    with pytest.raises(GraphError, match=r"give those of its rows as nodes=\[\.\.\.\]"):
        export.from_causal_learn([[0, -1], [1, 0]])


@pytest.mark.parametrize("matrix", [[[0, 1], [1, 0]], [[0, 2], [1, 0]], [[0, 1], [0, 0]]])
def test_edges_of_other_kinds_are_refused(matrix):
    with pytest.raises(GraphError, match="between 'A' and 'B' is neither directed nor undirected"):
        export.from_causal_learn(matrix, nodes=["A", "B"])


def test_a_matrix_of_the_wrong_shape_is_refused():
    with pytest.raises(GraphError, match="must have 3 rows and columns"):
        export.from_causal_learn([[0, 1], [1, 0]], nodes=["A", "B", "C"])


def test_a_matrix_as_r_writes_it_is_read():
    # write.csv(matrix) of R quotes the names; amat["B", "A"] is 1 for A -> B
    text = '"","A","B","C"\n"A",0,0,0\n"B",1,0,1\n"C",0,1,0\n'
    assert export.from_pcalg(text) == PDAG.from_string("A->B, B--C")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (",A,B\nA,0,x\nB,0,0\n", "not a whole number"),
        (",A,B\nA,0,1\nC,0,0\n", "same names in its first row and first column"),
        (",A,B\nA,0,1\nB,0\n", "must have 2 rows and columns"),
    ],
)
def test_a_broken_matrix_is_refused(text, problem):
    with pytest.raises(GraphError, match=problem):
        export.from_pcalg(text)


def test_tetrad_text_with_more_sections_and_arrows_the_other_way_is_read():
    text = """Graph Nodes:
    A;B;C

    Graph Edges:
    1. B <-- A dd nl
    2. B --- C

    Graph Attributes:
    BIC: -12.5
    """
    assert export.from_tetrad(text) == PDAG.from_string("A->B, B--C")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("A --> B", "begins with a line 'Graph Nodes:'"),
        ("Graph Nodes:\nA;B\n\nGraph Edges:\n1. A o-> B", r"\(o->\) is neither directed"),
        ("Graph Nodes:\nA\n\nGraph Edges:\n1. A --> B", "no node 'B'"),
    ],
)
def test_tetrad_text_that_is_none_is_refused(text, problem):
    with pytest.raises(GraphError, match=problem):
        export.from_tetrad(text)


def test_dot_as_people_write_it_is_read():
    text = """
    /* a comment */ strict digraph "my graph" {  // another
      rankdir = LR; graph [bgcolor="#ffffff"]; node [shape=box, width=-1.5];
      A -> {B; "two words" [color=red]} -> C [weight=2];
      subgraph cluster_1 { D -> E }
      F -> D [dir=back]
      D -> F2 [dir=none]
    }
    """
    read = export.from_dot(text)
    assert read == PDAG(
        ["A", "B", "two words", "C", "D", "E", "F", "F2"],
        [("A", "B"), ("A", "two words"), ("B", "C"), ("two words", "C"), ("D", "E"), ("D", "F")],
        [("D", "F2")],
    )


def test_an_undirected_dot_graph_is_read():
    assert export.from_dot("graph { A -- B -- C }") == PDAG.from_string("A--B--C")


def test_dagitty_of_the_web_page_is_read():
    text = """dag {
    bb="-4.3,-3.2,4.1,3.9"
    "blood pressure" [outcome,pos="1.2,-0.5"]
    smoking [exposure,pos="-1.7,-0.4"]
    age [pos="-0.3,-1.6"]
    age -> "blood pressure"
    age -> smoking
    "blood pressure" <- smoking [beta=0.3]
    }"""
    assert export.from_dagitty(text) == DAG(
        ["blood pressure", "smoking", "age"],
        [("age", "blood pressure"), ("age", "smoking"), ("smoking", "blood pressure")],
    )


@pytest.mark.parametrize(
    ("read", "text", "problem"),
    [
        (export.from_dot, "A -> B", "DOT begins with digraph or graph, not with 'a'"),
        (export.from_dot, "digraph { A -> ", "'the end' came where a node was expected"),
        (export.from_dot, "digraph { A [color", "'the end' came where"),
        (export.from_dot, "digraph { A -> B } C", "'C' came where nothing after the last brace"),
        (export.from_dot, "digraph A -> B", "'->' came where '{' was expected"),
        (export.from_dot, "digraph { A-1 }", "'-1' came where a node was expected"),
        (export.from_dot, "digraph {\nA & B }", "cannot be read at '&' in line 2"),
        (export.from_dot, "digraph { A -> B [dir=both] }", "neither directed nor undirected"),
        (export.from_dot, "digraph { A -> B -> A }", "form the cycle"),
        (export.from_dagitty, "dag { A <-> B }", "The edge A <-> B stands for something"),
        (export.from_dagitty, "dag { A -- B }", "write 'pdag'"),
        (export.from_dagitty, "mag { A -> B }", "DAGitty begins with dag or pdag"),
        (export.from_bnlearn, "[A][B|A", "This is not bnlearn's model string"),
        (export.from_bnlearn, "", "This is not bnlearn's model string"),
        (export.from_bnlearn, "[A|B]", "no node 'B'"),
        (export.from_graphml, "<graphml", "This is not GraphML"),
    ],
)
def test_a_text_that_is_none_is_refused_with_a_sentence(read, text, problem):
    with pytest.raises(GraphError, match=problem):
        read(text)


def test_bnlearn_string_lists_parents_before_children():
    assert export.to_bnlearn(DAG(["C", "B", "A"], [("A", "C"), ("B", "C")])) == "[B][A][C|B:A]"


def test_graphml_is_networkx_own():
    pattern = PDAG.from_string("A->B, B--C")
    read = networkx.parse_graphml(export.to_graphml(pattern))
    assert sorted(read.edges) == [("A", "B"), ("B", "C"), ("C", "B")]


def test_undirected_graphml_is_read():
    text = "\n".join(networkx.generate_graphml(networkx.path_graph(["A", "B", "C"])))
    assert export.from_graphml(text) == PDAG.from_string("A--B--C")


@pytest.mark.parametrize(
    "source",
    [
        None,
        SimpleNamespace(G=None),
        SimpleNamespace(graph=None),
        SimpleNamespace(graph="newer"),
        [["x"]],
        [[float("nan")]],
        [[0.5]],
        [[10**30]],
        [[[0]]],
        [[0, 1]],
    ],
    ids=str,
)
def test_what_causal_learn_does_not_write_is_refused_in_a_sentence(source):
    with pytest.raises(GraphError, match="The matrix must have 1 rows and columns"):
        export.from_causal_learn(source, nodes=["a"])


@pytest.mark.parametrize("source", [None, "text", [("a", "b")]])
def test_what_is_no_graph_is_refused_in_a_sentence(source):
    with pytest.raises(GraphError, match="is needed here, not a"):
        export.from_networkx(source)
    with pytest.raises(GraphError, match="is no graph; give a DAG"):
        export.to_dot(source)
