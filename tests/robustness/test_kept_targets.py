"""``find_all_boundaries(state=...)``: what was finished is kept by whatever ends the work."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from eiderdown import find_all_boundaries, networks
from eiderdown.api import boundary
from eiderdown.errors import OptionError
from eiderdown.results import AllBoundaries
from eiderdown.state import RecordFile

DATA = networks.load("alarm").sample(300, random_state=0)
HOW = {"algorithm": "pcmb", "progress": False}


def answers(found):
    zero = {"n_tests": 0, "n_repeated": 0, "n_skipped": 0, "seconds": 0.0}
    return [replace(result, run=replace(result.run, **zero)) for result in found.values()]


@pytest.fixture(scope="module")
def whole():
    return find_all_boundaries(DATA, **HOW)


class EndedError(Exception):
    pass


def interrupted_after(n: int, monkeypatch):
    """Let the search for one more target fail."""
    search, done = boundary.run_search, []

    def failing(*args, **more):
        if len(done) == n:
            raise EndedError
        done.append(args)
        return search(*args, **more)

    monkeypatch.setattr(boundary, "run_search", failing)


def test_a_run_goes_on_where_an_earlier_one_ended(tmp_path, monkeypatch, whole):
    path = tmp_path / "all.state"
    with monkeypatch.context() as patched:
        interrupted_after(5, patched)
        with pytest.raises(EndedError):
            find_all_boundaries(DATA, **HOW, state=path)
    assert len(path.read_bytes().splitlines()) == 1 + 5
    interrupted_after(32, monkeypatch)  # all 37 but those five
    found = find_all_boundaries(DATA, **HOW, state=path)
    assert answers(found) == answers(whole)
    assert list(found) == list(whole)
    assert found.complete
    assert not list(tmp_path.glob("*.lock"))


def test_a_finished_file_is_the_answer_without_a_search(tmp_path, monkeypatch, whole):
    path = tmp_path / "all.state"
    find_all_boundaries(DATA, **HOW, state=path)
    interrupted_after(0, monkeypatch)
    assert answers(find_all_boundaries(DATA, **HOW, state=path)) == answers(whole)
    some = find_all_boundaries(DATA, **HOW, state=path, targets=["HR", "CVP"])
    assert list(some) == ["HR", "CVP"]


@pytest.mark.parametrize("seed", range(10))
def test_a_file_torn_or_damaged_anywhere_costs_no_more_than_the_damaged(tmp_path, whole, seed):
    path, rng = tmp_path / "all.state", np.random.default_rng(seed)
    targets = DATA.names[:6]
    find_all_boundaries(DATA, **HOW, state=path, targets=targets)
    content = bytearray(path.read_bytes())
    header = content.index(b"\n") + 1
    place = int(rng.integers(header, len(content)))
    if seed % 2:
        path.write_bytes(content[:place])
    else:
        content[place] ^= 0x15
        path.write_bytes(content)
    found = find_all_boundaries(DATA, **HOW, state=path, targets=targets)
    assert answers(found) == answers({name: whole[name] for name in targets})
    again = find_all_boundaries(DATA, **HOW, state=path, targets=targets)
    assert again.run.n_tests == found.run.n_tests  # all are from the file


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"alpha": 0.05}, r"is of alpha=0.01, not 0.05; give the same, or name another file\."),
        ({"algorithm": "hiton_mb"}, "is of algorithm='pcmb', not 'hiton_mb'"),
        ({"test": "g_square"}, "is of test='CalibratedChiSquareTest', not 'GSquareTest'"),
        ({"error_rate": "fdr"}, "is of error_rate='test', not 'fdr'"),
        ({"exclude": ["HR"]}, "is of table='300 rows x 37 columns, .* not '300 rows x 36 columns"),
    ],
)
def test_other_options_are_refused(tmp_path, changed, message):
    path = tmp_path / "all.state"
    find_all_boundaries(DATA, **HOW, state=path, targets=["CVP"])
    before = path.read_bytes()
    with pytest.raises(OptionError, match=message):
        find_all_boundaries(DATA, **{**HOW, **changed}, state=path, targets=["CVP"])
    assert path.read_bytes() == before


def test_a_changed_table_and_other_weights_are_refused(tmp_path):
    path = tmp_path / "all.state"
    how = {**HOW, "state": path, "targets": ["CVP"]}
    find_all_boundaries(DATA, **how)
    with pytest.raises(OptionError, match="is of table='300 rows x 37 columns, fingerprint"):
        find_all_boundaries(DATA.take(np.arange(300)[::-1]), **how)
    with pytest.raises(OptionError, match="is of table="):
        find_all_boundaries(DATA, **how, sample_weight=np.arange(1.0, 301.0))


@pytest.mark.parametrize("content", [b"a,b\n1,2\n", b"\x00\xff", b"{}", b"00000000 {}\n"])
def test_a_file_of_something_else_is_refused_and_left_as_it_is(tmp_path, content):
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with pytest.raises(OptionError, match="is no state file of such a search; name another file"):
        find_all_boundaries(DATA, **HOW, state=path)
    assert path.read_bytes() == content


def test_where_nothing_can_be_written_the_result_says_so(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("eiderdown.files.GrowingFile.append", full)
    with pytest.warns(match="No space left on device.*in the result only"):
        found = find_all_boundaries(DATA, **HOW, state=tmp_path / "s", targets=["CVP"])
    assert found.complete


def test_two_processes_do_not_share_a_file(tmp_path):
    path = tmp_path / "all.state"
    with RecordFile(path, {}), pytest.raises(OptionError, match="in use by process"):
        find_all_boundaries(DATA, **HOW, state=path)


def test_a_killed_command_goes_on_and_ends_as_one_that_was_not(tmp_path, whole):
    DATA.to_pandas().to_csv(tmp_path / "alarm.csv", index=False)
    words = ["all", "alarm.csv", "--algorithm", "pcmb", "--state", "s", "--out", "all.json"]
    slow = "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    slow += "import eiderdown.api.boundary as b; r = b.run_search\n"
    slow += "b.run_search = lambda *a, **k: (time.sleep(0.05), r(*a, **k))[1]\n"
    run = f"{slow}from eiderdown.cli.app import app; app({[*words, '--quiet']!r})"
    process = subprocess.Popen([sys.executable, "-c", run], cwd=tmp_path, stdout=subprocess.DEVNULL)
    state, until = tmp_path / "s", time.monotonic() + 120
    while time.monotonic() < until and process.poll() is None:
        if state.exists() and state.read_bytes().count(b"\n") > 4:
            break
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)  # which it was told to ignore
    time.sleep(0.1)
    assert process.poll() is None
    process.kill()
    process.wait()
    n_kept = state.read_bytes().count(b"\n") - 1
    assert 4 <= n_kept < 37
    done = subprocess.run(
        [sys.executable, "-m", "eiderdown", *words],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = AllBoundaries.load(tmp_path / "all.json")
    members = {target: result.members for target, result in whole.items()}
    assert {target: result.members for target, result in found.items()} == members
    assert state.read_bytes().count(b"\n") == 1 + 37
