"""``eiderdown algorithms``, and names that are given to the wrong place."""

from __future__ import annotations

import json

import pytest
from command_line import run

from eiderdown import find_boundary, learn_region, networks
from eiderdown.boundary import MMPC
from eiderdown.cli.app import VERBS
from eiderdown.errors import OptionError
from eiderdown.independence.registry import TESTS
from eiderdown.registry import HOMES, registry_at
from eiderdown.structure import MMHC

TAKERS = [verb for verb in VERBS if verb.algorithms]
WIDTHS = (60, 80, 120)


@pytest.fixture(scope="module")
def asia():
    return networks.load("asia").sample(200, random_state=0)


@pytest.mark.parametrize("verb", TAKERS, ids=lambda verb: verb.name)
def test_a_verb_lists_what_it_takes_and_its_tests_and_scores(verb):
    said = run("algorithms", verb.name, columns=120).stdout
    taken = json.loads(run("algorithms", verb.name, "--json").stdout)
    names = {record["name"] for record in taken["algorithm"]}
    assert names == set(registry_at(verb.algorithms).names)
    for name in names:
        assert f"\n{name} " in said
    assert ("test" in taken) == (f"eiderdown {verb.name} --test\n" in said)
    assert all(record["summary"] for records in taken.values() for record in records)


def test_the_verb_for_one_test_lists_the_tests():
    taken = json.loads(run("algorithms", "test", "--json").stdout)
    assert [record["name"] for record in taken["test"]] == list(TESTS.names)


def test_each_search_says_which_verbs_take_it():
    records = {record["name"]: record for record in json.loads(run("algorithms", "--json").stdout)}
    verbs = ["find", "all", "interactions", "predict", "path", "confidence"]
    assert records["iamb"]["verbs"] == verbs
    assert "boundaries" in records["kiamb"]["verbs"]
    assert records["mmpc"]["verbs"][0] == "parents-children"
    assert records["ges"]["verbs"] == ["network", "stability", "confidence"]
    assert "Taken by: parents-children, all" in run("algorithms", "mmpc").stdout
    assert "g_square is a test of independence." in run("algorithms", "g_square").stdout


@pytest.mark.parametrize("width", WIDTHS)
def test_lists_fold_and_cut_nothing(width):
    for words in (("algorithms",), ("algorithms", "find"), ("selectors",), ("networks",)):
        said = run(*words, columns=width).stdout
        assert "…" not in said
    names = [entry.name for home in HOMES[:4] for entry in home.entries]
    listed = {
        line.split()[0] for line in run("algorithms", columns=width).stdout.split("\n") if line
    }
    assert set(names) <= listed


@pytest.mark.parametrize("verb", TAKERS, ids=lambda verb: verb.name)
def test_a_registered_name_given_to_the_wrong_verb_is_told_where_it_belongs(verb, tmp_path):
    """Every name of every registry, by every verb: taken, or sent to its own place."""
    taken = registry_at(verb.algorithms)
    for home in HOMES:
        for entry in home.entries:
            if entry.name not in taken:
                with pytest.raises(OptionError) as raised:
                    taken[entry.name]
                assert "is no choice here: it " in str(raised.value)
                first = next(other for other in HOMES if entry.name in other.entries)
                assert first.way_out in str(raised.value)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["find", "--algorithm", "mmpc"],
            "use find_parents_children ('eiderdown parents-children')",
        ),
        (["find", "--algorithm", "mmhc"], "finds the directed graph of a table; use learn_network"),
        (["find", "--algorithm", "bdeu"], "it is a score of graphs; give it as score ('--score')"),
        (["parents-children", "--algorithm", "pcmb"], "use find_boundary ('eiderdown find')"),
        (["region", "--algorithm", "ges"], "use learn_network ('eiderdown network')"),
        (["find", "--algorithm", "mmpcc"], "no algorithm 'mmpcc', but 'mmpc' finds the parents"),
        (["find", "--algorithm", "iam"], "no algorithm 'iam'; did you mean 'iamb' or 'kiamb'?"),
        (["find", "--test", "bic"], "'bic' is no choice here: it is a score of graphs"),
        (["find", "--algorithm", "zzz"], "no algorithm 'zzz'; choose from ("),
    ],
)
def test_the_command_line_says_so_in_one_sentence(asia, tmp_path, words, sentence):
    path = tmp_path / "asia.csv"
    asia.to_pandas().to_csv(path, index=False)
    said = run(words[0], path, "dysp", *words[1:])
    assert (said.exit_code, said.stdout) == (2, "")
    assert sentence in said.stderr
    assert said.stderr.count("\n") == 1


def test_a_configured_entry_of_another_verb_is_refused_too(asia):
    with pytest.raises(OptionError, match="'mmpc' is no choice here: it finds the parents and"):
        find_boundary(asia, "dysp", algorithm=MMPC(max_given=2))
    with pytest.raises(OptionError, match="'mmhc' is no choice here: it finds the directed graph"):
        learn_region(asia, "dysp", algorithm=MMHC)
