import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from network_examples import sprinkler

from eiderdown.errors import NetworkFormatError, UnreadableFileError
from eiderdown.graphs import DAG
from eiderdown.networks import (
    DiscreteNetwork,
    load,
    parse_bif,
    random_fan_in_dag,
    read_bif,
    to_bif,
    write_bif,
)
from examples import examples

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
AWKWARD = [
    *("<5", "Asy/Patch", "5-12", ">7.5", "a//b", "/*", "*/", 'say "hi"', "back\\slash", "a\\"),
    *("two words", "{x}", "table", "default", "x|y", "(1,2]", "ünï", "line\nbreak", "a\r\nb"),
]

HEADER = """\
// made by hand
network "odd one" { property author me, myself ; }
variable rain { /* two
lines */ type discrete [ 2 ] { no, yes };
  property position = (73, 165) ;
}
variable "wet grass" { type discrete[3] { "very dry" damp <5 }; }
variable cat { type discrete [ 2 ] { in, out }; }
probability ( rain ) { table 0.75 0.25; }
probability ( cat ) { property "free text" ; table 5e-1, .5; }
"""


def same(one, other):
    assert one.dag == other.dag
    for node in one.dag.nodes:
        assert one.states(node) == other.states(node)
        np.testing.assert_allclose(one.table(node), other.table(node), rtol=1e-13, atol=0)
    return True


@st.composite
def networks(draw):
    names = draw(st.lists(NAMES | st.sampled_from(AWKWARD), min_size=1, max_size=4, unique=True))
    seed = draw(st.integers(0, 1_000))
    plain = random_fan_in_dag(len(names), max_parents=3, random_state=seed)
    rename = dict(zip(plain.nodes, names, strict=True))
    dag = DAG(names, [(rename[a], rename[b]) for a, b in plain.edges])
    own = st.lists(NAMES | st.sampled_from(AWKWARD), min_size=1, max_size=3, unique=True)
    states = {name: draw(own) for name in names}
    generator = np.random.default_rng(seed)
    tables = {}
    for name, parents in zip(names, dag.parent_indices, strict=True):
        shape = [len(states[names[p]]) for p in parents]
        tables[name] = generator.dirichlet(np.ones(len(states[name])), size=shape)
    return DiscreteNetwork(dag, states, tables)


@examples(40)
@given(networks())
def test_any_network_survives_a_round_trip_through_text(network):
    assert same(network, parse_bif(to_bif(network)))


@pytest.mark.parametrize("name", ["net.bif", "net.bif.gz"])
def test_a_network_survives_a_round_trip_through_a_file(tmp_path, name):
    path = tmp_path / name
    write_bif(sprinkler(), path)
    assert same(sprinkler(), read_bif(path))


def test_awkward_level_names_survive_a_file(tmp_path):
    table = np.full(len(AWKWARD), 1 / len(AWKWARD))
    network = DiscreteNetwork(DAG.from_string("x"), {"x": AWKWARD}, {"x": table})
    write_bif(network, tmp_path / "odd.bif")
    assert read_bif(tmp_path / "odd.bif").states("x") == tuple(AWKWARD)


def test_plain_level_names_are_written_without_quotes():
    states = ["<5", "5-12", "Asy/Patch"]
    network = DiscreteNetwork(DAG.from_string("x"), {"x": states}, {"x": [0.2, 0.3, 0.5]})
    assert "{ <5, 5-12, Asy/Patch };" in to_bif(network)


def test_compressed_files_of_one_network_have_equal_bytes(tmp_path):
    for name in ("a.bif.gz", "b.bif.gz"):
        write_bif(sprinkler(), tmp_path / name)
    assert (tmp_path / "a.bif.gz").read_bytes() == (tmp_path / "b.bif.gz").read_bytes()


@pytest.mark.no_cover
def test_munin_survives_a_round_trip():
    munin = load("munin")
    assert same(munin, parse_bif(to_bif(munin)))


def test_comments_properties_quotes_and_missing_commas_are_understood():
    network = parse_bif(
        HEADER + 'probability ( "wet grass" | rain ) { (no) 1 0 0; (yes) 0.5, 0.25, 0.25; }'
    )
    assert network.dag == DAG(["rain", "wet grass", "cat"], [("rain", "wet grass")])
    assert network.states("wet grass") == ("very dry", "damp", "<5")
    assert network.table("wet grass").tolist() == [[1, 0, 0], [0.5, 0.25, 0.25]]
    assert network.table("cat").tolist() == [0.5, 0.5]


def test_parents_in_file_order_are_moved_to_node_order():
    text = HEADER + (
        'probability ( "wet grass" | cat, rain ) {'
        "(in, no) 1 0 0; (in, yes) 0 1 0; (out, no) 0 0 1; (out, yes) .5 .5 0; }"
    )
    table = parse_bif(text).table("wet grass")
    assert parse_bif(text).parents("wet grass") == ("rain", "cat")
    assert table[1, 0].tolist() == [0, 1, 0]
    assert table[0, 1].tolist() == [0, 0, 1]


