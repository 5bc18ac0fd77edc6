"""What ``numpy.random.default_rng(seed)`` draws, in kernels, for one seed after another.

To make a generator, or to choose some of a few numbers, takes NumPy ten microseconds; compiled, it
takes less than one. The generator is PCG64 (O'Neill 2014, "PCG: a family of simple fast
space-efficient statistically good algorithms for random number generation"), seeded by
``numpy.random.SeedSequence``; bounded numbers are Lemire's (2019, "Fast random integer generation
in an interval"), and choices without replacement Floyd's (Bentley & Floyd 1987, "A sample of
brilliance").
"""

from __future__ import annotations

import numpy as np

from eiderdown.kernels import kernel

_HIGH, _LOW, _INCREMENT_HIGH, _INCREMENT_LOW, _HAS_HALF, _HALF = range(6)
N_WORDS = 6
"""What a generator is: a state and an increment of 128 bits, and what is left of the last word."""

_N_MIXED = 4
N_POOL = 2 * _N_MIXED
_32 = np.uint64(32)
_ZERO, _ONE = np.uint64(0), np.uint64(1)
_32_BITS = np.uint64(0xFFFFFFFF)
_FACTOR_HIGH, _FACTOR_LOW = np.uint64(2549297995355413924), np.uint64(4865540595714422341)

# Those of SeedSequence.
_FIRST_A, _TIMES_A = np.uint64(0x43B0D7E5), np.uint64(0x931E8875)
_FIRST_B, _TIMES_B = np.uint64(0x8B51F9DD), np.uint64(0x58F38DED)
_LEFT, _RIGHT = np.uint64(0xCA01F9DD), np.uint64(0x4973F715)
_16 = np.uint64(16)


@kernel("uint64(uint64, uint64)", inner=True)
def _folded(word, factor):
    """Multiply numbers of 32 bits, and let the upper half change the lower one."""
    word = (word * factor) & _32_BITS
    return word ^ (word >> _16)


@kernel("void(uint64[::1], uint64, uint64[::1])", inner=True)
def seed_generator(generator, seed, pool):
    """Begin as a generator with a seed of 32 bits does; ``pool`` is room for ``N_POOL`` words."""
    constant, word = _FIRST_A, seed
    for k in range(_N_MIXED):
        word ^= constant
        constant = (constant * _TIMES_A) & _32_BITS
        pool[k], word = _folded(word, constant), _ZERO
    for source in range(_N_MIXED):
        for k in range(_N_MIXED):
            if k != source:
                word = pool[source] ^ constant
                constant = (constant * _TIMES_A) & _32_BITS
                word = (_LEFT * pool[k] - _RIGHT * _folded(word, constant)) & _32_BITS
                pool[k] = word ^ (word >> _16)
    # Eight words, the lower half of a pair first.
    constant = _FIRST_B
    for k in range(_N_MIXED):
        pool[_N_MIXED + k] = pool[k]
    for k in range(_N_MIXED):
        pair = _ZERO
        for half in range(2):
            word = pool[_N_MIXED + (2 * k + half) % _N_MIXED] ^ constant
            constant = (constant * _TIMES_B) & _32_BITS
            pair |= _folded(word, constant) << (_32 * np.uint64(half))
        pool[k] = pair
    generator[_INCREMENT_HIGH] = (pool[2] << _ONE) | (pool[3] >> np.uint64(63))
    generator[_INCREMENT_LOW] = (pool[3] << _ONE) | _ONE
    generator[_HIGH], generator[_LOW] = _ZERO, _ZERO
    _advance(generator)
    low = generator[_LOW] + pool[1]
    generator[_HIGH] += pool[0] + (_ONE if low < pool[1] else _ZERO)
    generator[_LOW] = low
    _advance(generator)
    generator[_HAS_HALF], generator[_HALF] = _ZERO, _ZERO


@kernel("void(uint64[::1])", inner=True)
def _advance(generator):
    """Let the state be state * factor + increment, in 128 bits."""
    state, factor = generator[_LOW], _FACTOR_LOW
    low = state * factor
    # The upper half of that product, from products of halves.
    a, b = state >> _32, state & _32_BITS
    c, d = factor >> _32, factor & _32_BITS
    middle = a * d + ((b * d) >> _32)
    other = b * c + (middle & _32_BITS)
    high = a * c + (middle >> _32) + (other >> _32)
    high += generator[_HIGH] * factor + state * _FACTOR_HIGH
    generator[_LOW] = low + generator[_INCREMENT_LOW]
    carry = _ONE if generator[_LOW] < low else _ZERO
    generator[_HIGH] = high + generator[_INCREMENT_HIGH] + carry


@kernel("uint64(uint64[::1])", inner=True)
def _next_32_bits(generator):
    """Return the lower half of a new word, or the upper half of the last one."""
    if generator[_HAS_HALF]:
        generator[_HAS_HALF] = _ZERO
        return generator[_HALF]
    _advance(generator)
    word = generator[_HIGH] ^ generator[_LOW]
    turn = generator[_HIGH] >> np.uint64(58)
    word = (word >> turn) | (word << ((np.uint64(64) - turn) & np.uint64(63)))
    generator[_HAS_HALF], generator[_HALF] = _ONE, word >> _32
    return word & _32_BITS


@kernel("int64(uint64[::1], int64)", inner=True)
def _number_up_to(generator, last):
    """Draw a number from 0 to the last, below 2**32 - 1."""
    if last == 0:
        return 0
    n = np.uint64(last + 1)
    product = _next_32_bits(generator) * n
    if (product & _32_BITS) < n:
        least = (_32_BITS - np.uint64(last)) % n
        while (product & _32_BITS) < least:
            product = _next_32_bits(generator) * n
    return np.int64(product >> _32)


@kernel("int64(uint64[::1], int64[:, ::1], int64, int64, int64, uint8[::1])", inner=True)
def least_of_some(generator, values, first, n, n_drawn, is_drawn):
    """Return the least of ``n_drawn`` out of ``n`` values, which stand in column 0 from a row on.

    As ``values[first + generator.choice(n, n_drawn, replace=False), 0].min()``, for n up to 10,000.
    ``is_drawn`` is room for n zeros, and holds zeros again afterwards.
    """
    least = values[first, 0]
    for k in range(n - n_drawn, n):
        drawn = _number_up_to(generator, k)
        if is_drawn[drawn]:
            drawn = k
        is_drawn[drawn] = 1
        value = values[first + drawn, 0]
        if k == n - n_drawn or value < least:
            least = value
    for k in range(n):
        is_drawn[k] = 0
    for k in range(n_drawn - 1, 0, -1):  # the order is drawn, too
        _number_up_to(generator, k)
    return least
