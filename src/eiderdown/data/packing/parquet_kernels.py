"""Kernels that read codes into dictionaries from the pages of a column of a Parquet file.

A page is a header, in Thrift's compact protocol, and a body, perhaps compressed by Snappy. The body
of a page of codes holds which cells are missing (levels) and the codes of the others, both as runs
of equal numbers and groups of eight packed ones. Whatever is not of this form is refused, and
nothing outside the given bytes is looked at, so that Arrow complains of damaged files.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from eiderdown.kernels import kernel

KIND, N_FULL, N_PACKED, N_VALUES, ENCODING, N_FIELDS = 0, 1, 2, 3, 4, 5
"""What a header is read into: the kind of page, bytes of its body decompressed and as they are, how
many values it holds, and how these are encoded."""

PAGE_OF_VALUES: Final = 0
PAGE_OF_ENTRIES: Final = 2
NOT_READ: Final = -1
MISSING: Final = 255
_DEEPEST = 6  # structures within structures of a header
_CODES, _OLD_CODES = 8, 2  # encodings
_OF_VALUES, _OF_ENTRIES = 5, 7  # fields of a header that are headers of a kind of page
_LAST_BOOLEAN, _BYTE, _LAST_INTEGER, _DOUBLE, _BINARY, _STRUCT = 2, 3, 6, 7, 8, 12  # types


class Page(NamedTuple):
    """A page of values whose body is at hand."""

    n_bytes: int
    n_values: int
    row: int
    n_entries: int
    optional: int


@kernel("int64(const(uint8[::1]), int64, int64, int64[::1])", inner=True)
def _varint(raw: Any, at: int, end: int, found: Any) -> int:
    """Read an unsigned number of 7 bits a byte into ``found[0]``; return where it ends."""
    number, shift = np.uint64(0), np.uint64(0)
    while at < end and shift < np.uint64(63):
        byte = raw[at]
        at += 1
        number |= np.uint64(byte & 127) << shift
        if byte < 128:
            found[0] = np.int64(number)
            return at
        shift += np.uint64(7)
    return NOT_READ


@kernel("int64(const(uint8[::1]), int64, int64, int64[::1])", inner=True)
def _read_value(raw: Any, at: int, kind: int, found: Any) -> int:
    """Read a value that is no structure, an integer into ``found[0]``; return where it ends."""
    end = len(raw)
    if kind <= _LAST_BOOLEAN:
        return at
    if kind in (_BYTE, _DOUBLE):
        at += 1 if kind == _BYTE else 8
        return at if at <= end else NOT_READ
    if kind > _LAST_INTEGER and kind != _BINARY:
        return NOT_READ
    at = _varint(raw, at, end, found)
    if at >= 0 and kind == _BINARY:
        return at + found[0] if 0 <= found[0] <= end - at else NOT_READ
    found[0] = (found[0] >> 1) ^ -(found[0] & 1)
    return at


@kernel("int64(const(uint8[::1]), int64, int64[::1])")
def read_header(raw: Any, at: int, fields: Any) -> int:
    """Read the header of a page that begins somewhere; return where it ends, or `NOT_READ`."""
    depth, last = 0, np.zeros(_DEEPEST + 1, np.int64)  # field of each structure being read
    found = np.zeros(1, np.int64)
    for k in range(N_FIELDS):
        fields[k] = NOT_READ
    while 0 <= at < len(raw):
        kind, step = np.int64(raw[at] & 15), np.int64(raw[at] >> 4)
        at += 1
        if kind == 0:  # the end of a structure
            depth -= 1
            if depth < 0:
                return at
            continue
        if step == 0 or (kind == _STRUCT and depth == _DEEPEST):
            return NOT_READ  # fields far apart, which no header has
        last[depth] += step
        if kind == _STRUCT:
            depth += 1
            last[depth] = 0
            continue
        at = _read_value(raw, at, kind, found)
        if depth == 0 and last[0] <= N_PACKED + 1 and kind <= _LAST_INTEGER:
            fields[last[0] - 1] = found[0]
        if depth == 1 and (last[0] == _OF_VALUES or last[0] == _OF_ENTRIES) and last[1] <= 2:
            fields[N_VALUES + last[1] - 1] = found[0]
    return NOT_READ


@kernel("int64(const(uint8[::1]), int64, int64)", inner=True)
def _little(raw: Any, at: int, n: int) -> Any:
    """Return the number in so many bytes, the lowest first."""
    number = np.int64(0)
    for k in range(n):
        number |= np.int64(raw[at + k]) << np.int64(8 * k)
    return number


@kernel("int64(const(uint8[::1]), int64, int64, uint8[::1])")
def decompress(raw: Any, at: int, end: int, full: Any) -> int:
    """Decompress what Snappy wrote; return how many bytes there are, or `NOT_READ`."""
    found = np.zeros(1, np.int64)
    at = _varint(raw, at, end, found)
    n = found[0]
    if at < 0 or n < 0 or n > len(full):
        return NOT_READ
    to = 0
    while at < end:
        tag: Any = np.int64(raw[at])
        form, size = tag & 3, (tag >> 2) + 1
        n_more = (size - 60 if size > 60 else 0) if form == 0 else 1 << (form - 1)
        at += 1
        if n_more > end - at:
            return NOT_READ
        number = _little(raw, at, n_more)
        at += n_more
        if form == 0:  # bytes as they are
            size = number + 1 if n_more else size
            if size > end - at or size > n - to:
                return NOT_READ
            for k in range(size):
                full[to + k] = raw[at + k]
            at += size
        else:  # bytes that were there before
            if form == 1:
                number |= (tag >> 5) << 8
                size = ((tag >> 2) & 7) + 4
            if number <= 0 or number > to or size > n - to:
                return NOT_READ
            for k in range(size):
                full[to + k] = full[to + k - number]
        to += size
    return to if to == n else NOT_READ


@kernel("void(const(uint8[::1]), int64, uint8[::1])", inner=True)
def _unpack(raw: Any, width: int, codes: Any) -> None:
    """Unpack codes of a width of which each byte holds several, the first in its lowest bits."""
    mask, n_each = np.uint8((1 << width) - 1), 8 // width
    for b in range(raw.shape[0]):
        byte = raw[b]
        for k in range(n_each):
            codes[b * n_each + k] = (byte >> np.uint8(k * width)) & mask


@kernel("void(const(uint8[::1]), int64, int64, uint8[::1])", inner=True)
def _unpack_any(raw: Any, at: int, width: int, codes: Any) -> None:
    """Unpack codes of any width up to 8, of which eight take as many bytes."""
    mask, step = np.uint64((1 << width) - 1), np.uint64(width)
    for g in range(codes.shape[0] // 8):
        bits = np.uint64(0)
        for k in range(width):
            bits |= np.uint64(raw[at + g * width + k]) << np.uint64(8 * k)
        for k in range(8):
            codes[8 * g + k] = np.uint8((bits >> (np.uint64(k) * step)) & mask)


@kernel("int64(const(uint8[::1]), int64, int64, int64, int64, uint8[::1], int64[::1])", inner=True)
def _read_runs(raw: Any, at: int, end: int, width: int, n: int, codes: Any, found: Any) -> int:
    """Read codes of so many bits, at most 8; return 0, or `NOT_READ` where some are not there.

    There is room for 7 codes more than are wanted, because packed ones come in groups of eight;
    ``found`` is room for one number.
    """
    filled = 0
    while filled < n:
        at = _varint(raw, at, end, found)
        if at < 0:
            return NOT_READ
        if found[0] & 1:
            n_groups = min(found[0] >> 1, (n - filled + 7) >> 3)
            if n_groups * width > end - at:
                return NOT_READ
            if width == 1:
                _unpack(raw[at : at + n_groups], 1, codes[filled : filled + 8 * n_groups])
            elif width == 2:
                _unpack(raw[at : at + 2 * n_groups], 2, codes[filled : filled + 8 * n_groups])
            elif width == 4:
                _unpack(raw[at : at + 4 * n_groups], 4, codes[filled : filled + 8 * n_groups])
            else:
                _unpack_any(raw, at, width, codes[filled : filled + 8 * n_groups])
            filled += 8 * n_groups
            at += n_groups * width
            if n_groups == 0:
                return NOT_READ
        else:
            size = min(found[0] >> 1, n - filled)
            if size <= 0 or at >= end:
                return NOT_READ
            code = raw[at]
            at += 1
            for k in range(size):
                codes[filled + k] = code
            filled += size
    return 0


@kernel("int64(Page, const(uint8[::1]), uint8[::1], int64[::1])", inner=True)
def _read_levels(page: Page, body: Any, levels: Any, found: Any) -> Any:
    """Read which cells are known; return where this ends, or `NOT_READ`."""
    if not page.optional:
        return 0
    if page.n_bytes < 4:
        return NOT_READ
    end = 4 + _little(body, 0, 4)
    if end > page.n_bytes or _read_runs(body, 4, end, 1, page.n_values, levels, found) < 0:
        return NOT_READ
    for i in range(page.n_values):
        if levels[i] > 1:  # a damaged run: as many cells as that would not have room
            return NOT_READ
    return end


@kernel("int64(Page, const(uint8[::1]), uint8[::1], uint8[::1], int64[::1])", inner=True)
def _read_page(page: Page, body: Any, levels: Any, codes: Any, found: Any) -> int:
    """Read the codes of one page; return how many are missing, or `NOT_READ`."""
    end, n = page.n_bytes, page.n_values
    at = _read_levels(page, body, levels, found)
    n_known = n
    if page.optional and at >= 0:
        n_known = 0
        for i in range(n):
            n_known += levels[i]
    if at < 0 or (n_known > 0 and at >= end):
        return NOT_READ
    own = codes[page.row :]
    width = np.int64(body[at]) if n_known > 0 else 0
    for i in range(n_known if width == 0 else 0):
        own[i] = 0
    is_read = width <= 8 and (
        width == 0 or _read_runs(body, at + 1, end, width, n_known, own, found) == 0
    )
    largest = -1
    for i in range(n_known if is_read else 0):
        largest = max(largest, own[i])
    if not is_read or largest >= page.n_entries:
        return NOT_READ
    return _spread(levels, n, n_known, page.row, codes) if n_known < n else 0


@kernel("int64(const(uint8[::1]), int64, int64, int64, uint8[::1])", inner=True)
def _spread(levels: Any, n: int, n_known: int, at_row: int, codes: Any) -> int:
    """Move known codes to their rows, from the last on; return how many are missing."""
    left = n_known
    for i in range(n - 1, -1, -1):
        if levels[i]:
            left -= 1
            codes[at_row + i] = codes[at_row + left]
        else:
            codes[at_row + i] = MISSING
    return n - n_known


@kernel(
    "int64(const(uint8[::1]), int64, int64, int64, int64, uint8[::1], uint8[::1], uint8[::1])",
)
def read_codes(
    raw: Any,
    at: int,
    compressed: int,
    optional: int,
    n_entries: int,
    full: Any,
    levels: Any,
    codes: Any,
) -> int:
    """Read the codes of all pages from a place on; return how many are missing, or `NOT_READ`.

    ``full`` and ``levels`` are room for the largest page; ``codes`` has 7 cells more than rows.
    """
    fields, found = np.zeros(N_FIELDS, np.int64), np.zeros(1, np.int64)
    n_rows, row, n_missing = len(codes) - 7, 0, 0
    while row < n_rows:
        at = read_header(raw, at, fields)
        n, n_packed = fields[N_VALUES], fields[N_PACKED]
        if at < 0 or fields[KIND] != PAGE_OF_VALUES or n < 0 or n > n_rows - row:
            return NOT_READ
        if n_packed < 0 or n_packed > len(raw) - at or n > len(levels) - 7:
            return NOT_READ
        if fields[ENCODING] != _CODES and fields[ENCODING] != _OLD_CODES:
            return NOT_READ
        if compressed:
            size = decompress(raw, at, at + n_packed, full)
        else:
            size = n_packed if n_packed <= len(full) else NOT_READ
            for k in range(size):
                full[k] = raw[at + k]
        if size < 0:
            return NOT_READ
        page = Page(size, n, row, n_entries, optional)
        missing = _read_page(page, full, levels, codes, found)
        if missing < 0:
            return NOT_READ
        n_missing += missing
        row += n
        at += n_packed
    return n_missing
