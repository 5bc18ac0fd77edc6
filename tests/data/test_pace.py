"""Rows per second and time left, wherever the rows are."""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from test_partitions import codes_of_many, joined, whole

from eiderdown.data import pace
from eiderdown.data.pace import Pace
from eiderdown.data.packing import pack
from eiderdown.data.packing.store import packed

__all__ = ["whole"]

SAID = re.compile(r"[\d,]+ rows a second, about [\d,]+ s left")


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    found = Clock()
    monkeypatch.setattr(pace, "monotonic", found)
    return found


@pytest.fixture
def told(monkeypatch):
    found = []
    monkeypatch.setattr(pace, "tell_detail", found.append)
    return found


def test_pace_is_that_of_this_time_and_the_rest_follows_from_it(clock):
    found = Pace(1_000, n_before=400)
    assert found.said() == ""
    clock.now = 2.0
    assert found.said() == ""  # no row yet
    found.add(200)
    assert found.said() == "100 rows a second, about 4 s left"


def test_it_is_told_now_and_then(clock, told):
    found = Pace(100)
    for clock.now in (0.05, 0.06, 1.0, 1.01, 2.0):
        found.passed(20)
    assert told == ["60 rows a second, about 1 s left", "50 rows a second, about 0 s left"]


@pytest.fixture
def at_once(monkeypatch, told):
    """Have everything told, however quick it is."""
    monkeypatch.setattr(pace, "_FIRST", 0.0)
    monkeypatch.setattr(pace, "_PAUSE", -1.0)
    return told


def said(told):
    """Return how often something was told, all of it in words."""
    assert all(SAID.fullmatch(text) for text in told)
    return len(told)


def test_a_pass_over_a_store_tells_its_pace(tmp_path, monkeypatch, at_once):
    monkeypatch.setattr(pack, "MOST_ROWS", 100)
    monkeypatch.setattr(pack, "_FEWEST_ROWS", 100)
    pq.write_table(pa.table({"x": [0, 1] * 250}), tmp_path / "t.parquet")
    stored = packed(tmp_path / "t.parquet", {}, where=tmp_path / "stores")
    at_once.clear()
    assert stored.reduce(_n_rows, int.__add__, [0]) == 500
    assert said(at_once) == 5
    assert at_once[-1].endswith("about 0 s left")


def _n_rows(part):
    return part.n_rows


def test_questions_to_a_cluster_tell_their_pace(whole, cluster, at_once, monkeypatch):
    pytest.importorskip("distributed", reason="Dask is an extra")
    from test_cluster_partitions import on_cluster

    from eiderdown.data.cluster import partitions as module

    partitions, parts = on_cluster(cluster[0], whole)
    list(partitions.map(codes_of_many))
    assert said(at_once) == len(parts)
    at_once.clear()
    first = partitions.reduce(codes_of_many, joined)
    assert said(at_once) == 2  # workers
    # The next question is taken to be slow, and answered in pieces.
    at_once.clear()
    monkeypatch.setattr(module, "_SECONDS_OF_PIECE", 1e-9)
    partitions.reduce(codes_of_many, joined)
    at_once.clear()
    assert partitions.reduce(codes_of_many, joined).tolist() == first.tolist()
    assert said(at_once) == len(parts)
