"""Codes read from the pages of Parquet files, compared with what Arrow reads."""

from __future__ import annotations

import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eiderdown.data.packing import parquet_codes
from eiderdown.data.packing.parquet_codes import CodeReader
from eiderdown.data.packing.parquet_kernels import NOT_READ, decompress

TYPES = (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint32(), pa.uint64(), pa.string())


def column(seed, n_rows, n_values, kind, missing):
    """Draw a column with runs of equal cells."""
    rng = np.random.default_rng(seed)
    codes = np.repeat(rng.integers(0, n_values, n_rows), rng.geometric(0.5, n_rows))[:n_rows]
    cells = codes if pa.types.is_integer(kind) else [f"value {code}" for code in codes]
    mask = rng.random(n_rows) < missing if missing else None
    return pa.array(cells, kind, mask=mask)


def written(table, **how):
    sink = io.BytesIO()
    pq.write_table(table, sink, **how)
    return sink.getvalue()


def read(content, group=0):
    """Return the columns that are read as codes, and those of Arrow."""
    opened = pa.BufferReader(content)
    with pq.ParquetFile(opened) as file:
        kinds = {field.name: field.type for field in file.schema_arrow}
        with CodeReader(opened, file, kinds) as reader:
            return reader.columns(group), file.read_row_group(group)


def assert_same(coded, table):
    for name, array in coded.items():
        array.validate(full=True)
        expected = table.column(name).combine_chunks()
        if pa.types.is_dictionary(expected.type):
            expected = expected.dictionary_decode()
        assert array.dictionary_decode().cast(expected.type).equals(expected)


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 10_000),
    n_rows=st.integers(1, 3_000),
    n_values=st.integers(1, 254),
    kind=st.sampled_from(TYPES),
    missing=st.sampled_from([0.0, 0.02, 0.6, 1.0]),
    nullable=st.booleans(),
    compression=st.sampled_from(["snappy", "none"]),
    page=st.sampled_from([64, 1_000, 1 << 20]),
)
def test_codes_are_what_arrow_reads(
    seed, n_rows, n_values, kind, missing, nullable, compression, page
):
    cells = column(
        seed,
        n_rows,
        min(n_values, 127 if kind == pa.int8() else 254),
        kind,
        missing if nullable else 0.0,
    )
    if kind == pa.string() and seed % 2:
        cells = cells.dictionary_encode()
    schema = pa.schema([pa.field("x", cells.type, nullable=nullable)])
    table = pa.table([cells], schema=schema)
    how = {"compression": compression, "data_page_size": page, "write_batch_size": 50}
    coded, expected = read(written(table, **how))
    assert_same(coded, expected)
    if missing < 1.0 or not nullable:
        assert "x" in coded


@pytest.mark.parametrize(
    ("cells", "how"),
    [
        (np.arange(1_000), {}),  # more values than bytes can tell apart
        (np.arange(300) % 7, {"use_dictionary": False}),
        (np.arange(300) % 7, {"compression": "gzip"}),
        (np.arange(300) % 7, {"data_page_version": "2.0"}),
        (np.arange(300) % 7 / 2, {}),
        (np.arange(300) % 7 > 3, {}),
        (np.arange(9).astype("M8[D]"), {}),
        ([[1], [2, 3]], {}),
        ([{"a": 1}], {}),
        (np.arange(5_000) % 200, {"dictionary_pagesize_limit": 100}),  # begins as codes
        (np.zeros(0, np.int64), {}),
    ],
)
def test_what_is_not_of_codes_is_left_to_arrow(cells, how):
    coded, _ = read(written(pa.table({"x": cells}), **how))
    assert coded == {}


def test_only_codes_are_taken_and_arrow_reads_the_rest():
    n = 2_500
    rng = np.random.default_rng(0)
    table = pa.table(
        {"a": rng.integers(0, 3, n), "x": rng.normal(size=n), "b": rng.integers(0, 5, n)}
    )
    opened = pa.BufferReader(written(table, row_group_size=1_000))
    with pq.ParquetFile(opened) as file:
        kinds = {field.name: field.type for field in file.schema_arrow}
        for names in (["a", "x", "b"], ["b", "a"], ["x"]):
            wanted = {name: kinds[name] for name in names}
            with CodeReader(opened, file, wanted) as reader:
                batches = [b for group in range(3) for b in reader.batches(group, names, 300)]
            assert all(batch.schema.names == names for batch in batches)
            for k, name in enumerate(names):
                cells = np.concatenate(
                    [b.column(k).to_numpy(zero_copy_only=False) for b in batches]
                )
                np.testing.assert_array_equal(cells, table.column(name).to_numpy())


@settings(deadline=None, max_examples=60)
@given(
    st.integers(0, 10_000), st.integers(1, 6), st.booleans(), st.sampled_from(["snappy", "none"])
)
def test_damaged_pages_are_refused_or_give_cells(seed, n_hits, missing, compression):
    """Whatever the bytes are, nothing outside them is touched, and codes stand for entries."""
    rng = np.random.default_rng(seed)
    cells = column(seed, 400, 5, pa.int64(), 0.2 if missing else 0.0)
    content = written(pa.table({"x": cells}), compression=compression, data_page_size=100)
    with pq.ParquetFile(pa.BufferReader(content)) as file:
        chunk = file.metadata.row_group(0).column(0)
        start, size = chunk.dictionary_page_offset, chunk.total_compressed_size
    raw = bytearray(content[start : start + size])
    for at in rng.integers(0, len(raw), n_hits):
        raw[at] = rng.integers(0, 256)
    if seed % 3 == 0:
        raw = raw[: rng.integers(1, len(raw))]
    found = parquet_codes._column(bytes(raw), chunk, 1, pa.int64(), 400)
    if found is not None:
        found.validate(full=True)
        assert len(found) == 400


def test_levels_that_no_page_has_are_refused():
    """A run of levels above 1 would count more known cells than there is room for."""
    cells = pa.array([None] * 400 + [1, 2] * 100, pa.int64())
    content = written(pa.table({"x": cells}), compression="none")
    with pq.ParquetFile(pa.BufferReader(content)) as file:
        chunk = file.metadata.row_group(0).column(0)
        start, size = chunk.dictionary_page_offset, chunk.total_compressed_size
    raw = bytearray(content[start : start + size])
    run = bytes([0xA0, 0x06, 0])  # 400 cells of level 0: twice the length as a varint, the level
    assert raw.count(run) == 1
    kind = pa.int64()
    assert parquet_codes._column(bytes(raw), chunk, 1, kind, 600).null_count == 400
    raw[raw.index(run) + 2] = 255
    assert parquet_codes._column(bytes(raw), chunk, 1, kind, 600) is None


@given(st.binary(max_size=3_000), st.integers(0, 3))
def test_what_snappy_wrote_is_decompressed(content, n_times):
    content = content * (1 + 20 * n_times)
    packed = np.frombuffer(pa.Codec("snappy").compress(content, asbytes=True), np.uint8)
    full = np.zeros(len(content), np.uint8)
    assert decompress(packed, 0, len(packed), full) == len(content)
    assert full.tobytes() == content
    if content:
        assert decompress(packed, 0, len(packed), full[:-1]) == NOT_READ
        assert decompress(packed, 0, len(packed) - 1, full) == NOT_READ
