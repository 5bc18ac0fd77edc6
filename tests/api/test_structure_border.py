"""Around every search for a network: names, kinds, knowledge, warnings, interruptions."""

import numpy as np
import pytest
from api_tables import continuous_table, discrete_table, mixed_columns
from structure_fakes import answering

from eiderdown import Dataset, Knowledge, learn_network, learn_region
from eiderdown.errors import (
    ConstantColumnError,
    EiderdownWarning,
    InputError,
    KnowledgeError,
    OptionError,
    TooFewRowsError,
    UnknownColumnError,
    UnreadableFileError,
)
from eiderdown.graphs import DAG, PDAG
from eiderdown.progress import Cancelled
from eiderdown.scores import BDEU, BdeuScore
from eiderdown.structure.problem import StructureFound

CHAIN = StructureFound(
    nodes=(0, 1, 2),
    directed=((0, 1), (1, 2)),
    separating_sets={frozenset((0, 2)): (1,)},
    edge_evidence={(0, 1): 3.5, (1, 2): 1.25},
    score=-100.0,
)


def chain_columns(**more):
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 200)
    return {"a": a, "b": (a + (rng.random(200) < 0.2)) % 2, "c": rng.integers(0, 2, 200), **more}


def learn(found, data=None, **options):
    with answering(lambda search, loud: found):
        return learn_network(chain_columns() if data is None else data, algorithm="fake", **options)


def asked(data, *, tests=False, scores=False, **options):
    """Return the search that an algorithm is given."""
    searches = []

    def remember(search, loud):
        searches.append(search)
        return StructureFound(tuple(range(search.n_variables)))

    with answering(remember, tests=tests, scores=scores):
        learn_network(data, algorithm="fake", **options)
    return searches[0]


def test_numbers_become_names():
    network = learn(CHAIN)
    assert network.graph == DAG.from_string("a->b->c")
    assert network.cpdag == PDAG.from_string("a--b--c")
    assert [(str(edge), edge.gain, edge.compelled) for edge in network.edges] == [
        ("a -> b", 3.5, False),
        ("b -> c", 1.25, False),
    ]
    assert network.separating_set("c", "a") == ("b",)
    assert network.separating_set("a", "b") is None
    assert network.score == -100.0
    assert network.warnings == ()


def test_edges_from_tests_carry_their_test():
    def tested(search, loud):
        result = search.the_test.test(0, 1, [2])
        return StructureFound(
            (0, 1, 2), undirected=((0, 1),), is_cpdag=True, edge_evidence={(0, 1): result}
        )

    with answering(tested, tests=True):
        network = learn_network(chain_columns(), algorithm="fake")
    assert network.graph == PDAG(["a", "b", "c"], [], [("a", "b")])
    (edge,) = network.edges
    assert (edge.left, edge.right, edge.directed, edge.gain) == ("a", "b", False, None)
    assert (edge.test.variable, edge.test.given) == ("a", ("c",))
    assert edge.test.log_p < -10
    assert network.run.n_tests == 1
    assert network.run.options["test"] == "CalibratedChiSquareTest"


def test_constant_columns_are_nodes_without_edges_and_excluded_ones_are_no_nodes():
    columns = {"flat": ["x"] * 200, "key": np.arange(200) % 10, **chain_columns()}
    with pytest.warns(EiderdownWarning, match="single value: 'flat'"):
        network = learn(CHAIN, columns, exclude=["key"])
    assert network.graph == DAG(["flat", "a", "b", "c"], [("a", "b"), ("b", "c")])
    assert network.warnings == ("Without edges because they have a single value: 'flat'.",)
    assert network.run.fingerprint == Dataset.of(columns, exclude=["key"]).fingerprint
    assert network.run.n_columns == 4


def test_notes_of_the_search_and_the_test_become_warnings():
    found = StructureFound((0, 1, 2), notes=("Something is odd.",))
    with pytest.warns(EiderdownWarning, match="Something is odd"):
        assert learn(found).warnings == ("Something is odd.",)


