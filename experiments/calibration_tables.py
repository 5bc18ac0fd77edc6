"""Tables of which it is known what is true: x, y and z1 .. z5, for ``calibration.py``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

MOST_GIVEN = 5

Codes: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True)
class Design:
    """One kind of table: how many rows, which columns, and what is true of them."""

    rows: int
    categories: int = 3
    skewed: bool = False
    common_cause: bool = False
    strength: float = 0.0

    def codes(self, generator: np.random.Generator) -> tuple[Codes, Codes, list[Codes]]:
        """Draw x, y and z1 .. z5 as categories."""
        shares = 0.5 ** np.arange(self.categories) if self.skewed else np.ones(self.categories)
        shares /= shares.sum()

        def column() -> Codes:
            return generator.choice(self.categories, self.rows, p=shares)

        def following(source: Codes, share: float) -> Codes:
            return np.where(generator.random(self.rows) < share, source, column())

        zs = [column() for _ in range(MOST_GIVEN)]
        y = following(zs[0], 0.5) if self.common_cause else column()
        x = following(zs[0], 0.5) if self.common_cause else column()
        if self.strength:
            x = np.where(generator.random(self.rows) < self.strength, y, x)
        return x, y, zs


Draw: TypeAlias = Callable[[np.random.Generator], tuple[Any, Any, list[Any]]]


def numbers(rows: int, shape: str) -> Draw:
    """Draw tables of numbers in which x and y both follow z1 in a straight line."""

    def draw(generator: np.random.Generator) -> tuple[Any, Any, list[Any]]:
        noise = {
            "normal": lambda: generator.normal(size=rows),
            "heavy tails (t, 3 dof)": lambda: generator.standard_t(3, size=rows),
            "skewed (exponential)": lambda: generator.exponential(size=rows),
        }[shape]
        zs = [noise() for _ in range(MOST_GIVEN)]
        return 0.7 * zs[0] + noise(), 0.7 * zs[0] + noise(), zs

    return draw


def mixed(rows: int, y_kind: str, missing: float) -> Draw:
    """Draw tables of both kinds; a class follows numbers by a logistic law."""

    def draw(generator: np.random.Generator) -> tuple[Any, Any, list[Any]]:
        def seen() -> NDArray[np.bool_]:
            return generator.random(rows) >= missing

        def number(values: NDArray[Any]) -> NDArray[Any]:
            return np.where(seen(), values, np.nan)

        def category(codes: NDArray[Any]) -> Any:
            texts = list("abcd")[: int(codes.max()) + 1]
            return pd.Categorical.from_codes(np.where(seen(), codes, -1), texts)

        z0, z1 = generator.normal(size=rows), generator.integers(3, size=rows)
        x = 0.7 * z0 + (z1 == 0) + generator.normal(size=rows)
        signal = 0.8 * z0 + 0.8 * (z1 == 0) - 0.3
        if y_kind == "number":
            y: Any = number(signal + generator.normal(size=rows))
        else:
            states = 2 if y_kind == "class of 2" else 4
            scores = generator.gumbel(size=(rows, states)) + np.outer(signal, np.arange(states))
            y = category(scores.argmax(axis=1))
        zs = [number(z0), category(z1), number(generator.normal(size=rows))]
        zs += [category(generator.integers(2, size=rows)), number(generator.normal(size=rows))]
        return number(x), y, zs

    return draw


def two_categories(rows: int, n_categories: int) -> Draw:
    """Draw two categories, cut from numbers, that follow numbers and categories strongly."""

    def draw(generator: np.random.Generator) -> tuple[Any, Any, list[Any]]:
        numbers = generator.normal(size=(MOST_GIVEN, rows))
        codes = np.digitize(numbers, [-0.5, 0.5])
        numbers[1::2] = codes[1::2] - 1.0  # every second one is a category
        signal = 0.8 * numbers[:4].sum(axis=0)

        def category() -> Any:
            values = signal + generator.normal(size=rows)
            cuts = np.quantile(values, np.arange(1, n_categories) / n_categories)
            return pd.Categorical.from_codes(np.digitize(values, cuts), list("abcd")[:n_categories])

        zs = [
            pd.Categorical.from_codes(codes[i], list("abc")) if i % 2 else numbers[i]
            for i in range(MOST_GIVEN)
        ]
        return category(), category(), zs

    return draw
