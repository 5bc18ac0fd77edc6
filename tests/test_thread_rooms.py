"""Rooms for several threads in one record: each has a part of its own, of the same shape."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, NamedTuple

import numpy as np
import pytest

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.kernels import kernel
from eiderdown.thread_rooms import own_part, several
from eiderdown.work_sharing import share, waiting_threads


class _Inner(NamedTuple):
    table: Annotated[FloatArray, "float64[:, ::1]"]
    nothing: Annotated[IntArray, "int64[:, ::1]"]


class _Room(NamedTuple):
    numbers: Annotated[IntArray, "int64[::1]"]
    inner: _Inner
    n_threads: int


@kernel("void(_Room, int64)", inner=True)
def _fill(rooms, k):
    room = own_part(rooms, k, rooms.n_threads)
    for i in range(room.numbers.shape[0]):
        room.numbers[i] = 100 * k + i
    for i in range(room.inner.table.shape[0]):
        for j in range(room.inner.table.shape[1]):
            room.inner.table[i, j] += k + 1.0
    for i in range(min(1, room.numbers.shape[0])):
        room.numbers[i] += 10 * room.inner.nothing.shape[0]


@kernel("void(int64[::1], _Room)")
def _fill_all(board, rooms):
    share(board, rooms.n_threads, _fill, (rooms,))


@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize("length", [0, 1, 3, 40])
def test_every_thread_writes_to_a_part_of_its_own(n_threads, length):
    inner = _Inner(np.zeros((length, 7)), np.zeros((2, 0), dtype=np.int64))
    rooms = several(_Room(np.zeros(length, dtype=np.int64), inner, n_threads), n_threads)
    with waiting_threads(2) as board:
        _fill_all(board, rooms)
    parts = [own_part(rooms, k, n_threads) for k in range(n_threads)]
    for k, part in enumerate(parts):
        expected = [100 * k + 20, *(100 * k + i for i in range(1, length))]
        assert part.numbers.tolist() == expected[:length]
        assert part.inner.table.tolist() == [[k + 1.0] * 7] * length
        assert part.inner.nothing.shape == (2, 0)
    ends = [(part.numbers.ctypes.data, part.numbers.nbytes) for part in parts if length]
    for (start, n_bytes), (after, _) in pairwise(ends):
        assert after >= start + n_bytes + 128  # no cache line is that of two