def test_an_interrupted_search_says_so():
    found = StructureFound((0, 1, 2), directed=((0, 1),), complete=False)
    with pytest.warns(EiderdownWarning, match="interrupted; this is the best graph so far"):
        network = learn(found, knowledge={"required": [["b", "c"]]})
    assert not network.complete
    assert network.graph.n_edges == 1


def test_ctrl_c_before_there_is_a_graph_gives_an_empty_one():
    def interrupted(search, loud):
        raise Cancelled

    with answering(interrupted):
        with pytest.warns(EiderdownWarning, match="interrupted"):
            network = learn_network(chain_columns(), algorithm="fake")
        with pytest.warns(EiderdownWarning, match="interrupted"):
            region = learn_region(chain_columns(), algorithm="fake", target="b")
    assert (network.complete, network.nodes, network.edges) == (False, ("a", "b", "c"), ())
    assert (region.complete, region.nodes, region.edges) == (False, ("b",), ())


def test_a_graph_that_breaks_the_knowledge_is_never_returned():
    with pytest.raises(KnowledgeError, match="'b' -> 'c' is forbidden"):
        learn(CHAIN, knowledge={"forbidden": [["b", "c"]]})


def test_knowledge_comes_as_an_object_a_mapping_or_a_file(tmp_path):
    known = Knowledge(tiers=[["a"], ["b", "c"]], max_parents=2)
    (tmp_path / "known.json").write_text('{"tiers": [["a"], ["b", "c"]], "max_parents": 2}')
    (tmp_path / "known.toml").write_text('tiers = [["a"], ["b", "c"]]\nmax_parents = 2\n')
    ways = [known, known.to_dict(), tmp_path / "known.json", str(tmp_path / "known.toml")]
    for way in ways:
        search = asked(chain_columns(), knowledge=way)
        assert search.knowledge.allowed(1, np.array([0, 2])).tolist() == [True, True]
        assert search.knowledge.allowed(0, np.array([1, 2])).tolist() == [False, False]
        assert search.knowledge.max_parents == 2
    assert learn(CHAIN, knowledge=known).run.options["knowledge"] == known.to_dict()


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("k.json", "{", "In .*k.json.*: This is not JSON"),
        ("k.toml", "tiers = [", "In .*k.toml.*: This is not TOML"),
        ("k.json", '{"tier": []}', "In .*k.json.*no key 'tier'"),
        ("k.json", "[1]", "In .*k.json.*Knowledge is a mapping"),
        ("k.json", '{"required": [["a", "b"], ["b", "a"]]}', "In .*k.json.*is required"),
    ],
)
def test_a_broken_knowledge_file_is_named(tmp_path, name, text, problem):
    (tmp_path / name).write_text(text)
    with pytest.raises(KnowledgeError, match=problem):
        learn(CHAIN, knowledge=tmp_path / name)


def test_a_missing_knowledge_file_is_named(tmp_path):
    with pytest.raises(UnreadableFileError, match=r"Cannot read .*none\.json"):
        learn(CHAIN, knowledge=tmp_path / "none.json")


def test_knowledge_about_no_column_is_refused():
    with pytest.raises(UnknownColumnError, match="'bb', which the table does not have"):
        learn(CHAIN, knowledge={"forbidden": [["bb", "c"]]})


def test_knowledge_about_columns_left_out_is_left_out():
    columns = {"flat": ["x"] * 200, **chain_columns()}
    known = {"tiers": [["flat", "a"], ["b", "c"]], "forbidden": [["flat", "b"]]}
    with pytest.warns(EiderdownWarning, match="flat"):
        network = learn(CHAIN, columns, knowledge=known)
    assert network.run.options["knowledge"]["tiers"] == [["a"], ["b", "c"]]
    with pytest.raises(ConstantColumnError, match="'flat' has a single value or is excluded"):
        learn(CHAIN, columns, knowledge={"required": [["flat", "b"]]})


def test_kinds_choose_the_test_and_the_score():
    discrete = asked(discrete_table(200), tests=True, scores=True)
    continuous = asked(continuous_table(200), tests=True, scores=True)
    assert discrete.test.description["test"] == "CalibratedChiSquareTest"
    assert continuous.test.description["test"] == "FisherZTest"
    assert discrete.score.description != continuous.score.description


