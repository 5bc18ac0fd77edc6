"""Ctrl-C, SIGTERM and SIGKILL at any moment: finished runs are kept, and nothing is half-written.

Programs run as their users run them, each in a process of its own. Moments are drawn from a seed;
what they hit depends on the machine, so that the tests only ask for what must hold at any moment.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from eiderdown import networks
from eiderdown.errors import OptionError
from eiderdown.results import FeatureConfidence, Result
from eiderdown.state import StateFile

ENDED = (0, 130, 143, -signal.SIGINT, -signal.SIGTERM, -signal.SIGKILL)

VERBS = {
    "confidence": ["--runs", "200000", "--k", "0.3", "--state", "state.json"],
    "stability": ["--resamples", "100000"],
    "boundaries": ["dysp", "--runs", "100000", "--folds", "none"],
    "all": [],
    "network": [],
    "causes": ["dysp"],
    "interactions": ["dysp"],
    "compare": ["dysp", "--selectors", "none"],
}
"""The long verbs, with options that make them long."""


@pytest.fixture(scope="module")
def table(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("signals") / "asia.csv"
    networks.load("asia").sample(500, random_state=0).to_pandas().to_csv(path, index=False)
    return path


def start(verb: str, table: Path, folder: Path, *more: str) -> subprocess.Popen[str]:
    words = [verb, str(table), *VERBS[verb], *more, "--quiet", "--out", "result.json"]
    return subprocess.Popen(
        [sys.executable, "-m", "eiderdown", *words],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def end(process: subprocess.Popen[str], number: signal.Signals) -> str:
    """Send a signal, wait, and return what was said."""
    process.send_signal(number)
    try:
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode in ENDED, said
    assert "Traceback" not in said, said
    return said


def wait_for(path: Path, process: subprocess.Popen[str], seconds: float = 60.0) -> None:
    until = time.monotonic() + seconds
    while not path.exists() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.05)
    assert path.exists(), process.communicate()[1] if process.poll() is not None else "too slow"


def check_files(folder: Path) -> None:
    """Whatever is there is whole."""
    for path in folder.glob("*.json"):
        assert isinstance(Result.load(path), Result)


def n_runs(folder: Path) -> int:
    return FeatureConfidence.load(folder / "state.json").n_runs


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_runs_are_kept_by_whatever_asks_them_to_end(table, tmp_path, number):
    process = start("confidence", table, tmp_path, "--jobs", "2")
    wait_for(tmp_path / "state.json", process)
    before = n_runs(tmp_path)
    end(process, number)
    assert n_runs(tmp_path) >= before > 0
    assert not (tmp_path / "state.json.lock").exists()
    assert list(tmp_path.glob("*.part")) == []
    if number == signal.SIGINT:
        assert FeatureConfidence.load(tmp_path / "result.json").n_runs == n_runs(tmp_path)


def test_a_killed_process_leaves_runs_to_go_on_from(table, tmp_path):
    process = start("confidence", table, tmp_path)
    wait_for(tmp_path / "state.json", process)
    end(process, signal.SIGKILL)
    before = n_runs(tmp_path)
    (tmp_path / "state.json.part").write_text("half of")
    assert (tmp_path / "state.json.lock").exists()
    wanted = str(before + 5)
    process = start("confidence", table, tmp_path, "--runs", wanted)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 0, said
    assert n_runs(tmp_path) == int(wanted)
    assert list(tmp_path.glob("*.part")) == list(tmp_path.glob("*.lock")) == []


def test_two_processes_do_not_share_a_state_file(tmp_path):
    path = tmp_path / "state.json"
    with StateFile(path), pytest.raises(OptionError, match=f"in use by process {os.getpid()}"):
        StateFile(path).__enter__()
    with StateFile(path):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "signed", ['{"pid": 999999999, "host": null, "started": null}', "", "[1", '{"pid": "x"}']
)
def test_a_lock_whose_process_is_gone_is_taken_over(tmp_path, signed):
    import socket

    lock = tmp_path / "state.json.lock"
    lock.write_text(signed.replace("null", json.dumps(socket.gethostname()), 1))
    os.utime(lock, (0, 0))
    with StateFile(tmp_path / "state.json"):
        assert json.loads(lock.read_text())["pid"] == os.getpid()
    assert not lock.exists()


def test_a_lock_of_another_machine_is_respected(tmp_path):
    (tmp_path / "state.json.lock").write_text('{"pid": 1, "host": "elsewhere", "started": null}')
    with pytest.raises(OptionError, match="in use by process 1 on 'elsewhere'"):
        StateFile(tmp_path / "state.json").__enter__()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("verb", VERBS)
def test_signals_at_random_moments(table, tmp_path, verb, number, seed):
    draw = random.Random(f"{verb} {number} {seed}")
    for _ in range(2):  # the second goes on from what the first has left
        process = start(verb, table, tmp_path)
        time.sleep(draw.uniform(0.5, 8.0))
        if process.poll() is None:
            end(process, number)
        else:
            assert process.returncode == 0, process.communicate()[1]
        check_files(tmp_path)
