"""``learn_skeleton`` streams the pairs that find each other; a killed run goes on where it was."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pytest
from scipy.sparse import csc_array

from eiderdown import (
    Dataset,
    LearnedSkeleton,
    find_all_boundaries,
    learn_skeleton,
    networks,
    read_skeleton,
)
from eiderdown.api import skeleton
from eiderdown.boundary import GET_PC, MMPC
from eiderdown.errors import OptionError, UnreadableFileError
from eiderdown.graphs import DAG
from eiderdown.independence import OracleTest

ALARM = networks.load("alarm").sample(500, random_state=0)
QUIET = {"progress": False}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "edges.arrow"


def pairs(edges):
    return {frozenset(edge) for edge in edges}


def interrupted_after(n: int, monkeypatch):
    """Let a time limit be over after so many columns."""
    searched = skeleton.StreamedSkeleton._searched

    def some(self, shown):
        for number, found in enumerate(searched(self, shown)):
            if number == n:
                return
            yield found

    monkeypatch.setattr(skeleton.StreamedSkeleton, "_searched", some)


@pytest.mark.parametrize("algorithm", ["get_pc", "mmpc", "hiton_pc"])
def test_the_edges_are_those_of_the_search_with_its_own_symmetry(path, algorithm):
    found = learn_skeleton(ALARM, to=path, algorithm=algorithm, correction="none", **QUIET)
    every = find_all_boundaries(ALARM, algorithm=algorithm, **QUIET)
    read = read_skeleton(path)
    for symmetry in ("and", "or"):
        entry = {"get_pc": GET_PC, "mmpc": MMPC}.get(algorithm)
        if symmetry == "or" and entry is not None:
            every = find_all_boundaries(ALARM, algorithm=entry(symmetry="or"), **QUIET)
        if symmetry == "and" or entry is not None:
            assert pairs(read.graph(symmetry).edges) == pairs(every.skeleton(symmetry).edges)
    n_edges = len(read.to_frame())
    assert (found.n_edges, found.n_edges + found.n_one_sided) == (
        n_edges,
        len(read.to_frame("or")),
    )
    degrees = np.bincount([len(read.graph().adjacent(name)) for name in read.columns])
    assert found.degree_counts == tuple(degrees.tolist())


def test_given_the_oracle_the_skeleton_is_the_truth(path):
    dag = networks.load("alarm").dag
    data = networks.load("alarm").sample(50, random_state=0)
    data = data.select([name for name in data.names if name not in data.constant_columns()])
    names = set(data.names)
    truth = DAG(data.names, [e for e in dag.edges if set(e) <= names])
    found = learn_skeleton(data, to=path, test=lambda _: OracleTest(truth), **QUIET)
    assert pairs(read_skeleton(path).graph().edges) == pairs(truth.edges)
    assert found.complete


def test_an_edge_has_the_weaker_test_of_its_two_sides(path):
    learn_skeleton(ALARM, to=path, **QUIET)
    sides = read_skeleton(path).sides.to_pandas()
    edge = read_skeleton(path).to_frame().iloc[0]
    both = sides[sides[["x", "y"]].isin([edge.x, edge.y]).all(axis=1)]
    assert len(both) == 2
    assert edge.log_p == both.log_p.max()


def test_any_program_that_reads_arrow_finds_the_edges_as_mutual_rows(path):
    learn_skeleton(ALARM, to=path, **QUIET)
    table = pa.ipc.open_stream(path.read_bytes()).read_all().to_pandas()
    mutual = table[table.mutual == True]  # noqa: E712  some are null
    assert pairs(zip(mutual.x, mutual.y, strict=True)) == pairs(read_skeleton(path).graph().edges)
    assert len(mutual) == len(read_skeleton(path).to_frame())


@pytest.mark.parametrize("n", [0, 1, 10, 36])
def test_an_interrupted_run_leaves_a_whole_file_and_says_how_far_it_is(
    path, tmp_path, monkeypatch, n
):
    with monkeypatch.context() as patched:
        interrupted_after(n, patched)
        with pytest.warns(match=f"{n} of 37 columns are done"):
            found = learn_skeleton(ALARM, to=path, **QUIET)
    assert (found.n_finished, found.complete) == (n, False)
    part = read_skeleton(path)
    assert (part.n_finished, part.complete, len(part.columns)) == (n, False, 37)
    assert pa.ipc.open_stream(path.read_bytes()).read_all().num_rows == part.sides.num_rows
    resumed = learn_skeleton(ALARM, to=path, **QUIET)
    whole = learn_skeleton(ALARM, to=tmp_path / "whole.arrow", **QUIET)
    assert read_skeleton(path).sides.equals(read_skeleton(tmp_path / "whole.arrow").sides)
    for name in ("n_edges", "n_one_sided", "degree_counts", "n_finished", "complete"):
        assert getattr(resumed, name) == getattr(whole, name)
    assert LearnedSkeleton.from_json(resumed.to_json()) == resumed


@pytest.mark.parametrize("seed", range(8))
def test_a_file_cut_off_anywhere_keeps_its_whole_batches(path, tmp_path, monkeypatch, seed):
    monkeypatch.setattr(skeleton, "PAUSE", 0.0)  # a batch for each column
    learn_skeleton(ALARM, to=path, **QUIET)
    content = path.read_bytes()
    schema = len(pa.ipc.open_stream(content).schema.serialize())
    cut = int(np.random.default_rng(seed).integers(schema, len(content)))
    path.write_bytes(content[:cut])
    part = read_skeleton(path)
    assert part.n_finished < 37
    asked = []
    searched = skeleton.StreamedSkeleton._searched

    def counted(self, shown):
        for item in searched(self, shown):
            asked.append(item)
            yield item

    monkeypatch.setattr(skeleton.StreamedSkeleton, "_searched", counted)
    learn_skeleton(ALARM, to=path, **QUIET)
    assert len(asked) == 37 - part.n_finished
    assert path.read_bytes() == content


def test_a_killed_process_is_gone_on_from(path, tmp_path):
    ALARM.to_pandas().to_csv(tmp_path / "alarm.csv", index=False)
    slow = "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    slow += "import eiderdown.api.skeleton as s; s.PAUSE = 0.0; t = s.TestProblem\n"
    slow += "s.TestProblem = lambda *a, **k: (time.sleep(0.05), t(*a, **k))[1]\n"
    words = ["skeleton", "alarm.csv", "--to", "edges.arrow"]
    run = f"{slow}from eiderdown.cli.app import app; app({[*words, '--quiet']!r})"
    process = subprocess.Popen([sys.executable, "-c", run], cwd=tmp_path, stdout=subprocess.DEVNULL)
    until = time.monotonic() + 120
    while time.monotonic() < until and process.poll() is None:
        if path.exists() and path.stat().st_size and read_skeleton(path).n_finished > 3:
            break
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)  # which it was told to ignore
    time.sleep(0.1)
    assert process.poll() is None
    process.kill()
    process.wait()
    n_finished = read_skeleton(path).n_finished
    assert 3 < n_finished < 37
    done = subprocess.run(
        [sys.executable, "-m", "eiderdown", *words, "--json"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert LearnedSkeleton.from_json(done.stdout.decode()).complete
    whole = tmp_path / "whole.arrow"
    learn_skeleton(tmp_path / "alarm.csv", to=whole, **QUIET)
    assert read_skeleton(path).sides.equals(read_skeleton(whole).sides)
    assert not list(tmp_path.glob("*.lock"))


def test_other_tables_and_options_are_refused(path):
    learn_skeleton(ALARM, to=path, **QUIET)
    before = path.read_bytes()
    with pytest.raises(OptionError, match=r"is of alpha=0.01, not 0.05; give the same, or name"):
        learn_skeleton(ALARM, to=path, alpha=0.05, **QUIET)
    with pytest.raises(OptionError, match="is of table='500 rows x 37 columns, fingerprint"):
        learn_skeleton(ALARM.take(np.arange(400)), to=path, **QUIET)
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"a,b\n1,2\n", b"\x00" * 50])
def test_a_file_of_something_else_is_refused_and_left_as_it_is(path, content):
    path.write_bytes(content)
    with pytest.raises(UnreadableFileError, match="as a file of edges"):
        learn_skeleton(ALARM, to=path, **QUIET)
    with pytest.raises(UnreadableFileError, match="as a file of edges"):
        read_skeleton(path)
    assert path.read_bytes() == content


def test_what_is_missing_or_wrong_is_said_in_a_sentence(path):
    with pytest.raises(OptionError, match="Give a value for 'to': file to write the edges to"):
        learn_skeleton(ALARM)
    with pytest.raises(OptionError, match="'consensus_pc' is no choice here"):
        learn_skeleton(ALARM, to=path, algorithm="consensus_pc")
    with pytest.raises(OptionError, match="There is no folder"):
        learn_skeleton(ALARM, to=path / "deeper" / "edges.arrow")
    learn_skeleton(ALARM, to=path, **QUIET)
    with pytest.raises(OptionError, match="symmetry must be 'and' or 'or', not 'xor'"):
        read_skeleton(path).to_frame("xor")


def test_the_level_is_shared_out_to_the_pairs_of_a_column_or_of_the_table(tmp_path):
    levels = {}
    for correction in ("column", "table", "none"):
        found = learn_skeleton(ALARM, to=tmp_path / correction, correction=correction, **QUIET)
        levels[correction] = found.run.options["level"]
    assert levels["none"] == 0.01
    assert levels["column"] == pytest.approx(0.01 / 36)
    assert levels["table"] == pytest.approx(0.01 / (37 * 36 / 2))


def test_sparse_columns_in_chains_are_found_and_nothing_else(path):
    rng, n_rows = np.random.default_rng(0), 1_000
    columns = []
    for _ in range(60):
        x = rng.random(n_rows) < 0.1
        for _ in range(5):
            columns.append(x)
            x = (x & (rng.random(n_rows) < 0.8)) | (rng.random(n_rows) < 0.02)
    data = Dataset.from_sparse(csc_array(np.stack(columns, axis=1).astype(np.int8)))
    found = learn_skeleton(data, to=path, correction="table", **QUIET)
    truth = {frozenset((f"x{i}", f"x{i + 1}")) for i in range(299) if i % 5 != 4}
    assert pairs(read_skeleton(path).graph().edges) == truth
    assert found.n_edges == len(truth) == 240


def test_the_skeleton_does_not_depend_on_the_order_of_the_columns(tmp_path):
    order = np.random.default_rng(0).permutation(ALARM.names).tolist()
    learn_skeleton(ALARM, to=tmp_path / "one", **QUIET)
    learn_skeleton(ALARM.select(order), to=tmp_path / "other", **QUIET)
    graphs = [read_skeleton(tmp_path / name).graph() for name in ("one", "other")]
    assert pairs(graphs[0].edges) == pairs(graphs[1].edges)