def test_default_fills_the_rows_that_are_not_listed():
    text = HEADER + (
        'probability ( "wet grass" | cat, rain ) { (out, yes) .5 .5 0; default 0 0 1; }'
    )
    table = parse_bif(text).table("wet grass")
    assert table[1, 1].tolist() == [0.5, 0.5, 0]
    assert table[0, 0].tolist() == table[0, 1].tolist() == table[1, 0].tolist() == [0, 0, 1]


@pytest.mark.parametrize("heading", ['"wet grass" | rain', '"wet grass" rain'])
def test_a_whole_table_has_the_own_level_slowest(heading):
    text = HEADER + f"probability ( {heading} ) {{ table 0.1 0.2, 0.3 0.3, 0.6 0.5; }}"
    assert parse_bif(text).table("wet grass").tolist() == [[0.1, 0.3, 0.6], [0.2, 0.3, 0.5]]


WET = 'probability ( "wet grass" | rain )'


@pytest.mark.parametrize(
    ("ending", "message"),
    [
        ("", "line 11: the file ends without the probabilities of 'wet grass'"),
        (f"\n{WET} {{ (no) 1 0 0; (yes) 1 0 x; }}", "line 12: expected a number but found 'x'"),
        (
            f"{WET} {{ (no) 1 0 0; }}",
            "line 11: .*no probabilities for 'wet grass' given rain='yes'",
        ),
        (f"{WET} {{ (no) 1 0 0;\n (yes) 1 0; }}", "line 12: 'wet grass' needs 3 numbers .* has 2"),
        (f"{WET} {{ default 1 0; }}", "line 11: 'wet grass' needs 3 numbers here but has 2"),
        (f"{WET} {{ table 1 0; }}", "line 11: 'wet grass' needs 6 numbers here but has 2"),
        (f"{WET} {{ (no) 1 0 0;\n (maybe) 1 0 0; }}", "line 12: .*'maybe'.*parents of 'wet grass'"),
        (f"{WET} {{ (no, no) 1 0 0; }}", "line 11: .*not a configuration of the parents"),
        (f"{WET} {{ (no) 1 0 0; (yes) .5 .4 0; }}", "line 11: .*'wet grass' given rain='yes' sum"),
        (f"{WET} {{ (no) 1 0 0", "line 11: the file ends"),
        (f"{WET} {{ rows 1 0 0; }}", "line 11: expected a parent configuration.*found 'rows'"),
        ("probability ( snow ) { table 1; }", "line 11: there is no variable named 'snow'"),
        ("probability ( rain ) { table 1 0; }", "line 11: the probabilities of 'rain' .* twice"),
        ("variable rain { type discrete [1] { x }; }", "line 11: the variable 'rain' .* twice"),
        ("variable x { type discrete [3] { a, b }; }", "line 11: the variable 'x' announces 3"),
        ("variable x { type discrete [2] { a, a }; }", "line 11: the variable 'x' announces 2"),
        ("variable x { type continuous; }", "line 11: the variable 'x' is not discrete"),
        ("variable x { }", "line 11: the variable 'x' has no states"),
        ("variable { }", "line 11: expected a name but found '{'"),
        ("variable x ( )", r"line 11: expected '{' but found '\('"),
        ("\n\nsomething", "line 13: expected 'network', 'variable' or 'probability'"),
        ('variable "x', "line 11: a quote or a comment is opened here"),
        ("/* no end", "line 11: a quote or a comment is opened here"),
    ],
)
def test_errors_name_the_source_and_the_line(ending, message):
    with pytest.raises(NetworkFormatError, match=f"(?s)^net.bif.*{message}"):
        parse_bif(HEADER + ending, source="net.bif")


def test_a_cycle_is_refused_with_the_source():
    text = """
    variable a { type discrete [1] { x }; } variable b { type discrete [1] { x }; }
    probability ( a | b ) { table 1; } probability ( b | a ) { table 1; }
    """
    with pytest.raises(NetworkFormatError, match=r"net\.bif.*cycle"):
        parse_bif(text, source="net.bif")


def test_a_missing_or_broken_file_is_named(tmp_path):
    with pytest.raises(UnreadableFileError, match=r"nowhere\.bif"):
        read_bif(tmp_path / "nowhere.bif")
    broken = tmp_path / "broken.bif.gz"
    broken.write_bytes(gzip.compress(b"network x { }" * 50, mtime=0)[:-12])
    with pytest.raises(UnreadableFileError, match=r"broken\.bif\.gz"):
        read_bif(broken)
    (tmp_path / "binary.bif").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UnreadableFileError, match=r"binary\.bif"):
        read_bif(tmp_path / "binary.bif")
