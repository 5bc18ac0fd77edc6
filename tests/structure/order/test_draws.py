"""Random numbers that kernels draw are those that the generator would have drawn."""

from __future__ import annotations

import numpy as np
import pytest

from eiderdown.structure.order.draws import draw_numbers, draw_permutation, draws_of


@pytest.mark.parametrize("n", [1, 2, 3, 8, 9, 37, 724])
def test_kernels_draw_what_the_generator_draws(n):
    one, other = (np.random.default_rng(n) for _ in range(2))
    draws, numbers, order = draws_of(one), np.zeros(n), np.zeros(n, dtype=np.int64)
    for _ in range(5):
        draw_numbers(draws, numbers)
        draw_permutation(draws, order)
        assert numbers.tolist() == other.random(n).tolist()
        assert order.tolist() == other.permutation(n).tolist()
        assert one.integers(100) == other.integers(100)
