"""The simulated networks of Lantz, Ray & Page (2007): functions whose single inputs tell nothing.

A Boolean function is *correlation-immune* if its value is independent of every single input, where
inputs are even coins; exclusive-or, parity and "all the same" are. A function is a row of 2^n zeros
and ones, its inputs counting as binary digits, the first the highest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np

from eiderdown import DAG
from eiderdown.arrays import BoolArray, FloatArray, IntArray
from eiderdown.networks import DiscreteNetwork

STATES = ("0", "1")
N_COLUMNS = 30
N_PARENTS = 5
TOP = tuple(f"cause{i:02d}" for i in range(1, 21))
BOTTOM = tuple(f"sign{i:02d}" for i in range(1, 21))
_AT_ONCE = 5_000  # of five inputs about one function in 1,400 is immune and uses them all


def are_immune(functions: IntArray) -> BoolArray:
    """Tell of each function whether no single input tells anything about its value."""
    n_inputs = functions.shape[1].bit_length() - 1
    signs = 2 * np.array(list(product((0, 1), repeat=n_inputs)), dtype=np.float32) - 1
    return np.all(functions.astype(np.float32) @ signs == 0, axis=1)


def use_all_inputs(functions: IntArray) -> BoolArray:
    """Tell of each function whether every input can change its value."""
    n_inputs = functions.shape[1].bit_length() - 1
    cubes = functions.reshape(-1, *(2,) * n_inputs)
    inputs = tuple(range(1, 1 + n_inputs))
    return np.logical_and.reduce([np.diff(cubes, axis=k).any(axis=inputs) for k in inputs])


def immune_function(n_inputs: int, generator: np.random.Generator) -> IntArray:
    """Draw one of the correlation-immune functions that use all their inputs, evenly."""
    return _first(n_inputs, generator, are_immune)


def telling_function(n_inputs: int, generator: np.random.Generator) -> IntArray:
    """Draw one of the other functions that use all their inputs, evenly."""
    return _first(n_inputs, generator, lambda functions: ~are_immune(functions))


def random_function(n_inputs: int, generator: np.random.Generator) -> IntArray:
    """Draw the output of every row of the truth table."""
    return generator.integers(2, size=2**n_inputs)


def one_child(
    draw_function: Callable[[int, np.random.Generator], IntArray],
    certainty: float,
    generator: np.random.Generator,
) -> DiscreteNetwork:
    """Make 30 binary columns, one of which is a function of five others.

    The parents are even; the other columns' probabilities are random. The child has the function's
    value with this certainty.
    """
    names = [f"x{i:02d}" for i in range(1, N_COLUMNS + 1)]
    child, *parents = generator.choice(names, 1 + N_PARENTS, replace=False).tolist()
    chances = dict(zip(names, generator.random(N_COLUMNS), strict=True))
    chances.update(dict.fromkeys(parents, 0.5))
    tables: dict[str, FloatArray] = {
        name: np.array([1 - chance, chance]) for name, chance in chances.items()
    }
    tables[child] = _table(draw_function(N_PARENTS, generator), certainty)
    return _network(names, {child: parents}, tables)


def causes_and_signs(immune_share: float, generator: np.random.Generator) -> DiscreteNetwork:
    """Make 20 even columns and 20 others, each a function of two or three of the first.

    As many of the functions as this share are correlation-immune, on average.
    """
    families: dict[str, Sequence[str]] = {}
    tables: dict[str, FloatArray] = {name: np.array([0.5, 0.5]) for name in TOP}
    for name in BOTTOM:
        families[name] = generator.choice(TOP, generator.integers(2, 4), replace=False).tolist()
        is_immune = generator.random() < immune_share
        draw_function = immune_function if is_immune else telling_function
        tables[name] = _table(draw_function(len(families[name]), generator), 1.0)
    return _network([*TOP, *BOTTOM], families, tables)


def _first(
    n_inputs: int, generator: np.random.Generator, wanted: Callable[[IntArray], BoolArray]
) -> IntArray:
    """Draw functions until one is wanted."""
    n_functions = _AT_ONCE if n_inputs > 3 else 1_000
    while True:
        drawn = generator.integers(2, size=(n_functions, 2**n_inputs), dtype=np.int8)
        found = drawn[wanted(drawn)]
        found = found[use_all_inputs(found)]
        if len(found):
            return found[0].astype(np.int64)


def _table(function: IntArray, certainty: float) -> FloatArray:
    """Return the conditional table of a child that has the function's value with this certainty."""
    n_inputs = len(function).bit_length() - 1
    of_one = np.where(function == 1, certainty, 1 - certainty).reshape((2,) * n_inputs)
    return np.stack([1 - of_one, of_one], axis=-1)


def _network(
    names: Sequence[str], families: dict[str, Sequence[str]], tables: dict[str, FloatArray]
) -> DiscreteNetwork:
    edges = [(parent, child) for child, parents in families.items() for parent in parents]
    return DiscreteNetwork(DAG(names, edges), dict.fromkeys(names, STATES), tables)
