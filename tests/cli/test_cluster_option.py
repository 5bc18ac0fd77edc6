"""--cluster: the address of a scheduler."""

from __future__ import annotations

import json

import pytest
from command_line import run

from eiderdown import find_boundary, networks

pytest.importorskip("distributed", reason="Dask is an extra")


@pytest.fixture(scope="module")
def frame():
    return networks.load("asia").sample(3_000, random_state=0).to_pandas()


def test_the_command_line_takes_an_address(frame, cluster, tmp_path):
    for k in range(2):
        frame.iloc[1_500 * k : 1_500 * (k + 1)].to_parquet(tmp_path / f"{k}.parquet")
    words = ("find", tmp_path, "dysp", "--algorithm", "iamb", "--json")
    there = run(*words, "--cluster", cluster[0].scheduler.address)
    assert there.exit_code == 0
    members = find_boundary(frame, "dysp", algorithm="iamb").members
    assert json.loads(there.stdout)["members"] == list(members)


def test_a_cluster_that_is_not_there_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr("eiderdown.data.cluster.connect._SECONDS_TO_CONNECT", 1)
    path = tmp_path / "table.csv"
    path.write_text("x,y\n" + "a,b\nb,a\n" * 20)
    found = run("find", path, "x", "--cluster", "tcp://127.0.0.1:9")
    assert found.exit_code == 2
    assert "There is no cluster at" in " ".join(found.stderr.split())
