"""Verbs on a cluster find what they find on one machine, with the same evidence."""

from __future__ import annotations

import gc
import os
import signal
import threading

import numpy as np
import pandas as pd
import pytest

from eiderdown import (
    find_all_boundaries,
    find_boundary,
    find_parents_children,
    learn_network,
    networks,
)
from eiderdown.data import Dataset
from eiderdown.errors import ClusterError
from local_cluster import local_cluster

pytest.importorskip("distributed", reason="Dask is an extra")

import dask
from dask import dataframe as dask_frame

from eiderdown.data.cluster.shards import ColumnShards
from eiderdown.statistics import CountStatistics, count_source


@pytest.fixture(scope="module")
def frame():
    return networks.load("asia").sample(3_000, random_state=0).to_pandas()


@pytest.fixture(scope="module")
def parts(frame):
    return dask_frame.from_pandas(frame, npartitions=5)


def found(result):
    """Return all that a result says, but for how the search went."""
    fields = result.to_dict()
    del fields["run"]
    if "results" in fields:
        fields["results"] = [{k: v for k, v in r.items() if k != "run"} for r in fields["results"]]
    return fields


@pytest.mark.parametrize("verb", [find_boundary, find_parents_children])
def test_searches_around_a_target(verb, frame, parts, cluster):
    there = verb(parts, target="dysp", client=cluster[0])
    assert found(there) == found(verb(frame, target="dysp"))
    assert there.run.options["cluster"].startswith("rows: ")


def test_targets_are_shared_out(frame, parts, cluster):
    there = find_all_boundaries(parts, algorithm="iamb", client=cluster[0])
    assert found(there) == found(find_all_boundaries(frame, algorithm="iamb"))
    assert there.run.options["cluster"].startswith("targets: ")


def test_networks(frame, parts, cluster):
    how = {"algorithm": "hill_climbing", "score": "bic"}
    there = learn_network(parts, client=cluster[0], **how)
    assert found(there) == found(learn_network(frame, **how))


@pytest.fixture(scope="module")
def wide():
    return wide_table()


def wide_table():
    rng = np.random.default_rng(1)
    cells = rng.integers(0, 3, (200, 2_200))
    cells[:, 9] = (cells[:, 4] + (rng.random(200) < 0.1)) % 3
    table = pd.DataFrame(cells, columns=[f"c{i}" for i in range(2_200)]).astype("Int64")
    table.loc[rng.random(200) < 0.1, "c7"] = pd.NA
    return table


def test_columns_are_shared_out(wide, cluster):
    how = {"target": "c9", "algorithm": "iamb", "max_given": 1}
    with pytest.warns(UserWarning, match="rows"):
        here = find_boundary(wide, **how)
    with pytest.warns(UserWarning, match="rows"):
        there = find_boundary(wide, client=cluster[0], **how)
    assert found(there) == found(here)
    assert there.run.options["cluster"].startswith("columns: ")


def test_counts_of_shared_columns_are_those_in_memory(wide, cluster):
    client, workers = cluster
    data = Dataset.of(wide)
    table = Dataset.of(wide, client=client)
    there, here = count_source(table), CountStatistics(data)
    candidates = [0, 7, 1_500, 2_199]
    for given in ((), (4,), (7, 11)):
        for own, other in zip(
            there.tables(candidates, 9, given), here.tables(candidates, 9, given), strict=True
        ):
            np.testing.assert_array_equal(own, other)
    lost = ColumnShards.of(table).shards[-1].home
    os.kill(client.run(os.getpid)[lost], signal.SIGKILL)
    for own, other in zip(there.tables(candidates, 9), here.tables(candidates, 9), strict=True):
        np.testing.assert_array_equal(own, other)
    workers.start(client)


def bytes_held(client, but) -> int:
    """Return how many bytes of what this process wants workers hold, but for some keys."""
    gc.collect()
    wanted = set(client.futures) - but
    return sum(n for key, n in client.nbytes(summary=False).items() if key in wanted)


def some_rows_of_the_wide_table(start, stop):
    return wide_table().iloc[start:stop]


@pytest.mark.parametrize("is_sent", [True, False])
def test_rows_are_let_go_where_columns_are_shared_out(is_sent, wide, cluster):
    client, workers = cluster
    of_others = set(client.futures)  # which these may let go meanwhile
    data = Dataset.of(wide)
    make = dask.delayed(some_rows_of_the_wide_table)
    given = data if is_sent else [make(start, start + 50) for start in range(0, 200, 50)]
    table = Dataset.of(given, client=client)
    table.partitions.make_all()
    rows = bytes_held(client, of_others)
    there, here = count_source(table), CountStatistics(data)
    assert_same_counts(there, here, (4, 7))
    assert 0 < bytes_held(client, of_others) < 1.2 * rows
    assert not table.partitions.are_held
    assert "_loaded" not in vars(there._near.data)  # nor are all rows in this process
    lost = ColumnShards.of(table).shards[0].home
    os.kill(client.run(os.getpid)[lost], signal.SIGKILL)
    assert_same_counts(there, here, (11,))
    workers.start(client)
    np.testing.assert_array_equal(table.codes(3), data.codes(3))  # of rows that were let go


def assert_same_counts(there, here, given) -> None:
    candidates = [0, 1_500, 2_199]
    pairs = zip(there.tables(candidates, 9, given), here.tables(candidates, 9, given), strict=True)
    for own, other in pairs:
        np.testing.assert_array_equal(own, other)


def test_a_search_survives_the_loss_of_a_worker(frame, parts, cluster):
    client, workers = cluster
    victim = client.run(os.getpid)[sorted(client.nthreads())[-1]]
    killing = threading.Timer(0.3, os.kill, (victim, signal.SIGKILL))
    killing.start()
    there = find_boundary(parts, target="either", client=client)
    killing.join()
    assert found(there) == found(find_boundary(frame, target="either"))
    workers.start(client)


def test_an_address_will_do(frame, parts, cluster):
    address = cluster[0].scheduler.address
    there = find_boundary(parts, "dysp", algorithm="iamb", client=address)
    here = find_boundary(frame, "dysp", algorithm="iamb")
    assert found(there) == found(here)
    assert there.run.table.target == here.run.table.target


def test_a_scheduler_that_is_lost_is_one_sentence(frame):
    with local_cluster(1) as (client, _):
        table = Dataset.of(frame, client=client)
        client.close()
        with pytest.raises(ClusterError, match=r"The connection to the cluster at .* is lost"):
            find_boundary(table, "dysp")
