"""Whatever is exported reads back as the same graph."""

import pytest
from graph_samples import MIXED, ODD_NAMES, PLAIN_NAMES, graphs
from hypothesis import given
from hypothesis import strategies as st

from eiderdown import export, networks
from eiderdown.errors import GraphError, OptionError, UnreadableFileError
from eiderdown.export.libraries import from_csv, to_csv
from eiderdown.graphs import DAG, PDAG
from examples import examples

QUICK = examples(24)


@pytest.mark.no_cover
@QUICK
@given(graphs())
@pytest.mark.parametrize(
    ("there", "back"),
    [
        (export.to_dot, export.from_dot),
        (export.to_dagitty, export.from_dagitty),
        (export.to_graphml, export.from_graphml),
        (export.to_networkx, export.from_networkx),
        (export.to_pcalg, export.from_pcalg),
    ],
)
def test_any_names_survive(there, back, graph):
    assert back(there(graph)) == graph


@QUICK
@given(graphs(names=PLAIN_NAMES))
def test_tetrad_text_and_causal_learn_matrix_read_back(graph):
    assert export.from_tetrad(export.to_tetrad(graph)) == graph
    matrix = export.to_causal_learn(graph)
    assert export.from_causal_learn(matrix, nodes=graph.nodes) == graph


@QUICK
@given(graphs(names=PLAIN_NAMES, kinds=("dag",)))
def test_bnlearn_string_reads_back(graph):
    assert export.from_bnlearn(export.to_bnlearn(graph)) == graph


@QUICK
@given(st.lists(ODD_NAMES, min_size=1, max_size=4, unique=True), st.integers(-9, 9))
def test_a_named_matrix_survives_csv(nodes, number):
    cells = [[number + i * len(nodes) + j for j in range(len(nodes))] for i in range(len(nodes))]
    matrix, names = from_csv(to_csv(cells, nodes))
    assert matrix.tolist() == cells
    assert names == nodes


@pytest.mark.parametrize(
    "form", [name for name in export.FORMATS.names if name not in ("bif", "bnlearn")]
)
def test_files_of_every_format_read_back(tmp_path, form):
    export.write_graph(MIXED, tmp_path / "graph.any", form=form)
    assert export.read_graph(tmp_path / "graph.any", form=form) == MIXED


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("g.dot", "dot"),
        ("g.GV", "dot"),
        ("g.graphml", "graphml"),
        ("g.bif", "bif"),
        ("g.bif.gz", "bif"),
        ("g.dagitty", "dagitty"),
        ("g.bnlearn", "bnlearn"),
        ("g.txt", "tetrad"),
        ("g.tetrad", "tetrad"),
        ("g.csv", "pcalg"),
    ],
)
def test_the_name_says_the_format(tmp_path, name, form):
    asia = networks.load("asia")
    assert export.format_of(name).name == form
    export.write_graph(asia.dag, tmp_path / name, data=asia.sample(100, random_state=0))
    assert export.read_graph(tmp_path / name) == asia.dag


def test_the_format_overrules_the_name(tmp_path):
    export.write_graph(MIXED, tmp_path / "g.csv", form="causal_learn")
    assert "-1" in (tmp_path / "g.csv").read_text()
    assert export.read_graph(tmp_path / "g.csv", form="causal_learn") == MIXED


def test_the_same_graph_gives_the_same_bytes(tmp_path):
    asia = networks.load("asia")
    data = asia.sample(100, random_state=0)
    for name in ("a.bif.gz", "b.bif.gz"):
        export.write_graph(asia.dag, tmp_path / name, data=data)
    assert (tmp_path / "a.bif.gz").read_bytes() == (tmp_path / "b.bif.gz").read_bytes()


def test_bif_holds_the_tables_of_the_data():
    asia = networks.load("asia")
    data = asia.sample(20_000, random_state=0)
    back = networks.parse_bif(export.to_bif(asia.dag, data))
    fitted = networks.fit_network(asia.dag, data)
    assert back.dag == asia.dag
    for node in asia.dag.nodes:
        assert back.states(node) == asia.states(node)
        assert back.table(node).tolist() == fitted.table(node).tolist()


def test_bif_of_a_network_needs_no_data():
    asia = networks.load("asia")
    assert export.to_bif(asia) == networks.to_bif(asia)


def test_bif_without_data_is_refused():
    with pytest.raises(OptionError, match="give the table as data="):
        export.to_bif(DAG.from_string("A->B"))


def test_bif_of_continuous_columns_is_refused():
    network = networks.random_gaussian_network(3, random_state=0)
    with pytest.raises(OptionError, match="these are continuous; discretise them"):
        export.to_bif(network.dag, network.sample(50, random_state=0))


@pytest.mark.parametrize("write", [export.to_bnlearn, export.to_bif])
def test_a_pattern_is_refused_where_edges_must_have_a_direction(write):
    with pytest.raises(GraphError, match=r"no undirected edges.*graph\.to_dag\(\)"):
        write(MIXED)


@pytest.mark.parametrize(
    ("write", "name", "sign"),
    [
        (export.to_bnlearn, "a:b", "':'"),
        (export.to_bnlearn, "a[0]", "'\\['"),
        (export.to_tetrad, "a b", "' '"),
        (export.to_tetrad, "a;b", "';'"),
    ],
)
def test_a_name_that_the_format_cannot_hold_is_refused(write, name, sign):
    with pytest.raises(GraphError, match=f"because {sign} has a meaning of its own"):
        write(DAG([name, "x"]))


def test_a_file_name_that_says_nothing_is_refused():
    with pytest.raises(OptionError, match=r"'graph\.xyz' does not say which format; end it in"):
        export.format_of("graph.xyz")


def test_an_unknown_format_is_refused():
    with pytest.raises(OptionError, match="no format 'dott'; did you mean 'dot'"):
        export.format_of("graph.dot", "dott")


@pytest.mark.parametrize("name", ["missing.dot", "broken.bif.gz", "bytes.dot"])
def test_a_file_that_cannot_be_read_is_named(tmp_path, name):
    (tmp_path / "broken.bif.gz").write_bytes(b"not zipped")
    (tmp_path / "bytes.dot").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UnreadableFileError, match=f"Cannot read .*{name}"):
        export.read_graph(tmp_path / name)


def test_a_pattern_without_undirected_edges_stays_a_pattern_in_dagitty():
    collider = PDAG.from_string("A->B<-C")
    assert export.from_dagitty(export.to_dagitty(collider)) == collider
