"""The command of the explorer says what is wrong before it serves anything."""

import pytest
from command_line import run

from eiderdown.explorer import Session, server


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a;b;c\n" + "x;1;u\ny;2;u\n" * 50)
    return path


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "Name the target"),
        (["--target", "z"], "'z'"),
        (["--target", "c"], "'c' has a single value"),
        (["--target", "a", "--alpha", "2"], "alpha must be between 0 and 1"),
        (["--target", "a", "--port", "99999"], "port must be from 0 to 65,535"),
        (["--target", "a", "--test", "nothing"], "nothing"),
        (["--target", "a", "--out", "/no/such/folder/s.json"], "There is no folder"),
    ],
)
def test_bad_input_ends_in_a_sentence(table, words, sentence):
    result = run("explore", table, "--no-browser", *words)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr


def test_a_missing_extra_is_said_before_the_table_is_read(monkeypatch, tmp_path):
    monkeypatch.setattr(server, "find_spec", lambda _: None)
    result = run("explore", tmp_path / "nothing.csv", "--target", "y")
    assert result.exit_code == 2
    assert "pip install 'eiderdown[explore]'" in result.stderr


def test_a_session_is_served_saved_and_taken_up_again(monkeypatch, table, tmp_path):
    served = []

    def serve(session, *, port, browser):
        session.grow("a")
        served.append((session, port, browser))

    monkeypatch.setattr(server, "serve", serve)
    saved = tmp_path / "s.json"
    words = ["--delimiter", ";", "--no-browser", "--out", saved]
    assert run("explore", table, "--target", "a", *words).exit_code == 0
    session, port, browser = served[0]
    assert (port, browser) == (0, False)
    again = Session.load(saved)
    assert (again.state, again.graph) == (session.state, session.graph)
    assert again.origin.reading == {"delimiter": ";"}

    monkeypatch.setattr(server, "serve", lambda session, **_: served.append(session))
    assert run("explore", saved).exit_code == 0
    assert served[1].state == session.state