def test_mixed_columns_are_cut_with_a_warning():
    data = Dataset.of(mixed_columns())
    with pytest.warns(EiderdownWarning, match=r"Cut into 3 categories .*: 'height', 'weight'"):
        search = asked(data, tests=True, scores=True)
    assert search.score.data.is_discrete.all()
    assert search.score.data.n_categories.tolist() == [3, 3, 3, 3]


def test_a_score_for_mixed_columns_gets_them_as_they_are():
    data = Dataset.of(mixed_columns())
    scored = []

    def make(table):
        scored.append(table)
        return BdeuScore(discrete_table(50))

    asked(data, scores=True, score=make)
    both = asked(data, tests=True, scores=True, score=make)
    assert both.test.description["test"] == "WilksTest"
    assert [table.is_discrete.tolist() for table in scored] == [[1, 1, 0, 0]] * 2


def test_options_of_the_score_reach_it():
    search = asked(chain_columns(), scores=True, score=BDEU(equivalent_sample_size=3.0))
    assert search.score.description["equivalent_sample_size"] == 3.0


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"alpha": 0.0}, "alpha must be between 0 and 1"),
        ({"max_given": -1}, "max_given must be at least 0"),
        ({"random_state": -1}, "random_state must be"),
        ({"loud": True}, "no option 'loud'"),
        ({"time_limit": -1.0}, "time_limit must be at least 0"),
        ({"exclude": ["d"]}, "'d'"),
    ],
)
def test_options_outside_their_range_are_refused(options, problem):
    with pytest.raises(InputError, match=problem):
        learn(CHAIN, **options)


def test_options_of_the_search_are_its_own():
    with answering(lambda search, loud: CHAIN) as fake:
        with pytest.raises(OptionError, match="no option 'loudness'"):
            fake(loudness=1)
        with pytest.raises(OptionError, match="loud must be bool"):
            fake(loud=1)
        assert learn_network(chain_columns(), algorithm=fake(loud=True)).run.options["loud"]


def test_a_table_with_nothing_to_search_is_refused():
    with pytest.raises(InputError, match="Fewer than two columns vary"):
        learn(CHAIN, {"a": [0, 1, 0], "b": [1, 1, 1]})


def test_rows_too_few_for_any_test_are_refused():
    def tested(search, loud):
        search.the_test.sweep([1, 2], 0)
        return CHAIN

    columns = {name: list("abcdefgh") for name in "abc"}
    with answering(tested, tests=True), pytest.raises(TooFewRowsError, match="8 rows are too few"):
        learn_network(columns, algorithm="fake")


@pytest.mark.parametrize(
    ("options", "kind", "problem"),
    [
        ({"target": "z"}, UnknownColumnError, "'z'"),
        ({"target": "flat"}, ConstantColumnError, "Target 'flat' has a single value"),
        ({"target": "a", "exclude": ["a"]}, InputError, "'a' is both the target and excluded"),
        ({"target": "a", "depth": 0}, OptionError, "depth must be at least 1, not 0"),
        ({"target": "a", "depth": 1.5}, OptionError, "depth must be int, not 1.5"),
    ],
)
def test_regions_around_nothing_are_refused(options, kind, problem):
    columns = {"flat": ["x"] * 200, **chain_columns()}
    with answering(lambda search, loud: CHAIN), pytest.raises(kind, match=problem):
        learn_region(columns, algorithm="fake", **options)


def test_a_region_knows_its_centre_and_its_depth():
    searches = []

    def cut(search, loud):
        searches.append(search)
        return StructureFound((0, 1, 2), ((0, 1), (2, 1))).cut(*search.the_region)

    with answering(cut):
        region = learn_region(chain_columns(), algorithm="fake", target="a", depth=1)
    assert (searches[0].target, searches[0].depth) == (0, 1)
    assert (region.target, region.depth, region.nodes) == ("a", 1, ("a", "b"))
    # c -> b is outside, but it is why a -> b cannot be turned.
    assert region.cpdag == PDAG(["a", "b"], [("a", "b")])
    assert region.graph == DAG(["a", "b"], [("a", "b")])
