"""What an exploration leaves behind: a file to take it up again, code, graphs, a result."""

from __future__ import annotations

import contextlib
import io
import json

import pytest
from exploring import asia_session, oracle_session

from eiderdown import DAG, networks
from eiderdown.errors import EiderdownError, GraphError, OptionError
from eiderdown.explorer import Session
from eiderdown.explorer.exports import export_names, exported
from eiderdown.explorer.server import is_saved
from eiderdown.export import FORMATS
from eiderdown.independence.registry import G_SQUARE
from eiderdown.results import LearnedRegion


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "asia.csv"
    networks.load("asia").sample(1_000, random_state=0).to_pandas().to_csv(path, index=False)
    return path


def explored(table, **options):
    session = Session.start(table, "dysp", **options)
    session.grow("dysp")
    session.mark("smoke", "bronc", "known")
    session.set_alpha(0.05)
    session.undo()
    return session


def test_a_saved_session_is_taken_up_where_it_was_left(table, tmp_path):
    session = explored(table, alpha=0.02, test=G_SQUARE(dof="nominal"), exclude=["asia"])
    session.save(tmp_path / "s.json")
    again = Session.load(tmp_path / "s.json")
    assert (again.state, again.graph) == (session.state, session.graph)
    assert again.can_redo
    again.redo()
    session.redo()
    assert (again.state, again.graph) == (session.state, session.graph)
    assert again.result().run.options["dof"] == "nominal"
    assert again.to_json() == session.to_json()
    assert is_saved(tmp_path / "s.json")
    assert not is_saved(table)


def test_a_table_beside_the_session_is_found(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    session = Session.start("asia.csv", "dysp")
    session.save("s.json")
    monkeypatch.chdir("/")
    assert Session.load(tmp_path / "s.json").data.n_rows == 1_000


def test_another_table_is_noted(table, tmp_path):
    session = explored(table)
    session.save(tmp_path / "s.json")
    networks.load("asia").sample(500, random_state=1).to_pandas().to_csv(table, index=False)
    assert "not the one with which" in Session.load(tmp_path / "s.json").notes[-1]


@pytest.mark.parametrize(
    "broken",
    [
        "",
        "[]",
        "{}",
        '{"format": "eiderdown.exploration", "version": 7}',
        '{"format": "eiderdown.exploration", "version": 1}',
    ],
)
def test_what_is_no_session_is_refused_in_a_sentence(broken):
    with pytest.raises(OptionError, match="no exploration"):
        Session.from_json(broken)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("commands", [["grow", {"names": ["nobody"]}]]),
        ("commands", [["run", {"code": "print()"}]]),
        ("commands", "grow"),
        ("position", 9),
        ("position", True),
        ("origin", {"source": 3}),
    ],
)
def test_a_session_that_somebody_changed_is_refused(table, key, value):
    stored = json.loads(explored(table).to_json())
    stored[key] = value
    with pytest.raises(EiderdownError):
        Session.from_json(json.dumps(stored))


def test_a_table_in_memory_must_be_given_again():
    session = asia_session()
    session.grow("dysp")
    with pytest.raises(OptionError, match="was in memory"):
        Session.from_json(session.to_json())
    assert Session.from_json(session.to_json(), session.data).graph == session.graph


def test_a_test_of_ones_own_cannot_be_saved():
    session = oracle_session(DAG.from_string("A->B"), "A")
    with pytest.raises(OptionError, match="no file can hold"):
        session.to_json()


def test_the_code_repeats_the_session(table):
    session = explored(table, test=G_SQUARE(dof="nominal"), algorithm="get_pc")
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(session.code(), {})
    assert said.getvalue().strip() == str(session.graph.pdag)


def test_names_in_the_code_are_texts(tmp_path):
    odd = 'x"); import os; ("'
    path = tmp_path / "odd.csv"
    frame = networks.load("asia").sample(200, random_state=0).to_pandas()
    frame.rename(columns={"dysp": odd}).to_csv(path, index=False)
    session = Session.start(path, odd)
    session.grow(odd)
    found: dict[str, object] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(session.code(), found)
    assert "os" not in found
    assert found["session"].state == session.state


def test_every_export_is_a_file_of_the_graph_that_is_shown():
    session = asia_session()
    session.grow("dysp", "either")
    session.mark("bronc", "dysp", "known")
    session.mark("either", "xray", "known")
    assert session.graph.pdag.undirected == ()
    for form in export_names():
        if form in ("session", "code", "report"):
            continue
        file = exported(session, form)
        if form == "result":
            result = LearnedRegion.from_json(file.text)
            assert result.cpdag == session.graph.pdag
            assert result.target == "dysp"
            assert result.depth == 2
        else:
            assert FORMATS[form].read(file.text).skeleton() == session.graph.pdag.skeleton()
        assert file.name.startswith("eiderdown-dysp.")
    with pytest.raises(OptionError, match="no export 'exe'"):
        exported(session, "exe")
    session = asia_session()
    session.grow("dysp")
    session.mark("dysp", "either", "impossible")
    assert session.graph.pdag.undirected
    with pytest.raises(GraphError, match="no undirected edges"):
        exported(session, "bnlearn")


def test_a_report_is_one_page_about_the_graph():
    pytest.importorskip("eiderdown.report.html.render", reason="there is no HTML report yet")
    session = asia_session()
    session.grow("dysp")
    file = exported(session, "report")
    assert "dysp" in file.text
    assert "bronc" in file.text
    assert file.media == "text/html"
