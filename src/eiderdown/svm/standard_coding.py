"""Columns of a table as numbers for prediction: standardised, 0/1 as it is, categories one-hot.

Only the columns that are asked for are looked at, so that nothing else in new rows can matter. A
category that was not there in training has zeros in all indicators: rows that somebody has set may
hold what nobody saw before.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray
from eiderdown.data import Dataset
from eiderdown.data.blocks import Category
from eiderdown.data.missing import require_complete
from eiderdown.errors import ColumnKindError

Product: TypeAlias = tuple[tuple[str, int], ...]
"""Numeric columns and their exponents."""


@dataclass(frozen=True)
class Features:
    """What a model is given: columns, and products of numeric columns.

    Attributes
    ----------
    columns : tuple of str
        Columns of the table.
    products : tuple of pairs
        Each product, and the columns of the table that are in it.
    """

    columns: tuple[str, ...]
    products: tuple[tuple[Product, tuple[str, ...]], ...] = ()

    def among(self, allowed: Collection[str]) -> Features:
        """Leave out columns that are not allowed, and products with such a factor.

        Examples
        --------
        >>> product = ((("a", 1), ("b", 1)), ("a", "b"))
        >>> Features(("a", "b", "c"), (product,)).among(["a", "c"])
        Features(columns=('a', 'c'), products=())
        """
        return Features(
            tuple(name for name in self.columns if name in allowed),
            tuple(item for item in self.products if set(item[1]) <= set(allowed)),
        )

    @property
    def sources(self) -> tuple[str, ...]:
        """All columns of the table that are looked at, in the order of their names."""
        return tuple(sorted({*self.columns, *(x for _, source in self.products for x in source)}))


@dataclass(frozen=True)
class _Coded:
    """How one column becomes numbers."""

    mean: float = 0.0
    scale: float = 1.0
    categories: tuple[Category, ...] = ()  # of text: two become one column, more one for each


@dataclass(frozen=True, eq=False)
class StandardCoding:
    """How columns of a table become numbers.

    Examples
    --------
    >>> data = Dataset.from_columns({"hat": ["red", "blue", "green"], "on": [0, 1, 1]})
    >>> coding = StandardCoding.learned(data, data.names)
    >>> coding.matrix(data, Features(("hat", "on"))).tolist()
    [[0.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0]]
    """

    columns: Mapping[str, _Coded]

    @classmethod
    def learned(cls, data: Dataset, names: Iterable[str]) -> StandardCoding:
        """Learn from a table; columns that do not vary are left out."""
        constant = set(data.constant_columns())
        return cls({name: _learned(data, name) for name in names if name not in constant})

    def matrix(self, data: Dataset, features: Features) -> FloatArray:
        """Return the numbers of some columns and products, in the order of their names."""
        needed = [name for name in features.sources if name in self.columns]
        if needed:
            require_complete(data, "A prediction", [data.index(name) for name in needed])
        numbers = {name: self._numbers(data, name) for name in needed}
        parts = [numbers[name] for name in sorted(features.columns) if name in numbers]
        named = {
            label: column
            for name in needed
            for label, column in zip(self._labels(name), numbers[name].T, strict=True)
        }
        for product, _ in sorted(features.products):
            if all(label in named for label, _ in product):
                factors = [named[label] ** exponent for label, exponent in product]
                parts.append(np.prod(factors, axis=0)[:, None])
        return np.hstack(parts) if parts else np.empty((data.n_rows, 0))

    def _labels(self, name: str) -> Sequence[str]:
        categories = self.columns[name].categories
        return [f"{name}={c}" for c in categories] if len(categories) > 2 else [name]

    def _numbers(self, data: Dataset, name: str) -> FloatArray:
        coded, index = self.columns[name], data.index(name)
        if coded.categories:
            texts = np.array([str(c) for c in data.categories(index)], dtype=object)
            if not len(texts):
                raise ColumnKindError(
                    f"Column {name!r} held text in training and holds numbers now; give it as "
                    "text again."
                )
            known = [str(category) for category in coded.categories]
            known = known[1:] if len(known) == 2 else known
            indicators = texts[data.codes(index)][:, None] == np.array(known, dtype=object)
            return np.asarray(indicators, dtype=np.float64)
        return ((_values(data, index) - coded.mean) / coded.scale)[:, None]


def _learned(data: Dataset, name: str) -> _Coded:
    index = data.index(name)
    categories = data.categories(index)
    if any(isinstance(category, str) for category in categories):
        seen = np.unique(data.codes(index))
        return _Coded(categories=tuple(categories[code] for code in seen))
    values = _values(data, index)
    if np.isin(values, (0.0, 1.0)).all():
        return _Coded()
    return _Coded(float(values.mean()), float(values.std()) or 1.0)


def _values(data: Dataset, index: int) -> FloatArray:
    """Return the numbers of a column, which may be held as categories."""
    categories = data.categories(index)
    if not categories:
        return data.values(index)
    try:
        numbers = np.array(categories, dtype=np.float64)
    except ValueError:
        raise ColumnKindError(
            f"Column {data.names[index]!r} held numbers in training and holds text now; give it "
            "as numbers again."
        ) from None
    return np.asarray(numbers[data.codes(index)])
