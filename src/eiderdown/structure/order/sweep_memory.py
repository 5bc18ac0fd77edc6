"""What a score answered, for kernels of several threads.

An answer follows from its question alone, so it does not matter who asked first, nor whether an
answer is found again: searches find the same either way. So nobody waits for anybody. Whoever has
an answer takes room for it, writes it there, and then writes to one of some slots where it is; if
two write to the same slot at once, one of the answers is lost.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from eiderdown.arrays import FloatArray, IntArray, rows_apart
from eiderdown.instructions import add_to_word, read_word, write_word
from eiderdown.kernels import kernel

_SLOTS_EACH, _WORDS_EACH = 1_000, 1 << 14  # by variable
_MOST_WORDS = 1 << 24
_MOST_LOOKS = 16  # at slots
_BITS = (1 << 42) - 1
NOWHERE = -1


class SweepMemory(NamedTuple):
    """Sweeps by child and parents, in order.

    Attributes
    ----------
    slots : IntArray
        Where in words a sweep is; 0 if nowhere.
    words, numbers : IntArray, FloatArray
        Child, number of parents, parents, number of candidates, candidates; in the same places of
        numbers as the candidates are their scores.
    top : IntArray
        How many words are taken.
    """

    slots: Annotated[IntArray, "int64[::1]"]
    words: Annotated[IntArray, "int64[::1]"]
    numbers: Annotated[FloatArray, "float64[::1]"]
    top: Annotated[IntArray, "int64[::1]"]

    @classmethod
    def empty(cls, n_variables: int) -> SweepMemory:
        """Return a memory for sweeps of so many variables; only what is written to is taken."""
        n_words = min(n_variables * _WORDS_EACH, _MOST_WORDS)
        top = rows_apart(1, 1)[0]
        top[0] = 1  # 0 would be nowhere
        return cls(
            slots=np.zeros(1 << (n_variables * _SLOTS_EACH).bit_length(), dtype=np.int64),
            words=np.zeros(n_words, dtype=np.int64),
            numbers=np.zeros(n_words),
            top=top,
        )


@kernel("int64(SweepMemory, int64, int64[::1], int64)", inner=True)
def _first_slot(memory, child, parents, n):
    number = child + 1
    for k in range(n):
        number = (number * 1_000_003 + parents[k] + 1) & _BITS
    return (number ^ (number >> 21)) & (memory.slots.shape[0] - 1)


@kernel("int64(SweepMemory, int64, int64[::1], int64)", inner=True)
def find_sweep(memory, child, parents, n):
    """Return where the number of candidates of a sweep is, the first of them behind it."""
    slot = _first_slot(memory, child, parents, n)
    for _ in range(_MOST_LOOKS):
        at = read_word(memory.slots, slot)
        if at == 0:
            return NOWHERE
        if memory.words[at] == child and memory.words[at + 1] == n:
            k = 0
            while k < n and memory.words[at + 2 + k] == parents[k]:
                k += 1
            if k == n:
                return at + 2 + n
        slot = (slot + 1) & (memory.slots.shape[0] - 1)
    return NOWHERE


@kernel("void(SweepMemory, int64, int64[::1], int64, int64[::1], int64, float64[::1])", inner=True)
def remember_sweep(memory, child, parents, n, candidates, n_candidates, scores):
    """Keep a sweep, if there is room."""
    size = n + n_candidates + 3
    at = add_to_word(memory.top, 0, size)
    if at + size > memory.words.shape[0]:
        add_to_word(memory.top, 0, -size)
        return
    memory.words[at] = child
    memory.words[at + 1] = n
    for k in range(n):
        memory.words[at + 2 + k] = parents[k]
    place = at + 2 + n
    memory.words[place] = n_candidates
    for k in range(n_candidates):
        memory.words[place + 1 + k] = candidates[k]
        memory.numbers[place + 1 + k] = scores[k]
    slot = _first_slot(memory, child, parents, n)
    for _ in range(_MOST_LOOKS):
        if read_word(memory.slots, slot) == 0:
            write_word(memory.slots, slot, at)
            return
        slot = (slot + 1) & (memory.slots.shape[0] - 1)
