"""Names that are checked once and looked up, the kinds of columns, and a table's fingerprint."""

from __future__ import annotations

import difflib
import enum
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import IntArray, frozen
from eiderdown.data.blocks import Block, Category, CodeBlock, FloatBlock, SparseBlock, pack
from eiderdown.errors import (
    DuplicateNamesError,
    InputError,
    OptionError,
    UnknownColumnError,
    listed,
)
from eiderdown.option_types import shown

_LONGEST_NAME = 1_000  # characters of an unknown name that are compared with the known ones


def checked_names(names: Iterable[object]) -> tuple[str, ...]:
    """Return the names as text, or raise if two are the same or there are none.

    Examples
    --------
    >>> checked_names(["age", 7])
    ('age', '7')
    """
    given: tuple[Any, ...] = tuple(names)
    are_texts = set(map(type, given)) == {str}
    texts: tuple[str, ...] = given if are_texts else tuple(map(str, given))
    if not texts:
        raise InputError("The table has no columns; give it at least one.")
    if len(set(texts)) < len(texts):
        twice = [name for name, count in Counter(texts).items() if count > 1]
        raise DuplicateNamesError(
            f"More than one column is called {listed(twice)}; give every column its own name."
        )
    return texts


def names_of_label(label: Any) -> tuple[str, ...]:
    """Return what a column may be called that a table labels so; arrays number their columns.

    Examples
    --------
    >>> names_of_label("age"), names_of_label(3)
    (('age',), ('3', 'x3'))
    """
    if type(label) is str:
        return (label,)
    try:
        text = str(label)
    except Exception:  # an object without a text is no label
        return ()
    return (text, f"x{text}") if isinstance(label, Integral) else (text,)


class NameIndex:
    """Positions of names, as sorted hashes: 16 bytes for each name, whatever its length.

    Examples
    --------
    >>> NameIndex(("age", "height")).position("height")
    1
    """

    __slots__ = ("_hashes", "_names", "_order")

    def __init__(self, names: Sequence[str]) -> None:
        hashes = np.fromiter(map(hash, names), np.int64, len(names))
        self._names = names
        self._order: IntArray = frozen(np.argsort(hashes, kind="stable"))
        self._hashes: IntArray = frozen(hashes[self._order])

    @property
    def nbytes(self) -> int:
        """Bytes of the index, without the names."""
        return self._hashes.nbytes + self._order.nbytes

    def position(self, label: Any) -> int:
        """Return the position of a name, or raise with the names closest to it."""
        for name in names_of_label(label):
            position = self._find(name)
            if position is not None:
                return position
        raise UnknownColumnError(self._unknown(label))

    def _find(self, name: str) -> int | None:
        key = hash(name)
        start = int(np.searchsorted(self._hashes, key, side="left"))
        stop = int(np.searchsorted(self._hashes, key, side="right"))
        for position in self._order[start:stop].tolist():
            if self._names[position] == name:
                return int(position)
        return None

    def _unknown(self, label: Any) -> str:
        by_folded: dict[str, list[str]] = {}
        for known in self._names:
            by_folded.setdefault(known.casefold(), []).append(known)
        name = next(iter(names_of_label(label)), "")[:_LONGEST_NAME]
        folded = difflib.get_close_matches(name.casefold(), by_folded, n=3)
        close = [known for fold in folded for known in by_folded[fold]]
        way_out = f"did you mean {listed(close)}?" if close else f"it has {listed(self._names)}."
        return f"The table has no column {shown(label)}; {way_out}"


class Kind(enum.Enum):
    """What a column holds: one of a few categories, or a number on a scale.

    Categories may be in order, and numbers may be counts, from 0 on.

    Examples
    --------
    >>> Kind("category"), Kind("number")
    (<Kind.DISCRETE: 'discrete'>, <Kind.CONTINUOUS: 'continuous'>)
    >>> Kind("ordered").is_discrete, Kind("count").is_discrete
    (True, False)
    """

    DISCRETE = "discrete"
    CONTINUOUS = "continuous"
    ORDERED = "ordered"
    COUNT = "count"

    @property
    def is_discrete(self) -> bool:
        """Whether it is one of categories."""
        return self in (Kind.DISCRETE, Kind.ORDERED)

    @classmethod
    def _missing_(cls, value: object) -> Kind | None:
        words = {"category": cls.DISCRETE, "number": cls.CONTINUOUS}
        return words.get(value) if isinstance(value, str) else None


Kinds: TypeAlias = Mapping[Any, Kind | str]


def resolved_kinds(kinds: Kinds | None, names: Sequence[str]) -> dict[str, Kind]:
    """Return the given kinds as members of `Kind`, or raise if a name or kind is unknown.

    Examples
    --------
    >>> resolved_kinds({"age": "continuous"}, ["age", "sex"])
    {'age': <Kind.CONTINUOUS: 'continuous'>}
    """
    if not kinds:
        return {}
    index = NameIndex(names)
    resolved = {}
    for label, kind in kinds.items():
        name = names[index.position(label)]
        try:
            resolved[name] = Kind(kind)
        except (TypeError, ValueError):
            raise OptionError(
                f"The kind of column {name!r} must be 'category', 'ordered', 'number', 'count' or "
                f"'date', not {shown(kind)}."
            ) from None
    return resolved


