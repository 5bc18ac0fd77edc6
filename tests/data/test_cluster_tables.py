"""Tables that are brought to a cluster are those that one machine reads."""

from __future__ import annotations

import os
import signal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet
from test_cluster_encoding import DEFAULTS, assert_same, awkward_frame

from eiderdown.data import Dataset
from eiderdown.data.packing.store import packed
from eiderdown.errors import ClusterError, InputError, OptionError, UnreadableFileError

pytest.importorskip("distributed", reason="Dask is an extra")

import dask
from dask import dataframe as dask_frame

from eiderdown.data.cluster.connect import connection
from eiderdown.data.cluster.layout import layout_of
from eiderdown.data.cluster.tables import _pieces


@pytest.fixture(scope="module")
def frame():
    return awkward_frame(1000)


@pytest.fixture(scope="module")
def folder(frame, tmp_path_factory):
    """Write four files, each of several row groups."""
    path = tmp_path_factory.mktemp("parts")
    table = pa.Table.from_pandas(frame, preserve_index=False)
    for k in range(4):
        parquet.write_table(table.slice(250 * k, 250), path / f"{k}.parquet", row_group_size=60)
    return path


def test_frames_of_dask(frame, cluster):
    parts = dask_frame.from_pandas(frame, npartitions=5)
    assert_same(Dataset.of(parts, client=cluster[0]), Dataset.of(frame))


def test_delayed_parts(frame, cluster):
    parts = [dask.delayed(frame.iloc[start : start + 300]) for start in range(0, 1000, 300)]
    assert_same(Dataset.of(parts, client=cluster[0]), Dataset.of(frame))


def test_a_folder_of_files_that_workers_read(folder, cluster):
    table = Dataset.of(folder, client=cluster[0], kinds={"many": "category"})
    assert_same(table, Dataset.of(folder, kinds={"many": "category"}))
    assert table.origin.path == str(folder)


def test_folders_whose_names_are_columns(frame, cluster, tmp_path):
    for year in (2019, 2020):
        (tmp_path / f"year={year}").mkdir()
        frame.iloc[:100].to_parquet(tmp_path / f"year={year}" / "part.parquet")
    table = Dataset.of(tmp_path, client=cluster[0])
    assert table.names[-1] == "year"
    assert_same(table, Dataset.of(tmp_path))


def test_a_file_that_is_read_whole(frame, cluster, tmp_path):
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    assert_same(Dataset.of(path, client=cluster[0]), Dataset.of(path))


def test_a_table_in_memory(frame, cluster):
    assert_same(Dataset.of(frame, client=cluster[0]), Dataset.of(frame))


def test_a_packed_table_whose_parts_workers_open(frame, folder, cluster, tmp_path):
    stored = packed(folder, DEFAULTS, where=tmp_path)
    assert_same(Dataset.of(stored, client=cluster[0]), Dataset.of(parquet.read_table(folder)))


def test_a_table_that_is_there_stays_there(frame, cluster):
    table = Dataset.of(frame, client=cluster[0])
    assert Dataset.of(table, client=cluster[0]) is table


def killed(client, workers, table):
    """Kill the worker that holds the last part, and put another in its place."""
    home = table.partitions._parts[-1].home
    os.kill(client.run(os.getpid)[home], signal.SIGKILL)


@pytest.mark.parametrize("way", ["persisted", "memory"])
def test_rows_that_were_lost_with_their_worker_come_back(frame, cluster, way):
    """Of a persisted frame by Dask's own tasks, of one in memory from here."""
    client, workers = cluster
    given = frame
    if way == "persisted":
        given = client.persist(dask_frame.from_pandas(frame, npartitions=5))
    table = Dataset.of(given, client=client)
    killed(client, workers, table)
    assert_same(table, Dataset.of(frame))
    workers.start(client)


def test_an_address_is_connected_to(frame, cluster):
    address = cluster[0].scheduler.address
    with connection(address) as client:
        assert client.status == "running"
        assert client is not cluster[0]
    assert client.status == "closed"


@pytest.mark.parametrize(
    ("client", "error", "message"),
    [
        ("tcp://127.0.0.1:9", ClusterError, "There is no cluster at 'tcp://127.0.0.1:9'"),
        (7, OptionError, "client must be a client of Dask or the address of a scheduler"),
    ],
)
def test_what_is_no_cluster_is_refused(client, error, message, monkeypatch):
    monkeypatch.setattr("eiderdown.data.cluster.connect._SECONDS_TO_CONNECT", 1)
    with pytest.raises(error, match=message):
        Dataset.of(pd.DataFrame({"x": [1, 2]}), client=client)


def test_without_dask_one_sentence_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(ClusterError, match=r"pip install 'eiderdown\[dask\]'"):
        Dataset.of(pd.DataFrame({"x": [1, 2]}), client="tcp://127.0.0.1:9")


def test_a_folder_without_tables_is_refused(cluster, tmp_path):
    with pytest.raises(UnreadableFileError, match="is a directory without Parquet, Arrow"):
        Dataset.of(tmp_path, client=cluster[0])


def test_parts_that_cannot_be_joined_are_refused(cluster):
    parts = [dask.delayed(pd.DataFrame({"x": ["a"]})), dask.delayed(pd.DataFrame({"y": ["a"]}))]
    with pytest.raises(InputError, match="The columns of the parts differ, such as 'y'"):
        Dataset.of(parts, client=cluster[0])


def test_files_are_cut_between_row_groups():
    parts = _pieces([("a", [60, 60, 60]), ("b", [10]), ("c", [])], 3)
    assert [part.args[1] for part in parts] == [[0], [1], [2], [0], []]
    assert [part.n_rows for part in parts] == [60, 60, 60, 10, 0]


@pytest.mark.parametrize(
    ("n_rows", "n_columns", "n_targets", "by"),
    [
        (10**8, 30, 1, "rows"),
        (1_000, 100, 1, "rows"),
        (500, 5_000, 1, "columns"),
        (500, 1_000, 1, "rows"),
        (500, 5_000, 5_000, "targets"),
        (10**9, 20, 20, "rows"),
    ],
)
def test_the_shape_says_how_a_table_is_shared_out(n_rows, n_columns, n_targets, by):
    layout = layout_of(n_rows, n_columns, n_rows * n_columns, n_targets)
    assert layout.by == by
    assert layout.why.startswith(by)


def test_wide_tables_have_columns_together(cluster):
    rng = np.random.default_rng(0)
    wide = Dataset.from_codes(
        rng.integers(0, 3, (2_500, 40)),
        names=[f"c{i}" for i in range(2_500)],
        categories=[(0, 1, 2)] * 2_500,
    )
    assert Dataset.of(wide, client=cluster[0]).partitions.layout == "columns"
