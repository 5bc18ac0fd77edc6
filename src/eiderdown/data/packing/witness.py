"""The raw column that stands for one of which all rows have been seen.

Its cells are the distinct values with the rows of each, or, of many numbers, some by which the
rules of reading (``read``, ``screen``, ``encode``) decide as they would by all.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import IntArray
from eiderdown.data.adapters import raw_from_arrow, raw_from_csv
from eiderdown.data.dates import AnyRaw, RawDates
from eiderdown.data.encode import Numbering, RawCategories, RawNumbers
from eiderdown.data.packing.seen import SeenColumn


def raw_of(own: SeenColumn) -> AnyRaw:
    """Return the distinct cells, or of many numbers some that stand for all."""
    if own.too_many:
        return _raw_texts(own)
    if own.has_ids:
        return _raw_values(own)
    return _raw_numbers(own)


def _raw_texts(own: SeenColumn) -> RawCategories:
    assert own.distinct is not None
    codes = np.append(np.arange(len(own.values)), -1)
    rows = np.zeros(len(codes), np.int64)
    rows[0], rows[-1] = own.n_rows - own.n_missing, own.n_missing
    n_more = max(0, own.distinct.estimate() - len(own.values))
    return RawCategories(codes, tuple(own.values), declared=False, rows=rows, n_more=n_more)


def _raw_values(own: SeenColumn) -> AnyRaw:
    import pyarrow as pa
    from pyarrow import types

    kind = own.kind
    rows = own.counts
    if own.n_missing or own.n_rows == 0:
        rows = np.append(rows, own.n_missing)
    missing = [None] * (len(rows) - len(own.values))
    if types.is_null(kind) or (own.is_text and not own.values):
        raw: AnyRaw = RawCategories(np.full(len(rows), -1), (), declared=False)
    elif types.is_dictionary(kind) or own.is_text:
        plain = kind.value_type if types.is_dictionary(kind) else pa.string()
        indices = pa.array([*range(len(own.values)), *missing], pa.int32())
        entries = pa.array(own.values, plain)
        ordered = bool(types.is_dictionary(kind) and kind.ordered)
        array = pa.DictionaryArray.from_arrays(indices, entries, ordered=ordered)
        raw = (raw_from_csv if own.is_text else raw_from_arrow)(own.name, pa.chunked_array([array]))
    elif own.as_dates:
        raw = raw_from_arrow(own.name, pa.array([*own.values, *missing], pa.timestamp("us")))
    elif own.is_integer or own.is_boolean:
        raw = raw_from_arrow(own.name, pa.array([*own.values, *missing], kind))
    else:
        raw = raw_from_arrow(own.name, pa.array([*own.values, *missing], pa.float64()))
    raw = replace(raw, rows=rows)
    if own.is_integer and isinstance(raw, RawNumbers) and own.first is not None:
        order = Numbering(own.first, own.is_consecutive, len(own.values))
        raw = replace(raw, numbering=order)
    return raw


def _raw_numbers(own: SeenColumn) -> AnyRaw:
    if own.is_date:
        known = [np.datetime64(0, "us")] if own.n_missing < own.n_rows else []
        rows = _rows(own, np.zeros(len(known)))
        no_dates = [np.datetime64("NaT")] * (len(rows) - len(known))
        return RawDates(np.array([*known, *no_dates], "datetime64[us]"), rows)
    if own.is_integer:
        ends = [end for end in (own.least, own.greatest) if end is not None]
        cells = np.array([*own.values, *own.sample, *ends], own.kind.to_pandas_dtype())
    else:
        cells = np.array(_float_cells(own))
    rows = _rows(own, cells)
    missing = None
    if len(rows) > len(cells):
        missing = np.arange(len(rows)) == len(cells)
        cells = np.append(cells, np.zeros(1, cells.dtype))
    if not own.is_integer or own.first is None:
        return RawNumbers(cells, missing, rows)
    n_distinct = None if own.distinct is None else own.distinct.estimate()
    order = Numbering(own.first, own.is_consecutive, n_distinct)
    return RawNumbers(cells, missing, rows, order)


def _float_cells(own: SeenColumn) -> list[float]:
    """Return the first floats, and others by which all are known."""
    _, least, greatest, n_negative, n_positive, fraction = own.facts.tolist()
    cells = [*own.first_known, *np.flatnonzero(own.whole).tolist()]
    cells += [end for end in (least, greatest, fraction) if not np.isnan(end)]
    return cells + [-np.inf] * (n_negative > 0) + [np.inf] * (n_positive > 0)


def _rows(own: SeenColumn, known: NDArray[Any]) -> IntArray:
    """Let one cell stand for all finite values, and one behind all cells for missing ones."""
    rows = np.zeros(len(known) + (own.n_missing > 0 or len(known) == 0), np.int64)
    if len(known) < len(rows):
        rows[-1] = own.n_missing
    left = own.n_rows - own.n_missing
    for infinite, n in ((-np.inf, int(own.facts[3])), (np.inf, int(own.facts[4]))):
        if n:
            rows[np.flatnonzero(known == infinite)[-1]] = n
            left -= n
    finite = np.flatnonzero(np.isfinite(known.astype(float)))
    if len(finite):
        rows[finite[0]] = left
    return rows
