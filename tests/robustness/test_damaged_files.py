"""Damaged files of every format end in an answer or in one sentence; ``tools/fuzz.py`` has more."""

from __future__ import annotations

import gzip
import json
from random import Random

import pytest
from file_formats import FILE_FORMATS, OLD_RESULTS, cached, in_time
from mutations import DAMAGES, damaged_json
from typer.testing import CliRunner

from eiderdown import Dataset, export, networks
from eiderdown.cli import app
from eiderdown.errors import (
    EiderdownError,
    GraphError,
    KnowledgeError,
    NetworkFormatError,
    ResultFormatError,
    UnreadableFileError,
)
from eiderdown.graphs import DAG
from eiderdown.knowledge import Knowledge, read_knowledge
from eiderdown.results import load_result

INPUTS = 40
"""Inputs of a format, times its share; with all formats, and the commands, more than 3,000."""

RESULT = (OLD_RESULTS / "boundary.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("form", FILE_FORMATS, ids=lambda form: form.name)
def test_a_damaged_file_ends_in_an_answer_or_in_a_sentence(form, tmp_path):
    path = tmp_path / f"file{form.suffix}"
    for whole in cached(form):
        assert form.complaint(path, whole) is None  # also, that files which are whole are read
    for number in range(INPUTS * form.share):
        found = form.complaint(path, form.content(number))
        assert found is None, f"input {number} of {form.name}: {found}"


def test_there_are_three_thousand_damaged_files():
    assert sum(INPUTS * form.share for form in FILE_FORMATS) >= 3_000


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_damages_damage_and_repeat_with_their_seed(damage):
    content = RESULT.encode()
    drawn = [damage(content, Random(seed)) for seed in range(20)]
    assert drawn == [damage(content, Random(seed)) for seed in range(20)]
    assert sum(one != content for one in drawn) > 10


def test_commands_end_with_0_or_2(tmp_path):
    path, runner = tmp_path / "result.json", CliRunner()
    texts = [old.read_text(encoding="utf-8") for old in sorted(OLD_RESULTS.glob("*.json"))]
    codes = set()
    for number in range(150):
        path.write_bytes(damaged_json(texts[number % len(texts)], Random(f"show {number}")))
        said = runner.invoke(app, ["show", str(path)], catch_exceptions=False)
        assert said.exit_code in (0, 2), number
        assert said.exit_code == 0 or said.stderr.startswith("error: ")
        assert "\x1b" not in said.stdout + said.stderr
        codes.add(said.exit_code)
    assert codes == {0, 2}  # some damages are none: a sentence that says something else


# --- what was found, each by itself --------------------------------------------------------------


def _loaded(tmp_path, text):
    path = tmp_path / "result.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return load_result(path)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('"target": "', '"target": "a", "target": "', "gives 'target' twice"),
        ('"target": "', '"target": "\\ud800', "half a character"),
        ('"seconds": ', '"seconds": 1e999, "x": ', "too large"),
        ('"seconds": ', '"seconds": NaN, "x": ', "NaN, which is no number"),
        ('"seconds": ', '"seconds": -1, "x": ', "unknown field 'x'|seconds cannot be -1"),
        ('"n_tests": ', f'"n_tests": {"9" * 100}, "x": ', "whole number that is too large"),
        ('"n_tests": ', f'"n_tests": {"9" * 5000}, "x": ', "Exceeds the limit"),
        ('"options": {', f'"options": {{"deep": {"[" * 5000 + "]" * 5000}, ', "within each other"),
        ('"options": {', f'"options": {{"deep": {"[" * 200 + "]" * 200}, ', "within each other"),
        ('"alpha": ', '"alpha": "x", "y": ', "alpha cannot be 'x'"),
    ],
)
def test_odd_json_is_refused_in_a_sentence(tmp_path, old, new, why):
    assert old in RESULT
    with pytest.raises(ResultFormatError, match=why):
        _loaded(tmp_path, RESULT.replace(old, new, 1))


