"""Tables of numbers and categories from random graphs, for ``mixed_kinds.py``.

The papers do not tell every number of their designs; these are restated as well as could be.

- *Logistic* tables, after Raghu, Poon and Benos (2018), who simulate as Sedgewick et al. (2016):
  half of the columns numbers, half categories of three values. A number is a linear function of its
  parents (one offset for each category) plus normal noise; a category is drawn by a multinomial
  logistic function of them. Slopes and offsets are from .5 to 1.5 in size.
- *Cut* tables, after Andrews, Ramsey and Cooper (2019): every column is a linear function of its
  parents plus normal noise, and every second one is then cut into two to five categories of equal
  frequency; children see the category.
- *Bent* tables have numbers only, each a sum of straight and bent functions of its parents plus
  noise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eiderdown.data import Dataset

N_CATEGORIES = 3
LEAST, MOST = 0.5, 1.5

BENDS: tuple[Callable[[NDArray[np.float64]], NDArray[np.float64]], ...] = (
    lambda x: x,
    lambda x: x * x - 1.0,
    lambda x: 1.5 * np.abs(x),
    lambda x: 1.3 * np.sin(2.0 * x),
    lambda x: np.tanh(2.0 * x),
    lambda x: 2.0 * np.exp(-x * x),
)


@dataclass(frozen=True)
class Made:
    """A table, and the parents of each of its columns."""

    data: Dataset
    parents: dict[str, set[str]]

    @property
    def edges(self) -> set[frozenset[str]]:
        """The skeleton."""
        return {frozenset((x, p)) for x, near in self.parents.items() for p in near}

    def boundary(self, x: str) -> set[str]:
        """Parents, children and the children's other parents."""
        children = {c for c, near in self.parents.items() if x in near}
        spouses = {p for c in children for p in self.parents[c]}
        return (self.parents[x] | children | spouses) - {x}


def random_parents(rng: np.random.Generator, n_columns: int, mean_degree: float) -> list[list[int]]:
    """Draw as many edges as the mean degree asks for, all pairs alike; parents come first."""
    pairs = [(i, j) for j in range(n_columns) for i in range(j)]
    chosen = rng.choice(len(pairs), round(n_columns * mean_degree / 2), replace=False)
    parents: list[list[int]] = [[] for _ in range(n_columns)]
    for k in chosen:
        i, j = pairs[int(k)]
        parents[j].append(i)
    return parents


def logistic_table(
    rng: np.random.Generator, n_columns: int, n_rows: int, mean_degree: float
) -> Made:
    """Draw a table in which every second column, in a random order, is a category of three."""
    parents = random_parents(rng, n_columns, mean_degree)
    is_number = rng.permutation(np.arange(n_columns) % 2 == 0)
    columns: list[NDArray[np.float64]] = []
    for j in range(n_columns):
        n_values = 1 if is_number[j] else N_CATEGORIES
        total = np.zeros((n_rows, n_values))
        for i in parents[j]:
            total += _effect(rng, columns[i], bool(is_number[i]), n_values)
        if is_number[j]:
            columns.append(_scaled(total[:, 0] + rng.normal(size=n_rows)))
        else:  # the largest of logits plus Gumbel noise is a draw from the softmax
            columns.append(np.argmax(total + rng.gumbel(size=total.shape), axis=1) * 1.0)
    return _named(rng, columns, is_number, parents)


def cut_table(rng: np.random.Generator, n_columns: int, n_rows: int, mean_degree: float) -> Made:
    """Draw a table in which every second column, in a random order, is cut into two to five."""
    parents = random_parents(rng, n_columns, mean_degree)
    is_number = rng.permutation(np.arange(n_columns) % 2 == 0)
    columns: list[NDArray[np.float64]] = []
    for j in range(n_columns):
        total = rng.normal(size=n_rows)
        for i in parents[j]:
            total += rng.choice([-1.0, 1.0]) * rng.uniform(LEAST, MOST) * _scaled(columns[i])
        if not is_number[j]:
            shares = np.linspace(0.0, 1.0, int(rng.integers(2, 6)) + 1)[1:-1]
            total = np.searchsorted(np.quantile(total, shares), total) * 1.0
        columns.append(total)
    return _named(rng, columns, is_number, parents)


def _scaled(column: NDArray[np.float64]) -> NDArray[np.float64]:
    scaled: NDArray[np.float64] = (column - column.mean()) / column.std()
    return scaled


def _named(
    rng: np.random.Generator,
    columns: list[NDArray[np.float64]],
    is_number: NDArray[np.bool_],
    parents: list[list[int]],
) -> Made:
    """Give columns names in an order that says nothing about the graph's."""
    names = [f"v{k:03d}" for k in rng.permutation(len(columns))]
    table = {
        name: column if number else np.array(list("abcde"))[column.astype(int)]
        for name, column, number in zip(names, columns, is_number, strict=True)
    }
    near = {names[j]: {names[i] for i in parents[j]} for j in range(len(columns))}
    return Made(Dataset.from_columns(table), near)


def _effect(
    rng: np.random.Generator, column: NDArray[np.float64], is_number: bool, n_values: int
) -> NDArray[np.float64]:
    """Return what one parent adds to a number, or to the logits of a category."""
    if is_number:
        slopes = rng.uniform(LEAST, MOST, n_values) * rng.choice([-1.0, 1.0], n_values)
        return column[:, None] * slopes
    offsets = rng.uniform(LEAST, MOST, (N_CATEGORIES, n_values))
    offsets *= rng.choice([-1.0, 1.0], offsets.shape)
    return (offsets - offsets.mean(axis=0))[column.astype(int)]


def bent_table(
    rng: np.random.Generator, n_columns: int, n_rows: int, mean_degree: float, *, bent: bool
) -> Made:
    """Draw a table of numbers, each a sum of functions of its parents plus noise."""
    parents = random_parents(rng, n_columns, mean_degree)
    columns: list[NDArray[np.float64]] = []
    for j in range(n_columns):
        total = rng.normal(size=n_rows)
        for i in parents[j]:
            function = BENDS[int(rng.integers(len(BENDS)))] if bent else BENDS[0]
            total += rng.choice([-1.0, 1.0]) * rng.uniform(LEAST, MOST) * function(columns[i])
        columns.append(_scaled(total))
    return _named(rng, columns, np.ones(n_columns, dtype=np.bool_), parents)