# --- fingerprint ---------------------------------------------------------------------------------

_STEP = 1 << 22  # bounds the temporary arrays of one step: about this many cells at a time


def fingerprint_of(
    names: Sequence[str],
    categories: Sequence[tuple[Category, ...]],
    blocks: Sequence[Block],
    finer: Sequence[Kind] = (),
) -> str:
    """Return a digest, in 32 hexadecimal digits, of what a table says, however it is held.

    The canonical stream is: the shape, the names, each column's categories with their types, then
    the cells: all binary columns as packed bits, all other discrete columns, and those with missing
    values, as two-byte codes, all continuous columns as float64, each group in the order of the
    table.  A constant discrete column without missing values is told by its one category alone,
    because a sparse column declares two categories where a dense one, inferred, has only the
    category it saw.  The kinds of columns that are in order or counts come last.
    """
    digest = hashlib.blake2b(digest_size=16)
    n_rows = blocks[0].n_rows
    _add(digest, np.array([len(names), n_rows], np.int64))
    _add_texts(digest, names)
    categories = _seen_if_constant(categories, blocks)
    _add_categories(digest, categories)
    n_categories = np.fromiter(map(len, categories), np.int64, len(categories))
    coded = n_categories > 2
    for block in blocks:
        if isinstance(block, CodeBlock):
            coded[block.variables[block.has_missing]] = True
    step = max(1, _STEP // n_rows)
    for wanted, canonical in (
        ((n_categories == 2) & ~coded, _packed),
        (coded, _coded),
        (n_categories == 0, _numbers),
    ):
        variables = np.flatnonzero(wanted)
        for start in range(0, len(variables), step):
            _add(digest, _gathered(variables[start : start + step], blocks, canonical))
    if finer:
        _add_texts(digest, [kind.value for kind in finer])
    return digest.hexdigest()


def _seen_if_constant(
    categories: Sequence[tuple[Category, ...]], blocks: Sequence[Block]
) -> list[tuple[Category, ...]]:
    reduced = list(categories)
    for block in blocks:
        if not isinstance(block, FloatBlock):
            constant, code = block.constant()
            constant &= ~block.has_missing
            for i, k in zip(block.variables[constant], code[constant], strict=True):
                reduced[i] = (categories[i][k],)
    return reduced


def _gathered(
    variables: IntArray,
    blocks: Sequence[Block],
    canonical: Callable[[Any, IntArray], NDArray[Any]],
) -> NDArray[Any]:
    """Return the canonical form of some columns, in their order, wherever they are held."""
    gathered: NDArray[Any] | None = None
    for block in blocks:
        rows = np.searchsorted(block.variables, variables)
        rows[rows == len(block.variables)] = 0
        held = block.variables[rows] == variables
        if held.any():
            part = canonical(block, rows[held])
            if gathered is None:
                gathered = np.empty((len(variables), part.shape[1]), part.dtype)
            gathered[held] = part
    assert gathered is not None
    return gathered


def _packed(block: CodeBlock | SparseBlock, columns: IntArray) -> NDArray[Any]:
    return pack(block, columns, np.ones(len(columns), np.int64))


def _coded(block: CodeBlock, columns: IntArray) -> NDArray[Any]:
    return block.codes[columns].astype("<u2")


def _numbers(block: FloatBlock, columns: IntArray) -> NDArray[Any]:
    # Adding zero turns -0.0 into 0.0: equal cells, equal bytes; and there are many NaNs.
    numbers = block.values[columns] + 0.0
    if block.has_missing[columns].any():
        numbers[np.isnan(numbers)] = np.nan
    return numbers


def _add_categories(digest: hashlib.blake2b, categories: Sequence[tuple[Category, ...]]) -> None:
    # Many columns share few sets of categories: tell each set once, then only its number.
    # Sets are told apart by their text, because (0, 1) == (False, True) in Python.
    ids = np.fromiter(map(id, categories), np.int64, len(categories))
    _, firsts, which = np.unique(ids, return_index=True, return_inverse=True)
    number_of: dict[str, int] = {}
    numbers = np.empty(len(firsts), np.int64)
    for k in np.argsort(firsts).tolist():  # in the order in which they come
        one = categories[firsts[k]]
        text = repr([(type(category).__name__, category) for category in one])
        numbers[k] = number_of.setdefault(text, len(number_of))
    _add_texts(digest, list(number_of))
    _add(digest, numbers[which])


def _add_texts(digest: hashlib.blake2b, texts: Sequence[str]) -> None:
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    _add(digest, np.fromiter(map(len, encoded), np.int64, len(encoded)))
    digest.update(b"".join(encoded))


def _add(digest: hashlib.blake2b, array: NDArray[Any]) -> None:
    digest.update(np.ascontiguousarray(array).data)
