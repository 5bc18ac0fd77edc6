"""Rows on the workers of a cluster, of which some are lost and some are slow."""

from __future__ import annotations

import functools
import operator
import os
import signal
import time

import numpy as np
import pytest
from test_partitions import PartitionsConformance, codes_of_many, cuts, joined, part_of, whole

pytest.importorskip("distributed", reason="Dask is an extra")

from eiderdown.data.cluster.partitions import ClusterPartitions, HeldRows
from eiderdown.data.cluster.questions import Held, homes_of
from eiderdown.data.cluster.workers import Workforce
from eiderdown.errors import ClusterError
from local_cluster import local_cluster

__all__ = ["whole"]


def held(data, start, stop):
    return HeldRows(part_of(data, start, stop))


def on_cluster(client, data, patience=60.0, silence=30.0):
    parts = [Held(held, (data, start, stop), stop - start) for start, stop in cuts(data.n_rows)]
    return ClusterPartitions(Workforce(client, patience, silence), parts, data.fingerprint), parts


class TestClusterPartitions(PartitionsConformance):
    @pytest.fixture
    def partitions(self, whole, cluster):
        return on_cluster(cluster[0], whole)[0]


def here(part):
    return [(os.getpid(), part.n_rows)]


def test_consecutive_parts_are_on_one_worker_and_stay_there(whole, cluster):
    partitions, _ = on_cluster(cluster[0], whole)
    first, second = (list(partitions.map(here)) for _ in range(2))
    assert first == second
    processes = [answer[0][0] for answer in first]
    assert sorted(set(processes), key=processes.index) == [processes[0], processes[-1]]
    assert processes[0] != processes[-1]


def merge_and_count(left, right):
    return left[0] + right[0], left[1] + right[1] + 1


def counted(part):
    return part.n_rows, 0


def test_workers_merge_their_own_answers(whole, cluster):
    """Here only the answers of two workers are merged; the workers have merged three times."""
    merged_here = []

    def merge(left, right):
        merged_here.append(1)
        return merge_and_count(left, right)

    partitions, parts = on_cluster(cluster[0], whole)
    assert partitions.reduce(counted, merge) == (whole.n_rows, len(parts) - 1)
    assert len(merged_here) == 1


def dying(victim, part):
    if os.getpid() == victim:
        os.kill(victim, signal.SIGKILL)
    return codes_of_many(part)


@pytest.mark.parametrize("way", ["map", "reduce"])
def test_a_worker_that_is_killed_at_work_is_survived(whole, cluster, way):
    client, workers = cluster
    partitions, parts = on_cluster(client, whole)
    homes = {part.home for part in parts}
    victim = client.run(os.getpid)[parts[-1].home]
    work = functools.partial(dying, victim)
    codes = (
        partitions.reduce(work, joined)
        if way == "reduce"
        else np.concatenate(list(partitions.map(work)))
    )
    np.testing.assert_array_equal(codes, whole.codes(2))
    np.testing.assert_array_equal(partitions.reduce(codes_of_many, joined), whole.codes(2))
    assert {part.home for part in parts} < homes
    workers.start(client)


def test_a_worker_that_is_killed_between_two_questions_is_survived(whole, cluster):
    client, workers = cluster
    partitions, parts = on_cluster(client, whole)
    lost = parts[0].home
    os.kill(client.run(os.getpid)[lost], signal.SIGKILL)
    for _ in range(2):
        codes = np.concatenate(list(partitions.map(codes_of_many)))
        np.testing.assert_array_equal(codes, whole.codes(2))
    assert lost not in {part.home for part in parts}
    workers.start(client)


def slow_at(slow, seconds, part):
    if os.getpid() == slow:
        time.sleep(seconds)
    return codes_of_many(part)


@pytest.mark.parametrize("way", ["map", "reduce"])
def test_a_slow_worker_is_not_waited_for_twice(whole, cluster, way):
    """It would sleep for minutes, and is asked again and given parts no more."""
    client, workers = cluster
    partitions, parts = on_cluster(client, whole, patience=0.5)
    slow = parts[-1].home
    process = client.run(os.getpid)[slow]
    work = functools.partial(slow_at, process, 300)
    for _ in range(2):
        codes = (
            partitions.reduce(work, joined)
            if way == "reduce"
            else np.concatenate(list(partitions.map(work)))
        )
        np.testing.assert_array_equal(codes, whole.codes(2))
    assert slow not in {part.home for part in parts}
    os.kill(process, signal.SIGKILL)  # which else sleeps on
    workers.start(client)


def test_no_part_of_a_quick_cluster_is_moved(whole, cluster):
    partitions, parts = on_cluster(cluster[0], whole, patience=30.0)
    homes = [part.home for part in parts]
    for _ in range(3):
        partitions.reduce(operator.attrgetter("n_rows"), operator.add)
    assert [part.home for part in parts] == homes


def always_dying(part):
    os.kill(os.getpid(), signal.SIGKILL)


def test_work_that_kills_every_worker_ends_in_a_sentence(whole):
    with local_cluster(1) as (client, _):
        partitions, _ = on_cluster(client, whole, silence=1.0)
        with pytest.raises(ClusterError, match=r"is lost; start it again|want of memory"):
            list(partitions.map(always_dying))


@pytest.mark.parametrize(
    ("n_rows", "expected"),
    [
        ([10, 10, 10, 10], "aabb"),
        ([1, 1, 1, 97], "aaab"),
        ([5], "a"),
        ([], ""),
        ([9, 1, 1, 1], "abbb"),
    ],
)
def test_parts_are_shared_out_by_rows(n_rows, expected):
    assert "".join(homes_of(n_rows, {"a": 1, "b": 1})) == expected


def test_a_worker_of_more_threads_holds_more_parts():
    assert "".join(homes_of([1] * 8, {"a": 3, "b": 1})) == "aaaaaabb"
