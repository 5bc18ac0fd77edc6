"""What is said about columns when a table is read, and can be said of some of them only."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any, TypeAlias

Sentence: TypeAlias = Callable[[Sequence[str]], str]
"""Says something of the columns that it is given."""


class Note(str):
    """A sentence about columns.

    Examples
    --------
    >>> from eiderdown.errors import listed
    >>> note = Note.of(listed, ["age", "visit"])
    >>> note, notes_about([note, "Read with ; between cells."], {"age"})
    ("'age', 'visit'", ("'age'", 'Read with ; between cells.'))
    """

    __slots__ = ("columns", "sentence")
    sentence: Sentence
    columns: tuple[str, ...]

    @classmethod
    def of(cls, sentence: Sentence, columns: Collection[str]) -> Note:
        """Say a sentence of some columns."""
        names = tuple(columns)
        note = cls(sentence(names))
        note.sentence, note.columns = sentence, names
        return note

    @classmethod
    def of_one(cls, text: str, column: str) -> Note:
        """Say a text of one column."""
        return cls.of(partial(_as_it_is, text), [column])

    def __reduce__(self) -> tuple[Any, ...]:
        return Note.of, (self.sentence, self.columns)


def _as_it_is(text: str, _: Sequence[str]) -> str:
    return text


def notes_about(notes: Collection[str], names: Collection[str]) -> tuple[str, ...]:
    """Return what is said of some columns, and what is said of the table."""
    kept: list[str] = []
    for note in notes:
        if not isinstance(note, Note):
            kept.append(note)
            continue
        asked = [name for name in note.columns if name in names]
        kept += [Note.of(note.sentence, asked)] if asked else []
    return tuple(kept)
