"""Tables in an object store: read from there as from a folder."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from eiderdown import Dataset, find_boundary, networks
from eiderdown.errors import UnreadableFileError
from object_store import BUCKET, object_store

TABLE = networks.load("asia").sample(4_000, random_state=0)
YEARS = {2024: slice(0, 1_500), 2025: slice(1_500, 4_000)}


def as_parquet(rows: slice) -> bytes:
    """Write some rows."""
    written = io.BytesIO()
    frame = TABLE.to_pandas().iloc[rows]
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), written, row_group_size=500)
    return written.getvalue()


@pytest.fixture
def where(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "nobody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "nothing")
    parts = {f"parts/year={year}/rows.parquet": as_parquet(rows) for year, rows in YEARS.items()}
    with object_store(parts) as query:
        yield query


@pytest.mark.parametrize("memory", [None, "50MB"])
def test_answers_are_those_of_memory(where: str, tmp_path: Path, memory: str | None) -> None:
    options = {"target": "dysp", "progress": False, "exclude": ["year"]}
    there = Dataset.of(f"s3://{BUCKET}/parts{where}", memory=memory, store=tmp_path)
    found = find_boundary(there, **options)
    here = find_boundary(TABLE, **options | {"exclude": []})
    assert there.n_rows == 4_000
    assert "year" in there.names
    assert found.members == here.members
    assert [e.log_p for e in found.evidence] == [e.log_p for e in here.evidence]


def test_one_object_is_a_table(where: str) -> None:
    data = Dataset.of(f"s3://{BUCKET}/parts/year=2024/rows.parquet{where}")
    assert data.n_rows == 1_500


def test_what_is_not_there_is_refused(where: str) -> None:
    with pytest.raises(UnreadableFileError, match="nothing"):
        Dataset.of(f"s3://{BUCKET}/nothing{where}")