@pytest.mark.parametrize("version", [2, "1", 1.5, None, True, [1], 10**30])
def test_other_versions_are_refused(tmp_path, version):
    record = json.loads(RESULT) | {"version": version}
    with pytest.raises(ResultFormatError):
        _loaded(tmp_path, json.dumps(record))


@pytest.mark.parametrize(
    ("name", "change", "why"),
    [
        ("network", lambda r: r["edges"][0].update(left="nobody"), "nobody"),
        ("network", lambda r: r["nodes"].append(r["nodes"][0]), "Several nodes are called"),
        ("region", lambda r: r.update(target="nobody"), "nobody"),
        ("confidence", lambda r: r["features"]["left"].__setitem__(0, -1), "negative"),
        ("confidence", lambda r: r["features"]["left"].__setitem__(0, 10**6), "no thing number"),
        ("confidence", lambda r: r["features"]["confidences"].__setitem__(0, 1.5), "from 0 to 1"),
        ("boundaries", lambda r: r.update(n_runs=0), "more runs than there were"),
        ("comparison", lambda r: r.update(n_variables=0), "n_variables cannot be 0"),
        ("stability", lambda r: r["edges"][0].update(adjacent=7), "adjacent cannot be 7"),
        ("interactions", lambda r: r["run"]["options"].pop("local"), "does not name a local"),
        ("boundary", lambda r: r["evidence"][0].update(log_p=800.0), "log_p cannot be 800"),
    ],
)
def test_results_whose_parts_do_not_go_together_are_refused(tmp_path, name, change, why):
    record = json.loads((OLD_RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    change(record)
    with pytest.raises(ResultFormatError, match=why):
        _loaded(tmp_path, json.dumps(record))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("k.json", '{"tiers": ' + "[" * 100_000),
        ("k.toml", "tiers = " + "[" * 100_000),
        ("k.json", '{"max_parents": 1e30}'),
        ("k.json", '{"max_parents": 1' + "0" * 30 + "}"),
        ("k.json", '{"max_parents": "3"}'),
        ("k.json", '{"tiers": {"a": 1}}'),
        ("k.json", '{"required": ["ab"]}'),
        ("k.toml", "max_parents = 1e30"),
        ("k.json", '{"forbidden": [["a", "b", "c"]]}'),
        ("k.json", '{"tiers": [["a"]], "tiers": []}'),
    ],
)
def test_odd_knowledge_is_refused_in_a_sentence(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.raises(KnowledgeError) as told:
        read_knowledge(tmp_path / name)
    assert len(str(told.value)) < 1000
    assert Knowledge(max_parents=2**31 - 1).max_parents == 2**31 - 1


def _node_with_parents(n: int, row: str = "default 0.5, 0.5;") -> str:
    names = [f"p{i}" for i in range(n)]
    blocks = [f"variable {name} {{ type discrete [ 2 ] {{ no, yes }}; }}" for name in [*names, "c"]]
    blocks += [f"probability ( {name} ) {{ table 0.5, 0.5; }}" for name in names]
    given = f" | {', '.join(names)}" if names else ""
    return "\n".join(["network n { }", *blocks, f"probability ( c{given} ) {{ {row} }}"])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (_node_with_parents(39), r"1,099,511,627,776 cells.* remove parents"),
        (_node_with_parents(2_000), r"about 10\^602 cells"),
        (_node_with_parents(0, "table nan, 0.5;"), "expected a number but found 'nan'"),
        (_node_with_parents(1, "(no) inf, 0; (yes) 0, 1;"), "expected a number but found 'inf'"),
        (_node_with_parents(0, "table 1e999, 0.5;"), "expected a number"),
    ],
)
def test_odd_networks_are_refused_before_memory_is_asked_for(tmp_path, text, why):
    (tmp_path / "n.bif").write_text(text)
    with pytest.raises(NetworkFormatError, match=why):
        networks.read_bif(tmp_path / "n.bif")
    (tmp_path / "ok.bif").write_text(_node_with_parents(4))
    assert networks.read_bif(tmp_path / "ok.bif").table("c").shape == (2,) * 5


