"""Results are saved before they are printed; terminals and spreadsheets obey nothing in names."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from file_formats import OLD_RESULTS
from rich.console import Console
from typer.testing import CliRunner

from eiderdown import export, find_boundary, networks
from eiderdown.cli import app
from eiderdown.cli.streams import Forgiving
from eiderdown.errors import EiderdownWarning, GraphError, OptionError
from eiderdown.export.libraries import from_csv, to_csv
from eiderdown.graphs import DAG, PDAG
from eiderdown.progress import ShownTrace
from eiderdown.report import render
from eiderdown.results import MarkovBoundary, issue_warnings, load_result
from eiderdown.spreadsheets import as_meant, harmless
from eiderdown.terminal import visible

EVIL = "\x1b]0;title\x07\x1b[2J"
ODD_NAMES = [f"age{EVIL}", "[red]x[/red]", "a\u202eb", "größe", "=1+1", "two\nlines", "tab\there"]


def command(*words, **how):
    """Run the command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "eiderdown", *map(str, words)],
        stderr=subprocess.PIPE,
        timeout=120,
        check=False,
        **how,
    )


@pytest.fixture(scope="module")
def odd_result(tmp_path_factory):
    """A saved result whose names are odd."""
    found = load_result(OLD_RESULTS / "boundary.json")
    folder = tmp_path_factory.mktemp("odd")
    evidence = tuple(
        type(item)(name, *list(vars(item).values())[1:])
        for item, name in zip(found.evidence, ODD_NAMES, strict=False)
    )
    shown = type(found)(
        target=ODD_NAMES[0],
        members=tuple(ODD_NAMES[1:]),
        evidence=evidence,
        run=found.run,
        warnings=(f"Beware of {ODD_NAMES[0]} and größe.",),
    )
    shown.save(folder / "odd.json")
    return folder / "odd.json"


def closed_pipe():
    reader, writer = os.pipe()
    os.close(reader)
    return writer


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("table") / "t.csv"
    networks.load("asia").sample(300, random_state=0).to_pandas().to_csv(path, index=False)
    return path


def test_a_pipe_that_nobody_reads_is_no_error_and_the_result_is_saved(table, tmp_path):
    stdout = closed_pipe()
    said = command("all", table, "--quiet", "--out", tmp_path / "r.json", stdout=stdout)
    os.close(stdout)
    assert said.returncode == 0, said.stderr
    assert b"Error" not in said.stderr
    assert len(load_result(tmp_path / "r.json")) == 8


@pytest.mark.parametrize("words", [["--help"], ["show", OLD_RESULTS / "all.json"]], ids=str)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_whatever_is_printed_into_a_closed_pipe_is_no_error(words, unbuffered):
    stdout = closed_pipe()
    said = command(*words, stdout=stdout, env={**os.environ, "PYTHONUNBUFFERED": unbuffered})
    os.close(stdout)
    assert said.returncode == 0
    assert said.stderr == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_full_disk_below_stdout_loses_nothing_and_is_told(table, tmp_path):
    with Path("/dev/full").open("wb") as full:
        words = ("find", table, "dysp", "--quiet", "--out", tmp_path / "r.json")
        said = command(*words, stdout=full)
    assert said.returncode == 2
    assert b"error: Cannot print (No space left on device)" in said.stderr
    assert b"Traceback" not in said.stderr
    assert isinstance(load_result(tmp_path / "r.json"), MarkovBoundary)


