"""A result says what was asked and of which table, as code and as a command that ask it again."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace

import numpy as np
import pytest
from command_line import run

import eiderdown
from eiderdown import Dataset, Knowledge, networks
from eiderdown.boundary import KIAMB, MMPC, PCMB
from eiderdown.cli.app import VERBS
from eiderdown.data.dataset import Origin
from eiderdown.errors import ResultFormatError
from eiderdown.independence import G_SQUARE
from eiderdown.registry import Algorithm
from eiderdown.results import Call
from eiderdown.scores import BDEU
from eiderdown.structure import KES, PC_STABLE

pytestmark = pytest.mark.filterwarnings("ignore::eiderdown.EiderdownWarning")

QUICK = {"progress": False, "n_jobs": 1}

ASKED = {
    "test": {"x": "smoke", "y": "xray", "given": ["either"], "alpha": 0.05},
    "find_boundary": {
        "target": "dysp",
        "algorithm": PCMB(max_given=2),
        "test": G_SQUARE(dof="nominal"),
        "exclude": ["asia"],
        "required": ["smoke"],
        "kinds": {"xray": "category"},
    },
    "find_parents_children": {"target": "dysp", "algorithm": MMPC(symmetry="or"), "alpha": 0.001},
    "find_boundaries": {"target": "dysp", "runs": 3, "algorithm": KIAMB(fraction=0.5)},
    "check_boundary": {"target": "dysp", "members": ["bronc", "smoke"], "alpha": 0.05},
    "boundary_path": {"target": "dysp", "alphas": [0.001, 0.05], "algorithm": "iamb"},
    "find_all_boundaries": {"targets": ["dysp", "either"], "algorithm": "get_pc", "max_given": 1},
    "find_causes": {"target": "dysp", "alpha": 0.05, "random_state": 3},
    "find_interactions": {
        "target": "dysp",
        "degree": 1,
        "C": 0.1,
        "folds": 2,
        "random_state": 1,
        "exclude": ["asia"],
    },
    "compare_selectors": {
        "target": "dysp",
        "selectors": ["none", "iamb"],
        "folds": 2,
        "degrees": [1],
        "Cs": [0.5],
        "inner_folds": 2,
    },
    "learn_network": {"algorithm": KES(k=0.5), "score": BDEU},
    "learn_region": {"target": "dysp", "depth": 1, "score": BDEU(equivalent_sample_size=2.0)},
    "learn_skeleton": {"to": "edges.arrow", "algorithm": MMPC(max_given=2), "test_memory": "2MB"},
    "measure_stability": {
        "algorithm": PC_STABLE(max_given=1),
        "resamples": 2,
        "alpha": 0.05,
    },
    "measure_confidence": {"target": "dysp", "k": 0.5, "runs": 20, "time_limit": np.inf},
}
"""One call of each verb that has a command, but for ``predict``, which takes two tables."""


@pytest.fixture(scope="module")
def asia_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("calls") / "asia's table.csv"
    networks.load("asia").sample(300, random_state=0).to_pandas().to_csv(path, index=False)
    return path


def without_clock(result):
    """Return what a result says, but for how long it took and by whom it was asked."""

    def timeless(value):
        if isinstance(value, dict):
            gone = ("seconds", "call", "progress", "time", "seconds_each")
            return {key: timeless(item) for key, item in value.items() if key not in gone}
        return [timeless(item) for item in value] if isinstance(value, list) else value

    return timeless(json.loads(result.to_json()))


def ask(verb, data, **options):
    return getattr(eiderdown, verb)(data, **options, **QUICK)


def begin_anew(folder):
    """Remove files from which a verb would go on."""
    for path in folder.iterdir():
        path.unlink()


@pytest.mark.parametrize("verb", ASKED)
def test_code_and_command_find_the_same(verb, asia_file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = ask(verb, str(asia_file), **ASKED[verb])
    call = found.run.call
    assert call.source == str(asia_file)
    assert call.verb == verb

    made = {}
    begin_anew(tmp_path)
    exec(call.code(), made)
    assert without_clock(made["result"]) == without_clock(found)

    begin_anew(tmp_path)
    name, *words = shlex.split(call.command())
    assert name == "eiderdown"
    answered = run(*words, "--quiet", "--json")
    assert answered.exit_code == 0, answered.output
    by_command = type(found).from_json(answered.stdout)
    assert without_clock(by_command) == without_clock(found)
    assert by_command.run.call == replace(call, options=by_command.run.call.options)
    assert sorted(shlex.split(by_command.run.call.command())) == sorted(["eiderdown", *words])
    assert type(found).from_json(found.to_json()) == found


def test_every_verb_with_a_command_is_asked():
    assert {command.verb for command in VERBS} == {*ASKED, "predict"}


@pytest.fixture(scope="module")
def new_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("new") / "-new.csv"
    networks.load("asia").sample(50, random_state=1).to_pandas().to_csv(path, index=False)
    return path


def test_predictions_name_both_files(asia_file, new_file, monkeypatch):
    monkeypatch.chdir(new_file.parent)
    options = {"target": "dysp", "candidates": ["boundary"], "cv": 2, "manipulated": ["smoke"]}
    found = eiderdown.predict(str(asia_file), Dataset.of("-new.csv"), **options, **QUICK)
    made = {}
    exec(found.run.call.code(), made)
    assert without_clock(made["result"]) == without_clock(found)
    _, *words = shlex.split(found.run.call.command())
    answered = run(*words[:1], "--quiet", "--json", *words[1:])
    assert without_clock(type(found).from_json(answered.stdout)) == without_clock(found)


# --- what cannot be written ----------------------------------------------------------------------


def test_what_was_in_memory_is_named_with_a_comment():
    data, weights = networks.load("asia").sample(300, random_state=0), np.linspace(1, 2, 300)
    groups = {"lungs": ["a", "b"]}
    joined = data.with_columns({"a": [1, 0, 0] * 100, "b": [0, 1, 0] * 100})
    found = eiderdown.find_boundary(
        joined, "dysp", sample_weight=weights, column_groups=groups, **QUICK
    )
    code, command = found.run.call.code(), found.run.call.command()
    assert "# data: the table that was in memory: 300 rows, 10 columns" in code
    assert "# sample_weight: 300 values, in a ndarray" in code
    made = {"data": joined, "sample_weight": weights}
    exec(code, made)
    assert without_clock(made["result"]) == without_clock(found)
    assert command.splitlines()[-1] == "eiderdown find data.csv --target dysp"
    assert "# column_groups is not among the words below: only the Python code has it" in command
    assert all(line.startswith("# ") for line in command.splitlines()[:-1])


def test_knowledge_and_how_the_file_was_read_are_in_the_code(tmp_path):
    path = tmp_path / "odd.csv"
    table = networks.load("asia").sample(200, random_state=0).to_pandas().astype(str)
    table.loc[3, "asia"] = "gone"
    table.to_csv(path, index=False, sep=";")
    data = Dataset.of(path, na=["gone"], delimiter=";")
    known = Knowledge(forbidden=[("dysp", "smoke")], max_parents=2)
    found = ask("learn_network", data, knowledge=known, algorithm="ges")
    assert found.run.call.reading == {"na": ["gone"], "delimiter": ";"}
    assert found.run.table.missing == {"asia": 1}
    made = {}
    exec(found.run.call.code(), made)
    assert without_clock(made["result"]) == without_clock(found)
    assert "--na gone --delimiter ';'" in found.run.call.command()


def my_iamb(problem):
    return PCMB.function(problem)


def test_a_search_of_ones_own_is_a_name_with_a_comment(asia_file):
    mine = Algorithm(my_iamb, "Mine.", paper="none", returns=PCMB.returns)
    found = ask("find_boundary", asia_file, target="smoke", algorithm=mine)
    code = found.run.call.code()
    assert "algorithm=algorithm" in code
    assert "# algorithm: an entry of your own, my_iamb()" in code


def test_other_tables_are_named_and_never_written_down(asia_file):
    data = networks.load("asia").sample(300, random_state=0)
    columns = {name: data.to_pandas()[name].tolist() for name in data.names}
    options = {"target": "dysp", "runs": 2}
    for test_data, said in ((columns, "8 values, in a dict"), (data, "Dataset(300 rows")):
        call = ask("find_boundaries", data, test_data=test_data, **options).run.call
        assert call.options["test_data"]["$placeholder"].startswith(said)
        assert "test_data=test_data" in call.code()
    read = ask("find_boundaries", data, test_data=Dataset.of(asia_file), **options).run.call
    assert read.options["test_data"] == str(asia_file)


def test_a_matrix_that_does_not_know_its_length_is_shown():
    from scipy.sparse import csr_array

    from eiderdown.api.recording import encoded

    assert "$placeholder" in encoded(csr_array([[0, 1], [1, 0]]))


# --- what may be trusted -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"target; import os": 1},
        {"algorithm": {"$entry": "os:SYSTEM", "name": "x", "params": {}}},
        {"algorithm": {"$entry": "eiderdown.boundary:PCMB", "name": "x", "params": {"a=1)#": 1}}},
        {"algorithm": {"$number": "1e5"}},
        {"algorithm": {"$placeholder": ["a"]}},
        {"kinds": {"$items": [["a"]]}},
        {"new_rows": {"$table": "a.csv", "reading": {"x y": 1}}},
        {"deep": json.loads("[" * 200 + "]" * 200)},
    ],
)
def test_a_file_cannot_smuggle_in_code(asia_file, options):
    stored = ask("find_boundary", asia_file, target="smoke", algorithm="iamb").to_dict()
    stored["run"]["call"]["options"] = options
    with pytest.raises(ResultFormatError):
        eiderdown.MarkovBoundary.from_dict(stored)


HOSTILE = ['");import os#', "'; rm -rf ~ #", "-x", "a\nb", "\u202eabc", '"', "'\"", "$(id)", "a=b"]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_quoted(name):
    call = Call(
        "find_boundary", {"target": name, "exclude": [name], "kinds": {name: "count"}}, name
    )
    seen = {}
    code = call.code().replace("eiderdown.find_boundary", "seen").replace("import eiderdown", "")
    exec(code, {"seen": lambda data, **given: seen.update(given, data=data)})
    assert seen == {"data": name, "target": name, "exclude": [name], "kinds": {name: "count"}}
    words = shlex.split(call.command())
    assert (
        words.count(name) + words.count(f"--target={name}") + words.count(f"--exclude={name}") == 3
    )
    assert f"{name}=count" in [word.removeprefix("--kind=") for word in words]


# --- the table -----------------------------------------------------------------------------------


def test_the_table_is_summed_up():
    data = Dataset.from_columns(
        {
            "y": ["a", "b", None, "a"] * 20,
            "x": [1.5, np.nan, np.nan, 4.0] * 20,
            "n": list(range(80)),
        },
        kinds={"n": "count"},
    )
    table = eiderdown.find_boundary(data, "y", algorithm="iamb", **QUICK).run.table
    assert (table.source, table.n_rows, table.n_columns) == (None, 80, 3)
    assert table.kinds == {"discrete": 1, "continuous": 1, "count": 1}
    assert (table.n_missing, table.missing, table.n_incomplete) == (60, {"x": 40, "y": 20}, 2)
    assert table.target.levels == {"a": 40, "b": 20}
    assert table.target.n_missing == 20
    about_x = eiderdown.find_boundary(data, "x", algorithm="iamb", **QUICK).run.table.target
    assert about_x.quantiles == (1.5, 1.5, 2.75, 4.0, 4.0)


def test_a_changed_dataset_no_longer_claims_its_file(asia_file):
    data = Dataset.of(asia_file)
    assert data.origin == Origin(str(asia_file), {})
    for changed in (data.take([0, 1]), data.drop(["asia"]), data.with_columns({"z": [0] * 300})):
        assert changed.origin is None


def test_without_a_seed_the_call_holds_the_one_that_was_drawn(asia_file):
    found = ask("find_boundaries", asia_file, target="dysp", runs=2, random_state=None)
    assert found.run.call.options["random_state"] == found.run.random_state is not None


def test_results_within_a_result_stay_small(asia_file):
    found = ask("find_boundaries", asia_file, target="dysp", runs=3)
    assert found.run.call is not None
    assert all(one.boundary.run.call is None for one in found)
    everyone = ask("find_all_boundaries", asia_file, algorithm="iamb")
    assert everyone.run.n_tests == sum(one.run.n_tests for one in everyone.values())
    assert all(one.run.table is None for one in everyone.values())