@pytest.mark.parametrize("content", [b"", b"PK", b"\x1f\x8b", b"\x1f\x8b\x08" + b"\x00" * 30])
def test_a_damaged_gzip_is_named(tmp_path, content):
    (tmp_path / "n.bif.gz").write_bytes(content)
    with pytest.raises((UnreadableFileError, NetworkFormatError)) as told:
        networks.read_bif(tmp_path / "n.bif.gz")
    assert "n.bif.gz" in str(told.value)
    whole = gzip.compress(networks.to_bif(networks.load("asia")).encode())
    (tmp_path / "n.bif.gz").write_bytes(whole[:-9] + bytes(9))
    with pytest.raises(UnreadableFileError, match="damaged"):
        networks.read_bif(tmp_path / "n.bif.gz")


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("pcalg", ",A,B\nA,0,0\rB,1\n"),
        ("pcalg", ",A\nA," + "9" * 30 + "\n"),
        ("causal_learn", ',A,B\nA,0,"1\nB,0,0\n'),
        ("dot", "digraph {" + "{" * 100_000),
        ("dagitty", "dag {" + "{" * 300 + "}" * 301),
        ("graphml", "<graphml>" + "<graph>" * 3_000),
        ("graphml", "<graphml><graph><edge/></graph></graphml>"),
        ("dot", "digraph { {" + " ".join(f"a{i}" for i in range(1_200)) + "} -> {"
         + " ".join(f"b{i}" for i in range(1_200)) + "} }"),
    ],
    ids=str,
)  # fmt: skip
def test_odd_graphs_are_refused_in_a_sentence(form, text):
    with pytest.raises(GraphError) as told:
        export.FORMATS[form].read(text)
    assert len(str(told.value)) < 1000


def test_a_matrix_with_bare_returns_is_read():
    matrix = ",A,B\rA,0,0\rB,1,0\r"
    assert export.FORMATS["pcalg"].read(matrix) == DAG.from_string("A->B")


@pytest.mark.parametrize("name", ["x" * 300, "x/" * 3_000 + "t.csv", "nul\0.csv"])
def test_paths_that_cannot_be_are_refused_in_a_sentence(tmp_path, name):
    path = tmp_path / name
    for read in (Dataset.of, load_result, read_knowledge, networks.read_bif):
        with pytest.raises(UnreadableFileError) as told:
            read(path)
        assert len(str(told.value)) < 700
    with pytest.raises(EiderdownError):
        export.write_graph(networks.load("asia").dag, path, form="dot")


def test_a_folder_is_no_file(tmp_path):
    for read in (Dataset.of, load_result, read_knowledge, networks.read_bif):
        with pytest.raises(UnreadableFileError, match=r"directory"):
            read(tmp_path)


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
@pytest.mark.parametrize("cells", ["1,0", "naïf,0"])
def test_a_header_of_excel_is_read(tmp_path, encoding, cells):
    lines = ["Größe,naïve", *(f"{i % 3},{i % 2}" for i in range(30)), cells]
    (tmp_path / "t.csv").write_bytes("\n".join(lines).encode(encoding))
    data = Dataset.of(tmp_path / "t.csv")
    assert data.names == ("Größe", "naïve")
    assert any("cp1252" in note for note in data.notes)


@pytest.mark.parametrize("cell", ["1" + " " * 50_000 + "x", "9" * 50_000 + "x", "1," * 50_000])
def test_long_cells_are_read_in_time(tmp_path, cell):
    lines = ["a;b", *(f"{i % 7};{i % 2}" for i in range(30)), f"{cell};0"]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    with in_time(5.0):
        assert Dataset.of(tmp_path / "t.csv").names == ("a", "b")


def test_names_in_other_formats_that_are_not_utf_8_are_refused(tmp_path):
    (tmp_path / "t.jsonl").write_bytes(b'{"gr\xf6\xdfe": 1}\n{"gr\xf6\xdfe": 2}\n')
    with pytest.raises(UnreadableFileError, match="not UTF-8 text"):
        Dataset.of(tmp_path / "t.jsonl")
