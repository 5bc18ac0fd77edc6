"""Who may ask the server, and what it answers: tokens, hosts, origins, bad commands, busy times."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest
from exploring import asia_session

from eiderdown import networks
from eiderdown.errors import OptionError
from eiderdown.explorer import server
from eiderdown.explorer.app import make_app
from eiderdown.explorer.work import BusyError, Worker

TestClient = pytest.importorskip("starlette.testclient").TestClient

TOKEN, PORT = "secret-of-the-test", 8765
HERE = f"http://127.0.0.1:{PORT}"


@pytest.fixture
def session():
    return asia_session()


@pytest.fixture
def client(session):
    return TestClient(make_app(session, TOKEN, PORT), base_url=HERE)


def asked(client, command, **arguments):
    """Send a command, and return the events of the answer."""
    said = {"command": command, "arguments": arguments}
    response = client.post(f"/{TOKEN}/command", json=said)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"].startswith("text/event-stream")
    blocks = [block.split("\n") for block in response.text.strip().split("\n\n")]
    return [(e.removeprefix("event: "), json.loads(d.removeprefix("data: "))) for e, d in blocks]


def test_the_page_and_its_parts_are_served(client):
    page = client.get(f"/{TOKEN}/")
    assert page.headers["content-type"].startswith("text/html")
    for part in re.findall(r'(?:src|href)="([a-z.]+)"', page.text):
        assert client.get(f"/{TOKEN}/{part}").status_code == 200
    assert client.get(f"/{TOKEN}/state.py").status_code == 404
    assert client.get(f"/{TOKEN}/../session.py").status_code in (403, 404)


@pytest.mark.parametrize("path", ["/", "/wrong/", "/wrong/columns", "//", "/favicon.ico"])
def test_without_the_token_nothing_is_answered(client, path):
    response = client.get(path)
    assert response.status_code == 403
    assert "the terminal shows" in response.json()["problem"]


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": f"evil.example:{PORT}"},
        {"host": "127.0.0.1"},
        {"host": "127.0.0.1:9999"},
        {"host": ""},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_other_hosts_and_origins_are_refused(client, headers):
    assert client.get(f"/{TOKEN}/", headers=headers).status_code == 403
    said = {"command": "show", "arguments": {}}
    assert client.post(f"/{TOKEN}/command", json=said, headers=headers).status_code == 403


def test_this_page_itself_is_answered(client):
    for origin in (HERE, f"http://localhost:{PORT}"):
        headers = {"origin": origin, "sec-fetch-site": "same-origin"}
        assert client.get(f"/{TOKEN}/columns", headers=headers).status_code == 200
    named = {"host": f"localhost:{PORT}"}
    assert client.get(f"/{TOKEN}/", headers=named).status_code == 200


def test_no_answer_may_be_kept_framed_or_read_by_others(client):
    for response in (client.get(f"/{TOKEN}/"), client.get("/"), client.get(f"/{TOKEN}/nothing")):
        headers = response.headers
        assert headers["cache-control"] == "no-store"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-frame-options"] == "DENY"
        assert not [name for name in headers if name.startswith("access-control")]


def test_commands_are_answered_with_progress_and_the_graph(client, session):
    (*progress, (kind, shown)) = asked(client, "show")
    assert kind == "done"
    assert shown["view"]["nodes"] == [
        {"name": "dysp", "target": True, "grown": False, "kind": "discrete, 2 categories"}
    ]
    assert "report" in shown["exports"]
    (*progress, (kind, grown)) = asked(client, "grow", names=["dysp"])
    assert kind == "done"
    assert {name for name, _ in progress} == {"progress"}
    assert [node["name"] for node in grown["view"]["nodes"]] == list(session.graph.nodes)
    assert {change["kind"] for change in grown["changes"]} == {"added"}
    assert asked(client, "fit")[-1][1]["fit"]["verdict"]
    (*_, (_, undone)) = asked(client, "undo")
    assert undone["view"]["can_redo"]
    assert not session.can_undo


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ('{"command": "grow", "arguments": {"names": ["nobody"]}}', "nobody"),
        ('{"command": "undo", "arguments": {}}', "nothing to undo"),
        ('{"command": "set_alpha", "arguments": {"alpha": 7}}', "number"),
        ('{"command": "nonsense", "arguments": {}}', "no command 'nonsense'"),
        ('{"command": null, "arguments": {}}', "no command"),
        ('{"command": "grow", "arguments": []}', "a record"),
        ('{"command": "grow"}', "record of 'command' and 'arguments'"),
        ("{nonsense", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ('{"command": "grow", "arguments": {"alpha": NaN}}', "NaN"),
        ("\ud800", "not JSON"),
        ("x" * 1_000_001, "too long"),
    ],
    ids=range(12),
)
def test_bad_commands_are_refused_with_a_sentence(client, session, said, words):
    before = session.state
    body = said.encode("utf-8", "surrogatepass")
    headers = {"content-type": "application/json"}
    response = client.post(f"/{TOKEN}/command", content=body, headers=headers)
    assert response.status_code == 400
    assert words in response.json()["problem"]
    assert session.state == before


def test_what_forms_of_other_pages_could_send_is_no_command(client):
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        body = b'{"command": "show", "arguments": {}}'
        headers = {"content-type": kind}
        response = client.post(f"/{TOKEN}/command", content=body, headers=headers)
        assert response.status_code == 400
    assert client.get(f"/{TOKEN}/command").status_code == 405


def test_columns_come_by_a_part_of_their_names_and_never_all():
    from exploring import table_of

    from eiderdown.explorer import Session

    wide = Session.start(table_of([f"x{i}" for i in range(300)]), "x0")
    client = TestClient(make_app(wide, TOKEN, PORT), base_url=HERE)
    found = client.get(f"/{TOKEN}/columns", params={"text": "X1"}).json()
    assert found["names"][0] == "x1"
    assert len(found["names"]) == 50
    assert found["n_found"] == 111
    shown = asked(client, "show")[-1][1]
    assert "x299" not in json.dumps(shown)


def test_files_are_given_to_be_kept(client):
    asked(client, "grow", names=["dysp"])
    response = client.get(f"/{TOKEN}/export/dot")
    assert response.headers["content-disposition"] == 'attachment; filename="eiderdown-dysp.dot"'
    assert "digraph" in response.text
    assert client.get(f"/{TOKEN}/export/exe").status_code == 400


def test_one_search_at_a_time_and_the_page_stays_responsive(session):
    worker, started, go_on = Worker(), threading.Event(), threading.Event()
    client = TestClient(make_app(session, TOKEN, PORT, worker), base_url=HERE)

    def slow(trace):
        started.set()
        while not go_on.wait(0.01):
            trace.progressed("waiting", 1)

    job = worker.start(slow)
    assert started.wait(10)
    said = {"command": "grow", "arguments": {"names": ["dysp"]}}
    response = client.post(f"/{TOKEN}/command", json=said)
    assert response.status_code == 409
    assert "Another search" in response.json()["problem"]
    assert client.get(f"/{TOKEN}/export/dot").status_code == 409
    assert client.get(f"/{TOKEN}/columns?text=d").json()["n_found"] > 0
    assert client.post(f"/{TOKEN}/cancel").json() == {"cancelled": True}
    assert job.done.wait(10)
    assert job.problem == "Cancelled; nothing was changed."
    assert client.post(f"/{TOKEN}/cancel").json() == {"cancelled": False}
    assert asked(client, "grow", names=["dysp"])[-1][0] == "done"


def test_commands_at_the_same_time_are_done_or_refused(session):
    client = TestClient(make_app(session, TOKEN, PORT), base_url=HERE)
    statuses = []

    def send(name):
        said = {"command": "grow", "arguments": {"names": [name]}}
        statuses.append(client.post(f"/{TOKEN}/command", json=said).status_code)

    threads = [threading.Thread(target=send, args=(name,)) for name in session.data.names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert set(statuses) <= {200, 409}
    assert len(session.state.grown) == statuses.count(200) >= 1


def test_what_goes_wrong_inside_is_said_and_nothing_hangs(monkeypatch):
    worker = Worker()
    monkeypatch.setattr(threading, "excepthook", lambda _: None)

    def broken(_):
        raise ZeroDivisionError

    job = worker.start(broken)
    assert job.done.wait(10)
    assert "went wrong inside" in job.problem
    assert not worker.busy


def test_a_worker_refuses_a_second_piece_of_work():
    worker, go_on = Worker(), threading.Event()
    job = worker.start(lambda _: go_on.wait(10))
    with pytest.raises(BusyError):
        worker.start(lambda _: None)
    go_on.set()
    assert job.done.wait(10)


# --- the command ---------------------------------------------------------------------------------


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setattr(server, "find_spec", lambda name: None)
    with pytest.raises(OptionError, match=re.escape("pip install 'eiderdown[explore]'")):
        server.explore("data.csv", "y")


def test_a_port_that_is_taken_is_refused(session):
    with socket.socket() as taken:
        taken.bind((server.LOOPBACK, 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(OptionError, match=f"Cannot listen on port {port}"):
            server.serve(session, port=port)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_command_prints_its_address_and_ends_cleanly(tmp_path, number):
    table, saved = tmp_path / "asia.csv", tmp_path / "s.json"
    networks.load("asia").sample(200, random_state=0).to_pandas().to_csv(table, index=False)
    words = ["explore", table, "--target", "dysp", "--no-browser", "--out", saved]
    running = subprocess.Popen(
        [sys.executable, "-m", "eiderdown", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        address = running.stdout.readline().split()[-1]
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{40,}/", address)
        port = int(address.split(":")[2].split("/")[0])
        until = time.monotonic() + 30
        while time.monotonic() < until:
            try:
                socket.create_connection((server.LOOPBACK, port), 1).close()
                break
            except OSError:
                time.sleep(0.05)
        os.kill(running.pid, number)
        _, errors = running.communicate(timeout=30)
    finally:
        running.kill()
    assert (running.returncode, errors) == (0, "")
    assert json.loads(saved.read_text())["origin"]["target"] == "dysp"