def test_without_a_home_and_with_an_ascii_terminal_names_are_escaped(odd_result):
    plain = {"PATH": os.environ["PATH"], "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    plain |= {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    said = command("show", odd_result, stdout=subprocess.PIPE, env=plain)
    assert said.returncode == 0, said.stderr
    assert b"gr\\xf6\\xdfe" in said.stdout
    assert b"gr\\xf6\\xdfe" in said.stderr
    for sign in (b"\x1b", b"\x07"):
        assert sign not in said.stdout + said.stderr


def test_a_stream_that_fails_is_forgiven_once_and_for_all(tmp_path):
    read_only = tmp_path / "file"
    read_only.touch()
    handle = os.open(read_only, os.O_RDONLY)
    stream = Forgiving(handle, "wb")
    assert stream.write(b"abc") == 3
    assert stream.reason == "Bad file descriptor"
    assert stream.write(memoryview(b"de")) == 2
    stream.close()


def test_a_pipe_that_does_not_wait_is_waited_for():
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    slow = threading.Thread(target=lambda: os.read(reader, 2**20), daemon=True)
    stream = Forgiving(writer, "wb")
    while super(Forgiving, stream).write(b"x" * 4096) is not None:
        pass  # until nothing more goes in
    slow.start()
    assert 0 < stream.write(b"y" * 10) <= 10
    assert stream.reason == ""
    stream.close()
    os.close(reader)


# --- names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("colours", [False, True])
def test_reports_show_names_and_obey_nothing_in_them(odd_result, colours):
    text = io.StringIO()
    console = Console(file=text, width=160, force_terminal=colours, color_system="truecolor")
    render(load_result(odd_result), console)
    shown = text.getvalue()
    assert "\x07" not in shown
    assert "\x1b]0" not in shown
    assert "\x1b[2J" not in shown
    assert "\u202e" not in shown
    assert "age\\x1b]0;title\\x07\\x1b[2J" in shown
    assert "[red]x[/red]" in shown
    assert "größe" in shown
    assert "two\\nlines" in shown


@pytest.mark.parametrize("path", sorted(OLD_RESULTS.glob("*.json")), ids=lambda path: path.stem)
def test_no_report_of_any_kind_obeys_its_names(tmp_path, path):
    """Every name of a column is followed by an escape sequence, wherever it stands."""
    text = path.read_text(encoding="utf-8")
    record = json.loads(text)
    names = _names_of(record)
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(json.dumps(name), json.dumps(f"{name}[bold]{EVIL}"))
    (tmp_path / "r.json").write_text(text)
    shown = io.StringIO()
    console = Console(file=shown, width=200, force_terminal=True)
    render(load_result(tmp_path / "r.json"), console)
    assert "\x07" not in shown.getvalue()
    assert "\x1b]" not in shown.getvalue()
    assert "[bold]" in shown.getvalue() or not names


def _names_of(record):
    """Names of columns that a stored result speaks of."""
    names = set(record.get("nodes", ()))
    names |= {record[key] for key in ("target",) if isinstance(record.get(key), str)}
    names |= set(record.get("variables", ()))
    return names


def test_progress_and_warnings_obey_nothing(capsys):
    stream = type("Terminal", (io.StringIO,), {"isatty": lambda self: True})()
    trace = ShownTrace(f"boundary of {EVIL}", "members", stream=stream)
    trace._begin()
    trace.close()
    assert "\\x1b]0" in stream.getvalue()
    assert "\x1b]0" not in stream.getvalue()
    result = load_result(OLD_RESULTS / "boundary.json")
    odd = type(result)(**{**vars(result), "warnings": (f"about {EVIL}",)})
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", EiderdownWarning)
        issue_warnings(odd)
    assert str(told[0].message) == f"about {visible(EVIL)}"


def test_a_command_on_odd_columns_prints_escapes_and_exports_what_it_can(tmp_path):
    random = np.random.default_rng(0)
    cause = random.integers(0, 2, 300)
    frame = pd.DataFrame({ODD_NAMES[0]: cause, "[red]x": cause ^ (random.random(300) < 0.1)})
    frame["=1+1"] = random.integers(0, 2, 300)
    frame.to_csv(tmp_path / "t.csv", index=False)
    words = ["network", str(tmp_path / "t.csv"), "--quiet", "--export", str(tmp_path / "g.dot")]
    said = CliRunner().invoke(app, words, catch_exceptions=False)
    assert said.exit_code == 0, said.stderr
    assert "\x1b" not in said.stdout + said.stderr
    assert "[red]x" in said.stdout
    assert ODD_NAMES[0] in export.read_graph(tmp_path / "g.dot").nodes
    words[-1] = str(tmp_path / "g.graphml")
    said = CliRunner().invoke(app, words, catch_exceptions=False)
    assert said.exit_code == 2
    assert "cannot be written in XML" in said.stderr
    assert "\x1b" not in said.stdout + said.stderr
    said = CliRunner().invoke(app, ["find", str(tmp_path / "t.csv"), f"no{EVIL}"])
    assert said.exit_code == 2
    assert "\x1b" not in said.stderr


def test_errors_in_python_name_columns_by_their_escapes():
    with pytest.raises(OptionError, match=r"\\x1b"):
        find_boundary({"a": [0, 1] * 20, "b": [0, 1] * 20}, target="a", algorithm=EVIL)


# --- files for other programs --------------------------------------------------------------------

ODD_GRAPH = PDAG([*ODD_NAMES, "plain"], [(ODD_NAMES[0], "plain")], [("größe", "=1+1")])


@pytest.mark.parametrize("form", ["dot", "dagitty", "pcalg", "causal_learn"])
def test_odd_names_are_read_back(tmp_path, form):
    export.write_graph(ODD_GRAPH, tmp_path / "graph.any", form=form)
    assert export.read_graph(tmp_path / "graph.any", form=form) == ODD_GRAPH


@pytest.mark.parametrize("form", ["graphml", "tetrad", "bnlearn"])
def test_odd_names_are_refused_where_a_format_cannot_hold_them(tmp_path, form):
    with pytest.raises(GraphError, match=r"cannot hold the node"):
        export.write_graph(
            DAG(ODD_GRAPH.nodes, ODD_GRAPH.directed), tmp_path / "graph.any", form=form
        )
    assert list(tmp_path.iterdir()) == []


def test_graphml_holds_whatever_xml_holds():
    names = ["a\tb", "two\nlines", "\u2028", "\x85", "<&>\"'", "é\u202e", "\U0001f4a5"]
    graph = DAG(names, [(names[0], names[1])])
    assert export.from_graphml(export.to_graphml(graph)) == graph
    for sign in ("\x00", "\x1b", "\x0b", "\ufffe", "\ud800"):
        with pytest.raises(GraphError, match="cannot be written in XML"):
            export.to_graphml(DAG([f"a{sign}"], []))


def test_bif_holds_control_characters():
    graph = DAG([ODD_NAMES[0], 'b"\\'], [(ODD_NAMES[0], 'b"\\')])
    states = {ODD_NAMES[0]: ["\x1b", "=1"], 'b"\\': ["\n", "//"]}
    tables = {ODD_NAMES[0]: [0.5, 0.5], 'b"\\': [[0.5, 0.5], [0.1, 0.9]]}
    network = networks.DiscreteNetwork(graph, states, tables)
    back = networks.parse_bif(networks.to_bif(network))
    assert back.dag == graph
    assert back.states('b"\\') == ("\n", "//")


@pytest.mark.parametrize("text", ["=1+1", "+x", "-", "@sum", "\tx", "\rx", "'=x", "''@", "-1+1"])
def test_formulas_are_made_harmless_and_read_back(text):
    assert harmless(text) == f"'{text}"
    assert as_meant(harmless(text)) == text
    matrix, names = from_csv(to_csv([[0, 1], [0, 0]], [text, "b"]))
    assert names == [text, "b"]
    assert matrix.tolist() == [[0, 1], [0, 0]]


@pytest.mark.parametrize("text", ["", "a=1", "-1", "+1.5e-3", "it's", "'quoted'", "1-2", "'"])
def test_other_texts_stay_as_they_are(text):
    assert harmless(text) == as_meant(text) == text


def test_no_reference_network_has_a_name_or_state_that_is_a_formula():
    for name in networks.available():
        network = networks.load(name)
        texts = list(network.dag.nodes)
        if isinstance(network, networks.DiscreteNetwork):
            texts += [state for node in network.dag.nodes for state in network.states(node)]
        assert [text for text in texts if harmless(str(text)) != str(text)] == []


def test_predictions_hold_no_formulas(tmp_path):
    random = np.random.default_rng(1)
    cause = random.integers(0, 2, 200)
    labels = np.array(["=cmd", "+no"])[cause ^ (random.random(200) < 0.1)]
    frame = pd.DataFrame({"a": cause, "@target": labels, "c": random.integers(0, 2, 200)})
    frame.to_csv(tmp_path / "t.csv", index=False)
    words = ["predict", tmp_path / "t.csv", tmp_path / "t.csv", "--target", "@target", "--quiet"]
    words += ["--predictions", tmp_path / "p.csv"]
    said = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert said.exit_code == 0, said.stderr
    lines = (tmp_path / "p.csv").read_text().splitlines()
    assert lines[0].startswith("'@target,")
    assert {line.split(",")[0] for line in lines[1:]} == {"'=cmd", "'+no"}
