"""Kernels that turn cells as Arrow holds them into codes and numbers, one pass over each.

Arrow says which cells are missing by bits: bit ``i % 8`` of byte ``i // 8`` is 1 where cell ``i``
has a value. An array of no bytes means that none is missing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eiderdown.kernels import kernel

_LOOKUP = (
    "int64(const({}[::1]), const(uint8[::1]), int64, int64, const(int16[::1]), uint8, uint8[::1])"
)
_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


@kernel(*map(_LOOKUP.format, _INTEGERS))
def lookup_codes(
    values: Any, bits: Any, offset: int, low: int, table: Any, missing: int, codes: Any
) -> int:
    """Write the code of each integer; return how many have none.

    ``table[v - low]`` is the code of integer v, -1 where it has none; the last entry is -1.
    """
    last, n_unknown = len(table) - 1, 0
    complete = len(bits) == 0
    for i in range(len(values)):
        if not complete:
            at = offset + i
            if not (bits[at >> 3] >> (at & 7)) & 1:
                codes[i] = missing
                continue
        place = np.int64(values[i]) - low
        inside = place >= 0 and place < last
        code = table[place if inside else last]
        n_unknown += code < 0
        codes[i] = code
    return n_unknown


_SHIFT = "bool_(const({}[::1]), int64, int64, uint8[::1])"


@kernel(*map(_SHIFT.format, _INTEGERS))
def shift_codes(values: Any, low: int, n_codes: int, codes: Any) -> bool:
    """Write integers, less the lowest, as codes; return whether all are below so many.

    A loop without branches, of which the compiler makes one over many values at a time.
    """
    outside = np.uint64(0)
    for i in range(len(values)):
        code = np.uint64(np.int64(values[i]) - low)
        outside |= np.uint64(code >= np.uint64(n_codes))
        codes[i] = np.uint8(code)
    return bool(outside == 0)


@kernel("void(const(uint8[::1]), const(uint8[::1]), uint8[::1])")
def translate_codes(codes: Any, table: Any, ids: Any) -> None:
    """Write what a table of 256 entries has for each code."""
    for i in range(len(codes)):
        ids[i] = table[codes[i]]


_GATHER = "int64(const(int32[::1]), const(uint8[::1]), int64, const(int32[::1]), int64, {}[::1])"


@kernel(*map(_GATHER.format, ("uint8", "uint16", "uint32")))
def gather_ids(indices: Any, bits: Any, offset: int, id_of: Any, missing: int, ids: Any) -> int:
    """Write the id of each entry of a dictionary; return how many have none, -1 for no entry."""
    n_entries, n_unknown = len(id_of), 0
    complete = len(bits) == 0
    for i in range(len(indices)):
        if not complete:
            at = offset + i
            if not (bits[at >> 3] >> (at & 7)) & 1:
                ids[i] = missing
                continue
        index = indices[i]
        if index < 0 or index >= n_entries:
            return -1
        found = id_of[index]
        n_unknown += found < 0
        ids[i] = found
    return n_unknown


_NUMBERS = "void(const({}[::1]), const(uint8[::1]), int64, float64[::1])"


@kernel(*map(_NUMBERS.format, ("float64", "float32", *_INTEGERS)))
def write_numbers(values: Any, bits: Any, offset: int, numbers: Any) -> None:
    """Write values as numbers, NaN where they are missing."""
    complete = len(bits) == 0
    for i in range(len(values)):
        number = np.float64(values[i])
        if not complete:
            at = offset + i
            if not (bits[at >> 3] >> (at & 7)) & 1:
                number = np.float64(np.nan)
        numbers[i] = number


@kernel(*map("void(const({}[::1]), int64[::1])".format, ("uint8", "uint16", "uint32")))
def count_ids(ids: Any, counts: Any) -> None:
    """Count each id; neighbours go to different tables, so that equal ones do not wait."""
    n = len(counts)
    other = np.zeros(n, np.int64)
    pairs = len(ids) // 2
    for k in range(pairs):
        counts[ids[2 * k]] += 1
        other[ids[2 * k + 1]] += 1
    if len(ids) % 2:
        counts[ids[len(ids) - 1]] += 1
    for i in range(n):
        counts[i] += other[i]


@kernel("void(const(float64[::1]), float64[::1])")
def number_facts(numbers: Any, facts: Any) -> None:
    """Add to what is known of numbers.

    ``facts`` holds how many are missing, the least and the greatest finite one, how many are
    negative and how many positive infinities, and one that is not whole, NaN if all are.
    """
    n_missing, n_negative, n_positive = facts[0], facts[3], facts[4]
    least, greatest, fraction = facts[1], facts[2], facts[5]
    for i in range(len(numbers)):
        number = numbers[i]
        if np.isnan(number):
            n_missing += 1.0
        elif number == np.inf:
            n_positive += 1.0
        elif number == -np.inf:
            n_negative += 1.0
        else:
            if not number >= least:
                least = number
            if not number <= greatest:
                greatest = number
            if number != np.floor(number):
                fraction = number
    facts[0], facts[3], facts[4] = n_missing, n_negative, n_positive
    facts[1], facts[2], facts[5] = least, greatest, fraction


@kernel("void(const(float64[::1]), uint8[::1])")
def mark_whole(numbers: Any, marks: Any) -> None:
    """Mark which whole numbers from 0 on are there, as far as there are marks."""
    most = np.float64(len(marks))
    for i in range(len(numbers)):
        number = numbers[i]
        if number >= 0.0 and number < most and number == np.floor(number):
            marks[np.int64(number)] = 1
