"""Kernels that put the strata of two parts of a table together, by what they hold."""

from __future__ import annotations

from typing import Any

from eiderdown.kernels import kernel


@kernel("int64(const(int64[:, ::1]), const(int64[:, ::1]), int64[::1], int64[::1])")
def merge_places(first: Any, second: Any, of_first: Any, of_second: Any) -> int:
    """Find where each row of two sorted lists of distinct rows is in the list of both.

    Returns how many distinct rows there are.
    """
    a, b, n = 0, 0, 0
    while a < first.shape[0] or b < second.shape[0]:
        order = 0  # below zero where the next row of the first list comes first
        if a == first.shape[0]:
            order = 1
        elif b == second.shape[0]:
            order = -1
        else:
            for k in range(first.shape[1]):
                if first[a, k] != second[b, k]:
                    order = -1 if first[a, k] < second[b, k] else 1
                    break
        if order <= 0:
            of_first[a] = n
            a += 1
        if order >= 0:
            of_second[b] = n
            b += 1
        n += 1
    return n


@kernel("void(const(int32[:, :, ::1]), const(int64[::1]), int32[:, :, ::1])")
def add_at(counts: Any, places: Any, total: Any) -> None:
    """Add the counts of each stratum, the middle axis, to those at its place."""
    for i in range(counts.shape[0]):
        for stratum in range(counts.shape[1]):
            place = places[stratum]
            for cell in range(counts.shape[2]):
                total[i, place, cell] += counts[i, stratum, cell]


@kernel("void(const(int64[:, ::1]), const(int64[:, ::1]), int64[::1])")
def find_places(rows: Any, among: Any, places: Any) -> None:
    """Find each row of a sorted list in another; the other's length where it is not there."""
    b = 0
    for a in range(rows.shape[0]):
        places[a] = among.shape[0]
        while b < among.shape[0]:
            order = 0
            for k in range(rows.shape[1]):
                if rows[a, k] != among[b, k]:
                    order = -1 if rows[a, k] < among[b, k] else 1
                    break
            if order <= 0:
                if order == 0:
                    places[a] = b
                break
            b += 1
